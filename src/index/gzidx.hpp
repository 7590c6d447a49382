// Seek indexes of indexed_gzip (`.gzidx`, versions 0 and 1): points at about equal distances in the
// decoded data of any gzip file. All numbers are little-endian:
//
//   header  "GZIDX", version (1 byte), reserved (1), stored size of the gzip file (8), decoded size
//           (8; 0: unknown), spacing (4), window size (4), number of points (4)
//   points  stored offset (8), decoded offset (8), bits (1), in version 1: has a window (1)
//   windows one behind the other, of the points that have one; in version 0 all but the first
//
// A point at the start of each member lies behind the member's header and has no window. A last
// point lies at the end of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/byte_sink.hpp>
#include <fonds/byte_source.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/seek_index.hpp>

namespace fonds::index {

inline constexpr std::string_view kGzidxEnding = ".gzidx";
inline constexpr std::size_t kGzidxWindow = 32768;

// The points of one file at which decoding can begin.
class GzidxFile final : public SeekIndex {
 public:
  // `archive_size` is the stored size of the gzip file. An index of a file of another size, or one
  // that ends too early, has findings, and only the points that are whole and sound. Errors: Io,
  // NotFound; Corrupt, Truncated for a file without a good header; Unsupported for a later version,
  // for a pipe.
  static Result<std::shared_ptr<const GzidxFile>> open(std::string_view path,
                                                       std::uint64_t archive_size);
  static Result<std::shared_ptr<const GzidxFile>> read(std::shared_ptr<ByteSource> file,
                                                       std::uint64_t archive_size);

  std::size_t size() const override { return points_.size(); }
  // Without a place: the index does not say in which member a point lies.
  SeekPoint border(std::size_t i) const override;
  Result<SeekPoint> point(std::size_t i) const override;

  // How many decoded bytes of the whole file lie before the point.
  std::uint64_t decoded_offset(std::size_t i) const { return points_[i].decoded_offset; }
  // Whether a member's data begin at the point.
  bool begins_member(std::size_t i) const { return !points_[i].window; }
  // The last point at or before a byte of the decoded data.
  std::optional<std::size_t> find_decoded(std::uint64_t offset) const;
  // Of the whole file; nothing if it is not known.
  std::optional<std::uint64_t> decoded_size() const;
  std::uint32_t spacing() const { return spacing_; }

  std::span<const Finding> findings() const { return findings_; }
  const std::string& name() const { return file_->name(); }

 private:
  struct Point {
    std::uint64_t stored_offset = 0;
    std::uint64_t decoded_offset = 0;
    std::uint8_t bits = 0;
    std::optional<std::uint64_t> window = {};  // its offset in the index
  };
  struct Header;
  GzidxFile() = default;
  Status parse(std::uint64_t archive_size);
  Status parse_points(const Header& header, std::uint64_t archive_size);
  // Whether the point can be entered by.
  bool sound(const Point& point, std::uint64_t at, std::uint64_t archive_size);
  void report(std::string_view code, std::string message, std::uint64_t offset);

  std::shared_ptr<ByteSource> file_;
  std::vector<Point> points_;
  std::vector<Finding> findings_;
  std::uint64_t size_ = 0;  // of the index
  std::uint64_t decoded_size_ = 0;
  std::uint32_t spacing_ = 0;
  std::uint32_t window_ = 0;
};

}  // namespace fonds::index
