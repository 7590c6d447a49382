#include "format/clps/searching/compat_pattern.hpp"

#include <gtest/gtest.h>

namespace fonds::clps::compat {
namespace {

struct ClpsPatternCase {
  std::string_view pattern, text;
  bool matches;
};
void PrintTo(const ClpsPatternCase& c, std::ostream* out) { *out << c.pattern << " " << c.text; }

class ClpsCompatPattern : public testing::TestWithParam<ClpsPatternCase> {};

TEST_P(ClpsCompatPattern, MatchesWholeTextsOctetByOctet) {
  const auto& [pattern, text, matches] = GetParam();
  EXPECT_EQ(OctetPattern(pattern, false).matches(text), matches);
}

INSTANTIATE_TEST_SUITE_P(
    All, ClpsCompatPattern,
    testing::Values(ClpsPatternCase{"", "", true}, ClpsPatternCase{"", "a", false},
                    ClpsPatternCase{"*", "", true}, ClpsPatternCase{"?", "", false},
                    ClpsPatternCase{"*a", "", false}, ClpsPatternCase{"a*c", "abc", true},
                    ClpsPatternCase{"a*c", "ac", true}, ClpsPatternCase{"a*c", "acb", false},
                    ClpsPatternCase{"*b*b", "abab", true}, ClpsPatternCase{"*?c", "abc", true},
                    ClpsPatternCase{"*?c", "c", false}, ClpsPatternCase{"?", "\xC3", true},
                    ClpsPatternCase{"?", "\xC3\xA9", false}, ClpsPatternCase{"\\*", "*", true},
                    ClpsPatternCase{"\\*", "a", false}, ClpsPatternCase{"a\\?", "a?", true},
                    ClpsPatternCase{"a\\?", "ab", false}, ClpsPatternCase{"ab", "abc", false},
                    ClpsPatternCase{"*ab*abc", "ababc", true},
                    ClpsPatternCase{"*ab*abc", "abxababc", true}));

// What follows is wrong, but what clp-s says.
INSTANTIATE_TEST_SUITE_P(
    BehindAStar, ClpsCompatPattern,
    testing::Values(ClpsPatternCase{"*\\*", "a*", true}, ClpsPatternCase{"*\\*", "*a*", true},
                    ClpsPatternCase{"*\\*", "*a*b", true}, ClpsPatternCase{"*\\*", "*ab", false},
                    ClpsPatternCase{"*\\\\", "1\\", true}, ClpsPatternCase{"*\\\\", "\\1\\", false},
                    ClpsPatternCase{"*\\\\", "\\1\\\\", true}));

TEST(ClpsCompatPattern, IsRightUnlessAnEscapeFollowsTheLastStar) {
  EXPECT_TRUE(OctetPattern("a*b", false).is_right());
  EXPECT_TRUE(OctetPattern("*a\\*", false).is_right());
  EXPECT_TRUE(OctetPattern("*\\*a*b", false).is_right());
  EXPECT_TRUE(OctetPattern("\\**a", false).is_right());
  EXPECT_FALSE(OctetPattern("*\\*", false).is_right());
  EXPECT_FALSE(OctetPattern("a*\\?b", false).is_right());
}

TEST(ClpsCompatPattern, FoldsLettersOfAsciiOnly) {
  EXPECT_TRUE(OctetPattern("A*\xC3\xA9", true).matches("aB\xC3\xA9"));
  EXPECT_FALSE(OctetPattern("\xC3\x89", true).matches("\xC3\xA9"));
}

TEST(ClpsCompatPattern, EndsWhereAnEscapeOfNothingStands) {
  EXPECT_FALSE(OctetPattern("a\\", false).matches("a\\"));
  EXPECT_FALSE(OctetPattern("*\\", false).matches("ab"));
  EXPECT_FALSE(OctetPattern("*\\", false).matches(std::string_view("a\0b", 3)));
  EXPECT_FALSE(OctetPattern("*\\", false).matches(std::string_view("a\0", 2)));
}

}  // namespace
}  // namespace fonds::clps::compat
