// UUIDs made of content: docs/formats/clp-s.md.
#pragma once

#include <string>

#include <fonds/formats/clps_writing.hpp>

namespace fonds::clps::writing {

std::string identity_of(const WrittenArchive& archive);

}  // namespace fonds::clps::writing
