// Finds the chunks of a `.chk.lz4` file in whatever lz4 frames they lie, decoding as little as can
// be: where each has a frame of its own, only its first bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <fonds/bytes.hpp>
#include <fonds/finding.hpp>

namespace fonds::index {

inline constexpr std::size_t kChunkSize = 32807;
inline constexpr std::size_t kChunkHead = 35;  // everything before the window

// Where the bytes of a chunk are.
struct StoredChunk {
  enum class Form : std::uint8_t {
    Lost,   // nowhere: they are damaged behind the head
    Plain,  // stored as they are
    Block,  // an lz4 block
    Frame,  // an lz4 frame with checksums
  };
  std::uint64_t file_offset = 0;  // of its frame
  Form form = Form::Lost;
  std::size_t block_max = 0;  // of a frame
  ByteView content = {};      // in the file, or in `own`
  std::vector<std::byte> own = {};
};

// Receives the chunks in file order. Returns false if no further ones are wanted.
using ChunkOutput =
    std::function<bool(std::span<const std::byte, kChunkHead> head, StoredChunk chunk)>;

// Goes through `file`, which must outlive the chunks. Faults go to `findings`, with their offset in
// the file. Behind a chunk of which not even the head can be read no further ones are given: their
// positions count from it.
void list_chunks(ByteView file, const ChunkOutput& output, std::vector<Finding>& findings);

// Decodes a chunk. Returns how many bytes it has: kChunkSize if all is well, another number if the
// chunk is cut short, 0 if it cannot be decoded.
std::size_t read_chunk(const StoredChunk& chunk, std::span<std::byte, kChunkSize> out);

}  // namespace fonds::index
