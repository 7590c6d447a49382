#include "io/window.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/core.h>

namespace fonds {
namespace {

// Mapped bytes that are let go at once.
constexpr std::uint64_t kForgetStep = std::uint64_t{8} << 20;
constexpr std::size_t kReadSize = std::size_t{256} << 10;
// What a pipe may have to hold: the farthest that anything looks ahead or back in stored bytes.
constexpr std::uint64_t kMaxHeld = std::uint64_t{1} << 30;

}  // namespace

Window::Window(std::shared_ptr<ByteSource> source)
    : source_(std::move(source)), random_access_(source_->random_access()) {
  if (const auto view = source_->view()) {
    mapped_ = *view;
    end_ = true;
    has_view_ = true;
  }
}

Result<ByteView> Window::at(std::uint64_t offset, std::size_t at_least) {
  if (has_view_) {
    return offset >= mapped_.size() ? ByteView{} : mapped_.subspan(offset);
  }
  if (random_access_ && (offset < buffer_offset_ || offset > buffer_offset_ + held_)) {
    // What lies between is not fetched.
    held_ = 0;
    buffer_offset_ = offset;
    end_ = false;
  }
  while (!end_ && offset + at_least > buffer_offset_ + held_) {
    if (offset + at_least - buffer_offset_ > kMaxHeld) {
      return fail(ErrorCode::LimitExceeded,
                  fmt::format("{} bytes would have to be held at once, the limit is {}",
                              offset + at_least - buffer_offset_, kMaxHeld),
                  {.source = source_->name(), .stored_offset = offset});
    }
    if (buffer_.size() - held_ < kReadSize / 2) {
      buffer_.resize(std::max(buffer_.size() * 2, 2 * kReadSize));
    }
    const MutableByteView room = MutableByteView(buffer_).subspan(held_);
    FONDS_TRY(const std::size_t n, random_access_
                                       ? source_->read_some_at(buffer_offset_ + held_, room)
                                       : source_->read_next(room));
    held_ += n;
    end_ = n == 0;
  }
  if (offset >= buffer_offset_ + held_ || offset < buffer_offset_) {
    return ByteView{};
  }
  return ByteView(buffer_).subspan(offset - buffer_offset_, held_ - (offset - buffer_offset_));
}

Result<std::uint64_t> Window::size() const {
  return has_view_ ? std::uint64_t{mapped_.size()} : source_->size();
}

void Window::release(std::uint64_t offset) {
  if (has_view_) {
    if (source_ == nullptr) {
      return;
    }
    if (!forgotten_) {
      forgotten_ = offset;
    } else if (offset > *forgotten_ + kForgetStep) {
      source_->forget({*forgotten_, offset - *forgotten_});
      forgotten_ = offset;
    }
    return;
  }
  if (offset <= buffer_offset_) {
    return;
  }
  if (random_access_ && offset >= buffer_offset_ + held_) {
    held_ = 0;
    buffer_offset_ = offset;
    end_ = false;
    return;
  }
  const auto done = std::min<std::uint64_t>(offset - buffer_offset_, held_);
  // Moving the rest down costs; do it when at least half of what is held is done with.
  if (done > 0 && done * 2 >= held_) {
    std::memmove(buffer_.data(), buffer_.data() + done, held_ - done);
    held_ -= done;
    buffer_offset_ += done;
  }
}

}  // namespace fonds
