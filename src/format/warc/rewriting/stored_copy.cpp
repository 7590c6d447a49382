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

#include "base/bytes.hpp"
#include "codec/zstd/frame.hpp"
#include "format/warc/writing/writer.hpp"

namespace fonds::warc {
namespace {

// A dictionary frame, with what ZstdDictionary::parse() takes at most.
constexpr std::size_t kMostDictionary = zstd::kSkippableHeader + zstd::kCommonDictionary;

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
  std::array<std::byte, zstd::kSkippableHeader> head = {};
  FONDS_TRY(const std::size_t got, read_all_at(*archive.source, 0, head));
  if (got < head.size() || load_le32(head) != zstd::kDictionaryFrameMagic) {
    return std::optional<ZstdDictionary>();
  }
  const std::uint64_t length = load_le32(ByteView(head).subspan(4));
  std::vector<std::byte> frame(
      static_cast<std::size_t>(std::min<std::uint64_t>(length + head.size(), kMostDictionary)));
  FONDS_TRY(const std::size_t n, read_all_at(*archive.source, 0, frame));
  FONDS_TRY(auto dictionary, ZstdDictionary::parse(ByteView(frame).first(n)));
  return std::optional(std::move(dictionary));
}

}  // namespace fonds::warc
