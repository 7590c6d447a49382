#include "codec/zstd/decoder.hpp"

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
#include "codec/resync.hpp"
#include "codec/unit_decoder.hpp"
#include "codec/zstd/dictionary.hpp"
#include "codec/zstd/extension.hpp"
#include "codec/zstd/frame.hpp"
#include "io/will_read.hpp"

namespace fonds::zstd {
namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10;
constexpr std::size_t kSkimPiece = std::size_t{32} << 10;
// Skimming decodes smaller frames whole: their first block is all there is.
constexpr std::uint64_t kSkimWhole = kMaxBlockSize;
constexpr std::uint64_t kMaxHeld = std::uint64_t{64}
                                   << 20;  // of a pipe, to find the end of a frame

}  // namespace

ZstdDecoder::ZstdDecoder(std::shared_ptr<ByteSource> source, const DecodeOptions& options)
    : UnitDecoder(options), window_(std::move(source)) {}

Status ZstdDecoder::open() {
  if (!decoder_.ready()) {
    return fail(ErrorCode::Internal, "no memory for a zstd decoder");
  }
  FONDS_TRY(const ByteView head, window_.at(0, kSkippableHeader));
  if (head.size() >= kSkippableHeader && load_le32(head) == kDictionaryFrameMagic) {
    FONDS_CHECK(open_dictionary(head));
  }
  if (options_.start > 0) {
    FONDS_TRY(position_, step_over(window_, 0, options_.start));
    // The source may be shorter.
    position_ = options_.start;
  }
  return {};
}

Status ZstdDecoder::open_dictionary(ByteView head) {
  const std::uint64_t size = load_le32(head.subspan(4));
  const std::uint64_t end = kSkippableHeader + size;
  if (size > options_.max_dictionary) {
    dictionary_lost_ = true;
    find("limit-exceeded",
         fmt::format("the dictionary has {} stored bytes, max_dictionary is {}", size,
                     options_.max_dictionary),
         0);
    FONDS_TRY(position_, step_over(window_, 0, end));
    return {};
  }
  fonds::will_read(*window_.source(), {0, end});
  FONDS_TRY(const ByteView stored, window_.at(0, static_cast<std::size_t>(end)));
  position_ = std::min<std::uint64_t>(end, stored.size());
  if (stored.size() < end) {
    dictionary_lost_ = true;
    find("truncated-frame",
         fmt::format("the dictionary frame asks for {} bytes, {} are there", end, stored.size()),
         0);
    return {};
  }
  dictionary_ = load_dictionary(
      stored.subspan(kSkippableHeader, static_cast<std::size_t>(size)), 0, options_.max_dictionary,
      [this](Finding finding) { findings_.push_back(std::move(finding)); });
  if (dictionary_.info.over_limit) {
    find("limit-exceeded",
         fmt::format("the decoded dictionary has more than {} bytes, which is max_dictionary",
                     options_.max_dictionary),
         0);
  }
  dictionary_lost_ = !dictionary_.info.usable;
  decoder_.use(dictionary_.digested.get());
  return {};
}

Result<BufferedDecoder::Fill> ZstdDecoder::fill(std::size_t wanted) {
  switch (mode_) {
    case Mode::Between:
      return begin_frame(wanted);
    case Mode::Pieces:
      return more_pieces(wanted);
    case Mode::Over:
      return Fill::End;
  }
  return Fill::End;
}

BufferedDecoder::Fill ZstdDecoder::over() {
  mode_ = Mode::Over;
  return Fill::End;
}

Result<BufferedDecoder::Fill> ZstdDecoder::begin_frame(std::size_t wanted) {
  window_.release(position_);
  FONDS_TRY(const ByteView stored, window_.at(position_, kMaxHeaderSize));
  if (stored.empty()) {
    return over();
  }
  frame_ = position_;
  decoded_ = 0;
  if (kFrameMagicText.starts_with(as_text(stored).substr(0, kFrameMagicText.size()))) {
    const auto header = parse_frame_header(stored);
    if (!header) {
      find("truncated-frame",
           fmt::format("zstd frame is cut short in its header after {} bytes", stored.size()),
           frame_);
      position_ += stored.size();
      return over();
    }
    header_ = *header;
    doubtful_.reset();
    return zstd_frame(wanted);
  }
  const std::uint32_t magic = stored.size() < 4 ? 0 : load_le32(stored);
  if (is_skippable_magic(magic)) {
    return pass_skippable(stored, magic);
  }
  return foreign_bytes(stored);
}

