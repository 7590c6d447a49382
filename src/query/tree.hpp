// What is done to whole trees.
#pragma once

#include <fonds/query.hpp>

namespace fonds::query {

// Whether two trees ask the same in the same order, wherever their parts stood in the query.
bool same_tree(const Node& a, const Node& b);

// Meaning::ClpS: takes out what that language takes out before it searches: ranges over something
// else than numbers and timestamps, which fail with and without NOT, and lists without a value.
// False if nothing is left because nothing can match.
bool drop_impossible(Node& root);

}  // namespace fonds::query
