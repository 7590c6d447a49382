// Views of bytes and of text. A view never owns; each function that returns one says how long it
// lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace fonds {

using ByteView = std::span<const std::byte>;
using MutableByteView = std::span<std::byte>;

struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

inline std::string_view as_text(ByteView bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline ByteView as_bytes(std::string_view text) noexcept {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

}  // namespace fonds
