#include "format/clps/reading/plain.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include "codec/zstd/frame.hpp"

namespace fonds::clps {
namespace {

constexpr std::size_t kHugeFrom = std::size_t{4} << 20;
// What is decompressed to a file is at most so many times as much: a disk is no place for bombs.
constexpr std::uint64_t kHighestRatio = 1000;

}  // namespace

bool Budget::take(std::uint64_t n) {
  std::uint64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (n > limit_ - std::min(limit_, used)) {
      return false;
    }
  } while (!used_.compare_exchange_weak(used, used + n, std::memory_order_relaxed));
  return true;
}

std::uint64_t Budget::left() const {
  return limit_ - std::min(limit_, used_.load(std::memory_order_relaxed));
}

bool BudgetShare::resize(std::uint64_t n) {
  if (budget_ == nullptr) {
    return n == 0;
  }
  if (n > taken_ && !budget_->take(n - taken_)) {
    return false;
  }
  if (n < taken_) {
    budget_->give(taken_ - n);
  }
  taken_ = n;
  return true;
}

PlainBytes::~PlainBytes() {
  if (data_ != nullptr) {
    ::munmap(data_, capacity_);
  }
}

Status PlainBytes::reserve_in_file(std::size_t capacity) {
  std::error_code error;
  const std::filesystem::path directory = std::filesystem::temp_directory_path(error);
  const std::string path = error ? std::string("/tmp") : directory.string();
  const int fd = ::open(path.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  const auto failed = [&](const char* what) {
    const std::string reason = std::generic_category().message(errno);
    if (fd >= 0) {
      ::close(fd);
    }
    return fail(ErrorCode::Io, fmt::format("{} a temporary file in {}: {}", what, path, reason));
  };
  if (fd < 0) {
    return failed("cannot make");
  }
  // The blocks are asked for now: a full disk must not show while the mapping is written.
  if (const int code = ::posix_fallocate(fd, 0, static_cast<off_t>(capacity)); code != 0) {
    errno = code;
    return failed("cannot enlarge");
  }
  void* const at = ::mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) {
    return failed("cannot map");
  }
  ::close(fd);
  data_ = static_cast<std::byte*>(at);
  capacity_ = capacity;
  mapped_ = true;
  return {};
}

bool PlainBytes::reserve(std::size_t capacity, Budget& budget) {
  share_ = BudgetShare(budget);
  if (!share_.resize(capacity)) {
    return false;
  }
  // The system gives pages only when they are touched; large ones where it can, which saves much of
  // the time that touching takes.
  void* const at =
      ::mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) {
    share_.release();
    return false;
  }
#ifdef MADV_HUGEPAGE
  if (capacity >= kHugeFrom) {
    static_cast<void>(::madvise(at, capacity, MADV_HUGEPAGE));
  }
#endif
  data_ = static_cast<std::byte*>(at);
  capacity_ = capacity;
  return true;
}

void PlainBytes::shrink() {
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t kept = std::max(size_ + (page - size_ % page) % page, page);
  if (mapped_ || kept >= capacity_ || data_ == nullptr) {
    return;
  }
  ::munmap(data_ + kept, capacity_ - kept);
  capacity_ = kept;
  static_cast<void>(share_.resize(kept));
}

Inflater::Inflater(ByteView stored, std::uint64_t most, std::uint64_t max_window, Budget& budget,
                   bool in_file)
    : stored_(stored), most_(most), max_window_(max_window), budget_(budget), in_file_(in_file) {}

void Inflater::damaged(std::string what, std::uint64_t at) {
  damaged_ = over_ = true;
  damage_ = {std::move(what), at, false};
}

// Room for all that the stored bytes can give, so that what is there never moves.
Status Inflater::reserve() {
  std::uint64_t most = 0;
  zstd::walk_frames(stored_, [&most](const zstd::FrameInfo& frame) {
    most +=
        frame.decoded_most + (frame.state == zstd::FrameState::Complete ? 0 : zstd::kMaxBlockSize);
  });
  most = std::max<std::uint64_t>(std::min(most, most_), 1);  // frames may hold nothing
  // A claim alone makes no file.
  in_file_ = in_file_ && most > budget_.left() / 8;
  if (in_file_ && most / kHighestRatio > stored_.size()) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("{} bytes out of {} are no honest compression", most, stored_.size()));
  }
  room_ = static_cast<std::size_t>(most);
  if (in_file_) {
    return plain_.reserve_in_file(room_);
  }
  if (spare_.capacity() >= most) {
    plain_ = std::move(spare_);
    plain_.set_size(0);
    return {};
  }
  spare_ = PlainBytes();
  if (most > std::numeric_limits<std::size_t>::max() / 2 ||
      !plain_.reserve(static_cast<std::size_t>(most), budget_)) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("decompressing {} bytes would exceed the memory limit of {} bytes",
                            most, budget_.limit()));
  }
  return {};
}

