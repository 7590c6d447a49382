#include "codec/resync.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "io/window.hpp"

namespace fonds {
namespace {

constexpr std::size_t kSearchedAtOnce = std::size_t{256} << 10;
constexpr std::uint64_t kCandidateCost = 64;
constexpr std::uint64_t kMostViewed = std::uint64_t{128} << 20;

// What has to be searched for a magic that begins before `to`. No more: frames are searched block
// by block, and what lies behind may be the rest of a large file.
std::string_view text_before(ByteView stored, std::uint64_t to, std::string_view magic) {
  return as_text(stored).substr(0, static_cast<std::size_t>(to) + magic.size() - 1);
}

}  // namespace

Result<std::optional<std::uint64_t>> find_next(
    Window& window, std::uint64_t from, ByteView magic, DamageBudget& budget,
    const std::function<Result<bool>(std::uint64_t offset)>& accept) {
  std::uint64_t at = from;
  while (budget.allows(at)) {
    window.release(at);
    FONDS_TRY(const ByteView stored, window.at(at, kSearchedAtOnce));
    const std::size_t hit = as_text(stored).find(as_text(magic));
    if (hit != std::string_view::npos) {
      const std::uint64_t candidate = at + hit;
      budget.spend(kCandidateCost);
      FONDS_TRY(const bool accepted, accept(candidate));
      if (accepted) {
        return std::optional(candidate);
      }
      at = candidate + 1;
      continue;
    }
    if (stored.size() < kSearchedAtOnce || window.mapped()) {
      break;
    }
    at += stored.size() - (magic.size() - 1);  // a magic may lie across the end of the piece
  }
  return std::optional<std::uint64_t>();
}

std::uint64_t find_in_view(
    ByteView stored, std::uint64_t from, std::uint64_t to, std::string_view magic,
    const std::function<bool(std::size_t offset, std::uint64_t& work)>& begins) {
  const std::string_view text = text_before(stored, to, magic);
  std::uint64_t work = 0;
  for (std::size_t at = from; (at = text.find(magic, at)) < to; ++at) {
    if (begins(at, work)) {
      return at;
    }
    if (work / 16 > (to - from) + (std::uint64_t{8} << 20)) {
      break;
    }
  }
  return to;
}

Result<std::optional<std::uint64_t>> bytes_left(const Window& window, std::uint64_t offset) {
  if (!window.goes_back()) {
    return std::nullopt;
  }
  FONDS_TRY(const std::uint64_t size, window.size());
  return size - std::min(size, offset);
}

Result<StoredView> view_over(Window& window, std::uint64_t from, std::uint64_t to,
                             std::uint64_t most, std::string_view magic) {
  if (window.mapped()) {
    FONDS_TRY(const ByteView all, window.at(0, 0));
    return StoredView{all, 0};
  }
  const std::uint64_t size = to - std::min(from, to);
  if (!window.goes_back() || size > kMostViewed || most > kMostViewed - size) {
    return StoredView{};
  }
  FONDS_TRY(ByteView stored, window.at(from, static_cast<std::size_t>(size)));
  stored = stored.first(std::min(stored.size(), static_cast<std::size_t>(size)));
  // The unit itself begins with one.
  if (stored.empty() || as_text(stored).find(magic, 1) == std::string_view::npos) {
    return StoredView{};
  }
  FONDS_TRY(stored, window.at(from, static_cast<std::size_t>(size + most)));
  return StoredView{stored, from};
}

std::optional<std::uint64_t> find_swallowed(
    const StoredView& stored, std::uint64_t from, std::uint64_t to, std::string_view magic,
    DamageBudget& budget,
    const std::function<std::uint64_t(std::size_t index, std::uint64_t& work)>& unit_size) {
  const std::uint64_t end = to - stored.offset;
  const std::string_view text = text_before(stored.bytes, end, magic);
  std::optional<std::uint64_t> first;
  for (std::size_t at = from - stored.offset;
       (at = text.find(magic, at)) < end && budget.allows(stored.offset + at);) {
    std::uint64_t work = kCandidateCost;
    const std::uint64_t size = unit_size(at, work);
    budget.spend(work);
    if (size == 0) {
      ++at;
      continue;
    }
    first = first.value_or(stored.offset + at);
    at += static_cast<std::size_t>(size);
    if (at > end) {
      return first;
    }
  }
  return std::nullopt;
}

Result<std::uint64_t> step_over(Window& window, std::uint64_t from, std::uint64_t to) {
  if (window.source()->random_access()) {
    FONDS_TRY(const std::uint64_t size, window.source()->size());
    const std::uint64_t there = std::max(from, std::min(to, size));
    window.release(there);
    return there;
  }
  std::uint64_t at = from;
  while (at < to) {
    window.release(at);
    FONDS_TRY(const ByteView stored, window.at(at, 1));
    if (stored.empty()) {
      break;
    }
    at += std::min<std::uint64_t>(stored.size(), to - at);
  }
  window.release(at);
  return at;
}

}  // namespace fonds
