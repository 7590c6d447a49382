#include "codec/unit_decoder.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace fonds {
namespace {

constexpr std::size_t kMaxPendingFindings = 1 << 16;

}  // namespace

void UnitDecoder::end_unit(std::uint64_t unit, std::uint64_t decoded_size,
                           std::uint64_t stored_end) {
  const std::uint64_t current = place().unit;
  while (!finished_.empty() && finished_.front().unit < current) {
    finished_.pop_front();
  }
  // No place lies in an empty unit, and hostile files can have very many.
  if (decoded_size > 0) {
    finished_.push_back({unit, decoded_size, stored_end});
  }
}

void UnitDecoder::find(std::string_view code, std::string message, std::uint64_t stored_offset) {
  if (findings_.size() < kMaxPendingFindings) {
    report(code, std::move(message), stored_offset);
  }
}

const UnitDecoder::Finished* UnitDecoder::finished(std::uint64_t unit) const {
  const auto found =
      std::lower_bound(finished_.begin(), finished_.end(), unit,
                       [](const Finished& one, std::uint64_t at) { return one.unit < at; });
  return found == finished_.end() || found->unit != unit ? nullptr : &*found;
}

Result<bool> UnitDecoder::skim_open_unit(std::uint64_t, std::uint64_t) { return false; }

Result<bool> UnitDecoder::skim_unit(std::uint64_t inner_end) {
  const Place here = place();
  if (here.inner > inner_end) {
    return false;
  }
  const Finished* const unit = finished(here.unit);
  if (unit == nullptr) {
    return skim_open_unit(here.unit, inner_end);
  }
  if (unit->decoded_size != inner_end || inner_end - here.inner > buffered()) {
    return false;
  }
  consume(static_cast<std::size_t>(inner_end - here.inner));
  return true;
}

std::uint64_t UnitDecoder::stored_position() const {
  if (buffered() == 0) {
    return stored_used();
  }
  const Place here = place();
  if (here.inner == 0) {
    return here.unit;
  }
  const Finished* const unit = finished(here.unit);
  return unit != nullptr ? unit->stored_end : stored_used();
}

}  // namespace fonds
