#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fonds/query.hpp>

#include "base/nearest_double.hpp"
#include "base/text.hpp"

namespace fonds::query {
namespace {

constexpr double kTwo63 = 9223372036854775808.0;

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) {
    ++end;
  }
  return end - at;
}

// Behind the sign: digits with a point or an exponent or both, at least one digit before the
// exponent. No hexadecimal, no names.
bool is_real(std::string_view text) {
  std::size_t at = digits_at(text, 0);
  std::size_t digits = at;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = digits_at(text, at + 1);
    digits += fraction;
    at += 1 + fraction;
  }
  if (digits == 0) {
    return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) {
      ++at;
    }
    const std::size_t exponent = digits_at(text, at);
    if (exponent == 0) {
      return false;
    }
    at += exponent;
  }
  return at == text.size();
}

// Not of nan. `integer` against a real that may lie between integers.
std::partial_ordering compare_exactly(std::int64_t integer, double real) {
  if (real >= kTwo63) {
    return std::partial_ordering::less;
  }
  if (real < -kTwo63) {
    return std::partial_ordering::greater;
  }
  const double whole = std::trunc(real);
  const auto rounded = static_cast<std::int64_t>(whole);
  if (integer != rounded) {
    return integer <=> rounded;
  }
  return whole <=> real;
}

std::partial_ordering compare_digits(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) {
    return a.size() <=> b.size();
  }
  return a.compare(b) <=> 0;
}

// Sign and digits without leading zeros, both outside of int64.
std::partial_ordering compare_big(std::string_view a, std::string_view b) {
  const bool negative = a.front() == '-';
  if (negative != (b.front() == '-')) {
    return negative ? std::partial_ordering::less : std::partial_ordering::greater;
  }
  return negative ? compare_digits(b.substr(1), a.substr(1)) : compare_digits(a, b);
}

std::partial_ordering reversed(std::partial_ordering order) { return 0 <=> order; }

std::string exact_digits(double whole) {
  std::array<char, 320> buffer{};  // the largest double has 309 digits
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), whole,
                                 std::chars_format::fixed, 0);
  return {buffer.data(), end.ptr};
}

}  // namespace

std::optional<Number> Number::parse(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view digits = negative || text.starts_with('+') ? text.substr(1) : text;
  if (digits.empty()) {
    return std::nullopt;
  }
  if (digits_at(digits, 0) == digits.size()) {
    const std::string_view significant =
        digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1));
    std::string spelled = (negative ? "-" : "") + std::string(significant);
    std::int64_t value = 0;
    const auto read = std::from_chars(spelled.data(), spelled.data() + spelled.size(), value);
    if (read.ec == std::errc()) {
      return Number(value);
    }
    Number big(std::int64_t{0});
    big.kind_ = Kind::Big;
    big.big_ = std::move(spelled);
    big.real_ = nearest_double(big.big_);
    return big;
  }
  if (!is_real(digits)) {
    return std::nullopt;
  }
  const double value = nearest_double(digits);
  if (std::isinf(value)) {
    return std::nullopt;
  }
  return Number(negative ? -value : value);
}

std::partial_ordering Number::compare(std::int64_t stored) const {
  switch (kind_) {
    case Kind::Small:
      return small_ <=> stored;
    case Kind::Big:
      return big_.front() == '-' ? std::partial_ordering::less : std::partial_ordering::greater;
    case Kind::Real:
      return std::isnan(real_) ? std::partial_ordering::unordered
                               : reversed(compare_exactly(stored, real_));
  }
  return std::partial_ordering::unordered;
}

std::partial_ordering Number::compare(double stored) const {
  if (std::isnan(stored)) {
    return std::partial_ordering::unordered;
  }
  switch (kind_) {
    case Kind::Small:
      return compare_exactly(small_, stored);
    case Kind::Big:
      // Rounding keeps order, so only a double that is the nearest one needs a closer look.
      if (real_ != stored) {
        return real_ <=> stored;
      }
      if (std::isinf(stored)) {
        return stored < 0 ? std::partial_ordering::greater : std::partial_ordering::less;
      }
      return compare_big(big_, exact_digits(stored));
    case Kind::Real:
      return real_ <=> stored;
  }
  return std::partial_ordering::unordered;
}

std::partial_ordering Number::compare(const Number& stored) const {
  switch (stored.kind_) {
    case Kind::Small:
      return compare(stored.small_);
    case Kind::Real:
      return compare(stored.real_);
    case Kind::Big:
      return kind_ == Kind::Big ? compare_big(big_, stored.big_) : reversed(stored.compare(*this));
  }
  return std::partial_ordering::unordered;
}

std::optional<std::int64_t> Number::as_int64() const {
  return kind_ == Kind::Small ? std::optional(small_) : std::nullopt;
}

double Number::as_double() const {
  return kind_ == Kind::Small ? static_cast<double>(small_) : real_;
}

}  // namespace fonds::query
