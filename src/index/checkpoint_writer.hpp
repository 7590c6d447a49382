// Writes `.chk.lz4` files, one lz4 frame a chunk, as ir_datasets does and reads them best.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <fonds/byte_sink.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

namespace fonds::index {

// What one chunk says; see CheckpointHead and Checkpoint.
struct CheckpointEntry {
  std::string_view id;
  std::uint64_t document = 0;
  std::uint64_t stored_offset = 0;
  std::uint8_t bits = 0;
  std::uint8_t byte = 0;
  ByteView window = {};  // at most 32 KiB; zeros are put before a shorter one
  std::uint64_t skip = 0;
};

class CheckpointWriter {
 public:
  // `sink` must outlive the writer; committing it is the caller's.
  explicit CheckpointWriter(ByteSink& sink) : sink_(&sink) {}

  // Errors: BadArgument for what a chunk cannot say (an id that does not have 25 bytes, a number or
  // a distance above 32 bits, entries out of order); those of the sink. Nothing is written then.
  Status add(const CheckpointEntry& entry);
  // Writes the empty frame of a file without chunks. Errors: those of the sink.
  Status finish();

  std::uint64_t count() const { return count_; }

 private:
  ByteSink* sink_;
  std::uint64_t count_ = 0;
  std::uint64_t last_ = 0;  // stored_offset of the last chunk
};

}  // namespace fonds::index
