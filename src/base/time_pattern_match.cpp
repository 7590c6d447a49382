#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/error.hpp>

#include "base/calendar.hpp"
#include "base/text.hpp"
#include "base/time_pattern.hpp"
#include "base/time_pattern_parts.hpp"

namespace fonds {

namespace {

// What the fields of a text say. The defaults are what a missing field means.
struct Fields {
  int year = 1970;
  int month = 1;
  int day = 1;
  int weekday = -1;
  int hour = 0;
  int half_day = -1;  // 0 is AM, 1 is PM; then `hour` is 1 to 12
  int minute = 0;
  int second = 0;
  std::int64_t fraction = 0;  // ns
  std::int64_t epoch = 0;
  std::int64_t epoch_unit = 1;  // ns
  bool epoch_negative = false;
  bool epoch_saturated = false;
  std::int32_t offset_s = 0;
};

struct Zone {
  std::string_view name;
  std::string_view offset;
};

// RFC 822, 5.1.
constexpr std::array<Zone, 8> kNamedZones = {{{"EDT", "-0400"},
                                              {"EST", "-0500"},
                                              {"CDT", "-0500"},
                                              {"CST", "-0600"},
                                              {"MDT", "-0600"},
                                              {"MST", "-0700"},
                                              {"PDT", "-0700"},
                                              {"PST", "-0800"}}};

class Matcher {
 public:
  Matcher(const TimeParts& parts, std::string_view text, TimeSyntax syntax, std::string* pattern)
      : parts_(parts), rest_(text), syntax_(syntax), pattern_(pattern) {}

  std::optional<TimeInstant> match() {
    for (const TimePart& part : parts_.parts) {
      if (!match_part(part)) {
        return std::nullopt;
      }
    }
    if (!rest_.empty()) {
      return std::nullopt;
    }
    TimeInstant result;
    if (!(parts_.is_date ? evaluate_date(result) : evaluate_number(result))) {
      return std::nullopt;
    }
    return result;
  }

 private:
  bool match_part(const TimePart& part) {
    if (part.field == TimeField::Literal) {
      return choose(part.text);
    }
    switch (part.field) {
      case TimeField::OneOf:
        return take_one_of(part.text);
      case TimeField::SecondOrLeap:
        return take_second_or_leap();
      case TimeField::AnyFraction:
        return take_any_fraction();
      case TimeField::AnyZone:
        return take_any_zone();
      case TimeField::AnyEpoch:
        return take_any_epoch();
      default:
        spell(part.spelling);
        return match_stored_part(part);
    }
  }

  bool match_stored_part(const TimePart& part) {
    Fields& f = fields_;
    switch (part.field) {
      case TimeField::Offset:
      case TimeField::NamedOffset:
        f.offset_s = part.offset_s;
        return take(part.text);
      case TimeField::Year:
        return take_digits<4>(0, 9999, f.year);
      case TimeField::ShortYear:
        if (!take_digits<2>(0, 99, f.year)) {
          return false;
        }
        f.year += f.year >= 69 ? 1900 : 2000;
        return true;
      case TimeField::Month:
        return take_digits<2>(1, 12, f.month);
      case TimeField::MonthName:
        return take_name(part.names, 1, f.month);
      case TimeField::Day:
        return take_digits<2>(1, 31, f.day);
      case TimeField::DayBlank:
        return take_blank_padded(1, 31, f.day);
      case TimeField::WeekdayName:
        return take_name(part.names, 0, f.weekday);
      case TimeField::Hour:
        return take_digits<2>(0, 23, f.hour);
      case TimeField::HourBlank:
        return take_blank_padded(0, 23, f.hour);
      case TimeField::Hour12:
        return take_digits<2>(1, 12, f.hour);
      case TimeField::Hour12Blank:
        return take_blank_padded(1, 12, f.hour);
      case TimeField::HalfDay:
        f.half_day = rest_.starts_with('P') ? 1 : 0;
        return take(f.half_day == 1 ? "PM" : "AM");
      case TimeField::Minute:
        return take_digits<2>(0, 59, f.minute);
      case TimeField::Second:
        return take_digits<2>(0, 59, f.second);
      case TimeField::LeapSecond:
        f.second = 59;
        return take("60");
      case TimeField::Fraction3:
        return take_fraction(3);
      case TimeField::Fraction6:
        return take_fraction(6);
      case TimeField::Fraction9:
        return take_fraction(9);
      case TimeField::FractionTrimmed:
        return take_trimmed_fraction(count_digits());
      case TimeField::EpochSeconds:
        return take_epoch(kNsPerSecond);
      case TimeField::EpochMs:
        return take_epoch(1000000);
      case TimeField::EpochUs:
        return take_epoch(1000);
      case TimeField::EpochNs:
        return take_epoch(1);
      case TimeField::Backslash:
        return take("\\");
      default:
        return false;
    }
  }

