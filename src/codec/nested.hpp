// A codec inside a codec, such as gzip in gzip.
#pragma once

#include <memory>

#include <fonds/codec.hpp>

namespace fonds {

// Decodes what `outer` gives with `inner`. Places of such a stream are counted from the start of
// the outermost data: {0, decoded bytes}, since no unit can be entered directly.
Result<std::unique_ptr<Decoder>> decode_nested(std::unique_ptr<Decoder> outer,
                                               const std::string& name, const Codec& inner,
                                               const DecodeOptions& options);

}  // namespace fonds
