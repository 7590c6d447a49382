// The span of time that a date names: a year is a year long.
#pragma once

#include <cstdint>

#include <fonds/date.hpp>

namespace fonds {

// In ns since 1970, saturated.
struct DateSpan {
  std::int64_t begin = 0;  // its first instant
  std::int64_t end = 0;    // the first instant behind it
  friend bool operator==(const DateSpan&, const DateSpan&) = default;
};

DateSpan span_of(const Date& date) noexcept;

}  // namespace fonds
