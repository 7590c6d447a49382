// xz streams.
#pragma once

#include <fonds/codec.hpp>

namespace fonds::xz {

const Codec& xz_codec();

}  // namespace fonds::xz
