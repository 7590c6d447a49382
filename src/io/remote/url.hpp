// URLs of archives: taken apart, and as they may be shown.
#pragma once

#include <string>
#include <string_view>

#include <fonds/error.hpp>

namespace fonds::remote {

struct Url {
  std::string scheme;         // "http", "https", "s3"
  std::string user_password;  // "user:password", unescaped; empty: none
  std::string host;           // with the port, as written; of s3: the bucket
  std::string path;           // with the slash in front, as written
  std::string query;          // with the question mark in front

  std::string origin() const { return scheme + "://" + host; }
  // Without user and password.
  std::string text() const { return origin() + path + query; }
};

// Whether a path is a URL of a scheme that can be read; the scheme in any letter case.
bool is_url(std::string_view path);

// Errors: BadArgument without a host, or with octets that no URL has.
Result<Url> parse_url(std::string_view text);

// As it may stand in messages: without user and password, and without the values of parameters
// that sign a request.
std::string shown(const Url& url);

// The last step of its path, unescaped; empty if that ends with a slash.
std::string file_name(const Url& url);
// The URL of the file with this name in the same directory, without a query.
Url beside(const Url& url, std::string_view name);

// Each octet but letters, digits and `-._~` (and slashes if they are kept) as %XX.
std::string percent_encoded(std::string_view text, bool keep_slashes);
std::string percent_decoded(std::string_view text);

}  // namespace fonds::remote
