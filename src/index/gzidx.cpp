#include "index/gzidx.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

#include "base/bytes.hpp"
#include "index/seek_limits.hpp"

namespace fonds::index {
namespace {

constexpr std::size_t kHeaderSize = 35;
constexpr std::size_t kPointsAtOnce = 4096;

}  // namespace

struct GzidxFile::Header {
  unsigned version = 0;
  std::uint64_t archive_size = 0;
  std::uint64_t points = 0;

  std::size_t point_size() const { return version == 0 ? 17 : 18; }
};

Result<std::shared_ptr<const GzidxFile>> GzidxFile::open(std::string_view path,
                                                         std::uint64_t archive_size) {
  FONDS_TRY(auto source, open_source(path));
  return read(std::move(source), archive_size);
}

Result<std::shared_ptr<const GzidxFile>> GzidxFile::read(std::shared_ptr<ByteSource> source,
                                                         std::uint64_t archive_size) {
  std::shared_ptr<GzidxFile> file(new GzidxFile);
  file->file_ = std::move(source);
  if (auto parsed = file->parse(archive_size); !parsed) {
    return tl::unexpected(std::move(parsed.error()).with({.source = file->name()}));
  }
  for (Finding& finding : file->findings_) {
    finding.where.source = file->name();
  }
  return std::shared_ptr<const GzidxFile>(std::move(file));
}

void GzidxFile::report(std::string_view code, std::string message, std::uint64_t offset) {
  findings_.push_back(make_finding(code, std::move(message), {.stored_offset = offset}));
}

Status GzidxFile::parse(std::uint64_t archive_size) {
  FONDS_TRY(size_, file_->size());
  std::array<std::byte, kHeaderSize> bytes = {};
  FONDS_TRY(const std::size_t n, file_->read_at(0, bytes));
  const ByteView header_bytes(bytes);
  if (!as_text(header_bytes).starts_with("GZIDX")) {
    return fail(ErrorCode::Corrupt, "a seek index begins with GZIDX, this file does not",
                {.stored_offset = 0});
  }
  if (n < kHeaderSize) {
    return fail(ErrorCode::Truncated,
                fmt::format("the header ends after {} of {} bytes", n, kHeaderSize),
                {.stored_offset = n});
  }
  Header header;
  header.version = std::to_integer<unsigned>(bytes[5]);
  if (header.version > 1) {
    return fail(ErrorCode::Unsupported,
                fmt::format("seek index of version {}; 0 and 1 are known", header.version),
                {.stored_offset = 5});
  }
  header.archive_size = load_le64(header_bytes.subspan(7));
  decoded_size_ = load_le64(header_bytes.subspan(15));
  spacing_ = load_le32(header_bytes.subspan(23));
  window_ = load_le32(header_bytes.subspan(27));
  header.points = load_le32(header_bytes.subspan(31));
  if (window_ < kGzidxWindow) {
    return fail(ErrorCode::Corrupt,
                fmt::format("windows of {} bytes; at least {} are needed", window_, kGzidxWindow),
                {.stored_offset = 27});
  }
  if (header.archive_size != archive_size) {
    report("gzidx-source",
           fmt::format("it was made for a file of {} bytes, this one has {}; none of its points "
                       "is used",
                       header.archive_size, archive_size),
           7);
    return {};
  }
  return parse_points(header, archive_size);
}

Status GzidxFile::parse_points(const Header& header, std::uint64_t archive_size) {
  const std::size_t point_size = header.point_size();
  const std::uint64_t there = (size_ - kHeaderSize) / point_size;
  const std::uint64_t count = std::min(header.points, there);
  std::uint64_t window_at = kHeaderSize + header.points * point_size;
  if (count < header.points) {
    report("gzidx-truncated",
           fmt::format("{} points are announced, there is room for {}", header.points, count),
           size_);
  }
  bool whole = count == header.points;
  std::vector<std::byte> bytes;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::size_t in_batch = static_cast<std::size_t>(i % kPointsAtOnce);
    if (in_batch == 0) {
      bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(count - i, kPointsAtOnce)) *
                   point_size);
      FONDS_TRY(const std::size_t n, file_->read_at(kHeaderSize + i * point_size, bytes));
      if (n < bytes.size()) {
        return fail(ErrorCode::Io, "the index became shorter while it was read");
      }
    }
    const ByteView stored = ByteView(bytes).subspan(in_batch * point_size, point_size);
    Point point = {.stored_offset = load_le64(stored),
                   .decoded_offset = load_le64(stored.subspan(8)),
                   .bits = std::to_integer<std::uint8_t>(stored[16])};
    if (header.version == 0 ? i != 0 : stored[17] != std::byte{0}) {
      point.window = window_at;
      if (window_at > size_ || size_ - window_at < window_) {
        if (whole) {
          report("gzidx-truncated", fmt::format("the window of point {} is not there", i), size_);
        }
        whole = false;
        continue;
      }
      window_at += window_;
    }
    if (sound(point, kHeaderSize + i * point_size, archive_size)) {
      points_.push_back(point);
    }
    if (findings_.size() >= kMostFaults) {
      break;
    }
  }
  return {};
}

// `at` is where the point stands in the index.
bool GzidxFile::sound(const Point& point, std::uint64_t at, std::uint64_t archive_size) {
  if (point.bits > 7) {
    report("gzidx-point", fmt::format("{} bits of a byte are to be read", point.bits), at);
    return false;
  }
  if (point.stored_offset < kGzipHeader || point.stored_offset > archive_size) {
    report("gzidx-point",
           fmt::format("the point lies at {}; a file of {} bytes has none there",
                       point.stored_offset, archive_size),
           at);
    return false;
  }
  if (!points_.empty()) {
    const Point& before = points_.back();
    if (point.stored_offset <= before.stored_offset ||
        point.decoded_offset < before.decoded_offset) {
      report("gzidx-point",
             fmt::format("the point at {} (decoded {}) does not follow the one at {} (decoded {})",
                         point.stored_offset, point.decoded_offset, before.stored_offset,
                         before.decoded_offset),
             at);
      return false;
    }
  }
  // The point that closes the index cannot be entered by.
  return point.stored_offset < archive_size;
}

SeekPoint GzidxFile::border(std::size_t i) const {
  return {.stored_offset = points_[i].stored_offset, .bits = points_[i].bits};
}

Result<SeekPoint> GzidxFile::point(std::size_t i) const {
  SeekPoint point = border(i);
  if (!points_[i].window) {
    return point;
  }
  // Larger windows have more than inflate looks back at.
  const std::uint64_t at = *points_[i].window + (window_ - kGzidxWindow);
  point.window.resize(kGzidxWindow);
  FONDS_TRY(const std::size_t n, file_->read_at(at, point.window));
  if (n < point.window.size()) {
    return fail(ErrorCode::Io, "the index became shorter while it was read",
                {.source = name(), .stored_offset = at});
  }
  return point;
}

std::optional<std::size_t> GzidxFile::find_decoded(std::uint64_t offset) const {
  const auto behind = std::upper_bound(
      points_.begin(), points_.end(), offset,
      [](std::uint64_t wanted, const Point& point) { return wanted < point.decoded_offset; });
  return behind == points_.begin()
             ? std::nullopt
             : std::optional(static_cast<std::size_t>(behind - points_.begin()) - 1);
}

std::optional<std::uint64_t> GzidxFile::decoded_size() const {
  return decoded_size_ != 0 ? std::optional(decoded_size_) : std::nullopt;
}

}  // namespace fonds::index
