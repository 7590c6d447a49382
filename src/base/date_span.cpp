#include "base/date_span.hpp"

#include <chrono>
#include <cstdint>
#include <limits>

#include "base/calendar.hpp"

namespace fonds {
namespace {

std::int64_t to_ns(std::int64_t seconds, std::int64_t ns) noexcept {
  std::int64_t product = 0;
  std::int64_t sum = 0;
  if (__builtin_mul_overflow(seconds, kNsPerSecond, &product) ||
      __builtin_add_overflow(product, ns, &sum)) {
    return seconds < 0 ? std::numeric_limits<std::int64_t>::min()
                       : std::numeric_limits<std::int64_t>::max();
  }
  return sum;
}

std::int64_t first_second(const CivilDay& month) noexcept {
  const std::chrono::sys_days day{std::chrono::year{static_cast<int>(month.year)} /
                                  std::chrono::month{month.month} / std::chrono::day{1}};
  return std::int64_t{day.time_since_epoch().count()} * kSecondsPerDay;
}

// The second at which the next year, month, … begins.
std::int64_t next_second(const Date& date) noexcept {
  CivilDay day = civil_day(floor_divide(date.seconds, kSecondsPerDay));
  switch (date.precision) {
    case Date::Precision::Year:
      day.month = 1;
      ++day.year;
      return first_second(day);
    case Date::Precision::Month:
      day.year += day.month == 12 ? 1 : 0;
      day.month = day.month % 12 + 1;
      return first_second(day);
    case Date::Precision::Day:
      return date.seconds + kSecondsPerDay;
    case Date::Precision::Hour:
      return date.seconds + 3600;
    case Date::Precision::Minute:
      return date.seconds + 60;
    case Date::Precision::Second:
    case Date::Precision::Fraction:
      break;
  }
  return date.seconds + 1;
}

}  // namespace

DateSpan span_of(const Date& date) noexcept {
  const std::int64_t begin = to_ns(date.seconds, date.nanoseconds);
  if (date.precision != Date::Precision::Fraction) {
    return {begin, to_ns(next_second(date), 0)};
  }
  std::int64_t length = 1;
  for (int digits = date.fraction_digits; digits < 9; ++digits) {
    length *= 10;
  }
  return {begin, to_ns(date.seconds, std::int64_t{date.nanoseconds} + length)};
}

}  // namespace fonds
