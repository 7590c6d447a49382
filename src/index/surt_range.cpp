#include <cstddef>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "index/surt.hpp"

namespace fonds::index {
namespace {

// What stands before the path.
std::string_view origin_of(std::string_view key) { return key.substr(0, key.find(")/")); }

std::string with_last_increased(std::string text) {
  text.back() = static_cast<char>(text.back() + 1);
  return text;
}

// Where the port of an origin begins, with its colon; the size if there is none. The colons of an
// IPv6 address are no sign of a port.
std::size_t port_of(std::string_view origin) {
  const std::size_t colon = origin.rfind(':');
  const bool one = colon != npos && (origin.find(':') == colon || origin.find(',') != npos);
  const bool digits =
      one && colon + 1 < origin.size() && origin.find_first_not_of("0123456789", colon + 1) == npos;
  return digits ? colon : origin.size();
}

}  // namespace

std::string host_of_key(std::string_view key) {
  const std::size_t end = key.find(')');
  if (end == npos) {
    return {};
  }
  const std::string_view origin = key.substr(0, end);
  const std::size_t port = port_of(origin);
  std::string host;
  std::string_view labels = origin.substr(0, port);
  while (true) {
    const std::size_t comma = labels.rfind(',');
    host += comma == npos ? labels : labels.substr(comma + 1);
    if (comma == npos) {
      break;
    }
    host += '.';
    labels = labels.substr(0, comma);
  }
  host += origin.substr(port);
  return host;
}

KeyRange key_range(std::string_view url, KeyMatch match) {
  std::string key = surt(url);
  switch (match) {
    case KeyMatch::Exact:
      break;
    case KeyMatch::Prefix:
      // What a key leaves out at its end is part of a prefix.
      if (url.ends_with('/') && !key.ends_with('/')) {
        key += '/';
      }
      if (url.ends_with('?') && !key.ends_with('?')) {
        key += '?';
      }
      return {key, with_last_increased(key)};
    case KeyMatch::Host:
    case KeyMatch::Domain: {
      const std::string origin(origin_of(key));
      // ")" sorts before "*", and both before "," and "-".
      if (match == KeyMatch::Host) {
        return {origin + ")/", origin + "*"};
      }
      const bool one_label = origin.find(',') == npos;
      return {origin + (one_label ? "," : ")/"), origin + "-"};
    }
  }
  return {key, key + "!"};
}

}  // namespace fonds::index
