// Finding the records of URLs by a CDX or CDXJ.
#pragma once

#include <memory>
#include <string>

#include <fonds/record_index.hpp>

#include "index/capture_search.hpp"

namespace fonds::index {

// `name` is the path of the index file that `search` holds. Tells of URIs, written octet for octet
// as the records have them, and of captures in the archive that is asked about, by its base name.
std::shared_ptr<const RecordIndex> capture_index(std::string name, CaptureSearch search);

}  // namespace fonds::index
