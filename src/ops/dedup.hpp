// Payloads that are there already become references to them: `fonds dedup`.
#pragma once

#include <functional>
#include <span>
#include <string>

#include <fonds/dedup.hpp>
#include <fonds/format.hpp>

namespace fonds::ops {

// Joins archives of one format into one, as FormatWriting::dedup(). `indexes` name CDX, CDXJ or
// ZipNum files of archives that are kept elsewhere: what their captures hold counts as there.
// Errors: BadArgument if the formats differ; Unsupported if the format cannot; those of reading and
// writing; Corrupt at the first damage unless skip_damaged.
Result<RewriteReport> dedup(std::span<const Archive> archives, ByteSink& sink,
                            std::span<const std::string> indexes, const DedupOptions& options);

}  // namespace fonds::ops
