// Files built chunk by chunk, and what reading gives of them, for the tests of the reader.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/buffer.hpp>
#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/finding.hpp>
#include <fonds/formats/recordio.hpp>

#include "format/recordio/reading/grammar.hpp"
#include "format/recordio/reading/transform.hpp"
#include "format/recordio/writing/writer_test_support.hpp"
#include "io/testing.hpp"

namespace fonds::recordio {

inline std::vector<std::byte> octets(std::string_view text) {
  const ByteView bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}
inline std::shared_ptr<ByteSource> in_memory(std::string_view file) {
  return memory_source(octets(file));
}
inline std::shared_ptr<ByteSource> as_pipe(std::string_view file, std::size_t step = 4096) {
  return std::make_shared<testing_io::Pipe>(octets(file), step);
}

// What a file that cannot be mapped is.
inline std::shared_ptr<ByteSource> unmapped(std::string_view file) {
  return std::make_shared<testing_io::Unmapped>(octets(file));
}

// ---- files ----

inline void put_le32(std::string& bytes, std::size_t at, std::uint32_t value) {
  for (unsigned i = 0; i < 4; ++i) {
    bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xFF);
  }
}
// Gives the chunk at `at` the CRC of what it holds now.
inline void fix_crc(std::string& file, std::size_t at) {
  const ByteView chunk = as_bytes(file).subspan(at, kChunkSize);
  ChunkHeader header = parse_chunk_header(chunk);
  header.size = std::min<std::uint32_t>(header.size, kChunkPayload);
  put_le32(file, at + 8, chunk_crc(chunk, header));
}
inline std::string chunk(Magic magic, std::string_view payload, std::uint32_t total,
                         std::uint32_t index, std::uint32_t flag = 0) {
  std::string bytes(magic_bytes(magic));
  bytes.resize(kChunkSize, '\x5a');
  put_le32(bytes, 12, flag);
  put_le32(bytes, 16, static_cast<std::uint32_t>(payload.size()));
  put_le32(bytes, 20, total);
  put_le32(bytes, 24, index);
  bytes.replace(kChunkHeaderSize, payload.size(), payload);
  fix_crc(bytes, 0);
  return bytes;
}
inline std::string text_of(const Buffer& buffer) { return std::string(as_text(buffer.view())); }
inline std::string block_of(Magic magic, std::string_view payload) {
  Buffer out;
  emit_block(magic, as_bytes(payload), out);
  return text_of(out);
}
inline std::string varint(std::uint64_t value) {
  Buffer out;
  emit_varint(value, out);
  return text_of(out);
}
inline std::string table_of(const std::vector<std::string>& items) {
  std::string table = varint(items.size());
  for (const std::string& item : items) {
    table += varint(item.size());
  }
  return table;
}
inline std::string content_of(const std::vector<std::string>& items) {
  std::string content = table_of(items);
  for (const std::string& item : items) {
    content += item;
  }
  return content;
}
inline std::string transformed(const std::vector<std::string>& transformers,
                               std::string_view content) {
  auto stack = Stack::make(transformers);
  require(stack.has_value(), "transformers");
  Buffer out;
  require(stack->apply(as_bytes(content), out).has_value(), "apply");
  return text_of(out);
}
inline std::string body(const std::vector<std::string>& items,
                        const std::vector<std::string>& transformers = {}) {
  return block_of(Magic::Packed, transformed(transformers, content_of(items)));
}
inline std::string trailer_block(const std::string& item,
                                 const std::vector<std::string>& transformers = {}) {
  return block_of(Magic::Trailer, transformed(transformers, content_of({item})));
}
inline std::string header_of(const std::vector<HeaderEntry>& entries) {
  Buffer list;
  emit_header_list(entries, list);
  return block_of(Magic::Header, content_of({text_of(list)}));
}
inline std::string header(const std::vector<std::string>& transformers = {},
                          bool promises_trailer = false) {
  std::vector<HeaderEntry> entries;
  for (const std::string& entry : transformers) {
    entries.push_back({std::string(kTransformerKey), entry});
  }
  if (promises_trailer) {
    entries.push_back({std::string(kTrailerKey), true});
  }
  return header_of(entries);
}
inline std::string plain_record(std::string_view item) {
  Buffer out;
  emit_legacy_header(Magic::LegacyPlain, item.size(), out);
  return text_of(out) + std::string(item);
}
inline std::string packed_payload(std::string_view payload) {
  Buffer out;
  emit_legacy_header(Magic::Packed, payload.size(), out);
  return text_of(out) + std::string(payload);
}
inline std::string packed_record(const std::vector<std::string>& items,
                                 const std::vector<std::string>& transformers = {}) {
  std::vector<std::uint64_t> sizes;
  std::string all;
  for (const std::string& item : items) {
    sizes.push_back(item.size());
    all += item;
  }
  Buffer table;
  emit_packed_table(sizes, table);
  return packed_payload(text_of(table) + transformed(transformers, all));
}

