// What can be done with KV-IR streams beyond reading: writing them.
#pragma once

#include <fonds/writing.hpp>

namespace fonds::kvir {

// Takes records whose blocks are JSON objects. Layouts: "four-byte" (the usual one) and
// "eight-byte". Header entries become the user's metadata.
const FormatWriting& kvir_writing();

}  // namespace fonds::kvir
