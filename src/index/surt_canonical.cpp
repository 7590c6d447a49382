#include "index/surt_canonical.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace fonds::index::detail {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

bool is_letter(char c) { return to_lower(c) >= 'a' && to_lower(c) <= 'z'; }

// Value of a hexadecimal digit; -1 of anything else.
constexpr std::array<signed char, 256> make_hex_values() {
  std::array<signed char, 256> values = {};
  values.fill(-1);
  for (std::size_t i = 0; i < 10; ++i) {
    values['0' + i] = static_cast<signed char>(i);
  }
  for (std::size_t i = 0; i < 6; ++i) {
    values['a' + i] = values['A' + i] = static_cast<signed char>(10 + i);
  }
  return values;
}
constexpr std::array<signed char, 256> kHexValues = make_hex_values();
int hex_value(char c) { return kHexValues[static_cast<unsigned char>(c)]; }

constexpr std::array<bool, 256> make_clean() {
  std::array<bool, 256> clean = {};
  for (std::size_t c = '!'; c <= '~'; ++c) {
    clean[c] = c != '#' && c != '%';
  }
  return clean;
}
constexpr std::array<bool, 256> kClean = make_clean();

// Length of the scheme at the start of `url`, without its colon; 0 if there is none.
std::size_t scheme_length(std::string_view url) {
  if (url.empty() || !is_letter(url.front())) {
    return 0;
  }
  std::size_t n = 1;
  while (n < url.size() && (is_letter(url[n]) || is_digit(url[n]) || url[n] == '+' ||
                            url[n] == '-' || url[n] == '.')) {
    ++n;
  }
  return n < url.size() && url[n] == ':' ? n : 0;
}

std::size_t web_prefix(std::string_view url) {
  if (url.starts_with("http://")) {
    return 7;
  }
  return url.starts_with("https://") ? 8 : 0;
}

struct HostPort {
  std::string_view host, port;
};
HostPort split_authority(std::string_view authority) {
  authority = authority.substr(0, authority.find_last_not_of(':') + 1);
  const std::size_t at = authority.rfind('@');
  if (at != std::string_view::npos) {
    authority = authority.substr(at + 1);
  }
  const std::size_t open = authority.find('[');
  std::string_view rest = authority;
  HostPort found;
  if (open != std::string_view::npos) {
    rest = authority.substr(open + 1);
    const std::size_t close = std::min(rest.find(']'), rest.size());
    found.host = rest.substr(0, close);
    rest = rest.substr(close);
  }
  const std::size_t colon = std::min(rest.find(':'), rest.size());
  if (open == std::string_view::npos) {
    found.host = rest.substr(0, colon);
  }
  found.port = rest.substr(std::min(colon + 1, rest.size()));
  return found;
}

}  // namespace

std::optional<UrlParts> split_url(std::string_view url) {
  if (url.empty()) {
    return std::nullopt;
  }
  for (std::size_t n = web_prefix(url); n > 0 && web_prefix(url.substr(n)) > 0;
       n = web_prefix(url)) {
    url = url.substr(n);
  }
  UrlParts parts;
  const std::size_t scheme = scheme_length(url);
  parts.scheme = scheme > 0 ? url.substr(0, scheme) : std::string_view("http");
  std::string_view rest = scheme > 0 ? url.substr(scheme + 1) : url;
  rest = rest.substr(0, rest.find('#'));
  if (scheme == 0 || rest.starts_with("//")) {
    rest = rest.substr(scheme > 0 ? 2 : 0);
    const std::size_t n = std::min(rest.find_first_of("/?"), rest.size());
    const auto [host, port] = split_authority(rest.substr(0, n));
    rest = rest.substr(n);
    parts.host = host;
    if (!port.empty()) {
      const auto number = parse_number(port);
      if (!number || *number > 65535) {
        return std::nullopt;
      }
      parts.port = static_cast<std::uint32_t>(*number);
    }
  }
  const std::size_t question = std::min(rest.find('?'), rest.size());
  parts.path = rest.substr(0, question);
  parts.query = rest.substr(std::min(question + 1, rest.size()));
  if (parts.host.empty() && !parts.path.empty() && parts.scheme.starts_with("http")) {
    // "http:///example.com/x" and "http:example.com/x"
    const std::string_view steps =
        parts.path.substr(std::min(parts.path.find_first_not_of('/'), parts.path.size()));
    const std::size_t slash = std::min(steps.find('/'), steps.size());
    parts.host = steps.substr(0, slash);
    parts.path = slash < steps.size() ? steps.substr(slash) : std::string_view("/");
  }
  return parts;
}

void append_unescaped(std::string& out, std::string_view text) {
  // Undoing "%25" may make another escape of what follows, or complete one that came before. Two
  // escapes never overlap, so the order of undoing them does not matter.
  const std::size_t begin = out.size();
  for (const char c : text) {
    out += c;
    while (out.size() >= begin + 3 && out[out.size() - 3] == '%') {
      const int high = hex_value(out[out.size() - 2]);
      const int low = hex_value(out.back());
      if (high < 0 || low < 0) {
        break;
      }
      out.resize(out.size() - 3);
      out += static_cast<char>(high * 16 + low);
    }
  }
}

void append_escaped_lower(std::string& out, std::string_view text) {
  for (const char c : text) {
    const auto octet = static_cast<unsigned char>(c);
    if (kClean[octet]) {
      out += to_lower(c);
    } else {
      out += {'%', kHex[octet >> 4], kHex[octet & 15]};
    }
  }
}

bool is_clean(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return kClean[static_cast<unsigned char>(c)]; });
}

std::string normal_path(std::string_view path) {
  std::vector<std::string_view> kept;
  std::size_t at = path.find('/');
  while (at < path.size()) {
    const std::size_t next = std::min(path.find('/', at + 1), path.size());
    const std::string_view step = path.substr(at + 1, next - at - 1);
    if (step == ".." && !kept.empty()) {
      kept.pop_back();
    } else if (step != ".") {
      kept.push_back(step);  // "..", where there is nothing to go back from
    }
    at = next;
  }
  std::string normal = "/";
  for (std::size_t i = 0; i < kept.size(); ++i) {
    normal += kept[i];
    if (i + 1 < kept.size() && !kept[i].empty()) {
      normal += '/';
    }
  }
  return normal;
}

}  // namespace fonds::index::detail