Result<BufferedDecoder::Fill> ZstdDecoder::foreign_bytes(ByteView stored) {
  const std::uint32_t magic = stored.size() < 4 ? 0 : load_le32(stored);
  const std::uint64_t from = position_;
  // A damaged frame before it may have seemed to end inside of another one.
  const auto doubtful = std::exchange(doubtful_, std::nullopt);
  const bool back = doubtful && window_.goes_back();
  FONDS_TRY(const auto next, next_record(std::nullopt, back ? *doubtful + 4 : from + 1));
  if (back && next && *next < from) {
    return go_back(*doubtful, *next);
  }
  if (is_legacy_magic(magic)) {
    find("zf-standard", fmt::format("legacy zstd frame, magic {:08x}", magic), from);
  } else if (from == 0) {
    find("zs-start", "the file starts with neither a zstd frame nor a dictionary", from);
  } else {
    find("zs-frames",
         next ? fmt::format("{} bytes that belong to no frame", *next - from)
              : "bytes behind the last frame",
         from);
  }
  if (!next) {
    return over();
  }
  position_ = *next;
  return Fill::Gap;
}

Result<BufferedDecoder::Fill> ZstdDecoder::pass_skippable(ByteView stored, std::uint32_t magic) {
  const std::uint64_t size = stored.size() < kSkippableHeader
                                 ? kSkippableHeader
                                 : kSkippableHeader + load_le32(stored.subspan(4));
  if (magic == kDictionaryFrameMagic) {
    find("zs-dict-pos", "dictionary frame behind the start of the file is not used", position_);
  } else {
    if (position_ == 0) {
      find("zs-start", "the file starts with an extension frame", position_);
    }
    find("zn-ext", fmt::format("extension frame {:08x} of {} bytes", magic, size), position_);
  }
  const std::uint64_t end = position_ + size;
  FONDS_TRY(const bool lacks, lacks_frame(position_));
  if (lacks) {
    find("truncated-frame", "the file ends behind a size prefix, its frame is missing", position_);
  }
  FONDS_TRY(const std::optional<std::uint64_t> left, bytes_left(window_, position_));
  if (left && size > *left) {
    // A damaged size must not swallow the file.
    FONDS_TRY(const auto next, next_record(std::nullopt, position_ + 4));
    if (next) {
      find("frame-damaged",
           fmt::format("skippable frame asks for {} bytes, {} are there", size, *left), position_);
      position_ = *next;
      return Fill::Gap;
    }
  }
  FONDS_TRY(const std::uint64_t there, step_over(window_, position_, end));
  if (there < end) {
    find("truncated-frame",
         fmt::format("skippable frame asks for {} bytes, {} are there", size, there - position_),
         position_);
    position_ = there;
    return over();
  }
  doubtful_ = std::exchange(position_, end);  // a damaged size may have led over frames
  return Fill::More;
}

// A size prefix at `offset` that ends the file.
Result<bool> ZstdDecoder::lacks_frame(std::uint64_t offset) {
  FONDS_TRY(const ByteView stored, window_.at(offset, kSizePrefixSize + 1));
  return stored.size() == kSizePrefixSize && parse_size_prefix(stored).has_value();
}

bool ZstdDecoder::check_header() {
  if (!header_.content_size) {
    find("zf-size", "the frame has no Frame_Content_Size", frame_);
  } else if (*header_.content_size == 0) {
    find("zn-empty", "empty zstd frame", frame_);
  }
  if (!header_.checksum) {
    find("zf-checksum", "the frame has no Content_Checksum", frame_);
  }
  const auto id = header_.dictionary_id;
  if (!id) {
    if (dictionary_.info.usable || dictionary_lost_) {
      find("zf-dictid", "the frame has no Dictionary_ID, the file has a dictionary", frame_);
    }
    return true;
  }
  if (dictionary_.info.usable && *id == dictionary_.info.id) {
    return true;
  }
  if (dictionary_.info.usable) {
    find(
        "zf-dictid-match",
        fmt::format("the frame needs the dictionary {}, the file has {}", *id, dictionary_.info.id),
        frame_);
  } else if (dictionary_lost_) {
    find("frame-damaged",
         fmt::format("the frame needs the dictionary {}, which could not be loaded", *id), frame_);
  } else {
    find("zf-nodict", fmt::format("the frame needs the dictionary {}, the file has none", *id),
         frame_);
  }
  return false;
}

