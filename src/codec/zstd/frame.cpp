#include "codec/zstd/frame.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include <fonds/error.hpp>

#include "base/bytes.hpp"
#include "io/window.hpp"

namespace fonds::zstd {
namespace {

constexpr std::size_t kChecksum = 4;
constexpr std::size_t kSearchedAtOnce = std::size_t{256} << 10;

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

// Stored bytes as the walks below ask for them: all of them in memory, or through a window.
class InMemory {
 public:
  explicit InMemory(ByteView stored) : stored_(stored) {}
  std::uint64_t size() const { return stored_.size(); }
  // At least `n` bytes, fewer only at the end.
  ByteView at(std::uint64_t offset, std::size_t /*n*/) const {
    return stored_.subspan(
        static_cast<std::size_t>(std::min<std::uint64_t>(offset, stored_.size())));
  }
  static constexpr bool whole() { return true; }
  static constexpr bool good() { return true; }

 private:
  ByteView stored_;
};

// An error ends the bytes; who walks asks for status() behind it.
class InWindow {
 public:
  static Result<InWindow> open(Window& window) {
    FONDS_TRY(const std::uint64_t size, window.size());
    return InWindow(window, size);
  }
  std::uint64_t size() const { return size_; }
  ByteView at(std::uint64_t offset, std::size_t n) {
    if (!status_ || offset >= size_) {
      return {};
    }
    window_->release(offset);
    auto bytes = window_->at(offset, n);
    if (!bytes) {
      status_ = tl::unexpected(std::move(bytes).error());
      return {};
    }
    return *bytes;
  }
  bool whole() const { return window_->mapped(); }
  bool good() const { return status_.has_value(); }
  Status take_status() { return std::move(status_); }

 private:
  InWindow(Window& window, std::uint64_t size) : window_(&window), size_(size) {}

