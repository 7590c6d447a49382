// Queries on the command line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <fonds/query.hpp>

#include "flags.hpp"

namespace fonds::cli {

// A query, a key or a value that is wrong, with what is to be said: lines as they are.
struct QueryError {
  std::string text;
};

// With the text and a caret where the fault is in it.
std::string explained(std::string_view text, const Error& error);

// That of --where; throws QueryError.
std::optional<query::Query> parse_where(const Arguments& arguments);

}  // namespace fonds::cli
