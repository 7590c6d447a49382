#include "base/time_pattern.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include <fonds/error.hpp>

#include "base/calendar.hpp"
#include "base/text.hpp"
#include "base/time_pattern_parts.hpp"

namespace fonds {

namespace {

// An instant taken apart as far as the pattern needs it.
struct Moment {
  std::int64_t ns = 0;
  CivilDay day = {};
  unsigned second_of_day = 0;
  std::uint32_t fraction = 0;  // ns behind the second, or behind the second of |time|
};

Moment take_apart(std::int64_t ns, const TimeParts& parts) {
  Moment moment;
  moment.ns = ns;
  if (!parts.is_date) {
    const std::int64_t rest = ns % kNsPerSecond;
    moment.fraction = static_cast<std::uint32_t>(rest < 0 ? -rest : rest);
    return moment;
  }
  std::int64_t seconds = floor_divide(ns, kNsPerSecond);
  moment.fraction = static_cast<std::uint32_t>(ns - seconds * kNsPerSecond);
  seconds += parts.offset_s;
  const std::int64_t days = floor_divide(seconds, kSecondsPerDay);
  moment.second_of_day = static_cast<unsigned>(seconds - days * kSecondsPerDay);
  moment.day = civil_day(days);
  return moment;
}

char* put_text(char* at, std::string_view text) {
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

// Two places at least, filled with `fill`.
char* put_two(char* at, unsigned value, char fill = '0') {
  at[0] = value < 10 ? fill : static_cast<char>('0' + value / 10);
  at[1] = static_cast<char>('0' + value % 10);
  return at + 2;
}

char* put_digits(char* at, std::uint32_t value, std::size_t digits) {
  for (std::size_t i = digits; i > 0; --i) {
    at[i - 1] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
  return at + digits;
}

char* put_number(char* at, std::int64_t value) { return std::to_chars(at, at + 20, value).ptr; }

char* put_year(char* at, std::int64_t year) {
  return put_digits(at, static_cast<std::uint32_t>(year), 4);
}

// From 2100 on three digits, as clp-s prints them; nothing for years before 1900.
char* put_short_year(char* at, std::int64_t year) {
  const std::int64_t value = year >= 2000 ? year - 2000 : year - 1900;
  if (value < 0) {
    return nullptr;
  }
  return value < 100 ? put_two(at, static_cast<unsigned>(value)) : put_number(at, value);
}

// Nothing if there is no fraction.
char* put_trimmed(char* at, std::uint32_t fraction) {
  if (fraction == 0) {
    return nullptr;
  }
  put_digits(at, fraction, 9);
  std::size_t length = 9;
  while (at[length - 1] == '0') {
    --length;
  }
  return at + length;
}

unsigned half_day_hour(unsigned hour) { return hour % 12 == 0 ? 12 : hour % 12; }

// The place behind the part; nothing if the moment has no such text.
char* put_part(char* at, const TimePart& part, const Moment& moment) {
  const unsigned hour = moment.second_of_day / 3600;
  switch (part.field) {
    case TimeField::Literal:
    case TimeField::Offset:
    case TimeField::NamedOffset:
      return put_text(at, part.text);
    case TimeField::Year:
      return put_year(at, moment.day.year);
    case TimeField::ShortYear:
      return put_short_year(at, moment.day.year);
    case TimeField::Month:
      return put_two(at, moment.day.month);
    case TimeField::MonthName:
      return put_text(at, part.names[moment.day.month - 1]);
    case TimeField::Day:
      return put_two(at, moment.day.day);
    case TimeField::DayBlank:
      return put_two(at, moment.day.day, ' ');
    case TimeField::WeekdayName:
      return put_text(at, part.names[moment.day.weekday]);
    case TimeField::Hour:
      return put_two(at, hour);
    case TimeField::HourBlank:
      return put_two(at, hour, ' ');
    case TimeField::Hour12:
      return put_two(at, half_day_hour(hour));
    case TimeField::Hour12Blank:
      return put_two(at, half_day_hour(hour), ' ');
    case TimeField::HalfDay:
      return put_text(at, hour >= 12 ? "PM" : "AM");
    case TimeField::Minute:
      return put_two(at, moment.second_of_day / 60 % 60);
    case TimeField::Second:
      return put_two(at, moment.second_of_day % 60);
    case TimeField::LeapSecond:
      return put_two(at, 60);
    case TimeField::Fraction3:
      return put_digits(at, moment.fraction / 1000000, 3);
    case TimeField::Fraction6:
      return put_digits(at, moment.fraction / 1000, 6);
    case TimeField::Fraction9:
      return put_digits(at, moment.fraction, 9);
    case TimeField::FractionTrimmed:
      return put_trimmed(at, moment.fraction);
    case TimeField::EpochSeconds:
      return put_number(at, moment.ns / kNsPerSecond);
    case TimeField::EpochMs:
      return put_number(at, moment.ns / 1000000);
    case TimeField::EpochUs:
      return put_number(at, moment.ns / 1000);
    case TimeField::EpochNs:
      return put_number(at, moment.ns);
    case TimeField::Backslash:
      return put_text(at, "\\\\");
    default:  // the others are never in a stored pattern
      return at;
  }
}

bool is_json_number(std::string_view text) {
  if (text.starts_with('-')) {
    text.remove_prefix(1);
  }
  const auto digits = [&] {
    std::size_t count = 0;
    while (count < text.size() && text[count] >= '0' && text[count] <= '9') {
      ++count;
    }
    return count;
  };
  const std::size_t whole = digits();
  if (whole == 0 || (whole > 1 && text[0] == '0')) {
    return false;
  }
  text.remove_prefix(whole);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::size_t decimals = digits();
    text.remove_prefix(decimals);
    return decimals > 0 && text.empty();
  }
  return text.empty();
}

}  // namespace

Result<TimePattern> TimePattern::parse(std::string_view stored) {
  TimePattern result;
  std::string_view pattern = stored;
  result.quoted_ = pattern.size() >= 2 && pattern.front() == '"' && pattern.back() == '"';
  if (result.quoted_) {
    pattern = pattern.substr(1, pattern.size() - 2);
  }
  FONDS_TRY(TimeParts parts, parse_time_parts(pattern, TimePatternUse::Stored, ErrorCode::Corrupt));
  result.parts_ = std::make_shared<const TimeParts>(std::move(parts));
  if (!result.quoted_) {
    // Two times that show every field at its least favourable: leading zeros and a sign.
    for (const std::int64_t ns : {981173106007008009, -981173106007008009}) {
      std::string sample;
      FONDS_CHECK(result.print(ns, sample));
      if (!is_json_number(sample)) {
        return fail(ErrorCode::Corrupt,
                    fmt::format("timestamp pattern '{}' is without quotes and prints no number",
                                escape_for_terminal(stored.substr(0, 100))));
      }
    }
  }
  return result;
}

Status TimePattern::print(std::int64_t ns, std::string& out) const {
  const Moment moment = take_apart(ns, *parts_);
  const std::size_t start = out.size();
  out.resize(start + parts_->longest + 2);
  char* at = out.data() + start;
  if (quoted_) {
    *at++ = '"';
  }
  for (const TimePart& part : parts_->parts) {
    at = put_part(at, part, moment);
    if (at == nullptr) {
      out.resize(start);
      return fail(ErrorCode::Corrupt, fmt::format("timestamp {} has no text in its pattern: {}", ns,
                                                  part.field == TimeField::FractionTrimmed
                                                      ? "\\T needs a fraction that is not 0"
                                                      : "\\y needs a year from 1900 on"));
    }
  }
  if (quoted_) {
    *at++ = '"';
  }
  out.resize(static_cast<std::size_t>(at - out.data()));
  return {};
}

std::optional<TimeText> TimePattern::match(std::string_view text) const {
  return match_time_parts(*parts_, text, TimeSyntax::V051);
}

}  // namespace fonds
