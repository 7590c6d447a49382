// Text as records: `lines`, each line the content of a record, and `jsonl`, an item in JSON on each
// line. Neither can be told from other text, so both are read only when they are asked for by name.
#pragma once

#include <fonds/format.hpp>

namespace fonds::lines {

const Format& lines_format();
const Format& jsonl_format();

}  // namespace fonds::lines
