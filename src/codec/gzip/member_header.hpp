// The header of a gzip member (RFC 1952, 2.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <fonds/bytes.hpp>

namespace fonds::gzip {

// Names and comments have no limit of their own. With so many bytes shown no header asks for more.
inline constexpr std::size_t kLongestHeader = std::size_t{1} << 20;

// The extra subfield "sl" that some writers of WARC files leave in each member. A hint: verify what
// it leads to.
struct SkipLengths {
  std::uint32_t stored = 0;   // bytes from the start of this member to a later one; 0: not stated
  std::uint32_t decoded = 0;  // bytes that this jump passes over; 0: not stated
};

struct MemberHeader {
  std::size_t length = 0;         // bytes; the DEFLATE data begins there
  bool bad_header_crc = false;    // there is a CRC of the header, and it is wrong
  std::optional<SkipLengths> sl;  // the first one, if the extra field holds any
};

enum class HeaderState : std::uint8_t {
  Good,
  NeedMore,  // `stored` ends inside what can be a header
  Not,       // no header: other magic, method or flags, or longer than 1 MiB
};

// Parses the header at the start of `stored`. `header` is meaningful after Good only.
HeaderState parse_member_header(ByteView stored, MemberHeader& header);

}  // namespace fonds::gzip
