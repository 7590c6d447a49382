// Writes records as lines of text, or as items in JSON, one a line.
#pragma once

#include <fonds/writing.hpp>

namespace fonds::lines {

// Neither has blocks, compression, a header or a trailer: BadArgument for options that ask for
// them. A record with an LF inside cannot be a line: BadArgument.
const FormatWriting& lines_writing();
// A record is held whole: LimitExceeded beyond an eighth of WriteOptions::memory_budget.
const FormatWriting& jsonl_writing();

}  // namespace fonds::lines
