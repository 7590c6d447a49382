// Zstandard, and what WARC-Zstandard adds: a dictionary in the file's first frame.
#pragma once

#include <fonds/codec.hpp>

namespace fonds::zstd {

const Codec& zstd_codec();

}  // namespace fonds::zstd