Result<BufferedDecoder::Fill> ZstdDecoder::zstd_frame(std::size_t wanted) {
  if (header_.reserved_bit) {
    find("zf-standard", "the reserved bit of the frame header is set", frame_);
    return pass_frame();
  }
  if (!check_header()) {
    return pass_frame();
  }
  begin_unit(frame_);
  FONDS_TRY(const bool done, decode_whole());
  return done ? Fill::More : start_pieces(wanted);
}

Result<bool> ZstdDecoder::decode_whole() {
  const std::uint64_t limit = options_.skim
                                  ? std::min<std::uint64_t>(kSkimWhole, options_.max_whole_unit)
                                  : options_.max_whole_unit;
  if (header_.content_size && *header_.content_size > limit) {
    return false;
  }
  // Writers that flush often make many small blocks; a frame that takes more than this is better
  // read in pieces.
  const std::uint64_t most = 2 * header_.content_size.value_or(limit) + kMaxBlockSize;
  FONDS_TRY(const FrameInfo frame, scan(frame_, most));
  const std::uint64_t size = header_.content_size.value_or(frame.decoded_most);
  if (frame.state != FrameState::Complete || size > limit) {
    return false;
  }
  FONDS_TRY(const ByteView stored, window_.at(frame_, static_cast<std::size_t>(frame.size)));
  const MutableByteView room = reserve(std::max<std::size_t>(static_cast<std::size_t>(size), 1));
  const auto decoded =
      decoder_.decode_whole(stored.first(static_cast<std::size_t>(frame.size)), room);
  if (!decoded) {
    return false;
  }
  commit(*decoded);
  end_frame(*decoded, frame_ + frame.size);
  return true;
}

Result<FrameInfo> ZstdDecoder::scan(std::uint64_t offset, std::uint64_t most) {
  if (most == kWholeFrame && window_.goes_back() && !window_.mapped()) {
    return scan_frame(window_, offset);
  }
  for (std::uint64_t need = kMaxHeaderSize;;) {
    FONDS_TRY(ByteView stored, window_.at(offset, static_cast<std::size_t>(need)));
    const bool all = stored.size() < need;
    stored = stored.first(static_cast<std::size_t>(std::min<std::uint64_t>(stored.size(), most)));
    FrameInfo frame = scan_frame(stored);
    frame.offset = offset;
    if (frame.state != FrameState::Truncated || all || frame.size_declared > most ||
        window_.mapped()) {
      return frame;
    }
    need = std::min(most, std::max<std::uint64_t>(frame.size_declared, 2 * need));
  }
}

Result<BufferedDecoder::Fill> ZstdDecoder::start_pieces(std::size_t wanted) {
  if (!window_allowed(header_.window_size, options_.max_window_log)) {
    find("limit-exceeded",
         fmt::format("the frame has a window of {} bytes, max_window_log allows {}",
                     header_.window_size, std::uint64_t{1} << options_.max_window_log),
         frame_);
    return pass_frame();
  }
  decoder_.start(header_);
  next_stored_ = frame_ + header_.size;
  decoded_ = 0;
  mode_ = Mode::Pieces;
  return more_pieces(wanted);
}

