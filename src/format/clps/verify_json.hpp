// Whether texts of an archive are JSON.
#pragma once

#include <string_view>

namespace fonds::clps {

// Whether this is one JSON text by the grammar of RFC 8259. Numbers may be of any size, keys may be
// repeated, nesting may be of any depth; octets above 0x7F are not looked at.
bool is_json(std::string_view text);

}  // namespace fonds::clps
