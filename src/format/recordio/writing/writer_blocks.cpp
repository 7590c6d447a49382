// Stored forms of blocks: v2 chunks and legacy records.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "format/recordio/reading/grammar.hpp"
#include "format/recordio/writing/writer_detail.hpp"

namespace fonds::recordio {

ByteView ItemBlock::with_front(ByteView front) {
  if (front.size() > gap_) {
    // More room than needed, so that the next blocks of this kind need not be moved.
    const std::size_t gap = front.size() + front.size() / 4;
    const std::size_t size = bytes_.size() - gap_;
    bytes_.room(gap - gap_);
    bytes_.commit(gap - gap_);
    std::memmove(bytes_.data() + gap, bytes_.data() + gap_, size);
    gap_ = gap;
  }
  std::memcpy(bytes_.data() + (gap_ - front.size()), front.data(), front.size());
  return bytes_.view().subspan(gap_ - front.size());
}

Result<BlockForm> BlockEncoder::encode(ItemBlock& block, Magic magic, Buffer& out) {
  return layout_ == Layout::V2 ? encode_v2(block, magic, out) : encode_packed(block, out);
}

Result<BlockForm> BlockEncoder::encode_v2(ItemBlock& block, Magic magic, Buffer& out) {
  front_.clear();
  emit_table(block.sizes(), front_);
  ByteView payload = block.with_front(front_.view());
  if (!stack_.empty()) {
    FONDS_CHECK(stack_.apply(payload, transformed_));
    payload = transformed_.view();
  }
  out.clear();
  out.room(static_cast<std::size_t>(chunks_of(payload.size())) * kChunkSize);
  emit_block(magic, payload, out);
  return BlockForm{out.view()};
}

Result<BlockForm> BlockEncoder::encode_packed(ItemBlock& block, Buffer& out) {
  ByteView items = block.items();
  if (!stack_.empty()) {
    FONDS_CHECK(stack_.apply(items, transformed_));
    items = transformed_.view();
  }
  front_.clear();
  emit_packed_table(block.sizes(), front_);
  const std::uint64_t length = front_.size() + items.size();
  out.clear();
  emit_legacy_header(Magic::Packed, length, out);
  out.append(front_.view());
  if (stack_.empty()) {
    return BlockForm{block.with_front(out.view()), items.size()};
  }
  out.append(items);
  return BlockForm{out.view(), items.size()};
}

bool is_legacy_record(ByteView record) noexcept {
  if (record.size() < kLegacyHeaderSize) {
    return false;
  }
  const LegacyHeader header = parse_legacy_header(record);
  return header.magic != Magic::None && header.crc_fits &&
         header.length == record.size() - kLegacyHeaderSize;
}

bool is_v2_block(ByteView block, Magic magic) noexcept {
  const std::size_t chunks = block.size() / kChunkSize;
  if (chunks == 0 || block.size() % kChunkSize != 0) {
    return false;
  }
  for (std::size_t k = 0; k < chunks; ++k) {
    const ChunkHeader header = parse_chunk_header(block.subspan(k * kChunkSize));
    if (header.magic != magic || header.total != chunks || header.index != k) {
      return false;
    }
  }
  return true;
}

}  // namespace fonds::recordio