Result<BufferedDecoder::Fill> ZstdDecoder::more_pieces(std::size_t wanted) {
  window_.release(next_stored_);
  FONDS_TRY(const ByteView stored, window_.at(next_stored_, 1));
  // One byte more than the frame has left lets its end be seen in the same call.
  const std::uint64_t size =
      header_.content_size.value_or(std::numeric_limits<std::uint64_t>::max());
  const std::uint64_t left =
      decoded_ > size ? std::numeric_limits<std::uint64_t>::max() : size - decoded_;
  const std::size_t good = std::max(std::min(wanted, kPiece), options_.skim ? kSkimPiece : kPiece);
  const std::size_t n = left < good ? static_cast<std::size_t>(left) + 1 : good;
  const auto step = decoder_.step(stored, reserve(n).first(n));
  commit(step.written);
  next_stored_ += step.used;
  decoded_ += step.written;
  bool doubtful = false;
  switch (step.state) {
    case FrameDecoder::State::More:
      return stored.empty() && step.written == 0 ? cut_short() : Fill::More;
    case FrameDecoder::State::Corrupt:
      return damaged();
    case FrameDecoder::State::BadChecksum:
      find("zf-checksum-value", "the Content_Checksum does not match the content", frame_);
      doubtful = true;
      FONDS_CHECK(give_back_magic());
      break;
    case FrameDecoder::State::End:
      break;
  }
  if (header_.content_size && *header_.content_size != decoded_) {
    doubtful = true;
    find("zf-size-value",
         fmt::format("the frame decodes to {} bytes, its Frame_Content_Size says {}", decoded_,
                     *header_.content_size),
         frame_);
  }
  end_frame(decoded_, next_stored_);
  return doubtful ? end_damaged_frame() : Fill::More;
}

Result<BufferedDecoder::Fill> ZstdDecoder::end_damaged_frame() {
  doubtful_ = frame_;
  FONDS_TRY(const auto found, swallowed(frame_, position_));
  return found ? go_back(frame_, *found) : Fill::More;
}

// From behind the frame at `damaged` to one that begins in it.
BufferedDecoder::Fill ZstdDecoder::go_back(std::uint64_t damaged, std::uint64_t to) {
  find("frame-damaged", "zstd frame seems to reach into the next one", damaged);
  budget_.spend(position_ - damaged);
  doubtful_.reset();
  position_ = to;
  return Fill::Gap;
}

Result<std::optional<std::uint64_t>> ZstdDecoder::swallowed(std::uint64_t frame,
                                                            std::uint64_t end) {
  FONDS_CHECK(make_probe());
  FONDS_TRY(const StoredView stored,
            view_over(window_, frame, end, options_.max_whole_unit, kFrameMagicText));
  std::optional<std::uint64_t> found;
  std::uint64_t begin = frame + kFrameMagicText.size();  // a header that is none lies over one, too
  scan_frame(stored.from(frame), [&](std::uint64_t, std::uint64_t to) {
    found = found ? found : probe_->swallowed(stored, begin, frame + to, options_, budget_);
    begin = frame + to;
  });
  return found;
}

// A damaged flag can ask for a checksum that is not there: then the next frame's magic was taken
// for it.
Status ZstdDecoder::give_back_magic() {
  FONDS_TRY(const ByteView taken,
            window_.at(next_stored_ - kFrameMagicText.size(), kFrameMagicText.size()));
  if (taken.size() >= kFrameMagicText.size()) {
    const std::uint32_t magic = load_le32(taken);
    if (magic == kFrameMagic || is_skippable_magic(magic)) {
      next_stored_ -= kFrameMagicText.size();
    }
  }
  return {};
}

void ZstdDecoder::end_frame(std::uint64_t decoded_size, std::uint64_t stored_end) {
  end_unit(frame_, decoded_size, stored_end);
  position_ = stored_end;
  mode_ = Mode::Between;
}

Result<BufferedDecoder::Fill> ZstdDecoder::pass_frame() {
  mode_ = Mode::Between;
  FONDS_TRY(const FrameInfo frame, scan(frame_, window_.goes_back() ? kWholeFrame : kMaxHeld));
  budget_.spend(frame.blocks);
  if (frame.state == FrameState::Complete) {
    const std::uint64_t end = frame_ + frame.size;
    FONDS_TRY(const auto found, swallowed(frame_, end));
    position_ = found.value_or(end);
    return Fill::Gap;
  }
  FONDS_TRY(const auto next, next_record(std::nullopt, frame_ + 4));
  if (!next) {
    return over();
  }
  position_ = *next;
  return Fill::Gap;
}

