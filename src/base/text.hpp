// Text that comes out of archives: hostile until proved otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fonds {

inline constexpr std::size_t npos = std::string_view::npos;

bool is_utf8(std::string_view text);
// Every octet becomes the character of the same number.
std::string latin1_to_utf8(std::string_view text);
// `text` if it is UTF-8, else its Latin-1 reading.
std::string to_utf8(std::string_view text);
// For a terminal or a table: control characters (C0, DEL, C1), and Unicode's direction and line
// separators, become
// \xNN or \u{N}; a backslash stays. Octets that are not UTF-8 become \xNN.
std::string escape_for_terminal(std::string_view text);
// Printable ASCII only: nothing that escape_for_terminal would change.
bool is_plain_ascii(std::string_view text) noexcept;
// ASCII only, no locale.
constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
// Of a hexadecimal digit in any case; -1 if it is none.
constexpr int hex_value(char c) noexcept {
  return is_digit(c)              ? c - '0'
         : (c >= 'a' && c <= 'f') ? c - 'a' + 10
         : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                  : -1;
}
constexpr bool is_hex_digit(char c) noexcept { return hex_value(c) >= 0; }
char to_lower(char c) noexcept;
std::string to_lower(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept;
bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) noexcept;
// Without SP and HTAB (and CR, LF) at both ends.
std::string_view trim(std::string_view text) noexcept;
// Decimal digits and nothing else; nothing if there are none or the number has more than 64 bits.
std::optional<std::uint64_t> parse_number(std::string_view text) noexcept;

}  // namespace fonds
