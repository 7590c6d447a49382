#include "index/surt.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "index/surt_canonical.hpp"

namespace fonds::index {
namespace {
using detail::UrlParts;

constexpr std::string_view kBlanks = " \t\n\r\v\f";
constexpr std::string_view kNoKey = "-";

std::string_view strip(std::string_view url) {
  const std::size_t begin = url.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) {
    return {};
  }
  return url.substr(begin, url.find_last_not_of(kBlanks) + 1 - begin);
}

// As it is, but for what would break a line of a CDX.
void append_as_it_is(std::string& out, std::string_view url) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (const char c : url) {
    if (c > ' ' && c < '\x7f') {
      out += c;
    } else {
      const auto octet = static_cast<unsigned char>(c);
      out += {'%', kHex[octet >> 4], kHex[octet & 15]};
    }
  }
}

// A name of letters, digits, `-` and `_` in labels, which nothing but lower case changes.
bool is_plain_host(std::string_view host) {
  if (host.empty() || is_digit(host.front()) || host.front() == '.' || host.back() == '.') {
    return false;
  }
  char before = 0;
  for (const char c : host) {
    const char letter = static_cast<char>(c | 0x20);
    const bool plain = (letter >= 'a' && letter <= 'z') || is_digit(c) || c == '-' || c == '_' ||
                       (c == '.' && before != '.');
    if (!plain) {
      return false;
    }
    before = c;
  }
  return true;
}

std::string_view without_www(std::string_view host) {
  if (!starts_with_ignoring_case(host, "www")) {
    return host;
  }
  const std::size_t dot = std::min(host.find_first_not_of("0123456789", 3), host.size());
  return dot < host.size() && host[dot] == '.' ? host.substr(dot + 1) : host;
}

void append_lower(std::string& out, std::string_view text) {
  const std::size_t at = out.size();
  out.append(text);
  for (std::size_t i = at; i < out.size(); ++i) {
    out[i] = to_lower(out[i]);
  }
}

void append_reversed(std::string& out, std::string_view host) {
  while (true) {
    const std::size_t dot = host.rfind('.');
    append_lower(out, dot == std::string_view::npos ? host : host.substr(dot + 1));
    if (dot == std::string_view::npos) {
      return;
    }
    out += ',';
    host = host.substr(0, dot);
  }
}

bool is_default_port(std::string_view scheme, std::uint32_t port) {
  return port == 0 || (port == 80 && equals_ignoring_case(scheme, "http")) ||
         (port == 443 && equals_ignoring_case(scheme, "https"));
}

// Appends what stands before the path. False if there is no host.
bool append_origin(std::string& out, const UrlParts& parts) {
  std::string changed;
  std::string_view host = parts.host;
  if (!is_plain_host(host)) {
    changed = detail::canonical_host(host);
    host = changed;
  }
  if (host.empty()) {
    out.append(parts.scheme).push_back(':');
    return false;
  }
  append_reversed(out, parts.scheme == "dns" ? host : without_www(host));
  if (!is_default_port(parts.scheme, parts.port)) {
    out.append(":").append(std::to_string(parts.port));
  }
  out += ')';
  return true;
}

// Whether there are no steps "", "." or ".." to be taken (or anything that looks like them).
bool is_straight(std::string_view path) {
  for (std::size_t at = path.find('/'); at + 1 < path.size(); at = path.find('/', at + 1)) {
    if (path[at + 1] == '/' || path[at + 1] == '.') {
      return false;
    }
  }
  return true;
}

void append_path(std::string& out, std::string_view path, bool has_host) {
  const std::size_t at = out.size();
  if (has_host && path.empty()) {
    out += '/';
    return;
  }
  if (detail::is_clean(path) && (!has_host || is_straight(path))) {
    append_lower(out, path);
  } else {
    std::string changed;
    detail::append_unescaped(changed, path);
    if (has_host) {
      changed = detail::normal_path(changed);
    }
    detail::append_escaped_lower(out, changed);
  }
  if (out.find(".aspx", at) != std::string::npos) {
    std::string changed = out.substr(at);
    detail::strip_path_session(changed);
    out.replace(at, std::string::npos, changed);
  }
  if (out.size() > at + 1 && out.back() == '/') {
    out.pop_back();
  }
}

void append_query(std::string& out, std::string_view query) {
  std::string changed;
  if (detail::is_clean(query)) {
    append_lower(changed, query);
  } else {
    std::string unescaped;
    detail::append_unescaped(unescaped, query);
    detail::append_escaped_lower(changed, unescaped);
  }
  detail::strip_query_session(changed);
  detail::sort_query(changed);
  out += changed;
}

}  // namespace

void append_surt(std::string& out, std::string_view url) {
  if (url.empty()) {
    out += kNoKey;
    return;
  }
  if (url.starts_with("filedesc")) {
    append_as_it_is(out, url);
    return;
  }
  std::string_view stripped = strip(url);
  std::string changed;
  if (stripped.find_first_of("\t\r\n") != std::string_view::npos) {
    changed = stripped;
    std::erase_if(changed, [](char c) { return c == '\t' || c == '\r' || c == '\n'; });
    stripped = changed;
  }
  const auto parts = detail::split_url(stripped);
  if (!parts) {
    append_as_it_is(out, url);
    return;
  }
  const bool has_host = append_origin(out, *parts);
  const std::size_t path_at = out.size();
  append_path(out, parts->path, has_host);
  const std::size_t query_at = out.size();
  if (!parts->query.empty()) {
    out.append(query_at == path_at ? "/?" : "?");
    const std::size_t before = out.size();
    append_query(out, parts->query);
    if (out.size() == before) {
      out.resize(query_at);
    }
  }
}

std::string surt(std::string_view url) {
  std::string key;
  key.reserve(url.size() + 8);
  append_surt(key, url);
  return key;
}

}  // namespace fonds::index
