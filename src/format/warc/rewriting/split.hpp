// Cuts web archives into parts.
#pragma once

#include <string_view>

#include <fonds/error.hpp>
#include <fonds/format.hpp>
#include <fonds/writing.hpp>

namespace fonds::warc {

// The compression of the parts of an archive, unless it is named.
std::string_view split_compression(const Archive& archive, bool train);

// Units that hold one record are copied as stored where the compression stays; others are encoded
// anew. Every part begins with what its records need: the dictionary, a warcinfo or a version
// block. docs/formats/warc.md, "Cutting".
Result<RewriteReport> split_archive(const Archive& archive, const NextPart& next_part,
                                    const SplitOptions& options);

}  // namespace fonds::warc
