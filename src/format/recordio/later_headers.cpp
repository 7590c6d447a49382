#include "format/recordio/later_headers.hpp"

#include <optional>
#include <utility>

#include "format/recordio/items.hpp"

namespace fonds::recordio {
namespace {

// What the header block in `chunks` says; nothing if it is damaged.
std::optional<HeaderList> parse(ByteView chunks, std::size_t max_transformers) {
  std::vector<ByteView> pieces;
  std::uint64_t size = 0;
  for (std::size_t at = 0; at + kChunkSize <= chunks.size(); at += kChunkSize) {
    const ByteView chunk = chunks.subspan(at, kChunkSize);
    const ChunkHeader header = parse_chunk_header(chunk);
    if (header.size > kChunkPayload || chunk_crc(chunk, header) != header.crc) {
      return std::nullopt;
    }
    pieces.push_back(chunk.subspan(kChunkHeaderSize, header.size));
    size += header.size;
  }
  Items items;
  if (items.set_block(pieces, size) || !items.next()) {
    return std::nullopt;
  }
  HeaderList list = parse_header_list(items.whole(), max_transformers);
  if (list.fault) {
    return std::nullopt;
  }
  return list;
}

}  // namespace

Status LaterHeaders::scan_up_to(ByteSource& source, std::uint64_t offset,
                                const ReaderOptions& options) {
  const auto stored = source.view();
  while (stored && scanned_ < offset && scanned_ + kChunkSize <= stored->size()) {
    const ByteView rest = stored->subspan(static_cast<std::size_t>(scanned_));
    const ChunkHeader header = parse_chunk_header(rest);
    const std::uint64_t length = std::uint64_t{header.total} * kChunkSize;
    const bool begins = header.magic != Magic::None && header.magic != Magic::LegacyPlain &&
                        header.index == 0 && header.total > 0 && length <= rest.size();
    if (begins && header.magic == Magic::Header && scanned_ > 0 && length <= options.max_header) {
      if (auto list =
              parse(rest.first(static_cast<std::size_t>(length)), options.max_transformers)) {
        Transformation transformation{list->transformers};
        found_.push_back({scanned_, std::move(*list), std::move(transformation)});
      }
    }
    scanned_ += begins ? length : kChunkSize;
  }
  return {};
}

const LaterHeaders::Header* LaterHeaders::before(std::uint64_t offset) const {
  const Header* best = nullptr;
  for (const Header& header : found_) {
    if (header.offset <= offset) {
      best = &header;
    }
  }
  return best;
}

}  // namespace fonds::recordio
