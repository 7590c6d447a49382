// KV-IR streams as archives of events.
#pragma once

#include <fonds/format.hpp>

namespace fonds::kvir {

const Format& kvir_format();

}  // namespace fonds::kvir
