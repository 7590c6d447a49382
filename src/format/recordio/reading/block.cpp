#include "format/recordio/reading/block.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/core.h>

namespace fonds::recordio {
namespace {

bool is_v2(Magic magic) {
  return magic == Magic::Header || magic == Magic::Packed || magic == Magic::Trailer;
}

StoredBlock::Kind kind_of(Magic magic) {
  switch (magic) {
    case Magic::Header:
      return StoredBlock::Kind::Header;
    case Magic::Trailer:
      return StoredBlock::Kind::Trailer;
    default:
      return StoredBlock::Kind::Body;
  }
}

Examined damaged(std::string_view code, std::string message, std::uint64_t length,
                 std::uint64_t resume = kChunkSize) {
  return {Examined::State::Damaged, {code, std::move(message)}, length, resume};
}

// What is wrong with a chunk in itself: magic, size, CRC.
std::optional<Fault> chunk_fault(ByteView chunk, const ChunkHeader& header, std::uint64_t number) {
  if (!is_v2(header.magic)) {
    return Fault{"chunk-magic",
                 fmt::format("unknown magic: chunk {} begins with none of a v2 file", number)};
  }
  if (header.size > kChunkPayload) {
    return Fault{"chunk-size", fmt::format("chunk size: chunk {} claims {} bytes, at most {} fit",
                                           number, header.size, kChunkPayload)};
  }
  if (const std::uint32_t crc = chunk_crc(chunk, header); crc != header.crc) {
    return Fault{"chunk-crc", fmt::format("chunk crc: chunk {} has {:08x}, its header says {:08x}",
                                          number, crc, header.crc)};
  }
  return std::nullopt;
}

// What is wrong with a chunk that should be number `index` of the block that `first` begins.
std::optional<Fault> sequence_fault(const ChunkHeader& first, const ChunkHeader& chunk,
                                    std::uint32_t index) {
  if (chunk.magic != first.magic) {
    return Fault{
        "chunk-sequence",
        fmt::format("chunk sequence: chunk {} has the magic of another kind of block", index)};
  }
  if (chunk.total != first.total || chunk.index != index) {
    return Fault{"chunk-sequence",
                 fmt::format("chunk sequence: chunk {} of {} says that it is {} of {}", index,
                             first.total, chunk.index, chunk.total)};
  }
  return std::nullopt;
}

Fault first_fault(const ChunkHeader& header) {
  if (header.index != 0) {
    return {"not-a-block-start", fmt::format("not a block start: the chunk is number {} of {}",
                                             header.index, header.total)};
  }
  return {"chunk-total", "total 0: the block claims to have no chunks"};
}

}  // namespace

Kind probe_kind(ByteView head) noexcept {
  switch (parse_magic(head)) {
    case Magic::Header:
      return Kind::V2;
    case Magic::LegacyPlain:
      return head.size() >= kLegacyHeaderSize && parse_legacy_header(head).crc_fits ? Kind::Legacy
                                                                                    : Kind::None;
    case Magic::Packed:
      if (head.size() >= kLegacyHeaderSize && parse_legacy_header(head).crc_fits) {
        return Kind::Legacy;
      }
      [[fallthrough]];
    case Magic::Trailer:
      return begins_block(head) ? Kind::V2WithoutHeader : Kind::None;
    case Magic::None:
      break;
  }
  return Kind::None;
}

bool is_good_chunk(ByteView bytes) noexcept {
  if (bytes.size() < kChunkSize) {
    return false;
  }
  const ChunkHeader header = parse_chunk_header(bytes);
  return is_v2(header.magic) && header.size <= kChunkPayload && header.index < header.total &&
         chunk_crc(bytes, header) == header.crc;
}

bool begins_block(ByteView bytes) noexcept {
  return bytes.size() >= kChunkSize && parse_chunk_header(bytes).index == 0 && is_good_chunk(bytes);
}

bool begins_record(ByteView bytes, std::uint64_t left, std::uint64_t max_length) noexcept {
  if (bytes.size() < kLegacyHeaderSize) {
    return false;
  }
  const LegacyHeader header = parse_legacy_header(bytes);
  return header.magic != Magic::None && header.crc_fits && header.length <= max_length &&
         header.length <= left - kLegacyHeaderSize;
}

Result<Examined> examine_block(Window& window, std::uint64_t offset,
                               std::optional<std::uint64_t> end, const BlockLimits& limits,
                               StoredBlock& out) {
  out.pieces.clear();
  out.payload_size = 0;
  out.flagged = out.not_full = false;
  FONDS_TRY(ByteView bytes, window.at(offset, kChunkSize));
  if (bytes.empty()) {
    return Examined{};
  }
  if (bytes.size() < kChunkSize) {
    return damaged(
        "short-chunk",
        fmt::format("short chunk: the file ends after {} of {} bytes", bytes.size(), kChunkSize),
        bytes.size());
  }
  const ChunkHeader first = parse_chunk_header(bytes);
  if (auto fault = chunk_fault(bytes, first, 0)) {
    return Examined{Examined::State::Damaged, std::move(*fault), kChunkSize};
  }
  if (first.index != 0 || first.total == 0) {
    return Examined{Examined::State::Damaged, first_fault(first), kChunkSize};
  }
  const std::uint64_t claimed = std::uint64_t{first.total} * kChunkSize;
  if (end && claimed > *end - offset) {
    return damaged("block-past-end",
                   fmt::format("block past end of file: {} chunks announced, {} are there",
                               first.total, (*end - offset) / kChunkSize),
                   *end - offset);
  }
  const bool hold = claimed <= limits.max_block ||
                    (limits.large_views && kind_of(first.magic) == StoredBlock::Kind::Body);
  out.kind = kind_of(first.magic);
  out.stored = {offset, claimed};
  if (hold && !window.mapped()) {
    // All chunks at once: the pieces must live together.
    FONDS_TRY(bytes, window.at(offset, static_cast<std::size_t>(claimed)));
  }
  for (std::uint32_t index = 0; index < first.total; ++index) {
    const std::uint64_t at = std::uint64_t{index} * kChunkSize;
    ByteView chunk;
    if (hold) {
      chunk = bytes.subspan(std::min<std::uint64_t>(at, bytes.size()));
    } else {
      FONDS_TRY(chunk, window.at(offset + at, kChunkSize));
    }
    if (chunk.size() < kChunkSize) {
      return damaged("block-past-end",
                     fmt::format("block past end of file: {} chunks announced, {} are there",
                                 first.total, index),
                     at + chunk.size(), std::max<std::uint64_t>(at, kChunkSize));
    }
    const ChunkHeader header = index == 0 ? first : parse_chunk_header(chunk);
    if (index > 0) {
      auto fault = chunk_fault(chunk, header, index);
      if (!fault) {
        fault = sequence_fault(first, header, index);
      }
      if (fault) {
        return Examined{Examined::State::Damaged, std::move(*fault), at + kChunkSize, at};
      }
    }
    out.flagged |= header.flag != 0;
    out.not_full |= index + 1 < first.total && header.size < kChunkPayload;
    out.payload_size += header.size;
    if (hold) {
      out.pieces.push_back(chunk.subspan(kChunkHeaderSize, header.size));
    } else {
      window.release(offset + at);
    }
  }
  if (!hold) {
    return Examined{Examined::State::TooLarge,
                    {"limit-exceeded", fmt::format("block of {} bytes, the limit is {} (--memory)",
                                                   claimed, limits.max_block)},
                    claimed};
  }
  return Examined{Examined::State::Good, {}, claimed};
}

Result<Examined> examine_record(Window& window, std::uint64_t offset,
                                std::optional<std::uint64_t> end, const BlockLimits& limits,
                                StoredBlock& out) {
  out.pieces.clear();
  out.flagged = out.not_full = false;
  FONDS_TRY(ByteView bytes, window.at(offset, kLegacyHeaderSize));
  if (bytes.empty()) {
    return Examined{};
  }
  if (bytes.size() < kLegacyHeaderSize) {
    return damaged("record-short-header",
                   fmt::format("short header: the file ends after {} of {} bytes", bytes.size(),
                               kLegacyHeaderSize),
                   bytes.size());
  }
  const LegacyHeader header = parse_legacy_header(bytes);
  if (!header.crc_fits) {
    return damaged("record-header-crc", "header crc: the length does not have the checksum it says",
                   kLegacyHeaderSize);
  }
  if (header.magic == Magic::None) {
    return damaged("chunk-magic", "unknown magic: no legacy record begins here", kLegacyHeaderSize);
  }
  const bool fits_file = !end || header.length <= *end - offset - kLegacyHeaderSize;
  if (header.length > limits.max_block && end && fits_file) {
    return Examined{Examined::State::TooLarge,
                    {"limit-exceeded", fmt::format("record of {} bytes, the limit is {}",
                                                   header.length, limits.max_block)},
                    kLegacyHeaderSize + header.length};
  }
  if (header.length > limits.max_block) {
    return damaged("record-too-large",
                   fmt::format("too large: the record claims {} bytes, the limit is {}",
                               header.length, limits.max_block),
                   kLegacyHeaderSize);
  }
  const std::uint64_t whole = kLegacyHeaderSize + header.length;
  if (fits_file) {
    FONDS_TRY(bytes, window.at(offset, static_cast<std::size_t>(whole)));
  }
  if (bytes.size() < whole) {
    const std::uint64_t there = end ? *end - offset : bytes.size();
    return damaged("record-cut",
                   fmt::format("short record: the file ends after {} of {} bytes", there, whole),
                   there);
  }
  out.kind = header.magic == Magic::LegacyPlain ? StoredBlock::Kind::LegacyPlain
                                                : StoredBlock::Kind::LegacyPacked;
  out.stored = {offset, whole};
  out.payload_size = header.length;
  out.pieces.push_back(bytes.subspan(kLegacyHeaderSize, static_cast<std::size_t>(header.length)));
  return Examined{Examined::State::Good, {}, whole};
}

}  // namespace fonds::recordio
