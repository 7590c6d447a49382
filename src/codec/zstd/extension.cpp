#include "codec/zstd/extension.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>

#include "base/bytes.hpp"
#include "codec/zstd/frame.hpp"

namespace fonds::zstd {
namespace {

// No number is registered, so the content begins with a signature of ours.
constexpr std::string_view kSignature = "fonds sz";
constexpr std::size_t kEntry = 8, kFooter = 9;
constexpr std::uint32_t kMostFrames = 0x8000000;  // of the seekable format
constexpr std::byte kWithChecksums{0x80};

}  // namespace

void emit_size_prefix(const FrameSizes& sizes, std::byte* at) {
  store_le32(kSizePrefixMagic, at);
  store_le32(kSizePrefixSize - kSkippableHeader, at + 4);
  std::ranges::copy(as_bytes(kSignature), at + 8);
  store_le64(sizes.stored, at + 16);
  store_le64(sizes.decoded, at + 24);
}

std::optional<FrameSizes> parse_size_prefix(ByteView stored) {
  if (stored.size() < kSizePrefixSize || load_le32(stored) != kSizePrefixMagic ||
      load_le32(stored.subspan(4)) != kSizePrefixSize - kSkippableHeader ||
      as_text(stored.subspan(8, kSignature.size())) != kSignature) {
    return std::nullopt;
  }
  return FrameSizes{load_le64(stored.subspan(16)), load_le64(stored.subspan(24))};
}

void SeekTable::add(std::uint64_t stored, std::optional<std::uint64_t> decoded) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  impossible_ = impossible_ || stored > kMost || !decoded || *decoded > kMost ||
                entries_.size() == kMostFrames;
  if (impossible_) {
    entries_ = {};
    return;
  }
  entries_.push_back({static_cast<std::uint32_t>(stored), static_cast<std::uint32_t>(*decoded)});
}

void SeekTable::emit(Buffer& out) const {
  const std::size_t size = kSkippableHeader + entries_.size() * kEntry + kFooter;
  std::byte* at = out.room(size).data();
  store_le32(kSeekTableMagic, at);
  store_le32(static_cast<std::uint32_t>(size - kSkippableHeader), at + 4);
  at += kSkippableHeader;
  for (const Entry& entry : entries_) {
    store_le32(entry.stored, at);
    store_le32(entry.decoded, at + 4);
    at += kEntry;
  }
  store_le32(static_cast<std::uint32_t>(entries_.size()), at);
  at[4] = std::byte{0};
  store_le32(kSeekTableFooterMagic, at + 5);
  out.commit(size);
}

std::optional<std::vector<SeekTable::Entry>> SeekTable::parse(ByteView stored) {
  if (stored.size() < kSkippableHeader + kFooter ||
      load_le32(stored.last(4)) != kSeekTableFooterMagic) {
    return std::nullopt;
  }
  const ByteView footer = stored.last(kFooter);
  const std::uint64_t frames = load_le32(footer);
  const std::size_t step = (footer[4] & kWithChecksums) != std::byte{0} ? kEntry + 4 : kEntry;
  const std::uint64_t size = kSkippableHeader + frames * step + kFooter;
  if (frames > kMostFrames || size > stored.size()) {
    return std::nullopt;
  }
  ByteView table = stored.last(static_cast<std::size_t>(size));
  if (load_le32(table) != kSeekTableMagic ||
      load_le32(table.subspan(4)) != size - kSkippableHeader) {
    return std::nullopt;
  }
  std::vector<Entry> entries;
  entries.reserve(static_cast<std::size_t>(frames));
  table = table.subspan(kSkippableHeader);
  for (std::uint64_t n = 0; n < frames; ++n, table = table.subspan(step)) {
    entries.push_back({load_le32(table), load_le32(table.subspan(4))});
  }
  return entries;
}

}  // namespace fonds::zstd
