#include "index/line_text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "io/will_read.hpp"

namespace fonds::index {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10;  // that whoever reads on gets at once
constexpr std::size_t kMore = std::size_t{4} << 10;    // that whoever jumps gets more
constexpr std::uint64_t kMostHeld = std::uint64_t{64} << 20;

}  // namespace

LineText::LineText(std::shared_ptr<ByteSource> source, std::uint64_t end)
    : source_(std::move(source)), end_(end) {
  if (const auto view = source_->view()) {
    mapped_ = as_text(*view).substr(0, static_cast<std::size_t>(end));
    has_view_ = true;
  }
}

tl::unexpected<Error> LineText::too_long(std::uint64_t offset) const {
  return fail(ErrorCode::LimitExceeded, fmt::format("a line has more than {} bytes", kMostHeld),
              {.source = source_->name(), .stored_offset = offset});
}

// Reads on until what is held reaches to `to`, or a bit farther.
Status LineText::reserve_more(std::uint64_t to) {
  while (begin_ + held_.size() < to) {
    if (to - begin_ > kMostHeld) {
      return too_long(begin_);
    }
    const std::size_t had = held_.size();
    const std::uint64_t at = begin_ + had;
    const std::uint64_t step = jumps_ ? std::max(kMore, had) : kPiece;
    const auto room = static_cast<std::size_t>(std::min(end_ - at, std::max(to - at, step)));
    if (jumps_) {
      fonds::will_read(*source_, {at, room});
    }
    held_.resize(had + room);
    auto* const octets = reinterpret_cast<std::byte*>(held_.data()) + had;
    const auto n = source_->read_some_at(at, {octets, room});
    held_.resize(had + n.value_or(0));
    if (!n) {
      return tl::unexpected(Error(n.error().code(), n.error().message(), n.error().where()));
    }
    if (*n == 0) {
      return fail(ErrorCode::Io, "has become shorter while it was read",
                  {.source = source_->name(), .stored_offset = at});
    }
  }
  return {};
}

Result<std::string_view> LineText::at(std::uint64_t offset, std::size_t at_least) {
  if (has_view_) {
    return mapped_.substr(std::min<std::size_t>(mapped_.size(), offset));
  }
  offset = std::min(offset, end_);
  if (offset < begin_ || offset > begin_ + held_.size()) {
    held_.clear();
    begin_ = offset;
  }
  const std::uint64_t to = offset + std::min<std::uint64_t>(at_least, end_ - offset);
  if (to > begin_ + held_.size() && !jumps_) {
    held_.erase(0, static_cast<std::size_t>(offset - begin_));  // who reads on does not go back
    begin_ = offset;
  }
  FONDS_CHECK(reserve_more(to));
  return std::string_view(held_).substr(static_cast<std::size_t>(offset - begin_));
}

Result<std::string_view> LineText::until(std::uint64_t offset, char stop) {
  for (std::size_t at_least = 1, seen = 0;;) {
    FONDS_TRY(const std::string_view text, at(offset, at_least));
    const auto* const from = text.begin() + std::min(seen, text.size());
    const auto* const found =
        stop == '\n'
            ? text.data() + std::min(text.find('\n', seen), text.size())
            : std::find_if(from, text.end(), [stop](char c) { return c == stop || c == '\n'; });
    if (found != text.end()) {
      return text.substr(0, static_cast<std::size_t>(found - text.begin()) + 1);
    }
    if (text.size() < at_least || offset + text.size() >= end_) {
      return text;
    }
    seen = text.size();
    at_least = text.size() + 1;
  }
}

Result<std::uint64_t> LineText::line_after(std::uint64_t offset) {
  while (offset < end_) {
    FONDS_TRY(const std::string_view text, at(offset, 1));
    if (const std::size_t found = text.find('\n'); found != std::string_view::npos) {
      return std::min(offset + found + 1, end_);
    }
    offset += text.size();
  }
  return end_;
}

Result<std::uint64_t> LineText::line_begin(std::uint64_t low, std::uint64_t offset) {
  std::uint64_t step = kMore;  // which grows, since each may be a round trip
  for (const std::uint64_t in_line = offset; offset > low;) {
    std::uint64_t from = low;
    if (!has_view_) {
      if (in_line - offset > kMostHeld) {
        return too_long(offset);
      }
      const bool here = begin_ < offset && offset <= begin_ + held_.size();
      if (!here) {
        const std::uint64_t back = std::min(offset - low, step);
        FONDS_CHECK(look_at({offset - back, back}));
        step = std::min(2 * step, kMostHeld);
      }
      from = std::max(low, begin_);
    }
    FONDS_TRY(const std::string_view text, at(from, static_cast<std::size_t>(offset - from)));
    const std::size_t found = text.substr(0, static_cast<std::size_t>(offset - from)).rfind('\n');
    if (found != std::string_view::npos) {
      return from + found + 1;
    }
    offset = from;
  }
  return low;
}

Status LineText::look_at(ByteRange range) {
  if (has_view_) {
    return {};
  }
  jumps_ = true;
  if (range.offset >= begin_ && range.offset + range.length <= begin_ + held_.size()) {
    return {};
  }
  held_.clear();
  begin_ = range.offset;
  return reserve_more(std::min(end_, range.offset + range.length));
}

}  // namespace fonds::index
