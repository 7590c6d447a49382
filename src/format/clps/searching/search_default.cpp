// The default meaning of a query: every record is asked as the JSON that reading it gives back.
#include <algorithm>
#include <map>
#include <utility>

#include "format/clps/searching/search_plan.hpp"

namespace fonds::clps {
namespace {

// A filter with the nodes that it has to do with.
struct Bound {
  std::unique_ptr<FilterTest> test;
  std::vector<KeyHit> hits;        // ascending
  bool time_text = false;          // the text of a time may match
  BudgetShare share;               // of them
  std::optional<bool> everywhere;  // of $ filters: the same for all records
  LogRanges ranges;                // else the records for which it holds

  const KeyHit* hit(NodeId node) const { return hit_of(hits, node); }
};

// Whether a value of this type can match at all.
bool may_match(const FilterTest& filter, NodeType type, bool time, bool time_text) {
  const query::ValueMatch& match = filter.match();
  if (time && type != NodeType::Timestamp && type != NodeType::DateString) {
    return !filter.instants().empty();
  }
  switch (type) {
    case NodeType::Integer:
    case NodeType::DeltaInteger:
      return !filter.integers().empty();
    case NodeType::Float:
    case NodeType::FormattedFloat:
      return !filter.reals().empty();
    case NodeType::DictionaryFloat:
      return match.may_match_number();
    case NodeType::Boolean:
      return match.boolean(true) || match.boolean(false);
    case NodeType::ClpString:
    case NodeType::VarString:
      return match.may_match_text();
    case NodeType::Timestamp:
    case NodeType::DateString:
      return !filter.instants().empty() || time_text;
    default:
      return false;
  }
}

class DefaultPlanner : public Planner {
 public:
  explicit DefaultPlanner(const Archive& archive) : archive_(&archive) {}

  Status bind(const query::Query& query) {
    root_ = query.root;
    return bind(root_, query.options);
  }

  Condition plan(std::size_t table) const override {
    std::size_t next = 0;
    return plan(root_, table, next);
  }

 private:
  // Filters are numbered as they stand in the tree.
  Status bind(const query::Node& node, const query::ParseOptions& options) {
    if (node.kind != query::Node::Kind::Filter) {
      for (const query::Node& child : node.children) {
        FONDS_CHECK(bind(child, options));
      }
      return {};
    }
    Bound bound;
    FONDS_TRY(bound.test, FilterTest::make(node.filter, options));
    if (bound.test->of_archive()) {
      FONDS_CHECK(ask_inputs(bound, options));
    } else {
      bound.time_text = may_match_time_text(*archive_, *bound.test);
      FONDS_TRY(bound.hits, find_keys(*archive_, bound.test->keys(), roots_of(node.filter.path),
                                      /*arrays=*/true, bound.share));
    }
    bound_.push_back(std::move(bound));
    return {};
  }

  // Evaluates a filter on the properties of each input.
  Status ask_inputs(Bound& bound, const query::ParseOptions& options) const {
    query::Query query;
    query.options = options;
    query.root.filter = bound.test->filter();
    query::RecordMatch match(query);
    std::uint64_t covered = 0;
    bool all = true;
    for (const InputRange& input : archive_->metadata().inputs) {
      FONDS_TRY(const bool holds, match.matches("{}", {}, input.properties));
      if (holds && input.begin < input.end) {
        if (!bound.ranges.empty() && bound.ranges.back().second == input.begin) {
          bound.ranges.back().second = input.end;
        } else {
          bound.ranges.emplace_back(input.begin, input.end);
        }
      }
      all = all && holds && input.begin == covered;
      covered = input.end;
    }
    if (bound.ranges.empty()) {
      bound.everywhere = false;
    } else if (all && covered >= archive_->records()) {
      bound.everywhere = true;
    }
    return {};
  }

