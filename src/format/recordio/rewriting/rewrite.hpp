// Joining, cutting and repairing RecordIO files by copying their stored blocks.
#pragma once

#include <cstdint>
#include <span>

#include <fonds/byte_sink.hpp>
#include <fonds/error.hpp>
#include <fonds/format.hpp>
#include <fonds/writing.hpp>

namespace fonds::recordio {

// Everything that can be read becomes a valid file: docs/formats/recordio.md, "Recovery". A good
// file comes out byte for byte as it went in.
Result<RewriteReport> repair_file(const Archive& archive, ByteSink& sink,
                                  const RewriteOptions& options);
// Blocks are copied as they are where the transformers are those of the first v2 file, else made
// anew from their items. Legacy files stay legacy if there is no v2 file among them.
Result<RewriteReport> merge_files(std::span<const Archive> archives, ByteSink& sink,
                                  const RewriteOptions& options);
// v2: each part begins with the header block. An archive that is no larger than `size` becomes one
// part, trailer included.
Result<RewriteReport> split_file(const Archive& archive, const NextPart& next_part,
                                 const SplitOptions& options);

}  // namespace fonds::recordio
