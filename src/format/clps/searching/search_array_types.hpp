// Log types of arrays under a filter: where in their JSON the variables stand, so that most rows
// are decided without putting their text together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/formats/clps.hpp>

#include "format/clps/reading/log_type.hpp"
#include "format/clps/searching/search_filter.hpp"
#include "format/clps/searching/search_keys.hpp"
#include "format/clps/searching/search_mask.hpp"

namespace fonds::clps {

// Tells variables of the dictionary that leave the JSON around them as it is, inside of a string.
// It remembers; one thread at a time.
class PlainVariables {
 public:
  explicit PlainVariables(const Dictionary& variables)
      : variables_(&variables), known_(variables.size()), plain_(variables.size()) {}
  const Dictionary& variables() const { return *variables_; }
  bool plain(std::uint64_t id);

 private:
  const Dictionary* variables_;
  BitSet known_, plain_;
};

class ArrayType {
 public:
  // Of a log type as it is stored; `start` is the state in front of the array.
  ArrayType(std::string_view stored, Generation generation, const FilterTest& filter,
            KeyMachine::State start);

  std::size_t variables() const { return type_.variables(); }
  const LogType& type() const { return type_; }
  // Whether some string is decided by the variables that contain the pattern's longest piece.
  bool wants_pieces() const { return wants_pieces_; }

  enum class Answer : std::uint8_t {
    No,
    Yes,
    Unknown,  // the text must be put together
  };
  // Of a row whose variables begin at `first` and lie in the column. `with_piece` may be null
  // unless wants_pieces().
  Answer answer(const FilterTest& filter, const Column& column, std::uint64_t first,
                PlainVariables& plain, const BitSet* with_piece, std::string& scratch) const;

 private:
  // A placeholder in the JSON text in which each of them is one digit.
  struct Hole {
    std::size_t at = 0;
    Placeholder kind = Placeholder::Integer;
    bool in_string = false;
  };
  // A value that depends on variables from `hole` on.
  struct Check {
    std::size_t hole = 0;
    bool string = false;
    LogTypeChance chance = LogTypeChance::Some;  // of a string
    // Of a string: `segments` of segments_ from the first one on, and the literal text behind them.
    std::size_t first_segment = 0, segments = 0, tail = 0, tail_length = 0;
  };
  class Reader;

  TextParts parts(const Check& check) const {
    return {json_, std::span(segments_).subspan(check.first_segment, check.segments),
            std::string_view(json_).substr(check.tail, check.tail_length)};
  }
  bool matches(const Check& check, const FilterTest& filter, const Column& column,
               std::uint64_t first, const Dictionary& variables, const BitSet* with_piece,
               std::string& scratch) const;
  bool keeps_values(const Column& column, std::uint64_t first, PlainVariables& plain) const;
  bool floats_are_json(const Column& column, std::uint64_t first, std::string& scratch) const;

  Generation generation_;
  LogType type_;
  std::string json_;  // the literal text, with a digit for each variable
  std::vector<Hole> holes_;
  std::vector<Segment> segments_;   // of strings that checks look at, in json_
  std::vector<std::size_t> words_;  // holes that may hold entries of the dictionary
  std::vector<Check> checks_;
  bool always_ = false;   // a value matches that depends on none
  bool unknown_ = false;  // variables may change what is a value and what is not
  bool wants_pieces_ = false;
};

}  // namespace fonds::clps
