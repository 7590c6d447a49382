#include "format/clps/searching/compat.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "format/clps/searching/compat_rows.hpp"
#include "format/clps/searching/compat_schema.hpp"
#include "format/clps/searching/compat_term.hpp"

namespace fonds::clps {
namespace {

using namespace compat;  // NOLINT(google-build-using-namespace)

// Whether the time ranges of an archive, which the original believes, leave room for a match.
class TimeHints {
 public:
  explicit TimeHints(const Archive& archive) : archive_(archive), ranges_(archive) {}

  bool leave(const Alternatives& alternatives) const {
    return std::any_of(alternatives.begin(), alternatives.end(), [this](const Conjunction& all) {
      return std::all_of(all.begin(), all.end(), [this](const Factor& factor) {
        return !std::all_of(factor.begin(), factor.end(),
                            [this](const Term& term) { return excludes(term); });
      });
    });
  }

  // Once more, with the kinds of values that the schemas have in which all checks find a column.
  // `fits`: whether a term finds one in a schema.
  template <typename Fits>
  bool leave(const BoundConjunction& conjunction, Fits&& fits) const {
    const bool any = std::any_of(conjunction.begin(), conjunction.end(), [&](const auto& factor) {
      return std::any_of(factor.begin(), factor.end(),
                         [&](const BoundTerm& term) { return excludes_values(term); });
    });
    if (!any || conjunction.size() > kMostDepth) {
      return true;
    }
    std::vector<std::vector<Choice>> choices;
    for (const BoundFactor& factor : conjunction) {
      auto& some = choices.emplace_back();
      for (const BoundTerm& term : factor) {
        Choice& choice = some.emplace_back(
            Choice{.term = &term, .excluded = excludes_values(term), .schemas = {}});
        for (std::size_t i = 0; i < archive_.schemas().size(); ++i) {
          if (fits(term, i)) {
            choice.schemas.push_back(i);
          }
        }
      }
    }
    std::vector<std::size_t> all(archive_.schemas().size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = i;
    }
    std::size_t steps = kMostSteps;
    std::vector<const Choice*> chosen;
    return leave(choices, all, chosen, steps);
  }

 private:
  // What goes on for longer leaves room.
  static constexpr std::size_t kMostSteps = 100000, kMostDepth = 1000;

  struct Choice {
    const BoundTerm* term;
    bool excluded;
    std::vector<std::size_t> schemas;
  };

  bool excludes(const Term& term) const {
    const TimeRange* const range = ranges_.range_of(term);
    return range != nullptr && TimeRanges::excludes(*range, term);
  }
  bool excludes_values(const BoundTerm& bound) const {
    Term term = bound.term;
    term.types = kAll;
    return bound.binding != nullptr && excludes(term);
  }

  // One choice of each factor from the next on, among the schemas that are left.
  bool leave(const std::vector<std::vector<Choice>>& choices,
             const std::vector<std::size_t>& schemas, std::vector<const Choice*>& chosen,
             std::size_t& steps) const {
    if (chosen.size() == choices.size()) {
      return std::none_of(chosen.begin(), chosen.end(), [&](const Choice* choice) {
        return choice->excluded && has_times(*choice->term, schemas);
      });
    }
    for (const Choice& choice : choices[chosen.size()]) {
      if (steps == 0 || --steps == 0) {
        return true;
      }
      std::vector<std::size_t> left;
      std::set_intersection(schemas.begin(), schemas.end(), choice.schemas.begin(),
                            choice.schemas.end(), std::back_inserter(left));
      if (left.empty()) {
        continue;
      }
      chosen.push_back(&choice);
      const bool found = leave(choices, left, chosen, steps);
      chosen.pop_back();
      if (found) {
        return true;
      }
    }
    return false;
  }

  bool has_times(const BoundTerm& bound, const std::vector<std::size_t>& schemas) const {
    Term term = bound.term;
    term.types = 0;
    for (const std::size_t schema : schemas) {
      term.types |= type_of(archive_.tree()[bound.binding->node_of(schema)].type);
    }
    return ranges_.range_of(term) != nullptr;
  }

  const Archive& archive_;
  TimeRanges ranges_;
};

class CompatPlanner : public Planner, public RowTest {
 public:
  CompatPlanner(const Archive& archive, const query::Query& query, std::unique_ptr<Terms> terms)
      : archive_(&archive),
        terms_(std::move(terms)),
        bindings_(archive),
        searches_(std::make_unique<TextSearches>(archive, query.options.ignore_case)) {}

