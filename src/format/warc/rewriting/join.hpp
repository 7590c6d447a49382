// Whole records of segments, for reading.
#pragma once

#include <memory>
#include <span>

#include <fonds/error.hpp>
#include <fonds/format.hpp>
#include <fonds/reader.hpp>

namespace fonds::warc {

// Format::join_segments().
Result<std::unique_ptr<SegmentJoiner>> make_segment_joiner(std::span<const Archive> archives,
                                                           const ReadOptions& options);

}  // namespace fonds::warc
