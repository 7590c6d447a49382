// The checks of search data: what it says of a table holds of each of its cells.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "format/clps/reading/log_type.hpp"
#include "format/clps/searching/search_data.hpp"
#include "format/clps/verifying/verify.hpp"

namespace fonds::clps {
namespace {

// Ids that are told; any, if nothing is.
class ToldIds {
 public:
  ToldIds(const SearchData& data, std::size_t table, SearchData::Entries which) {
    auto runs = data.entries(table, which);
    any_ = !runs;
    while (runs) {
      const auto run = runs->next();
      if (!run) {
        damaged_ = runs->damaged();
        any_ = any_ || damaged_;
        return;
      }
      runs_.push_back(*run);
    }
  }
  bool damaged() const { return damaged_; }
  bool contains(std::uint64_t id) const {
    const auto found = std::upper_bound(
        runs_.begin(), runs_.end(), id,
        [](std::uint64_t wanted, const IdRuns::Run& run) { return wanted < run.end; });
    return any_ || (found != runs_.end() && found->begin <= id);
  }

 private:
  std::vector<IdRuns::Run> runs_;
  bool any_ = false, damaged_ = false;
};

}  // namespace

void ArchiveCheck::check_search_data() {
  const SearchData* const data = archive_.search_data();
  if (data != nullptr && !data->fault().empty()) {
    tell("clps-search-data", fmt::format("metadata section: {}", data->fault()),
         {.stored_offset = 64});
  }
}

void ArchiveCheck::check_ranges(const Table& table) {
  for (const SearchData::Range& range : archive_.search_data()->ranges(table.index())) {
    const Column& column = table.columns()[range.column];
    const std::int64_t low = range_key(column.type, range.low);
    const std::int64_t high = range_key(column.type, range.high);
    for (std::uint64_t row = 0; row < column.records; ++row) {
      const std::int64_t value = range_key(column.type, column.word(row));
      if (value < low || value > high) {
        tell("clps-search-data",
             fmt::format("table {}, record {}: its value at node {} lies outside of the range that "
                         "the search data gives",
                         table.index(), row, column.node),
             place_of_table(table.index()));
      }
    }
  }
}

void ArchiveCheck::check_entries(const Table& table) {
  const SearchData& data = *archive_.search_data();
  const ToldIds variables(data, table.index(), SearchData::Entries::Variables);
  const ToldIds types(data, table.index(), SearchData::Entries::LogTypes);
  if (variables.damaged() || types.damaged()) {
    tell("clps-search-data",
         fmt::format("metadata section: the entries of table {} are damaged", table.index()),
         {.stored_offset = 64});
  }
  const auto missing = [&](std::uint64_t row, const Column& column, std::string_view what,
                           std::uint64_t id) {
    tell("clps-search-data",
         fmt::format("table {}, record {}: its string at node {} takes the {} {}, which the search "
                     "data does not tell",
                     table.index(), row, column.node, what, id),
         place_of_table(table.index()));
  };
  for (const Column& column : table.columns()) {
    if (column.type != NodeType::VarString && column.type != NodeType::ClpString) {
      continue;
    }
    for (std::uint64_t row = 0; row < column.records; ++row) {
      const std::uint64_t cell = column.word(row);
      if (column.type == NodeType::VarString) {
        if (!variables.contains(cell)) {
          missing(row, column, "variable", cell);
        }
        continue;
      }
      if (!types.contains(cell & kLogTypeMask)) {
        missing(row, column, "log type", cell & kLogTypeMask);
      }
      for_each_dictionary_variable(column, cell, [&](std::uint64_t id) {
        if (!variables.contains(id)) {
          missing(row, column, "variable", id);
        }
      });
    }
  }
}

void ArchiveCheck::for_each_dictionary_variable(
    const Column& column, std::uint64_t cell, const std::function<void(std::uint64_t)>& use) const {
  const std::uint64_t type = cell & kLogTypeMask;
  if (type >= log_types_.used.size()) {
    return;  // rebuilding the record tells
  }
  const std::string_view stored = (*log_types_.dictionary)[static_cast<std::size_t>(type)];
  std::uint64_t variable = cell >> kLogTypeBits;
  for (std::size_t at = 0; const auto kind = next_placeholder(stored, generation_, at);
       ++variable) {
    if (variable >= column.variable_count()) {
      return;
    }
    const std::uint64_t word = column.variable(variable);
    if (kind == Placeholder::Dictionary) {
      use(word);
    } else if (kind == Placeholder::IntegerOrDictionary) {
      if (const auto id = dictionary_id(static_cast<std::int64_t>(word))) {
        use(*id);
      }
    }
  }
}

}  // namespace fonds::clps
