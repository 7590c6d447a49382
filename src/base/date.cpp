#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fonds/date.hpp>

#include "base/calendar.hpp"
#include "base/text.hpp"

namespace fonds {
namespace {

using Precision = Date::Precision;

// The first and the last second of the years 0000 to 9999.
constexpr std::int64_t kFirstSecond = -62167219200;
constexpr std::int64_t kLastSecond = 253402300799;

// What `count` digits (at most 9) at `at` say; -1 if something else stands there.
constexpr int number_at(std::string_view text, std::size_t at, std::size_t count) {
  if (text.size() < count || at > text.size() - count) {
    return -1;
  }
  int value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (!is_digit(text[i])) {
      return -1;
    }
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

bool all_digits(std::string_view text) {
  for (const char c : text) {
    if (!is_digit(c)) {
      return false;
    }
  }
  return !text.empty();
}

struct Parts {
  int year = 0;
  int month = 1;
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;
};

constexpr bool is_leap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

constexpr int days_in_month(int year, int month) {
  constexpr std::array<std::uint8_t, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

std::int64_t day_number(int year, int month, int day) {
  const std::chrono::sys_days days = std::chrono::year{year} /
                                     std::chrono::month{static_cast<unsigned>(month)} /
                                     std::chrono::day{static_cast<unsigned>(day)};
  return days.time_since_epoch().count();
}

// The finest precision, up to `written`, down to which every part exists.
Precision valid_precision(const Parts& p, Precision written) {
  Precision valid = Precision::Year;
  if (written >= Precision::Month && p.month >= 1 && p.month <= 12) {
    valid = Precision::Month;
  }
  if (valid == Precision::Month && written >= Precision::Day && p.day >= 1 &&
      p.day <= days_in_month(p.year, p.month)) {
    valid = Precision::Day;
  }
  if (valid == Precision::Day && written >= Precision::Hour && p.hour < 24) {
    valid = Precision::Hour;
  }
  if (valid == Precision::Hour && written >= Precision::Minute && p.minute < 60) {
    valid = Precision::Minute;
  }
  if (valid == Precision::Minute && written >= Precision::Second && p.second < 60) {
    valid = written;
  }
  return valid;
}

// The start of what `p` says down to `precision`, whose parts must exist.
Date start_of(const Parts& p, Precision precision) {
  Date date;
  date.precision = precision;
  date.seconds = day_number(p.year, precision >= Precision::Month ? p.month : 1,
                            precision >= Precision::Day ? p.day : 1) *
                 kSecondsPerDay;
  if (precision >= Precision::Hour) {
    date.seconds += std::int64_t{p.hour} * 3600;
  }
  if (precision >= Precision::Minute) {
    date.seconds += std::int64_t{p.minute} * 60;
  }
  if (precision >= Precision::Second) {
    date.seconds += p.second;
  }
  return date;
}

// The parts of 4 to 14 digits YYYYMMDDhhmmss; `written` becomes the last part that is there in
// full.
Parts parts_of_digits(std::string_view digits, Precision& written) {
  Parts p;
  p.year = number_at(digits, 0, 4);
  written = Precision::Year;
  const std::array<int*, 5> rest = {&p.month, &p.day, &p.hour, &p.minute, &p.second};
  const std::array<Precision, 5> precisions = {Precision::Month, Precision::Day, Precision::Hour,
                                               Precision::Minute, Precision::Second};
  for (std::size_t i = 0; i < rest.size() && digits.size() >= 6 + 2 * i; ++i) {
    *rest[i] = number_at(digits, 4 + 2 * i, 2);
    written = precisions[i];
  }
  return p;
}

// A text in the manner of ISO 8601, taken apart but not yet held against the calendar.
struct Iso {
  Parts parts;
  Precision written = Precision::Year;
  std::size_t day_digits = 2;
  std::uint32_t nanoseconds = 0;
  std::size_t fraction_digits = 0;  // as written, 9 of them in `nanoseconds`
  int offset_minutes = 0;
  bool other_form = false;  // not in the grammar of WARC 1.1, 5.4
};

class IsoParser {
 public:
  // `basic` allows dates without hyphens before a time (20160111T2324Z).
  IsoParser(std::string_view text, bool basic) : text_(text) {
    without_hyphens_ = basic && text.size() > 8 && number_at(text, 0, 8) >= 0;
  }

  std::optional<Iso> parse() {
    if (!parse_day() || (at_ < text_.size() && !parse_time())) {
      return std::nullopt;
    }
    return iso_;
  }

 private:
  bool done() const { return at_ == text_.size(); }
  bool take(char c) {
    if (done() || text_[at_] != c) {
      return false;
    }
    ++at_;
    return true;
  }
  bool take_number(int& out, std::size_t count) {
    const int value = number_at(text_, at_, count);
    if (value < 0) {
      return false;
    }
    out = value;
    at_ += count;
    return true;
  }
  bool separated() { return without_hyphens_ || take('-'); }

  bool parse_day() {
    if (!take_number(iso_.parts.year, 4)) {
      return false;
    }
    if (done()) {
      return true;
    }
    iso_.written = Precision::Month;
    if (!separated() || !take_number(iso_.parts.month, 2)) {
      return false;
    }
    if (done()) {
      return true;
    }
    iso_.written = Precision::Day;
    if (!separated()) {
      return false;
    }
    iso_.day_digits = !without_hyphens_ && number_at(text_, at_, 3) >= 0 ? 3 : 2;
    return take_number(iso_.parts.day, iso_.day_digits);
  }

  bool parse_time() {
    if (!take('T')) {
      iso_.other_form = true;
      if (!take('t') && !take(' ')) {
        return false;
      }
    }
    iso_.written = Precision::Hour;
    if (!take_number(iso_.parts.hour, 2)) {
      return false;
    }
    if (more_time()) {
      iso_.written = Precision::Minute;
      if (!take_number(iso_.parts.minute, 2)) {
        return false;
      }
      if (more_time()) {
        iso_.written = Precision::Second;
        if (!take_number(iso_.parts.second, 2) || !parse_fraction()) {
          return false;
        }
      }
    } else {
      iso_.other_form = true;
    }
    return parse_zone();
  }

  // Whether another part of the time follows, after its colon if there is one.
  bool more_time() {
    if (take(':')) {
      return true;
    }
    if (!done() && is_digit(text_[at_])) {
      iso_.other_form = true;
      return true;
    }
    return false;
  }

  bool parse_fraction() {
    if (!take('.')) {
      if (!take(',')) {
        return true;
      }
      iso_.other_form = true;
    }
    std::uint32_t scale = 100000000;
    for (; !done() && is_digit(text_[at_]); ++at_) {
      iso_.nanoseconds += static_cast<std::uint32_t>(text_[at_] - '0') * scale;
      scale /= 10;
      ++iso_.fraction_digits;
    }
    iso_.written = Precision::Fraction;
    iso_.other_form = iso_.other_form || iso_.fraction_digits > 9;
    return iso_.fraction_digits > 0;
  }

  bool parse_zone() {
    if (take('Z')) {
      return done();
    }
    iso_.other_form = true;
    if (done() || take('z')) {
      return done();
    }
    const bool west = text_[at_] == '-';
    if (!west && text_[at_] != '+') {
      return false;
    }
    ++at_;
    int hours = 0;
    int minutes = 0;
    if (!take_number(hours, 2)) {
      return false;
    }
    if (!done()) {
      take(':');
      if (!take_number(minutes, 2)) {
        return false;
      }
    }
    iso_.offset_minutes = (hours * 60 + minutes) * (west ? -1 : 1);
    return done() && hours < 24 && minutes < 60;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool without_hyphens_ = false;
  Iso iso_;
};

// Reads the third part as the day of the year where it cannot be a day of the month (ClueWeb09;
// docs/formats/warc.md, "Deviations"). False if the year has no such day.
bool apply_day_of_year(Iso& iso, DateQuirks& quirks) {
  Parts& p = iso.parts;
  const bool month_exists = p.month >= 1 && p.month <= 12;
  if (iso.day_digits != 3 && (!month_exists || p.day <= days_in_month(p.year, p.month))) {
    return true;
  }
  if (p.day < 1 || p.day > (is_leap(p.year) ? 366 : 365)) {
    return false;
  }
  int month = 1;
  int day = p.day;
  while (day > days_in_month(p.year, month)) {
    day -= days_in_month(p.year, month);
    ++month;
  }
  quirks.day_of_year = true;
  quirks.invalid = month != p.month;
  p.month = month;
  p.day = day;
  return true;
}

// The date down to `precision` with the offset taken off; nothing if that leaves the years 0000 to
// 9999.
std::optional<Date> to_utc(const Iso& iso, Precision precision) {
  Date date = start_of(iso.parts, precision);
  if (precision == Precision::Fraction) {
    date.nanoseconds = iso.nanoseconds;
    date.fraction_digits =
        static_cast<std::uint8_t>(iso.fraction_digits > 9 ? 9 : iso.fraction_digits);
  }
  if (precision >= Precision::Hour) {
    date.seconds -= std::int64_t{iso.offset_minutes} * 60;
    if (precision == Precision::Hour && iso.offset_minutes % 60 != 0) {
      date.precision = Precision::Minute;
    }
  }
  if (date.seconds < kFirstSecond || date.seconds > kLastSecond) {
    return std::nullopt;
  }
  return date;
}

ParsedDate evaluate(Iso iso) {
  ParsedDate result;
  result.quirks.other_form = iso.other_form;
  if (iso.written >= Precision::Day && !apply_day_of_year(iso, result.quirks)) {
    iso.parts.day = 0;
  }
  const Precision valid = valid_precision(iso.parts, iso.written);
  result.value = to_utc(iso, valid);
  result.quirks.invalid = result.quirks.invalid || valid != iso.written || !result.value;
  result.quirks.other_form = result.quirks.other_form || result.quirks.day_of_year;
  return result;
}

int month_of_name(std::string_view name) {
  constexpr std::string_view kNames = "janfebmaraprmayjunjulaugsepoctnovdec";
  for (int month = 1; month <= 12; ++month) {
    if (equals_ignoring_case(name, kNames.substr(static_cast<std::size_t>(month - 1) * 3, 3))) {
      return month;
    }
  }
  return 0;
}

std::string_view next_word(std::string_view& rest) {
  while (!rest.empty() && rest.front() == ' ') {
    rest.remove_prefix(1);
  }
  const std::size_t length =
      rest.find(' ') == std::string_view::npos ? rest.size() : rest.find(' ');
  const std::string_view word = rest.substr(0, length);
  rest.remove_prefix(length);
  return word;
}

// "Tue, 19 Sep 2006 17:20:14 GMT" (RFC 1123, 5.2.14). The name of the day is not checked.
ParsedDate parse_rfc1123(std::string_view text) {
  if (const std::size_t comma = text.find(','); comma != std::string_view::npos) {
    text.remove_prefix(comma + 1);
  }
  Iso iso;
  iso.other_form = true;
  iso.written = Precision::Second;
  const std::string_view day = next_word(text);
  iso.parts.day = day.size() <= 2 ? number_at(day, 0, day.size()) : -1;
  iso.parts.month = month_of_name(next_word(text));
  const std::string_view year = next_word(text);
  iso.parts.year = year.size() == 4 ? number_at(year, 0, 4) : -1;
  const std::string_view time = next_word(text);
  iso.parts.hour = number_at(time, 0, 2);
  iso.parts.minute = number_at(time, 3, 2);
  iso.parts.second = number_at(time, 6, 2);
  const std::string_view zone = next_word(text);
  const bool utc = equals_ignoring_case(zone, "GMT") || equals_ignoring_case(zone, "UTC");
  if (day.empty() || iso.parts.day < 0 || iso.parts.month == 0 || iso.parts.year < 0 ||
      iso.parts.hour < 0 || iso.parts.minute < 0 || iso.parts.second < 0 || time.size() != 8 ||
      time[2] != ':' || time[5] != ':' || !utc || !trim(text).empty()) {
    return {};
  }
  ParsedDate result;
  result.quirks.other_form = true;
  const Precision valid = valid_precision(iso.parts, iso.written);
  result.value = to_utc(iso, valid);
  result.quirks.invalid = valid != iso.written;
  return result;
}

// Only the form that nearly all files have, "2009-03-06T16:43:19Z", and only if the moment exists.
bool parse_ordinary(std::string_view text, Date& out) {
  if (text.size() != 20 || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' ||
      text[16] != ':' || text[19] != 'Z') {
    return false;
  }
  // One test for all digits: this runs once a record.
  unsigned worst = 0;
  const auto two = [&](std::size_t at) {
    const unsigned tens = static_cast<unsigned char>(text[at]) - unsigned{'0'};
    const unsigned ones = static_cast<unsigned char>(text[at + 1]) - unsigned{'0'};
    worst = std::max({worst, tens, ones});
    return static_cast<int>(tens * 10 + ones);
  };
  Parts p;
  p.year = two(0) * 100 + two(2);
  p.month = two(5);
  p.day = two(8);
  p.hour = two(11);
  p.minute = two(14);
  p.second = two(17);
  if (worst > 9 || valid_precision(p, Precision::Second) != Precision::Second) {
    return false;
  }
  out = start_of(p, Precision::Second);
  return true;
}

// Writes the last `digits` digits of `value` at `at`; returns the place behind them.
char* put_padded(char* at, std::uint64_t value, std::size_t digits) {
  for (std::size_t i = digits; i > 0; --i) {
    at[i - 1] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
  return at + digits;
}

}  // namespace

std::string Date::to_string() const {
  const std::int64_t moment = std::clamp(seconds, kFirstSecond, kLastSecond);
  const std::chrono::sys_seconds point{std::chrono::seconds{moment}};
  const auto day_start = std::chrono::floor<std::chrono::days>(point);
  const std::chrono::year_month_day day{day_start};
  const auto of_day = static_cast<std::uint64_t>((point - day_start).count());
  std::array<char, 32> buffer = {};  // the longest form has 30 characters
  char* at = put_padded(buffer.data(), static_cast<std::uint64_t>(int{day.year()}), 4);
  if (precision >= Precision::Month) {
    *at++ = '-';
    at = put_padded(at, unsigned{day.month()}, 2);
  }
  if (precision >= Precision::Day) {
    *at++ = '-';
    at = put_padded(at, unsigned{day.day()}, 2);
  }
  if (precision >= Precision::Hour) {
    *at++ = 'T';
    at = put_padded(at, of_day / 3600, 2);
    *at++ = ':';
    at = put_padded(at, precision == Precision::Hour ? 0 : of_day / 60 % 60, 2);
    if (precision >= Precision::Second) {
      *at++ = ':';
      at = put_padded(at, of_day % 60, 2);
    }
    if (precision == Precision::Fraction) {
      *at++ = '.';
      put_padded(at, nanoseconds, 9);
      at += std::clamp<std::ptrdiff_t>(fraction_digits, 1, 9);
    }
    *at++ = 'Z';
  }
  return {buffer.data(), at};
}

ParsedDate parse_warc_date(std::string_view text) {
  ParsedDate result;
  if (Date date; parse_ordinary(text, date)) {
    result.value = date;
    return result;
  }
  text = trim(text);
  if (text.size() == 14 && all_digits(text)) {
    result = parse_positional_date(text);
    result.quirks.other_form = true;
    return result;
  }
  if (const std::optional<Iso> iso = IsoParser(text, false).parse()) {
    return evaluate(*iso);
  }
  return parse_rfc1123(text);
}

namespace {

// Dates of digits; `precision_of` says with which precision such a date counts, if at all, by the
// one that its parts allow and the one that it was written with.
template <typename PrecisionOf>
ParsedDate parse_digits(std::string_view text, PrecisionOf precision_of) {
  ParsedDate result;
  result.quirks.not_14_digits = text.size() != 14 || !all_digits(text);
  if (text.size() < 4 || !all_digits(text)) {
    return result;
  }
  Precision written = Precision::Year;
  const Parts parts = parts_of_digits(text.substr(0, 14), written);
  const Precision valid = valid_precision(parts, written);
  result.quirks.invalid = valid != written;
  if (const std::optional<Precision> precision = precision_of(parts, valid, written)) {
    result.value = start_of(parts, *precision);
  }
  return result;
}

}  // namespace

ParsedDate parse_positional_date(std::string_view text) {
  return parse_digits(text, [](const Parts&, Precision valid, Precision) {
    return std::optional(valid == Precision::Hour ? Precision::Day : valid);
  });
}

ParsedDate parse_arc_date(std::string_view text) {
  return parse_digits(text, [](const Parts& parts, Precision valid, Precision written) {
    const bool unknown_month = valid == Precision::Year && parts.month == 0;
    const bool unknown_day = valid == Precision::Month && parts.day == 0;
    return valid == written || unknown_month || unknown_day ? std::optional(valid) : std::nullopt;
  });
}

std::optional<Date> parse_user_date(std::string_view text) {
  text = trim(text);
  if (all_digits(text)) {
    if (text.size() < 4 || text.size() > 17 || (text.size() < 14 && text.size() % 2 != 0)) {
      return std::nullopt;
    }
    Iso iso;
    iso.parts = parts_of_digits(text.substr(0, 14), iso.written);
    if (valid_precision(iso.parts, iso.written) != iso.written) {
      return std::nullopt;
    }
    if (text.size() > 14) {
      iso.written = Precision::Fraction;
      iso.fraction_digits = text.size() - 14;
      std::uint32_t scale = 100000000;
      for (const char c : text.substr(14)) {
        iso.nanoseconds += static_cast<std::uint32_t>(c - '0') * scale;
        scale /= 10;
      }
    }
    return to_utc(iso, iso.written);
  }
  const std::optional<Iso> iso = IsoParser(text, true).parse();
  if (!iso || iso->day_digits != 2 || valid_precision(iso->parts, iso->written) != iso->written) {
    return std::nullopt;
  }
  return to_utc(*iso, iso->written);
}

bool is_strict_warc_date(std::string_view text, int minor) {
  if (Date date; parse_ordinary(text, date)) {
    return true;
  }
  if (minor < 1) {
    return false;
  }
  const std::optional<Iso> iso = IsoParser(text, false).parse();
  return iso && !iso->other_form && iso->day_digits == 2 &&
         valid_precision(iso->parts, iso->written) == iso->written;
}

}  // namespace fonds
