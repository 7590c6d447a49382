// Leaving frames without decoding them.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "codec/zstd/decoder.hpp"
#include "codec/zstd/frame.hpp"

namespace fonds::zstd {

// The frame is as long as its block headers say. A size prefix or a seek table could say the same
// at less cost, but if it lies, records would be hidden that reading everything shows.
Result<std::uint64_t> ZstdDecoder::step_over_frame(std::uint64_t most) {
  if (mode_ == Mode::Over || run_is_over()) {
    return 0;
  }
  const bool open = mode_ == Mode::Pieces;
  const std::uint64_t at = open ? frame_ : position_;
  FONDS_TRY(const ByteView stored, window_.at(at, kMaxHeaderSize));
  const auto header = parse_frame_header(stored);
  const std::uint64_t done = open ? decoded_ : 0;
  if (!header || header->reserved_bit || header->content_size.value_or(0) <= done ||
      *header->content_size - done > most) {
    return 0;
  }
  FONDS_TRY(const FrameInfo frame, scan(at, kWholeFrame));
  if (frame.state != FrameState::Complete) {
    return 0;
  }
  if (!open) {
    frame_ = position_;
    header_ = *header;
    if (header_.dictionary_id &&
        !(dictionary_.info.usable && *header_.dictionary_id == dictionary_.info.id)) {
      return 0;
    }
    check_header();
    window_.release(position_);
  }
  const std::uint64_t size = *header->content_size;
  discard();
  begin_unit(frame_, size);
  end_frame(size, frame_ + frame.size);
  return size - done;
}

Result<std::uint64_t> ZstdDecoder::skip(std::uint64_t n) {
  if (!options_.skim || !window_.mapped()) {
    return UnitDecoder::skip(n);
  }
  std::uint64_t done = 0;
  while (done < n) {
    if (buffered() == 0) {
      FONDS_TRY(const std::uint64_t stepped, step_over_frame(n - done));
      done += stepped;
      if (stepped > 0) {
        continue;
      }
    }
    FONDS_TRY(const ByteView shown, peek(1));
    if (shown.empty()) {
      break;
    }
    const auto here = static_cast<std::size_t>(std::min<std::uint64_t>(shown.size(), n - done));
    consume(here);
    done += here;
  }
  return done;
}

Result<bool> ZstdDecoder::skim_open_unit(std::uint64_t unit, std::uint64_t inner_end) {
  if (mode_ != Mode::Pieces || frame_ != unit || header_.content_size != inner_end ||
      !window_.mapped()) {
    return false;
  }
  FONDS_TRY(const FrameInfo frame, scan(frame_, kWholeFrame));
  if (frame.state != FrameState::Complete) {
    return false;
  }
  discard();
  begin_unit(frame_, inner_end);
  end_frame(inner_end, frame_ + frame.size);
  return true;
}

}  // namespace fonds::zstd
