#include "index/gzidx_builder.hpp"

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

#include <fonds/codec.hpp>
#include <fonds/error.hpp>
#include <fonds/seek_index.hpp>

#include "codec/gzip/history.hpp"
#include "codec/gzip/member_header.hpp"
#include "index/gzidx.hpp"
#include "index/packed_bytes.hpp"

namespace fonds::index {
namespace {

constexpr std::size_t kUsualHeader = 4096;
constexpr std::size_t kStep = 4096;  // few blocks are as short

void put(std::string& out, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) {
    out.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
  }
}

// Zeros, then the last bytes of `window`.
std::array<std::byte, kGzidxWindow> full_window(ByteView window) {
  std::array<std::byte, kGzidxWindow> full = {};
  window = window.last(std::min(window.size(), full.size()));
  std::copy(window.begin(), window.end(), full.end() - static_cast<std::ptrdiff_t>(window.size()));
  return full;
}

// Where the deflate data of the member at `member` begin.
Result<std::uint64_t> find_data(ByteSource& source, std::uint64_t member) {
  std::vector<std::byte> bytes;
  for (const std::size_t size : {kUsualHeader, gzip::kLongestHeader}) {
    bytes.resize(size);
    FONDS_TRY(const std::size_t n, source.read_at(member, bytes));
    gzip::MemberHeader header;
    if (gzip::parse_member_header(ByteView(bytes).first(n), header) == gzip::HeaderState::Good) {
      return member + header.length;
    }
  }
  return fail(ErrorCode::Unsupported, "what follows here is no gzip, so it cannot be in the index",
              {.source = source.name(), .stored_offset = member});
}

// Goes through the decoded data and takes the points that the decoder offers.
class Builder {
 public:
  Builder(std::shared_ptr<ByteSource> source, const GzidxOptions& options)
      : source_(std::move(source)),
        options_(options),
        collector_(
            std::make_shared<SeekCollector>(options.spacing, SeekCollector::Measure::Decoded)),
        writer_(options.spacing) {}

  Status run(const Codec& codec) {
    DecodeOptions decode;
    decode.collect = collector_;
    FONDS_TRY(const auto decoder, codec.decode(source_, decode));
    while (true) {
      FONDS_TRY(const ByteView shown, decoder->peek(1));
      tell(*decoder);
      if (shown.empty()) {
        FONDS_TRY(const bool more, decoder->next_run());
        tell(*decoder);
        return more ? gap(decoder->place()) : Status();
      }
      FONDS_CHECK(pass(decoder->place(), shown.first(decoder->shown_of_unit())));
      decoder->consume(decoder->shown_of_unit());
      if (options_.progress) {
        options_.progress(decoder->stored_position());
      }
    }
  }

  Result<GzidxReport> finish(ByteSink& sink) {
    FONDS_TRY(const std::uint64_t stored_size, source_->size());
    FONDS_CHECK(writer_.finish(sink, stored_size, decoded_, history_.view()));
    return GzidxReport{.points = writer_.count(), .members = members_, .decoded_size = decoded_};
  }

 private:
  void tell(Decoder& decoder) {
    if (!decoder.has_findings()) {
      return;
    }
    for (const Finding& finding : decoder.take_findings()) {
      if (options_.on_finding) {
        options_.on_finding(finding);
      }
    }
  }

  tl::unexpected<Error> gap(const Place& place) {
    return fail(ErrorCode::Corrupt,
                fmt::format("decoded data are missing before this place, behind {} bytes; no "
                            "index can count over that",
                            decoded_),
                {.source = source_->name(), .stored_offset = place.unit});
  }

  // Takes what is shown of one member.
  Status pass(const Place& place, ByteView shown) {
    if (members_ == 0 || place.unit != member_) {
      if (place.inner != 0) {
        return gap(place);
      }
      FONDS_TRY(const std::uint64_t data, find_data(*source_, place.unit));
      writer_.add(data, decoded_, 0, std::nullopt);
      member_ = place.unit;
      member_start_ = decoded_;
      ++members_;
    }
    history_.add(shown);
    decoded_ += shown.size();
    take_points(place, shown.size());
    return {};
  }

