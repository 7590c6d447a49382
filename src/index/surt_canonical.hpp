// The steps that a URL takes on its way to a key. Private to surt*.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fonds::index::detail {

// A URL cut into its parts. Views into the URL.
struct UrlParts {
  std::string_view scheme;  // as written; "http" if there is none
  std::string_view host;    // without user, port and brackets; empty: none
  std::string_view path, query;
  std::uint32_t port = 0;  // 0: none
};
// Nothing if there is no way to read it. `url` has no blanks at its ends and no TAB, CR, LF.
std::optional<UrlParts> split_url(std::string_view url);

// Appends `text` with its percent-encoding undone until nothing is left to undo.
void append_unescaped(std::string& out, std::string_view text);
// Appends `text` in lower case, everything but printable ASCII other than `#`, `%` and blank
// percent-encoded.
void append_escaped_lower(std::string& out, std::string_view text);
// True if append_escaped_lower(append_unescaped(…)) would change nothing but letters.
bool is_clean(std::string_view text) noexcept;

// The host as it stands in a key, but not yet reversed: percent-encoding undone, numbers as dotted
// quads, other alphabets as "xn--…", lower case.
std::string canonical_host(std::string_view host);
// The octets of a host with other than ASCII characters as "xn--…"; nothing if that cannot be.
std::optional<std::string> idna_host(std::string_view host);

// Changes an unescaped path as a file system would: no empty steps, no ".", ".." goes back.
std::string normal_path(std::string_view path);

// Session ids of some servers, in text of lower case.
void strip_path_session(std::string& path);
void strip_query_session(std::string& query);
// Sorts the fields of a query by their names, then by their values.
void sort_query(std::string& query);

}  // namespace fonds::index::detail
