// A key of a query: a path, and the namespace that it begins in.
#pragma once

#include <span>

#include <fonds/error.hpp>
#include <fonds/query.hpp>

#include "query/lexer.hpp"

namespace fonds::query {

// One word or quoted text; in Meaning::Default also words and `""` that adjoin, where each `""` is
// an empty key of the path. Errors: BadArgument at an empty key or an escape.
Result<Path> make_path(std::span<const Token> pieces, Meaning meaning);

// Appends; wildcards that come to lie side by side become one.
void append_steps(Path& path, std::span<const PathStep> steps);

}  // namespace fonds::query
