// The events of a KV-IR stream as those of a batch.
#pragma once

#include <cstdint>

#include "format/clps/writing/batch.hpp"
#include "format/kvir/reading/stream.hpp"

namespace fonds::clps::writing {

// Adds the reader's current event.
void add_event(const kvir::EventReader& reader, BatchBuilder& out);

}  // namespace fonds::clps::writing
