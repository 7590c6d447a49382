// Hosts of URLs as keys hold them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <idn2.h>

#include "base/text.hpp"
#include "index/surt_canonical.hpp"

namespace fonds::index::detail {
namespace {

constexpr std::size_t kLongestLabel = 63;  // RFC 1034, 3.1
// A label of more octets has no "xn--" form that is short enough.
constexpr std::size_t kLongestUnicodeLabel = 1024;

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

// Octets of the UTF-8 character at the start of `text`; 0 if there is none.
std::size_t character_length(std::string_view text) {
  for (std::size_t n = 1; n <= std::min<std::size_t>(4, text.size()); ++n) {
    if (is_utf8(text.substr(0, n))) {
      return n;
    }
  }
  return 0;
}

// Without the octets that are no UTF-8, and with all kinds of dots as ".".
std::string with_plain_dots(std::string_view host) {
  std::string plain;
  while (!host.empty()) {
    const std::size_t n = character_length(host);
    const std::string_view character = host.substr(0, n);
    if (character == "\u3002" || character == "\uff0e" || character == "\uff61") {
      plain += '.';
    } else {
      plain += character;
    }
    host = host.substr(std::max<std::size_t>(n, 1));
  }
  return plain;
}

std::optional<std::string> idna_label(std::string_view label) {
  if (is_ascii(label)) {
    return label.empty() || label.size() > kLongestLabel ? std::nullopt
                                                         : std::optional<std::string>(label);
  }
  if (label.size() > kLongestUnicodeLabel || label.find('\0') != std::string_view::npos) {
    return std::nullopt;
  }
  const std::string terminated(label);
  std::uint8_t* converted = nullptr;
  // The mapping of UTS 46 that agrees with IDNA 2003, by which all keys so far were made.
  const int status = idn2_lookup_u8(reinterpret_cast<const std::uint8_t*>(terminated.c_str()),
                                    &converted, IDN2_TRANSITIONAL);
  if (status != IDN2_OK) {
    return std::nullopt;
  }
  const std::unique_ptr<std::uint8_t, void (*)(void*)> owner(converted, idn2_free);
  return std::string(reinterpret_cast<const char*>(converted));
}

std::string dotted_quad(std::uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, (address >> 16) & 255, (address >> 8) & 255,
                     address & 255);
}

std::optional<std::uint32_t> parse_part(std::string_view digits, std::uint64_t most) {
  const std::uint64_t base = digits.size() > 1 && digits.front() == '0' ? 8 : 10;
  std::uint64_t value = 0;
  for (const char c : digits) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    value = value * base + digit;
    if (digit >= base || value > most) {
      return std::nullopt;
    }
  }
  return static_cast<std::uint32_t>(value);
}

// An address as one number, or as inet_aton() takes it: 2 to 4 numbers joined by dots, octal behind
// a 0, the last one filling what is left. Hexadecimal numbers are none here, and a first number
// that is octal wants all to be.
std::optional<std::uint32_t> parse_ip4(std::string_view host) {
  if (host.empty() || host.find_first_not_of("0123456789.") != std::string_view::npos) {
    return std::nullopt;
  }
  if (host.find('.') == std::string_view::npos) {
    std::uint32_t value = 0;  // modulo 2^32
    for (const char c : host) {
      value = value * 10 + static_cast<std::uint32_t>(c - '0');
    }
    return value;
  }
  if (host.front() == '0' && host.find_first_of("89") != std::string_view::npos) {
    return std::nullopt;
  }
  std::uint32_t address = 0;
  for (unsigned part = 0; part < 4; ++part) {
    const std::size_t dot = host.find('.');
    const bool last = dot == std::string_view::npos;
    const std::string_view digits = host.substr(0, dot);
    const unsigned bits = last ? 32 - 8 * part : 8;
    const auto value = parse_part(digits, (std::uint64_t{1} << bits) - 1);
    if (digits.empty() || !value) {
      return std::nullopt;
    }
    if (last) {
      return address | *value;
    }
    address |= *value << (24 - 8 * part);
    host = host.substr(dot + 1);
  }
  return std::nullopt;
}

std::string without_double_dots(std::string_view host) {
  std::string single;
  for (std::size_t i = 0; i < host.size(); ++i) {
    single += host[i];
    if (host[i] == '.' && i + 1 < host.size() && host[i + 1] == '.') {
      ++i;
    }
  }
  return single;
}

std::string_view without_outer_dots(std::string_view host) {
  const std::size_t begin = std::min(host.find_first_not_of('.'), host.size());
  return host.substr(begin, host.find_last_not_of('.') + 1 - begin);
}

}  // namespace

std::optional<std::string> idna_host(std::string_view host) {
  const std::string plain = with_plain_dots(host);
  std::string converted;
  std::string_view rest = plain;
  while (!rest.empty()) {
    const std::size_t dot = rest.find('.');
    const auto label = idna_label(rest.substr(0, dot));
    if (!label) {
      return std::nullopt;
    }
    converted += *label;
    if (dot == std::string_view::npos) {
      break;
    }
    converted += '.';
    rest = rest.substr(dot + 1);
  }
  return converted;
}

std::string canonical_host(std::string_view host) {
  std::string unescaped;
  append_unescaped(unescaped, host);
  if (!is_ascii(unescaped)) {
    if (auto converted = idna_host(unescaped)) {
      unescaped = std::move(*converted);
    }
  }
  const std::string single = without_double_dots(unescaped);
  const std::string_view name = without_outer_dots(single);
  if (const auto address = parse_ip4(name)) {
    return dotted_quad(*address);
  }
  std::string escaped;
  append_escaped_lower(escaped, name);
  return escaped;
}

}  // namespace fonds::index::detail
