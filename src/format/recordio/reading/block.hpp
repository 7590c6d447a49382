// One stored block: the chunks of v2, or a legacy record, looked at where they lie.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/formats/recordio.hpp>

#include "format/recordio/reading/grammar.hpp"
#include "io/window.hpp"

namespace fonds::recordio {

// What the beginning of a file is (docs/formats/recordio.md, "Recognizing a file").
enum class Kind : std::uint8_t { None, V2, V2WithoutHeader, Legacy };
Kind probe_kind(ByteView head) noexcept;

struct StoredBlock {
  enum class Kind : std::uint8_t { Header, Body, Trailer, LegacyPlain, LegacyPacked };
  Kind kind = Kind::Body;
  ByteRange stored;
  std::vector<ByteView>
      pieces;  // the payload: a chunk each (v2), or one; they live as the window's
  std::uint64_t payload_size = 0;
  bool flagged = false;   // a chunk's flag is not zero
  bool not_full = false;  // a chunk before the last has less payload than it could
};

struct BlockLimits {
  std::uint64_t max_block = std::uint64_t{512} << 20;  // stored
  // Larger blocks are fine if they need not be held: body blocks of mapped v2 files.
  bool large_views = false;
};

// What stands at a place.
struct Examined {
  enum class State : std::uint8_t {
    Good,
    Damaged,
    TooLarge,  // good as far as can be seen, but over the limit; `length` is what it takes
    End
  } state = State::End;
  Fault fault;               // if Damaged or TooLarge
  std::uint64_t length = 0;  // stored bytes that the block claims, as far as the file has them
  std::uint64_t resume = kChunkSize;  // v2: no block of the grid begins before so many bytes
};

// Looks at the v2 block at `offset`: every chunk's magic, size, CRC, index and total. `end` is the
// size of the source where it is known. Errors: Io.
Result<Examined> examine_block(Window& window, std::uint64_t offset,
                               std::optional<std::uint64_t> end, const BlockLimits& limits,
                               StoredBlock& out);
// Looks at the legacy record at `offset`: magic, CRC of the length, and whether the payload is
// there. Errors: Io.
Result<Examined> examine_record(Window& window, std::uint64_t offset,
                                std::optional<std::uint64_t> end, const BlockLimits& limits,
                                StoredBlock& out);

// Whether the chunk at the start of `bytes` begins a block and is good in itself.
bool begins_block(ByteView bytes) noexcept;
// Whether the chunk at the start of `bytes` is good in itself, the first of its block or not.
bool is_good_chunk(ByteView bytes) noexcept;
// Whether a legacy record with a right header begins at the start of `bytes`, and fits into the
// `left` bytes that are there from its start on.
bool begins_record(ByteView bytes, std::uint64_t left, std::uint64_t max_length) noexcept;

}  // namespace fonds::recordio
