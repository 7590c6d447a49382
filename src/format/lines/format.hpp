// Text as records: `lines`, each line the content of a record, and `jsonl`, a JSON object on each
// line. Objects are events, recognized by the first line, or items as `convert` writes them, which
// are read as items only where the format is named: two formats with one name.
#pragma once

#include <fonds/format.hpp>

namespace fonds::lines {

const Format& lines_format();
// JSON Lines of items.
const Format& jsonl_format();
// JSON Lines of events; recognized.
const Format& events_format();

}  // namespace fonds::lines
