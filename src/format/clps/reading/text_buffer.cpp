#include "format/clps/reading/text_buffer.hpp"

#include <bit>
#include <cstdint>

namespace fonds::clps {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kHighs = 0x8080808080808080;

// A high bit wherever one of eight octets is a control character, a quote or a backslash; octets
// behind the first such one may be marked wrongly.
std::uint64_t marks(std::uint64_t eight) {
  const std::uint64_t controls = (eight - kOnes * 0x20) & ~eight;
  const std::uint64_t quotes = eight ^ (kOnes * '"');
  const std::uint64_t slashes = eight ^ (kOnes * '\\');
  return (controls | ((quotes - kOnes) & ~quotes) | ((slashes - kOnes) & ~slashes)) & kHighs;
}

std::uint64_t load(const char* at) {
  std::uint64_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

bool is_special(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

// How many octets from the start can stand as they are.
std::size_t plain_run(std::string_view text) {
  std::size_t at = 0;
  while (text.size() - at >= 8 && marks(load(text.data() + at)) == 0) {
    at += 8;
  }
  while (at < text.size() && !is_special(text[at])) {
    ++at;
  }
  return at;
}

}  // namespace

bool needs_escape(std::string_view text) { return plain_run(text) < text.size(); }

void TextBuffer::append_escaped(std::string_view text) {
  while (true) {
    const std::size_t run = plain_run(text);
    append(text.substr(0, run));
    if (run == text.size()) {
      return;
    }
    const char c = text[run];
    text.remove_prefix(run + 1);
    constexpr std::string_view kCodes = "\b\t\n\f\r\"\\";
    constexpr std::string_view kLetters = "btnfr\"\\";
    if (const std::size_t code = kCodes.find(c); code != std::string_view::npos) {
      char* const to = room(2);
      to[0] = '\\';
      to[1] = kLetters[code];
      grow(2);
    } else {
      constexpr std::string_view kHex = "0123456789abcdef";
      append("\\u00");
      char* const to = room(2);
      to[0] = kHex[static_cast<unsigned char>(c) >> 4];
      to[1] = kHex[static_cast<unsigned char>(c) & 0xF];
      grow(2);
    }
  }
}

}  // namespace fonds::clps
