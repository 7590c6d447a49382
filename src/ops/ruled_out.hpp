// Records that an index of captures rules out, so that a search need not read them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/format.hpp>
#include <fonds/query.hpp>

namespace fonds::ops {

// One record: its stored bytes, and what lies between it and the next one.
struct RuledOut {
  std::uint64_t begin = 0, end = 0;
};

// The records of a web archive that cannot match by what the lines of CDXJ files say of them, in
// the order of the file; at most `memory` bytes are held. Only lines with the archive's name, a
// place and a length of their own count, and of them only URL, status, media type, time and offset.
// What they say is taken on trust. Lines that cannot be read are told to `finding`. Errors: of the
// files; Unsupported for other indexes, and archives without places; Corrupt where lines contradict
// each other or the size of the archive; LimitExceeded.
Result<std::vector<RuledOut>> ruled_out(const Archive& archive, const query::Query& query,
                                        std::span<const std::string> indexes, std::uint64_t memory,
                                        const std::function<void(const Finding&)>& finding);

}  // namespace fonds::ops
