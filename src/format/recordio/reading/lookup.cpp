#include "format/recordio/reading/lookup.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>

#include <fmt/core.h>

#include "format/recordio/reading/items.hpp"
#include "io/window.hpp"

namespace fonds::recordio {
namespace {

constexpr std::uint64_t kMarkStep = 64;  // items
constexpr std::uint64_t kOftenAsked = 8;
constexpr std::uint64_t kAll = ~std::uint64_t{0};              // no item: the whole block
constexpr std::uint64_t kFirstLook = std::uint64_t{16} << 10;  // where a table mostly ends

}  // namespace

Lookup::Lookup(std::shared_ptr<ByteSource> source, bool legacy, const ReaderOptions& options)
    : source_(std::move(source)),
      legacy_(legacy),
      options_(options),
      most_(std::min(options.max_block, options.memory_budget / 2)),
      view_(source_->view()) {}

std::uint64_t Lookup::Block::weight() const {
  return content.capacity() + joined.capacity() + marks.capacity() * sizeof(marks[0]) + 256;
}

tl::unexpected<Error> Lookup::wrong(ErrorCode code, std::string message,
                                    std::uint64_t offset) const {
  return fail(code, std::move(message), {.source = source_->name(), .stored_offset = offset});
}

Result<ByteView> Lookup::get(recordio::Location where, const Transformation& transformation) {
  transformation_ = &transformation;
  if (!view_) {
    return wrong(ErrorCode::Unsupported, "single items need a file", where.block);
  }
  FONDS_TRY(Block* const block, find(where));
  if (where.item >= block->sizes.count) {
    return wrong(ErrorCode::NotFound,
                 fmt::format("the block has {} items, there is none with number {}",
                             block->sizes.count, where.item),
                 where.block);
  }
  ByteRange range = locate(*block, where.item);
  if (range.length > options_.max_item) {
    return wrong(ErrorCode::LimitExceeded,
                 fmt::format("item of {} bytes, the limit is {}", range.length, options_.max_item),
                 where.block);
  }
  if (block->in_file) {
    return from_file(*block, range);
  }
  if (!block->whole && block->items_at + range.offset + range.length > block->content.size()) {
    // Only the beginning was undone; whoever asks again may ask for any of its items.
    if (const auto status = open_transformed(*block, kAll); !status) {
      drop(blocks_.begin());
      return fail(status.error().code(), status.error().message(), status.error().where());
    }
    if (where.item >= block->sizes.count) {
      return wrong(ErrorCode::Corrupt, "the block's table is not what its beginning said",
                   where.block);
    }
    range = locate(*block, where.item);
  }
  return from_content(*block, range);
}

Result<Lookup::Block*> Lookup::find(recordio::Location where) {
  if (const auto found = by_offset_.find(where.block); found != by_offset_.end()) {
    blocks_.splice(blocks_.begin(), blocks_, found->second);
    Block& block = blocks_.front();
    if (++block.asked >= kOftenAsked && block.marks.empty()) {
      mark(block);
    }
    return &block;
  }
  make_room();
  blocks_.emplace_front();
  blocks_.front().offset = where.block;
  blocks_.front().content = std::move(spare_);
  if (const auto status = open_block(blocks_.front(), where.item); !status) {
    blocks_.pop_front();
    return fail(status.error().code(), status.error().message(), status.error().where());
  }
  blocks_.front().asked = 1;
  by_offset_[where.block] = blocks_.begin();
  return &blocks_.front();
}

// Half of the memory is for blocks that wait to be asked for again, the other half for the one that
// is opened.
void Lookup::make_room() {
  if (!blocks_.empty()) {
    // The one in use until now may have grown.
    Block& last = blocks_.front();
    held_ += last.weight() - last.counted;
    last.counted = last.weight();
  }
  while (!blocks_.empty() && held_ > options_.memory_budget / 2) {
    drop(std::prev(blocks_.end()));
  }
}

void Lookup::drop(Blocks::iterator block) {
  held_ -= block->counted;
  if (block->content.capacity() > spare_.capacity() &&
      block->content.capacity() <= options_.memory_budget / 8) {
    spare_ = std::move(block->content);
    spare_.clear();
  }
  by_offset_.erase(block->offset);
  blocks_.erase(block);
}

// The place of an item, counted from the beginning of the items.
ByteRange Lookup::locate(Block& block, std::uint64_t number) {
  if (block.marks.empty()) {
    ByteRange range = item_range(block.table, block.sizes, number);
    range.offset -= block.sizes.items_at;
    return range;
  }
  auto [at, begin] = block.marks[static_cast<std::size_t>(number / kMarkStep)];
  Varint size = parse_varint(block.table.subspan(at));
  for (std::uint64_t i = number / kMarkStep * kMarkStep; i < number; ++i) {
    at += size.length;
    begin += size.value;
    size = parse_varint(block.table.subspan(at));
  }
  return {begin, size.value};
}

void Lookup::mark(Block& block) {
  std::size_t at = block.sizes.sizes_at;
  std::uint64_t begin = 0;
  block.marks.reserve(static_cast<std::size_t>(block.sizes.count / kMarkStep + 1));
  for (std::uint64_t i = 0; i < block.sizes.count; ++i) {
    if (i % kMarkStep == 0) {
      block.marks.emplace_back(at, begin);
    }
    if (const auto octet = std::to_integer<std::uint8_t>(block.table[at]); octet < 0x80) {
      begin += octet;
      ++at;
    } else {
      const Varint size = parse_varint(block.table.subspan(at));
      at += size.length;
      begin += size.value;
    }
  }
}

tl::unexpected<Error> Lookup::broken(const Fault& fault, std::uint64_t offset) const {
  return wrong(error_code(fault.code), fault.message, offset);
}

Status Lookup::open_block(Block& block, std::uint64_t item) {
  if (block.offset >= view_->size()) {
    return wrong(ErrorCode::NotFound, "the file ends before this offset", block.offset);
  }
  return legacy_ ? open_record(block) : open_v2(block, item);
}

Status Lookup::open_v2(Block& block, std::uint64_t item) {
  const ByteView stored = view_->subspan(static_cast<std::size_t>(block.offset));
  if (stored.size() < kChunkSize || parse_chunk_header(stored).magic != Magic::Packed ||
      parse_chunk_header(stored).index != 0) {
    return wrong(ErrorCode::NotFound, "no body block begins here", block.offset);
  }
  const ChunkHeader first = parse_chunk_header(stored);
  if (first.size > kChunkPayload || chunk_crc(stored, first) != first.crc) {
    return wrong(ErrorCode::Corrupt, "chunk crc: chunk 0 does not have the checksum it says",
                 block.offset);
  }
  if (first.total == 0 || first.total > stored.size() / kChunkSize) {
    return wrong(ErrorCode::Corrupt,
                 fmt::format("block past end of file: {} chunks announced, {} are there",
                             first.total, stored.size() / kChunkSize),
                 block.offset);
  }
  if (transformation_->entries.empty() && !transformation_->guess) {
    FONDS_TRY(const bool done, open_in_file(block, first));
    if (done) {
      return {};
    }
  }
  return open_transformed(block, item);
}

// The table is read where it lies, and nothing else of the block. False if the chunks are not as
// writers make them, so that the place of an item cannot be told without reading them all.
Result<bool> Lookup::open_in_file(Block& block, const ChunkHeader& first) {
  const ByteView stored = view_->subspan(static_cast<std::size_t>(block.offset));
  block.chunks = first.total;
  block.checked.assign(first.total, false);
  block.checked[0] = true;
  const ChunkHeader last = parse_chunk_header(
      stored.subspan(static_cast<std::size_t>(first.total - 1) * kChunkSize, kChunkHeaderSize));
  if (last.magic != Magic::Packed || last.total != first.total || last.index != first.total - 1 ||
      last.size > kChunkPayload || (first.total > 1 && first.size != kChunkPayload)) {
    return false;
  }
  block.payload_size = std::uint64_t{first.total - 1} * kChunkPayload + last.size;
  block.table = stored.subspan(kChunkHeaderSize, first.size);
  block.sizes = check_table(block.table, block.payload_size);
  for (std::uint32_t joined = 1;
       block.sizes.fault && block.sizes.fault->code == "varint-cut" && joined < first.total;) {
    if (joined == 1) {
      block.joined.append(block.table);
    }
    for (const std::uint32_t more = std::min(first.total, 2 * joined); joined < more; ++joined) {
      FONDS_TRY(const ByteView payload, chunk_payload(block, joined));
      block.joined.append(payload);
    }
    block.table = block.joined.view();
    block.sizes = check_table(block.table, block.payload_size);
  }
  if (block.sizes.fault) {
    return false;
  }
  block.in_file = true;
  block.items_at = block.sizes.items_at;
  return true;
}

Result<ByteView> Lookup::chunk_payload(Block& block, std::uint32_t index) {
  const ByteView chunk = view_->subspan(
      static_cast<std::size_t>(block.offset + std::uint64_t{index} * kChunkSize), kChunkSize);
  const ChunkHeader header = parse_chunk_header(chunk);
  if (!block.checked[index]) {
    const bool full = index + 1 == block.chunks || header.size == kChunkPayload;
    if (header.magic != Magic::Packed || header.total != block.chunks || header.index != index ||
        header.size > kChunkPayload || !full || chunk_crc(chunk, header) != header.crc) {
      return wrong(ErrorCode::Corrupt,
                   fmt::format("chunk crc: chunk {} of {} is damaged", index, block.chunks),
                   block.offset);
    }
    block.checked[index] = true;
  }
  return chunk.subspan(kChunkHeaderSize, header.size);
}

Result<ByteView> Lookup::from_file(Block& block, ByteRange range) {
  const std::uint64_t begin = block.items_at + range.offset;
  const std::uint64_t end = begin + range.length;
  item_.clear();
  for (std::uint64_t at = begin; at < end;) {
    const auto index = static_cast<std::uint32_t>(at / kChunkPayload);
    FONDS_TRY(const ByteView payload, chunk_payload(block, index));
    const auto from = static_cast<std::size_t>(at % kChunkPayload);
    const ByteView piece = payload.subspan(
        from, static_cast<std::size_t>(std::min<std::uint64_t>(payload.size() - from, end - at)));
    if (piece.size() == range.length) {
      return piece;
    }
    item_.append(piece);
    at += piece.size();
  }
  block.copied += range.length;
  if (block.copied > block.payload_size && block.payload_size <= most_ / 4) {
    FONDS_CHECK(join_chunks(block));
  }
  return item_.view();
}

// Items that lie in several chunks are copied at every look; after some of them one copy of the
// whole block costs less.
Status Lookup::join_chunks(Block& block) {
  block.content.clear();
  block.content.reserve(static_cast<std::size_t>(block.payload_size));
  for (std::uint32_t i = 0; i < block.chunks; ++i) {
    const auto payload = chunk_payload(block, i);
    if (!payload) {
      block.content.release();  // other items can still be had chunk by chunk
      block.copied = 0;
      return {};
    }
    block.content.append(*payload);
  }
  block.in_file = false;
  block.whole = true;
  return {};
}

// Undoes the block as far as item `item` reaches, or whole.
Status Lookup::open_transformed(Block& block, std::uint64_t item) {
  Window window(source_);
  StoredBlock stored;
  FONDS_TRY(const Examined seen,
            examine_block(window, block.offset, view_->size(), {.max_block = most_}, stored));
  if (seen.state != Examined::State::Good) {
    return wrong(
        seen.state == Examined::State::TooLarge ? ErrorCode::LimitExceeded : ErrorCode::Corrupt,
        seen.fault.message, block.offset);
  }
  block.in_file = false;
  block.marks.clear();
  if (transformation_->guess || transformation_->entries.empty()) {
    FONDS_CHECK(undo_as_guessed(block, stored));
  } else {
    joined_.clear();
    for (const ByteView piece : stored.pieces) {
      joined_.append(piece);
    }
    FONDS_CHECK(undo_up_to(block, item));
  }
  block.items_at = block.sizes.items_at;
  return {};
}

Status Lookup::undo_as_guessed(Block& block, const StoredBlock& stored) {
  Items items;
  if (const auto fault = decoder_.decode(stored, *transformation_, most_, block.content, items)) {
    return broken(*fault, block.offset);
  }
  if (block.content.empty()) {
    for (const ByteView piece : stored.pieces) {
      block.content.append(piece);
    }
  }
  block.whole = true;
  block.table = block.content.view();
  block.sizes = check_table(block.table, block.content.size());
  return block.sizes.fault ? Status(broken(*block.sizes.fault, block.offset)) : Status();
}

// In steps: what holds the table, then what holds the item.
Status Lookup::undo_up_to(Block& block, std::uint64_t item) {
  if (!stack_ || stack_of_ != transformation_->entries) {
    auto stack = Stack::make(transformation_->entries);
    if (!stack) {
      return wrong(ErrorCode::Unsupported, stack.error().message(), block.offset);
    }
    stack_.emplace(std::move(*stack));
    stack_of_ = transformation_->entries;
  }
  const ByteView stored = joined_.view();
  bool begun = false;
  for (std::uint64_t enough = item == kAll ? most_ : std::min(kFirstLook, most_);;) {
    const Status undone = enough >= most_ ? stack_->undo(stored, most_, block.content)
                          : begun         ? stack_->undo_more(stored, enough, most_, block.content)
                                  : stack_->undo_prefix(stored, enough, most_, block.content);
    if (!undone) {
      return broken(transform_fault(undone.error()), block.offset);
    }
    begun = true;
    block.whole = enough >= most_ || block.content.size() < enough;
    block.table = block.content.view();
    block.sizes =
        check_table(block.table, block.whole ? std::optional<std::uint64_t>(block.content.size())
                                             : std::nullopt);
    if (block.sizes.fault && block.whole) {
      return broken(*block.sizes.fault, block.offset);
    }
    if (block.sizes.fault) {
      enough = std::min(4 * enough, most_);
      continue;
    }
    if (block.sizes.items_size > most_) {
      return wrong(
          ErrorCode::LimitExceeded,
          fmt::format("block of {} bytes of items, the limit is {}", block.sizes.items_size, most_),
          block.offset);
    }
    if (block.whole || item >= block.sizes.count) {
      return {};
    }
    const ByteRange range = item_range(block.table, block.sizes, item);
    const std::uint64_t end = range.offset + range.length;
    if (end <= block.content.size()) {
      return {};
    }
    enough = std::min(end, most_);
  }
}

Result<ByteView> Lookup::from_content(Block& block, ByteRange range) const {
  const std::uint64_t begin = block.items_at + range.offset;  // both below most_
  if (begin > block.content.size() || range.length > block.content.size() - begin) {
    return wrong(ErrorCode::Corrupt, "block size mismatch: the item reaches over the block's end",
                 block.offset);
  }
  return block.content.view().subspan(static_cast<std::size_t>(begin),
                                      static_cast<std::size_t>(range.length));
}

Status Lookup::open_record(Block& block) {
  Window window(source_);
  StoredBlock stored;
  FONDS_TRY(const Examined seen,
            examine_record(window, block.offset, view_->size(), {.max_block = most_}, stored));
  if (seen.state != Examined::State::Good) {
    return seen.state == Examined::State::TooLarge
               ? wrong(ErrorCode::LimitExceeded, seen.fault.message, block.offset)
               : wrong(ErrorCode::NotFound, "no legacy record begins here: " + seen.fault.message,
                       block.offset);
  }
  Items items;
  if (const auto fault = decoder_.decode(stored, *transformation_, most_, joined_, items)) {
    return broken(*fault, block.offset);
  }
  std::vector<std::uint64_t> sizes;
  while (items.next()) {
    sizes.push_back(items.size());
    block.content.append(items.whole());
  }
  emit_table(sizes, block.joined);
  block.table = block.joined.view();
  block.sizes = check_table(block.table, std::nullopt);
  block.whole = true;
  return {};
}

}  // namespace fonds::recordio
