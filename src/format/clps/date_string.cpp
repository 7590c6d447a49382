#include "format/clps/date_string.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include <fonds/error.hpp>

#include "base/calendar.hpp"
#include "base/text.hpp"
#include "base/time_pattern.hpp"

namespace fonds::clps {

namespace {

constexpr std::string_view kLetters = "YymdeHkIlMSpbaB3TEF";
constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
constexpr std::string_view kWeekdays = "SunMonTueWedThuFriSat";
constexpr std::array<std::string_view, 12> kLongMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};

void append_padded(std::uint64_t value, std::size_t width, char fill, std::string& out) {
  std::array<char, 20> buffer;
  char* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  const auto length = static_cast<std::size_t>(end - buffer.data());
  if (length < width) {
    out.append(width - length, fill);
  }
  out.append(buffer.data(), length);
}

void append_number(std::int64_t value, std::string& out) {
  std::array<char, 20> buffer;
  char* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  out.append(buffer.data(), end);
}

void append_year(std::int64_t year, std::string& out) {
  if (year < 0) {
    out += '-';
    year = -year;
  }
  append_padded(static_cast<std::uint64_t>(year), 4, '0', out);
}

// 12, 1 … 11, and 13 for one in the afternoon: the original prints that, and these are its bytes.
unsigned half_day_hour(unsigned hour) {
  if (hour == 0) {
    return 12;
  }
  return hour > 13 ? hour - 12 : hour;
}

// As the original: three digits without their trailing zeros, but one digit at least.
void append_trimmed(unsigned ms, std::string& out) {
  append_padded(ms, 3, '0', out);
  for (int i = 0; i < 2 && out.back() == '0'; ++i) {
    out.pop_back();
  }
}

// Nanoseconds as seconds with nine decimals; nothing stands before the point if they are below one.
void append_seconds(std::int64_t ns, std::string& out) {
  const std::uint64_t magnitude =
      ns < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  constexpr std::uint64_t kPerSecond = 1000000000;
  if (ns < 0) {
    out += '-';
  }
  if (magnitude >= kPerSecond) {
    append_padded(magnitude / kPerSecond, 1, '0', out);
  }
  out += '.';
  append_padded(magnitude % kPerSecond, 9, '0', out);
}

// A value in milliseconds taken apart.
struct Moment {
  std::int64_t value;
  CivilDay day;
  unsigned ms_of_day;
};

Moment take_apart(std::int64_t value) {
  constexpr std::int64_t kMsPerDay = kSecondsPerDay * 1000;
  const std::int64_t days = floor_divide(value, kMsPerDay);
  // The rest of the division, made positive: no product that could overflow.
  const std::int64_t rest = value % kMsPerDay;
  return {.value = value,
          .day = civil_day(days),
          .ms_of_day = static_cast<unsigned>(rest < 0 ? rest + kMsPerDay : rest)};
}

void append_part(char letter, const Moment& moment, std::string& out) {
  const unsigned hour = moment.ms_of_day / 3600000;
  const unsigned ms = moment.ms_of_day % 1000;
  switch (letter) {
    case 'Y':
      return append_year(moment.day.year, out);
    case 'y':
      return append_padded(static_cast<std::uint64_t>((moment.day.year % 100 + 100) % 100), 2, '0',
                           out);
    case 'm':
      return append_padded(moment.day.month, 2, '0', out);
    case 'd':
      return append_padded(moment.day.day, 2, '0', out);
    case 'e':
      return append_padded(moment.day.day, 2, ' ', out);
    case 'H':
      return append_padded(hour, 2, '0', out);
    case 'k':
      return append_padded(hour, 2, ' ', out);
    case 'I':
      return append_padded(half_day_hour(hour), 2, '0', out);
    case 'l':
      return append_padded(half_day_hour(hour), 2, ' ', out);
    case 'M':
      return append_padded(moment.ms_of_day / 60000 % 60, 2, '0', out);
    case 'S':
      return append_padded(moment.ms_of_day / 1000 % 60, 2, '0', out);
    case 'p':
      out += hour >= 12 ? "PM" : "AM";
      return;
    case 'b':
      out += kMonths.substr((moment.day.month - 1) * 3, 3);
      return;
    case 'a':
      out += kWeekdays.substr(moment.day.weekday * 3, 3);
      return;
    case 'B':
      out += kLongMonths[moment.day.month - 1];
      return;
    case '3':
      return append_padded(ms, 3, '0', out);
    case 'T':
      return append_trimmed(ms, out);
    case 'E':
      return append_number(moment.value, out);
    default:  // F, the last of kLetters
      return append_seconds(moment.value, out);
  }
}

}  // namespace

Result<DatePattern> DatePattern::parse(std::string_view stored) {
  DatePattern result;
  std::size_t at = 0;
  while (at < stored.size()) {
    if (stored[at] != '%') {
      const std::size_t end = std::min(stored.find('%', at), stored.size());
      result.add_literal(stored.substr(at, end - at));
      at = end;
      continue;
    }
    const char letter = at + 1 < stored.size() ? stored[at + 1] : '\0';
    if (letter == '%') {
      result.add_literal("%");
    } else if (letter == '\0' || kLetters.find(letter) == std::string_view::npos) {
      return fail(ErrorCode::Corrupt,
                  fmt::format("timestamp pattern '{}': unknown specifier at byte {}",
                              escape_for_terminal(stored.substr(0, 100)), at));
    } else {
      result.parts_.push_back({.letter = letter});
      result.nanoseconds_ = result.nanoseconds_ || letter == 'F';
      result.plain_number_ = result.plain_number_ || letter == 'E';
    }
    at += 2;
  }
  return result;
}

void DatePattern::add_literal(std::string_view text) {
  parts_.push_back({.offset = static_cast<std::uint32_t>(literals_.size()),
                    .length = static_cast<std::uint32_t>(text.size())});
  literals_ += text;
}

void DatePattern::print(std::int64_t value, std::string& out) const {
  const Moment moment = take_apart(value);
  for (const Part& part : parts_) {
    if (part.letter == '\0') {
      out.append(literals_, part.offset, part.length);
    } else {
      append_part(part.letter, moment, out);
    }
  }
}

std::int64_t DatePattern::instant_ns(std::int64_t value) const noexcept {
  if (plain_number_) {
    return instant_of_number(value);
  }
  if (nanoseconds_) {
    return value;
  }
  constexpr std::int64_t kNsPerMs = 1000000;
  std::int64_t ns = 0;
  if (__builtin_mul_overflow(value, kNsPerMs, &ns)) {
    return value < 0 ? std::numeric_limits<std::int64_t>::min()
                     : std::numeric_limits<std::int64_t>::max();
  }
  return ns;
}

}  // namespace fonds::clps
