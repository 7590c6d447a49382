#include "format/clps/reading/date_string.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
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

// Takes the fields of a text. It lets pass what has another text when it is printed: weekdays that
// are wrong, fractions that end in 0.
class TextReader {
 public:
  explicit TextReader(std::string_view text) : rest_(text) {}

  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) {
      return false;
    }
    rest_.remove_prefix(text.size());
    return true;
  }

  bool take_part(char letter) {
    switch (letter) {
      case 'Y':
        return take_digits(4, year_);
      case 'y':
        if (!take_digits(2, year_)) {
          return false;
        }
        year_ += year_ >= 69 ? 1900 : 2000;
        return true;
      case 'm':
        return take_digits(2, month_);
      case 'd':
        return take_digits(2, day_);
      case 'e':
        return take_blank_padded(day_);
      case 'H':
      case 'I':
        return take_digits(2, hour_);
      case 'k':
      case 'l':
        return take_blank_padded(hour_);
      case 'M':
        return take_digits(2, minute_);
      case 'S':
        return take_digits(2, second_);
      case 'p':
        half_day_ = rest_.starts_with('P') ? 1 : 0;
        return take(half_day_ == 1 ? "PM" : "AM");
      case 'b':
        return take_short_name(kMonths, month_);
      case 'a': {
        int weekday = 0;  // the date tells it
        return take_short_name(kWeekdays, weekday);
      }
      case 'B':
        return take_long_month();
      case '3':
        return take_digits(3, ms_);
      case 'T':
        return take_trimmed();
      default:
        return false;
    }
  }

  // Nothing if something is left, or if there is no such time.
  std::optional<std::int64_t> value() const {
    const std::chrono::year_month_day date{std::chrono::year{year_},
                                           std::chrono::month{static_cast<unsigned>(month_)},
                                           std::chrono::day{static_cast<unsigned>(day_)}};
    const bool hour_fits = half_day_ < 0 ? hour_ < 24 : hour_ >= 1 && hour_ <= 12;
    if (!rest_.empty() || !date.ok() || !hour_fits || minute_ > 59 || second_ > 59) {
      return std::nullopt;
    }
    const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
    const int hour = half_day_ < 0 ? hour_ : hour_ % 12 + 12 * half_day_;
    const int seconds = hour * 3600 + minute_ * 60 + second_;
    return (days * kSecondsPerDay + seconds) * 1000 + ms_;
  }

 private:
  bool take_digits(std::size_t count, int& value) {
    if (rest_.size() < count) {
      return false;
    }
    int number = 0;
    for (const char c : rest_.substr(0, count)) {
      if (!is_digit(c)) {
        return false;
      }
      number = number * 10 + (c - '0');
    }
    rest_.remove_prefix(count);
    value = number;
    return true;
  }

  bool take_blank_padded(int& value) { return take_digits(take(" ") ? 1 : 2, value); }

  // Month 1 is the first; for weekdays nobody asks.
  bool take_short_name(std::string_view names, int& value) {
    for (std::size_t at = 0; at < names.size(); at += 3) {
      if (take(names.substr(at, 3))) {
        value = static_cast<int>(at / 3) + 1;
        return true;
      }
    }
    return false;
  }

  bool take_long_month() {
    for (std::size_t i = 0; i < kLongMonths.size(); ++i) {
      if (take(kLongMonths[i])) {
        month_ = static_cast<int>(i) + 1;
        return true;
      }
    }
    return false;
  }

  bool take_trimmed() {
    std::size_t digits = 0;
    while (digits < 3 && digits < rest_.size() && is_digit(rest_[digits])) {
      ++digits;
    }
    if (digits == 0 || !take_digits(digits, ms_)) {
      return false;
    }
    for (; digits < 3; ++digits) {
      ms_ *= 10;
    }
    return true;
  }

  std::string_view rest_;
  int year_ = 1970;
  int month_ = 1;
  int day_ = 1;
  int hour_ = 0;
  int half_day_ = -1;  // 0 is AM, 1 is PM
  int minute_ = 0;
  int second_ = 0;
  int ms_ = 0;
};