Result<BufferedDecoder::Fill> ZstdDecoder::damaged() {
  find("frame-damaged",
       fmt::format("zstd frame cannot be decoded behind its first {} bytes", decoded_), frame_);
  budget_.spend(next_stored_ - frame_ + decoded_ / 16);
  std::optional<std::uint64_t> end, next;
  std::uint64_t search_from = next_stored_;
  if (window_.goes_back()) {
    FONDS_TRY(const FrameInfo frame, scan(frame_, kWholeFrame));
    budget_.spend(frame.blocks);
    search_from = frame_ + 4;
    if (frame.state == FrameState::Complete) {
      end = frame_ + frame.size;
      FONDS_TRY(next, swallowed(frame_, *end));
    }
  }
  if (!next) {
    FONDS_TRY(next, next_record(end, search_from));
  }
  if (!next) {
    return over();
  }
  mode_ = Mode::Between;
  position_ = *next;
  return Fill::Gap;
}

Result<BufferedDecoder::Fill> ZstdDecoder::cut_short() {
  // A damaged block size can reach over all frames behind. Without a record to recognize, what
  // looks like a frame in there is as likely to be content, unless frames lead to the file's end.
  const bool known = options_.probe.starts_record != nullptr;
  if (window_.goes_back()) {
    budget_.spend(next_stored_ - frame_ + decoded_ / 16);
    FONDS_CHECK(make_probe());
    std::optional<std::uint64_t> next;
    if (known) {
      FONDS_TRY(next, next_record(std::nullopt, frame_ + 4));
    } else {
      FONDS_TRY(const std::uint64_t size, window_.size());
      FONDS_TRY(const StoredView stored, view_over(window_, frame_, size, 0, kFrameMagicText));
      next = probe_->swallowed(stored, frame_ + 4, size - 1, options_, budget_);
    }
    if (next) {
      find("frame-damaged",
           fmt::format("zstd frame cannot be decoded behind its first {} bytes", decoded_), frame_);
      mode_ = Mode::Between;
      position_ = *next;
      return Fill::Gap;
    }
  }
  find("truncated-frame", fmt::format("zstd frame is cut short; {} bytes of it decode", decoded_),
       frame_);
  position_ = next_stored_;
  return over();
}

Result<std::optional<std::uint64_t>> ZstdDecoder::next_record(
    std::optional<std::uint64_t> walk_from, std::uint64_t search_from) {
  std::uint64_t from = search_from;
  while (walk_from && budget_.allows(*walk_from)) {
    FONDS_TRY(const ByteView stored, window_.at(*walk_from, 4));
    if (stored.empty()) {
      return std::optional<std::uint64_t>();
    }
    FONDS_TRY(const FrameInfo frame, scan(*walk_from, kWholeFrame));
    if (frame.kind == FrameKind::Zstd) {
      FONDS_TRY(const bool begins, begins_record(*walk_from));
      if (begins) {
        return walk_from;
      }
      if (frame.state == FrameState::Complete) {
        FONDS_TRY(const auto found, swallowed(*walk_from, *walk_from + frame.size));
        if (found) {
          return found;
        }
      }
    }
    if (frame.kind == FrameKind::Unknown || frame.state != FrameState::Complete) {
      break;
    }
    *walk_from += frame.size;
    // Frames that follow each other show that the first end was right.
    from = *walk_from;
  }
  auto next = find_next(window_, from, as_bytes(kFrameMagicText), budget_,
                        [this](std::uint64_t offset) { return begins_record(offset); });
  if (next && !*next && !budget_.allows(from)) {
    find("limit-exceeded", "the damage takes more work than the file is worth; giving up", from);
  }
  return next;
}

Status ZstdDecoder::make_probe() {
  if (probe_ == nullptr) {
    probe_ = std::make_unique<FrameProbe>();
    if (!probe_->ready()) {
      return fail(ErrorCode::Internal, "no memory for a zstd decoder");
    }
    probe_->use(dictionary_);
  }
  return {};
}

Result<bool> ZstdDecoder::begins_record(std::uint64_t offset) {
  FONDS_CHECK(make_probe());
  FONDS_TRY(const ByteView stored, window_.at(offset, kProbeStored));
  std::uint64_t work = 0;
  const bool begins = probe_->begins_record(stored, options_.probe, options_.max_window_log, work);
  if (!begins) {
    budget_.spend(work);
  }
  return begins;
}

}  // namespace fonds::zstd
