// Merging WARC and ARC files by the rules of their container: docs/how-to/join-archives.md.
#pragma once

#include <span>

#include <fonds/byte_sink.hpp>
#include <fonds/error.hpp>
#include <fonds/format.hpp>
#include <fonds/writing.hpp>

namespace fonds::warc {

// Reads every record, and copies what it is stored as; makes anew only what has to change: records
// of another zstd dictionary, records whose header changes, and what shares a unit with these or
// with damage that is left out. One archive alone gives its own bytes. Errors: BadArgument for
// archives of different codecs; Unsupported for a pipe that had to be read twice, and for a change
// in a codec that cannot be written; those of reading and of `sink`; Corrupt at damage unless
// skip_damaged.
Result<RewriteReport> merge_archives(std::span<const Archive> archives, ByteSink& sink,
                                     const RewriteOptions& options);

}  // namespace fonds::warc
