// Payloads that were there before become revisits: `fonds dedup`.
#pragma once

#include <span>

#include <fonds/byte_sink.hpp>
#include <fonds/dedup.hpp>
#include <fonds/error.hpp>
#include <fonds/format.hpp>

namespace fonds::warc {

// FormatWriting::dedup of the family. What becomes a revisit, and of what kind:
// docs/how-to/deduplicate.md.
Result<RewriteReport> dedup_archives(std::span<const Archive> archives, ByteSink& sink,
                                     const DedupOptions& options);

}  // namespace fonds::warc
