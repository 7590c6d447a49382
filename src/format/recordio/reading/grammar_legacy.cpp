#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include <fmt/core.h>
#include <libdeflate.h>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>

#include "base/bytes.hpp"
#include "format/recordio/reading/grammar.hpp"

namespace fonds::recordio {
namespace {

constexpr std::size_t kCrcSize = 4;

std::uint32_t crc32(ByteView bytes) { return libdeflate_crc32(0, bytes.data(), bytes.size()); }

void append_le(std::uint64_t value, unsigned octets, Buffer& out) {
  for (unsigned i = 0; i < octets; ++i) {
    out.push_back(static_cast<std::byte>(value >> (8 * i) & 0xFF));
  }
}

}  // namespace

LegacyHeader parse_legacy_header(ByteView bytes) noexcept {
  LegacyHeader header;
  const Magic magic = parse_magic(bytes);
  if (magic == Magic::LegacyPlain || magic == Magic::Packed) {
    header.magic = magic;
  }
  header.length = load_le64(bytes.subspan(kMagicSize));
  header.crc_fits = crc32(bytes.subspan(kMagicSize, 8)) == load_le32(bytes.subspan(16));
  return header;
}

void emit_legacy_header(Magic magic, std::uint64_t length, Buffer& out) {
  out.append(as_bytes(magic_bytes(magic)));
  const std::size_t at = out.size();
  append_le(length, 8, out);
  append_le(crc32(out.view().subspan(at, 8)), 4, out);
}

void emit_packed_table(const std::vector<std::uint64_t>& sizes, Buffer& out) {
  const std::size_t at = out.size();
  append_le(0, kCrcSize, out);
  emit_table(sizes, out);
  const std::uint32_t crc = crc32(out.view().subspan(at + kCrcSize));
  for (unsigned i = 0; i < kCrcSize; ++i) {
    out.data()[at + i] = static_cast<std::byte>(crc >> (8 * i) & 0xFF);
  }
}

PackedTable check_packed_table(ByteView payload) noexcept {
  PackedTable packed;
  if (payload.size() < kCrcSize) {
    packed.fault = Fault{"varint-cut", fmt::format("varint past end: a packed record of {} bytes "
                                                   "has no room for the table's crc and the item "
                                                   "count",
                                                   payload.size())};
    packed.table.fault = packed.fault;
    return packed;
  }
  const ByteView behind = payload.subspan(kCrcSize);
  packed.table = check_table(behind, std::nullopt);
  packed.table.sizes_at += kCrcSize;
  packed.table.items_at += kCrcSize;
  packed.fault = packed.table.fault;
  if (!packed.fault) {
    const std::uint32_t stored = load_le32(payload);
    const std::uint32_t found = crc32(behind.first(packed.table.items_at - kCrcSize));
    if (stored != found) {
      packed.fault = Fault{"record-table-crc",
                           fmt::format("varint crc: the table has the CRC {:08x}, the record says "
                                       "{:08x}",
                                       found, stored)};
    }
  }
  return packed;
}

}  // namespace fonds::recordio
