#include "index/checkpoint_chunks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "codec/lz4/block_decoder.hpp"
#include "codec/lz4/frame.hpp"
#include "index/packed_bytes.hpp"
#include "index/seek_limits.hpp"

namespace fonds::index {
namespace {

using Head = std::array<std::byte, kChunkHead>;

constexpr std::size_t kChunkId = 25;    // bytes
constexpr std::size_t kChunkBits = 33;  // offset
constexpr std::size_t kSmallestBlockMax = std::size_t{64} << 10;
constexpr std::string_view kMagicText("\x04\x22\x4d\x18", 4);

struct Frame {
  enum class State : std::uint8_t { Whole, Cut, Damaged };
  std::size_t offset = 0;
  std::size_t size = 0;  // bytes that are there
  State state = State::Whole;
  bool dictionary = false;
  std::uint64_t blocks = 0;  // without the end mark
  lz4::FrameHeader header;
};

// The next offset at or behind `from` at which a frame can begin.
std::size_t find_frame(ByteView file, std::size_t from) {
  lz4::FrameHeader header;
  while (true) {
    const std::size_t at = as_text(file).find(kMagicText, from);
    if (at == std::string_view::npos) {
      return file.size();
    }
    if (lz4::parse_frame_header(file.subspan(at), header) == lz4::HeaderState::Good) {
      return at;
    }
    from = at + 1;
  }
}

// The frame at `at`, without what scan_frame() cannot see: bytes that are no frame reach to the
// next one.
Frame scan(ByteView file, std::size_t at) {
  Frame frame;
  frame.offset = at;
  const ByteView rest = file.subspan(at);
  const lz4::HeaderState header = lz4::parse_frame_header(rest, frame.header);
  if (header != lz4::HeaderState::Good) {
    frame.size = find_frame(file, at + 1) - at;
    frame.state = header == lz4::HeaderState::Cut && frame.size == rest.size()
                      ? Frame::State::Cut
                      : Frame::State::Damaged;
    return frame;
  }
  frame.dictionary = (std::to_integer<unsigned>(rest[4]) & 1) != 0;
  const lz4::FrameInfo info = lz4::scan_frame(rest, frame.header);
  if (info.state == lz4::FrameState::Complete) {
    frame.size = static_cast<std::size_t>(info.size);
    frame.blocks = info.blocks - 1;
    return frame;
  }
  // A damaged length can reach over the frames behind, and over the end of the file.
  const std::size_t next = find_frame(file, at + 1);
  frame.size = next - at;
  frame.blocks = info.blocks;
  frame.state = next == file.size() && info.state == lz4::FrameState::Truncated
                    ? Frame::State::Cut
                    : Frame::State::Damaged;
  return frame;
}

Finding fault(std::string_view code, std::string message, std::size_t offset) {
  return make_finding(code, std::move(message), {.stored_offset = offset});
}

// All frames but the skippable and the empty ones.
std::vector<Frame> list_frames(ByteView file, std::vector<Finding>& findings) {
  std::vector<Frame> frames;
  std::size_t at = 0;
  std::size_t faults = 0;
  while (at < file.size() && faults < kMostFaults) {
    const ByteView rest = file.subspan(at);
    if (rest.size() >= 8 && lz4::is_skippable_magic(load_le32(rest))) {
      const std::uint64_t size = 8 + std::uint64_t{load_le32(rest.subspan(4))};
      if (size > rest.size()) {
        findings.push_back(fault("chk-truncated", "the file ends inside a skippable frame", at));
        break;
      }
      at += static_cast<std::size_t>(size);
      continue;
    }
    Frame frame = scan(file, at);
    at += frame.size;
    faults += frame.state != Frame::State::Whole ? 1 : 0;
    if (frame.state != Frame::State::Whole || frame.blocks != 0) {
      frames.push_back(frame);
    }
  }
  return frames;
}

// Whether the frame can hold one chunk and no more. Blocks of 64 KiB have no room for two.
bool holds_one_chunk(const Frame& frame) {
  if (frame.state != Frame::State::Whole) {
    // Of a frame that was cut behind a block nothing of that is lost if all is decoded.
    return frame.state == Frame::State::Damaged || frame.blocks == 0;
  }
  if (frame.dictionary || frame.blocks != 1) {
    return false;
  }
  return frame.header.content_size ? *frame.header.content_size == kChunkSize
                                   : frame.header.block_max == kSmallestBlockMax;
}

// The only block of a frame, as a chunk.
StoredChunk only_block(ByteView file, const Frame& frame) {
  StoredChunk chunk;
  chunk.file_offset = frame.offset;
  const ByteView stored = file.subspan(frame.offset, frame.size);
  const std::uint32_t length = load_le32(stored.subspan(frame.header.size));
  chunk.content = stored.subspan(frame.header.size + lz4::kBlockHeader, length & 0x7FFFFFFF);
  if (frame.header.block_checksum || frame.header.content_checksum) {
    chunk.form = StoredChunk::Form::Frame;
    chunk.block_max = frame.header.block_max;
    chunk.content = stored;
  } else {
    chunk.form = length >> 31 != 0 ? StoredChunk::Form::Plain : StoredChunk::Form::Block;
  }
  return chunk;
}

// The first bytes of the chunk that the frame's first block begins, whatever follows.
std::optional<Head> read_head(ByteView file, const Frame& frame) {
  // A frame whose header is damaged has had one of the usual size.
  const std::size_t header = frame.header.size != 0 ? frame.header.size : 7;
  ByteView stored = file.subspan(frame.offset, frame.size);
  if (stored.size() < header + lz4::kBlockHeader) {
    return std::nullopt;
  }
  stored = stored.subspan(header);
  const std::uint32_t length = load_le32(stored);
  stored = stored.subspan(lz4::kBlockHeader);
  if (frame.state == Frame::State::Whole) {
    stored = stored.first(std::min<std::size_t>(stored.size(), length & 0x7FFFFFFF));
  }
  Head head;
  if (length >> 31 == 0) {
    return unpack_head(stored, head) ? std::optional(head) : std::nullopt;
  }
  if (stored.size() < head.size()) {
    return std::nullopt;
  }
  std::copy_n(stored.begin(), head.size(), head.begin());
  return head;
}

// Whether a chunk may begin so. Frames that were cut elsewhere than between chunks begin with bytes
// of windows, in which text has no bytes as small as a number of bits, and zeros are no id.
bool begins_chunk(const Head& head) {
  return head[kChunkBits] < std::byte{8} &&
         std::all_of(
             head.begin(), head.begin() + kChunkId,
             [](std::byte byte) { return byte > std::byte{0x20} && byte != std::byte{0x7F}; });
}

std::string_view state_words(const Frame& frame) {
  if (frame.state == Frame::State::Cut) {
    return "the file ends inside an lz4 frame";
  }
  return frame.dictionary ? "an lz4 frame needs a dictionary" : "no lz4 frame can be decoded here";
}

// Files are cut short more often than damaged, so the last chunk is looked at.
void check_last(bool last, std::size_t number, StoredChunk& chunk, std::vector<Finding>& findings) {
  std::array<std::byte, kChunkSize> room;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  const std::size_t size = last ? read_chunk(chunk, room) : kChunkSize;
  if (size != kChunkSize) {
    findings.push_back(
        fault(size != 0 ? "chk-truncated" : "chk-lz4",
              size != 0 ? fmt::format("chunk {} has {} bytes, not {}", number, size, kChunkSize)
                        : fmt::format("chunk {}: its lz4 data are damaged", number),
              static_cast<std::size_t>(chunk.file_offset)));
    chunk.form = StoredChunk::Form::Lost;
  }
}

// One chunk a frame.
void list_apart(ByteView file, const std::vector<Frame>& frames,
                const std::vector<std::optional<Head>>& heads, const ChunkOutput& output,
                std::vector<Finding>& findings) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Frame& frame = frames[i];
    const bool whole = frame.state == Frame::State::Whole;
    if (!whole) {
      findings.push_back(fault(frame.state == Frame::State::Cut ? "chk-truncated" : "chk-lz4",
                               fmt::format("chunk {}: {}", i, state_words(frame)), frame.offset));
    }
    if (!heads[i]) {
      if (i + 1 < frames.size() || whole) {
        findings.push_back(fault("chk-lz4",
                                 fmt::format("chunk {} cannot be read; it and the chunks behind "
                                             "it are not used, for they count from it",
                                             i),
                                 frame.offset));
      }
      return;
    }
    StoredChunk chunk;
    chunk.file_offset = frame.offset;
    if (whole) {
      chunk = only_block(file, frame);
      check_last(i + 1 == frames.size(), i, chunk, findings);
    }
    if (!output(*heads[i], std::move(chunk))) {
      return;
    }
  }
}

