// Numbers, texts and bytes back to back in a text, for what one process keeps to itself: nothing of
// it is checked when it is taken out again.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fonds/bytes.hpp>

#include "base/bytes.hpp"

namespace fonds::ops {

inline void put_number(std::string& out, std::uint64_t value) {
  std::array<std::byte, 8> bytes;
  store_le64(value, bytes.data());
  out.append(as_text(bytes));
}
inline void put_text(std::string& out, std::string_view text) {
  put_number(out, text.size());
  out += text;
}
template <std::size_t N>
inline void put_bytes(std::string& out, const std::array<std::byte, N>& bytes) {
  out.append(as_text(bytes));
}

// Each takes from the front of `text`.
inline std::string_view take_bytes(std::string_view& text, std::size_t n) {
  const std::string_view bytes = text.substr(0, n);
  text.remove_prefix(n);
  return bytes;
}
inline std::uint64_t take_number(std::string_view& text) {
  return load_le64(as_bytes(take_bytes(text, 8)));
}
inline std::string_view take_text(std::string_view& text) {
  const std::uint64_t size = take_number(text);
  return take_bytes(text, static_cast<std::size_t>(size));
}
template <std::size_t N>
void take_bytes(std::string_view& text, std::array<std::byte, N>& into) {
  std::ranges::copy(as_bytes(take_bytes(text, N)), into.begin());
}

// "<urn:uuid:…>" without the brackets.
inline std::string_view without_brackets(std::string_view text) {
  return text.size() >= 2 && text.front() == '<' && text.back() == '>'
             ? text.substr(1, text.size() - 2)
             : text;
}

}  // namespace fonds::ops
