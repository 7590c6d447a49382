#include "format/recordio/rewriting/offsets_index.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <fmt/core.h>
#include <libdeflate.h>

#include <fonds/buffer.hpp>

#include "base/bytes.hpp"
#include "format/common/progress.hpp"
#include "format/recordio/reading/feed.hpp"
#include "format/recordio/reading/record_reader.hpp"
#include "format/recordio/rewriting/rewrite_input.hpp"

namespace fonds::recordio {
namespace {

constexpr std::string_view kMagicText = "FONDSRIX";
constexpr std::uint32_t kVersion = 1;
// Magic, version, flags, size of the archive, items, blocks.
constexpr std::size_t kFrontSize = 8 + 4 + 4 + 3 * 8;
constexpr std::size_t kEntrySize = 16;
constexpr std::size_t kCrcSize = 4;
// What goes to the sink at once.
constexpr std::size_t kPiece = std::size_t{64} << 10;

void append_le(std::uint64_t value, std::size_t size, Buffer& out) {
  for (std::size_t i = 0; i < size; ++i) {
    out.push_back(static_cast<std::byte>(value >> (8 * i) & 0xFF));
  }
}

// Writes and sums up.
class SummedSink {
 public:
  explicit SummedSink(ByteSink& sink) : sink_(sink) {}
  Status write(Buffer& piece) {
    crc_ = libdeflate_crc32(crc_, piece.view().data(), piece.size());
    FONDS_CHECK(sink_.write(piece.view()));
    piece.clear();
    return {};
  }
  std::uint32_t crc() const { return crc_; }

 private:
  ByteSink& sink_;
  std::uint32_t crc_ = 0;
};

Result<std::vector<std::byte>> read_all(ByteSource& source) {
  FONDS_TRY(const std::uint64_t size, source.size());
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  FONDS_TRY(const std::size_t n, source.read_at(0, bytes));
  bytes.resize(n);
  return bytes;
}

}  // namespace

void OffsetsIndexWriter::add_block(std::uint64_t offset, std::uint64_t items) {
  if (items > 0) {
    blocks_.push_back({offset, items_});
    items_ += items;
  }
}

Status OffsetsIndexWriter::write(std::uint64_t archive_size, ByteSink& sink) const {
  SummedSink summed(sink);
  Buffer piece;
  piece.append(as_bytes(kMagicText));
  append_le(kVersion, 4, piece);
  append_le(0, 4, piece);
  append_le(archive_size, 8, piece);
  append_le(items_, 8, piece);
  append_le(blocks_.size(), 8, piece);
  for (const Entry& block : blocks_) {
    append_le(block.offset, 8, piece);
    append_le(block.first_item, 8, piece);
    if (piece.size() >= kPiece) {
      FONDS_CHECK(summed.write(piece));
    }
  }
  FONDS_CHECK(summed.write(piece));
  append_le(summed.crc(), kCrcSize, piece);
  return sink.write(piece.view());
}

Result<OffsetsIndex> OffsetsIndex::open(std::shared_ptr<ByteSource> source) {
  OffsetsIndex index;
  index.source_ = std::move(source);
  if (const auto view = index.source_->view()) {
    index.bytes_ = *view;
  } else {
    FONDS_TRY(index.held_, read_all(*index.source_));
    index.bytes_ = index.held_;
  }
  const ByteView bytes = index.bytes_;
  const fonds::Location where = {.source = index.source_->name()};
  if (!as_text(bytes).starts_with(kMagicText)) {
    return fail(ErrorCode::Unsupported, "is no index of RecordIO items", where);
  }
  if (bytes.size() < kFrontSize + kCrcSize) {
    return fail(ErrorCode::Truncated, "the index ends inside its front", where);
  }
  const std::uint32_t version = load_le32(bytes.subspan(8));
  const std::uint32_t flags = load_le32(bytes.subspan(12));
  if (version != kVersion || flags != 0) {
    return fail(ErrorCode::Unsupported,
                fmt::format("the index has version {} and flags {}, known are {} and 0", version,
                            flags, kVersion),
                where);
  }
  index.archive_size_ = load_le64(bytes.subspan(16));
  index.items_ = load_le64(bytes.subspan(24));
  index.blocks_ = load_le64(bytes.subspan(32));
  FONDS_CHECK(index.check());
  return index;
}

Status OffsetsIndex::check() const {
  const fonds::Location where = {.source = source_->name()};
  const std::uint64_t room = bytes_.size() - kFrontSize - kCrcSize;
  if (room % kEntrySize != 0 || room / kEntrySize != blocks_) {
    return fail(room / kEntrySize < blocks_ ? ErrorCode::Truncated : ErrorCode::Corrupt,
                fmt::format("the index says that it has {} blocks, but takes {} bytes", blocks_,
                            bytes_.size()),
                where);
  }
  const std::size_t covered = bytes_.size() - kCrcSize;
  const std::uint32_t crc = libdeflate_crc32(0, bytes_.data(), covered);
  if (const std::uint32_t stored = load_le32(bytes_.subspan(covered)); crc != stored) {
    return fail(ErrorCode::Corrupt,
                fmt::format("the index has the CRC {:08x}, it says {:08x}", crc, stored), where);
  }
  bool ascending = blocks_ > 0 ? first_item_of(0) == 0 : items_ == 0;
  for (std::uint64_t block = 0; block < blocks_ && ascending; ++block) {
    const bool last = block + 1 == blocks_;
    ascending = offset_of(block) < (last ? archive_size_ : offset_of(block + 1)) &&
                first_item_of(block) < (last ? items_ : first_item_of(block + 1));
  }
  return ascending ? Status()
                   : fail(ErrorCode::Corrupt, "the blocks of the index are not in order", where);
}

std::uint64_t OffsetsIndex::offset_of(std::uint64_t block) const {
  return load_le64(bytes_.subspan(kFrontSize + static_cast<std::size_t>(block) * kEntrySize));
}

std::uint64_t OffsetsIndex::first_item_of(std::uint64_t block) const {
  return load_le64(bytes_.subspan(kFrontSize + static_cast<std::size_t>(block) * kEntrySize + 8));
}

std::optional<Location> OffsetsIndex::locate(std::uint64_t number) const {
  if (number >= items_) {
    return std::nullopt;
  }
  // The last block whose first item is not behind the number.
  std::uint64_t low = 0, high = blocks_;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (first_item_of(middle) <= number ? low : high) = middle;
  }
  return Location{offset_of(low), number - first_item_of(low)};
}

