// The stored bytes of single records, for those who copy them as they are.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/format.hpp>
#include <fonds/reader.hpp>

#include "format/warc/rewriting/split_output.hpp"

namespace fonds::warc {

// The dictionary frame with which a zstd archive begins, as stored; empty if it has none.
ByteView stored_dictionary(ByteView archive);

// The units of a record that begins at `unit` and takes `stored_length` bytes up to the next one.
// Zstd: with the size prefix before it, and without what is not its own: the prefix of the next
// record, a seek table. Nothing if the bytes cannot stand in another file: zstd frames that are
// damaged or of another dictionary than `dictionary_id`.
std::optional<ByteRange> record_units(ByteView archive, std::string_view codec, std::uint64_t unit,
                                      std::uint64_t stored_length,
                                      std::optional<std::uint32_t> dictionary_id);

// Reads the block of one record again, forwards and, at a price, backwards.
class BlockCursor {
 public:
  // All must outlive this. `header` are the octets of the record's header.
  BlockCursor(const Archive& archive, const ReadOptions& options, const SplitRecord& record,
              ByteView header)
      : archive_(&archive), options_(&options), record_(&record), header_(header) {}

  // Another one for the same record.
  BlockCursor another() const { return {*archive_, *options_, *record_, header_}; }

  // Goes to this octet of the block. Errors: those of reading; Io if another record is there now.
  Status seek(std::uint64_t offset);
  // At least one octet from here, `most` at most; empty at the end. Lives until the next call.
  Result<ByteView> peek(std::size_t most);
  // As much as there is, up to `wanted` octets.
  Result<ByteView> window(std::size_t wanted);
  void consume(std::size_t n);
  std::uint64_t offset() const { return offset_; }
  // The record itself, after a seek().
  const WarcRecord& record() const { return *found_; }

 private:
  Status open();

  const Archive* archive_;
  const ReadOptions* options_;
  const SplitRecord* record_;
  ByteView header_;
  std::unique_ptr<RecordReader> reader_;
  const WarcRecord* found_ = nullptr;
  std::uint64_t offset_ = 0;
};

}  // namespace fonds::warc
