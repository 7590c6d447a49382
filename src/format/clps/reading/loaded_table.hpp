// A table that is ready to be rebuilt.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <fonds/formats/clps.hpp>

#include "format/clps/reading/plain.hpp"
#include "format/clps/reading/render.hpp"

namespace fonds::clps {

struct LoadedTable {
  Table table;
  RecordProgram program;
  BudgetShare share;                         // of the program
  const Column* log_order = nullptr;         // null: its records have no place in the log
  const Column* time = nullptr;              // of the timestamp column
  const RowSet* rows = nullptr;              // null: all
  const OriginalTexts* originals = nullptr;  // null: records as JSON
  // Rows by their place in the log, where they do not lie in it.
  std::vector<std::uint32_t> sorted;
  std::uint64_t next = 0;  // in `sorted`, or of the rows

  std::uint64_t records() const { return table.records(); }
  std::uint64_t row(std::uint64_t place) const { return sorted.empty() ? place : sorted[place]; }
  std::uint64_t log_index(std::uint64_t row) const {
    return log_order == nullptr ? 0 : log_order->word(row);
  }
  bool wanted(std::uint64_t row) const { return rows == nullptr || rows->test(row); }
  // Passes over rows that are not wanted. False: none is left.
  bool settle() {
    while (next < records() && !wanted(row(next))) {
      ++next;
    }
    return next < records();
  }
  // Prepares reading in log order.
  void sort_by_log();
};

// The records of some tables, in an order, as places in those tables.
struct RowPlace {
  const LoadedTable* table = nullptr;
  std::uint64_t row = 0;
};

// Merges tables by log_event_idx, some records at a time; those without one come last.
class LogMerge {
 public:
  void add(LoadedTable& table);
  // Appends up to about `most` places; nothing at the end.
  void next(std::size_t most, std::vector<RowPlace>& out);

 private:
  void take_window(std::uint64_t begin, std::size_t size, std::vector<RowPlace>& out);

  struct Waiting {
    std::uint64_t log_index;
    std::size_t order;  // in which it was added
    LoadedTable* table;
    bool operator>(const Waiting& other) const {
      return log_index != other.log_index ? log_index > other.log_index : order > other.order;
    }
  };
  std::vector<Waiting> waiting_;  // a heap, the least in front
  std::vector<LoadedTable*> unplaced_;
  std::size_t added_ = 0;
  std::vector<RowPlace> slots_;
};

}  // namespace fonds::clps