  bool take(std::string_view text) {
    if (text.size() == 1 ? !rest_.starts_with(text[0]) : !rest_.starts_with(text)) {
      return false;
    }
    rest_.remove_prefix(text.size());
    return true;
  }

  // Adds to the pattern that prints the text again.
  void spell(std::string_view text) {
    if (pattern_ != nullptr) {
      *pattern_ += text;
    }
  }

  // Takes `text` and makes it part of the pattern.
  bool choose(std::string_view text) {
    if (!take(text)) {
      return false;
    }
    spell(text);
    return true;
  }

  std::size_t count_digits() const {
    std::size_t count = 0;
    while (count < rest_.size() && is_digit(rest_[count])) {
      ++count;
    }
    return count;
  }

  template <std::size_t count>
  bool take_digits(int least, int most, int& value) {
    if (rest_.size() < count) {
      return false;
    }
    int number = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_digit(rest_[i])) {
        return false;
      }
      number = number * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(count);
    value = number;
    return number >= least && number <= most;
  }

  // Two places: no zero instead of the blank.
  bool take_blank_padded(int least, int most, int& value) {
    if (rest_.starts_with(' ')) {
      rest_.remove_prefix(1);
      return take_digits<1>(least, most, value);
    }
    return !rest_.starts_with('0') && take_digits<2>(least, most, value);
  }

