#include "format/warc/rewriting/merge_stored.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "base/bytes.hpp"
#include "codec/zstd/extension.hpp"
#include "codec/zstd/frame.hpp"

namespace fonds::warc {
namespace {

constexpr std::size_t kStep = std::size_t{1} << 20;
constexpr std::size_t kReleaseAt = std::size_t{4} << 20;

bool is_seek_table(const zstd::FrameInfo& frame, ByteView stored) {
  constexpr std::size_t kLeast = 17;  // header and footer
  return frame.magic == zstd::kSeekTableMagic && frame.size >= kLeast &&
         load_le32(stored.subspan(static_cast<std::size_t>(frame.size) - 4)) ==
             zstd::kSeekTableFooterMagic;
}

// Bytes that are no frame, up to what looks like one.
std::size_t foreign(ByteView stored) {
  std::size_t n = 1;
  while (n + 4 <= stored.size()) {
    const std::uint32_t magic = load_le32(stored.subspan(n));
    if (magic == zstd::kFrameMagic || zstd::is_skippable_magic(magic)) {
      return n;
    }
    ++n;
  }
  return stored.size();
}

}  // namespace

// ---- TeeSource ----

Result<std::size_t> TeeSource::read_next(MutableByteView out) {
  if (given_ == end()) {
    FONDS_CHECK(prefetch(static_cast<std::size_t>(end() + out.size())));
  }
  const ByteView kept = from(given_);
  const std::size_t n = std::min(kept.size(), out.size());
  std::copy_n(kept.begin(), n, out.begin());
  given_ += n;
  return n;
}

Status TeeSource::prefetch(std::size_t size) {
  const bool once = given_ == end();  // a reader takes what there is
  while (end() < size) {
    const MutableByteView room = kept_.room(static_cast<std::size_t>(size - end()));
    FONDS_TRY(const std::size_t n, pipe_->read_next(room.first(std::min<std::size_t>(
                                       room.size(), static_cast<std::size_t>(size - end())))));
    kept_.commit(n);
    if (n == 0 || once) {
      break;
    }
  }
  return {};
}

ByteView TeeSource::from(std::uint64_t offset) const {
  return kept_.view().subspan(gone_ + static_cast<std::size_t>(offset - begin_));
}

void TeeSource::release(std::uint64_t offset) {
  // Bytes that the reader has not had stay, whatever was copied.
  offset = std::min(offset, given_);
  if (offset <= begin_) {
    return;
  }
  gone_ += static_cast<std::size_t>(offset - begin_);
  begin_ = offset;
  if (gone_ >= kReleaseAt) {
    Buffer rest;
    rest.append(kept_.view().subspan(gone_));
    kept_ = std::move(rest);
    gone_ = 0;
  }
}

// ---- StoredCopy ----

StoredCopy::StoredCopy(std::shared_ptr<ByteSource> source, std::shared_ptr<TeeSource> tee,
                       Target target)
    : tee_(std::move(tee)), target_(target) {
  if (tee_ == nullptr) {
    window_.emplace(std::move(source));
  }
}

Result<ByteView> StoredCopy::at(std::uint64_t offset, std::size_t at_least) {
  return tee_ == nullptr ? window_->at(offset, at_least) : tee_->from(offset);
}

void StoredCopy::release() {
  if (tee_ == nullptr) {
    window_->release(next_);
  } else {
    tee_->release(next_);
  }
}

Status StoredCopy::put(ByteView bytes) {
  if (bytes.empty()) {
    return {};
  }
  last_ = bytes.back();
  if (target_.encoder == nullptr) {
    return target_.sink->write(bytes);
  }
  if (!target_.frames && !unit_) {
    FONDS_CHECK(target_.encoder->begin_unit());
    unit_ = true;
  }
  Status status = target_.encoder->put_stored(bytes);
  if (!status && status.error().code() == ErrorCode::BadArgument) {
    return fail(
        ErrorCode::Unsupported,
        fmt::format("cannot be copied: {}; fonds convert writes it anew", status.error().message()),
        {.stored_offset = next_});
  }
  return status;
}

Status StoredCopy::pause() {
  if (std::exchange(unit_, false)) {
    return target_.encoder->end_unit();
  }
  return {};
}

Result<std::uint64_t> StoredCopy::with_prefix(std::uint64_t offset) {
  if (!target_.frames || offset - next_ < zstd::kSizePrefixSize) {
    return offset;
  }
  const std::uint64_t before = offset - zstd::kSizePrefixSize;
  FONDS_TRY(const ByteView stored, at(before, zstd::kSizePrefixSize));
  return zstd::parse_size_prefix(stored) ? before : offset;
}

void StoredCopy::pass_over() {
  if (tee_ != nullptr) {
    next_ = tee_->end();
    tee_->release(next_);
  }
}

Status StoredCopy::up_to(std::uint64_t to) {
  const bool frames = target_.frames && target_.encoder != nullptr;
  FONDS_CHECK(frames ? frames_up_to(to, true) : bytes_up_to(to));
  drop_last_prefix_ = false;
  return {};
}

Status StoredCopy::relieve(std::uint64_t most) {
  if (tee_ == nullptr || tee_->end() - next_ < most) {
    return {};
  }
  if (!target_.frames || target_.encoder == nullptr) {
    return bytes_up_to(tee_->end());
  }
  const std::uint64_t before = next_;
  FONDS_CHECK(frames_up_to(tee_->end(), false));
  if (next_ == before && tee_->end() - next_ > 4 * most) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("a zstd frame of more than {} bytes comes from a pipe; --memory allows "
                            "more, and a file needs none",
                            4 * most),
                {.stored_offset = next_});
  }
  return {};
}

