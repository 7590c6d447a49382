// Joining and cutting clp-s archives: by writing them anew.
#pragma once

#include <fonds/writing.hpp>

namespace fonds::clps {

const FormatWriting& clps_writing();

}  // namespace fonds::clps
