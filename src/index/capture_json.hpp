// The JSON of a CDXJ line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <fonds/error.hpp>

#include "index/capture.hpp"

namespace fonds::index {

// Appends `text` in quotes, with everything but printable ASCII escaped, as Python's json.dumps()
// does. Octets that are no UTF-8 are written in their Latin-1 reading.
void append_json_text(std::string& out, std::string_view text);

// Whether `json` may have more levels of objects and lists than `most`: more than a recursive
// reader should follow.
bool is_json_deeper_than(std::string_view json, std::size_t most);

// Of text that is none.
tl::unexpected<Error> corrupt_capture(std::string message);

// Sets the members of `capture` that the object `json` tells of. Numbers may be given as text.
// Errors: Corrupt.
Status parse_members(std::string_view json, Capture& capture);

}  // namespace fonds::index