  Window* window_;
  std::uint64_t size_;
  Status status_ = {};
};

// `stored` is what is there from the frame on; `begin` where it begins.
template <typename Stored>
void walk_blocks(Stored& stored, std::uint64_t begin, FrameInfo& frame,
                 const std::function<void(std::uint64_t from, std::uint64_t to)>& show) {
  const std::uint64_t largest = std::min<std::uint64_t>(frame.header.window_size, kMaxBlockSize);
  const std::uint64_t there = stored.size() - begin;
  std::uint64_t at = frame.header.size;
  for (bool last = false; !last;) {
    const ByteView rest = stored.at(begin + at, kBlockHeader);
    if (rest.size() < kBlockHeader) {
      frame = cut_short(frame, there, at + kBlockHeader);
      return;
    }
    const std::uint64_t block = load_le(rest.first(kBlockHeader));
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
    if (there - at - kBlockHeader < held) {
      frame = cut_short(frame, there,
                        at + kBlockHeader + held + (last && frame.header.checksum ? kChecksum : 0));
      return;
    }
    const std::uint64_t from = std::exchange(at, at + kBlockHeader + held);
    if (show) {
      show(from, at);
    }
    ++frame.blocks;
    frame.decoded_most += type == 2 ? largest : size;
  }
  if (frame.header.checksum) {
    if (there - at < kChecksum) {
      frame = cut_short(frame, there, at + kChecksum);
      return;
    }
    at += kChecksum;
  }
  frame.size = at;
}

template <typename Stored>
FrameInfo scan(Stored& stored, std::uint64_t begin,
               const std::function<void(std::uint64_t from, std::uint64_t to)>& show) {
  FrameInfo frame;
  const std::uint64_t there = stored.size() - begin;
  const ByteView head = stored.at(begin, kMaxHeaderSize);
  if (head.size() < 4) {
    return cut_short(frame, there, 4);
  }
  frame.magic = load_le32(head);
  if (is_skippable_magic(frame.magic)) {
    frame.kind =
        frame.magic == kDictionaryFrameMagic ? FrameKind::Dictionary : FrameKind::Skippable;
    if (head.size() < kSkippableHeader) {
      return cut_short(frame, there, kSkippableHeader);
    }
    frame.size = kSkippableHeader + std::uint64_t{load_le32(head.subspan(4))};
    return frame.size > there ? cut_short(frame, there, frame.size) : frame;
  }
  if (frame.magic != kFrameMagic) {
    return frame;
  }
  frame.kind = FrameKind::Zstd;
  const auto header = parse_frame_header(head);
  if (!header) {
    return cut_short(frame, there, there + 1);
  }
  frame.header = *header;
  walk_blocks(stored, begin, frame, show);
  return frame;
}

// Whether what stands at the magic in front of `rest` looks like a frame. The first block header
// tells most chance hits from frames; a whole walk here could be made to cost the square of the
// file's size.
bool looks_like_frame(ByteView rest) {
  const auto header = parse_frame_header(rest);
  if (!header || header->reserved_bit) {
    return false;
  }
  const ByteView blocks = rest.subspan(header->size);
  if (blocks.size() < kBlockHeader) {
    return true;
  }
  const std::uint64_t block = load_le(blocks.first(kBlockHeader));
  return (block >> 1 & 3) != 3 &&
         block >> 3 <= std::min<std::uint64_t>(header->window_size, kMaxBlockSize);
}

// The first place at or behind `from` where something looks like a frame.
template <typename Stored>
std::uint64_t next_frame(Stored& stored, std::uint64_t from) {
  static constexpr char kMagic[] = {'\x28', '\xb5', '\x2f', '\xfd'};
  for (std::uint64_t begin = from; begin < stored.size();) {
    const ByteView piece = stored.at(begin, kSearchedAtOnce);
    const bool end = stored.whole() || piece.size() < kSearchedAtOnce;
    // A hit is judged with what a header and a block header take behind it.
    const std::size_t judged = end ? piece.size() : piece.size() - kMaxHeaderSize - kBlockHeader;
    for (std::size_t at = 0; (at = as_text(piece).find(std::string_view(kMagic, 4), at)) < judged;
         ++at) {
      if (looks_like_frame(piece.subspan(at))) {
        return begin + at;
      }
    }
    if (end) {
      break;
    }
    begin += judged;
  }
  return stored.size();
}

template <typename Stored>
void walk(Stored& stored, const std::function<void(const FrameInfo&)>& found) {
  for (std::uint64_t at = 0; at < stored.size();) {
    FrameInfo frame = scan(stored, at, nullptr);
    frame.offset = at;
    if (frame.kind == FrameKind::Unknown) {
      frame.state = FrameState::Complete;
      frame.size = next_frame(stored, at + 1) - at;
    } else if (frame.kind == FrameKind::Zstd && frame.state == FrameState::Illegal) {
      // What stands behind the illegal block belongs to no frame that can be told.
      frame.size = next_frame(stored, at + frame.size) - at;
    }
    if (!stored.good()) {
      return;
    }
    found(frame);
    at += frame.size;
  }
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
  InMemory bytes(stored);
  return scan(bytes, 0, block);
}

Result<FrameInfo> scan_frame(Window& window, std::uint64_t offset) {
  FONDS_TRY(InWindow bytes, InWindow::open(window));
  FrameInfo frame = scan(bytes, std::min(offset, bytes.size()), nullptr);
  frame.offset = offset;
  FONDS_CHECK(bytes.take_status());
  return frame;
}

void walk_frames(ByteView stored, const std::function<void(const FrameInfo&)>& found) {
  InMemory bytes(stored);
  walk(bytes, found);
}

Status walk_frames(Window& window, const std::function<void(const FrameInfo&)>& found) {
  FONDS_TRY(InWindow bytes, InWindow::open(window));
  walk(bytes, found);
  return bytes.take_status();
}

}  // namespace fonds::zstd
