// bzip2 streams.
#pragma once

#include <fonds/codec.hpp>

namespace fonds::bzip2 {

const Codec& bzip2_codec();

}  // namespace fonds::bzip2
