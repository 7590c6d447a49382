// Finding documents by the checkpoints that lie before them.
#pragma once

#include <memory>

#include <fonds/record_index.hpp>

#include "index/checkpoint.hpp"

namespace fonds::index {

// Tells of documents whose ids are as long as those of the file, if its ids ascend.
std::shared_ptr<const RecordIndex> checkpoint_index(std::shared_ptr<const CheckpointFile> file);

}  // namespace fonds::index