inline std::string hit(std::string file, std::size_t at) {
  file[at] = static_cast<char>(file[at] ^ 1);
  return file;
}

// ---- what reading gives ----

inline Reader opened(std::string_view file, ReaderOptions options = {}) {
  auto reader = Reader::open(in_memory(file), std::move(options));
  require(reader.has_value(), "open");
  return std::move(*reader);
}

struct ReadItem {
  std::uint64_t block = 0, number = 0;
  std::string text;
  friend bool operator==(const ReadItem&, const ReadItem&) = default;
};
inline void PrintTo(const ReadItem& item, std::ostream* out) {
  *out << item.block << "/" << item.number << " " << item.text.size() << " bytes "
       << item.text.substr(0, 20);
}

struct Outcome {
  std::vector<ReadItem> items;
  std::vector<std::string> findings;  // "code@offset"
  std::optional<ErrorCode> error;
  std::string message;
  std::optional<std::uint64_t> error_at;

  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const ReadItem& item : items) {
      all.push_back(item.text);
    }
    return all;
  }
};

inline std::string brief(const Finding& finding) {
  return fmt::format("{}@{}", finding.code, finding.where.stored_offset.value_or(9999999999));
}

inline void note_error(const Error& error, Outcome& outcome) {
  outcome.error = error.code();
  outcome.message = error.message();
  outcome.error_at = error.where().stored_offset;
}

inline void read_rest(Reader& reader, Outcome& outcome) {
  while (true) {
    const auto more = reader.next();
    if (!more) {
      note_error(more.error(), outcome);
      return;
    }
    if (!*more) {
      return;
    }
    const Location at = reader.location();
    outcome.items.push_back({at.block, at.item, std::string(as_text(reader.item()))});
  }
}

inline ReaderOptions telling(Outcome& outcome, ReaderOptions options) {
  options.on_finding = [&outcome](const Finding& finding) {
    outcome.findings.push_back(brief(finding));
  };
  return options;
}

// Ends at the first error.
inline Outcome read_strictly(std::shared_ptr<ByteSource> source, ReaderOptions options = {}) {
  Outcome outcome;
  auto reader = Reader::open(std::move(source), std::move(options));
  if (!reader) {
    note_error(reader.error(), outcome);
    return outcome;
  }
  read_rest(*reader, outcome);
  return outcome;
}
inline Outcome read_strictly(std::string_view file, ReaderOptions options = {}) {
  return read_strictly(in_memory(file), std::move(options));
}

// Goes on behind damage.
inline Outcome read_all(std::shared_ptr<ByteSource> source, ReaderOptions options = {}) {
  Outcome outcome;
  auto reader = Reader::open(std::move(source), telling(outcome, std::move(options)));
  if (!reader) {
    note_error(reader.error(), outcome);
    return outcome;
  }
  read_rest(*reader, outcome);
  return outcome;
}
inline Outcome read_all(std::string_view file, ReaderOptions options = {}) {
  return read_all(in_memory(file), std::move(options));
}

}  // namespace fonds::recordio
