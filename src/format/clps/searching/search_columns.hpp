// Filters on whole columns: which rows match, as bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/formats/clps.hpp>

#include "format/clps/reading/texts.hpp"
#include "format/clps/searching/search_array_types.hpp"
#include "format/clps/searching/search_arrays.hpp"
#include "format/clps/searching/search_filter.hpp"
#include "format/clps/searching/search_mask.hpp"

namespace fonds::clps {

// A column that a filter has to do with.
struct ColumnTest {
  std::size_t column = 0;  // place in the table
  NodeType type = NodeType::Integer;
  bool time = false;                            // a number that counts time
  KeyMachine::State state = KeyMachine::kDead;  // of arrays: in front of them
};

// Bits of a column's rows. One for each thread; it keeps memory between calls.
class ColumnScan {
 public:
  // Both outlive the scan. `times`: the archive's time patterns.
  ColumnScan(const Archive& archive, const Texts& times);
  ~ColumnScan();
  ColumnScan(const ColumnScan&) = delete;
  ColumnScan& operator=(const ColumnScan&) = delete;

  // Sets the bits of rows in `in` that match; others stay. Errors: those of reading dictionaries.
  Status run(const FilterTest& filter, const ColumnTest& test, const Column& column,
             const BitSet& in, BitSet& out);

  // What was wrong with cells, and in how many: they do not match. Emptied by the call.
  struct Damage {
    const char* what = nullptr;
    std::uint64_t cells = 0;
    std::uint64_t row = 0;  // the first one
  };
  std::vector<Damage> take_damage() { return std::move(damage_); }
  void damaged(const char* what, std::uint64_t row);

 private:
  void integers(const Interval& interval, const Column& column, const BitSet& in, BitSet& out);
  void plain_floats(const FilterTest& filter, const Column& column, const BitSet& in, BitSet& out);
  void time_numbers(const FilterTest& filter, const ColumnTest& test, const Column& column,
                    const BitSet& in, BitSet& out);
  void timestamps(const FilterTest& filter, const Column& column, const BitSet& in, BitSet& out);
  void dates(const FilterTest& filter, const Column& column, const BitSet& in, BitSet& out);
  Status dictionary_floats(const FilterTest& filter, const ColumnTest& test, const Column& column,
                           const BitSet& in, BitSet& out);
  Status variables(const FilterTest& filter, const Column& column, const BitSet& in, BitSet& out);
  Status texts(const FilterTest& filter, const Column& column, const BitSet& in, BitSet& out);
  Status arrays(const FilterTest& filter, const ColumnTest& test, const Column& column,
                const BitSet& in, BitSet& out);
  bool walk_array(const FilterTest& filter, const ColumnTest& test, const LogType& type,
                  const Column& column, std::uint64_t first, std::uint64_t row);

  struct ArrayTypes;

  const Archive* archive_;
  const Texts* times_;
  std::map<std::pair<const FilterTest*, KeyMachine::State>, std::unique_ptr<ArrayTypes>>
      array_types_;
  std::unique_ptr<PlainVariables> plain_;
  std::vector<Damage> damage_;
  JsonWalker walker_;
  std::string text_, scratch_;
};

}  // namespace fonds::clps
