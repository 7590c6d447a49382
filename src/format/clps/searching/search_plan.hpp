// What a query asks of one table: a tree of conditions on its columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/formats/clps.hpp>
#include <fonds/query.hpp>
#include <fonds/search.hpp>

#include "format/clps/searching/search_columns.hpp"
#include "format/clps/searching/search_filter.hpp"

namespace fonds::clps {

// Ranges of log_event_idx, ascending and disjoint, ends excluded.
using LogRanges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

class LazyTable;
class ColumnScan;

// Rows that are found in another way than by conditions on columns.
class RowTest {
 public:
  virtual ~RowTest() = default;
  // Of the whole table. Thread-safe. Errors: those of Archive::table() and of reading dictionaries.
  virtual Result<BitSet> rows(LazyTable& table, ColumnScan& scan, std::size_t records) const = 0;
};

struct Condition {
  enum class Kind : std::uint8_t {
    False,
    True,
    Columns,   // one of `columns` matches `filter`
    LogRange,  // the log_event_idx in column `log_column` lies in `ranges`
    Rows,      // `test` says so
    And,
    Or,
    Not,
  };
  Kind kind = Kind::False;
  const FilterTest* filter = nullptr;
  std::vector<ColumnTest> columns = {};
  std::size_t log_column = 0;
  const LogRanges* ranges = nullptr;
  const RowTest* test = nullptr;
  std::vector<Condition> children = {};

  bool is(bool constant) const { return kind == (constant ? Kind::True : Kind::False); }
  static Condition constant(bool value) {
    Condition condition;
    condition.kind = value ? Kind::True : Kind::False;
    return condition;
  }
};

// Whether looking at one column is cheaper than at another.
bool is_cheaper(const ColumnTest& a, const ColumnTest& b);

// All, or one, of some conditions; constants are folded, cheap conditions come first.
Condition all_of(std::vector<Condition> children);
Condition any_of(std::vector<Condition> children);
Condition negation_of(Condition child);

// Whether the texts of a condition are best decided on the dictionaries before its table is looked
// at: nothing cheaper could make that needless.
bool wants_texts_first(const Condition& condition);
// Calls `use` for each condition on columns.
template <typename Use>
void for_each_leaf(const Condition& condition, Use&& use) {
  if (condition.kind == Condition::Kind::Columns) {
    use(condition);
  }
  for (const Condition& child : condition.children) {
    for_each_leaf(child, use);
  }
}
// The last column that a condition looks at in any case, or nearly so; 0 if none.
std::size_t first_columns(const Condition& condition);
// The last column that a condition may look at; 0 if none.
std::size_t last_column(const Condition& condition);
// Drops what the dictionaries already rule out: only of texts that are decided, or of all if
// `decide`. `hints`: the archive's search data counts too. Errors: those of reading dictionaries.
struct PruneOptions {
  std::size_t table = 0;
  bool decide = false;
  bool hints = false;
};
Result<Condition> prune(Condition condition, const Archive& archive, const PruneOptions& options);

// Turns a query into conditions. One for each meaning of the language.
class Planner {
 public:
  virtual ~Planner() = default;
  // Of a table without a fault.
  virtual Condition plan(std::size_t table) const = 0;
};

// The default meaning. The archive outlives the planner. Errors: BadArgument.
Result<std::unique_ptr<Planner>> make_default_planner(const Archive& archive,
                                                      const query::Query& query);

// The archive's timestamp column: its nodes; none if there is none.
std::span<const NodeId> time_nodes(const Archive& archive);
// Whether values at a node count time; all of Timestamp and DateString do.
bool counts_time(const Archive& archive, NodeId node);

// That a record's time lies between two instants, both included.
class TimeBounds {
 public:
  // Errors: BadArgument if the archive has no timestamp column, or nothing lies between.
  static Result<TimeBounds> make(const Archive& archive, std::optional<std::int64_t> since,
                                 std::optional<std::int64_t> until);
  Condition plan(std::size_t table) const;

 private:
  const Archive* archive_ = nullptr;
  std::vector<std::unique_ptr<FilterTest>> filters_;
};

// Whether some text that the archive's time patterns print may match.
bool may_match_time_text(const Archive& archive, const FilterTest& filter);

// Whether some value of a column may match, by the search data of its table. Likewise whether some
// log_event_idx lies in `ranges`.
bool may_lie_in_column(const Archive& archive, std::size_t table, const ColumnTest& test,
                       const FilterTest& filter);
bool may_lie_in_log(const Archive& archive, std::size_t table, std::size_t column,
                    const LogRanges& ranges);
// Whether some string of a table may match, by its search data.
bool may_take_variable(const Archive& archive, std::size_t table, const VariableDecision& decision);
bool may_take_log_type(const Archive& archive, std::size_t table, const LogTypeDecision& decision);

// Whether some time in a column may match, by what the archive says of the column's range.
bool may_lie_in_range(const Archive& archive, NodeId node, const FilterTest& filter);

}  // namespace fonds::clps
