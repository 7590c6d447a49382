#include "index/packed_bytes.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <lz4.h>

namespace fonds::index {
namespace {

constexpr std::size_t kMost = std::size_t{16} << 20;

const char* chars(ByteView bytes) { return reinterpret_cast<const char*>(bytes.data()); }
char* chars(MutableByteView bytes) { return reinterpret_cast<char*>(bytes.data()); }

}  // namespace

std::vector<std::byte> pack_bytes(ByteView bytes) {
  const int size = static_cast<int>(std::min(bytes.size(), kMost));
  std::vector<std::byte> room(static_cast<std::size_t>(LZ4_compressBound(size)));
  const int written = LZ4_compress_default(chars(bytes), chars(MutableByteView(room)), size,
                                           static_cast<int>(room.size()));
  // A copy has just the room that is needed.
  return {room.begin(), room.begin() + written};
}

std::optional<std::size_t> unpack_bytes(ByteView block, MutableByteView out) {
  if (block.size() > kMost || out.size() > kMost) {
    return std::nullopt;
  }
  const int written = LZ4_decompress_safe(chars(block), chars(out), static_cast<int>(block.size()),
                                          static_cast<int>(out.size()));
  return written >= 0 ? std::optional(static_cast<std::size_t>(written)) : std::nullopt;
}

bool unpack_head(ByteView block, MutableByteView out) {
  block = block.first(std::min(block.size(), kMost));
  const int wanted = static_cast<int>(std::min(out.size(), kMost));
  const int written = LZ4_decompress_safe_partial(chars(block), chars(out),
                                                  static_cast<int>(block.size()), wanted, wanted);
  return written == wanted;
}

}  // namespace fonds::index
