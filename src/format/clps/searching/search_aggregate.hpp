// Answers of a search that are no records: counts by time, least and greatest numbers, values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/formats/clps.hpp>
#include <fonds/query.hpp>
#include <fonds/search.hpp>

#include "format/clps/reading/plain.hpp"
#include "format/clps/searching/search_keys.hpp"
#include "format/clps/searching/search_mask.hpp"
#include "format/clps/searching/search_table.hpp"

namespace fonds::clps {

// Different values and how many records have them; counted against a budget.
class ValueCounts {
 public:
  explicit ValueCounts(Budget& budget) : share_(budget) {}
  // Errors: LimitExceeded.
  Status add(std::string_view value, std::uint64_t records);
  const std::unordered_map<std::string, std::uint64_t>& counts() const { return counts_; }

 private:
  std::unordered_map<std::string, std::uint64_t> counts_;
  BudgetShare share_;
  std::uint64_t bytes_ = 0, taken_ = 0;
};

// What one table, or all, give.
struct AggregatePart {
  explicit AggregatePart(Budget& budget) : values(budget) {}
  std::map<std::int64_t, std::uint64_t> times;  // by the beginnings of intervals
  std::uint64_t timeless = 0;                   // records without a time
  ValueCounts values;
  std::optional<query::Number> best;  // least or greatest
  std::string best_text;
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
  std::vector<SearchGroup> groups() const;

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
        sum_(archive.budget()) {}
  std::vector<Field> fields(std::size_t table) const;
  bool has_null(std::size_t table) const;
  std::optional<std::size_t> time_column(std::size_t table) const;
  Status count_times(LazyTable& table, const BitSet& rows, AggregatePart& part) const;
  void take_best(AggregatePart& part, const query::Number& number, std::string_view text) const;

  const Archive* archive_;
  SearchOptions::Want want_;
  std::int64_t interval_;
  std::optional<KeyMachine> keys_;
  std::vector<KeyHit> hits_;
  BudgetShare share_;  // of them
  AggregatePart sum_;
};

}  // namespace fonds::clps
