#include "format/recordio/reading/trailer.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "format/recordio/reading/block.hpp"
#include "format/recordio/reading/grammar.hpp"
#include "format/recordio/reading/items.hpp"
#include "format/recordio/reading/later_headers.hpp"
#include "format/recordio/reading/walk.hpp"
#include "io/will_read.hpp"

namespace fonds::recordio {
namespace {

// Where the trailer begins whose last chunk is the last of the file.
Result<std::optional<std::uint64_t>> trailer_start(ByteSource& source, std::uint64_t size) {
  if (size < 2 * kChunkSize) {
    return std::nullopt;
  }
  std::array<std::byte, kChunkSize> chunk;
  FONDS_TRY(const std::size_t n, source.read_at(size - kChunkSize, chunk));
  if (n < kChunkSize) {
    return std::nullopt;
  }
  const ChunkHeader header = parse_chunk_header(chunk);
  const bool good = header.magic == Magic::Trailer && header.size <= kChunkPayload &&
                    header.index < header.total && header.index + 1 == header.total &&
                    chunk_crc(chunk, header) == header.crc;
  const std::uint64_t length = (std::uint64_t{header.index} + 1) * kChunkSize;
  if (!good || length > size - kChunkSize) {
    return std::nullopt;
  }
  return size - length;
}

// The last trailer block behind the header, wherever it lies.
Result<std::optional<std::uint64_t>> last_trailer(const std::shared_ptr<ByteSource>& source,
                                                  const BlockLimits& limits) {
  BlockWalk walk(source, {.search_bytes = false, .limits = limits});
  std::optional<std::uint64_t> found;
  while (true) {
    FONDS_TRY(const BlockWalk::Step step, walk.next());
    if (step == BlockWalk::Step::End) {
      return found;
    }
    if (step == BlockWalk::Step::Block && walk.block().kind == StoredBlock::Kind::Trailer) {
      found = walk.block().stored.offset;
    }
  }
}

}  // namespace

Result<bool> read_trailer(const std::shared_ptr<ByteSource>& source,
                          const Transformation& transformation, bool promised,
                          const ReaderOptions& options, Buffer& out) {
  if (!source->random_access()) {
    return fail(ErrorCode::Unsupported, "the trailer of a pipe cannot be looked up from its end",
                {.source = source->name()});
  }
  const BlockLimits limits = {
      .max_block = std::min({options.max_block, options.max_trailer, options.memory_budget / 2})};
  FONDS_TRY(const std::uint64_t size, source->size());
  // Most are no longer.
  constexpr std::uint64_t kTail = 2 * kChunkSize;
  fonds::will_read(*source, {size - std::min(size, kTail), kTail});
  FONDS_TRY(std::optional<std::uint64_t> start, trailer_start(*source, size));
  if (!start && promised) {
    FONDS_TRY(start, last_trailer(source, limits));
  }
  if (!start) {
    return false;
  }
  fonds::will_read(*source, {*start, size - *start});
  Window window(source);
  window.release(*start);
  StoredBlock block;
  const fonds::Location where = {.source = source->name(), .stored_offset = *start};
  FONDS_TRY(const Examined seen, examine_block(window, *start, size, limits, block));
  if (seen.state != Examined::State::Good) {
    return fail(
        seen.state == Examined::State::TooLarge ? ErrorCode::LimitExceeded : ErrorCode::Corrupt,
        "trailer: " + seen.fault.message, where);
  }
  // Of files put together it is the last one's, transformed as that one's header says.
  LaterHeaders headers;
  if (options.concatenated) {
    FONDS_CHECK(headers.scan_up_to(source, *start, options));
  }
  const LaterHeaders::Header* const own = headers.before(*start);
  BlockDecoder decoder;
  Items items;
  Buffer content;
  if (const auto fault = decoder.decode(block, own != nullptr ? own->transformation : transformation,
                                        limits.max_block, content, items)) {
    return fail(fault->code == "limit-exceeded" ? ErrorCode::LimitExceeded : ErrorCode::Corrupt,
                "trailer: " + fault->message, where);
  }
  if (!items.next()) {
    return fail(ErrorCode::Corrupt, "trailer: it has no item", where);
  }
  out.clear();
  out.append(items.whole());
  return true;
}

}  // namespace fonds::recordio
