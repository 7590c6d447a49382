// Text that may be no UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/utf8.hpp"

namespace fonds::clps::writing {

// Octets of `text` that belong to no character become U+FFFD in `out`, which is used only if there
// are any. Returns how many.
inline std::size_t replace_invalid(std::string_view text, std::string& out) {
  std::size_t replaced = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8::length_at(text, i);
    if (length == 0) {
      if (replaced++ == 0) {
        out.assign(text, 0, i);
      }
      out += "\xEF\xBF\xBD";
    } else if (replaced > 0) {
      out.append(text, i, length);
    }
    i += length == 0 ? 1 : length;
  }
  return replaced;
}

}  // namespace fonds::clps::writing
