#include "format/clps/searching/search_arrays.hpp"

namespace fonds::clps {

bool matches_token(const query::ValueMatch& match, query::JsonToken token, std::string_view spelled,
                   std::string& scratch) {
  using query::JsonToken;
  if (match.exists()) {
    return true;
  }
  switch (token) {
    case JsonToken::String:
      return match.may_match_text() && match.text(query::unquoted_json(spelled, scratch));
    case JsonToken::Number:
      return match.may_match_number() && match.number(spelled);
    case JsonToken::True:
    case JsonToken::False:
      return match.boolean(token == JsonToken::True);
    case JsonToken::Null:
      return match.null();
    default:
      return false;
  }
}

}  // namespace fonds::clps
