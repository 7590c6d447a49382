#include "format/kvir/reading/text.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fmt/core.h>

#include "format/clps/reading/log_type.hpp"
#include "format/kvir/reading/cursor.hpp"
#include "format/kvir/tags.hpp"

namespace fonds::kvir {
namespace {

constexpr std::uint64_t kMostNarrowDigits = (std::uint64_t{1} << 25) - 1;

// A length of 1, 2 or 4 bytes; the longest has a sign.
std::uint64_t read_length(Cursor& cursor, std::uint8_t tag, std::uint8_t first_tag) {
  const unsigned width = 1U << (tag - first_tag);
  const std::size_t at = cursor.at();
  const std::uint64_t length = cursor.number(width);
  if (width == 4 && length > 0x7FFFFFFF) {
    cursor.refuse("a length is negative", at);
    return 0;
  }
  return length;
}

bool in_range(std::uint8_t tag, std::uint8_t first) { return tag >= first && tag <= first + 2; }

// The variables of one text, which were looked through before: those of one kind in their order.
class Variables {
 public:
  Variables(ByteView all, std::uint8_t encoded_tag) : rest_(all), encoded_tag_(encoded_tag) {}

  std::optional<std::uint64_t> next_encoded() {
    while (true) {
      const std::uint8_t tag = rest_.u8();
      if (!rest_.ok()) {
        return std::nullopt;
      }
      if (tag == encoded_tag_) {
        return rest_.number(tag == kEncodedFour ? 4 : 8);
      }
      rest_.take(read_length(rest_, tag, kDictionaryText));
    }
  }
  std::optional<std::string_view> next_text() {
    while (true) {
      const std::uint8_t tag = rest_.u8();
      if (!rest_.ok()) {
        return std::nullopt;
      }
      if (tag == encoded_tag_) {
        rest_.take(tag == kEncodedFour ? 4 : 8);
      } else {
        return as_text(rest_.take(read_length(rest_, tag, kDictionaryText)));
      }
    }
  }

 private:
  Cursor rest_;
  std::uint8_t encoded_tag_;
};

// Why the text cannot be put together; empty: it was appended.
std::string_view put_together(std::string_view log_type, ByteView variables, bool eight_byte,
                              std::uint64_t count, std::string& out) {
  const std::uint8_t tag = eight_byte ? kEncodedEight : kEncodedFour;
  Variables encoded(variables, tag);
  Variables texts(variables, tag);
  std::uint64_t used = 0;
  for (std::size_t at = 0; at < log_type.size();) {
    const std::size_t special = log_type.find_first_of("\x11\x12\x13\\", at);
    out += log_type.substr(at, special - at);
    if (special == std::string_view::npos) {
      break;
    }
    at = special + 1;
    if (log_type[special] == '\\') {
      if (at == log_type.size()) {
        return "a log type ends in an escape of nothing";
      }
      out += log_type[at++];
      continue;
    }
    ++used;
    if (log_type[special] == '\x12') {
      const auto text = texts.next_text();
      if (!text) {
        return "a log type has more placeholders of texts than there are";
      }
      out += *text;
      continue;
    }
    const auto word = encoded.next_encoded();
    if (!word) {
      return "a log type has more placeholders of numbers than there are";
    }
    if (log_type[special] == '\x11') {
      clps::append_integer(
          eight_byte ? static_cast<std::int64_t>(*word) : static_cast<std::int32_t>(*word), out);
    } else if (!clps::append_float(
                   eight_byte ? *word : widen_float(static_cast<std::uint32_t>(*word)),
                   clps::Generation::New, out)) {
      return "a float of a text has more decimals than digits, or more digits than it says";
    }
  }
  return used == count ? std::string_view() : "a text has variables without a placeholder";
}

}  // namespace

void read_text(Cursor& cursor, bool eight_byte, std::string& out) {
  const std::size_t begin = cursor.at();
  const std::uint8_t encoded_tag = eight_byte ? kEncodedEight : kEncodedFour;
  std::uint64_t count = 0;
  while (true) {
    const std::size_t at = cursor.at();
    const std::uint8_t tag = cursor.u8();
    if (!cursor.ok()) {
      return;
    }
    if (tag == encoded_tag) {
      cursor.take(eight_byte ? 8 : 4);
    } else if (in_range(tag, kDictionaryText)) {
      cursor.take(read_length(cursor, tag, kDictionaryText));
    } else if (in_range(tag, kLogType)) {
      const std::string_view log_type = as_text(cursor.take(read_length(cursor, tag, kLogType)));
      if (!cursor.ok()) {
        return;
      }
      const std::string_view fault =
          put_together(log_type, cursor.between(begin, at), eight_byte, count, out);
      if (!fault.empty()) {
        cursor.refuse(std::string(fault), at);
      }
      return;
    } else {
      cursor.refuse(fmt::format("0x{:02x} begins no variable and no log type", tag), at);
      return;
    }
    ++count;
  }
}

std::uint64_t widen_float(std::uint32_t word) {
  const std::uint64_t sign = word >> 31;
  const std::uint64_t digits = word >> 6 & kMostNarrowDigits;
  const std::uint64_t count = word >> 3 & 7;
  const std::uint64_t decimals = word & 7;
  return sign << 63 | digits << 8 | count << 4 | decimals;
}

std::optional<std::uint32_t> narrow_float(std::uint64_t word) {
  const std::uint64_t digits = word >> 8 & ((std::uint64_t{1} << 54) - 1);
  const std::uint64_t count = word >> 4 & 15;
  const std::uint64_t decimals = word & 15;
  if (digits > kMostNarrowDigits || count > 7 || decimals > 7) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>((word >> 63) << 31 | digits << 6 | count << 3 | decimals);
}

void append_big_endian(std::uint64_t value, unsigned bytes, std::string& out) {
  for (unsigned shift = 8 * bytes; shift > 0; shift -= 8) {
    out += static_cast<char>(value >> (shift - 8) & 0xFF);
  }
}

void append_length(std::uint8_t first_tag, std::uint64_t length, std::string& out) {
  const unsigned step = length <= 0xFF ? 0 : length <= 0xFFFF ? 1 : 2;
  out += static_cast<char>(first_tag + step);
  append_big_endian(length, 1U << step, out);
}

void TextEncoder::append(std::string_view text, std::string& out) {
  log_type_.clear();
  variables_.clear();
  clps::split_text(text, clps::Generation::New, log_type_, variables_);
  std::size_t at = 0;
  for (const clps::SplitVariable& variable : variables_) {
    clps::next_placeholder(log_type_, clps::Generation::New, at);
    std::optional<std::uint64_t> word;
    if (variable.placeholder == clps::Placeholder::Integer) {
      const auto value = static_cast<std::int64_t>(variable.word);
      if (eight_byte_ || value == static_cast<std::int32_t>(value)) {
        word = variable.word;
      }
    } else if (variable.placeholder == clps::Placeholder::Float) {
      if (eight_byte_) {
        word = variable.word;
      } else if (const auto narrow = narrow_float(variable.word)) {
        word = *narrow;
      }
    }
    if (word) {
      out += static_cast<char>(eight_byte_ ? kEncodedEight : kEncodedFour);
      append_big_endian(*word, eight_byte_ ? 8 : 4, out);
    } else {
      log_type_[at - 1] = '\x12';  // what does not fit is a text
      append_length(kDictionaryText, variable.text.size(), out);
      out += variable.text;
    }
  }
  append_length(kLogType, log_type_.size(), out);
  out += log_type_;
}

}  // namespace fonds::kvir
