// The trailer block, found from the end of the file.
#pragma once

#include <memory>
#include <optional>

#include <fonds/buffer.hpp>
#include <fonds/byte_source.hpp>
#include <fonds/error.hpp>
#include <fonds/formats/recordio.hpp>

#include "format/recordio/reading/decode.hpp"

namespace fonds::recordio {

// Replaces the content of `out` by the trailer's item and returns true; false if the file has none.
// The last chunk of the file tells where the trailer begins. If that chunk belongs to no trailer
// and `promised`, the last one that a walk over the file meets is taken. With options.concatenated
// it is transformed as the header of its own file says, else as `transformation`. Errors: Io;
// Corrupt if it is damaged; LimitExceeded; Unsupported without random access.
Result<bool> read_trailer(const std::shared_ptr<ByteSource>& source,
                          const Transformation& transformation, bool promised,
                          const ReaderOptions& options, Buffer& out);

}  // namespace fonds::recordio
