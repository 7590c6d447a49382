// Making WARC and ARC files.
#pragma once

#include <memory>

#include <fonds/byte_sink.hpp>
#include <fonds/error.hpp>
#include <fonds/writing.hpp>

namespace fonds::warc {

class WarcWriting final : public FormatWriting {
 public:
  // Layouts: "" (each record as it is), "1.1", "1.0", "0.18", "00.11", "arc/1.1" or "arc". One
  // compression: none, gzip, zstd or lz4; gzip unless named. Errors: BadArgument for what is
  // unknown or has no meaning together.
  Result<std::unique_ptr<RecordWriter>> create(ByteSink& sink,
                                               const WriteOptions& options) const override;
  // See format/warc/repair.hpp.
  Result<RewriteReport> repair(const Archive& archive, ByteSink& sink,
                               const RewriteOptions& options) const override;
};

}  // namespace fonds::warc
