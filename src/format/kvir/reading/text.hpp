// Encoded text: a log type and its variables. docs/formats/kv-ir.md, section 6.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/clps/reading/log_type.hpp"
#include "format/kvir/reading/cursor.hpp"

namespace fonds::kvir {

// Reads an encoded text whose tag was read, and appends the text that it stands for.
void read_text(Cursor& cursor, bool eight_byte, std::string& out);

// Appends encoded texts, without the tag of the value.
class TextEncoder {
 public:
  explicit TextEncoder(bool eight_byte) : eight_byte_(eight_byte) {}
  // `text` has less than 2 GiB.
  void append(std::string_view text, std::string& out);

 private:
  bool eight_byte_;
  std::string log_type_;
  std::vector<clps::SplitVariable> variables_;
};

// The 32 bits of a float variable out of the 64 of an archive (and back); nothing if it has too
// many digits.
std::optional<std::uint32_t> narrow_float(std::uint64_t word);
std::uint64_t widen_float(std::uint32_t word);

// Appends tag and length: the shortest of 1, 2 and 4 bytes, whose tags follow each other.
void append_length(std::uint8_t first_tag, std::uint64_t length, std::string& out);
void append_big_endian(std::uint64_t value, unsigned bytes, std::string& out);

}  // namespace fonds::kvir
