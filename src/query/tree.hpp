// What is done to whole trees.
#pragma once

#include <string_view>

#include <fonds/error.hpp>
#include <fonds/query.hpp>

namespace fonds::query {

// `<` and so on; `:` of Equal.
std::string_view sign_of(Comparison comparison);

bool same_path(const Path& a, const Path& b);
bool has_wildcard(const Path& path);

// Whether two trees ask the same in the same order, wherever their parts stood in the query.
bool same_tree(const Node& a, const Node& b);

// Meaning::ClpS: takes out what that language takes out before it searches: ranges over something
// else than numbers and timestamps, which fail with and without NOT, and lists without a value.
// False if nothing is left because nothing can match.
bool drop_impossible(Node& root);

// For records without fields that are dates: refuses what ParseOptions::date_ranges let pass.
// Errors: BadArgument, as parse() without it.
Status refuse_date_ranges(const Node& root);

}  // namespace fonds::query