Status StoredCopy::bytes_up_to(std::uint64_t to) {
  while (next_ < to) {
    const std::uint64_t left = to - next_;
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(left, kStep));
    FONDS_TRY(ByteView view, at(next_, step));
    view = view.first(std::min(view.size(), step));
    if (view.empty()) {
      return {};  // the source has become shorter, which its reader has told of
    }
    FONDS_CHECK(put(view));
    next_ += view.size();
    release();
  }
  return {};
}

Status StoredCopy::head(std::uint64_t to, ByteSink& sink) {
  const Target target = std::exchange(target_, {.sink = &sink});
  Status status = bytes_up_to(to);
  target_ = target;
  return status;
}

Status StoredCopy::frames_up_to(std::uint64_t to, bool all) {
  std::size_t want = kStep;
  while (next_ < to) {
    FONDS_TRY(ByteView view,
              at(next_, static_cast<std::size_t>(std::min<std::uint64_t>(want, to - next_))));
    view = view.first(static_cast<std::size_t>(std::min<std::uint64_t>(view.size(), to - next_)));
    std::size_t run = 0;
    std::size_t dropped = 0;
    zstd::FrameInfo frame;
    while (run < view.size() && run < kStep && dropped == 0) {
      const ByteView rest = view.subspan(run);
      frame = zstd::scan_frame(rest);
      if (frame.state != zstd::FrameState::Complete || frame.kind == zstd::FrameKind::Unknown) {
        break;
      }
      const bool table = is_seek_table(frame, rest) && !target_.keep_tables;
      tables_left_out_ = tables_left_out_ || table;
      const bool wrong_prefix = drop_last_prefix_ && next_ + run + frame.size == to &&
                                zstd::parse_size_prefix(rest).has_value();
      if (table || wrong_prefix || frame.kind == zstd::FrameKind::Dictionary) {
        dropped = static_cast<std::size_t>(frame.size);
      } else {
        run += static_cast<std::size_t>(frame.size);
      }
    }
    FONDS_CHECK(put(view.first(run)));
    next_ += run + dropped;
    if (run + dropped == 0) {
      if (!all && frame.state == zstd::FrameState::Truncated) {
        return {};
      }
      if (tee_ == nullptr && frame.state == zstd::FrameState::Truncated &&
          view.size() < to - next_ && view.size() >= want) {
        want = static_cast<std::size_t>(std::max<std::uint64_t>(2 * want, frame.size_declared));
        continue;
      }
      next_ += foreign(view);  // the reader has told of it
    }
    want = kStep;
    release();
  }
  return {};
}

}  // namespace fonds::warc
