// Making RecordIO files from records of any format.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <fonds/byte_sink.hpp>
#include <fonds/error.hpp>
#include <fonds/formats/recordio.hpp>
#include <fonds/writing.hpp>

namespace fonds::recordio {

class RecordIoWriting final : public FormatWriting {
 public:
  // Layouts: "" (v2), "legacy" (plain), "packed". Compressions: none unless named; "flate", "zstd",
  // registered transformers, with their argument behind a blank. Errors: BadArgument.
  Result<std::unique_ptr<RecordWriter>> create(ByteSink& sink,
                                               const WriteOptions& options) const override;
  Result<RewriteReport> merge(std::span<const Archive> archives, ByteSink& sink,
                              const RewriteOptions& options) const override;
  Result<RewriteReport> split(const Archive& archive, const NextPart& next_part,
                              const SplitOptions& options) const override;
  Result<RewriteReport> repair(const Archive& archive, ByteSink& sink,
                               const RewriteOptions& options) const override;
  Result<std::unique_ptr<ItemMaker>> make_items(ByteSink& sink,
                                                const MakeOptions& options) const override;
  Result<std::unique_ptr<ItemMaker>> append_items(const Archive& archive, ByteSink& sink,
                                                  const MakeOptions& options) const override;
  // The one type is "offsets".
  Result<std::uint64_t> index(const Archive& archive, std::string_view type, ByteSink& sink,
                              const RewriteOptions& options) const override;
  std::string_view index_ending(std::string_view type) const override;
};

// The writer's options that these are. Errors: BadArgument for what is unknown or has no meaning.
Result<WriterOptions> writer_options(const WriteOptions& options);

}  // namespace fonds::recordio
