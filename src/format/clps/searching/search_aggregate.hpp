// Answers of a search that are no records: counts by time, least and greatest numbers, values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/formats/clps.hpp>
#include <fonds/query.hpp>
#include <fonds/search.hpp>

#include "format/clps/reading/plain.hpp"
#include "format/clps/searching/search_keys.hpp"
#include "format/clps/searching/search_mask.hpp"
#include "format/clps/searching/search_table.hpp"
#include "format/common/search_total.hpp"

namespace fonds::clps {

// What one table, or all, give; the budget holds the different groups.
struct AggregatePart {
  AggregatePart(Budget& budget, SearchOptions::Want want) : total(want), share(budget) {}
  // Takes from the budget what the groups take by now. Errors: LimitExceeded.
  Status hold();

  SearchTotal total;
  BudgetShare share;
  std::uint64_t taken = 0;  // by it
};

class Aggregate {
 public:
  // Nothing if what is wanted takes no values of records. The archive outlives it. Errors:
  // BadArgument.
  static Result<std::unique_ptr<Aggregate>> make(const Archive& archive,
                                                 const SearchOptions& options);

  // Whether a table has a column to be looked at.
  bool reads(std::size_t table) const;
  // Of the rows that are set. Thread-safe. Errors: those of Archive::table() and of dictionaries;
  // LimitExceeded.
  Result<AggregatePart> of(LazyTable& table, const BitSet& rows) const;
  // Of so many rows of a table that need not be read.
  Result<AggregatePart> of_unread(std::size_t table, std::uint64_t rows) const;

  // Errors: LimitExceeded.
  Status add(const AggregatePart& part);
  std::vector<SearchGroup> groups() const { return sum_.total.groups(); }

 private:
  struct Field {  // a column that has values
    std::size_t column = 0;
    NodeType type = NodeType::Integer;
    KeyMachine::State state = KeyMachine::kDead;
  };
  class FieldReader;

  Aggregate(const Archive& archive, const SearchOptions& options)
      : archive_(&archive),
        want_(options.want),
        interval_(options.interval),
        sum_(archive.budget(), options.want) {}
  std::vector<Field> fields(std::size_t table) const;
  bool has_null(std::size_t table) const;
  std::optional<std::size_t> time_column(std::size_t table) const;
  Status count_times(LazyTable& table, const BitSet& rows, AggregatePart& part) const;

  const Archive* archive_;
  SearchOptions::Want want_;
  std::int64_t interval_;
  std::optional<KeyMachine> keys_;
  std::vector<KeyHit> hits_;
  BudgetShare share_;  // of them
  AggregatePart sum_;
};

}  // namespace fonds::clps
