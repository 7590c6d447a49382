// Compares the checkpoints of a file with the archive that they are for.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <fonds/byte_source.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>

#include "index/checkpoint.hpp"

namespace fonds::index {

// Decodes the archive once, and of each usable checkpoint checks that a block of a gzip member ends
// there, that the window holds what was decoded before (what nothing refers to may differ), that
// the stored byte is right, and that it leads to a record with its id. The number of the document
// is not checked. Findings have offsets in the archive; file.findings() are the caller's. What is
// damaged in the archive itself is not reported here. Errors: Io; Unsupported for a pipe.
Status verify_checkpoints(ByteSource& archive, const CheckpointFile& file,
                          const std::function<void(const Finding&)>& on_finding,
                          const std::function<void(std::uint64_t stored_position)>& progress = {});

}  // namespace fonds::index
