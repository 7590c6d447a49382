#include "codec/resync.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "io/window.hpp"

namespace fonds {
namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10;
constexpr std::uint64_t kCandidateCost = 64;

}  // namespace

Result<std::optional<std::uint64_t>> find_next(
    Window& window, std::uint64_t from, ByteView magic, DamageBudget& budget,
    const std::function<Result<bool>(std::uint64_t offset)>& accept) {
  std::uint64_t at = from;
  while (budget.allows(at)) {
    window.release(at);
    FONDS_TRY(const ByteView stored, window.at(at, kPiece));
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
    if (stored.size() < kPiece || window.mapped()) {
      break;
    }
    at += stored.size() - (magic.size() - 1);  // a magic may lie across the end of the piece
  }
  return std::optional<std::uint64_t>();
}

std::uint64_t find_in_view(
    ByteView stored, std::uint64_t from, std::uint64_t to, std::string_view magic,
    const std::function<bool(std::size_t offset, std::uint64_t& work)>& begins) {
  const std::string_view text = as_text(stored);
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

std::optional<std::uint64_t> find_swallowed(
    ByteView stored, std::uint64_t from, std::uint64_t to, std::string_view magic,
    DamageBudget& budget,
    const std::function<std::uint64_t(std::size_t offset, std::uint64_t& work)>& unit_size) {
  const std::string_view text = as_text(stored);
  std::uint64_t first = 0, behind = 0;  // of units that lie one behind the other
  for (std::size_t at = from; (at = text.find(magic, at)) < to && budget.allows(at);) {
    std::uint64_t work = kCandidateCost;
    const std::uint64_t size = unit_size(at, work);
    budget.spend(work);
    if (size == 0) {
      ++at;
      continue;
    }
    first = at == behind ? first : at;
    behind = at + size;
    if (behind > to) {
      return first;
    }
    at = static_cast<std::size_t>(behind);
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
