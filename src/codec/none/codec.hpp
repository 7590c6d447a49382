// Bytes that are stored as they are.
#pragma once

#include <fonds/codec.hpp>

namespace fonds::none {

const Codec& none_codec();

}  // namespace fonds::none
