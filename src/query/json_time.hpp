// Values of JSON as times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "query/json_scanner.hpp"

namespace fonds::query {

// The instant, in ns since 1970, that a value of a timestamp key means: a text in one of the common
// forms, or a number since 1970, as archives with a timestamp column understand them. Nothing if it
// means none that 64 bits hold.
std::optional<std::int64_t> instant_of_json(JsonToken token, std::string_view spelled,
                                            std::string& scratch);

}  // namespace fonds::query
