// lz4 frames.
#pragma once

#include <fonds/codec.hpp>

namespace fonds::lz4 {

const Codec& lz4_codec();

}  // namespace fonds::lz4