Status Inflater::ensure(std::uint64_t n) {
  if (!over_ && room_ == 0 && n > 0 && !stored_.empty()) {
    FONDS_CHECK(reserve());
  }
  while (!over_ && plain_.size() < n) {
    if (!in_frame_) {
      FONDS_CHECK(begin_frame());
      continue;
    }
    // Piece by piece costs a copy of everything; where most of the frame is wanted it is done
    // whole.
    const std::uint64_t room = room_ - plain_.size();
    FONDS_CHECK(whole_ && n - plain_.size() > room / 8 * 7 ? whole_frame() : continue_frame(n));
  }
  return {};
}

Status Inflater::begin_frame() {
  if (at_ == stored_.size()) {
    over_ = true;
    return {};
  }
  const zstd::FrameInfo frame = zstd::scan_frame(stored_.subspan(at_));
  if (frame.kind == zstd::FrameKind::Skippable || frame.kind == zstd::FrameKind::Dictionary) {
    if (frame.state != zstd::FrameState::Complete) {
      damaged("a skippable zstd frame is cut", at_);
      return {};
    }
    at_ += frame.size;
    return {};
  }
  if (frame.kind != zstd::FrameKind::Zstd) {
    damaged("no zstd frame stands here", at_);
    return {};
  }
  if (context_ == nullptr) {
    context_.reset(ZSTD_createDCtx());
    if (context_ == nullptr) {
      return fail(ErrorCode::LimitExceeded, "no memory for a zstd decoder");
    }
    const int window = std::clamp(static_cast<int>(std::bit_width(max_window_)) - 1, 10, 31);
    static_cast<void>(ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, window));
  }
  static_cast<void>(ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only));
  in_frame_ = true;
  whole_ = frame.state == zstd::FrameState::Complete;
  frame_end_ = whole_ ? at_ + frame.size : stored_.size();
  return {};
}

Status Inflater::whole_frame() {
  const std::size_t had = plain_.size();
  const std::size_t got =
      ZSTD_decompressDCtx(context_.get(), plain_.data() + had, room_ - had, stored_.data() + at_,
                          static_cast<std::size_t>(frame_end_ - at_));
  if (ZSTD_isError(got) != 0) {
    whole_ = false;  // piece by piece shows how far it is good
    static_cast<void>(ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only));
    return {};
  }
  plain_.set_size(had + got);
  at_ = frame_end_;
  in_frame_ = false;
  return {};
}

Status Inflater::continue_frame(std::uint64_t n) {
  whole_ = false;
  const std::uint64_t had = plain_.size();
  const std::uint64_t want = std::min<std::uint64_t>(room_, n + zstd::kMaxBlockSize);
  ZSTD_outBuffer out{plain_.data(), static_cast<std::size_t>(want), plain_.size()};
  ZSTD_inBuffer in{stored_.data(), static_cast<std::size_t>(frame_end_),
                   static_cast<std::size_t>(at_)};
  const std::size_t left = ZSTD_decompressStream(context_.get(), &out, &in);
  plain_.set_size(out.pos);
  at_ = in.pos;
  if (ZSTD_isError(left) != 0) {
    damaged(fmt::format("zstd: {}", ZSTD_getErrorName(left)), at_);
  } else if (left == 0) {
    in_frame_ = false;
  } else if (out.pos == had && in.pos == in.size) {
    damaged("the zstd frame is cut short", at_);
  } else if (out.pos == room_ && plain_.size() == most_) {
    // Nothing may be left but the end of the frame.
    std::byte beyond{};
    ZSTD_outBuffer more{&beyond, 1, 0};
    const std::size_t rest = ZSTD_decompressStream(context_.get(), &more, &in);
    at_ = in.pos;
    if (more.pos > 0 || rest != 0) {
      damaged(more.pos > 0 ? fmt::format("more than the {} bytes that belong here come out", most_)
                           : std::string("the zstd frame is damaged at its end"),
              at_);
      damage_.too_much = more.pos > 0;
    }
    in_frame_ = false;
  } else if (out.pos == room_ && out.pos == had) {
    damaged("the zstd frame is damaged", at_);
  }
  return {};
}

}  // namespace fonds::clps
