// What JSON text must hold to match a query, so that most records need not be parsed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fonds/query.hpp>

namespace fonds::query {

// All clauses must hold; one does if the text holds one of its needles, octet for octet. None if
// any text may match.
//
// They are those of records without escapes of characters that need none, `\u` and `\/`: a text
// with one of these may match whatever it holds (may_hide()).
struct NeededTexts {
  using Clause = std::vector<std::string>;
  std::vector<Clause> clauses;  // the one that fewest texts should hold first
};

// Of records that have no generated keys and no properties of archives.
NeededTexts needed_texts(const Query& query);

// Whether a JSON text may spell characters of needles in other ways.
bool may_hide(std::string_view json);

}  // namespace fonds::query
