#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include <fonds/codec.hpp>
#include <fonds/seek_index.hpp>

namespace fonds {
namespace {

// Each has a window. The reader lags behind the decoder by one look ahead, seldom by more borders.
constexpr std::size_t kMostWaiting = 64;

bool at_or_before(const Place& a, const Place& b) {
  return std::tie(a.unit, a.inner) <= std::tie(b.unit, b.inner);
}

}  // namespace

bool SeekCollector::wants(std::uint64_t stored_offset, std::uint64_t decoded) const {
  const std::uint64_t at = measure_ == Measure::Stored ? stored_offset : decoded;
  return at >= last_ && at - last_ >= spacing_;
}

void SeekCollector::offer(SeekPoint point, std::uint64_t decoded) {
  if (!point.place || !wants(point.stored_offset, decoded)) {
    return;
  }
  if (offered_.size() == kMostWaiting) {
    offered_.pop_front();
  }
  offered_.push_back({std::move(point), decoded});
}

std::optional<SeekPoint> SeekCollector::take(const Place& place) {
  const auto behind = std::find_if(offered_.begin(), offered_.end(), [&](const Offer& offer) {
    return !at_or_before(*offer.point.place, place);
  });
  if (behind == offered_.begin()) {
    return std::nullopt;
  }
  Offer& newest = *(behind - 1);
  SeekPoint taken = std::move(newest.point);
  last_ = measure_ == Measure::Stored ? taken.stored_offset : newest.decoded;
  ++taken_;
  offered_.erase(offered_.begin(), behind);
  std::erase_if(offered_, [&](const Offer& offer) {
    return !wants(offer.point.stored_offset, offer.decoded);
  });
  return taken;
}

}  // namespace fonds
