#include "index/request_query.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "index/request_query_detail.hpp"

namespace fonds::index {
namespace {

std::string binary_query(std::string_view body) {
  // No more is needed for the longest query: each three octets make four characters.
  return "__wb_post_data=" + to_base64(as_bytes(body.substr(0, kLongestQuery / 4 * 3 + 3)));
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// How many octets at the start of `text` belong together: a character, or as much of one as there
// is before it breaks off.
std::size_t sequence_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t whole = lead < 0x80   ? 1
                            : lead < 0xc2 ? 1
                            : lead < 0xe0 ? 2
                            : lead < 0xf0 ? 3
                                          : 4;
  if (whole == 1 || lead > 0xf4 || text.size() < 2) {
    return 1;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  const bool possible = is_continuation(text[1]) && !(lead == 0xe0 && second < 0xa0) &&
                        !(lead == 0xed && second > 0x9f) && !(lead == 0xf0 && second < 0x90) &&
                        !(lead == 0xf4 && second > 0x8f);
  std::size_t n = possible ? 2 : 1;
  while (n > 1 && n < whole && n < text.size() && is_continuation(text[n])) {
    ++n;
  }
  return n;
}

// What is no UTF-8 becomes U+FFFD.
void append_as_utf8(std::string& out, std::string_view octets) {
  if (is_utf8(octets)) {
    out += octets;
    return;
  }
  while (!octets.empty()) {
    const std::size_t n = sequence_length(octets);
    const std::string_view sequence = octets.substr(0, n);
    out += is_utf8(sequence) ? sequence : std::string_view("\xef\xbf\xbd");
    octets = octets.substr(n);
  }
}

// Undoes the percent-encoding of ASCII text once.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto octet =
        text[i] == '%' && text.size() - i >= 3 ? from_hex(text.substr(i + 1, 2)) : std::nullopt;
    if (octet) {
      out += *octet;
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

std::string form_query(std::string_view body) {
  std::string query;
  while (!body.empty()) {
    const bool ascii = (body.front() & 0x80) == 0;
    const auto* const end =
        std::find_if(body.begin(), body.end(), [&](char c) { return ((c & 0x80) == 0) != ascii; });
    const std::string_view run(body.begin(), end);
    if (ascii) {
      append_as_utf8(query, unescaped(run));
    } else {
      query += run;
    }
    body = body.substr(run.size());
  }
  return query;
}

void cut(std::string& query) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < query.size(); ++i) {
    if (!is_continuation(query[i]) && ++characters > kLongestQuery) {
      query.resize(i);
      return;
    }
  }
}

std::string query_of(std::string_view content_type, std::string_view body) {
  if (content_type.starts_with("application/x-www-form-urlencoded")) {
    return is_utf8(body) ? form_query(body) : binary_query(body);
  }
  if (content_type.starts_with("multipart/")) {
    auto query = detail::multipart_query(content_type, body);
    return query ? std::move(*query) : binary_query(body);
  }
  if (content_type.starts_with("application/json")) {
    return detail::json_query(body).value_or("");
  }
  if (content_type.starts_with("text/plain")) {
    auto query = detail::json_query(body);
    return query ? std::move(*query) : binary_query(body);
  }
  return binary_query(body);
}

}  // namespace

namespace detail {

void append_form_encoded(std::string& out, std::string_view octets) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (const char c : octets) {
    const char letter = to_lower(c);
    if ((letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') ||
        std::string_view("-._~").find(c) != npos) {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      const auto octet = static_cast<unsigned char>(c);
      out += {'%', kHex[octet >> 4], kHex[octet & 15]};
    }
  }
}

}  // namespace detail

std::string request_query(std::string_view content_type, std::string_view body) {
  std::string query = query_of(content_type, body);
  cut(query);
  return query;
}

std::string method_suffix(std::string_view url, std::string_view method, std::string_view query) {
  std::string suffix = url.find('?') == npos ? "?" : "&";
  suffix.append("__wb_method=").append(method);
  if (!query.empty()) {
    suffix.append("&").append(query);
  }
  return suffix;
}

}  // namespace fonds::index
