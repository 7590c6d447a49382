// What a timestamp pattern consists of; shared by printing and matching.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/error.hpp>

#include "base/time_pattern.hpp"

namespace fonds {

// The value is the letter behind the backslash.
enum class TimeField : char {
  Literal = 0,
  Year = 'Y',
  ShortYear = 'y',
  Month = 'm',
  MonthName = 'B',
  Day = 'd',
  DayBlank = 'e',
  WeekdayName = 'A',
  Hour = 'H',
  HourBlank = 'k',
  Hour12 = 'I',
  Hour12Blank = 'l',
  HalfDay = 'p',
  Minute = 'M',
  Second = 'S',
  LeapSecond = 'J',
  Fraction3 = '3',
  Fraction6 = '6',
  Fraction9 = '9',
  FractionTrimmed = 'T',
  Offset = 'z',
  NamedOffset = 'o',
  EpochSeconds = 'E',
  EpochMs = 'L',
  EpochUs = 'C',
  EpochNs = 'N',
  Backslash = '\\',
  // Only while parsing.
  AnyZone = 'Z',
  AnyFraction = '?',
  AnyEpoch = 'P',
  OneOf = 'O',
  SecondOrLeap = 's',
  // Only in programs: year, month, day, hour, minute and second in digits, with a byte between
  // each.
  DateAndTime = 'i',
};

struct TimePart {
  TimeField field = TimeField::Literal;
  std::string spelling = {};  // as it stands in the pattern
  std::string text = {};      // Literal, Offset, NamedOffset: what is printed; OneOf: each
  std::vector<std::string> names = {};  // MonthName, WeekdayName
  std::int32_t offset_s = 0;            // Offset, NamedOffset
};

struct TimeParts {
  std::vector<TimePart> parts;
  bool is_date = false;       // years to seconds or a zone, so no epoch numbers
  std::int32_t offset_s = 0;  // what to add to UTC for the local time
};

enum class TimePatternUse : std::uint8_t { Stored, Parsing };

// `pattern` is without quotes. Errors: `code`, the pattern has no meaning.
Result<TimeParts> parse_time_parts(std::string_view pattern, TimePatternUse use, ErrorCode code);

// "+hh", "+hhmm" or "+hh:mm" at the start of `text`, with "-" or U+2212 too.
struct OffsetText {
  std::int32_t offset_s = 0;
  std::size_t length = 0;
};
std::optional<OffsetText> match_offset(std::string_view text) noexcept;

struct TimeInstant {
  std::int64_t ns = 0;
  bool saturated = false;  // it is outside of 64 bits; `ns` is the nearest that fits
};

// What the whole text says; without a word about its pattern, so nothing is allocated.
std::optional<TimeInstant> match_instant(const TimeParts& parts, std::string_view text,
                                         TimeSyntax syntax);
std::optional<TimeText> match_time_parts(const TimeParts& parts, std::string_view text,
                                         TimeSyntax syntax);

// Nanoseconds of the unit that a number of this size counts.
std::int64_t ns_per_unit_of(std::int64_t value) noexcept;

// `value` × `unit` + `rest` in nanoseconds; `saturated` is set if that does not fit.
std::int64_t scale_to_ns(std::int64_t value, std::int64_t unit, std::int64_t rest,
                         bool& saturated) noexcept;

}  // namespace fonds
