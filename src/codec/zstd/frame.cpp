#include "codec/zstd/frame.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"

namespace fonds::zstd {
namespace {

constexpr std::size_t kSkippableHeader = 8;
constexpr std::size_t kBlockHeader = 3;
constexpr std::size_t kChecksum = 4;

std::uint64_t load_le(ByteView bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) {
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[i - 1]);
  }
  return value;
}

// RFC 8878, 3.1.1.1.2.
std::uint64_t window_size(std::uint64_t descriptor) {
  const std::uint64_t base = std::uint64_t{1} << (10 + (descriptor >> 3));
  return base + base / 8 * (descriptor & 7);
}

FrameInfo cut_short(FrameInfo frame, std::uint64_t there, std::uint64_t asked) {
  frame.state = FrameState::Truncated;
  frame.size = there;
  frame.size_declared = asked;
  return frame;
}

void walk_blocks(ByteView stored, FrameInfo& frame,
                 const std::function<void(std::uint64_t from, std::uint64_t to)>& show) {
  const std::uint64_t largest = std::min<std::uint64_t>(frame.header.window_size, kMaxBlockSize);
  std::size_t at = frame.header.size;
  for (bool last = false; !last;) {
    if (stored.size() - at < kBlockHeader) {
      frame = cut_short(frame, stored.size(), at + kBlockHeader);
      return;
    }
    const std::uint64_t block = load_le(stored.subspan(at, kBlockHeader));
    last = (block & 1) != 0;
    const std::uint64_t type = block >> 1 & 3;
    const std::uint64_t size = block >> 3;
    // RFC 8878, 3.1.1.2.2: 0 raw, 1 one byte repeated, 2 compressed, 3 reserved.
    if (type == 3 || size > largest) {
      frame.state = FrameState::Illegal;
      frame.size = at;
      return;
    }
    const std::uint64_t held = type == 1 ? 1 : size;
    if (stored.size() - at - kBlockHeader < held) {
      frame = cut_short(frame, stored.size(),
                        at + kBlockHeader + held + (last && frame.header.checksum ? kChecksum : 0));
      return;
    }
    const std::size_t from = std::exchange(at, at + kBlockHeader + static_cast<std::size_t>(held));
    if (show) {
      show(from, at);
    }
    ++frame.blocks;
    frame.decoded_most += type == 2 ? largest : size;
  }
  if (frame.header.checksum) {
    if (stored.size() - at < kChecksum) {
      frame = cut_short(frame, stored.size(), at + kChecksum);
      return;
    }
    at += kChecksum;
  }
  frame.size = at;
}

// The first place at or behind `from` where something looks like a frame.
std::size_t next_frame(ByteView stored, std::size_t from) {
  static constexpr char kMagic[] = {'\x28', '\xb5', '\x2f', '\xfd'};
  const std::string_view text = as_text(stored);
  for (std::size_t at = from;
       (at = text.find(std::string_view(kMagic, 4), at)) != std::string_view::npos; ++at) {
    const auto header = parse_frame_header(stored.subspan(at));
    if (!header || header->reserved_bit) {
      continue;
    }
    // The first block header tells most chance hits from frames; a whole walk here could be made to
    // cost the square of the file's size.
    const ByteView blocks = stored.subspan(at + header->size);
    if (blocks.size() >= kBlockHeader) {
      const std::uint64_t block = load_le(blocks.first(kBlockHeader));
      if ((block >> 1 & 3) == 3 ||
          block >> 3 > std::min<std::uint64_t>(header->window_size, kMaxBlockSize)) {
        continue;
      }
    }
    return at;
  }
  return stored.size();
}

}  // namespace

std::optional<FrameHeader> parse_frame_header(ByteView stored) {
  if (stored.size() < 5 || load_le32(stored) != kFrameMagic) {
    return std::nullopt;
  }
  const auto descriptor = std::to_integer<unsigned>(stored[4]);
  FrameHeader header;
  header.single_segment = (descriptor & 0x20) != 0;
  header.reserved_bit = (descriptor & 0x08) != 0;
  header.checksum = (descriptor & 0x04) != 0;
  const std::size_t window_bytes = header.single_segment ? 0 : 1;
  const std::size_t id_bytes = (descriptor & 3) == 3 ? 4 : descriptor & 3;
  const std::size_t size_flag = descriptor >> 6;
  const std::size_t size_bytes =
      size_flag > 0 ? std::size_t{1} << size_flag : (header.single_segment ? 1 : 0);
  header.size = 5 + window_bytes + id_bytes + size_bytes;
  if (stored.size() < header.size) {
    return std::nullopt;
  }
  std::size_t at = 5;
  if (window_bytes > 0) {
    header.window_size = window_size(std::to_integer<std::uint64_t>(stored[at]));
    at += window_bytes;
  }
  if (const std::uint64_t id = load_le(stored.subspan(at, id_bytes)); id != 0) {
    header.dictionary_id = static_cast<std::uint32_t>(id);
  }
  at += id_bytes;
  if (size_bytes > 0) {
    header.content_size = load_le(stored.subspan(at, size_bytes)) + (size_bytes == 2 ? 256 : 0);
  }
  if (header.single_segment) {
    header.window_size = *header.content_size;
  }
  return header;
}

FrameInfo scan_frame(ByteView stored,
                     const std::function<void(std::uint64_t from, std::uint64_t to)>& block) {
  FrameInfo frame;
  if (stored.size() < 4) {
    return cut_short(frame, stored.size(), 4);
  }
  frame.magic = load_le32(stored);
  if (is_skippable_magic(frame.magic)) {
    frame.kind =
        frame.magic == kDictionaryFrameMagic ? FrameKind::Dictionary : FrameKind::Skippable;
    if (stored.size() < kSkippableHeader) {
      return cut_short(frame, stored.size(), kSkippableHeader);
    }
    frame.size = kSkippableHeader + std::uint64_t{load_le32(stored.subspan(4))};
    return frame.size > stored.size() ? cut_short(frame, stored.size(), frame.size) : frame;
  }
  if (frame.magic != kFrameMagic) {
    return frame;
  }
  frame.kind = FrameKind::Zstd;
  const auto header = parse_frame_header(stored);
  if (!header) {
    return cut_short(frame, stored.size(), stored.size() + 1);
  }
  frame.header = *header;
  walk_blocks(stored, frame, block);
  return frame;
}

void walk_frames(ByteView stored, const std::function<void(const FrameInfo&)>& found) {
  std::uint64_t at = 0;
  while (at < stored.size()) {
    const ByteView rest = stored.subspan(at);
    FrameInfo frame = scan_frame(rest);
    frame.offset = at;
    if (frame.kind == FrameKind::Unknown) {
      frame.state = FrameState::Complete;
      frame.size = next_frame(rest, 1);
    } else if (frame.kind == FrameKind::Zstd && frame.state == FrameState::Illegal) {
      // What stands behind the illegal block belongs to no frame that can be told.
      frame.size = next_frame(rest, frame.size);
    }
    found(frame);
    at += frame.size;
  }
}

}  // namespace fonds::zstd
