// Queries on arrays that lie as JSON text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fonds/query.hpp>

#include "format/clps/searching/search_keys.hpp"
#include "query/json_scanner.hpp"

namespace fonds::clps {

// Walks over JSON texts and calls a function for each value that a path reaches.
class JsonWalker {
 public:
  // `use(token, spelled)`: the text of a string (with its quotes) or number as written; nothing of
  // others, of which objects and arrays are told where they begin. `start` is the machine's state
  // in front of the text. False: the text is no JSON.
  template <typename Use>
  bool walk(std::string_view json, const KeyMachine& machine, KeyMachine::State start, Use&& use);

 private:
  std::vector<KeyMachine::State> levels_;  // of each open object or array, in front of its keys
  std::string key_;
};

// Whether a value matches; `scratch` is room for unescaping.
bool matches_token(const query::ValueMatch& match, query::JsonToken token, std::string_view spelled,
                   std::string& scratch);

template <typename Use>
bool JsonWalker::walk(std::string_view json, const KeyMachine& machine, KeyMachine::State start,
                      Use&& use) {
  using query::JsonToken;
  query::JsonScanner scanner(json);
  levels_.clear();
  KeyMachine::State state = start;
  while (true) {
    const JsonToken token = scanner.next();
    switch (token) {
      case JsonToken::End:
        return true;
      case JsonToken::Damaged:
        return false;
      case JsonToken::Key:
        state = levels_.back();
        if (state != KeyMachine::kDead) {
          state = machine.step(state, query::unquoted_json(scanner.spelled(), key_));
        }
        continue;
      case JsonToken::EndObject:
      case JsonToken::EndArray:
        levels_.pop_back();
        break;
      case JsonToken::BeginObject:
      case JsonToken::BeginArray:
        if (machine.accepts(state)) {
          use(token, std::string_view());
        }
        levels_.push_back(state);
        continue;
      default:
        if (machine.accepts(state)) {
          use(token, scanner.spelled());
        }
        break;
    }
    state = levels_.empty() ? KeyMachine::kDead : levels_.back();
  }
}

}  // namespace fonds::clps
