// Whether the records that were written are those that were read: a digest of each, before and
// after.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fonds/byte_sink.hpp>
#include <fonds/format.hpp>
#include <fonds/reader.hpp>

#include "base/digest.hpp"

namespace fonds::ops {

// The first 16 octets of SHA-256.
using RecordDigest = std::array<std::byte, 16>;

// A reader of whose current record all that is consumed of the block is hashed.
class DigestingReader final : public RecordReader {
 public:
  // `reader` must outlive this. With `headers` the digest covers the header's octets too.
  DigestingReader(RecordReader& reader, bool headers) : reader_(reader), headers_(headers) {}

  // For a record that `reader` has come to by itself; next() does so of its own.
  void begin(const Record& record);
  Result<Record*> next() override;
  Result<ByteView> peek_block(std::size_t at_least) override;
  void consume_block(std::size_t n) override;
  // Hashes what is left of the block, then as the reader does.
  Result<RecordEnd> finish() override;
  std::vector<Finding> take_loose_findings() override { return reader_.take_loose_findings(); }
  Place end_place() const override { return reader_.end_place(); }
  std::string state() const override { return reader_.state(); }
  std::uint64_t stored_position() const override { return reader_.stored_position(); }

  // Of the last record, after finish().
  RecordDigest digest();

 private:
  RecordReader& reader_;
  bool headers_;
  Hasher hasher_ = Hasher(DigestAlgorithm::Sha256);
  ByteView shown_;
};

// Reads what lies in the sink and looks for the records with these digests, in their order; others
// may stand between them. Errors: Corrupt for the first that is not there, or for damage; those of
// reading; Unsupported if the sink cannot be read.
Status check_written(const ByteSink& sink, std::string_view format, bool headers,
                     const std::vector<RecordDigest>& expected, const ReadOptions& options);

}  // namespace fonds::ops
