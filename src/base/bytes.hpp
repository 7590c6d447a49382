// Integers out of bytes, and into them. The caller has checked that the bytes are there.
#pragma once

#include <cstddef>
#include <cstdint>

#include <fonds/bytes.hpp>

namespace fonds {

// The highest bit of each of eight bytes.
inline constexpr std::uint64_t kHighBits = 0x8080808080808080U;

inline std::uint32_t load_le32(ByteView bytes) noexcept {
  return std::to_integer<std::uint32_t>(bytes[0]) | std::to_integer<std::uint32_t>(bytes[1]) << 8 |
         std::to_integer<std::uint32_t>(bytes[2]) << 16 |
         std::to_integer<std::uint32_t>(bytes[3]) << 24;
}
inline std::uint64_t load_le64(ByteView bytes) noexcept {
  return load_le32(bytes) | static_cast<std::uint64_t>(load_le32(bytes.subspan(4))) << 32;
}
inline void store_le32(std::uint32_t value, std::byte* at) noexcept {
  for (int shift = 0; shift < 32; shift += 8) {
    *at++ = static_cast<std::byte>(value >> shift & 0xFF);
  }
}
inline void store_le64(std::uint64_t value, std::byte* at) noexcept {
  store_le32(static_cast<std::uint32_t>(value & 0xFFFFFFFF), at);
  store_le32(static_cast<std::uint32_t>(value >> 32), at + 4);
}

}  // namespace fonds
