// Events that a reader gives one by one, as lines.
#pragma once

#include <fonds/error.hpp>
#include <fonds/events.hpp>
#include <fonds/reader.hpp>

namespace fonds {

// Format::write_events of formats whose records belong to no input: the block of each record, and
// the line end that closes it, or an LF. Errors: those of reading and of the sink.
Status write_lines(RecordReader& reader, const EventSink& sink);

}  // namespace fonds
