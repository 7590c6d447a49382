#include "format/clps/searching/search_pattern.hpp"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <fonds/query.hpp>

namespace fonds::clps {
namespace {

LogType log_type_of(std::string_view stored) {
  bool malformed = false;
  return LogType::parse(stored, Generation::New, malformed);
}

LogTypeChance chance(std::string_view pattern, std::string_view stored) {
  const auto machine = PatternMachine::make(PatternAtoms::of_pattern(pattern), false, true);
  return machine->chance(log_type_of(stored));
}

TEST(ClpsPatternAtoms, ThePiecesLieBetweenWildcards) {
  const PatternAtoms atoms = PatternAtoms::of_pattern("ab*c?\\*def");
  EXPECT_EQ(atoms.longest, "*def");
  EXPECT_EQ(atoms.octets.size(), 8U);
  EXPECT_FALSE(atoms.exact);
  EXPECT_TRUE(PatternAtoms::of_pattern("a\\?b").exact);
}

TEST(ClpsPatternMachine, LiteralTextDecidesBetweenStars) {
  EXPECT_EQ(chance("*authorized*", "connection authorized: user=\x12"), LogTypeChance::All);
  EXPECT_EQ(chance("*took*", "took \x13 ms"), LogTypeChance::All);
  EXPECT_EQ(chance("took * ms", "took \x13 s"), LogTypeChance::None);
}

TEST(ClpsPatternMachine, OnlyADictionaryVariableCanHoldWords) {
  EXPECT_EQ(chance("*needle*", "took \x13 ms of \x11"), LogTypeChance::None);
  EXPECT_EQ(chance("*needle*", "took \x12 ms"), LogTypeChance::InPiece);
  EXPECT_EQ(chance("*needle*", "a need\x12 here"), LogTypeChance::Some);
  EXPECT_EQ(chance("*needle*", "\x12le"), LogTypeChance::Some);
}

TEST(ClpsPatternMachine, NumbersMatchInsideAndAcrossTheirEnds) {
  EXPECT_EQ(chance("*1?5*", "took \x11 ms"), LogTypeChance::Some);
  EXPECT_EQ(chance("took 1*5 ms", "took \x11 ms"), LogTypeChance::Some);
  EXPECT_EQ(chance("took 1*5 ms", "took \x13 ms"), LogTypeChance::Some);
  EXPECT_EQ(chance("took 1.5 ms", "took \x11 ms"), LogTypeChance::None);
  EXPECT_EQ(chance("*2.* ms", "took \x11 ms"), LogTypeChance::None);
}

TEST(ClpsPatternMachine, AnExactTextNeedsItsLogType) {
  EXPECT_EQ(chance("took 5 ms", "took 5 ms"), LogTypeChance::All);
  EXPECT_EQ(chance("took 5 ms", "took 6 ms"), LogTypeChance::None);
  EXPECT_EQ(chance("took 5 ms", "took \x11 ms"), LogTypeChance::Some);
}

TEST(ClpsPatternMachine, QuestionMarksTakeWholeCharacters) {
  EXPECT_EQ(chance("a?b",
                   "a\xC3\xA9"
                   "b"),
            LogTypeChance::Some);
  EXPECT_EQ(chance("a?b", "axb"), LogTypeChance::All);
}

TEST(ClpsPatternMachine, LongPatternsAreDecidedToo) {
  const std::string words(200, 'w');
  EXPECT_EQ(chance("*" + words + "*", "x " + words + " \x12"), LogTypeChance::All);
  EXPECT_EQ(chance("*" + words + "*", "x \x11"), LogTypeChance::None);
  EXPECT_FALSE(PatternMachine::make(PatternAtoms::of_pattern(words + words), false, true));
  EXPECT_FALSE(PatternMachine::make(PatternAtoms::of_pattern("a\xC3*\xA9"), false, true));
}

TEST(ClpsPatternMachine, CharactersCutByAVariableAreLeftToTheTextItself) {
  const auto machine =
      PatternMachine::make(PatternAtoms::of_pattern(query::fold_case("*key*")), true, true);
  // The sign for Kelvin folds to k, but its octets may stand in two places.
  EXPECT_EQ(machine->chance(log_type_of("\x12\xAA"
                                        "ey")),
            LogTypeChance::Some);
  EXPECT_EQ(machine->chance(log_type_of("\xE2\x84\x12")), LogTypeChance::Some);
  EXPECT_EQ(machine->chance(log_type_of("a KEY \x12")), LogTypeChance::All);
}

// Random log types, patterns and variables from an alphabet in which much meets.
class ClpsPatternMachineSamples : public testing::TestWithParam<unsigned> {
 protected:
  std::mt19937 random_{GetParam()};

