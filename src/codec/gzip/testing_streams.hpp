// Deflate streams of many kinds, and where zlib sees their blocks end.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <zlib.h>

#include "codec/gzip/testing.hpp"
#include "codec/testing.hpp"

namespace fonds::testing_gzip {

struct Kind {
  const char* name;
  int level = 6;
  int strategy = Z_DEFAULT_STRATEGY;
  int memory = 8;          // memLevel: 1 makes blocks of 128 symbols
  std::size_t every = 0;   // bytes after which there is a flush,
  int flush = Z_NO_FLUSH;  // of this kind
  bool changing = false;   // another level after each flush
  friend void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }
};

inline const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {.name = "Level1", .level = 1},
      {.name = "Level2", .level = 2},
      {.name = "Level3", .level = 3},
      {.name = "Level4", .level = 4},
      {.name = "Level5", .level = 5},
      {.name = "Level6", .level = 6},
      {.name = "Level7", .level = 7},
      {.name = "Level8", .level = 8},
      {.name = "Level9", .level = 9},
      {.name = "Stored", .level = 0},
      {.name = "Fixed", .strategy = Z_FIXED},
      {.name = "FixedSmallBlocks", .strategy = Z_FIXED, .memory = 1},
      {.name = "HuffmanOnly", .strategy = Z_HUFFMAN_ONLY},
      {.name = "HuffmanOnlySmallBlocks", .strategy = Z_HUFFMAN_ONLY, .memory = 1},
      {.name = "RunLengths", .strategy = Z_RLE},
      {.name = "SmallBlocks", .memory = 1},
      {.name = "SmallBlocksFast", .level = 1, .memory = 1},
      {.name = "FullFlush", .every = 3000, .flush = Z_FULL_FLUSH},
      {.name = "SyncFlush", .every = 700, .flush = Z_SYNC_FLUSH},
      {.name = "SyncFlushLikePigz", .every = 131072, .flush = Z_SYNC_FLUSH},
      {.name = "PartialFlush", .every = 100, .flush = Z_PARTIAL_FLUSH},
      {.name = "BlockFlush", .every = 50, .flush = Z_BLOCK},
      {.name = "FixedBlockFlush", .strategy = Z_FIXED, .every = 17, .flush = Z_BLOCK},
      {.name = "FixedPartialFlush", .strategy = Z_FIXED, .every = 23, .flush = Z_PARTIAL_FLUSH},
      {.name = "AllKinds", .every = 900, .flush = Z_BLOCK, .changing = true},
  };
  return all;
}

inline std::string deflated_as(const Kind& kind, std::string_view text) {
  z_stream stream = {};
  if (deflateInit2(&stream, kind.level, Z_DEFLATED, -15, kind.memory, kind.strategy) != Z_OK) {
    throw std::runtime_error("deflateInit2");
  }
  std::string out;
  std::string room(std::size_t{1} << 16, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  std::size_t left = text.size();
  int turn = 0;
  do {
    const std::size_t n = kind.every == 0 ? left : std::min(left, kind.every);
    left -= n;
    stream.avail_in = static_cast<uInt>(n);
    const int flush = left == 0 ? Z_FINISH : kind.flush;
    do {
      stream.next_out = reinterpret_cast<Bytef*>(room.data());
      stream.avail_out = static_cast<uInt>(room.size());
      deflate(&stream, flush);
      out.append(room, 0, room.size() - stream.avail_out);
    } while (stream.avail_out == 0);
    if (kind.changing && left > 0) {
      constexpr int kLevels[] = {6, 0, 1, 9};
      constexpr int kStrategies[] = {Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED};
      stream.next_out = reinterpret_cast<Bytef*>(room.data());
      stream.avail_out = static_cast<uInt>(room.size());
      deflateParams(&stream, kLevels[turn % 4], kStrategies[turn % 5]);
      out.append(room, 0, room.size() - stream.avail_out);
      ++turn;
    }
  } while (left > 0);
  deflateEnd(&stream);
  return out;
}

struct BlockEnd {
  std::uint64_t stored = 0;  // as SeekPoint::stored_offset, from the start of the deflate data
  unsigned bits = 0;
  std::uint64_t decoded = 0;
  friend auto operator<=>(const BlockEnd&, const BlockEnd&) = default;
  friend void PrintTo(const BlockEnd& end, std::ostream* out) {
    *out << end.stored << "-" << end.bits << " bits, " << end.decoded;
  }
};

// The ends of all blocks but the last.
inline std::vector<BlockEnd> block_ends(std::string_view deflate) {
  z_stream stream = {};
  if (inflateInit2(&stream, -15) != Z_OK) {
    throw std::runtime_error("inflateInit2");
  }
  std::vector<BlockEnd> ends;
  std::string room(std::size_t{1} << 16, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(deflate.data()));
  stream.avail_in = static_cast<uInt>(deflate.size());
  int verdict = Z_OK;
  while (verdict == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(room.size());
    verdict = inflate(&stream, Z_BLOCK);
    if (verdict == Z_OK && (stream.data_type & 128) != 0 && (stream.data_type & 64) == 0 &&
        stream.total_in > 0) {
      ends.push_back(
          {stream.total_in, static_cast<unsigned>(stream.data_type & 7), stream.total_out});
    }
  }
  inflateEnd(&stream);
  return ends;
}

}  // namespace fonds::testing_gzip
