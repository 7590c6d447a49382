// The records of the WARC and ARC rows.
#pragma once

#include <cstddef>
#include <vector>

#include "archives/web_text.hpp"

namespace fonds::laws {

// A warcinfo, responses with plain, chunked and compressed bodies, a duplicate and its revisit,
// requests, metadata, resources that are empty, binary, full of what looks like records, and, with
// `large_block` above 0, of so many bytes.
std::vector<testing_archives::WebRecord> web_records(std::size_t large_block);
// Those that an ARC file can hold, the version block in front.
std::vector<testing_archives::WebRecord> arc_records(std::size_t large_block);

}  // namespace fonds::laws
