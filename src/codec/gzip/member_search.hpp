// Looking for the places where gzip members begin or end, without decoding anything. Runs at the
// speed of memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include <fonds/bytes.hpp>

#include "base/text.hpp"

namespace fonds::gzip {

// The instructions that a search may use; for tests. What the machine lacks is not used.
enum class SearchPath : std::uint8_t { Best, Portable };

// The first position p in [from, to) where stored[p, p+4) can begin a member: 1f 8b 08 and flags
// without the reserved bits (RFC 1952, 2.3.1); npos if there is none. The four bytes may reach
// beyond `to`, not beyond `stored`.
std::size_t find_member_magic(ByteView stored, std::size_t from, std::size_t to,
                              SearchPath path = SearchPath::Best);

}  // namespace fonds::gzip
