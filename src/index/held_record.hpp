// Checking a record that stands in a reader, without moving the reader.
#pragma once

#include <fonds/format.hpp>
#include <fonds/record_index.hpp>

namespace fonds::index {

// Whether the digests that the record tells of itself, if it does, are those of its block. For
// records that were reached by a seek point: nothing else proves that its window was the true one.
// Blocks of more than 64 MiB are not looked at. Errors: those of reading.
Result<bool> digests_fit(const Archive& archive, const OpenRecord& open);

}  // namespace fonds::index
