// Single items out of damaged blocks of several chunks.
#pragma once

#include <cstdint>
#include <functional>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

namespace fonds::recordio {

struct Salvaged {
  std::uint64_t saved = 0;  // items
  std::uint64_t lost = 0;   // items of blocks whose table is good
};

// Looks through a damaged range of a v2 file without transformers for blocks whose first chunk is
// good, holds the whole table, and claims just as many bytes as the block's chunks can hold. Every
// item of at most `max_item` bytes that lies wholly in good chunks is given to `save`, whose view
// lives during the call; `block_done` is told after each block of which items were saved. Without
// `save` items are only counted. Errors: those of the two.
Result<Salvaged> salvage_items(ByteView damaged, std::uint64_t max_item,
                               const std::function<Status(ByteView item)>& save,
                               const std::function<Status()>& block_done);

}  // namespace fonds::recordio
