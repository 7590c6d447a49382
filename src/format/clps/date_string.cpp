#include "format/clps/date_string.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include <fonds/error.hpp>

#include "base/calendar.hpp"
#include "base/put_digits.hpp"
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

// Bytes of any text of a part.
std::size_t longest_of(char letter) {
  switch (letter) {
    case 'E':
      return 20;
    case 'F':
      return 21;
    case 'Y':  // -292275055
    case 'B':
      return 10;
    default:
      return 3;
  }
}

char* put_year(char* at, std::int64_t year) {
  if (year < 0) {
    *at++ = '-';
    year = -year;
  }
  if (year > 9999) {
    return put_number(at, year);
  }
  const auto value = static_cast<unsigned>(year);
  return put_two(put_two(at, value / 100), value % 100);
}

// 12, 1 … 11, and 13 for one in the afternoon: the original prints that, and these are its bytes.
unsigned half_day_hour(unsigned hour) {
  if (hour == 0) {
    return 12;
  }
  return hour > 13 ? hour - 12 : hour;
}

// As the original: three digits without their trailing zeros, but one digit at least.
char* put_trimmed(char* at, unsigned ms) {
  char* end = put_three(at, ms);
  while (end > at + 1 && end[-1] == '0') {
    --end;
  }
  return end;
}

// Nanoseconds as seconds with nine decimals; nothing stands before the point if they are below one.
char* put_seconds(char* at, std::int64_t ns) {
  std::int64_t seconds = ns / kNsPerSecond;
  std::int64_t rest = ns % kNsPerSecond;
  if (ns < 0) {
    *at++ = '-';
    seconds = -seconds;
    rest = -rest;
  }
  if (seconds != 0) {
    at = put_number(at, seconds);
  }
  *at++ = '.';
  return put_nine(at, static_cast<std::uint32_t>(rest));
}

// A value in milliseconds taken apart.
struct Moment {
  std::int64_t value;
  CivilDay day;
  unsigned ms_of_day;
};

Moment take_apart(std::int64_t value) {
  constexpr std::int64_t kMsPerDay = kSecondsPerDay * 1000;
  return {.value = value,
          .day = civil_day(floor_divide(value, kMsPerDay)),
          .ms_of_day = static_cast<unsigned>(floor_modulo(value, kMsPerDay))};
}

char* put_part(char* at, char letter, const Moment& moment) {
  const unsigned hour = moment.ms_of_day / 3600000;
  const unsigned ms = moment.ms_of_day % 1000;
  switch (letter) {
    case 'Y':
      return put_year(at, moment.day.year);
    case 'y':
      return put_two(at, static_cast<unsigned>((moment.day.year % 100 + 100) % 100));
    case 'm':
      return put_two(at, moment.day.month);
    case 'd':
      return put_two(at, moment.day.day);
    case 'e':
      return put_blank_padded(at, moment.day.day);
    case 'H':
      return put_two(at, hour);
    case 'k':
      return put_blank_padded(at, hour);
    case 'I':
      return put_two(at, half_day_hour(hour));
    case 'l':
      return put_blank_padded(at, half_day_hour(hour));
    case 'M':
      return put_two(at, moment.ms_of_day / 60000 % 60);
    case 'S':
      return put_two(at, moment.ms_of_day / 1000 % 60);
    case 'p':
      return put_text(at, hour >= 12 ? "PM" : "AM");
    case 'b':
      return put_text(at, kMonths.substr(std::size_t{3} * (moment.day.month - 1), 3));
    case 'a':
      return put_text(at, kWeekdays.substr(std::size_t{3} * moment.day.weekday, 3));
    case 'B':
      return put_text(at, kLongMonths[moment.day.month - 1]);
    case '3':
      return put_three(at, ms);
    case 'T':
      return put_trimmed(at, ms);
    case 'E':
      return put_number(at, moment.value);
    default:  // F, the last of kLetters
      return put_seconds(at, moment.value);
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
      result.longest_ += longest_of(letter);
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
  longest_ += text.size();
}

void DatePattern::print(std::int64_t value, std::string& out) const {
  const Moment moment = take_apart(value);
  const std::size_t start = out.size();
  out.resize(start + longest_);
  char* at = out.data() + start;
  for (const Part& part : parts_) {
    if (part.letter != '\0') {
      at = put_part(at, part.letter, moment);
    } else if (part.length == 1) {
      *at++ = literals_[part.offset];
    } else {
      at = put_text(at, std::string_view(literals_).substr(part.offset, part.length));
    }
  }
  out.resize(static_cast<std::size_t>(at - out.data()));
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
