#include "format/clps/searching/search_array_types.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "format/clps/searching/search_arrays.hpp"
#include "format/clps/searching/search_cells.hpp"
#include "query/json_scanner.hpp"

namespace fonds::clps {
namespace {

using query::JsonScanner;
using query::JsonToken;

bool is_json_number(std::string_view text) {
  JsonScanner scanner(text);
  return scanner.next() == JsonToken::Number && scanner.spelled().size() == text.size();
}

// The id of a variable that is one of the dictionary's.
std::optional<std::uint64_t> id_of(Placeholder kind, std::uint64_t word) {
  if (kind == Placeholder::Dictionary) {
    return word;
  }
  return kind == Placeholder::IntegerOrDictionary ? dictionary_id(static_cast<std::int64_t>(word))
                                                  : std::nullopt;
}

}  // namespace

bool PlainVariables::plain(std::uint64_t id) {
  if (id >= known_.size()) {
    return false;
  }
  const auto at = static_cast<std::size_t>(id);
  if (!known_.test(at)) {
    known_.set(at);
    const std::string_view text = (*variables_)[at];
    if (std::none_of(text.begin(), text.end(), [](char c) {
          return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
        })) {
      plain_.set(at);
    }
  }
  return plain_.test(at);
}

// Reads the JSON text of a log type in which a digit stands for each variable.
class ArrayType::Reader {
 public:
  Reader(ArrayType& to, const FilterTest& filter) : to_(to), filter_(filter) {
    for (const Segment& segment : to.type_.segments()) {
      to.json_ += to.type_.literal(segment);
      to.holes_.push_back({.at = to.json_.size(), .kind = segment.placeholder});
      to.json_ += '0';
    }
    to.json_ += to.type_.tail();
  }

  // False: variables may decide what is a value and what is not.
  bool run(KeyMachine::State start) {
    const KeyMachine& keys = filter_.keys();
    JsonScanner scanner(to_.json_);
    std::vector<KeyMachine::State> levels;
    KeyMachine::State state = start;
    std::string scratch;
    while (true) {
      const JsonToken token = scanner.next();
      const auto begin = static_cast<std::size_t>(scanner.spelled().data() - to_.json_.data());
      switch (token) {
        case JsonToken::End:
          return true;
        case JsonToken::Damaged:
          return false;
        case JsonToken::Key: {
          state = levels.back();
          const Range holes = holes_in(begin, begin + scanner.spelled().size());
          if (!settle(scanner.spelled(), holes, true) ||
              (state != KeyMachine::kDead && holes.first != holes.second)) {
            return false;
          }
          if (state != KeyMachine::kDead) {
            state = keys.step(state, query::unquoted_json(scanner.spelled(), scratch));
          }
          continue;
        }
        case JsonToken::EndObject:
        case JsonToken::EndArray:
          levels.pop_back();
          break;
        case JsonToken::BeginObject:
        case JsonToken::BeginArray:
          to_.always_ = to_.always_ || (keys.accepts(state) && filter_.match().exists());
          levels.push_back(state);
          continue;
        default:
          if (!scalar(token, scanner.spelled(), begin, keys.accepts(state))) {
            return false;
          }
          break;
      }
      state = levels.empty() ? KeyMachine::kDead : levels.back();
    }
  }

 private:
  using Range = std::pair<std::size_t, std::size_t>;  // of holes

  Range holes_in(std::size_t begin, std::size_t end) const {
    const auto before = [](const Hole& hole, std::size_t at) { return hole.at < at; };
    const auto first = std::lower_bound(to_.holes_.begin(), to_.holes_.end(), begin, before);
    const auto last = std::lower_bound(first, to_.holes_.end(), end, before);
    return {static_cast<std::size_t>(first - to_.holes_.begin()),
            static_cast<std::size_t>(last - to_.holes_.begin())};
  }

  // Variables of a token. In a number that has more than one of them, and behind an escape, they
  // could be anything.
  bool settle(std::string_view spelled, Range holes, bool string) {
    if (holes.first == holes.second) {
      return true;
    }
    if (string ? spelled.find('\\') != std::string_view::npos : spelled.size() != 1) {
      return false;
    }
    for (std::size_t i = holes.first; i < holes.second; ++i) {
      to_.holes_[i].in_string = string;
    }
    return true;
  }

  bool scalar(JsonToken token, std::string_view spelled, std::size_t begin, bool reached) {
    const Range holes = holes_in(begin, begin + spelled.size());
    const bool string = token == JsonToken::String;
    const bool sized = string || token == JsonToken::Number;
    if (sized && !settle(spelled, holes, string)) {
      return false;
    }
    if (!reached || to_.always_) {
      return true;
    }
    if (!sized || holes.first == holes.second || filter_.match().exists()) {
      std::string scratch;
      to_.always_ = matches_token(filter_.match(), token, spelled, scratch);
    } else if (string) {
      add_string(spelled, begin, holes);
    } else if (filter_.match().may_match_number()) {
      to_.checks_.push_back({.hole = holes.first});
    }
    return true;
  }

