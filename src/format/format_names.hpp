// The names of formats, for messages.
#pragma once

#include <string>

#include <fonds/format.hpp>

namespace fonds {

// Of all formats for which `which` says yes, each name once: lines of items and of events share
// one.
std::string format_names(bool (*which)(const Format&));

}  // namespace fonds
