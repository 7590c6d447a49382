#include "base/nearest_double.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <system_error>

namespace fonds {
namespace {

// Of digits beyond the range of doubles: whether they are too small, not too large.
bool is_tiny(std::string_view digits) {
  constexpr std::int64_t kFar = std::int64_t{1} << 62U;
  const std::size_t mark = std::min(digits.find_first_of("eE"), digits.size());
  const std::string_view mantissa = digits.substr(0, mark);
  const std::size_t point = std::min(mantissa.find('.'), mark);
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) {
    return true;
  }
  std::int64_t exponent = 0;
  if (mark < digits.size()) {
    const std::string_view text = digits.substr(mark + 1);
    const bool plus = text.starts_with('+');
    const auto read =
        std::from_chars(text.data() + (plus ? 1 : 0), text.data() + text.size(), exponent);
    if (read.ec != std::errc()) {
      exponent = text.starts_with('-') ? -kFar : kFar;
    }
  }
  return static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) + exponent < 0;
}

}  // namespace

double nearest_double(std::string_view number) {
  const bool negative = number.starts_with('-');
  const std::string_view digits = number.substr(negative ? 1 : 0);
  double value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec == std::errc::result_out_of_range) {
    value = is_tiny(digits) ? 0.0 : std::numeric_limits<double>::infinity();
  }
  return std::copysign(value, negative ? -1.0 : 1.0);
}

}  // namespace fonds
