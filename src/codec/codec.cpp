#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/codec.hpp>

namespace fonds {

void Decoder::report(std::string_view code, std::string message, std::uint64_t stored_offset) {
  // Hostile data can have a finding every few bytes, and nobody asks for them before something is
  // decoded.
  constexpr std::size_t kMostWaiting = 65536;
  if (findings_.size() >= kMostWaiting) {
    return;
  }
  findings_.push_back(make_finding(code, std::move(message), {.stored_offset = stored_offset}));
}

Result<std::uint64_t> Decoder::skip(std::uint64_t n) {
  std::uint64_t skipped = 0;
  while (skipped < n) {
    FONDS_TRY(const ByteView view, peek(1));
    if (view.empty()) {
      break;
    }
    const auto step = std::min<std::uint64_t>(view.size(), n - skipped);
    consume(static_cast<std::size_t>(step));
    skipped += step;
  }
  return skipped;
}

std::string Decoder::state(const Place&) const { return {}; }

Result<bool> Decoder::skim_unit(std::uint64_t) { return false; }

std::vector<std::pair<std::string, std::string>> Codec::describe(ByteSource&) const { return {}; }

std::uint64_t Codec::find_unit(ByteView, std::uint64_t, std::uint64_t to,
                               const RecordProbe&) const {
  return to;
}

}  // namespace fonds
