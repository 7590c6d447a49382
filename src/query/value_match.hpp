// One literal and one token of JSON.
#pragma once

#include <string>
#include <string_view>

#include <fonds/query.hpp>

#include "query/json_scanner.hpp"

namespace fonds::query {

// False for tokens that are no scalars. `scratch` is for strings with escapes.
bool matches_scalar(const ValueMatch& match, JsonToken token, std::string_view spelled,
                    std::string& scratch);

}  // namespace fonds::query
