// A value of a query: from its text to what it can match.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <fonds/error.hpp>
#include <fonds/query.hpp>

#include "query/lexer.hpp"

namespace fonds::query {

// Of a word or quoted text that stands as a value. Errors: BadArgument at an escape.
Result<Literal> make_literal(const Token& token, Meaning meaning);

// Of `timestamp(text)`, `timestamp(text, pattern)`; `written` is all between the parentheses.
// Errors: BadArgument if the text is no time.
Result<Literal> make_time_literal(const Token& text, const std::optional<Token>& pattern,
                                  std::string_view written, Meaning meaning);

}  // namespace fonds::query