// Chunks in any frames: everything is decoded once, and kept compressed.
class Joined {
 public:
  Joined(ByteView file, const ChunkOutput& output, std::vector<Finding>& findings)
      : file_(file), output_(output), findings_(findings) {}

  void run(const std::vector<Frame>& frames) {
    pending_.reserve(kChunkSize);
    for (const Frame& frame : frames) {
      if (!decode(frame)) {
        return;
      }
    }
    if (!pending_.empty()) {
      findings_.push_back(fault("chk-truncated",
                                fmt::format("{} bytes stand behind the last chunk; a chunk has {}",
                                            pending_.size(), kChunkSize),
                                frames.back().offset));
      give_lost(frames.back());
    }
  }

 private:
  bool decode(const Frame& frame) {
    const ByteView stored = file_.subspan(frame.offset, frame.size);
    if (frame.header.size == 0 || frame.header.size > stored.size() || frame.dictionary ||
        !decoder_.ready() || !decoder_.start(stored.first(frame.header.size))) {
      return damaged(frame, state_words(frame));
    }
    if (room_.size() < frame.header.block_max) {
      room_.resize(frame.header.block_max);
    }
    std::size_t at = frame.header.size;
    while (stored.size() - at >= lz4::kBlockHeader) {
      const lz4::Block block = lz4::parse_block(stored.subspan(at), frame.header);
      if (!block.legal || block.stored > stored.size() - at) {
        break;
      }
      const auto step = decoder_.decode_block(stored.subspan(at, block.stored), room_);
      if (step.state != lz4::BlockDecoder::State::Good) {
        return damaged(frame, "an lz4 block is damaged, or a checksum or size is wrong");
      }
      at += block.stored;
      if (!take(frame, ByteView(room_).first(step.written))) {
        return false;
      }
      if (block.end) {
        return true;
      }
    }
    return damaged(frame, state_words(frame));
  }

