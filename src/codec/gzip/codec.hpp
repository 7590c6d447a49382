// gzip: members one after the other, decoded whole where they fit, as a stream where not, or only
// at their heads.
#pragma once

#include <fonds/codec.hpp>

namespace fonds::gzip {

const Codec& gzip_codec();

}  // namespace fonds::gzip
