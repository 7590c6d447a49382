#include "format/warc/rewriting/stored_copy.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace fonds::warc {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
// A dictionary frame: its header of 8 bytes, and what ZstdDictionary::parse() takes at most.
constexpr std::size_t kMostDictionary = (std::size_t{8} << 20) + 8;
constexpr std::array<unsigned char, 4> kDictionaryMagic = {0x5d, 0x2a, 0x4d, 0x18};

Result<std::size_t> read_all_at(ByteSource& source, std::uint64_t offset, MutableByteView out) {
  std::size_t done = 0;
  while (done < out.size()) {
    FONDS_TRY(const std::size_t n, source.read_at(offset + done, out.subspan(done)));
    if (n == 0) {
      break;
    }
    done += n;
  }
  return done;
}

}  // namespace

Status copy_stored(ByteSource& source, ByteRange range,
                   const std::function<Status(ByteView)>& out) {
  std::vector<std::byte> piece(
      static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, range.length)));
  for (std::uint64_t done = 0; done < range.length;) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), range.length - done));
    FONDS_TRY(const std::size_t n,
              read_all_at(source, range.offset + done, MutableByteView(piece).first(wanted)));
    if (n < wanted) {
      return fail(ErrorCode::Truncated,
                  fmt::format("ends at {} instead of {}", range.offset + done + n,
                              range.offset + range.length),
                  {.source = source.name(), .stored_offset = range.offset + done + n});
    }
    FONDS_CHECK(out(ByteView(piece).first(n)));
    done += n;
  }
  return {};
}

Result<std::optional<ZstdDictionary>> stored_dictionary(const Archive& archive) {
  if (archive.codec().name() != "zstd" || !archive.source->random_access()) {
    return std::optional<ZstdDictionary>();
  }
  std::array<std::byte, 8> head = {};
  FONDS_TRY(const std::size_t got, read_all_at(*archive.source, 0, head));
  if (got < head.size() || !std::equal(
                               kDictionaryMagic.begin(), kDictionaryMagic.end(), head.begin(),
                               [](unsigned char a, std::byte b) { return std::byte{a} == b; })) {
    return std::optional<ZstdDictionary>();
  }
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    length |= std::uint64_t{std::to_integer<std::uint8_t>(head[4 + i])} << (8 * i);
  }
  std::vector<std::byte> frame(
      static_cast<std::size_t>(std::min<std::uint64_t>(length + head.size(), kMostDictionary)));
  FONDS_TRY(const std::size_t n, read_all_at(*archive.source, 0, frame));
  FONDS_TRY(auto dictionary, ZstdDictionary::parse(ByteView(frame).first(n)));
  return std::optional(std::move(dictionary));
}

}  // namespace fonds::warc
