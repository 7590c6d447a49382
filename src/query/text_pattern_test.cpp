#include "query/text_pattern.hpp"

#include <cstddef>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fonds/query.hpp>

#include "base/utf8.hpp"

namespace fonds::query {
namespace {

struct QueryWildcardCase {
  std::string_view pattern;
  std::string_view text;
  bool matches;
};
void PrintTo(const QueryWildcardCase& c, std::ostream* out) {
  *out << c.pattern << " on " << c.text;
}

class QueryWildcards : public testing::TestWithParam<QueryWildcardCase> {};

TEST_P(QueryWildcards, MatchWholeTexts) {
  EXPECT_EQ(wildcard_match(GetParam().pattern, GetParam().text), GetParam().matches);
}

INSTANTIATE_TEST_SUITE_P(
    All, QueryWildcards,
    testing::Values(
        QueryWildcardCase{"", "", true}, QueryWildcardCase{"", "x", false},
        QueryWildcardCase{"*", "", true}, QueryWildcardCase{"*", "anything", true},
        QueryWildcardCase{"***", "", true}, QueryWildcardCase{"?", "", false},
        QueryWildcardCase{"?", "x", true}, QueryWildcardCase{"?", "xy", false},
        QueryWildcardCase{"abc", "abc", true}, QueryWildcardCase{"abc", "abcd", false},
        QueryWildcardCase{"abc", "ab", false}, QueryWildcardCase{"a*", "a", true},
        QueryWildcardCase{"a*", "ba", false}, QueryWildcardCase{"*a", "ba", true},
        QueryWildcardCase{"*a", "ab", false}, QueryWildcardCase{"*a*", "bab", true},
        QueryWildcardCase{"a*a", "a", false}, QueryWildcardCase{"a*a", "aa", true},
        QueryWildcardCase{"ab*ba", "aba", false}, QueryWildcardCase{"*ab*ab*", "aab", false},
        QueryWildcardCase{"*ab*ab*", "abab", true}, QueryWildcardCase{"*ab*ba", "abba", true},
        QueryWildcardCase{"*?", "", false}, QueryWildcardCase{"?*?", "x", false},
        QueryWildcardCase{"?*?", "xy", true}, QueryWildcardCase{"*?*?*", "xy", true},
        QueryWildcardCase{"*1?5*", "a125b", true}, QueryWildcardCase{"*1?5*", "115", true},
        QueryWildcardCase{"*1?5", "1105x105", true}, QueryWildcardCase{"*1??5", "11105", true},
        QueryWildcardCase{"?n?code", "ünïcode", true},
        QueryWildcardCase{"??n??code", "ünïcode", false}, QueryWildcardCase{"*?ï*", "nï", true},
        QueryWildcardCase{"*ï?", "nïé", true}, QueryWildcardCase{"*ï?", "nï", false},
        QueryWildcardCase{"a?c", "a😀c", true}, QueryWildcardCase{"\\*", "*", true},
        QueryWildcardCase{"\\*", "x", false}, QueryWildcardCase{"a\\?b", "a?b", true},
        QueryWildcardCase{"a\\?b", "axb", false}, QueryWildcardCase{"a\\\\*", "a\\x", true},
        QueryWildcardCase{"a\\\\*", "ax", false}, QueryWildcardCase{"\\", "\\", true},
        QueryWildcardCase{"?", "\xff", true}, QueryWildcardCase{"?", "\xc3", true},
        QueryWildcardCase{"??", "\xc3\xc3", true}, QueryWildcardCase{"*?", "a\xe6\x9d", true},
        QueryWildcardCase{"a??", "a\xe6\x9d", true}, QueryWildcardCase{"*a??", "a\xe6\x9d", true},
        QueryWildcardCase{"a?", "a\xe6\x9d", false}));

// The definition, tried out at every place.
bool matches_naively(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) {
    return text.empty();
  }
  if (pattern.front() == '*') {
    if (matches_naively(pattern.substr(1), text)) {
      return true;
    }
    return !text.empty() && matches_naively(pattern, text.substr(utf8::step(text, 0)));
  }
  if (text.empty()) {
    return false;
  }
  if (pattern.front() == '?') {
    return matches_naively(pattern.substr(1), text.substr(utf8::step(text, 0)));
  }
  if (pattern.front() == '\\' && pattern.size() > 1) {
    pattern.remove_prefix(1);
  }
  return pattern.front() == text.front() && matches_naively(pattern.substr(1), text.substr(1));
}

std::string random_text(std::mt19937& random, const std::vector<std::string>& letters,
                        std::size_t most) {
  std::string text;
  for (std::size_t left = random() % (most + 1); left > 0; --left) {
    text += letters[random() % letters.size()];
  }
  return text;
}

TEST(QueryTextPattern, MatchesWhatTheDefinitionSays) {
  std::mt19937 random(1);
  for (int i = 0; i < 60000; ++i) {
    const std::string pattern =
        random_text(random, {"a", "b", "é", "*", "*", "?", "?", "\\*", "\\?", "\\\\"}, 8);
    const std::string text =
        random_text(random, {"a", "a", "b", "b", "é", "*", "?", "\\", "\xc3", "\xa9"}, 9);
    ASSERT_EQ(wildcard_match(pattern, text), matches_naively(pattern, text))
        << "pattern " << pattern << " text " << testing::PrintToString(text);
  }
}

TEST(QueryTextPattern, MayTakeOctetsForOneMark) {
  const TextPattern pattern("??n??code", Folding::None, OneMark::Octet);
  EXPECT_TRUE(pattern.matches("ünïcode"));
  EXPECT_FALSE(pattern.matches("unicode"));
  EXPECT_TRUE(TextPattern("*?\xa9", Folding::None, OneMark::Octet).matches("é"));
}

TEST(QueryTextPattern, FoldsPatternAndText) {
  const TextPattern simple("*CAFÉ ?", Folding::Simple, OneMark::CodePoint);
  EXPECT_TRUE(simple.matches("un café É"));
  const TextPattern ascii("*CAFÉ ?", Folding::Ascii, OneMark::CodePoint);
  EXPECT_FALSE(ascii.matches("un café É"));
  EXPECT_TRUE(ascii.matches("un cafÉ x"));
}

TEST(QueryTextPattern, TellsItsPieces) {
  const auto pieces = [](std::string_view pattern) {
    return TextPattern(pattern, Folding::None, OneMark::CodePoint).pieces();
  };
  EXPECT_THAT(pieces("a\\*b*c?d??"), testing::ElementsAre("a*b", "c", "d"));
  EXPECT_THAT(pieces("*?*"), testing::IsEmpty());
  EXPECT_THAT(pieces(""), testing::IsEmpty());
  EXPECT_THAT(pieces("**x"), testing::ElementsAre("x"));
}

TEST(QueryTextPattern, TellsTheOneTextWithoutWildcards) {
  EXPECT_EQ(TextPattern("a\\?", Folding::None, OneMark::CodePoint).exact(), "a?");
  EXPECT_EQ(TextPattern("", Folding::None, OneMark::CodePoint).exact(), "");
  EXPECT_EQ(TextPattern("a?", Folding::None, OneMark::CodePoint).exact(), std::nullopt);
  EXPECT_EQ(TextPattern("a*", Folding::None, OneMark::CodePoint).exact(), std::nullopt);
}

// Exponential matchers do not come back from this.
TEST(QueryTextPattern, HostilePatternsEnd) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) {
    pattern += "*a?";
  }
  pattern += "*b*c";
  EXPECT_FALSE(wildcard_match(pattern, std::string(20000, 'a') + "c"));
}

}  // namespace
}  // namespace fonds::query
