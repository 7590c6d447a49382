// Windows of seek points in which only what is needed is kept: they compress to a third.
#pragma once

#include <fonds/byte_source.hpp>
#include <fonds/error.hpp>
#include <fonds/seek_index.hpp>

namespace fonds::gzip {

// Sets to zero those bytes of the window to which nothing behind the point refers. Decoding from
// the point gives the same bytes as before, to the end of the member.
//
// `source` has random access. Errors: Io; Corrupt if the data behind the point cannot be decoded;
// then the point is as it was.
Status make_sparse(SeekPoint& point, ByteSource& source);

}  // namespace fonds::gzip
