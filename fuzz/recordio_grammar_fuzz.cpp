// The grammar of RecordIO: no bytes may crash it, and what was understood must be understood again
// when it is written.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>

#include "format/recordio/reading/grammar.hpp"

namespace {

namespace recordio = fonds::recordio;

constexpr std::uint64_t kMostItems = 3000;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

bool same(fonds::ByteView a, fonds::ByteView b) { return fonds::as_text(a) == fonds::as_text(b); }

// Reads size after size, as the table's fast ways must.
void check_sizes(fonds::ByteView bytes, const recordio::TableCheck& table) {
  std::vector<std::uint64_t> sizes;
  std::size_t at = table.sizes_at;
  std::uint64_t sum = 0;
  bool overlong = recordio::parse_varint(bytes).state == recordio::Varint::State::Overlong;
  for (std::uint64_t i = 0; i < table.count; ++i) {
    const recordio::Varint size = recordio::parse_varint(bytes.subspan(at));
    require(size.state == recordio::Varint::State::Good ||
            size.state == recordio::Varint::State::Overlong);
    overlong = overlong || size.state == recordio::Varint::State::Overlong;
    if (i < kMostItems) {
      const fonds::ByteRange range = recordio::item_range(bytes, table, i);
      require(range.length == size.value && range.offset == table.items_at + sum);
    }
    sizes.push_back(size.value);
    sum += size.value;
    at += size.length;
  }
  require(at == table.items_at && sum == table.items_size);
  require(overlong == table.overlong);
  fonds::Buffer again;
  recordio::emit_table(sizes, again);
  require(overlong || same(again.view(), bytes.first(table.items_at)));
  if (sum > ~std::uint64_t{0} - again.size()) {
    return;  // no content has so many bytes
  }
  const auto back = recordio::check_table(again.view(), again.size() + sum);
  require(!back.fault && !back.overlong && back.count == table.count && back.items_size == sum);
}

void check_tables(fonds::ByteView bytes) {
  const auto open = recordio::check_table(bytes, std::nullopt);
  const auto whole = recordio::check_table(bytes, bytes.size());
  const auto beginning = recordio::check_table(bytes, bytes.size() + 1000);
  if (!open.fault) {
    check_sizes(bytes, open);
    const auto fitting = recordio::check_table(bytes, open.items_at + open.items_size);
    require(open.items_size > ~std::uint64_t{0} - open.items_at || !fitting.fault);
  }
  require(whole.fault || !open.fault);
  require(beginning.fault || !open.fault);
  const auto packed = recordio::check_packed_table(bytes);
  if (!packed.fault) {
    require(packed.table.items_at <= bytes.size());
  }
}

void check_header_list(fonds::ByteView bytes) {
  const auto list = recordio::parse_header_list(bytes, 4);
  require(list.transformers.size() <= 4 && list.surplus <= bytes.size());
  fonds::Buffer again;
  recordio::emit_header_list(list.entries, again);
  const auto back = recordio::parse_header_list(again.view(), 4);
  require(back.entries == list.entries && back.transformers == list.transformers &&
          back.trailer == list.trailer && back.surplus == 0 && !back.overlong);
  for (const auto& entry : list.entries) {
    recordio::value_text(entry.value);
  }
}

void check_block(fonds::ByteView bytes) {
  fonds::Buffer block;
  recordio::emit_block(recordio::Magic::Packed, bytes, block);
  require(block.size() == recordio::chunks_of(bytes.size()) * recordio::kChunkSize);
  fonds::Buffer joined;
  for (std::size_t at = 0; at < block.size(); at += recordio::kChunkSize) {
    const auto chunk = block.view().subspan(at, recordio::kChunkSize);
    const auto header = recordio::parse_chunk_header(chunk);
    require(header.magic == recordio::Magic::Packed && header.size <= recordio::kChunkPayload);
    require(header.crc == recordio::chunk_crc(chunk, header));
    joined.append(chunk.subspan(recordio::kChunkHeaderSize, header.size));
  }
  require(same(joined.view(), bytes));
}

void check_heads(fonds::ByteView bytes) {
  recordio::parse_magic(bytes);
  if (bytes.size() >= recordio::kChunkHeaderSize) {
    recordio::parse_chunk_header(bytes);
  }
  if (bytes.size() >= recordio::kLegacyHeaderSize) {
    const auto header = recordio::parse_legacy_header(bytes);
    if (header.magic != recordio::Magic::None && header.crc_fits) {
      fonds::Buffer again;
      recordio::emit_legacy_header(header.magic, header.length, again);
      require(same(again.view(), bytes.first(recordio::kLegacyHeaderSize)));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fonds::ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  check_heads(bytes);
  check_tables(bytes);
  check_header_list(bytes);
  check_block(bytes);
  return 0;
}
