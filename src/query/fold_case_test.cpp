#include "query/fold_case.hpp"

#include <ostream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <fonds/query.hpp>

#include "base/utf8.hpp"

namespace fonds::query {
namespace {

struct QueryFoldCase {
  std::string_view text;
  std::string_view folded;
};
void PrintTo(const QueryFoldCase& c, std::ostream* out) { *out << c.text; }

class QueryFolds : public testing::TestWithParam<QueryFoldCase> {};

TEST_P(QueryFolds, AreThoseOfUnicode) { EXPECT_EQ(fold_case(GetParam().text), GetParam().folded); }

// One of each kind of run, and what only full folding (status F) or Turkish (T) would change.
INSTANTIATE_TEST_SUITE_P(
    All, QueryFolds,
    testing::Values(QueryFoldCase{"AZaz09_[", "azaz09_["}, QueryFoldCase{"ÉÀÞ×÷ß", "éàþ×÷ß"},
                    QueryFoldCase{"ẞ", "ß"}, QueryFoldCase{"ĀāĂ", "āāă"}, QueryFoldCase{"ŸŽ", "ÿž"},
                    QueryFoldCase{"ſ", "s"}, QueryFoldCase{"µ", "μ"}, QueryFoldCase{"Σςσ", "σσσ"},
                    QueryFoldCase{"ΩΩ", "ωω"}, QueryFoldCase{"K", "k"}, QueryFoldCase{"Å", "å"},
                    QueryFoldCase{"ЁЯ", "ёя"}, QueryFoldCase{"Ա", "ա"}, QueryFoldCase{"Ა", "ა"},
                    QueryFoldCase{"ꭰ", "Ꭰ"}, QueryFoldCase{"Ꮀ", "Ꮀ"}, QueryFoldCase{"ᾈ", "ᾀ"},
                    QueryFoldCase{"Ⅷ", "ⅷ"}, QueryFoldCase{"Ⓐ", "ⓐ"}, QueryFoldCase{"Ⱥ", "ⱥ"},
                    QueryFoldCase{"Ａ", "ａ"}, QueryFoldCase{"𐐀", "𐐨"}, QueryFoldCase{"𞤀", "𞤢"},
                    QueryFoldCase{"İıﬀŉ", "İıﬀŉ"}, QueryFoldCase{"東京😀", "東京😀"}));

TEST(QueryFoldCaseText, OctetsThatAreNoUtf8Stay) {
  EXPECT_EQ(fold_case("A\xc3"), "a\xc3");
  EXPECT_EQ(fold_case("\xff\xc3\x89X"), "\xff\xc3\xa9x");
  EXPECT_EQ(fold_case("\xed\xa0\x80Z"), "\xed\xa0\x80z");
}

TEST(QueryFoldCaseText, WhatFollowsACharacterThatGrowsIsFoldedToo) {
  EXPECT_EQ(fold_case("ABCDEFGHIJÉKLMNOPQRȺSTUVWXYZABC\xc3ÉD"),
            "abcdefghijéklmnopqrⱥstuvwxyzabc\xc3éd");
}

TEST(QueryFoldCaseText, FoldingAgainChangesNothing) {
  std::string all;
  for (char32_t c = 0; c < 0x20000; ++c) {
    if (c < 0xd800 || c > 0xdfff) {
      utf8::append(all, c);
    }
  }
  const std::string folded = fold_case(all);
  EXPECT_NE(folded, all);
  EXPECT_EQ(fold_case(folded), folded);
}

TEST(QueryFoldCaseText, AsciiFoldingLeavesOthers) {
  std::string out = "old";
  fold_into(out, "AÉz", Folding::Ascii);
  EXPECT_EQ(out, "aÉz");
  fold_into(out, "AÉz", Folding::None);
  EXPECT_EQ(out, "AÉz");
}

}  // namespace
}  // namespace fonds::query