  bool take(const Frame& frame, ByteView bytes) {
    while (!bytes.empty()) {
      const ByteView part = bytes.first(std::min(bytes.size(), kChunkSize - pending_.size()));
      pending_.insert(pending_.end(), part.begin(), part.end());
      bytes = bytes.subspan(part.size());
      if (pending_.size() == kChunkSize) {
        StoredChunk chunk;
        chunk.file_offset = frame.offset;
        chunk.form = StoredChunk::Form::Block;
        chunk.own = pack_bytes(pending_);
        chunk.content = chunk.own;
        if (!give(std::move(chunk))) {
          return false;
        }
      }
    }
    return true;
  }

  bool give(StoredChunk chunk) {
    const bool more = output_(ByteView(pending_).first<kChunkHead>(), std::move(chunk));
    pending_.clear();
    return more;
  }

  void give_lost(const Frame& frame) {
    if (pending_.size() >= kChunkHead) {
      StoredChunk chunk;
      chunk.file_offset = frame.offset;
      static_cast<void>(give(std::move(chunk)));
    }
  }

  bool damaged(const Frame& frame, std::string_view words) {
    const bool cut = frame.state == Frame::State::Cut;
    findings_.push_back(fault(cut ? "chk-truncated" : "chk-lz4",
                              fmt::format("{}; no chunk that lies behind can be used", words),
                              frame.offset));
    give_lost(frame);
    return false;
  }

  ByteView file_;
  const ChunkOutput& output_;
  std::vector<Finding>& findings_;
  lz4::BlockDecoder decoder_;
  std::vector<std::byte> room_;
  std::vector<std::byte> pending_;  // the chunk that is being put together
};

}  // namespace

void list_chunks(ByteView file, const ChunkOutput& output, std::vector<Finding>& findings) {
  const std::vector<Frame> frames = list_frames(file, findings);
  bool apart = std::all_of(frames.begin(), frames.end(), holds_one_chunk);
  std::vector<std::optional<Head>> heads;
  if (apart) {
    heads.reserve(frames.size());
    for (const Frame& frame : frames) {
      heads.push_back(read_head(file, frame));
      apart = apart && (!heads.back() || begins_chunk(*heads.back()));
    }
  }
  if (apart) {
    list_apart(file, frames, heads, output, findings);
  } else {
    Joined(file, output, findings).run(frames);
  }
}

std::size_t read_chunk(const StoredChunk& chunk, std::span<std::byte, kChunkSize> out) {
  if (chunk.form == StoredChunk::Form::Lost) {
    return 0;
  }
  if (chunk.form == StoredChunk::Form::Block) {
    return unpack_bytes(chunk.content, out).value_or(0);
  }
  ByteView bytes = chunk.content;
  std::vector<std::byte> room;
  if (chunk.form == StoredChunk::Form::Frame) {
    lz4::BlockDecoder decoder;
    room.resize(kChunkSize + chunk.block_max);
    const auto size = decoder.ready() ? decoder.decode_whole(chunk.content, room) : std::nullopt;
    bytes = ByteView(room).first(size.value_or(0));
  }
  std::copy_n(bytes.begin(), std::min(bytes.size(), out.size()), out.begin());
  return bytes.size();
}

}  // namespace fonds::index
