// The index file beside an archive: where the item with a number is. Integers are little-endian:
// "FONDSRIX", version 1 and flags 0 (four bytes each), the size of the archive, its items, the
// blocks that follow (eight bytes each); for each block with items its offset in the archive and
// the number of its first item (eight bytes each), both ascending; CRC-32 of all bytes before.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <fonds/byte_sink.hpp>
#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/format.hpp>
#include <fonds/formats/recordio.hpp>
#include <fonds/writing.hpp>

namespace fonds::recordio {

inline constexpr std::string_view kOffsetsEnding = ".offsets";

// Makes an index. 16 bytes a block are held until write(), as the counts stand first in the file.
class OffsetsIndexWriter {
 public:
  // Blocks come in file order; those without items may be left out, and are.
  void add_block(std::uint64_t offset, std::uint64_t items);
  std::uint64_t items() const { return items_; }
  // Errors: Io. The same blocks always give the same bytes.
  Status write(std::uint64_t archive_size, ByteSink& sink) const;

 private:
  struct Entry {
    std::uint64_t offset, first_item;
  };
  std::vector<Entry> blocks_;
  std::uint64_t items_ = 0;
};

// Looks items up. May be used by several threads at a time.
class OffsetsIndex {
 public:
  // Reads through all of the index. A mapped source stays mapped, of others everything is held.
  // Errors: Io; Unsupported if this is no index, or of a later version; Corrupt or Truncated if it
  // is damaged.
  static Result<OffsetsIndex> open(std::shared_ptr<ByteSource> source);

  OffsetsIndex(OffsetsIndex&&) noexcept = default;
  OffsetsIndex& operator=(OffsetsIndex&&) noexcept = default;

  // The index beside an archive, if there is a good one that was made for an archive of this size.
  static std::optional<OffsetsIndex> open_beside(std::string_view archive_name,
                                                 std::uint64_t archive_size);

  std::uint64_t archive_size() const { return archive_size_; }
  std::uint64_t items() const { return items_; }
  std::uint64_t blocks() const { return blocks_; }
  // Nothing if there are not so many items.
  std::optional<Location> locate(std::uint64_t number) const;

 private:
  OffsetsIndex() = default;
  Status check() const;
  std::uint64_t offset_of(std::uint64_t block) const;
  std::uint64_t first_item_of(std::uint64_t block) const;

  std::shared_ptr<ByteSource> source_;
  std::vector<std::byte> held_;
  ByteView bytes_;
  std::uint64_t archive_size_ = 0, items_ = 0, blocks_ = 0;
};

// Writes the index of all items that reading the archive gives, and returns how many they are. What
// is found on the way goes to options.on_finding; damage does not end it. Errors: Io, Cancelled.
Result<std::uint64_t> write_offsets_index(const Archive& archive, ByteSink& sink,
                                          const RewriteOptions& options);

}  // namespace fonds::recordio
