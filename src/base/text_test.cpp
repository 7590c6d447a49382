#include "base/text.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace fonds {
namespace {

using std::string_view_literals::operator""sv;

struct Utf8Case {
  std::string_view name;
  std::string_view text;
  bool good;
};

class IsUtf8 : public testing::TestWithParam<Utf8Case> {};

TEST_P(IsUtf8, FollowsTheTableOfWellFormedSequences) {
  EXPECT_EQ(is_utf8(GetParam().text), GetParam().good);
}

INSTANTIATE_TEST_SUITE_P(
    Table, IsUtf8,
    testing::Values(
        Utf8Case{"Empty", "", true}, Utf8Case{"Ascii", "plain old text", true},
        Utf8Case{"Nul", "a\0b"sv, true}, Utf8Case{"TwoOctets", "\xc3\xbc", true},
        Utf8Case{"SmallestTwo", "\xc2\x80", true}, Utf8Case{"ThreeOctets", "\xe2\x82\xac", true},
        Utf8Case{"SmallestThree", "\xe0\xa0\x80", true},
        Utf8Case{"FourOctets", "\xf0\x9f\x98\x80", true},
        Utf8Case{"LastCharacter", "\xf4\x8f\xbf\xbf", true},
        Utf8Case{"BeforeSurrogates", "\xed\x9f\xbf", true},
        Utf8Case{"BehindSurrogates", "\xee\x80\x80", true},
        Utf8Case{"LoneContinuation", "\x80", false}, Utf8Case{"OverlongTwo", "\xc0\xaf", false},
        Utf8Case{"OverlongTwoHigh", "\xc1\xbf", false},
        Utf8Case{"OverlongThree", "\xe0\x9f\xbf", false},
        Utf8Case{"OverlongFour", "\xf0\x8f\xbf\xbf", false},
        Utf8Case{"FirstSurrogate", "\xed\xa0\x80", false},
        Utf8Case{"LastSurrogate", "\xed\xbf\xbf", false},
        Utf8Case{"BeyondUnicode", "\xf4\x90\x80\x80", false},
        Utf8Case{"LeadF5", "\xf5\x80\x80\x80", false}, Utf8Case{"OctetFF", "abc\xff", false},
        Utf8Case{"CutTwo", "a\xc3", false}, Utf8Case{"CutThree", "\xe2\x82", false},
        Utf8Case{"CutFour", "\xf0\x9f\x98", false},
        Utf8Case{"LatinInLongText", "a long line of text with an \xe9 in it", false},
        Utf8Case{"Utf8InLongText", "a long line of text with an \xc3\xa9 in it", true},
        Utf8Case{"BadLastOctetOfAWord", "1234567\x80", false}),
    [](const testing::TestParamInfo<Utf8Case>& param) { return std::string(param.param.name); });

TEST(ToUtf8, KeepsUtf8AndReadsTheRestAsLatin1) {
  EXPECT_EQ(to_utf8("f\xc3\xbcr"), "f\xc3\xbcr");
  EXPECT_EQ(to_utf8("f\xfcr"), "f\xc3\xbcr");
  EXPECT_EQ(latin1_to_utf8("\x80\xff\x7f"), "\xc2\x80\xc3\xbf\x7f");
}

TEST(EscapeForTerminal, KeepsOrdinaryTextAndBackslashes) {
  EXPECT_EQ(escape_for_terminal("C:\\path gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80"),
            "C:\\path gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80");
}

TEST(EscapeForTerminal, ShowsControlCharactersOfAscii) {
  EXPECT_EQ(escape_for_terminal("a\x1b[31mb\n\t\x7f\0"sv), "a\\x1b[31mb\\x0a\\x09\\x7f\\x00");
}

TEST(EscapeForTerminal, ShowsC1DirectionAndLineSeparators) {
  EXPECT_EQ(escape_for_terminal("\xc2\x85\xc2\x9b"), "\\u{85}\\u{9b}");
  EXPECT_EQ(escape_for_terminal("a\xe2\x80\xae"
                                "b\xe2\x80\xa8\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c"),
            "a\\u{202e}b\\u{2028}\\u{2066}\\u{200f}\\u{61c}");
}

TEST(EscapeForTerminal, ShowsOctetsThatAreNotUtf8) {
  EXPECT_EQ(escape_for_terminal("\xe9t\xe2\x82\xff"), "\\xe9t\\xe2\\x82\\xff");
}

TEST(Case, IsFoldedForAsciiOnly) {
  EXPECT_EQ(to_lower("WARC-Type \xc3\x9c@[`{"), "warc-type \xc3\x9c@[`{");
  EXPECT_TRUE(equals_ignoring_case("Content-LENGTH", "content-length"));
  EXPECT_FALSE(equals_ignoring_case("abc", "abcd"));
  EXPECT_FALSE(equals_ignoring_case("@", "`"));
  EXPECT_TRUE(starts_with_ignoring_case("HTTP/1.1", "http/"));
  EXPECT_FALSE(starts_with_ignoring_case("HTT", "http"));
}

TEST(Trim, TakesBlanksAndLineEndsOffBothEnds) {
  EXPECT_EQ(trim(" \t\r\n a b \r\n"), "a b");
  EXPECT_EQ(trim(" \t "), "");
  EXPECT_EQ(trim("\x0b"), "\x0b");
}

TEST(ParseNumber, TakesDigitsOfUpTo64BitsAndNothingElse) {
  EXPECT_EQ(parse_number("0"), 0U);
  EXPECT_EQ(parse_number("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(parse_number("18446744073709551616"), std::nullopt);
  EXPECT_EQ(parse_number(""), std::nullopt);
  EXPECT_EQ(parse_number("+1"), std::nullopt);
  EXPECT_EQ(parse_number(" 1"), std::nullopt);
  EXPECT_EQ(parse_number("1x"), std::nullopt);
}

}  // namespace
}  // namespace fonds
