// What seek_index_fuzz.cpp decodes, and indexes of it with points that are true or nearly so.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codec/gzip/testing_seek.hpp"
#include "index/checkpoint_test_support.hpp"
#include "index/gzidx.hpp"

namespace fonds::fuzz {

// A long member of short blocks, and a short one.
struct Source {
  std::string text = "WARC/1.0\r\n" + testing_codec::sample_text(1500000);
  std::string deflate = testing_gzip::deflated_as({.name = "", .memory = 5}, text);
  std::vector<testing_gzip::BlockEnd> ends = testing_gzip::block_ends(deflate);
  std::string stored = testing_gzip::header() + deflate + testing_gzip::trailer(text);

  std::string with(bool damage, bool cut) const {
    std::string bytes = stored + testing_gzip::member("WARC/1.1 short");
    if (damage) {
      bytes.replace(stored.size() / 3 * 2, 9, "(damaged)");
    }
    return cut ? bytes.substr(0, stored.size() - 1000) : bytes;
  }
};

inline std::string le64(std::uint64_t value) {
  return index::le32_text(static_cast<std::uint32_t>(value)) +
         index::le32_text(static_cast<std::uint32_t>(value >> 32));
}

// An index of one point for each five octets: which border, what is added to its offset and to its
// bits, and which octet of its window is another.
inline std::string made_index(const Source& source, std::string_view octets, bool gzidx,
                              std::uint64_t size) {
  const std::size_t count = std::min<std::size_t>(octets.size() / 5, 20);
  std::string points, windows, chunks;
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::array<std::uint8_t, 5> octet;
    std::copy_n(octets.begin() + static_cast<std::ptrdiff_t>(i * 5), 5, octet.begin());
    const std::size_t border = (octet[0] + 256U * octet[1]) % source.ends.size();
    const testing_gzip::BlockEnd& end = source.ends[border];
    SeekPoint point = point_at(source.text, end, 0, testing_gzip::header().size());
    const auto added = static_cast<std::uint64_t>(static_cast<std::int8_t>(octet[2]));
    const std::uint64_t offset = point.stored_offset + added;
    const auto bits = static_cast<char>(point.bits + octet[3]);
    std::string window(index::kGzidxWindow - point.window.size(), '\0');
    window += as_text(point.window);
    window[window.size() - 1 - octet[4] * 100U] ^= static_cast<char>(octet[4]);
    points += le64(offset) + le64(end.decoded) + bits + '\1';
    windows += window;
    index::TestChunk chunk{.document = static_cast<std::uint32_t>(i),
                           .delta = static_cast<std::uint32_t>(offset - before),
                           .bits = bits};
    chunk.id[24] = static_cast<char>('a' + i);
    before = offset;
    chunks += chunk.bytes().replace(index::kChunkHead, window.size(), window);
  }
  if (!gzidx) {
    return index::lz4_frame(chunks);
  }
  return "GZIDX\1" + std::string(1, '\0') + le64(size) + le64(source.text.size()) +
         index::le32_text(1 << 20) + index::le32_text(index::kGzidxWindow) +
         index::le32_text(static_cast<std::uint32_t>(count)) + points + windows;
}

}  // namespace fonds::fuzz
