// Days, dates and floored division for printing times, over the whole range of 64 bits.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

namespace fonds {

inline constexpr std::int64_t kSecondsPerDay = 86400;
inline constexpr std::int64_t kNsPerSecond = 1000000000;
inline constexpr std::int64_t kNsPerMs = 1000000;
// What 64 bits hold of nanoseconds since 1970.
inline constexpr std::int64_t kFirstNs = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kLastNs = std::numeric_limits<std::int64_t>::max();

// Rounds towards minus infinity; `divisor` > 0.
constexpr std::int64_t floor_divide(std::int64_t value, std::int64_t divisor) noexcept {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

// What floor_divide() leaves: 0 to `divisor` - 1.
constexpr std::int64_t floor_modulo(std::int64_t value, std::int64_t divisor) noexcept {
  const std::int64_t rest = value % divisor;
  return rest < 0 ? rest + divisor : rest;
}

// Where the interval that holds `value` begins, counted from 0; `interval` > 0. The beginning of
// the very first one may not fit: then it is that of the next one.
constexpr std::int64_t floor_to(std::int64_t value, std::int64_t interval) noexcept {
  const std::int64_t rest = value % interval;
  const std::int64_t begin = value - rest;
  return rest < 0 && begin >= std::numeric_limits<std::int64_t>::min() + interval ? begin - interval
                                                                                  : begin;
}

// A day of the proleptic Gregorian calendar.
struct CivilDay {
  std::int64_t year;
  unsigned month;    // 1 to 12
  unsigned day;      // 1 to 31
  unsigned weekday;  // 0 is Sunday
};

// `days` since 1970-01-01. The calendar of <chrono> has 16 bits for a year, hence the cycles.
constexpr CivilDay civil_day(std::int64_t days) noexcept {
  constexpr std::int64_t kDaysPerCycle = 146097;  // 400 years, whole weeks
  std::int64_t cycles = 0;
  if (days < -5000000 || days > 5000000) {
    cycles = floor_divide(days, kDaysPerCycle);
    days = floor_modulo(days, kDaysPerCycle);
  }
  const std::chrono::sys_days point{std::chrono::days{static_cast<int>(days)}};
  const std::chrono::year_month_day date{point};
  return {.year = int{date.year()} + 400 * cycles,
          .month = unsigned{date.month()},
          .day = unsigned{date.day()},
          .weekday = std::chrono::weekday{point}.c_encoding()};
}

}  // namespace fonds
