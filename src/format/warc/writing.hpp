// Making WARC and ARC files.
#pragma once

#include <memory>
#include <string>

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
  // Errors: also Unsupported for a pipe, which cannot be read twice.
  Result<RewriteReport> split(const Archive& archive, const NextPart& next_part,
                              const SplitOptions& options) const override;
  std::string part_ending(const Archive& archive, const SplitOptions& options) const override;
};

}  // namespace fonds::warc