  std::size_t below(std::size_t n) { return random_() % n; }
  std::string pick(const std::vector<std::string>& from, std::size_t most) {
    std::string text;
    for (std::size_t i = below(most + 1); i > 0; --i) {
      text += from[below(from.size())];
    }
    return text;
  }
  std::string variable(Placeholder kind) {
    static const std::vector<std::string> kDigits = {"0", "1", "2"};
    switch (kind) {
      case Placeholder::Integer:
        return (below(3) == 0 ? "-" : "") + std::to_string(below(130));
      case Placeholder::Float:
        return (below(3) == 0 ? "-" : "") + pick(kDigits, 2) + "." + kDigits[below(3)] +
               pick(kDigits, 1);
      default:
        return pick({"a", "b", "1", " ", "\xC3\xA9", "\xC3", "\xA9", "A", "-", "."}, 3);
    }
  }
};

TEST_P(ClpsPatternMachineSamples, AreNeverContradictedByATextThatMatches) {
  static const std::vector<std::string> kLiterals = {"a", "b", "1", " ",    "\xC3\xA9",
                                                     "A", "-", ".", "\xC3", "\xA9"};
  static const std::vector<std::string> kAtoms = {"a", "b", "1", " ", "\xC3\xA9", "A",
                                                  "-", ".", "*", "?", "*"};
  std::size_t decided = 0;
  for (int round = 0; round < 400; ++round) {
    const bool folded = below(2) == 0;
    const std::string pattern = pick(kAtoms, 5);
    std::string stored;
    for (std::size_t i = below(4); i > 0; --i) {
      stored += pick(kLiterals, 3) + static_cast<char>(0x11 + below(3));
    }
    stored += pick(kLiterals, 3);
    const PatternAtoms atoms =
        PatternAtoms::of_pattern(folded ? query::fold_case(pattern) : pattern);
    const auto machine = PatternMachine::make(atoms, folded, true);
    ASSERT_TRUE(machine);
    const LogType type = log_type_of(stored);
    const LogTypeChance chance = machine->chance(type);
    decided += chance != LogTypeChance::Some ? 1 : 0;
    for (int sample = 0; sample < 60; ++sample) {
      std::string text;
      bool in_piece = false;
      for (const Segment& segment : type.segments()) {
        text += type.literal(segment);
        const std::string value = variable(segment.placeholder);
        text += value;
        in_piece = in_piece || (segment.placeholder == Placeholder::Dictionary &&
                                (folded ? query::fold_case(value) : value).find(atoms.longest) !=
                                    std::string::npos);
      }
      text += type.tail();
      const bool matches =
          folded ? query::wildcard_match(query::fold_case(pattern), query::fold_case(text))
                 : query::wildcard_match(pattern, text);
      const std::string what = pattern + " on " + testing::PrintToString(text);
      if (matches) {
        EXPECT_NE(chance, LogTypeChance::None) << what;
        EXPECT_TRUE(chance != LogTypeChance::InPiece || in_piece) << what;
      } else {
        EXPECT_NE(chance, LogTypeChance::All) << what;
      }
    }
  }
  EXPECT_GT(decided, 100U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ClpsPatternMachineSamples, testing::Range(0U, 20U));

}  // namespace
}  // namespace fonds::clps
