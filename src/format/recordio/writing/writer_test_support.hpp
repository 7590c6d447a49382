// Sinks, fixtures and a strict parser of what was written, for the tests of the writers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/byte_sink.hpp>
#include <fonds/bytes.hpp>
#include <fonds/formats/recordio.hpp>

#include "format/recordio/reading/grammar.hpp"
#include "format/recordio/reading/transform.hpp"
#include "test_paths.hpp"

namespace fonds::recordio {

// Takes bytes into memory, and fails at the write that would bring it beyond `most`.
class MemorySink final : public ByteSink {
 public:
  explicit MemorySink(std::uint64_t most = std::numeric_limits<std::uint64_t>::max())
      : most_(most) {}
  Status write(ByteView bytes) override {
    if (bytes.size() > most_ - content.size()) {
      return fail(ErrorCode::Io, "no space left on device");
    }
    content += as_text(bytes);
    ++writes;
    return {};
  }
  std::uint64_t position() const override { return content.size(); }

  std::string content;
  std::size_t writes = 0;

 private:
  std::uint64_t most_;
};

inline std::string read_recordio_fixture(const std::string& name) {
  const char* folder = std::getenv("FONDS_FIXTURES");  // NOLINT(concurrency-mt-unsafe)
  const std::string base = folder != nullptr ? folder : FONDS_TEST_DATA;
  std::ifstream file(base + "/recordio/" + name, std::ios::binary);
  if (!file) {
    throw std::runtime_error("no fixture " + name);
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct ParsedBlock {
  std::uint64_t offset = 0, length = 0;
  Magic magic = Magic::None;
  std::vector<std::string> items;
};
struct ParsedFile {
  std::vector<HeaderEntry> header;  // v2
  std::vector<std::string> transformers;
  bool promises_trailer = false;
  std::vector<ParsedBlock> blocks;  // with items, in file order
  std::optional<std::string> trailer;

  std::vector<std::string> items() const {
    std::vector<std::string> all;
    for (const ParsedBlock& block : blocks) {
      all.insert(all.end(), block.items.begin(), block.items.end());
    }
    return all;
  }
  std::vector<std::size_t> counts() const {
    std::vector<std::size_t> all;
    for (const ParsedBlock& block : blocks) {
      all.push_back(block.items.size());
    }
    return all;
  }
};

inline void require(bool good, const char* what) {
  if (!good) {
    throw std::runtime_error(what);
  }
}

inline std::vector<std::string> table_items(ByteView bytes, const TableCheck& table) {
  std::vector<std::string> items;
  for (std::uint64_t i = 0; i < table.count; ++i) {
    const ByteRange range = item_range(bytes, table, i);
    items.emplace_back(as_text(bytes.subspan(range.offset, range.length)));
  }
  return items;
}

inline std::string undone(const std::vector<std::string>& transformers, std::string_view stored) {
  auto stack = Stack::make(transformers);
  require(stack.has_value(), "transformers");
  Buffer out;
  require(stack->undo(as_bytes(stored), std::uint64_t{1} << 30, out).has_value(), "undo");
  return std::string(as_text(out.view()));
}

// The chunks of the block at the start of `bytes`, joined; every field and the padding checked.
inline std::string join_chunks(ByteView bytes, ParsedBlock& block) {
  std::string payload;
  std::uint32_t total = 1;
  for (std::uint32_t index = 0; index < total; ++index) {
    require(bytes.size() >= kChunkSize, "short chunk");
    const ByteView chunk = bytes.first(kChunkSize);
    const ChunkHeader header = parse_chunk_header(chunk);
    require(index == 0 || (header.magic == block.magic && header.total == total), "chunk differs");
    block.magic = header.magic;
    total = header.total;
    require(total >= 1 && header.index == index && header.flag == 0, "chunk sequence");
    require(header.size == kChunkPayload || (index + 1 == total && header.size < kChunkPayload),
            "chunk not full");
    require(chunk_crc(chunk, header) == header.crc, "chunk crc");
    payload += as_text(chunk.subspan(kChunkHeaderSize, header.size));
    const std::string_view padding = as_text(chunk.subspan(kChunkHeaderSize + header.size));
    for (std::size_t i = 0; i < padding.size(); ++i) {
      require(padding[i] == "\xde\xad\xbe\xef"[i % 4], "padding");
    }
    bytes = bytes.subspan(kChunkSize);
  }
  block.length = std::uint64_t{total} * kChunkSize;
  return payload;
}

// `transformers`: of a file without a header block.
inline ParsedFile parse_v2(std::string_view content, std::vector<std::string> transformers = {}) {
  ParsedFile file;
  file.transformers = std::move(transformers);
  std::uint64_t at = 0;
  while (at < content.size()) {
    ParsedBlock block;
    block.offset = at;
    std::string payload = join_chunks(as_bytes(content.substr(at)), block);
    require(!file.trailer, "block behind the trailer");
    require(block.magic != Magic::Header || at == 0, "second header");
    if (block.magic != Magic::Header) {
      payload = undone(file.transformers, payload);
    }
    const TableCheck table = check_table(as_bytes(payload), payload.size());
    require(!table.fault && !table.overlong, "table");
    block.items = table_items(as_bytes(payload), table);
    at += block.length;
    if (block.magic == Magic::Header) {
      require(block.items.size() == 1, "header items");
      HeaderList list = parse_header_list(as_bytes(block.items[0]), 16);
      require(!list.fault && list.surplus == 0, "header list");
      file.header = std::move(list.entries);
      file.transformers = std::move(list.transformers);
      file.promises_trailer = list.trailer;
    } else if (block.magic == Magic::Trailer) {
      require(block.items.size() == 1, "trailer items");
      file.trailer = block.items[0];
    } else {
      require(!block.items.empty(), "block without items");
      file.blocks.push_back(std::move(block));
    }
  }
  return file;
}

inline ParsedFile parse_legacy(std::string_view content,
                               std::vector<std::string> transformers = {}) {
  ParsedFile file;
  file.transformers = std::move(transformers);
  std::uint64_t at = 0;
  while (at < content.size()) {
    require(content.size() - at >= kLegacyHeaderSize, "short header");
    const LegacyHeader header = parse_legacy_header(as_bytes(content.substr(at)));
    require(header.magic != Magic::None && header.crc_fits, "header crc");
    const std::string_view payload = content.substr(at + kLegacyHeaderSize, header.length);
    require(payload.size() == header.length, "short record");
    ParsedBlock block{at, kLegacyHeaderSize + header.length, header.magic, {}};
    if (header.magic == Magic::LegacyPlain) {
      block.items.emplace_back(payload);
    } else {
      const PackedTable packed = check_packed_table(as_bytes(payload));
      require(!packed.fault && packed.table.count > 0, "packed table");
      const std::string whole = std::string(payload.substr(0, packed.table.items_at)) +
                                undone(file.transformers, payload.substr(packed.table.items_at));
      require(whole.size() == packed.table.items_at + packed.table.items_size, "items size");
      // Sizes and items without the CRC, as item_range() wants them.
      const ByteView behind = as_bytes(whole).subspan(4);
      block.items = table_items(behind, check_table(behind, behind.size()));
    }
    at += block.length;
    file.blocks.push_back(std::move(block));
  }
  return file;
}

inline Writer writer_to(ByteSink& sink, WriterOptions options = {}) {
  auto writer = Writer::create(sink, std::move(options));
  require(writer.has_value(), "create");
  return std::move(*writer);
}

inline void append_all(Writer& writer, const std::vector<std::string>& items) {
  for (const std::string& item : items) {
    require(writer.append(as_bytes(item)).has_value(), "append");
  }
}

inline std::string written(const std::vector<std::string>& items, WriterOptions options = {},
                           const std::optional<std::string>& trailer = std::nullopt) {
  MemorySink sink;
  options.trailer = options.trailer || trailer.has_value();
  Writer writer = writer_to(sink, std::move(options));
  append_all(writer, items);
  const Status done = trailer ? writer.finish(as_bytes(*trailer)) : writer.finish();
  require(done.has_value(), "finish");
  return sink.content;
}

inline std::string random_bytes(std::mt19937_64& random, std::size_t size) {
  std::string bytes(size, '\0');
  std::ranges::generate(bytes, [&] { return static_cast<char>(random() & 0x3f); });
  return bytes;
}

// Items of mixed sizes: empty, small, around a chunk, and a few large.
inline std::vector<std::string> random_items(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<std::string> items;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bounds[] = {1, 20, 200, 5000, 40000};
    items.push_back(random_bytes(random, random() % bounds[random() % 5]));
  }
  return items;
}

}  // namespace fonds::recordio