Result<std::uint64_t> write_offsets_index(const Archive& archive, ByteSink& sink,
                                          const RewriteOptions& options) {
  FeedOptions with{.read = reader_options(options.read)};
  with.read.threads = options.write.threads;
  FONDS_TRY(const auto decoded, decoded_source(archive, options.read));
  const std::shared_ptr<ByteSource> source =
      decoded ? std::shared_ptr<ByteSource>(decoded) : archive.source;
  FONDS_TRY(const auto feed, Feed::open(source, with));
  const auto tell = [&](const std::vector<Finding>& findings) {
    if (options.on_finding) {
      std::ranges::for_each(findings, options.on_finding);
    }
  };
  OffsetsIndexWriter writer;
  std::uint64_t told = 0;
  while (true) {
    if (options.read.stop.stop_requested()) {
      return fail(ErrorCode::Cancelled, "stopped");
    }
    FONDS_TRY(const FedBlock* const block, feed->next());
    tell(feed->take_findings());
    if (block == nullptr) {
      break;
    }
    writer.add_block(block->stored.stored.offset, block->items.count());
    if (options.progress && feed->position() - told >= kProgressStep) {
      told = feed->position();
      options.progress(decoded ? decoded->stored_position() : told);
    }
  }
  if (decoded) {
    tell(decoded->take_findings());
  }
  std::uint64_t size = feed->position();
  if (archive.source->random_access()) {
    FONDS_TRY(size, archive.source->size());
  }
  FONDS_CHECK(writer.write(size, sink));
  return writer.items();
}

std::optional<OffsetsIndex> OffsetsIndex::open_beside(std::string_view archive_name,
                                                      std::uint64_t archive_size) {
  if (archive_name == "-") {
    return std::nullopt;
  }
  auto source = open_source(std::string(archive_name) + std::string(kOffsetsEnding));
  if (!source || !(*source)->random_access()) {
    return std::nullopt;
  }
  auto index = OffsetsIndex::open(std::move(*source));
  if (!index || index->archive_size() != archive_size) {
    return std::nullopt;
  }
  return std::move(*index);
}

}  // namespace fonds::recordio
