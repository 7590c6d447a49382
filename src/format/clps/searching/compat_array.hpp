// Arrays that lie as JSON text, as clp-s asks them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/query.hpp>

#include "format/clps/searching/compat_term.hpp"
#include "query/json_scanner.hpp"

namespace fonds::clps::compat {

// One thread at a time; it keeps memory between calls. A text that is no JSON is asked as far as it
// is.
class ArrayTest {
 public:
  // Whether something at the keys `rest`, or if there are none an element, compares with the
  // operand; for Check::Exists whether there is something.
  bool holds(std::string_view json, std::span<const query::PathStep> rest, const Term& term);
  // Whether anything within does, at whatever key. `numbers`: also numbers.
  bool holds_anywhere(std::string_view json, const Operand& operand, bool numbers);

 private:
  struct Level {
    bool object = false;
    bool live = false;      // something in it may match
    bool taken = false;     // of an object: the member that counts was found
    std::size_t depth = 0;  // how many keys lead here
  };

  bool compares(query::JsonToken token, std::string_view spelled, const Operand& operand,
                bool numbers);

  std::vector<Level> levels_;
  std::string scratch_;
};

}  // namespace fonds::clps::compat
