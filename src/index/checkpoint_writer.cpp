#include "index/checkpoint_writer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <lz4.h>
#include <lz4hc.h>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

#include "base/text.hpp"
#include "index/checkpoint.hpp"

namespace fonds::index {
namespace {

// Version 1, linked blocks of 64 KiB, no checksums, no size; and the checksum of that.
constexpr std::array<std::uint8_t, 7> kFrameHeader = {0x04, 0x22, 0x4D, 0x18, 0x40, 0x40, 0xC0};
constexpr std::uint32_t kPlainBlock = 0x80000000;

void put_le32(std::vector<std::byte>& out, std::uint32_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) {
    out.push_back(static_cast<std::byte>(value >> shift & 0xFF));
  }
}

void put_header(std::vector<std::byte>& out) {
  for (const std::uint8_t byte : kFrameHeader) {
    out.push_back(static_cast<std::byte>(byte));
  }
}

std::vector<std::byte> emit_chunk(const CheckpointEntry& entry, std::uint32_t delta) {
  std::vector<std::byte> chunk;
  chunk.reserve(kChunkSize);
  const ByteView id = as_bytes(entry.id);
  chunk.insert(chunk.end(), id.begin(), id.end());
  put_le32(chunk, static_cast<std::uint32_t>(entry.document));
  put_le32(chunk, delta);
  chunk.push_back(static_cast<std::byte>(entry.bits));
  chunk.push_back(static_cast<std::byte>(entry.byte));
  chunk.resize(chunk.size() + kCheckpointWindow - entry.window.size());
  chunk.insert(chunk.end(), entry.window.begin(), entry.window.end());
  put_le32(chunk, static_cast<std::uint32_t>(entry.skip));
  return chunk;
}

std::vector<std::byte> emit_frame(ByteView chunk) {
  std::vector<std::byte> packed(static_cast<std::size_t>(LZ4_compressBound(kChunkSize)));
  const int packed_size = LZ4_compress_HC(
      reinterpret_cast<const char*>(chunk.data()), reinterpret_cast<char*>(packed.data()),
      static_cast<int>(chunk.size()), static_cast<int>(packed.size()), LZ4HC_CLEVEL_MAX);
  const auto size = static_cast<std::size_t>(std::max(packed_size, 0));
  const bool plain = size == 0 || size >= chunk.size();
  const ByteView block = plain ? chunk : ByteView(packed).first(size);
  std::vector<std::byte> frame;
  frame.reserve(kFrameHeader.size() + block.size() + 8);
  put_header(frame);
  put_le32(frame, static_cast<std::uint32_t>(block.size()) | (plain ? kPlainBlock : 0));
  frame.insert(frame.end(), block.begin(), block.end());
  put_le32(frame, 0);
  return frame;
}

}  // namespace

Status CheckpointWriter::add(const CheckpointEntry& entry) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  const auto refuse = [&](std::string message) {
    return fail(ErrorCode::BadArgument, std::move(message),
                {.stored_offset = entry.stored_offset, .record_id = std::string(entry.id)});
  };
  if (entry.id.size() != kCheckpointId) {
    return refuse(fmt::format("the id {} has {} bytes, a checkpoint has room for exactly {}",
                              to_utf8(entry.id), entry.id.size(), kCheckpointId));
  }
  if (count_ != 0 && entry.stored_offset <= last_) {
    return refuse(
        fmt::format("a checkpoint at {} cannot follow one at {}", entry.stored_offset, last_));
  }
  const std::uint64_t delta = entry.stored_offset - last_;
  if (delta > kMost || entry.document > kMost || entry.skip > kMost) {
    return refuse(
        fmt::format("a checkpoint {} bytes behind the one before, {} bytes before "
                    "document {}, needs more than 32 bits",
                    delta, entry.skip, entry.document));
  }
  if (entry.bits > 7 || entry.window.size() > kCheckpointWindow) {
    return refuse(fmt::format("{} bits and a window of {} bytes are more than a checkpoint has",
                              entry.bits, entry.window.size()));
  }
  const std::vector<std::byte> chunk = emit_chunk(entry, static_cast<std::uint32_t>(delta));
  FONDS_CHECK(sink_->write(emit_frame(chunk)));
  ++count_;
  last_ = entry.stored_offset;
  return {};
}

Status CheckpointWriter::finish() {
  if (count_ != 0) {
    return {};
  }
  std::vector<std::byte> frame;
  put_header(frame);
  put_le32(frame, 0);
  return sink_->write(frame);
}

}  // namespace fonds::index