  void prepare() {
    const TimeHints times(*archive_);
    if (!times.leave(terms_->alternatives)) {
      return;
    }
    conjunctions_ = bindings_.bind(terms_->alternatives);
    if (std::none_of(
            conjunctions_.begin(), conjunctions_.end(), [&](const BoundConjunction& conjunction) {
              return times.leave(conjunction, [this](const BoundTerm& term, std::size_t schema) {
                return fits(term, schema);
              });
            })) {
      conjunctions_.clear();
    }
  }

  Condition plan(std::size_t table) const override {
    const std::size_t schema = archive_->tables()[table].schema;
    const bool columns = !archive_->column_nodes(schema).empty();
    bool any = false;
    for (const BoundConjunction& conjunction : conjunctions_) {
      if (!fits(conjunction, schema)) {
        continue;
      }
      any = columns;
      if (std::all_of(conjunction.begin(), conjunction.end(), [&](const BoundFactor& factor) {
            return std::any_of(factor.begin(), factor.end(), [&](const BoundTerm& term) {
              return fits(term, schema) && is_true(term, schema);
            });
          })) {
        return Condition::constant(true);
      }
    }
    Condition condition = Condition::constant(false);
    if (any) {
      condition.kind = Condition::Kind::Rows;
      condition.test = this;
    }
    return condition;
  }

  Result<BitSet> rows(LazyTable& table, ColumnScan& scan, std::size_t records) const override {
    TableRows rows(*archive_, *searches_, table, scan, records);
    const std::size_t schema = archive_->tables()[table.index()].schema;
    BitSet found(records);
    for (const BoundConjunction& conjunction : conjunctions_) {
      if (fits(conjunction, schema)) {
        FONDS_TRY(const BitSet more, all_of(conjunction, schema, rows, records));
        found |= more;
      }
    }
    return found;
  }

 private:
  Result<BitSet> all_of(const BoundConjunction& conjunction, std::size_t schema, TableRows& rows,
                        std::size_t records) const {
    BitSet left(records, true);
    for (const BoundFactor& factor : conjunction) {
      BitSet found(records);
      for (const BoundTerm& term : factor) {
        if (fits(term, schema)) {
          FONDS_TRY(const BitSet more, rows.of(term));
          found |= more;
        }
      }
      left &= found;
      if (left.none()) {
        break;
      }
    }
    return left;
  }

  // Whether a schema has the columns that a check needs.
  bool fits(const BoundTerm& bound, std::size_t schema) const {
    if (bound.binding == nullptr) {
      return bound.term.check != Term::Check::LogRange || has_log_order(schema);
    }
    const bool has = bound.binding->node_of(schema) != kNoNode;
    return has == (bound.term.check != Term::Check::Absent);
  }
  bool fits(const BoundConjunction& conjunction, std::size_t schema) const {
    return std::all_of(conjunction.begin(), conjunction.end(), [&](const BoundFactor& factor) {
      return std::any_of(factor.begin(), factor.end(),
                         [&](const BoundTerm& term) { return fits(term, schema); });
    });
  }

  bool has_log_order(std::size_t schema) const {
    const auto ordered = archive_->schemas()[schema].ordered;
    return std::binary_search(ordered.begin(), ordered.end(), archive_->tree().log_order());
  }

  // Whether the schema alone says that all its records match.
  bool is_true(const BoundTerm& bound, std::size_t schema) const {
    switch (bound.term.check) {
      case Term::Check::Absent:
        return true;
      case Term::Check::Exists:
        return bound.binding == nullptr || bound.rest().empty() ||
               archive_->tree()[bound.binding->node_of(schema)].type != NodeType::UnstructuredArray;
      case Term::Check::Compare:
        return bound.term.negated && archive_->column_nodes(schema).empty();
      case Term::Check::LogRange:
        break;
    }
    return false;
  }

  const Archive* archive_;
  std::unique_ptr<Terms> terms_;
  Bindings bindings_;
  std::unique_ptr<TextSearches> searches_;
  std::vector<BoundConjunction> conjunctions_;
};

}  // namespace

Result<std::unique_ptr<Planner>> make_compat_planner(const Archive& archive,
                                                     const query::Query& query,
                                                     std::optional<std::int64_t> since,
                                                     std::optional<std::int64_t> until) {
  FONDS_TRY(auto terms, make_terms(archive, query, since, until));
  auto planner = std::make_unique<CompatPlanner>(archive, query, std::move(terms));
  planner->prepare();
  return planner;
}

}  // namespace fonds::clps
