// Cells of columns as a search reads them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fonds/formats/clps.hpp>

#include "format/clps/log_type.hpp"
#include "format/clps/search_mask.hpp"
#include "format/clps/texts.hpp"

namespace fonds::clps {

// A cell of a ClpString or UnstructuredArray column.
struct SplitCell {
  static constexpr unsigned kTypeBits = 24;

  explicit SplitCell(std::uint64_t word)
      : type(static_cast<std::size_t>(word & ((std::uint64_t{1} << kTypeBits) - 1))),
        first_variable(word >> kTypeBits) {}
  bool lies_in(const Column& column, std::uint64_t variables) const {
    const std::uint64_t there = column.variable_count();
    return variables <= there - std::min(there, first_variable);
  }

  std::size_t type;
  std::uint64_t first_variable;
};

// Whether one of a cell's dictionary variables is in a set; ids beyond it are not.
inline bool has_variable_of(const LogType& type, const Column& column, std::uint64_t first_variable,
                            const BitSet& ids) {
  for (const Segment& segment : type.segments()) {
    std::uint64_t id = column.variable(first_variable++);
    if (segment.placeholder == Placeholder::IntegerOrDictionary) {
      const auto found = dictionary_id(static_cast<std::int64_t>(id));
      if (!found) {
        continue;
      }
      id = *found;
    } else if (segment.placeholder != Placeholder::Dictionary) {
      continue;
    }
    if (id < ids.size() && ids.test(static_cast<std::size_t>(id))) {
      return true;
    }
  }
  return false;
}

// The patterns of a column's times: a column has few, and rows that follow each other mostly the
// same.
class PatternCache {
 public:
  explicit PatternCache(const Texts& texts) : texts_(texts) {}
  const TimePattern* time(std::uint64_t id) {
    if (time_ == nullptr || id != id_) {
      time_ = texts_.time_pattern(id);
      id_ = id;
    }
    return time_;
  }
  const DatePattern* date(std::uint64_t id) {
    if (date_ == nullptr || id != id_) {
      date_ = texts_.date_pattern(id);
      id_ = id;
    }
    return date_;
  }

 private:
  const Texts& texts_;
  std::uint64_t id_ = 0;
  const TimePattern* time_ = nullptr;
  const DatePattern* date_ = nullptr;
};

}  // namespace fonds::clps
