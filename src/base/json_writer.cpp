#include "base/json_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/text.hpp"

namespace fonds {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101U;

bool needs_escape(char c) { return static_cast<unsigned char>(c) < 0x20U || c == '"' || c == '\\'; }

// Whether one of the eight octets of `word` needs an escape. May say yes for nothing, never no.
bool may_need_escape(std::uint64_t word) {
  const std::uint64_t quote = word ^ (kOnes * '"');
  const std::uint64_t backslash = word ^ (kOnes * '\\');
  const std::uint64_t found = ((word - kOnes * 0x20U) & ~word) | ((quote - kOnes) & ~quote) |
                              ((backslash - kOnes) & ~backslash);
  return (found & kHighBits) != 0;
}

// The first place from `at` on that needs an escape, or the end.
std::size_t find_escape(std::string_view text, std::size_t at) {
  while (text.size() - at >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof word);
    if (may_need_escape(word)) {
      break;
    }
    at += 8;
  }
  while (at < text.size() && !needs_escape(text[at])) {
    ++at;
  }
  return at;
}

void put_escape(std::string& out, char c) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  const auto value = static_cast<unsigned char>(c);
  out += "\\u00";
  out += kHexDigits[value >> 4U];
  out += kHexDigits[value & 0xfU];
}

// `text` is UTF-8.
void put_text(std::string& out, std::string_view text) {
  out += '"';
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t next = find_escape(text, at);
    out.append(text, at, next - at);
    if (next < text.size()) {
      put_escape(out, text[next]);
      at = next + 1;
    } else {
      at = next;
    }
  }
  out += '"';
}

template <typename T>
void append_number(std::string& out, T number) {
  std::array<char, 32> buffer = {};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  out.append(buffer.data(), result.ptr);
}

}  // namespace

void JsonWriter::comma() {
  if (after_key_) {
    after_key_ = false;
  } else if (!first_) {
    out_ += ',';
  }
  first_ = false;
}

JsonWriter& JsonWriter::begin_object() {
  comma();
  out_ += '{';
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  out_ += '}';
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  comma();
  out_ += '[';
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  out_ += ']';
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  comma();
  out_ += '"';
  out_ += name;
  out_ += "\":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  comma();
  if (is_utf8(text)) {
    put_text(out_, text);
  } else {
    put_text(out_, latin1_to_utf8(text));
  }
  return *this;
}

JsonWriter& JsonWriter::value(std::uint64_t number) {
  comma();
  append_number(out_, number);
  return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number) {
  comma();
  append_number(out_, number);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) {
    return null();
  }
  comma();
  append_number(out_, number);
  return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
  comma();
  out_ += truth ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::value(const std::optional<std::uint64_t>& number) {
  return number ? value(*number) : null();
}

JsonWriter& JsonWriter::text_key(std::string_view name) {
  value(name);
  out_ += ':';
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value_follows() {
  comma();
  return *this;
}

JsonWriter& JsonWriter::members(std::string_view text) {
  if (!text.empty()) {
    comma();
    out_ += text;
  }
  return *this;
}

JsonWriter& JsonWriter::null() {
  comma();
  out_ += "null";
  return *this;
}

}  // namespace fonds
