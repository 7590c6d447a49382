// Of the members of an object that have the same key, the last one counts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fonds/error.hpp>

namespace fonds::clps {

// A JSON object in which no object has two members with the same key: of such members the last
// value stays, at the place of the first. Keys are compared without their escapes; an escape of a
// lone surrogate is U+FFFD, as it is in an archive. The text of all keys and values that stay is
// kept; only the blanks of objects that had such members may go. Objects in arrays are left as they
// are, unless `inside_arrays`.
//
// `dropped` becomes the number of members that were left out; what lay inside of those does not
// count. Nesting may be of any depth; memory: some 100 bytes for each member of open objects. The
// text need not be checked before. Errors: Corrupt, with the decoded_offset in the text, where it
// is no object; numbers and words are not looked at.
Result<std::string> last_wins(std::string_view json_object, std::uint64_t& dropped,
                              bool inside_arrays);

}  // namespace fonds::clps
