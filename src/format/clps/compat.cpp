#include "format/clps/compat.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "format/clps/compat_rows.hpp"
#include "format/clps/compat_schema.hpp"
#include "format/clps/compat_term.hpp"

namespace fonds::clps {
namespace {

using namespace compat;

class CompatPlanner : public Planner, public RowTest {
 public:
  CompatPlanner(const Archive& archive, const query::Query& query, std::unique_ptr<Terms> terms)
      : archive_(&archive),
        terms_(std::move(terms)),
        bindings_(archive),
        searches_(std::make_unique<TextSearches>(archive, query.options.ignore_case)) {}

  Status prepare() {
    const TimeRanges times(*archive_);
    const auto excluded = [&times](const Term& term) {
      const TimeRange* const range = times.range_of(term);
      return range != nullptr && TimeRanges::excludes(*range, term);
    };
    const Alternatives& all = terms_->alternatives;
    if (std::all_of(all.begin(), all.end(), [&](const Conjunction& conjunction) {
          return std::any_of(conjunction.begin(), conjunction.end(), excluded);
        })) {
      return {};
    }
    FONDS_TRY(conjunctions_, bindings_.bind(all));
    if (!may_lie_in_time(times)) {
      conjunctions_.clear();
    }
    return {};
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
      if (std::all_of(conjunction.begin(), conjunction.end(),
                      [&](const BoundTerm& term) { return is_true(term, schema); })) {
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
        FONDS_TRY(const BitSet more, rows.all_of(conjunction));
        found |= more;
      }
    }
    return found;
  }

 private:
  // Whether a schema has the columns that the checks need.
  bool fits(const BoundConjunction& conjunction, std::size_t schema) const {
    return std::all_of(conjunction.begin(), conjunction.end(), [&](const BoundTerm& bound) {
      if (bound.binding == nullptr) {
        return bound.term.check != Term::Check::LogRange || has_log_order(schema);
      }
      const bool has = bound.binding->node_of(schema) != kNoNode;
      return has == (bound.term.check != Term::Check::Absent);
    });
  }

  bool has_log_order(std::size_t schema) const {
    const auto ordered = archive_->schemas()[schema].ordered;
    return std::binary_search(ordered.begin(), ordered.end(), archive_->tree().log_order());
  }

  bool is_true(const BoundTerm& bound, std::size_t schema) const {
    const Term::Check check = bound.term.check;
    if (check == Term::Check::Absent) {
      return true;
    }
    if (check != Term::Check::Exists) {
      return bound.term.negated && archive_->column_nodes(schema).empty();
    }
    return bound.binding == nullptr || bound.rest().empty() ||
           archive_->tree()[bound.binding->node_of(schema)].type != NodeType::UnstructuredArray;
  }

  // Once more, with the kinds of values that the schemas really have.
  bool may_lie_in_time(const TimeRanges& times) const {
    return std::any_of(
        conjunctions_.begin(), conjunctions_.end(), [&](const BoundConjunction& conjunction) {
          std::vector<std::size_t> schemas;
          for (std::size_t i = 0; i < archive_->schemas().size(); ++i) {
            if (fits(conjunction, i)) {
              schemas.push_back(i);
            }
          }
          return !schemas.empty() &&
                 std::none_of(conjunction.begin(), conjunction.end(), [&](const BoundTerm& bound) {
                   return excludes(times, bound, schemas);
                 });
        });
  }

  bool excludes(const TimeRanges& times, const BoundTerm& bound,
                const std::vector<std::size_t>& schemas) const {
    if (bound.binding == nullptr || bound.term.check != Term::Check::Compare) {
      return false;
    }
    Term term = bound.term;
    term.types = kAll;
    const TimeRange* const range = times.range_of(term);
    if (range == nullptr || !TimeRanges::excludes(*range, term)) {
      return false;
    }
    term.types = 0;
    for (const std::size_t schema : schemas) {
      term.types |= type_of(archive_->tree()[bound.binding->node_of(schema)].type);
    }
    return times.range_of(term) != nullptr;
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
  FONDS_CHECK(planner->prepare());
  return planner;
}

}  // namespace fonds::clps