  bool take_name(const std::vector<std::string>& names, int first, int& value) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (take(names[i])) {
        value = first + static_cast<int>(i);
        return true;
      }
    }
    return false;
  }

  bool take_fraction(std::size_t digits) {
    if (count_digits() < digits) {
      return false;
    }
    std::int64_t value = 0;
    for (std::size_t i = 0; i < 9; ++i) {
      value = value * 10 + (i < digits ? rest_[i] - '0' : 0);
    }
    rest_.remove_prefix(digits);
    fields_.fraction = value;
    return true;
  }

  bool take_trimmed_fraction(std::size_t digits) {
    return digits >= 1 && digits <= 9 && rest_[digits - 1] != '0' && take_fraction(digits);
  }

  bool take_any_fraction() {
    const std::size_t digits = count_digits();
    if (digits == 3 || digits == 6 || digits == 9) {
      spell(digits == 3 ? "\\3" : digits == 6 ? "\\6" : "\\9");
      return take_fraction(digits);
    }
    spell("\\T");
    return take_trimmed_fraction(digits);
  }

  bool take_one_of(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_.front()) == std::string_view::npos) {
      return false;
    }
    spell(rest_.substr(0, 1));
    rest_.remove_prefix(1);
    return true;
  }

  bool take_second_or_leap() {
    if (take("60")) {
      spell("\\J");
      fields_.second = 59;
      return true;
    }
    spell("\\S");
    return take_digits<2>(0, 59, fields_.second);
  }

  bool take_any_zone() {
    choose(" ");
    const bool utc = choose("UTC");
    if (!utc && syntax_ == TimeSyntax::V051) {
      if (choose("UT") || choose("GMT")) {
        return true;
      }
      for (const Zone& zone : kNamedZones) {
        if (take(zone.name)) {
          spell("\\o{");
          spell(zone.name);
          spell(",");
          spell(zone.offset);
          spell("}");
          fields_.offset_s = match_offset(zone.offset)->offset_s;
          return true;
        }
      }
    }
    const std::optional<OffsetText> offset = match_offset(rest_);
    if (offset) {
      spell("\\z{");
      choose(rest_.substr(0, offset->length));
      spell("}");
      fields_.offset_s = offset->offset_s;
    }
    const bool zulu = choose("Z");
    return offset || zulu || (utc && syntax_ == TimeSyntax::V051);
  }

  // An integer as JSON spells it, but not -0. Beyond 64 bits it counts as the nearest.
  bool take_epoch(std::int64_t unit) {
    fields_.epoch_negative = take("-");
    const std::size_t digits = count_digits();
    if (digits == 0 || (rest_[0] == '0' && (digits > 1 || fields_.epoch_negative))) {
      return false;
    }
    fields_.epoch = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      const std::int64_t digit = rest_[i] - '0';
      if (__builtin_mul_overflow(fields_.epoch, std::int64_t{10}, &fields_.epoch) ||
          __builtin_add_overflow(fields_.epoch, fields_.epoch_negative ? -digit : digit,
                                 &fields_.epoch)) {
        fields_.epoch = fields_.epoch_negative ? std::numeric_limits<std::int64_t>::min()
                                               : std::numeric_limits<std::int64_t>::max();
        fields_.epoch_saturated = true;
        break;
      }
    }
    rest_.remove_prefix(digits);
    fields_.epoch_unit = unit;
    return true;
  }

  bool take_any_epoch() {
    if (!take_epoch(1)) {
      return false;
    }
    fields_.epoch_unit = ns_per_unit_of(fields_.epoch);
    switch (fields_.epoch_unit) {
      case 1:
        spell("\\N");
        return true;
      case 1000:
        spell("\\C");
        return true;
      case 1000000:
        spell("\\L");
        return true;
      default:
        spell("\\E");
        return true;
    }
  }

  bool evaluate_date(TimeInstant& result) {
    const Fields& f = fields_;
    const std::chrono::year_month_day date{std::chrono::year{f.year},
                                           std::chrono::month{static_cast<unsigned>(f.month)},
                                           std::chrono::day{static_cast<unsigned>(f.day)}};
    if (!date.ok()) {
      return false;
    }
    const std::chrono::sys_days day{date};
    if (f.weekday >= 0 &&
        std::chrono::weekday{day}.c_encoding() != static_cast<unsigned>(f.weekday)) {
      return false;
    }
    const std::int64_t hour = f.half_day < 0 ? f.hour : f.hour % 12 + f.half_day * 12;
    const std::int64_t seconds = std::int64_t{day.time_since_epoch().count()} * kSecondsPerDay +
                                 hour * 3600 + std::int64_t{f.minute} * 60 + f.second - f.offset_s;
    result.ns = scale_to_ns(seconds, kNsPerSecond, f.fraction, result.saturated);
    return true;
  }

  bool evaluate_number(TimeInstant& result) {
    const Fields& f = fields_;
    result.saturated = f.epoch_saturated;
    result.ns = scale_to_ns(f.epoch, f.epoch_unit, f.epoch_negative ? -f.fraction : f.fraction,
                            result.saturated);
    return true;
  }

  const TimeParts& parts_;
  std::string_view rest_;
  TimeSyntax syntax_;
  std::string* pattern_;
  Fields fields_;
};

}  // namespace

std::optional<TimeInstant> match_instant(const TimeParts& parts, std::string_view text,
                                         TimeSyntax syntax) {
  return Matcher(parts, text, syntax, nullptr).match();
}

std::optional<TimeText> match_time_parts(const TimeParts& parts, std::string_view text,
                                         TimeSyntax syntax) {
  TimeText result;
  const std::optional<TimeInstant> instant = Matcher(parts, text, syntax, &result.pattern).match();
  if (!instant) {
    return std::nullopt;
  }
  result.ns = instant->ns;
  result.saturated = instant->saturated;
  return result;
}

Result<std::optional<TimeText>> match_time(std::string_view pattern, std::string_view text,
                                           TimeSyntax syntax) {
  FONDS_TRY(const TimeParts parts,
            parse_time_parts(pattern, TimePatternUse::Parsing, ErrorCode::BadArgument));
  return match_time_parts(parts, text, syntax);
}

}  // namespace fonds
