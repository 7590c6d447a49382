#include "codec/buffered_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/core.h>

namespace fonds {

Result<ByteView> BufferedDecoder::peek(std::size_t at_least) {
  while (buffered() < at_least && !gap_ && !done_) {
    if (at_least > options_.max_buffer) {
      return fail(ErrorCode::LimitExceeded,
                  fmt::format("{} decoded bytes would have to be held at once, the limit is {}",
                              at_least, options_.max_buffer),
                  {.stored_offset = place().unit});
    }
    FONDS_TRY(const Fill filled, fill(at_least - buffered()));
    gap_ = filled == Fill::Gap;
    done_ = filled == Fill::End;
  }
  return ByteView(buffer_.get() + begin_, buffered());
}

void BufferedDecoder::consume(std::size_t n) {
  begin_ += n;
  // Marks that begin_ has left behind: the last one at or before it stays.
  std::size_t passed = 0;
  while (passed + 1 < marks_.size() && marks_[passed + 1].at <= begin_) {
    ++passed;
  }
  marks_.erase(marks_.begin(), marks_.begin() + static_cast<std::ptrdiff_t>(passed));
}

Place BufferedDecoder::place() const {
  if (marks_.empty()) {
    return {};
  }
  const Mark& mark = marks_.front();
  return {mark.unit, mark.inner + (begin_ - mark.at)};
}

std::size_t BufferedDecoder::shown_of_unit() const {
  return marks_.size() > 1 ? marks_[1].at - begin_ : buffered();
}

Result<bool> BufferedDecoder::next_run() {
  if (buffered() > 0) {
    discard();
  }
  gap_ = false;
  FONDS_TRY(const ByteView view, peek(1));
  // Two gaps may follow each other with nothing in between.
  while (buffered() == 0 && gap_) {
    gap_ = false;
    FONDS_CHECK(peek(1));
  }
  (void)view;
  return buffered() > 0;
}

void BufferedDecoder::begin_unit(std::uint64_t stored_offset, std::uint64_t inner) {
  if (buffered() == 0) {
    marks_.clear();
  } else if (marks_.back().at == end_) {
    marks_.pop_back();
  }
  marks_.push_back({end_, stored_offset, inner});
}

MutableByteView BufferedDecoder::reserve(std::size_t n) {
  if (begin_ > 0 && (begin_ == end_ || capacity_ - end_ < n)) {
    // The front is free: move what is left there. Usually nothing is left.
    std::memmove(buffer_.get(), buffer_.get() + begin_, buffered());
    move_marks(0);
  }
  if (capacity_ - end_ < n) {
    const std::size_t wanted = std::max({end_ + n, capacity_ * 2, std::size_t{64} << 10});
    // Bytes are always written before they are read, so nothing is filled with zeros.
    std::unique_ptr<std::byte[]> larger(new std::byte[wanted]);
    if (end_ > 0) {
      std::memcpy(larger.get(), buffer_.get(), end_);
    }
    buffer_ = std::move(larger);
    capacity_ = wanted;
  }
  return {buffer_.get() + end_, capacity_ - end_};
}

// What is decoded lies at `begin` from now on.
void BufferedDecoder::move_marks(std::size_t begin) {
  for (Mark& mark : marks_) {
    if (mark.at < begin_) {
      mark.inner += begin_ - mark.at;
      mark.at = begin;
    } else {
      mark.at = mark.at - begin_ + begin;
    }
  }
  end_ = end_ - begin_ + begin;
  begin_ = begin;
}

void BufferedDecoder::append(Piece& piece, std::size_t from, std::size_t to) {
  const std::size_t left = buffered();
  if (left > from) {
    std::memcpy(reserve(to - from).data(), piece.bytes.get() + from, to - from);
    commit(to - from);
    return;
  }
  if (left > 0) {
    std::memcpy(piece.bytes.get() + from - left, buffer_.get() + begin_, left);
  }
  move_marks(from - left);
  std::swap(buffer_, piece.bytes);
  std::swap(capacity_, piece.capacity);
  end_ = to;
}

void BufferedDecoder::commit(std::size_t n) { end_ += n; }

void BufferedDecoder::discard() {
  const Place here = place();
  begin_ = end_ = 0;
  marks_.clear();
  marks_.push_back({0, here.unit, here.inner});
  gap_ = false;
  done_ = false;
}

}  // namespace fonds
