#include "base/time_pattern.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/error.hpp>

#include "base/calendar.hpp"
#include "base/put_digits.hpp"
#include "base/text.hpp"
#include "base/time_pattern_parts.hpp"
#include "base/time_pattern_reader.hpp"
#include "base/time_pattern_shape.hpp"

namespace fonds {

namespace {

// A part as printing needs it: small, because a column prints millions of times.
struct Step {
  TimeField field = TimeField::Literal;
  std::uint32_t offset =
      0;  // Literal: into Program::literals; names: of the first in Program::names
  std::uint32_t length = 0;  // Literal
};

// An instant taken apart as far as the pattern needs it.
struct Moment {
  std::int64_t ns = 0;
  CivilDay day = {};
  unsigned second_of_day = 0;
  std::uint32_t fraction = 0;  // ns behind the second, or behind the second of |time|
};

Moment take_apart(std::int64_t ns, bool is_date, std::int32_t offset_s) {
  Moment moment;
  moment.ns = ns;
  if (!is_date) {
    const std::int64_t rest = ns % kNsPerSecond;
    moment.fraction = static_cast<std::uint32_t>(rest < 0 ? -rest : rest);
    return moment;
  }
  moment.fraction = static_cast<std::uint32_t>(floor_modulo(ns, kNsPerSecond));
  const std::int64_t seconds = floor_divide(ns, kNsPerSecond) + offset_s;
  moment.second_of_day = static_cast<unsigned>(floor_modulo(seconds, kSecondsPerDay));
  moment.day = civil_day(floor_divide(seconds, kSecondsPerDay));
  return moment;
}

// The years of an instant of 64 bits are 1677 to 2262.
char* put_year(char* at, std::int64_t year) {
  const auto value = static_cast<unsigned>(year);
  return put_two(put_two(at, value / 100), value % 100);
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
  put_nine(at, fraction);
  std::size_t length = 9;
  while (at[length - 1] == '0') {
    --length;
  }
  return at + length;
}

unsigned half_day_hour(unsigned hour) { return hour % 12 == 0 ? 12 : hour % 12; }

std::size_t longest_of(TimeField field) {
  switch (field) {
    case TimeField::EpochSeconds:
    case TimeField::EpochMs:
    case TimeField::EpochUs:
    case TimeField::EpochNs:
      return 20;
    case TimeField::Fraction6:
    case TimeField::Fraction9:
    case TimeField::FractionTrimmed:
      return 9;
    default:
      return 4;
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

struct TimePattern::Program {
  explicit Program(TimeParts parsed);

  // Makes one step of those of an ISO 8601 time: each step costs a jump, and most times have them.
  void fuse();
  static char* put_date_and_time(char* at, const char* between, const Moment& moment);
  // The place behind the whole text, `longest` behind `at` at most; nothing if the instant has
  // none.
  char* put(char* at, std::int64_t ns, bool quoted) const;
  // The place behind the step; nothing if the moment has no such text.
  char* put(char* at, const Step& step, const Moment& moment) const;

  bool read(const Step& step, TrustingTimeReader& reader) const {
    switch (step.field) {
      case TimeField::Literal:
        return reader.skip(step.length);
      case TimeField::MonthName:
        return reader.read_month(&names[step.offset]);
      case TimeField::WeekdayName:
        return reader.read_weekday(&names[step.offset]);
      default:
        return reader.read(step.field);
    }
  }

  bool has(TimeField field) const {
    return std::any_of(parts.parts.begin(), parts.parts.end(),
                       [&](const TimePart& part) { return part.field == field; });
  }

  TimeParts parts;
  TimeShape shape;
  std::vector<Step> steps;
  std::string literals;
  std::vector<std::string> names;
  std::size_t longest = 2;  // bytes of any text that it prints, with quotes
};

TimePattern::Program::Program(TimeParts parsed) : parts(std::move(parsed)), shape(parts) {
  for (const TimePart& part : parts.parts) {
    Step step{.field = part.field};
    if (!part.names.empty()) {
      step.offset = static_cast<std::uint32_t>(names.size());
      names.insert(names.end(), part.names.begin(), part.names.end());
      longest += std::max_element(names.begin() + step.offset, names.end(),
                                  [](const auto& a, const auto& b) { return a.size() < b.size(); })
                     ->size();
    } else if (!part.text.empty()) {
      step = {.field = TimeField::Literal,
              .offset = static_cast<std::uint32_t>(literals.size()),
              .length = static_cast<std::uint32_t>(part.text.size())};
      literals += part.text;
      longest += part.text.size();
    } else {
      longest += longest_of(part.field);
    }
    steps.push_back(step);
  }
  fuse();
}

void TimePattern::Program::fuse() {
  constexpr std::array kFused = {TimeField::Year,    TimeField::Literal, TimeField::Month,
                                 TimeField::Literal, TimeField::Day,     TimeField::Literal,
                                 TimeField::Hour,    TimeField::Literal, TimeField::Minute,
                                 TimeField::Literal, TimeField::Second};
  const auto first =
      std::search(steps.begin(), steps.end(), kFused.begin(), kFused.end(),
                  [](const Step& step, TimeField field) {
                    return step.field == field && (field != TimeField::Literal || step.length == 1);
                  });
  if (first != steps.end()) {
    // The bytes between lie one behind the other in `literals`.
    *first = {.field = TimeField::DateAndTime, .offset = first[1].offset};
    steps.erase(first + 1, first + kFused.size());
  }
}

char* TimePattern::Program::put_date_and_time(char* at, const char* between, const Moment& moment) {
  const unsigned second = moment.second_of_day;
  at = put_year(at, moment.day.year);
  *at++ = between[0];
  at = put_two(at, moment.day.month);
  *at++ = between[1];
  at = put_two(at, moment.day.day);
  *at++ = between[2];
  at = put_two(at, second / 3600);
  *at++ = between[3];
  at = put_two(at, second / 60 % 60);
  *at++ = between[4];
  return put_two(at, second % 60);
}

char* TimePattern::Program::put(char* at, const Step& step, const Moment& moment) const {
  const unsigned hour = moment.second_of_day / 3600;
  switch (step.field) {
    case TimeField::Literal:
      if (step.length == 1) {
        *at = literals[step.offset];
        return at + 1;
      }
      return put_text(at, std::string_view(literals).substr(step.offset, step.length));
    case TimeField::DateAndTime:
      return put_date_and_time(at, literals.data() + step.offset, moment);
    case TimeField::Year:
      return put_year(at, moment.day.year);
    case TimeField::ShortYear:
      return put_short_year(at, moment.day.year);
    case TimeField::Month:
      return put_two(at, moment.day.month);
    case TimeField::MonthName:
      return put_text(at, names[step.offset + moment.day.month - 1]);
    case TimeField::Day:
      return put_two(at, moment.day.day);
    case TimeField::DayBlank:
      return put_blank_padded(at, moment.day.day);
    case TimeField::WeekdayName:
      return put_text(at, names[step.offset + moment.day.weekday]);
    case TimeField::Hour:
      return put_two(at, hour);
    case TimeField::HourBlank:
      return put_blank_padded(at, hour);
    case TimeField::Hour12:
      return put_two(at, half_day_hour(hour));
    case TimeField::Hour12Blank:
      return put_blank_padded(at, half_day_hour(hour));
    case TimeField::HalfDay:
      return put_text(at, hour >= 12 ? "PM" : "AM");
    case TimeField::Minute:
      return put_two(at, moment.second_of_day / 60 % 60);
    case TimeField::Second:
      return put_two(at, moment.second_of_day % 60);
    case TimeField::LeapSecond:
      return put_two(at, 60);
    case TimeField::Fraction3:
      return put_three(at, moment.fraction / 1000000);
    case TimeField::Fraction6:
      return put_three(put_three(at, moment.fraction / 1000000), moment.fraction / 1000 % 1000);
    case TimeField::Fraction9:
      return put_nine(at, moment.fraction);
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

Result<TimePattern> TimePattern::parse(std::string_view stored) {
  TimePattern result;
  std::string_view pattern = stored;
  result.quoted_ = pattern.size() >= 2 && pattern.front() == '"' && pattern.back() == '"';
  if (result.quoted_) {
    pattern = pattern.substr(1, pattern.size() - 2);
  }
  FONDS_TRY(TimeParts parts, parse_time_parts(pattern, TimePatternUse::Stored, ErrorCode::Corrupt));
  result.program_ = std::make_shared<const Program>(std::move(parts));
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

char* TimePattern::Program::put(char* at, std::int64_t ns, bool quoted) const {
  const Moment moment = take_apart(ns, parts.is_date, parts.offset_s);
  if (quoted) {
    *at++ = '"';
  }
  for (const Step& step : steps) {
    at = put(at, step, moment);
    if (at == nullptr) {
      return nullptr;
    }
  }
  if (quoted) {
    *at++ = '"';
  }
  return at;
}

Status TimePattern::print(std::int64_t ns, std::string& out) const {
  const std::size_t start = out.size();
  out.resize(start + program_->longest);
  const char* const end = program_->put(out.data() + start, ns, quoted_);
  if (end == nullptr) {
    out.resize(start);
    const bool no_fraction = ns % kNsPerSecond == 0 && program_->has(TimeField::FractionTrimmed);
    return fail(ErrorCode::Corrupt, fmt::format("timestamp {} has no text in its pattern: {}", ns,
                                                no_fraction ? "\\T needs a fraction that is not 0"
                                                            : "\\y needs a year from 1900 on"));
  }
  out.resize(static_cast<std::size_t>(end - out.data()));
  return {};
}

std::optional<TimeText> TimePattern::match(std::string_view text) const {
  return match_time_parts(program_->parts, text, TimeSyntax::V051);
}

std::optional<std::int64_t> TimePattern::match_exactly(std::string_view text) const {
  const Program& program = *program_;
  if (!program.shape.fits(text)) {
    return std::nullopt;
  }
  TrustingTimeReader reader(text);
  for (const Step& step : program.steps) {
    if (!program.read(step, reader)) {
      return std::nullopt;
    }
  }
  const std::optional<std::int64_t> ns =
      reader.instant(program.parts.is_date, program.parts.offset_s);
  if (!ns) {
    return std::nullopt;
  }
  std::array<char, 256> buffer;  // only a pattern that clp-s would not make prints more
  std::string large;
  char* start = buffer.data();
  if (program.longest > buffer.size()) {
    large.resize(program.longest);
    start = large.data();
  }
  const char* const end = program.put(start, *ns, false);
  if (end == nullptr || std::string_view(start, static_cast<std::size_t>(end - start)) != text) {
    return std::nullopt;
  }
  return ns;
}

}  // namespace fonds
