#include "codec/lz4/decoder.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "base/bytes.hpp"
#include "codec/buffered_decoder.hpp"
#include "codec/lz4/frame.hpp"
#include "codec/resync.hpp"
#include "codec/unit_decoder.hpp"

namespace fonds::lz4 {
namespace {

constexpr std::size_t kProbeStored = std::size_t{256} << 10;
constexpr std::size_t kZeroPiece = std::size_t{64} << 10;
constexpr std::uint64_t kSkimWhole = std::uint64_t{64} << 10;
constexpr std::uint64_t kWholeFrame = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMaxHeld = std::uint64_t{64} << 20;  // to find the end of a frame at a URL

}  // namespace

Lz4Decoder::Lz4Decoder(std::shared_ptr<ByteSource> source, const DecodeOptions& options)
    : UnitDecoder(options), window_(std::move(source)), position_(options.start) {}

BufferedDecoder::Fill Lz4Decoder::over() {
  mode_ = Mode::Over;
  return Fill::End;
}

Result<BufferedDecoder::Fill> Lz4Decoder::fill(std::size_t) {
  switch (mode_) {
    case Mode::Start:
      FONDS_CHECK(step_over(window_, 0, position_));
      mode_ = Mode::Between;
      return begin_frame();
    case Mode::Between:
      return begin_frame();
    case Mode::Blocks:
      return next_block();
    case Mode::Over:
      return Fill::End;
  }
  return Fill::End;
}

Result<BufferedDecoder::Fill> Lz4Decoder::begin_frame() {
  window_.release(position_);
  FONDS_TRY(const ByteView stored, window_.at(position_, kMaxHeaderSize));
  if (stored.empty()) {
    return over();
  }
  frame_ = position_;
  const HeaderState state = parse_frame_header(stored, header_);
  if (state == HeaderState::Not) {
    return foreign_bytes(stored);
  }
  if (state == HeaderState::Cut) {
    find("truncated-frame",
         fmt::format("lz4 frame is cut short in its header after {} bytes", stored.size()), frame_);
    position_ += stored.size();
    return over();
  }
  doubtful_.reset();
  begin_unit(frame_);
  FONDS_TRY(const bool done, decode_whole());
  if (done) {
    return Fill::More;
  }
  FONDS_TRY(const ByteView again, window_.at(frame_, header_.size));
  next_stored_ = frame_ + header_.size;
  decoded_ = 0;
  resume_ = false;
  plain_ = false;
  mode_ = Mode::Blocks;
  return decoder_.start(again.first(header_.size)) ? next_block() : damaged();
}

Result<BufferedDecoder::Fill> Lz4Decoder::foreign_bytes(ByteView stored) {
  if (stored[0] == std::byte{0}) {
    return pass_zeros();
  }
  const std::uint32_t magic = stored.size() < 4 ? 0 : load_le32(stored);
  if (is_skippable_magic(magic)) {
    return pass_skippable(stored);
  }
  const std::uint64_t from = position_;
  // A damaged frame before it may have seemed to end inside of another one.
  const auto doubtful = std::exchange(doubtful_, std::nullopt);
  const bool back = doubtful && window_.goes_back();
  FONDS_TRY(const auto next, next_record(back ? *doubtful + 4 : from + 1));
  if (back && next && *next < from) {
    return go_back(*doubtful, *next);
  }
  if (magic == kLegacyMagic) {
    find("frame-damaged", "legacy lz4 frames are not read", from);
  } else if (magic == kFrameMagic) {
    find("frame-damaged", "the header of the lz4 frame is damaged", from);
  } else if (next) {
    find("frame-damaged", fmt::format("{} bytes that belong to no lz4 frame", *next - from), from);
  } else {
    find("trailing-garbage", "bytes behind the last lz4 frame", from);
  }
  if (!next) {
    return over();
  }
  position_ = *next;
  return Fill::Gap;
}

// From behind the frame at `damaged` to one that begins in it.
BufferedDecoder::Fill Lz4Decoder::go_back(std::uint64_t damaged, std::uint64_t to) {
  find("frame-damaged", "lz4 frame seems to reach into the next one", damaged);
  budget_.spend(position_ - damaged);
  doubtful_.reset();
  position_ = to;
  return Fill::Gap;
}

Result<BufferedDecoder::Fill> Lz4Decoder::pass_zeros() {
  const std::uint64_t from = position_;
  while (true) {
    window_.release(position_);
    FONDS_TRY(const ByteView stored, window_.at(position_, kZeroPiece));
    const auto end = std::find_if(stored.begin(), stored.end(),
                                  [](std::byte byte) { return byte != std::byte{0}; });
    position_ += static_cast<std::uint64_t>(end - stored.begin());
    if (end != stored.end() || stored.empty()) {
      break;
    }
  }
  find("nul-padding", fmt::format("{} NUL bytes between lz4 frames", position_ - from), from);
  return Fill::More;
}

Result<BufferedDecoder::Fill> Lz4Decoder::pass_skippable(ByteView stored) {
  const std::uint64_t size = stored.size() < kSkippableHeader
                                 ? kSkippableHeader
                                 : kSkippableHeader + load_le32(stored.subspan(4));
  FONDS_TRY(const std::optional<std::uint64_t> left, bytes_left(window_, position_));
  if (left && size > *left) {
    // A damaged size must not swallow the file.
    FONDS_TRY(const auto next, next_record(position_ + 4));
    if (next) {
      find("frame-damaged",
           fmt::format("skippable frame asks for {} bytes, {} are there", size, *left), position_);
      position_ = *next;
      return Fill::Gap;
    }
  }
  FONDS_TRY(const std::uint64_t there, step_over(window_, position_, position_ + size));
  if (there < position_ + size) {
    find("truncated-frame",
         fmt::format("skippable frame asks for {} bytes, {} are there", size, there - position_),
         position_);
    position_ = there;
    return over();
  }
  find("extension-frame", fmt::format("skippable frame of {} bytes", size), position_);
  doubtful_ = std::exchange(position_, there);  // a damaged size may have led over frames
  return Fill::More;
}

Result<FrameInfo> Lz4Decoder::scan(std::uint64_t most) {
  for (std::uint64_t need = kMaxHeaderSize;;) {
    FONDS_TRY(ByteView stored, window_.at(frame_, static_cast<std::size_t>(need)));
    const bool all = stored.size() < need || window_.mapped();
    stored = stored.first(static_cast<std::size_t>(std::min<std::uint64_t>(stored.size(), most)));
    const FrameInfo frame = scan_frame(stored, header_);
    if (frame.state != FrameState::Truncated || all || frame.size_declared > most) {
      return frame;
    }
    need = std::min(most, std::max<std::uint64_t>(frame.size_declared, 2 * need));
  }
}

Result<bool> Lz4Decoder::decode_whole() {
  const std::uint64_t limit = options_.skim
                                  ? std::min<std::uint64_t>(kSkimWhole, options_.max_whole_unit)
                                  : options_.max_whole_unit;
  if (header_.content_size && *header_.content_size > limit) {
    return false;
  }
  FONDS_TRY(const FrameInfo frame, scan(2 * limit + kProbeHead));
  const std::uint64_t size = header_.content_size.value_or(frame.decoded_most);
  if (frame.state != FrameState::Complete || size > limit) {
    return false;
  }
  FONDS_TRY(const ByteView stored, window_.at(frame_, static_cast<std::size_t>(frame.size)));
  const MutableByteView room = reserve(static_cast<std::size_t>(size) + header_.block_max);
  const auto decoded =
      decoder_.decode_whole(stored.first(static_cast<std::size_t>(frame.size)), room);
  if (!decoded) {
    return false;
  }
  commit(*decoded);
  end_frame(*decoded, frame_ + frame.size);
  return true;
}

Result<BufferedDecoder::Fill> Lz4Decoder::next_block() {
  window_.release(next_stored_);
  FONDS_TRY(ByteView stored, window_.at(next_stored_, kBlockHeader));
  if (stored.size() < kBlockHeader) {
    return cut_short();
  }
  const Block block = parse_block(stored, header_);
  if (!block.legal) {
    return damaged();
  }
  FONDS_TRY(stored, window_.at(next_stored_, block.stored));
  if (stored.size() < block.stored) {
    return cut_short();
  }
  const std::size_t checksum =
      plain_ && (block.end ? header_.content_checksum : header_.block_checksum) ? kChecksum : 0;
  if (resume_) {
    begin_unit(frame_, decoded_);
    resume_ = false;
  }
  const auto step =
      decoder_.decode_block(stored.first(block.stored - checksum), reserve(header_.block_max));
  if (step.state != BlockDecoder::State::Good) {
    return bad_block(block, step.state);
  }
  commit(step.written);
  decoded_ += step.written;
  next_stored_ += block.stored;
  if (block.end) {
    end_frame(decoded_, next_stored_);
    if (plain_) {
      return end_damaged_frame();
    }
  }
  return Fill::More;
}

// The frame at frame_ is over and its content is wrong. It may have taken the next ones for its
// own.
Result<BufferedDecoder::Fill> Lz4Decoder::end_damaged_frame() {
  doubtful_ = frame_;
  FONDS_TRY(const StoredView stored,
            view_over(window_, frame_, position_, options_.max_whole_unit, kFrameMagicText));
  FONDS_CHECK(make_probe());
  std::optional<std::uint64_t> found;
  scan_frame(stored.from(frame_), header_, [&](std::uint64_t from, std::uint64_t to) {
    found = found ? found : swallowed(stored, frame_ + from, frame_ + to);
  });
  return found ? go_back(frame_, *found) : Fill::More;
}

Result<BufferedDecoder::Fill> Lz4Decoder::bad_block(const Block& block, BlockDecoder::State state) {
  if (block.end) {
    // Everything was delivered; only what the frame says about it is wrong.
    if (state == BlockDecoder::State::BadChecksum) {
      find("frame-checksum", "the content checksum of the lz4 frame does not match", frame_);
    } else {
      find("frame-damaged",
           fmt::format("the lz4 frame decodes to {} bytes, its header says {}", decoded_,
                       header_.content_size.value_or(0)),
           frame_);
    }
    next_stored_ += block.stored;
    end_frame(decoded_, next_stored_);
    return end_damaged_frame();
  }
  const bool checksum = state == BlockDecoder::State::BadChecksum;
  if (!header_.independent || (!checksum && !options_.salvage) ||
      !decoder_.start(plain_header(header_).bytes)) {
    if (checksum) {
      find("frame-checksum",
           fmt::format("a block behind the first {} bytes has a wrong checksum", decoded_), frame_);
    }
    return damaged();
  }
  if (!checksum && window_.goes_back()) {
    FONDS_TRY(const bool too_long,
              reaches_over_record(next_stored_ + kBlockHeader, next_stored_ + block.stored));
    if (too_long) {
      return damaged();
    }
  }
  plain_ = true;
  if (checksum) {
    find("frame-checksum",
         fmt::format("the block behind the first {} bytes has a wrong checksum", decoded_), frame_);
    return Fill::More;  // the same block once more, unchecked
  }
  find("frame-damaged",
       fmt::format("the block behind the first {} bytes of the lz4 frame cannot be decoded",
                   decoded_),
       frame_);
  // All blocks but the last are full, as writers make them.
  decoded_ += header_.block_max;
  next_stored_ += block.stored;
  resume_ = true;
  return Fill::Gap;
}

// Whether a frame with a record begins in a damaged block of the frame, whose size may be wrong. A
// record may hold frames, so it counts only if the sizes of the blocks lead nowhere, or if it
// reaches over the block's end.
Result<bool> Lz4Decoder::reaches_over_record(std::uint64_t from, std::uint64_t to) {
  if (!record_behind_ || *record_behind_ < from) {
    FONDS_TRY(const auto next, next_record(from));
    record_behind_ = next.value_or(std::numeric_limits<std::uint64_t>::max());
  }
  if (*record_behind_ >= to) {
    return false;
  }
  FONDS_TRY(const FrameInfo frame, scan(window_.mapped() ? kWholeFrame : kMaxHeld));
  if (frame.state != FrameState::Complete) {
    return true;
  }
  FONDS_TRY(const StoredView stored,
            view_over(window_, frame_, to, options_.max_whole_unit, kFrameMagicText));
  return swallowed(stored, from, to).has_value();
}

// Once there is a probe.
std::optional<std::uint64_t> Lz4Decoder::swallowed(const StoredView& stored, std::uint64_t from,
                                                   std::uint64_t to) {
  return probe_->swallowed(stored, from, to, options_.probe, options_.max_whole_unit, budget_);
}

void Lz4Decoder::end_frame(std::uint64_t decoded_size, std::uint64_t stored_end) {
  end_unit(frame_, decoded_size, stored_end);
  position_ = stored_end;
  mode_ = Mode::Between;
}

Result<BufferedDecoder::Fill> Lz4Decoder::damaged() {
  find("frame-damaged",
       fmt::format("lz4 frame cannot be decoded behind its first {} bytes", decoded_), frame_);
  budget_.spend(next_stored_ - frame_ + decoded_ / 16);
  FONDS_TRY(const auto next, next_record(window_.goes_back() ? frame_ + 4 : next_stored_));
  if (!next) {
    return over();
  }
  mode_ = Mode::Between;
  position_ = *next;
  return Fill::Gap;
}

Result<BufferedDecoder::Fill> Lz4Decoder::cut_short() {
  // A damaged block size can reach over all frames behind; only a record there tells it from a cut
  // file, or frames that lead to the file's end. A frame with all of its content has no more
  // blocks.
  const bool known = options_.probe.starts_record != nullptr;
  if (window_.goes_back()) {
    budget_.spend(next_stored_ - frame_ + decoded_ / 16);
    FONDS_CHECK(make_probe());
    std::optional<std::uint64_t> next;
    if (known || header_.content_size == decoded_) {
      FONDS_TRY(next, next_record(known ? frame_ + 4 : next_stored_));
    } else {
      FONDS_TRY(const std::uint64_t size, window_.size());
      FONDS_TRY(const StoredView stored, view_over(window_, frame_, size, 0, kFrameMagicText));
      next = swallowed(stored, frame_ + 4, size - 1);
    }
    if (next) {
      find("frame-damaged",
           fmt::format("lz4 frame cannot be decoded behind its first {} bytes", decoded_), frame_);
      mode_ = Mode::Between;
      position_ = *next;
      return Fill::Gap;
    }
  }
  find("truncated-frame", fmt::format("lz4 frame is cut short; {} bytes of it decode", decoded_),
       frame_);
  FONDS_TRY(const ByteView stored, window_.at(next_stored_, 1));
  position_ = next_stored_ + stored.size();
  return over();
}

Status Lz4Decoder::make_probe() {
  if (probe_ == nullptr) {
    probe_ = std::make_unique<FrameProbe>();
  }
  if (!probe_->ready()) {
    return fail(ErrorCode::Internal, "no memory for an lz4 decoder");
  }
  return {};
}

Result<std::optional<std::uint64_t>> Lz4Decoder::next_record(std::uint64_t from) {
  FONDS_CHECK(make_probe());
  const ByteView magic = as_bytes(kFrameMagicText);
  auto next =
      find_next(window_, from, magic, budget_, [this](std::uint64_t offset) -> Result<bool> {
        FrameHeader header;
        FONDS_TRY(ByteView stored, window_.at(offset, kProbeStored));
        // The first block may be larger than what is looked at otherwise.
        if (parse_frame_header(stored, header) == HeaderState::Good &&
            header.block_max > kProbeStored) {
          FONDS_TRY(stored, window_.at(offset, kMaxHeaderSize + kBlockHeader + header.block_max +
                                                   kChecksum));
        }
        std::uint64_t work = 0;
        const bool begins = probe_->begins_record(stored, options_.probe, work);
        budget_.spend(begins ? 0 : work);
        return begins;
      });
  if (next && !*next && !budget_.allows(from)) {
    find("limit-exceeded", "the damage takes more work than the file is worth; giving up", from);
  }
  return next;
}

Result<bool> Lz4Decoder::skim_open_unit(std::uint64_t unit, std::uint64_t inner_end) {
  if (mode_ != Mode::Blocks || frame_ != unit || header_.content_size != inner_end ||
      !window_.mapped()) {
    return false;
  }
  FONDS_TRY(const FrameInfo frame, scan(kWholeFrame));
  if (frame.state != FrameState::Complete) {
    return false;
  }
  discard();
  begin_unit(frame_, inner_end);
  end_frame(inner_end, frame_ + frame.size);
  return true;
}

}  // namespace fonds::lz4