constexpr auto kDefaultPatterns = std::to_array<std::string_view>({
    "%Y-%m-%dT%H:%M:%S.%TZ", "%Y-%m-%dT%H:%M:%SZ",     "%Y-%m-%d %H:%M:%S.%TZ",
    "%Y-%m-%d %H:%M:%SZ",    "%Y/%m/%dT%H:%M:%S.%TZ",  "%Y/%m/%dT%H:%M:%SZ",
    "%Y/%m/%d %H:%M:%S.%TZ", "%Y/%m/%d %H:%M:%SZ",     "%Y-%m-%dT%H:%M:%S.%3",
    "%Y-%m-%dT%H:%M:%S,%3",  "%Y-%m-%d %H:%M:%S.%3",   "%Y-%m-%d %H:%M:%S,%3",
    "%Y/%m/%dT%H:%M:%S.%3",  "%Y/%m/%dT%H:%M:%S,%3",   "%Y/%m/%d %H:%M:%S.%3",
    "%Y/%m/%d %H:%M:%S,%3",  "[%Y-%m-%d %H:%M:%S,%3]", "<<<%Y-%m-%d %H:%M:%S:%3",
    "%d %b %Y %H:%M:%S,%3",  "%Y-%m-%dT%H:%M:%S",      "%Y-%m-%d %H:%M:%S",
    "%Y/%m/%dT%H:%M:%S",     "%Y/%m/%d %H:%M:%S",      "[%Y-%m-%dT%H:%M:%S",
    "[%Y%m%d-%H:%M:%S]",     "%y/%m/%d %H:%M:%S",      "%y%m%d %k:%M:%S",
    "%b %d, %Y %l:%M:%S %p", "%B %d, %Y %H:%M",        "%a %b %e %H:%M:%S %Y",
    "%b %d %H:%M:%S",        "%m-%d %H:%M:%S.%3",
});

}  // namespace

std::span<const std::string_view> default_date_patterns() { return kDefaultPatterns; }

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

char* DatePattern::put(char* at, std::int64_t value) const {
  const Moment moment = take_apart(value);
  for (const Part& part : parts_) {
    if (part.letter != '\0') {
      at = put_part(at, part.letter, moment);
    } else if (part.length == 1) {
      *at++ = literals_[part.offset];
    } else {
      at = put_text(at, literal(part));
    }
  }
  return at;
}

void DatePattern::print(std::int64_t value, std::string& out) const {
  const std::size_t start = out.size();
  out.resize(start + longest_);
  const char* const end = put(out.data() + start, value);
  out.resize(static_cast<std::size_t>(end - out.data()));
}

std::optional<std::int64_t> DatePattern::match_exactly(std::string_view text) const {
  if (text.size() > longest_) {
    return std::nullopt;
  }
  TextReader reader(text);
  for (const Part& part : parts_) {
    if (!(part.letter == '\0' ? reader.take(literal(part)) : reader.take_part(part.letter))) {
      return std::nullopt;
    }
  }
  const std::optional<std::int64_t> value = reader.value();
  if (!value) {
    return std::nullopt;
  }
  std::array<char, 256> buffer;  // only a pattern that clp-s would not make prints more
  std::string large;
  char* start = buffer.data();
  if (longest_ > buffer.size()) {
    large.resize(longest_);
    start = large.data();
  }
  const char* const end = put(start, *value);
  if (std::string_view(start, static_cast<std::size_t>(end - start)) != text) {
    return std::nullopt;
  }
  return value;
}

std::int64_t DatePattern::instant_ns(std::int64_t value) const noexcept {
  if (plain_number_) {
    return instant_of_number(value);
  }
  if (nanoseconds_) {
    return value;
  }
  std::int64_t ns = 0;
  if (__builtin_mul_overflow(value, kNsPerMs, &ns)) {
    return value < 0 ? std::numeric_limits<std::int64_t>::min()
                     : std::numeric_limits<std::int64_t>::max();
  }
  return ns;
}

}  // namespace fonds::clps
