// Zstandard, and what WARC-Zstandard adds: a dictionary in the file's first frame.
#pragma once

#include <fonds/codec.hpp>

namespace fonds::zstd {

// Its describe() names `dictionary`: none, raw, compressed, or unusable (cut short, over the limit
// or no dictionary at all); and of one that can be used `dictionary_id` and `dictionary_size`,
// decoded bytes. Of a source without a view it says nothing.
const Codec& zstd_codec();

}  // namespace fonds::zstd
