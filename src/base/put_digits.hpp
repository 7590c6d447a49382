// Text into a buffer that has room for it: each function writes at `at` and returns the place
// behind.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace fonds {

// "00" to "99", so that two digits are one copy.
inline constexpr std::array<char, 200> kDigitPairs = [] {
  std::array<char, 200> pairs{};
  for (std::size_t i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();

inline char* put_text(char* at, std::string_view text) noexcept {
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

// `value` is below 100.
inline char* put_two(char* at, unsigned value) noexcept {
  std::memcpy(at, kDigitPairs.data() + std::size_t{2} * value, 2);
  return at + 2;
}

// `value` is below 100; a blank stands for the ten of 0 to 9.
inline char* put_blank_padded(char* at, unsigned value) noexcept {
  put_two(at, value);
  if (value < 10) {
    *at = ' ';
  }
  return at + 2;
}

// `value` is below 1000.
inline char* put_three(char* at, unsigned value) noexcept {
  *at = static_cast<char>('0' + value / 100);
  return put_two(at + 1, value % 100);
}

// `value` is below 10^9.
inline char* put_nine(char* at, std::uint32_t value) noexcept {
  at = put_three(at, value / 1000000);
  at = put_three(at, value / 1000 % 1000);
  return put_three(at, value % 1000);
}

// 20 bytes at most.
inline char* put_number(char* at, std::int64_t value) noexcept {
  return std::to_chars(at, at + 20, value).ptr;
}

}  // namespace fonds
