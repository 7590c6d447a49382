// Extension frames that other readers step over: docs/formats/warc-zstandard.md, "Extensions".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>

namespace fonds::zstd {

inline constexpr std::uint32_t kSizePrefixMagic = 0x184D2A50;
inline constexpr std::uint32_t kSeekTableMagic = 0x184D2A5E;
inline constexpr std::uint32_t kSeekTableFooterMagic = 0x8F92EAB1;

// The sizes of the zstd frame behind an extension frame. A hint: verify what it leads to.
struct FrameSizes {
  std::uint64_t stored = 0, decoded = 0;
  friend bool operator==(const FrameSizes&, const FrameSizes&) = default;
};

// Stored bytes of a size prefix.
inline constexpr std::size_t kSizePrefixSize = 32;
// Writes a size prefix over the kSizePrefixSize bytes at `at`.
void emit_size_prefix(const FrameSizes& sizes, std::byte* at);
// Nothing if no size prefix stands at the start of `stored`.
std::optional<FrameSizes> parse_size_prefix(ByteView stored);

// The table of all frames of a file in their order, extension frames with a decoded size of 0; as
// in the seekable format of the zstd project.
class SeekTable {
 public:
  // A table that cannot be had stays empty: a frame that is too large for it, or too many.
  void add(std::uint64_t stored, std::optional<std::uint64_t> decoded);
  bool empty() const { return entries_.empty(); }
  void emit(Buffer& out) const;

  struct Entry {
    std::uint32_t stored, decoded;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  // The table that ends `stored`; nothing if there is none.
  static std::optional<std::vector<Entry>> parse(ByteView stored);

 private:
  std::vector<Entry> entries_;
  bool impossible_ = false;
};

}  // namespace fonds::zstd
