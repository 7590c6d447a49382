// Looking for the places where gzip members begin or end, without decoding anything. Runs at the
// speed of memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include <fonds/bytes.hpp>

namespace fonds::gzip {

inline constexpr std::size_t npos = static_cast<std::size_t>(-1);

// The instructions that a search may use; for tests. What the machine lacks is not used.
enum class SearchPath : std::uint8_t { Best, Portable };

// A member's trailer ends with its decoded size. Finds the first position p in [from, limit) where
// stored[p, p+4) is `decoded_size` in little-endian order and either the data ends behind it or the
// first three bytes of another member (1f 8b 08) follow. Returns p + 4, where the next member
// begins; npos if there is no such place.
//
// A hit may be chance: what follows has to be verified.
std::size_t find_member_end(ByteView stored, std::size_t from, std::size_t limit,
                            std::uint32_t decoded_size, SearchPath path = SearchPath::Best);

// The first position p in [from, to) where stored[p, p+4) can begin a member: 1f 8b 08 and flags
// without the reserved bits (RFC 1952, 2.3.1); npos if there is none. The four bytes may reach
// beyond `to`, not beyond `stored`.
std::size_t find_member_magic(ByteView stored, std::size_t from, std::size_t to,
                              SearchPath path = SearchPath::Best);

}  // namespace fonds::gzip