  void add_string(std::string_view spelled, std::size_t begin, Range holes) {
    if (!filter_.match().may_match_text()) {
      return;
    }
    Check check{.hole = holes.first, .string = true, .first_segment = to_.segments_.size()};
    std::size_t at = begin + 1;  // behind the quote
    for (std::size_t i = holes.first; i < holes.second; ++i) {
      const Hole& hole = to_.holes_[i];
      to_.segments_.push_back({.offset = static_cast<std::uint32_t>(at),
                               .length = static_cast<std::uint32_t>(hole.at - at),
                               .placeholder = hole.kind});
      at = hole.at + 1;
    }
    check.segments = holes.second - holes.first;
    check.tail = at;
    check.tail_length = begin + spelled.size() - 1 - at;
    check.chance = filter_.strings().chance(to_.parts(check));
    to_.always_ = check.chance == LogTypeChance::All;
    if (check.chance == LogTypeChance::None) {
      to_.segments_.resize(check.first_segment);
      return;
    }
    to_.wants_pieces_ = to_.wants_pieces_ || check.chance == LogTypeChance::InPiece;
    to_.checks_.push_back(check);
  }

  ArrayType& to_;
  const FilterTest& filter_;
};

ArrayType::ArrayType(std::string_view stored, Generation generation, const FilterTest& filter,
                     KeyMachine::State start)
    : generation_(generation) {
  bool malformed = false;
  type_ = LogType::parse(stored, generation, malformed);
  unknown_ = !Reader(*this, filter).run(start);
  for (std::size_t i = 0; i < holes_.size(); ++i) {
    if (holes_[i].kind != Placeholder::Integer && holes_[i].kind != Placeholder::Float) {
      words_.push_back(i);
    }
  }
}

ArrayType::Answer ArrayType::answer(const FilterTest& filter, const Column& column,
                                    std::uint64_t first, PlainVariables& plain,
                                    const BitSet* with_piece, std::string& scratch) const {
  if (unknown_ || !keeps_values(column, first, plain)) {
    return Answer::Unknown;
  }
  const bool found =
      always_ || std::any_of(checks_.begin(), checks_.end(), [&](const Check& check) {
        return matches(check, filter, column, first, plain.variables(), with_piece, scratch);
      });
  if (!found) {
    return Answer::No;
  }
  return floats_are_json(column, first, scratch) ? Answer::Yes : Answer::Unknown;
}

bool ArrayType::matches(const Check& check, const FilterTest& filter, const Column& column,
                        std::uint64_t first, const Dictionary& variables, const BitSet* with_piece,
                        std::string& scratch) const {
  if (check.string) {
    if (check.chance == LogTypeChance::InPiece &&
        !has_variable_of(parts(check).segments, column, first + check.hole, *with_piece)) {
      return false;
    }
    scratch.clear();
    return append_cell(parts(check), column, first + check.hole, variables, generation_, scratch) &&
           filter.match().text(scratch);
  }
  const std::uint64_t word = column.variable(first + check.hole);
  const Placeholder kind = holes_[check.hole].kind;
  if (const auto id = id_of(kind, word)) {
    return *id < variables.size() &&
           filter.match().number(variables[static_cast<std::size_t>(*id)]);
  }
  if (kind != Placeholder::Float) {
    return filter.integers().contains(static_cast<std::int64_t>(word));
  }
  scratch.clear();
  return append_float(word, generation_, scratch) && filter.match().number(scratch);
}

// Whether the dictionary's variables leave the values the ones that they were read as. A writer may
// have put anything into them.
bool ArrayType::keeps_values(const Column& column, std::uint64_t first,
                             PlainVariables& plain) const {
  for (const std::size_t i : words_) {
    const std::optional<std::uint64_t> id = id_of(holes_[i].kind, column.variable(first + i));
    if (!id) {
      continue;
    }
    if (holes_[i].in_string
            ? !plain.plain(*id)
            : *id >= plain.variables().size() ||
                  !is_json_number(plain.variables()[static_cast<std::size_t>(*id)])) {
      return false;
    }
  }
  return true;
}

// Floats are printed as they were written: `.5` and `00.5` are no JSON.
bool ArrayType::floats_are_json(const Column& column, std::uint64_t first,
                                std::string& scratch) const {
  for (std::size_t i = 0; i < holes_.size(); ++i) {
    if (holes_[i].kind != Placeholder::Float) {
      continue;
    }
    scratch.clear();
    if (!append_float(column.variable(first + i), generation_, scratch) ||
        (!holes_[i].in_string && !is_json_number(scratch))) {
      return false;
    }
  }
  return true;
}

}  // namespace fonds::clps
