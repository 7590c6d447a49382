#include "format/clps/searching/search_pattern.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include <fonds/query.hpp>

#include "base/text.hpp"

namespace fonds::clps {
namespace {

// Places in a pattern: bit i stands for "i atoms are matched".
template <std::size_t kWords>
struct Places {
  std::array<std::uint64_t, kWords> words = {};

  void set(std::size_t i) { words[i / 64] |= std::uint64_t{1} << (i % 64); }
  bool test(std::size_t i) const { return (words[i / 64] >> (i % 64) & 1) != 0; }
  bool none() const {
    return std::all_of(words.begin(), words.end(), [](std::uint64_t w) { return w == 0; });
  }
  Places advanced() const {
    Places out;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < kWords; ++i) {
      out.words[i] = words[i] << 1 | carry;
      carry = words[i] >> 63;
    }
    return out;
  }
  // All places from the first one that is set.
  Places from_first() const {
    Places out;
    std::uint64_t behind = 0;  // all ones once a place was met
    for (std::size_t i = 0; i < kWords; ++i) {
      const std::uint64_t first = words[i] & (0 - words[i]);
      out.words[i] = behind | (first == 0 ? 0 : 0 - first);
      behind = out.words[i] == 0 ? 0 : ~std::uint64_t{0};
    }
    return out;
  }
  friend Places operator&(Places a, const Places& b) {
    for (std::size_t i = 0; i < kWords; ++i) {
      a.words[i] &= b.words[i];
    }
    return a;
  }
  friend Places operator|(Places a, const Places& b) {
    for (std::size_t i = 0; i < kWords; ++i) {
      a.words[i] |= b.words[i];
    }
    return a;
  }
  friend bool operator==(const Places&, const Places&) = default;
};

// An automaton without a determined next state, as tables over octets.
template <std::size_t kWords>
struct Automaton {
  using Set = Places<kWords>;

  std::array<Set, 256> moves = {};  // by octet: the atoms that take it
  Set stars = {};                   // places that stay, whatever comes
  Set behind_any = {};              // places behind a `?`: they stay while a character goes on
  Set digits = {};                  // atoms that take some digit
  std::size_t end = 0;              // the place behind the last atom

  explicit Automaton(const PatternAtoms& atoms) : end(atoms.octets.size()) {
    for (std::size_t i = 0; i < end; ++i) {
      if (atoms.any[i] != 0) {
        behind_any.set(i + 1);
        std::for_each(moves.begin(), moves.end(), [&](Set& set) { set.set(i); });
      } else {
        moves[static_cast<unsigned char>(atoms.octets[i])].set(i);
      }
    }
    for (std::size_t i = 0; i <= end; ++i) {
      if (atoms.star[i] != 0) {
        stars.set(i);
      }
    }
    for (char c = '0'; c <= '9'; ++c) {
      digits = digits | moves[static_cast<unsigned char>(c)];
    }
  }

  Set step(const Set& set, char c) const {
    const auto octet = static_cast<unsigned char>(c);
    Set next = (set & moves[octet]).advanced() | (set & stars);
    if ((octet & 0xC0) == 0x80) {
      next = next | (set & behind_any);  // `?` takes all octets of a character, and maybe more
    }
    return next;
  }
  Set any_digit(const Set& set) const { return (set & digits).advanced() | (set & stars); }
  Set any_digits(Set set) const {  // one or more
    set = any_digit(set);
    while (true) {
      const Set next = set | any_digit(set);
      if (next == set) {
        return set;
      }
      set = next;
    }
  }
  // What a number's text can lead to.
  Set number(const Set& from, bool real) const {
    Set set = from | step(from, '-');
    if (real) {
      set = step(set | any_digits(set), '.');
    }
    return any_digits(set);
  }
};

template <std::size_t kWords>
struct Machine {
  using Set = Places<kWords>;

  Automaton<kWords> whole;
  Automaton<kWords> piece;  // texts that contain the longest piece
  Set any_atoms = {};       // the `?`
  bool certain;

  static PatternAtoms containing(const std::string& text) {
    PatternAtoms atoms = PatternAtoms::of_text(text);
    atoms.star.front() = atoms.star.back() = 1;
    return atoms;
  }
  Machine(const PatternAtoms& atoms, bool certain_)
      : whole(atoms), piece(containing(atoms.longest)), certain(certain_) {
    for (std::size_t i = 0; i < atoms.any.size(); ++i) {
      if (atoms.any[i] != 0) {
        any_atoms.set(i);
      }
    }
  }

  struct State {
    Set possible;         // what some variables lead to, or more
    Set sure;             // what all variables lead to, or less
    Set found;            // places in the piece
    bool beyond = false;  // the piece may stand elsewhere than in one dictionary variable
  };

  void literal(State& state, std::string_view text) const {
    for (const char c : text) {
      const Set takes = (static_cast<unsigned char>(c) & 0x80) == 0
                            ? whole.moves[static_cast<unsigned char>(c)]
                            : without_any(whole.moves[static_cast<unsigned char>(c)]);
      state.sure = (state.sure & takes).advanced() | (state.sure & whole.stars);
      state.possible = whole.step(state.possible, c);
      state.found = piece.step(state.found, c);
    }
    state.beyond = state.beyond || state.found.test(piece.end);
  }
  // `?` takes one octet of a longer character: only `possible` follows that.
  Set without_any(Set set) const {
    for (std::size_t i = 0; i < kWords; ++i) {
      set.words[i] &= ~any_atoms.words[i];
    }
    return set;
  }

