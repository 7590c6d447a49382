#include "format/warc/verifying/verify_syntax.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <arpa/inet.h>
#include <sys/socket.h>

#include "base/text.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/grammar_detail.hpp"

namespace fonds::warc::verify {
namespace {

using detail::is_blank;
using detail::trim_blanks;

constexpr unsigned kToken = 1;
constexpr unsigned kUri = 2;
constexpr unsigned kHex = 4;
constexpr unsigned kControl = 8;

constexpr std::array<std::uint8_t, 256> make_classes() {
  constexpr std::string_view kSeparators = "()<>@,;:\\\"/[]?={} \t";
  constexpr std::string_view kUriMarks = "-._~:/?#[]@!$&'()*+,;=%";
  std::array<std::uint8_t, 256> classes = {};
  for (unsigned c = 0; c < 0x80; ++c) {
    const char letter = static_cast<char>(c);
    const bool control = c < 0x20 || c == 0x7f;
    const bool digit = c >= '0' && c <= '9';
    const bool alpha = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    unsigned bits = 0;
    bits |= !control && kSeparators.find(letter) == std::string_view::npos ? kToken : 0U;
    bits |= digit || alpha || kUriMarks.find(letter) != std::string_view::npos ? kUri : 0U;
    bits |= digit || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f') ? kHex : 0U;
    bits |= control && c != '\t' ? kControl : 0U;
    classes[c] = static_cast<std::uint8_t>(bits);
  }
  return classes;
}
constexpr std::array<std::uint8_t, 256> kClasses = make_classes();

std::uint8_t class_of(char c) noexcept { return kClasses[static_cast<unsigned char>(c)]; }

// The classes that all of the text has; 0xff for an empty one.
std::uint8_t common_classes(std::string_view text) noexcept {
  unsigned all = 0xff;
  for (const char c : text) {
    all &= class_of(c);
  }
  return static_cast<std::uint8_t>(all);
}

bool percents_are_right(std::string_view text) noexcept {
  for (std::size_t at = text.find('%'); at != npos; at = text.find('%', at + 1)) {
    if (text.size() - at < 3 || (class_of(text[at + 1]) & class_of(text[at + 2]) & kHex) == 0) {
      return false;
    }
  }
  return true;
}

// `text` is what stands behind the scheme and its colon.
bool brackets_are_right(std::string_view text) noexcept {
  const std::size_t first = text.find_first_of("[]");
  if (first == npos) {
    return true;
  }
  if (!text.starts_with("//")) {
    return false;
  }
  const std::size_t host_end = text.find_first_of("/?#", 2);
  const std::size_t last = text.find_last_of("[]");
  return text[first] == '[' && text[last] == ']' && last < host_end &&
         text.find_first_of("[]", first + 1) == last;
}

// Takes a token, or with `quoted` a quoted-string, off the start of `text`.
bool take_value(std::string_view& text, bool quoted) noexcept {
  std::size_t n = 0;
  if (quoted && text.starts_with('"')) {
    for (n = 1; n < text.size() && text[n] != '"'; ++n) {
      n += text[n] == '\\' ? 1 : 0;
    }
    if (n >= text.size()) {
      return false;
    }
    ++n;
  } else {
    while (n < text.size() && (class_of(text[n]) & kToken) != 0) {
      ++n;
    }
  }
  text.remove_prefix(n);
  return n > 0;
}

bool take_char(std::string_view& text, char c) noexcept {
  if (!text.starts_with(c)) {
    return false;
  }
  text.remove_prefix(1);
  return true;
}

}  // namespace

bool is_token(std::string_view text) noexcept {
  return !text.empty() && (common_classes(text) & kToken) != 0;
}

bool is_uri(std::string_view text) noexcept {
  if (!detail::has_scheme(text) || (common_classes(text) & kUri) == 0) {
    return false;
  }
  const std::string_view rest = text.substr(text.find(':') + 1);
  const std::size_t mark = rest.find('#');
  return !rest.empty() && percents_are_right(rest) && brackets_are_right(rest) &&
         (mark == npos || rest.find('#', mark + 1) == npos);
}

bool is_ip_address(std::string_view text) noexcept {
  std::array<char, 64> copy = {};
  if (text.empty() || text.size() >= copy.size() || text.find('\0') != npos) {
    return false;
  }
  text.copy(copy.data(), text.size());
  std::array<unsigned char, 16> address = {};
  const int family = text.find(':') == npos ? AF_INET : AF_INET6;
  return inet_pton(family, copy.data(), address.data()) == 1;
}

bool is_media_type(std::string_view text) noexcept {
  if (!take_value(text, false) || !take_char(text, '/') || !take_value(text, false)) {
    return false;
  }
  for (text = trim_blanks(text); !text.empty(); text = trim_blanks(text)) {
    if (!take_char(text, ';')) {
      return false;
    }
    text = trim_blanks(text);
    if (!take_value(text, false) || !take_char(text, '=') || !take_value(text, true)) {
      return false;
    }
  }
  return true;
}

bool same_media_type(std::string_view text, std::string_view wanted) noexcept {
  return equals_ignoring_case(trim_blanks(text.substr(0, text.find(';'))), wanted);
}

std::string_view media_parameter(std::string_view text, std::string_view name) noexcept {
  for (std::size_t at = text.find(';'); at != npos; at = text.find(';', at + 1)) {
    const std::string_view parameter =
        trim_blanks(text.substr(at + 1, text.find(';', at + 1) - at - 1));
    if (parameter.size() > name.size() && parameter[name.size()] == '=' &&
        starts_with_ignoring_case(parameter, name)) {
      std::string_view value = parameter.substr(name.size() + 1);
      if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
        value = value.substr(1, value.size() - 2);
      }
      return value;
    }
  }
  return {};
}

bool has_control(std::string_view text) noexcept {
  // Without a table the compiler looks at many octets at a time.
  unsigned any = 0;
  for (const char c : text) {
    const auto octet = static_cast<unsigned char>(c);
    any |= static_cast<unsigned>(octet < 0x20) | static_cast<unsigned>(octet == 0x7f);
  }
  if (any == 0) {
    return false;
  }
  for (const char c : text) {
    any |= class_of(c);
  }
  return (any & kControl) != 0;
}

std::string_view bad_line_of_fields(std::string_view block) noexcept {
  bool open = false;  // a field that a blank line start may continue
  while (!block.empty()) {
    const std::size_t end = block.find('\n');
    const std::string_view line = detail::strip_line_end(block.substr(0, end));
    block.remove_prefix(end == npos ? block.size() : end + 1);
    if (line.empty()) {
      open = false;
      continue;
    }
    if (is_blank(line.front())) {
      if (!open && !trim_blanks(line).empty()) {
        return line;
      }
      continue;
    }
    open = true;
    const std::size_t colon = line.find(':');
    if (colon == npos || !is_token(line.substr(0, colon))) {
      return line;
    }
  }
  return {};
}

}  // namespace fonds::warc::verify
