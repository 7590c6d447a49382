// What the options of a writer mean.
#pragma once

#include <fonds/error.hpp>
#include <fonds/formats/clps_writing.hpp>

#include "format/clps/writing/batch.hpp"

namespace fonds::clps::writing {

// Errors: BadArgument for options that cannot be met.
Status check(const WriterOptions& options);
// Errors: BadArgument for a timestamp key that names no one key of events.
Result<Rules> rules_of(const WriterOptions& options);

}  // namespace fonds::clps::writing
