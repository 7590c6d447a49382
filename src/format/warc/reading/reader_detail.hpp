// What the parts of the WARC reader share. Private to reader*.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include <fonds/bytes.hpp>

namespace fonds::warc::detail {

inline constexpr std::size_t kFirstLine = std::size_t{64}
                                          << 10;  // how far a record's first line may reach

inline bool is_line_end(std::byte b) { return b == std::byte{'\r'} || b == std::byte{'\n'}; }

// CR and LF octets at the start of some octets, and the line ends they make.
struct LineEnds {
  std::size_t octets = 0;
  std::size_t ends = 0;
};
inline LineEnds count_line_ends(ByteView octets) {
  LineEnds found;
  while (found.octets < octets.size() && is_line_end(octets[found.octets])) {
    const bool pair = octets[found.octets] == std::byte{'\r'} && found.octets + 1 < octets.size() &&
                      octets[found.octets + 1] == std::byte{'\n'};
    found.octets += pair ? 2 : 1;
    ++found.ends;
  }
  return found;
}

}  // namespace fonds::warc::detail
