// Seek points for tests, found with zlib.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/seek_index.hpp>

#include "codec/gzip/testing_streams.hpp"

namespace fonds::testing_gzip {

class PointList final : public SeekIndex {
 public:
  explicit PointList(std::vector<SeekPoint> points) : points_(std::move(points)) {}
  std::size_t size() const override { return points_.size(); }
  SeekPoint border(std::size_t i) const override {
    return {points_[i].stored_offset, points_[i].bits, points_[i].place, {}};
  }
  Result<SeekPoint> point(std::size_t i) const override { return points_[i]; }

 private:
  std::vector<SeekPoint> points_;
};

inline SeekPoint point_at(std::string_view text, const BlockEnd& end, std::uint64_t member,
                          std::uint64_t data) {
  const std::size_t n = std::min<std::size_t>(end.decoded, 32768);
  const ByteView window = as_bytes(text.substr(end.decoded - n, n));
  return {.stored_offset = data + end.stored,
          .bits = static_cast<std::uint8_t>(end.bits),
          .place = Place{member, end.decoded},
          .window = {window.begin(), window.end()}};
}

// The borders of a member at stored offset `member` that holds `deflate`, at least `spacing` stored
// bytes apart.
inline std::vector<SeekPoint> points_of(std::string_view deflate, std::string_view text,
                                        std::uint64_t member, std::uint64_t spacing) {
  std::vector<SeekPoint> points;
  std::uint64_t last = 0;
  for (const BlockEnd& end : block_ends(deflate)) {
    if (end.stored >= last + spacing) {
      points.push_back(point_at(text, end, member, member + header().size()));
      last = end.stored;
    }
  }
  return points;
}

}  // namespace fonds::testing_gzip
