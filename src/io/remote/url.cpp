#include "io/remote/url.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/text.hpp"

namespace fonds::remote {
namespace {

constexpr std::array<std::string_view, 3> kSchemes = {"http", "https", "s3"};

// Of presigned URLs of S3, Google Cloud Storage and Azure, and what people call their own.
constexpr std::array<std::string_view, 14> kSecrets = {"x-amz-signature",
                                                       "x-amz-credential",
                                                       "x-amz-security-token",
                                                       "x-goog-signature",
                                                       "x-goog-credential",
                                                       "signature",
                                                       "awsaccesskeyid",
                                                       "sig",
                                                       "token",
                                                       "access_token",
                                                       "api_key",
                                                       "apikey",
                                                       "key",
                                                       "password"};

int hex_value(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  c = static_cast<char>(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::string_view scheme_of(std::string_view text) {
  const std::size_t end = text.find("://");
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

}  // namespace

bool is_url(std::string_view path) {
  const std::string scheme = to_lower(scheme_of(path));
  return std::find(kSchemes.begin(), kSchemes.end(), scheme) != kSchemes.end();
}

Result<Url> parse_url(std::string_view text) {
  Url url;
  url.scheme = to_lower(scheme_of(text));
  std::string_view rest = text.substr(std::min(text.size(), url.scheme.size() + 3));
  const auto bad = [](unsigned char c) { return c <= ' ' || c == 0x7F; };
  // The octets are not shown: they may be a password.
  if (url.scheme != "s3" && std::any_of(rest.begin(), rest.end(), bad)) {
    return fail(ErrorCode::BadArgument,
                fmt::format("a URL of {} has blanks or control characters in it", url.scheme));
  }
  if (const std::size_t fragment = rest.find('#');
      fragment != std::string_view::npos && url.scheme != "s3") {
    rest = rest.substr(0, fragment);
  }
  const std::size_t slash = std::min(rest.find_first_of("/?"), rest.size());
  std::string_view authority = rest.substr(0, slash);
  rest.remove_prefix(slash);
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    url.user_password = percent_decoded(authority.substr(0, at));
    authority.remove_prefix(at + 1);
  }
  if (authority.empty()) {
    return fail(ErrorCode::BadArgument, fmt::format("a URL of {} has no {}", url.scheme,
                                                    url.scheme == "s3" ? "bucket" : "host"));
  }
  url.host = authority;
  const std::size_t question =
      url.scheme == "s3" ? rest.size() : std::min(rest.find('?'), rest.size());
  url.path = rest.substr(0, question);
  url.query = rest.substr(question);
  if (url.path.empty()) {
    url.path = "/";
  }
  return url;
}

std::string shown(const Url& url) {
  std::string query;
  std::string_view rest = url.query;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&', 1), rest.size());
    const std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(end);
    const std::size_t equals = pair.find('=');
    const std::string name = to_lower(
        percent_decoded(pair.substr(1, equals == std::string_view::npos ? equals : equals - 1)));
    const bool secret = equals != std::string_view::npos &&
                        std::find(kSecrets.begin(), kSecrets.end(), name) != kSecrets.end();
    query += secret ? fmt::format("{}=…", pair.substr(0, equals)) : std::string(pair);
  }
  return url.origin() + url.path + query;
}

std::string file_name(const Url& url) {
  const std::string_view name = std::string_view(url.path).substr(url.path.rfind('/') + 1);
  return url.scheme == "s3" ? std::string(name) : percent_decoded(name);
}

Url beside(const Url& url, std::string_view name) {
  Url other = url;
  other.path.resize(url.path.rfind('/') + 1);
  other.path += url.scheme == "s3" ? std::string(name) : percent_encoded(name, false);
  other.query.clear();
  return other;
}

std::string percent_encoded(std::string_view text, bool keep_slashes) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~' || (keep_slashes && c == '/');
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 &&
        hex_value(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace fonds::remote
