// Saving what can be read of a damaged archive: `fonds repair`.
#pragma once

#include <cstdint>
#include <functional>

#include <fonds/byte_sink.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/format.hpp>
#include <fonds/writing.hpp>

namespace fonds::warc {

// What became of a range of the input.
enum class Fate : std::uint8_t {
  Kept,       // copied as stored
  Rewritten,  // what could be read of it was written anew
  Lost,
  LeftOut,  // padding, and what means nothing
};
// Told of all ranges of the input, in order and without gaps.
using RangeSeen = std::function<void(ByteRange, Fate)>;

// Writes all that can be read as a valid archive. Units without damage are copied as they are
// stored; so a good archive does not change. See docs/how-to/repair-an-archive.md for what is
// mended. The archive is read once, and the damaged places twice.
//
// Errors: those of reading and writing; Unsupported for a source that cannot be read twice (a
// pipe), and for damage that would have to be compressed anew with bzip2 or xz; Corrupt if the
// archive changes meanwhile.
Result<RewriteReport> repair_archive(const Archive& archive, ByteSink& sink,
                                     const RewriteOptions& options, const RangeSeen& seen = {});

}  // namespace fonds::warc
