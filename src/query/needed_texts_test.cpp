#include "query/needed_texts.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fonds/query.hpp>

namespace fonds::query {
namespace {

using Clauses = std::vector<NeededTexts::Clause>;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Clauses needed(std::string_view text, bool ignore_case = false) {
  return needed_texts(*parse(text, {.ignore_case = ignore_case})).clauses;
}

TEST(NeededTexts, ATextStandsInQuotesBeforeItsKey) {
  EXPECT_THAT(needed("level: ERROR"),
              ElementsAre(ElementsAre("\"ERROR\""), ElementsAre("\"level\"")));
}

TEST(NeededTexts, OfAPatternItsPieces) {
  EXPECT_THAT(needed("*one*two?"), ElementsAre(ElementsAre("one"), ElementsAre("two")));
}

TEST(NeededTexts, WhatNumbersAndConstantsMatchHasOtherSpellings) {
  EXPECT_THAT(needed("a: 42"), ElementsAre(ElementsAre("\"a\"")));
  EXPECT_THAT(needed("a: true"), ElementsAre(ElementsAre("\"a\"")));
  EXPECT_THAT(needed("a > 5"), ElementsAre(ElementsAre("\"a\"")));
  EXPECT_THAT(needed("a: timestamp(\"2024-01-01T00:00:00\")"), ElementsAre(ElementsAre("\"a\"")));
}

TEST(NeededTexts, OtherLetterCaseLeavesTheKey) {
  EXPECT_THAT(needed("a: text", true), ElementsAre(ElementsAre("\"a\"")));
}

TEST(NeededTexts, AlternativesAreOneClause) {
  EXPECT_THAT(needed("a: x or b: y"), ElementsAre(ElementsAre("\"x\"", "\"y\"")));
  EXPECT_THAT(needed("a: x or b: 5"), ElementsAre(ElementsAre("\"x\"", "\"b\"")));
  EXPECT_THAT(needed("a: x or 5"), IsEmpty());
}

TEST(NeededTexts, ConjunctionsNeedAllValuesFirst) {
  EXPECT_THAT(needed("a: 5 and b: y"),
              ElementsAre(ElementsAre("\"y\""), ElementsAre("\"a\""), ElementsAre("\"b\"")));
}

TEST(NeededTexts, NegationsNeedNothing) {
  EXPECT_THAT(needed("not a: x"), IsEmpty());
  EXPECT_THAT(needed("not a: x and b: y"), ElementsAre(ElementsAre("\"y\""), ElementsAre("\"b\"")));
}

TEST(NeededTexts, OfTextsThatAreAlwaysEscapedTheRest) {
  EXPECT_THAT(needed(R"(a: "say \"hello\"")"),
              ElementsAre(ElementsAre("hello"), ElementsAre("\"a\"")));
}

TEST(NeededTexts, OtherTreesOfKeysAreNotInTheText) {
  EXPECT_THAT(needed("@a: x"), IsEmpty());
  EXPECT_THAT(needed("$a: x"), IsEmpty());
}

TEST(MayHide, EscapesOfCharactersThatNeedNone) {
  EXPECT_TRUE(may_hide(R"({"a":"\u0041"})"));
  EXPECT_TRUE(may_hide(R"({"a":"x\/"})"));
  EXPECT_FALSE(may_hide(R"({"a":"x\\u0041 \" \n"})"));
  EXPECT_FALSE(may_hide("\\"));
  EXPECT_FALSE(may_hide(""));
}

}  // namespace
}  // namespace fonds::query
