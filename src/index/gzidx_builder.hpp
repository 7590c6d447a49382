// Makes and writes seek indexes as indexed_gzip has them; layout: gzidx.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <fonds/byte_sink.hpp>
#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>

namespace fonds::index {

inline constexpr std::uint32_t kGzidxSpacing = std::uint32_t{4} << 20;  // of indexed_gzip

// Collects points, in memory with compressed windows, and writes them at the end, for the file
// begins with their number.
class GzidxWriter {
 public:
  explicit GzidxWriter(std::uint32_t spacing) : spacing_(spacing) {}

  // `window`: the decoded bytes before the point, 32 KiB at most, with zeros before fewer; nothing
  // where a member's data begin.
  void add(std::uint64_t stored_offset, std::uint64_t decoded_offset, std::uint8_t bits,
           std::optional<ByteView> window);
  // Closes the index of a gzip file of these sizes. `window` holds its last decoded bytes. Errors:
  // those of the sink; LimitExceeded for 2^32 points.
  Status finish(ByteSink& sink, std::uint64_t stored_size, std::uint64_t decoded_size,
                ByteView window);

  std::size_t count() const { return points_.size(); }

 private:
  struct Point {
    std::uint64_t stored_offset;
    std::uint64_t decoded_offset;
    std::uint8_t bits;
    bool has_window;
    std::vector<std::byte> window;  // compressed
  };
  std::uint32_t spacing_;
  std::vector<Point> points_;
};

struct GzidxOptions {
  std::uint32_t spacing = kGzidxSpacing;  // decoded bytes between points, at least
  std::function<void(const Finding&)> on_finding = {};
  std::function<void(std::uint64_t stored_position)> progress = {};
};

struct GzidxReport {
  std::uint64_t points = 0;   // with those at the starts of members and the one at the end
  std::uint64_t members = 0;  // that are not empty
  std::uint64_t decoded_size = 0;
};

// Writes the seek index of any gzip file, an archive or not. Errors: Io; Unsupported for a pipe and
// for what is no gzip, or not to its end; BadArgument for a spacing below 32 KiB; Corrupt where
// decoded data are missing, for all offsets behind would be wrong; those of the sink.
Result<GzidxReport> build_gzidx(const std::shared_ptr<ByteSource>& source, ByteSink& sink,
                                const GzidxOptions& options);

}  // namespace fonds::index
