#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "base/calendar.hpp"
#include "base/time_pattern.hpp"
#include "base/time_pattern_parts.hpp"

namespace fonds {

namespace {

// The nearest that fits.
std::int64_t saturate(__int128 value, bool& saturated) noexcept {
  if (value < kFirstNs || value > kLastNs) {
    saturated = true;
    return value < 0 ? kFirstNs : kLastNs;
  }
  return static_cast<std::int64_t>(value);
}

int decimals_of_unit(std::int64_t ns_per_unit) noexcept {
  switch (ns_per_unit) {
    case 1:
      return 0;
    case 1000:
      return 3;
    case 1000000:
      return 6;
    default:
      return 9;
  }
}

}  // namespace

std::int64_t ns_per_unit_of(std::int64_t value) noexcept {
  constexpr std::int64_t kYear = 31536000;  // seconds
  const auto beyond = [&](std::int64_t limit) { return value > limit || value < -limit; };
  if (beyond(kYear * 1000000000)) {
    return 1;
  }
  if (beyond(kYear * 1000000)) {
    return 1000;
  }
  return beyond(kYear * 1000) ? 1000000 : kNsPerSecond;
}

std::int64_t scale_to_ns(std::int64_t value, std::int64_t unit, std::int64_t rest,
                         bool& saturated) noexcept {
  return saturate(static_cast<__int128>(value) * unit + rest, saturated);
}

std::int64_t instant_of_number(std::int64_t value) noexcept {
  bool saturated = false;
  return scale_to_ns(value, ns_per_unit_of(value), 0, saturated);
}

std::int64_t instant_of_number(double value) noexcept {
  constexpr double kBeyond = 9.2e18;  // counts as beyond the range: 2261-07-15 and later
  if (std::isnan(value)) {
    return 0;
  }
  if (std::abs(value) > kBeyond) {
    return value < 0 ? kFirstNs : kLastNs;
  }
  // Its decimal digits times a power of ten: exact, where the product of two doubles is not.
  std::array<char, 32> buffer;  // "-1.2345678901234567e-308"
  const char* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                        std::abs(value), std::chars_format::scientific)
                              .ptr;
  __int128 digits = 0;
  int exponent = decimals_of_unit(ns_per_unit_of(static_cast<std::int64_t>(value)));
  const char* at = buffer.data();
  for (bool decimals = false; *at != 'e'; ++at) {
    if (*at == '.') {
      decimals = true;
    } else {
      digits = digits * 10 + (*at - '0');
      exponent -= decimals ? 1 : 0;
    }
  }
  int printed = 0;
  std::from_chars(at[1] == '+' ? at + 2 : at + 1, end, printed);
  exponent += printed;
  // The result has 20 digits at most.
  for (; exponent > 0; --exponent) {
    digits *= 10;
  }
  for (; exponent < 0 && digits != 0; ++exponent) {
    digits /= 10;
  }
  bool saturated = false;
  return saturate(value < 0 ? -digits : digits, saturated);
}

}  // namespace fonds
