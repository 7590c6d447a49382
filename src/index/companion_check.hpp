// Checking the companions of an archive against it.
#pragma once

#include <functional>
#include <string>

#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/format.hpp>
#include <fonds/reader.hpp>

namespace fonds::index {

// Looks at every entry of the companion at `path`: a checkpoint file, a CDX, CDXJ or ZipNum, or a
// .gzidx, whose points are only looked at by themselves. Findings have the place in the archive, or
// of the line; their messages name the companion where the place does not. Errors: Io; those of
// reading the archive.
Status check_companion(const std::string& path, const Archive& archive, const ReadOptions& options,
                       const std::function<void(const Finding&)>& on_finding);

}  // namespace fonds::index
