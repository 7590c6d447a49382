// What lies in the bytes of a RecordIO file: pure functions between octets and structs. Facts:
// docs/formats/recordio.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>
#include <fonds/formats/recordio.hpp>

namespace fonds::recordio {

inline constexpr std::size_t kChunkSize = 32768;
inline constexpr std::size_t kChunkHeaderSize = 28;
inline constexpr std::size_t kChunkPayload = kChunkSize - kChunkHeaderSize;  // 32740
inline constexpr std::size_t kLegacyHeaderSize = 20;
inline constexpr std::size_t kMagicSize = 8;

// Packed: chunks of a v2 body block, and legacy packed records.
enum class Magic : std::uint8_t { None, Header, Packed, Trailer, LegacyPlain };
// The magic that the first eight of `bytes` are; None also if there are fewer.
Magic parse_magic(ByteView bytes) noexcept;
std::string_view magic_bytes(Magic magic) noexcept;  // eight bytes; not for None

// ---- varints ----

struct Varint {
  enum class State : std::uint8_t { Good, Overlong, Cut, TooLong } state = State::Cut;
  std::uint64_t value = 0;
  std::size_t length = 0;  // bytes taken
};
// A base-128 varint at the start of `bytes`. Overlong: good, but longer than needed. Cut: the bytes
// end before it does. TooLong: it does not end within ten bytes, or the tenth is above 1.
Varint parse_varint(ByteView bytes) noexcept;
std::size_t varint_size(std::uint64_t value) noexcept;
void emit_varint(std::uint64_t value, Buffer& out);

// ---- v2: chunks ----

struct ChunkHeader {
  Magic magic = Magic::None;
  std::uint32_t crc = 0, flag = 0, size = 0, total = 0, index = 0;
};
ChunkHeader parse_chunk_header(ByteView bytes) noexcept;  // at least kChunkHeaderSize of them
// CRC-32 (IEEE) of flag, size, total, index and payload. `chunk` has a good header.size.
std::uint32_t chunk_crc(ByteView chunk, const ChunkHeader& header) noexcept;
// Appends the chunks of a block with this payload, padded as the Go library pads.
void emit_block(Magic magic, ByteView payload, Buffer& out);
std::uint64_t chunks_of(std::uint64_t payload_size) noexcept;  // at least 1

// ---- faults ----

// A defect of a block or record: a code of the list of findings, and what was seen.
struct Fault {
  std::string_view code;
  std::string message;
};

// ---- block table: count, sizes (v2 block payloads; also the table of legacy packed records) ----

struct TableCheck {
  std::uint64_t count = 0;
  std::size_t sizes_at = 0;      // where the first size is
  std::size_t items_at = 0;      // where the first item begins
  std::uint64_t items_size = 0;  // sum of the sizes
  bool overlong = false;         // a varint was longer than needed
  std::optional<Fault> fault;    // item-count, varint-cut, varint-long, block-size-mismatch
};
// Reads the table at the start of `bytes`, which hold the table to its end if the block is good.
// `content_size` is the size of the whole content (table and items) of which `bytes` is the
// beginning; nothing if it is not known (transformed legacy records, whose items are not checked
// against anything). Never allocates.
TableCheck check_table(ByteView bytes, std::optional<std::uint64_t> content_size) noexcept;
// The place of item `number` (< count) of a table that was good: offset from the table's start.
ByteRange item_range(ByteView bytes, const TableCheck& table, std::uint64_t number) noexcept;
// Appends count and sizes.
void emit_table(const std::vector<std::uint64_t>& sizes, Buffer& out);

// ---- v2: header block ----

inline constexpr std::string_view kTransformerKey = "transformer";
inline constexpr std::string_view kTrailerKey = "trailer";

struct HeaderList {
  std::vector<HeaderEntry> entries;  // up to the fault
  std::vector<std::string> transformers;
  bool trailer = false;     // a trailer block is promised
  std::size_t surplus = 0;  // bytes behind the entries
  bool overlong = false;
  std::optional<Fault> fault;  // header-damaged, transformer-not-string
};
// Parses the item of a header block. At most `max_transformers` transformer entries (fault
// limit-exceeded).
HeaderList parse_header_list(ByteView item, std::size_t max_transformers);
void emit_header_list(const std::vector<HeaderEntry>& entries, Buffer& out);
// Appends the chunks of the header block with these entries.
void emit_header_block(const std::vector<HeaderEntry>& entries, Buffer& out);
// "int64", "uint64", "bool", "string", as the JSON names them; and the value as text.
std::string_view type_name(const Value& value) noexcept;
std::string value_text(const Value& value);
// The text, its octets that are not UTF-8 as \xNN.
std::string shown(std::string_view text);
// The entries without what the layout itself says: transformers, promised trailer.
std::vector<HeaderEntry> free_entries(std::span<const HeaderEntry> entries);

// ---- legacy ----

struct LegacyHeader {
  Magic magic = Magic::None;  // LegacyPlain or Packed, else no legacy record
  std::uint64_t length = 0;   // of the payload
  bool crc_fits = false;
};
LegacyHeader parse_legacy_header(ByteView bytes) noexcept;  // at least kLegacyHeaderSize
void emit_legacy_header(Magic magic, std::uint64_t length, Buffer& out);
// The payload of a packed record without its items: CRC and table.
void emit_packed_table(const std::vector<std::uint64_t>& sizes, Buffer& out);
struct PackedTable {
  TableCheck table;  // offsets count from the payload's start (the CRC is before the table)
  std::optional<Fault> fault;  // record-table-crc and those of the table
};
PackedTable check_packed_table(ByteView payload) noexcept;

}  // namespace fonds::recordio