  Condition plan(const query::Node& node, std::size_t table, std::size_t& next) const {
    using Kind = query::Node::Kind;
    if (node.kind == Kind::Filter) {
      return plan_filter(bound_[next++], table);
    }
    std::vector<Condition> children;
    for (const query::Node& child : node.children) {
      children.push_back(plan(child, table, next));
    }
    return node.kind == Kind::And  ? all_of(std::move(children))
           : node.kind == Kind::Or ? any_of(std::move(children))
                                   : negation_of(std::move(children.front()));
  }

  Condition plan_filter(const Bound& bound, std::size_t table) const {
    if (bound.test->of_archive()) {
      return plan_input(bound, table);
    }
    const query::Path& path = bound.test->filter().path;
    const bool exists = bound.test->match().exists();
    if (exists && path.any() && path.space == query::Namespace::User) {
      return Condition::constant(true);  // also of {}
    }
    const Schema& schema = archive_->schemas()[archive_->tables()[table].schema];
    for (const auto entries : {schema.ordered, schema.unordered}) {
      for (const std::int32_t entry : entries) {
        if (!is_tag(entry) && holds_by_schema(bound, entry, exists)) {
          return Condition::constant(true);
        }
      }
    }
    Condition condition;
    condition.kind = Condition::Kind::Columns;
    condition.filter = bound.test.get();
    const auto columns = archive_->column_nodes(archive_->tables()[table].schema);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      add_column(bound, columns[i], {table, i}, condition);
    }
    std::stable_sort(condition.columns.begin(), condition.columns.end(), is_cheaper);
    return condition.columns.empty() ? Condition::constant(false) : std::move(condition);
  }

  bool holds_by_schema(const Bound& bound, NodeId node, bool exists) const {
    const KeyHit* const hit = bound.hit(node);
    return hit != nullptr &&
           ((exists && hit->within) || (hit->accepts && bound.test->match().null() &&
                                        archive_->tree()[node].type == NodeType::NullValue));
  }

  struct Place {
    std::size_t table, column;
  };
  void add_column(const Bound& bound, NodeId node, const Place& place, Condition& condition) const {
    const KeyHit* const hit = bound.hit(node);
    if (hit == nullptr) {
      return;
    }
    const NodeType type = archive_->tree()[node].type;
    const bool time = counts_time(*archive_, node);
    if (type == NodeType::UnstructuredArray) {
      if (hit->state != KeyMachine::kDead) {
        condition.columns.push_back({.column = place.column, .type = type, .state = hit->state});
      }
    } else if (hit->accepts && may_match(*bound.test, type, time, bound.time_text) &&
               (!time || may_lie_in_range(*archive_, node, *bound.test))) {
      const ColumnTest test = {.column = place.column, .type = type, .time = time};
      if (may_lie_in_column(*archive_, place.table, test, *bound.test)) {
        condition.columns.push_back(test);
      }
    }
  }

  Condition plan_input(const Bound& bound, std::size_t table) const {
    if (bound.everywhere) {
      return Condition::constant(*bound.everywhere);
    }
    const auto columns = archive_->column_nodes(archive_->tables()[table].schema);
    const auto found = std::find(columns.begin(), columns.end(), archive_->tree().log_order());
    if (found == columns.end()) {
      return Condition::constant(false);  // nobody knows where its records came from
    }
    Condition condition;
    condition.kind = Condition::Kind::LogRange;
    condition.log_column = static_cast<std::size_t>(found - columns.begin());
    if (!may_lie_in_log(*archive_, table, condition.log_column, bound.ranges)) {
      return Condition::constant(false);
    }
    condition.ranges = &bound.ranges;
    return condition;
  }

  const Archive* archive_;
  query::Node root_;
  std::vector<Bound> bound_;
};

}  // namespace

Result<std::unique_ptr<Planner>> make_default_planner(const Archive& archive,
                                                      const query::Query& query) {
  auto planner = std::make_unique<DefaultPlanner>(archive);
  FONDS_CHECK(planner->bind(query));
  return planner;
}

}  // namespace fonds::clps
