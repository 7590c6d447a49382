// How a clp-s archive keeps the spelling of floating-point numbers: docs/formats/clp-s.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fonds::clps {

// Whether a format word of a FormattedFloat column has a meaning.
bool valid_float_format(std::uint16_t word) noexcept;

// Appends `value` as `word` says: a JSON number, but inf and nan as C prints them. `word` is valid.
void print_formatted_float(double value, std::uint16_t word, std::string& out);

// Appends `value` as C's "%f" does: a Float column has no formats.
void print_plain_float(double value, std::string& out);

// The word with which print_formatted_float() gives exactly this JSON number again; nothing if
// there is none, or if the text is no JSON number with a point or an exponent.
std::optional<std::uint16_t> float_format_of(std::string_view json_number);
// The same for those who know the number's value.
std::optional<std::uint16_t> float_format_of(std::string_view json_number, double value);

}  // namespace fonds::clps
