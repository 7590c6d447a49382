// Making WARC and ARC files.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fonds/byte_sink.hpp>
#include <fonds/encoder.hpp>
#include <fonds/error.hpp>
#include <fonds/writing.hpp>

#include "format/warc/writing/conversion.hpp"

namespace fonds::warc {

class WarcWriting final : public FormatWriting {
 public:
  // Layouts: "" (each record as it is), "1.1", "1.0", "0.18", "00.11", "arc/1.1" or "arc". One
  // compression: none, gzip, zstd or lz4; gzip unless named. Errors: BadArgument for what is
  // unknown or has no meaning together.
  Result<std::unique_ptr<RecordWriter>> create(ByteSink& sink,
                                               const WriteOptions& options) const override;
  Result<std::unique_ptr<ItemMaker>> make_items(ByteSink& sink,
                                                const MakeOptions& options) const override;
  Result<std::unique_ptr<ItemMaker>> append_items(const Archive& archive, ByteSink& sink,
                                                  const MakeOptions& options) const override;
  Result<RewriteReport> dedup(std::span<const Archive> archives, ByteSink& sink,
                              const DedupOptions& options) const override;
  Result<RewriteReport> merge(std::span<const Archive> archives, ByteSink& sink,
                              const RewriteOptions& options) const override;
  // Errors: also Unsupported for a pipe, which cannot be read twice.
  Result<RewriteReport> split(const Archive& archive, const NextPart& next_part,
                              const SplitOptions& options) const override;
  std::string part_ending(const Archive& archive, const SplitOptions& options) const override;
  // See format/warc/rewriting/repair.hpp.
  Result<RewriteReport> repair(const Archive& archive, ByteSink& sink,
                               const RewriteOptions& options) const override;
};

// What a layout stands for; nothing for "". Errors: BadArgument for one that cannot be written.
Result<std::optional<Target>> parse_layout(std::string_view layout);
// How records are compressed. Errors: BadArgument for several compressions or no dictionary.
Result<EncodeOptions> encode_options(const WriteOptions& options);

}  // namespace fonds::warc
