// clp-s archives among the formats.
#pragma once

#include <fonds/format.hpp>

namespace fonds::clps {

const Format& clps_format();

}  // namespace fonds::clps
