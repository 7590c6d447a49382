// The structure of lz4 frames, read without decoding them. Layout: LZ4 Frame Format
// Description 1.6.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include <fonds/bytes.hpp>

namespace fonds::lz4 {

inline constexpr std::uint32_t kFrameMagic = 0x184D2204;
inline constexpr std::string_view kFrameMagicText("\x04\x22\x4d\x18", 4);
inline constexpr std::uint32_t kLegacyMagic = 0x184C2102;
inline constexpr std::size_t kMaxHeaderSize = 19;
inline constexpr std::size_t kBlockHeader = 4;
inline constexpr std::size_t kChecksum = 4;
inline constexpr std::size_t kSkippableHeader = 8;

constexpr bool is_skippable_magic(std::uint32_t magic) {
  return (magic & 0xFFFFFFF0) == 0x184D2A50;
}

struct FrameHeader {
  std::size_t size = 0;       // bytes, the magic included
  std::size_t block_max = 0;  // no block decodes to more
  std::optional<std::uint64_t> content_size;
  bool independent = false;  // no block needs the ones before it
  bool block_checksum = false;
  bool content_checksum = false;
};

enum class HeaderState : std::uint8_t { Good, Cut, Not };
// Reads the frame header at the start of `stored`. Not: another magic, a field that cannot be, or a
// wrong header checksum. Cut: all bytes that are there fit, but some are missing.
HeaderState parse_frame_header(ByteView stored, FrameHeader& header);

// A header for decoding the blocks of a frame one by one, without any checksum or content size.
struct PlainHeader {
  std::array<std::byte, 7> bytes;
};
PlainHeader plain_header(const FrameHeader& header);

// A block header, or the mark that ends the blocks.
struct Block {
  std::size_t stored = 0;  // bytes with the header and the checksum
  std::size_t decoded_most = 0;
  bool end = false;    // `stored` has the content checksum, if there is one
  bool legal = false;  // not larger than blocks can be
};
// `stored` has kBlockHeader bytes.
Block parse_block(ByteView stored, const FrameHeader& header);

enum class FrameState : std::uint8_t { Complete, Truncated, Illegal };
struct FrameInfo {
  FrameState state = FrameState::Complete;
  std::uint64_t size = 0;  // stored bytes that are there
  std::uint64_t size_declared =
      0;  // if Truncated: what it asks for, as far as its headers can be read
  std::uint64_t decoded_most = 0;
  std::uint64_t blocks = 0;
};
// Walks the blocks of the frame at the start of `stored`, whose header is `header`, and shows
// `block` where each whole one begins and ends.
FrameInfo scan_frame(
    ByteView stored, const FrameHeader& header,
    const std::function<void(std::uint64_t from, std::uint64_t to)>& block = nullptr);

}  // namespace fonds::lz4
