// Numbers as archives hold them: little-endian, without gaps.
#pragma once

#include <cstdint>
#include <string>

namespace fonds::clps::writing {

inline void append_number(std::string& out, std::uint64_t value, std::size_t octets) {
  for (std::size_t i = 0; i < octets; ++i) {
    out += static_cast<char>(value >> (8 * i) & 0xFF);
  }
}
inline void append_u16(std::string& out, std::uint16_t value) { append_number(out, value, 2); }
inline void append_u32(std::string& out, std::uint32_t value) { append_number(out, value, 4); }
inline void append_u64(std::string& out, std::uint64_t value) { append_number(out, value, 8); }

}  // namespace fonds::clps::writing
