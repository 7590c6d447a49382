// Windows at rest: bytes kept in memory as one lz4 block each.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <fonds/bytes.hpp>

namespace fonds::index {

// `bytes` compressed; at most 16 MiB.
std::vector<std::byte> pack_bytes(ByteView bytes);

// Decodes an lz4 block and returns its decoded size; nothing if it is damaged or `out` is too
// small.
std::optional<std::size_t> unpack_bytes(ByteView block, MutableByteView out);

// Decodes only the first bytes of an lz4 block, without looking at what follows them. False if
// there are fewer than `out` holds, or they are damaged.
bool unpack_head(ByteView block, MutableByteView out);

}  // namespace fonds::index
