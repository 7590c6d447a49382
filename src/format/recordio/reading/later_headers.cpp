#include "format/recordio/reading/later_headers.hpp"

#include <utility>

#include "format/recordio/reading/block.hpp"
#include "io/window.hpp"

namespace fonds::recordio {

Status LaterHeaders::scan_up_to(const std::shared_ptr<ByteSource>& source, std::uint64_t offset,
                                const ReaderOptions& options) {
  Window window(source);
  if (!window.goes_back()) {
    return {};
  }
  FONDS_TRY(const std::uint64_t size, window.size());
  while (scanned_ < offset && scanned_ + kChunkSize <= size) {
    window.release(scanned_);
    FONDS_TRY(const ByteView bytes, window.at(scanned_, kChunkHeaderSize));
    const ChunkHeader header = parse_chunk_header(bytes);
    const std::uint64_t length = std::uint64_t{header.total} * kChunkSize;
    const bool begins = header.magic != Magic::None && header.magic != Magic::LegacyPlain &&
                        header.index == 0 && header.total > 0 && length <= size - scanned_;
    if (begins && header.magic == Magic::Header && scanned_ > 0) {
      FONDS_CHECK(take(source, options));
    }
    scanned_ += begins ? length : kChunkSize;
  }
  return {};
}

// The header block at scanned_, unless it is damaged.
Status LaterHeaders::take(const std::shared_ptr<ByteSource>& source, const ReaderOptions& options) {
  Window window(source);
  StoredBlock block;
  FONDS_TRY(const std::uint64_t size, source->size());
  FONDS_TRY(const Examined seen,
            examine_block(window, scanned_, size, {.max_block = options.max_header}, block));
  BlockDecoder decoder;
  HeaderList list;
  if (seen.state == Examined::State::Good &&
      !decoder.parse_header(block, {options.max_header, options.max_transformers}, list)) {
    Transformation transformation{list.transformers};
    found_.push_back({scanned_, std::move(list), std::move(transformation)});
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
