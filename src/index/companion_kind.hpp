// What a companion is, by its content.
#pragma once

#include <cstdint>

#include <fonds/byte_source.hpp>
#include <fonds/error.hpp>

namespace fonds::index {

enum class CompanionKind : std::uint8_t { Checkpoints, Gzidx, Captures };

// Whatever is nothing else should be an index of captures; an empty file with the ending of
// checkpoints holds none. Errors: Io; Unsupported for a pipe.
Result<CompanionKind> companion_kind(ByteSource& file);

}  // namespace fonds::index