  // Takes the points that were offered in `n` bytes at `place`; in small steps, for of several the
  // newest is given, and the first is wanted.
  void take_points(const Place& place, std::size_t n) {
    for (std::size_t done = 0; done < n && collector_->waiting() > 0;) {
      done += std::min(n - done, kStep);
      const auto point = collector_->take({member_, place.inner + done});
      // The start of a member is there already.
      if (point && point->place && point->place->unit == member_ && point->place->inner != 0) {
        writer_.add(point->stored_offset, member_start_ + point->place->inner, point->bits,
                    point->window);
      }
    }
  }

  std::shared_ptr<ByteSource> source_;
  const GzidxOptions& options_;
  std::shared_ptr<SeekCollector> collector_;
  GzidxWriter writer_;
  gzip::History history_;
  std::uint64_t decoded_ = 0;
  std::uint64_t members_ = 0;
  std::uint64_t member_ = 0;        // stored offset of the current one
  std::uint64_t member_start_ = 0;  // decoded bytes before it
};

}  // namespace

void GzidxWriter::add(std::uint64_t stored_offset, std::uint64_t decoded_offset, std::uint8_t bits,
                      std::optional<ByteView> window) {
  points_.push_back({stored_offset, decoded_offset, bits, window.has_value(), {}});
  if (window) {
    points_.back().window = pack_bytes(full_window(*window));
  }
}

Status GzidxWriter::finish(ByteSink& sink, std::uint64_t stored_size, std::uint64_t decoded_size,
                           ByteView window) {
  add(stored_size, decoded_size, 0, window);
  if (points_.size() > std::numeric_limits<std::uint32_t>::max()) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("{} points are more than the index can count", points_.size()));
  }
  std::string out = "GZIDX";
  put(out, 1, 1);
  put(out, 0, 1);
  put(out, stored_size, 8);
  put(out, decoded_size, 8);
  put(out, spacing_, 4);
  put(out, kGzidxWindow, 4);
  put(out, points_.size(), 4);
  for (const Point& point : points_) {
    put(out, point.stored_offset, 8);
    put(out, point.decoded_offset, 8);
    put(out, point.bits, 1);
    put(out, point.has_window ? 1 : 0, 1);
  }
  FONDS_CHECK(sink.write(as_bytes(out)));
  std::array<std::byte, kGzidxWindow> room;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  for (const Point& point : points_) {
    if (!point.has_window) {
      continue;
    }
    if (unpack_bytes(point.window, room) != kGzidxWindow) {
      return fail(ErrorCode::Internal, "a window that was kept in memory cannot be unpacked");
    }
    FONDS_CHECK(sink.write(room));
  }
  return {};
}

Result<GzidxReport> build_gzidx(const std::shared_ptr<ByteSource>& source, ByteSink& sink,
                                const GzidxOptions& options) {
  if (!source->random_access()) {
    return fail(ErrorCode::Unsupported, "an index of a pipe is of no use",
                {.source = source->name()});
  }
  if (options.spacing < kGzidxWindow) {
    return fail(ErrorCode::BadArgument,
                fmt::format("a spacing of {} bytes is less than the {} of a window",
                            options.spacing, kGzidxWindow));
  }
  std::array<std::byte, kUsualHeader> head = {};
  FONDS_TRY(const std::size_t n, source->read_at(0, head));
  const Codec& codec = probe_codec(ByteView(head).first(n));
  if (codec.name() != "gzip") {
    return fail(ErrorCode::Unsupported,
                fmt::format("seek indexes are for gzip; this is {}", codec.name()),
                {.source = source->name()});
  }
  Builder builder(source, options);
  FONDS_CHECK(builder.run(codec));
  return builder.finish(sink);
}

}  // namespace fonds::index
