// Reads the records of an archive one after the other, for those who write them anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <fonds/error.hpp>
#include <fonds/format.hpp>
#include <fonds/writing.hpp>

#include "format/warc/reading/record.hpp"

namespace fonds::warc {

class Pass {
 public:
  // `archive` and `options` must outlive the pass. `http`: parse the heads of responses. Errors:
  // those of opening.
  static Result<Pass> open(const Archive& archive, const RewriteOptions& options,
                           bool http = false);

  // The next record, or nullptr at the end; it lives until the next call. Errors: those of reading;
  // Corrupt at damage, unless options.skip_damaged.
  Result<const WarcRecord*> next();
  // Of the record in hand, for its block.
  RecordReader& reader() { return *reader_; }
  // Passes over what is left of the record in hand. Errors: as next().
  Result<RecordEnd> finish();
  const Archive& archive() const { return *archive_; }
  // Decompressed octets from the start of the archive to the record in hand, as far as they could
  // be read.
  std::uint64_t decoded_offset() const { return decoded_offset_; }

 private:
  Pass(const Archive& archive, const RewriteOptions& options, std::unique_ptr<RecordReader> reader)
      : archive_(&archive), options_(&options), reader_(std::move(reader)) {}

  const Archive* archive_;
  const RewriteOptions* options_;
  std::unique_ptr<RecordReader> reader_;
  std::uint64_t decoded_offset_ = 0;
  std::size_t header_ = 0;  // octets of the record in hand's
  std::uint64_t told_ = 0;  // the last stored position that progress was told of
};

}  // namespace fonds::warc
