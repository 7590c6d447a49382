#include "format/recordio/rewriting/rewrite_salvage.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <fonds/buffer.hpp>

#include "format/recordio/reading/block.hpp"
#include "format/recordio/reading/grammar.hpp"

namespace fonds::recordio {
namespace {

// A block whose table can be trusted, and which of its chunks can.
struct Remains {
  ByteView chunks;  // as far as they are there
  TableCheck table;
  std::vector<bool> good;

  ByteView payload(std::uint64_t chunk) const {
    return chunks.subspan(static_cast<std::size_t>(chunk) * kChunkSize + kChunkHeaderSize,
                          kChunkPayload);
  }
};

// What the chunk `index` of `total` must hold of a payload of this size, if all others are full.
std::uint64_t share(std::uint64_t payload_size, std::uint64_t index, std::uint64_t total) {
  return index + 1 < total ? kChunkPayload : payload_size - index * kChunkPayload;
}

// The remains of the block that begins at the start of `bytes`.
std::optional<Remains> look(ByteView bytes) {
  if (!begins_block(bytes)) {
    return std::nullopt;
  }
  const ChunkHeader first = parse_chunk_header(bytes);
  if (first.magic != Magic::Packed || first.total < 2 || first.size != kChunkPayload) {
    return std::nullopt;
  }
  Remains remains;
  const ByteView front = bytes.subspan(kChunkHeaderSize, kChunkPayload);
  remains.table = check_table(front, std::nullopt);
  const std::uint64_t most = std::uint64_t{first.total} * kChunkPayload;
  const std::uint64_t size = remains.table.items_at + remains.table.items_size;
  if (remains.table.fault || remains.table.items_size > most || chunks_of(size) != first.total) {
    return std::nullopt;
  }
  const auto there = std::min<std::uint64_t>(first.total, bytes.size() / kChunkSize);
  remains.chunks = bytes.first(static_cast<std::size_t>(there) * kChunkSize);
  remains.good.assign(static_cast<std::size_t>(there), false);
  remains.good[0] = true;
  for (std::size_t index = 1; index < there; ++index) {
    const ByteView chunk = bytes.subspan(index * kChunkSize, kChunkSize);
    if (begins_block(chunk)) {
      break;  // the block ends before it should
    }
    const ChunkHeader header = parse_chunk_header(chunk);
    const bool belongs = header.magic == first.magic && header.total == first.total &&
                         header.index == index && header.size <= kChunkPayload &&
                         chunk_crc(chunk, header) == header.crc;
    if (belongs && header.size != share(size, index, first.total)) {
      return std::nullopt;  // its chunks are filled in some other way
    }
    remains.good[index] = belongs;
  }
  return remains;
}

bool is_whole(const Remains& remains, ByteRange item) {
  if (item.length == 0) {
    return true;
  }
  const std::uint64_t last = (item.offset + item.length - 1) / kChunkPayload;
  if (last >= remains.good.size()) {
    return false;
  }
  const auto at = remains.good.begin();
  return std::find(at + static_cast<std::ptrdiff_t>(item.offset / kChunkPayload),
                   at + static_cast<std::ptrdiff_t>(last) + 1,
                   false) == at + static_cast<std::ptrdiff_t>(last) + 1;
}

ByteView take(const Remains& remains, ByteRange item, Buffer& out) {
  out.clear();
  while (out.size() < item.length) {
    const std::uint64_t at = item.offset + out.size();
    const ByteView rest =
        remains.payload(at / kChunkPayload).subspan(static_cast<std::size_t>(at % kChunkPayload));
    out.append(rest.first(
        std::min<std::size_t>(rest.size(), static_cast<std::size_t>(item.length) - out.size())));
  }
  return out.view();
}

}  // namespace

Result<Salvaged> salvage_items(ByteView damaged, std::uint64_t max_item,
                               const std::function<Status(ByteView item)>& save,
                               const std::function<Status()>& block_done) {
  Salvaged all;
  Buffer joined;
  for (std::size_t at = 0; at + kChunkSize <= damaged.size(); at += kChunkSize) {
    const auto remains = look(damaged.subspan(at));
    if (!remains) {
      continue;
    }
    const ByteView sizes = remains->payload(0);
    const std::uint64_t saved_before = all.saved;
    std::size_t size_at = remains->table.sizes_at;
    ByteRange item{remains->table.items_at, 0};
    for (std::uint64_t number = 0; number < remains->table.count; ++number) {
      const Varint size = parse_varint(sizes.subspan(size_at));
      size_at += size.length;
      item.offset += item.length;
      item.length = size.value;
      if (!save || item.length > max_item || !is_whole(*remains, item)) {
        ++all.lost;
        continue;
      }
      FONDS_CHECK(save(take(*remains, item, joined)));
      ++all.saved;
    }
    if (all.saved > saved_before) {
      FONDS_CHECK(block_done());
    }
  }
  return all;
}

}  // namespace fonds::recordio
