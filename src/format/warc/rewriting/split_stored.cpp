#include "format/warc/rewriting/split_stored.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "codec/zstd/extension.hpp"
#include "codec/zstd/frame.hpp"

namespace fonds::warc {

ByteView stored_dictionary(ByteView archive) {
  const zstd::FrameInfo first = zstd::scan_frame(archive);
  const bool there =
      first.kind == zstd::FrameKind::Dictionary && first.state == zstd::FrameState::Complete;
  return there ? archive.first(static_cast<std::size_t>(first.size)) : ByteView();
}

std::optional<ByteRange> record_units(ByteView archive, std::string_view codec, std::uint64_t unit,
                                      std::uint64_t stored_length,
                                      std::optional<std::uint32_t> dictionary_id) {
  if (unit > archive.size() || stored_length > archive.size() - unit) {
    return std::nullopt;
  }
  if (codec != "zstd") {
    return ByteRange{unit, stored_length};
  }
  const ByteView stored =
      archive.subspan(static_cast<std::size_t>(unit), static_cast<std::size_t>(stored_length));
  bool good = true;
  std::uint64_t end = 0;
  zstd::walk_frames(stored, [&](const zstd::FrameInfo& frame) {
    const bool skippable = frame.kind == zstd::FrameKind::Skippable;
    good = good && frame.state == zstd::FrameState::Complete &&
           (skippable ||
            (frame.kind == zstd::FrameKind::Zstd && frame.header.dictionary_id == dictionary_id));
    const ByteView bytes = stored.subspan(static_cast<std::size_t>(frame.offset),
                                          static_cast<std::size_t>(frame.size));
    const bool others = skippable && (frame.magic == zstd::kSeekTableMagic ||
                                      zstd::parse_size_prefix(bytes).has_value());
    if (!others) {
      end = frame.offset + frame.size;
    }
  });
  if (!good || end == 0) {
    return std::nullopt;
  }
  std::uint64_t begin = unit;
  if (unit >= zstd::kSizePrefixSize) {
    const auto prefix = zstd::parse_size_prefix(archive.subspan(
        static_cast<std::size_t>(unit - zstd::kSizePrefixSize), zstd::kSizePrefixSize));
    if (prefix && prefix->stored <= end) {
      begin -= zstd::kSizePrefixSize;
    }
  }
  return ByteRange{begin, unit + end - begin};
}

Status BlockCursor::open() {
  ReadOptions read = *options_;
  read.http = false;
  read.skim = true;
  read.start = record_->place.unit;
  read.start_inner = record_->place.inner;
  read.state = record_->state;
  FONDS_TRY(reader_, archive_->format->open(*archive_, read));
  offset_ = 0;
  FONDS_TRY(const Record* const record, reader_->next());
  if (record == nullptr || !std::ranges::equal(record->raw_header(), header_)) {
    return fail(ErrorCode::Io, "has changed while it was read",
                {.source = archive_->source->name(), .stored_offset = record_->place.unit});
  }
  found_ = static_cast<const WarcRecord*>(record);
  return {};
}

Status BlockCursor::seek(std::uint64_t offset) {
  if (reader_ == nullptr || offset < offset_) {
    FONDS_CHECK(open());
  }
  while (offset_ < offset) {
    constexpr std::uint64_t kStep = std::uint64_t{1} << 20;
    FONDS_TRY(const ByteView shown,
              peek(static_cast<std::size_t>(std::min(offset - offset_, kStep))));
    if (shown.empty()) {
      return fail(ErrorCode::Io, "has changed while it was read",
                  {.source = archive_->source->name(), .stored_offset = record_->place.unit});
    }
    consume(shown.size());
  }
  return {};
}

Result<ByteView> BlockCursor::peek(std::size_t most) {
  if (options_->stop.stop_requested()) {
    return fail(ErrorCode::Cancelled, "stopped");
  }
  FONDS_TRY(const ByteView shown, reader_->peek_block(1));
  return shown.first(std::min(shown.size(), most));
}

Result<ByteView> BlockCursor::window(std::size_t wanted) {
  FONDS_TRY(const ByteView shown, reader_->peek_block(wanted));
  return shown.first(std::min(shown.size(), wanted));
}

void BlockCursor::consume(std::size_t n) {
  reader_->consume_block(n);
  offset_ += n;
}

}  // namespace fonds::warc
