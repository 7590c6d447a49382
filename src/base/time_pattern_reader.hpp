// The fields of a text that a stored timestamp pattern may have printed.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/calendar.hpp"
#include "base/time_pattern_parts.hpp"

namespace fonds {

// Reads a text as if the pattern had printed it. Whether it has is not asked: the caller prints the
// instant and compares, so digits and literal text need no look here. Of a text that the pattern
// does print, it gets the instant.
class TrustingTimeReader {
 public:
  explicit TrustingTimeReader(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  // Each returns false if the text cannot be the pattern's.
  bool skip(std::size_t count) {
    if (left() < count) {
      return false;
    }
    at_ += count;
    return true;
  }

  bool read(TimeField field) {
    switch (field) {
      case TimeField::DateAndTime:
        return read_date_and_time();
      case TimeField::Year:
        return read_year();
      case TimeField::ShortYear:
        if (!read_two(year_)) {
          return false;
        }
        year_ += year_ >= 69 ? 1900 : 2000;
        return true;
      case TimeField::Month:
        return read_two(month_);
      case TimeField::Day:
        return read_two(day_);
      case TimeField::DayBlank:
        return read_padded(day_);
      case TimeField::Hour:
      case TimeField::Hour12:
        return read_two(hour_);
      case TimeField::HourBlank:
      case TimeField::Hour12Blank:
        return read_padded(hour_);
      case TimeField::HalfDay:
        half_day_ = left() > 0 && *at_ == 'P' ? 1 : 0;
        return skip(2);
      case TimeField::Minute:
        return read_two(minute_);
      case TimeField::Second:
        return read_two(second_);
      case TimeField::LeapSecond:
        second_ = 59;
        return skip(2);
      case TimeField::Fraction3:
        return read_fraction(3);
      case TimeField::Fraction6:
        return read_fraction(6);
      case TimeField::Fraction9:
        return read_fraction(9);
      case TimeField::FractionTrimmed:
        return read_fraction(std::min<std::size_t>(count_digits(), 9));
      case TimeField::EpochSeconds:
        return read_epoch(kNsPerSecond);
      case TimeField::EpochMs:
        return read_epoch(1000000);
      case TimeField::EpochUs:
        return read_epoch(1000);
      case TimeField::EpochNs:
        return read_epoch(1);
      default:
        return false;
    }
  }

  bool read_month(const std::string* names) { return read_name(names, 12, month_); }
  bool read_weekday(const std::string* names) {
    int weekday = 0;  // the date tells it
    return read_name(names, 7, weekday);
  }

  // Nothing if the fields make no instant of 64 bits.
  std::optional<std::int64_t> instant(bool is_date, std::int32_t offset_s) const {
    bool saturated = false;
    std::int64_t ns = 0;
    if (is_date) {
      const std::chrono::year_month_day date{std::chrono::year{year_},
                                             std::chrono::month{static_cast<unsigned>(month_)},
                                             std::chrono::day{static_cast<unsigned>(day_)}};
      if (!date.ok()) {
        return std::nullopt;
      }
      const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
      const int hour = half_day_ < 0 ? hour_ : hour_ % 12 + 12 * half_day_;
      const int seconds = hour * 3600 + minute_ * 60 + second_ - offset_s;
      ns = scale_to_ns(days * kSecondsPerDay + seconds, kNsPerSecond, fraction_, saturated);
    } else {
      ns = scale_to_ns(epoch_, epoch_unit_, negative_ ? -fraction_ : fraction_, saturated);
    }
    return saturated ? std::nullopt : std::optional(ns);
  }

 private:
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  // Of bytes that are no digits it is a number too, of four digits at most.
  static int two_digits(const char* at) { return (at[0] - '0') * 10 + (at[1] - '0'); }

  bool read_two(int& value) {
    if (left() < 2) {
      return false;
    }
    value = two_digits(at_);
    at_ += 2;
    return true;
  }

  // A blank may stand for the ten.
  bool read_padded(int& value) {
    if (left() < 2) {
      return false;
    }
    value = at_[0] == ' ' ? at_[1] - '0' : two_digits(at_);
    at_ += 2;
    return true;
  }

  bool read_year() {
    if (left() < 4) {
      return false;
    }
    year_ = 100 * two_digits(at_) + two_digits(at_ + 2);
    at_ += 4;
    return true;
  }

  bool read_date_and_time() {
    constexpr std::size_t kLength = 19;
    if (left() < kLength) {
      return false;
    }
    year_ = 100 * two_digits(at_) + two_digits(at_ + 2);
    month_ = two_digits(at_ + 5);
    day_ = two_digits(at_ + 8);
    hour_ = two_digits(at_ + 11);
    minute_ = two_digits(at_ + 14);
    second_ = two_digits(at_ + 17);
    at_ += kLength;
    return true;
  }

  bool read_name(const std::string* names, int count, int& value) {
    const std::string_view rest(at_, left());
    for (int i = 0; i < count; ++i) {
      if (rest.starts_with(names[i])) {
        value = i + 1;
        return skip(names[i].size());
      }
    }
    return false;
  }

  std::size_t count_digits() const {
    const char* at = at_;
    while (at != end_ && *at >= '0' && *at <= '9') {
      ++at;
    }
    return static_cast<std::size_t>(at - at_);
  }

  // `digits` is 9 at most.
  bool read_fraction(std::size_t digits) {
    if (left() < digits) {
      return false;
    }
    constexpr std::array<std::int32_t, 10> kUnits = {
        1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
    fraction_ = 0;  // of several the last counts
    for (std::size_t i = 0; i < digits; ++i) {
      fraction_ = fraction_ * 10 + (at_[i] - '0');
    }
    fraction_ *= kUnits[digits];
    at_ += digits;
    return true;
  }

  bool read_epoch(std::int64_t unit) {
    epoch_unit_ = unit;
    negative_ = left() > 0 && *at_ == '-';
    const auto [end, error] = std::from_chars(at_, end_, epoch_);
    at_ = end;
    return error == std::errc();
  }

  const char* at_;
  const char* end_;
  int year_ = 1970;
  int month_ = 1;
  int day_ = 1;
  int hour_ = 0;
  int half_day_ = -1;  // 0 is AM, 1 is PM
  int minute_ = 0;
  int second_ = 0;
  std::int64_t fraction_ = 0;  // ns
  std::int64_t epoch_ = 0;
  std::int64_t epoch_unit_ = 1;  // ns
  bool negative_ = false;
};

}  // namespace fonds
