// What `search_data` tells of tables: ranges of their numbers, and the dictionary entries that
// their strings take. docs/formats/clp-s.md, "Search data".
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "format/clps/writing/archive_builder.hpp"
#include "format/clps/writing/batch.hpp"

namespace fonds::clps::writing {

// Which variables of each log type are ids of the variable dictionary.
class DictionaryPlaces {
 public:
  DictionaryPlaces(const StringTable& log_types, Generation generation);
  // Calls `use(id)` for each dictionary variable of a cell of a string column.
  template <typename Use>
  void for_each(const BuiltColumn& column, std::uint64_t cell, Use&& use) const;

 private:
  std::vector<std::uint32_t> begin_;  // of each log type, and the end: in places_
  std::vector<std::uint32_t> places_;
  Generation generation_;
};

// As they stand in the packets.
struct TableFacts {
  std::string ranges;
  std::string variables, log_types;  // runs of ids
};
// Of a table whose columns are still there.
TableFacts facts_of(const BuiltTable& table, const BuiltArchive& archive,
                    const DictionaryPlaces& places, const Rules& rules);

// How many octets the packets may have. Sets are left out, the longest first, and packets that are
// still too long.
struct FactLimits {
  std::uint64_t ranges = 0, entries = 0;
};
// The packets, each with its type, of tables in the order of their list.
std::vector<std::pair<std::uint8_t, std::string>> search_packets(std::vector<TableFacts> tables,
                                                                 const FactLimits& limits);

}  // namespace fonds::clps::writing
