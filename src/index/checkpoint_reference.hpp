// Checkpoints chosen just as the builder of ir_datasets does, so that files compare equal with
// those that it writes. Its choice follows from how it buffers, which is done over here.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <fonds/byte_sink.hpp>
#include <fonds/byte_source.hpp>
#include <fonds/error.hpp>

namespace fonds::index {

struct ReferenceOptions {
  std::uint64_t spacing = std::uint64_t{8} << 20;  // stored bytes
  std::string id_field = {};                       // empty: WARC-TREC-ID
  std::function<void(std::uint64_t stored_position)> progress = {};
};

// Writes the checkpoint file of a gzip file whose first member is a WARC file of version 1.0 (CRLF)
// or 0.18 (LF). Returns the number of checkpoints.
//
// The same bytes as ir_datasets 0.6.3 with zlib-state 0.1.13 writes, but for memory that it leaves
// uninitialised: windows of places in the first 32 KiB of output, and the stored byte of archives
// of less than 32 KiB; there stand zeros. The stored byte is wrong in the last 32 KiB of every
// archive, here as there.
//
// Errors: where that builder raises an exception, Corrupt, Truncated, Unsupported or BadArgument;
// those of source and sink; Unsupported for a pipe.
Result<std::uint64_t> build_reference_checkpoints(ByteSource& source, ByteSink& sink,
                                                  const ReferenceOptions& options);

}  // namespace fonds::index