  void variable(State& state, Placeholder placeholder) const {
    state.sure = state.sure & whole.stars;
    if (placeholder == Placeholder::Integer || placeholder == Placeholder::Float) {
      const bool real = placeholder == Placeholder::Float;
      state.possible = whole.number(state.possible, real);
      state.found = piece.number(state.found, real);
      state.beyond = state.beyond || state.found.test(piece.end);
      return;
    }
    state.possible = state.possible.from_first();
    if (placeholder == Placeholder::IntegerOrDictionary) {
      state.beyond = state.beyond || piece.number(state.found, false).test(piece.end);
    }
    // The piece may have begun before the variable; or it begins in it and goes on behind it.
    for (std::size_t i = 1; i <= piece.end; ++i) {
      state.beyond = state.beyond || state.found.test(i);
    }
    for (std::size_t i = 0; i < piece.end; ++i) {
      state.found.set(i);
    }
  }

  LogTypeChance end(const State& state) const {
    if (!state.possible.test(whole.end)) {
      return LogTypeChance::None;
    }
    if (certain && state.sure.test(whole.end)) {
      return LogTypeChance::All;
    }
    return state.beyond || piece.end == 0 ? LogTypeChance::Some : LogTypeChance::InPiece;
  }
};

// A character of which only a part stands here can fold together with its rest elsewhere.
bool has_cut_character(std::string_view text) {
  if (text.empty()) {
    return false;
  }
  if ((static_cast<unsigned char>(text.front()) & 0xC0) == 0x80) {
    return true;
  }
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto octet = static_cast<unsigned char>(text[text.size() - back]);
    if (octet < 0x80) {
      return false;
    }
    if (octet >= 0xC0) {
      const std::size_t length = octet >= 0xF0 ? 4 : octet >= 0xE0 ? 3 : 2;
      return length > back;
    }
  }
  return false;
}

template <std::size_t kWords>
LogTypeChance run(const Machine<kWords>& machine, const TextParts& parts, bool folded) {
  typename Machine<kWords>::State state;
  state.possible.set(0);
  state.sure.set(0);
  state.found.set(0);
  const auto literal = [&](std::string_view text) {
    if (!folded || is_plain_ascii(text)) {
      machine.literal(state, folded ? to_lower(text) : text);
      return true;
    }
    machine.literal(state, query::fold_case(text));
    return !has_cut_character(text);
  };
  for (const Segment& segment : parts.segments) {
    if (!literal(parts.literal(segment))) {
      return LogTypeChance::Some;
    }
    machine.variable(state, segment.placeholder);
    if (state.possible.none()) {
      return LogTypeChance::None;
    }
  }
  return literal(parts.tail) || parts.segments.empty() ? machine.end(state) : LogTypeChance::Some;
}

}  // namespace

PatternAtoms PatternAtoms::of_text(std::string_view text) {
  PatternAtoms atoms;
  atoms.octets = text;
  atoms.any.assign(text.size(), '\0');
  atoms.star.assign(text.size() + 1, '\0');
  atoms.exact = true;
  atoms.longest = text;
  atoms.utf8 = is_utf8(text);
  return atoms;
}

PatternAtoms PatternAtoms::of_pattern(std::string_view pattern) {
  PatternAtoms atoms;
  atoms.exact = true;
  atoms.utf8 = is_utf8(pattern);
  std::string run;
  const auto end_run = [&] {
    if (run.size() > atoms.longest.size()) {
      atoms.longest = run;
    }
    run.clear();
  };
  bool star = false;
  const auto atom = [&](char octet, bool any) {
    atoms.octets.push_back(octet);
    atoms.any.push_back(any ? '\1' : '\0');
    atoms.star.push_back(star ? '\1' : '\0');
    star = false;
  };
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '*' || c == '?') {
      atoms.exact = false;
      end_run();
      if (c == '*') {
        star = true;
      } else {
        atom('?', true);
      }
    } else {
      i += c == '\\' && i + 1 < pattern.size() ? 1 : 0;
      run.push_back(pattern[i]);
      atom(pattern[i], false);
    }
  }
  end_run();
  atoms.star.push_back(star ? '\1' : '\0');
  return atoms;
}

struct PatternMachine::Tables {
  bool folded = false;
  std::optional<Machine<1>> narrow;
  std::optional<Machine<4>> wide;
};

std::optional<PatternMachine> PatternMachine::make(const PatternAtoms& atoms, bool folded,
                                                   bool certain) {
  if (atoms.octets.size() > kMostAtoms || !atoms.utf8) {
    return std::nullopt;
  }
  auto tables = std::make_shared<Tables>();
  tables->folded = folded;
  if (atoms.octets.size() < 64) {
    tables->narrow.emplace(atoms, certain);
  } else {
    tables->wide.emplace(atoms, certain);
  }
  PatternMachine machine;
  machine.tables_ = std::move(tables);
  return machine;
}

LogTypeChance PatternMachine::chance(const TextParts& text) const {
  return tables_->narrow ? run(*tables_->narrow, text, tables_->folded)
                         : run(*tables_->wide, text, tables_->folded);
}

}  // namespace fonds::clps
