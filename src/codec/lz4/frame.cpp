#include "codec/lz4/frame.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/bytes.hpp"

namespace fonds::lz4 {
namespace {

// XXH32 with seed 0 of fewer than 16 bytes, which frame descriptors always have.
std::uint32_t short_xxh32(ByteView bytes) {
  constexpr std::uint32_t kPrime1 = 2654435761U;
  constexpr std::uint32_t kPrime2 = 2246822519U;
  constexpr std::uint32_t kPrime3 = 3266489917U;
  constexpr std::uint32_t kPrime4 = 668265263U;
  constexpr std::uint32_t kPrime5 = 374761393U;
  std::uint32_t hash = kPrime5 + static_cast<std::uint32_t>(bytes.size());
  for (; bytes.size() >= 4; bytes = bytes.subspan(4)) {
    hash = std::rotl(hash + load_le32(bytes) * kPrime3, 17) * kPrime4;
  }
  for (const std::byte byte : bytes) {
    hash = std::rotl(hash + std::to_integer<std::uint32_t>(byte) * kPrime5, 11) * kPrime1;
  }
  hash = (hash ^ hash >> 15) * kPrime2;
  hash = (hash ^ hash >> 13) * kPrime3;
  return hash ^ hash >> 16;
}

std::byte header_checksum(ByteView descriptor) {
  return static_cast<std::byte>(short_xxh32(descriptor) >> 8 & 0xFF);
}

FrameInfo cut_short(FrameInfo frame, std::uint64_t there, std::uint64_t asked) {
  frame.state = FrameState::Truncated;
  frame.size = there;
  frame.size_declared = asked;
  return frame;
}

}  // namespace

HeaderState parse_frame_header(ByteView stored, FrameHeader& header) {
  static constexpr std::array<std::byte, 4> kMagic = {std::byte{0x04}, std::byte{0x22},
                                                      std::byte{0x4d}, std::byte{0x18}};
  const std::size_t shown = std::min(stored.size(), kMagic.size());
  if (shown == 0 || !std::equal(kMagic.begin(), kMagic.begin() + static_cast<std::ptrdiff_t>(shown),
                                stored.begin())) {
    return HeaderState::Not;
  }
  if (stored.size() < 6) {
    return HeaderState::Cut;
  }
  const auto flags = std::to_integer<unsigned>(stored[4]);
  const auto block = std::to_integer<unsigned>(stored[5]);
  // Version 1, reserved bits zero, block sizes 64 KiB to 4 MiB.
  if (flags >> 6 != 1 || (flags & 2) != 0 || (block & 0x8F) != 0 || block >> 4 < 4) {
    return HeaderState::Not;
  }
  header = {};
  header.independent = (flags & 0x20) != 0;
  header.block_checksum = (flags & 0x10) != 0;
  header.content_checksum = (flags & 0x04) != 0;
  header.block_max = std::size_t{1} << (8 + 2 * (block >> 4));
  const bool with_size = (flags & 0x08) != 0;
  header.size = 7U + (with_size ? 8U : 0U) + ((flags & 1) != 0 ? 4U : 0U);
  if (stored.size() < header.size) {
    return HeaderState::Cut;
  }
  if (with_size) {
    header.content_size = load_le64(stored.subspan(6));
  }
  const bool checks =
      header_checksum(stored.subspan(4, header.size - 5)) == stored[header.size - 1];
  return checks ? HeaderState::Good : HeaderState::Not;
}

PlainHeader plain_header(const FrameHeader& header) {
  const auto log = static_cast<unsigned>(std::countr_zero(header.block_max));
  PlainHeader plain = {{std::byte{0x04}, std::byte{0x22}, std::byte{0x4d}, std::byte{0x18},
                        static_cast<std::byte>(header.independent ? 0x60 : 0x40),
                        static_cast<std::byte>((log - 8) / 2 << 4), std::byte{0}}};
  plain.bytes[6] = header_checksum(ByteView(plain.bytes).subspan(4, 2));
  return plain;
}

Block parse_block(ByteView stored, const FrameHeader& header) {
  const std::uint32_t value = load_le32(stored);
  Block block;
  if (value == 0) {
    block.end = block.legal = true;
    block.stored = kBlockHeader + (header.content_checksum ? kChecksum : 0);
    return block;
  }
  const bool plain = value >> 31 != 0;
  const std::size_t size = value & 0x7FFFFFFF;
  block.legal = size <= header.block_max;
  block.stored = kBlockHeader + size + (header.block_checksum ? kChecksum : 0);
  // An lz4 block grows to 255 times its size at most.
  block.decoded_most = plain ? size : std::min(header.block_max, size * 255);
  return block;
}

FrameInfo scan_frame(ByteView stored, const FrameHeader& header,
                     const std::function<void(std::uint64_t from, std::uint64_t to)>& show) {
  FrameInfo frame;
  std::uint64_t at = header.size;
  while (true) {
    if (stored.size() < at + kBlockHeader) {
      return cut_short(frame, stored.size(), at + kBlockHeader);
    }
    const Block block = parse_block(stored.subspan(static_cast<std::size_t>(at)), header);
    if (!block.legal) {
      frame.state = FrameState::Illegal;
      frame.size = at;
      return frame;
    }
    const std::uint64_t from = std::exchange(at, at + block.stored);
    if (stored.size() < at) {
      return cut_short(frame, stored.size(), at);
    }
    if (show && !block.end) {
      show(from, at);
    }
    frame.decoded_most += block.decoded_most;
    ++frame.blocks;
    if (block.end) {
      frame.size = at;
      return frame;
    }
  }
}

}  // namespace fonds::lz4
