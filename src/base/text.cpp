#include "base/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/bytes.hpp"
#include "base/utf8.hpp"

namespace fonds {
namespace {

// Characters that change how a terminal shows what is around them.
bool is_unsafe(char32_t c) {
  return c < 0x20U || (c >= 0x7fU && c < 0xa0U) || c == 0x061cU || c == 0x200eU || c == 0x200fU ||
         (c >= 0x2028U && c <= 0x202eU) || (c >= 0x2066U && c <= 0x2069U);
}

constexpr std::string_view kHexDigits = "0123456789abcdef";

void put_octet_escape(std::string& out, unsigned value) {
  out += "\\x";
  out += kHexDigits[value >> 4U];
  out += kHexDigits[value & 0xfU];
}

void put_character_escape(std::string& out, char32_t value) {
  out += "\\u{";
  bool started = false;
  for (unsigned shift = 24; shift > 0;) {
    shift -= 4;
    const unsigned digit = (value >> shift) & 0xfU;
    started = started || digit != 0;
    if (started) {
      out += kHexDigits[digit];
    }
  }
  out += '}';
}

}  // namespace

bool is_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (text.size() - at >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + at, sizeof word);
      if ((word & kHighBits) == 0) {
        at += 8;
        continue;
      }
    }
    const std::size_t length = utf8::length_at(text, at);
    if (length == 0) {
      return false;
    }
    at += length;
  }
  return true;
}

std::string latin1_to_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    const unsigned value = utf8::octet(c);
    if (value < 0x80U) {
      out += c;
    } else {
      out += static_cast<char>(0xc0U | (value >> 6U));
      out += static_cast<char>(0x80U | (value & 0x3fU));
    }
  }
  return out;
}

std::string to_utf8(std::string_view text) {
  return is_utf8(text) ? std::string(text) : latin1_to_utf8(text);
}

bool is_plain_ascii(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

std::string escape_for_terminal(std::string_view text) {
  if (is_plain_ascii(text)) {
    return std::string(text);
  }
  std::string out;
  out.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = utf8::length_at(text, at);
    if (length == 0) {
      put_octet_escape(out, utf8::octet(text[at]));
      ++at;
      continue;
    }
    const char32_t c = utf8::value_at(text, at, length);
    if (!is_unsafe(c)) {
      out.append(text, at, length);
    } else if (length == 1) {
      put_octet_escape(out, static_cast<unsigned>(c));
    } else {
      put_character_escape(out, c);
    }
    at += length;
  }
  return out;
}

char to_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = to_lower(c);
  }
  return out;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (to_lower(a[i]) != to_lower(b[i])) {
      return false;
    }
  }
  return true;
}

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) noexcept {
  return text.size() >= prefix.size() &&
         equals_ignoring_case(text.substr(0, prefix.size()), prefix);
}

std::string_view trim(std::string_view text) noexcept {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

std::optional<std::uint64_t> parse_number(std::string_view text) noexcept {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty()
             ? std::optional(value)
             : std::nullopt;
}

}  // namespace fonds
