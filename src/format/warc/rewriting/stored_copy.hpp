// Stored bytes of an archive, taken over as they are.
#pragma once

#include <functional>
#include <optional>

#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/encoder.hpp>
#include <fonds/error.hpp>
#include <fonds/format.hpp>

namespace fonds::warc {

// Gives these bytes of a source with random access to `out`, in pieces. Errors: those of reading
// and of `out`; Truncated if the source ends before.
Status copy_stored(ByteSource& source, ByteRange range, const std::function<Status(ByteView)>& out);

// The dictionary that a zstd archive begins with; nothing if it has none. Errors: those of reading;
// BadArgument and LimitExceeded for one that cannot be used.
Result<std::optional<ZstdDictionary>> stored_dictionary(const Archive& archive);

}  // namespace fonds::warc
