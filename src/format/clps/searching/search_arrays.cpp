#include "format/clps/searching/search_arrays.hpp"

#include "query/value_match.hpp"

namespace fonds::clps {

bool matches_token(const query::ValueMatch& match, query::JsonToken token, std::string_view spelled,
                   std::string& scratch) {
  return match.exists() || query::matches_scalar(match, token, spelled, scratch);
}

}  // namespace fonds::clps
