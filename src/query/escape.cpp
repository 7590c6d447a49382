#include "query/escape.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <fonds/error.hpp>
#include <fonds/query.hpp>

#include "base/utf8.hpp"
#include "query/lexer.hpp"

namespace fonds::query {
namespace {

constexpr std::size_t kUnicodeEscape = 6;  // \uXXXX

std::optional<char32_t> unicode_escape(std::string_view text, std::size_t at) {
  const std::string_view escape = text.substr(std::min(at, text.size()), kUnicodeEscape);
  if (escape.size() < kUnicodeEscape || !escape.starts_with("\\u")) {
    return std::nullopt;
  }
  std::uint32_t value = 0;
  const char* const end = escape.data() + escape.size();
  const auto read = std::from_chars(escape.data() + 2, end, value, 16);
  return read.ec == std::errc() && read.ptr == end ? std::optional<char32_t>(value) : std::nullopt;
}

bool is_high_surrogate(char32_t value) { return value >= 0xd800U && value <= 0xdbffU; }
bool is_low_surrogate(char32_t value) { return value >= 0xdc00U && value <= 0xdfffU; }

Result<Escape> read_unicode(std::string_view text, std::size_t at, Meaning meaning,
                            std::size_t fault_at) {
  const std::optional<char32_t> value = unicode_escape(text, at);
  if (!value) {
    return fault(fault_at, "expected four hexadecimal digits after '\\u'");
  }
  if (!is_high_surrogate(*value) && !is_low_surrogate(*value)) {
    return Escape{*value, kUnicodeEscape};
  }
  if (meaning == Meaning::ClpS) {
    return fault(fault_at, "found the surrogate '" + std::string(text.substr(at, kUnicodeEscape)) +
                               "'; clp-s takes such a character only as it is");
  }
  const std::optional<char32_t> low = unicode_escape(text, at + kUnicodeEscape);
  if (!is_high_surrogate(*value) || !low || !is_low_surrogate(*low)) {
    return fault(fault_at, "found half of a pair of surrogates, '" +
                               std::string(text.substr(at, kUnicodeEscape)) + "'");
  }
  return Escape{0x10000U + ((*value - 0xd800U) << 10U) + (*low - 0xdc00U), 2 * kUnicodeEscape};
}

std::optional<char32_t> control_character(char letter) {
  switch (letter) {
    case 't':
      return U'\t';
    case 'r':
      return U'\r';
    case 'n':
      return U'\n';
    case 'b':
      return U'\b';
    case 'f':
      return U'\f';
    default:
      return std::nullopt;
  }
}

}  // namespace

Result<Escape> read_escape(std::string_view text, std::size_t at, EscapePlace place,
                           Meaning meaning, std::size_t text_at) {
  constexpr std::string_view kThemselves = "\\\"*?{}()<>@$!#";
  const std::size_t fault_at = text_at + at;
  if (at + 1 == text.size()) {
    return fault(fault_at, "found a backslash at the end; a backslash is written '\\\\'");
  }
  const char letter = text[at + 1];
  if (letter == 'u') {
    return read_unicode(text, at, meaning, fault_at);
  }
  if (const auto control = control_character(letter)) {
    return Escape{*control, 2};
  }
  if (kThemselves.find(letter) != std::string_view::npos ||
      (letter == '.' && place == EscapePlace::Key) ||
      (letter == ':' && meaning == Meaning::Default)) {
    return Escape{static_cast<unsigned char>(letter), 2};
  }
  if (letter == '.') {
    return fault(fault_at, "found the escape '\\.' in a value, where a dot is only a dot");
  }
  if (letter == ':') {
    return fault(fault_at, "found the escape '\\:'; clp-s takes a colon only within quotes");
  }
  const std::string_view escape = text.substr(at, 1 + utf8::step(text, at + 1));
  return fault(fault_at, "found the unknown escape " + quoted_for_message(escape) +
                             "; a backslash is written '\\\\'");
}

}  // namespace fonds::query
