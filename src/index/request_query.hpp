// Requests with a body in an index of captures: the body as a query, so that captures of one URL
// with different bodies have different keys. docs/formats/cdx.md, "Requests with a body".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fonds::index {

// Characters that a query may have; what is longer is cut.
inline constexpr std::size_t kLongestQuery = 4096;

// The query of a body with this Content-Type; empty if there is none. UTF-8.
std::string request_query(std::string_view content_type, std::string_view body);

// What is appended to `url` before its key is made: "?__wb_method=POST&a=b".
std::string method_suffix(std::string_view url, std::string_view method, std::string_view query);

}  // namespace fonds::index
