// Companions of archives that tell where records are: `fonds index`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fonds/format.hpp>

namespace fonds::ops {

// The usual path of an archive's index of this type; empty type: the format's usual one. Errors:
// Unsupported if the format has no such index, or the archive no path.
Result<std::string> index_path(const Archive& archive, std::string_view type);

// Writes the index. Returns the number of records in it. Errors: those of reading and writing;
// Unsupported if the format has no such index.
Result<std::uint64_t> make_index(const Archive& archive, std::string_view type, ByteSink& sink,
                                 const RewriteOptions& options);

}  // namespace fonds::ops
