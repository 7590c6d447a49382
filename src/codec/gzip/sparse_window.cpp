#include "codec/gzip/sparse_window.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "codec/gzip/inflate_stream.hpp"

namespace fonds::gzip {
namespace {

constexpr std::size_t kStoredPiece = std::size_t{16} << 10;

// What is decoded behind the point with this window: up to kDeflateWindow bytes, since what comes
// later looks back on these only.
Result<std::vector<std::byte>> decode_with(ByteView window, const SeekPoint& point,
                                           ByteSource& source) {
  InflateStream stream;
  std::byte before{};
  if (point.bits > 0 && point.stored_offset > 0) {
    FONDS_CHECK(source.read_at(point.stored_offset - 1, {&before, 1}));
  }
  stream.start(InflateStream::Engine::Exact, {point.bits, before, window});
  std::vector<std::byte> piece(kStoredPiece);
  std::vector<std::byte> out(kDeflateWindow);
  std::uint64_t position = point.stored_offset;
  std::size_t written = 0;
  while (written < out.size()) {
    FONDS_TRY(const std::size_t n, source.read_at(position, piece));
    const auto step = stream.run(ByteView(piece).first(n), MutableByteView(out).subspan(written));
    position += static_cast<std::uint64_t>(step.used);
    written += step.written;
    if (step.state == InflateStream::State::Corrupt) {
      return fail(ErrorCode::Corrupt,
                  fmt::format("no more than {} bytes can be decoded from a seek point", written),
                  {.stored_offset = point.stored_offset});
    }
    const bool over = n == 0 && step.written == 0;  // the source ends inside the member
    if (over || step.state == InflateStream::State::End) {
      break;
    }
  }
  out.resize(written);
  return out;
}

}  // namespace

// The data is decoded with three windows that tell where a byte comes from: the low and the high
// half of each position, and the low half inverted. A byte that differs between the first and the
// third was copied from the window.
Status make_sparse(SeekPoint& point, ByteSource& source) {
  const std::size_t size = std::min(point.window.size(), kDeflateWindow);
  point.window.erase(point.window.begin(), point.window.end() - static_cast<std::ptrdiff_t>(size));
  std::vector<std::byte> low(size), high(size), inverted(size);
  for (std::size_t i = 0; i < size; ++i) {
    low[i] = static_cast<std::byte>(i & 0xFF);
    high[i] = static_cast<std::byte>(i >> 8);
    inverted[i] = ~low[i];
  }
  FONDS_TRY(const auto by_low, decode_with(low, point, source));
  FONDS_TRY(const auto by_high, decode_with(high, point, source));
  FONDS_TRY(const auto by_inverted, decode_with(inverted, point, source));
  std::vector<std::byte> needed(size);
  for (std::size_t i = 0; i < by_low.size(); ++i) {
    if (by_low[i] != by_inverted[i]) {
      const std::size_t at =
          std::to_integer<std::size_t>(by_low[i]) | std::to_integer<std::size_t>(by_high[i]) << 8;
      needed[at] = point.window[at];
    }
  }
  point.window = std::move(needed);
  return {};
}

}  // namespace fonds::gzip
