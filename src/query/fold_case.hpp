// Case folding into a buffer that is used again.
#pragma once

#include <string>
#include <string_view>

namespace fonds::query {

enum class Folding : unsigned char {
  None,
  Ascii,   // letters A to Z
  Simple,  // fold_case() of fonds/query.hpp
};

// Replaces `out` by the folded text.
void fold_into(std::string& out, std::string_view text, Folding folding);

}  // namespace fonds::query
