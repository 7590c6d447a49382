// The fields that the records of an archive have, and how many have each.
#pragma once

#include <functional>

#include <fonds/events.hpp>
#include <fonds/finding.hpp>
#include <fonds/format.hpp>

#include "ops/scan.hpp"

namespace fonds::ops {

// Reads headers and HTTP heads of all records; `out` is given the fields by their names. Errors:
// those of reading and of `out`; Unsupported for formats without fields; LimitExceeded if the names
// take more than an eighth of the memory.
Status count_fields(const Archive& archive, const ScanOptions& scan,
                    const std::function<Status(const EventField&)>& out,
                    const std::function<void(const Finding&)>& finding);

}  // namespace fonds::ops
