// Cells of columns as a search reads them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <fonds/formats/clps.hpp>

#include "format/clps/reading/log_type.hpp"
#include "format/clps/reading/texts.hpp"
#include "format/clps/searching/search_mask.hpp"

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

// Whether one of `count` 64-bit words at `at` is `wanted`, and whether one is not below `limit`
// (below 2^63). Without branches, so that compilers do several at once.
struct WordsSeen {
  bool wanted = false, beyond = false;
};
inline WordsSeen look_for(const std::byte* at, std::size_t count, std::uint64_t wanted,
                          std::uint64_t limit) {
  std::uint64_t equal = 0;
  std::uint64_t beyond = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, at + i * sizeof word, sizeof word);
    if constexpr (std::endian::native == std::endian::big) {
      word = __builtin_bswap64(word);
    }
    const std::uint64_t difference = word ^ wanted;
    equal |= ~(difference | (0 - difference));  // its highest bit: there is none
    beyond |= word | (limit - 1 - word);
  }
  return {equal >> 63 != 0, beyond >> 63 != 0};
}

// Whether one of a cell's dictionary variables is in a set; ids beyond it are not.
inline bool has_variable_of(std::span<const Segment> segments, const Column& column,
                            std::uint64_t first_variable, const BitSet& ids) {
  for (const Segment& segment : segments) {
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
