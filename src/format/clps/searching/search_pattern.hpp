// What the pattern of a query says of a log type before the variables are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "format/clps/reading/log_type.hpp"

namespace fonds::clps {

// A pattern taken apart: literal octets and `?`, and where stars stand between them.
struct PatternAtoms {
  std::string octets;   // of each atom; of `?` anything
  std::string any;      // of each atom, 1 for `?`
  std::string star;     // of each place before an atom and the one at the end, 1 for `*`
  bool exact = false;   // the whole text is literal
  std::string longest;  // the longest run of octets without a wildcard
  bool utf8 = true;
  static PatternAtoms of_pattern(std::string_view pattern);  // with `*`, `?` and `\`
  static PatternAtoms of_text(std::string_view text);
};

// A log type, or a part of one: literal text with variables between.
struct TextParts {
  std::string_view text;              // that the segments lie in
  std::span<const Segment> segments;  // each with the variable behind it
  std::string_view tail;

  TextParts(std::string_view in, std::span<const Segment> pieces, std::string_view rest)
      : text(in), segments(pieces), tail(rest) {}
  TextParts(const LogType& type)  // NOLINT(google-explicit-constructor): it is one
      : TextParts(type.text(), type.segments(), type.tail()) {}
  std::string_view literal(const Segment& segment) const {
    return text.substr(segment.offset, segment.length);
  }
};

// Which texts of a log type can match.
enum class LogTypeChance : std::uint8_t {
  None,     // none, whatever the variables
  InPiece,  // only those with the pattern's longest piece inside of one dictionary variable
  Some,     // some may: they must be looked at one by one
  All,      // all, whatever the variables
};

// Decides it for one pattern. Never wrong, whatever way the writer split texts: a variable of the
// dictionary may be any text. Const members are thread-safe.
class PatternMachine {
 public:
  static constexpr std::size_t kMostAtoms = 255;

  // `folded`: the pattern, in which case was folded, is compared with folded texts. `certain`: what
  // matches the atoms matches the filter, too; otherwise nothing is All. Nothing if the pattern is
  // too long or no UTF-8.
  static std::optional<PatternMachine> make(const PatternAtoms& atoms, bool folded, bool certain);

  LogTypeChance chance(const TextParts& text) const;

  struct Tables;

 private:
  std::shared_ptr<const Tables> tables_;
};

}  // namespace fonds::clps
