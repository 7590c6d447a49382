// Wildcards as clp-s matches them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fonds::clps::compat {

// A pattern with `*`, `?` for one octet, and `\` before characters that stand for themselves.
//
// Right, but for patterns whose last star is followed by an escaped character: where the text goes
// on behind a match of what follows the star, the search is taken up at the character's next
// occurrence, and there it is read as if it were not escaped.
class OctetPattern {
 public:
  // `fold`: the letters A to Z are those from a to z.
  OctetPattern(std::string_view pattern, bool fold);

  bool matches(std::string_view text) const;
  // Whether it is right for all texts.
  bool is_right() const;

 private:
  bool matches_folded(std::string_view text) const;
  bool seek(std::string_view text, std::size_t& at, std::size_t& step) const;

  std::string pattern_;
  bool fold_;
};

}  // namespace fonds::clps::compat
