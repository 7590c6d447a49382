// Paths of keys as queries write them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fonds::query {

// The text that parse_path() reads as exactly these keys. `mark` is that of the tree of keys: "@",
// "$" or nothing.
std::string path_text(std::string_view mark, std::span<const std::string_view> keys);

}  // namespace fonds::query
