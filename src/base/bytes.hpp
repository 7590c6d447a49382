// Integers out of bytes. The caller has checked that the bytes are there.
#pragma once

#include <cstdint>

#include <fonds/bytes.hpp>

namespace fonds {

inline std::uint32_t load_le32(ByteView bytes) noexcept {
  return std::to_integer<std::uint32_t>(bytes[0]) | std::to_integer<std::uint32_t>(bytes[1]) << 8 |
         std::to_integer<std::uint32_t>(bytes[2]) << 16 |
         std::to_integer<std::uint32_t>(bytes[3]) << 24;
}
inline std::uint64_t load_le64(ByteView bytes) noexcept {
  return load_le32(bytes) | static_cast<std::uint64_t>(load_le32(bytes.subspan(4))) << 32;
}

}  // namespace fonds
