#include "io/window.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/core.h>

namespace fonds {
namespace {

constexpr std::size_t kReadSize = std::size_t{256} << 10;
// What a pipe may have to hold: the farthest that anything looks ahead or back in stored bytes.
constexpr std::uint64_t kMaxHeld = std::uint64_t{1} << 30;

}  // namespace

Window::Window(std::shared_ptr<ByteSource> source) : source_(std::move(source)) {
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
  while (!end_ && offset + at_least > buffer_offset_ + buffer_.size()) {
    if (offset + at_least - buffer_offset_ > kMaxHeld) {
      return fail(ErrorCode::LimitExceeded,
                  fmt::format("{} bytes of a pipe would have to be held, the limit is {}",
                              offset + at_least - buffer_offset_, kMaxHeld),
                  {.source = source_->name(), .stored_offset = offset});
    }
    const std::size_t held = buffer_.size();
    buffer_.resize(held + kReadSize);
    MutableByteView room(buffer_.data() + held, kReadSize);
    auto n = source_->random_access() ? source_->read_at(buffer_offset_ + held, room)
                                      : source_->read_next(room);
    buffer_.resize(held + (n ? *n : 0));
    if (!n) {
      return tl::unexpected(std::move(n.error()));
    }
    end_ = *n == 0;
  }
  const std::uint64_t behind = buffer_offset_ + buffer_.size();
  if (offset >= behind || offset < buffer_offset_) {
    return ByteView{};
  }
  return ByteView(buffer_).subspan(offset - buffer_offset_);
}

void Window::release(std::uint64_t offset) {
  if (has_view_ || offset <= buffer_offset_) {
    return;
  }
  const auto done = std::min<std::uint64_t>(offset - buffer_offset_, buffer_.size());
  // Moving the rest down costs; do it when at least half of the buffer is free.
  if (done * 2 >= buffer_.size()) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(done));
    buffer_offset_ += done;
  }
}

}  // namespace fonds
