// Code points of UTF-8 text that may be damaged: an octet that belongs to no well-formed character
// counts as one character of its own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fonds::utf8 {

inline unsigned octet(char c) { return static_cast<unsigned char>(c); }

inline bool is_continuation(char c) { return (octet(c) & 0xc0U) == 0x80U; }

// The length in octets of the well-formed character (Unicode, table 3-7) at `at`, or 0.
inline std::size_t length_at(std::string_view text, std::size_t at) {
  const unsigned lead = octet(text[at]);
  if (lead < 0x80U) {
    return 1;
  }
  const std::size_t left = text.size() - at;
  if (lead >= 0xc2U && lead <= 0xdfU) {
    return left >= 2 && is_continuation(text[at + 1]) ? 2 : 0;
  }
  if (lead >= 0xe0U && lead <= 0xefU) {
    if (left < 3 || !is_continuation(text[at + 1]) || !is_continuation(text[at + 2])) {
      return 0;
    }
    const unsigned second = octet(text[at + 1]);
    const bool overlong = lead == 0xe0U && second < 0xa0U;
    const bool surrogate = lead == 0xedU && second > 0x9fU;
    return overlong || surrogate ? 0 : 3;
  }
  if (lead >= 0xf0U && lead <= 0xf4U) {
    if (left < 4 || !is_continuation(text[at + 1]) || !is_continuation(text[at + 2]) ||
        !is_continuation(text[at + 3])) {
      return 0;
    }
    const unsigned second = octet(text[at + 1]);
    const bool overlong = lead == 0xf0U && second < 0x90U;
    const bool too_large = lead == 0xf4U && second > 0x8fU;
    return overlong || too_large ? 0 : 4;
  }
  return 0;
}

// How many octets the character at `at` takes, 1 if it is no character.
inline std::size_t step(std::string_view text, std::size_t at) {
  const std::size_t length = length_at(text, at);
  return length == 0 ? 1 : length;
}

// The same for the character that ends before `at`, which is not 0.
inline std::size_t step_back(std::string_view text, std::size_t at) {
  for (std::size_t length = 2; length <= 4 && length <= at; ++length) {
    if (!is_continuation(text[at - length + 1])) {
      break;
    }
    if (length_at(text, at - length) == length) {
      return length;
    }
  }
  return 1;
}

// The character of `length` octets at `at`.
inline char32_t value_at(std::string_view text, std::size_t at, std::size_t length) {
  const unsigned lead = octet(text[at]);
  char32_t value = length == 1 ? lead : lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    value = (value << 6U) | (octet(text[at + i]) & 0x3fU);
  }
  return value;
}

// Of a surrogate: the three octets that its number would have.
inline void append(std::string& out, char32_t value) {
  const auto put = [&out](char32_t bits) { out += static_cast<char>(bits); };
  if (value < 0x80U) {
    put(value);
  } else if (value < 0x800U) {
    put(0xc0U | (value >> 6U));
    put(0x80U | (value & 0x3fU));
  } else if (value < 0x10000U) {
    put(0xe0U | (value >> 12U));
    put(0x80U | ((value >> 6U) & 0x3fU));
    put(0x80U | (value & 0x3fU));
  } else {
    put(0xf0U | (value >> 18U));
    put(0x80U | ((value >> 12U) & 0x3fU));
    put(0x80U | ((value >> 6U) & 0x3fU));
    put(0x80U | (value & 0x3fU));
  }
}

}  // namespace fonds::utf8
