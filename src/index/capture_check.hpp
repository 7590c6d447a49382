// Checking an index of captures against the archive that it is for.
#pragma once

#include <cstdint>
#include <functional>

#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/format.hpp>
#include <fonds/reader.hpp>

#include "index/capture_search_file.hpp"

namespace fonds::index {

struct CaptureTotals {
  std::uint64_t captures = 0;   // lines that are captures
  std::uint64_t checked = 0;    // of this archive
  std::uint64_t elsewhere = 0;  // of archives with another name
  std::uint64_t wrong = 0;      // of those checked, that do not lead to what they tell of
};

// Looks at every line of `index`, and at the record that each capture of this archive leads to.
// Findings have the place of the line: cdx-line (no capture, no offset, a block of a ZipNum that
// cannot be read), cdx-member and cdx-key (once, with how many there are), cdx-differs, cdx-order
// (once, the first line that is smaller than the one before), cdx-stale
// (no record begins there, or one of another URL or time, or with another length; or no line at all
// is of an archive with this name). Stale captures come last, in the order of their offsets, each
// record is read once. Damage of the records themselves is not reported. Holds up to 64 MiB of
// lines, the rest in temporary files. Errors: Io, NotFound; Unsupported for a pipe; Cancelled.
Result<CaptureTotals> verify_captures(const CaptureFile& index, const Archive& archive,
                                      const ReadOptions& options,
                                      const std::function<void(const Finding&)>& on_finding);

}  // namespace fonds::index
