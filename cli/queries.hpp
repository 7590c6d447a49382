// Queries on the command line.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <fonds/format.hpp>
#include <fonds/query.hpp>

#include "flags.hpp"
#include "ops/missing_names.hpp"
#include "terminal.hpp"

namespace fonds::cli {

// A query, a key or a value that is wrong, with what is to be said: lines as they are.
struct QueryError {
  std::string text;
};

// With the text and a caret where the fault is in it.
std::string explained(std::string_view text, const Error& error);

// That of --where; throws QueryError.
std::optional<query::Query> parse_where(const Arguments& arguments);

// Names that a query asked for and no record had: those that are nearly one of the format's fields
// were meant to be that, which is told.
void hint_names(const std::string& archive, const Format& format,
                const std::set<std::string>& names, Messages& messages);
void hint_names(const ops::MissingNames& missing, Messages& messages);
// Of --fields: each is told.
void hint_fields(const ops::MissingNames& missing, Messages& messages);

}  // namespace fonds::cli
