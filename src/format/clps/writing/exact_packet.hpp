// The packet of the metadata section that gives back the original bytes.
#pragma once

#include <string>

#include "format/clps/writing/archive_builder.hpp"

namespace fonds::clps::writing {

std::string originals_packet(const BuiltArchive& archive);

}  // namespace fonds::clps::writing
