#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fonds/query.hpp>

namespace fonds::query {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Of the one filter of a query.
ValueMatch match_of(std::string_view query, const ParseOptions& options = {}) {
  return {parse(query, options)->root.filter, options};
}

TEST(QueryValueMatch, NumbersMatchNumbersAndTheirOwnText) {
  const ValueMatch match = match_of("v: 42.0");
  EXPECT_TRUE(match.integer(42));
  EXPECT_TRUE(match.real(42));
  EXPECT_TRUE(match.number("42"));
  EXPECT_TRUE(match.number("4.2e1"));
  EXPECT_TRUE(match.text("42.0"));
  EXPECT_FALSE(match.text("42"));
  EXPECT_FALSE(match.integer(43));
  EXPECT_FALSE(match.boolean(true));
  EXPECT_FALSE(match.null());
  EXPECT_TRUE(match_of("v: +42").text("+42"));
  EXPECT_FALSE(match_of("v: +42").text("42"));
}

TEST(QueryValueMatch, PatternsMatchTextsOnly) {
  const ValueMatch match = match_of("v: 4*");
  EXPECT_TRUE(match.text("42"));
  EXPECT_FALSE(match.integer(42));
  EXPECT_FALSE(match.number("42"));
  EXPECT_TRUE(match.may_match_text());
  EXPECT_FALSE(match.may_match_number());
  EXPECT_FALSE(match_of("v: tru*").boolean(true));
  EXPECT_FALSE(match_of("v: nul?").null());
}

TEST(QueryValueMatch, WordsOfJsonMatchThatValueAndThatText) {
  const ValueMatch match = match_of("v: \"true\"");
  EXPECT_TRUE(match.boolean(true));
  EXPECT_FALSE(match.boolean(false));
  EXPECT_TRUE(match.text("true"));
  EXPECT_FALSE(match.null());
  EXPECT_TRUE(match_of("v: false").boolean(false));
  EXPECT_TRUE(match_of("v: null").null());
  EXPECT_TRUE(match_of("v: null").text("null"));
  EXPECT_FALSE(match_of("v: null").boolean(false));
}

TEST(QueryValueMatch, ExistenceMatchesEverything) {
  const ValueMatch match = match_of("v: *");
  EXPECT_TRUE(match.exists());
  EXPECT_TRUE(match.integer(0) && match.real(std::nan("")) && match.number("1") &&
              match.boolean(false) && match.null() && match.text("") && match.instant(0, "0") &&
              match.json("[]"));
  EXPECT_TRUE(match.may_match_text() && match.may_match_number());
  EXPECT_FALSE(match.exact_text().has_value());
  EXPECT_FALSE(match_of("v: \\*").exists());
}

TEST(QueryValueMatch, RangesMatchNumbersOnly) {
  const ValueMatch match = match_of("v >= 42.5");
  EXPECT_FALSE(match.integer(42));
  EXPECT_TRUE(match.integer(43));
  EXPECT_TRUE(match.real(42.5));
  EXPECT_FALSE(match.real(std::nan("")));
  EXPECT_FALSE(match.text("43"));
  EXPECT_FALSE(match.may_match_text());
  EXPECT_TRUE(match.may_match_number());
  EXPECT_THAT(match.pieces(), testing::IsEmpty());
  EXPECT_TRUE(match_of("v < 1e308").integer(std::numeric_limits<std::int64_t>::max()));
  EXPECT_TRUE(match_of("v <= -5").integer(-5));
  EXPECT_FALSE(match_of("v < -5").integer(-5));
  EXPECT_TRUE(match_of("v > \"5\"").integer(6));
}

TEST(QueryValueMatch, NumbersOfJsonCountByTheirSpelling) {
  EXPECT_TRUE(match_of("v: 18446744073709551615").number("18446744073709551615"));
  EXPECT_FALSE(match_of("v: 18446744073709551615").number("18446744073709551616"));
  EXPECT_FALSE(match_of("v: 18446744073709551615").number("18446744073709551615.0"));
  EXPECT_TRUE(match_of("v: 9007199254740993").number("9007199254740993"));
  EXPECT_FALSE(match_of("v: 9007199254740993.0").number("9007199254740993"));
  EXPECT_TRUE(match_of("v: -0").number("-0.0"));
  EXPECT_TRUE(match_of("v > 1e308").number("1e999"));
  EXPECT_TRUE(match_of("v < 0").number("-1e999"));
  EXPECT_FALSE(match_of("v: 1e999").number("1e999"));
  EXPECT_TRUE(match_of("v: 1e999").text("1e999"));
}

TEST(QueryValueMatch, TimestampsAgainstNumbersAreNanosecondsOrSeconds) {
  const ValueMatch match = match_of("v: timestamp(\"2024-03-01T00:00:01.1Z\")");
  EXPECT_TRUE(match.integer(1709251201100000000));
  EXPECT_FALSE(match.integer(1709251201));
  EXPECT_TRUE(match.real(1709251201.1));
  EXPECT_TRUE(match.number("1709251201100000000"));
  EXPECT_TRUE(match.number("1709251201.1"));
  EXPECT_FALSE(match.text("2024-03-01T00:00:01.1Z"));
  EXPECT_FALSE(match.may_match_text());
  EXPECT_TRUE(match_of("v < timestamp(\"1970-01-01T00:00:00Z\")").real(-0.5));
  EXPECT_TRUE(match_of("v: timestamp(\"1969-12-31T23:59:59.5Z\")").real(-0.5));
  EXPECT_TRUE(match_of("v < timestamp(\"1\")").number("-99999999999999999999"));
}

TEST(QueryValueMatch, TimestampColumnsCompareByInstant) {
  const ValueMatch match = match_of("ts: timestamp(\"2024-03-01T02:00:01+02:00\")");
  EXPECT_TRUE(match.instant(1709251201 * kSecond, "\"2024-03-01T00:00:01Z\""));
  EXPECT_FALSE(match.instant(1709251202 * kSecond, "\"2024-03-01T00:00:02Z\""));
  EXPECT_TRUE(match_of("ts > timestamp(\"1970-01-01T00:00:00Z\")").instant(1, "1"));
}

TEST(QueryValueMatch, BareNumbersAgainstTimestampColumnsHaveTheUnitOfTheirSize) {
  for (const std::string_view bound :
       {"1709251205", "1709251205000", "1709251205000000", "1709251205000000000", "1709251205.0"}) {
    const ValueMatch match = match_of("ts > " + std::string(bound));
    EXPECT_FALSE(match.instant(1709251205 * kSecond, "1709251205")) << bound;
    EXPECT_TRUE(match.instant(1709251205 * kSecond + 1, "1709251205000000001")) << bound;
  }
  EXPECT_TRUE(match_of("ts < 99999999999999999999").instant(5, "5"));
  EXPECT_FALSE(match_of("ts < -99999999999999999999").instant(5, "5"));
}

TEST(QueryValueMatch, TimestampsThatWereStringsAreTextsToo) {
  const std::string_view json = "\"2024-03-01T00:00:01Z\"";
  EXPECT_TRUE(match_of("ts: \"2024-03-01*\"").instant(1, json));
  EXPECT_TRUE(match_of("ts: \"2024-03-01T00:00:01Z\"").instant(1, json));
  EXPECT_FALSE(match_of("ts: \"2024-03-02*\"").instant(1, json));
  EXPECT_TRUE(match_of("ts: \"a\\\\b\"").instant(1, "\"a\\\\b\""));
  EXPECT_FALSE(match_of("ts: 17*").instant(1709251201 * kSecond, "1709251201"));
  EXPECT_TRUE(match_of("ts: 17*").instant(1709251201 * kSecond, "\"1709251201\""));
}

TEST(QueryValueMatch, CaseIsIgnoredInTextsOnly) {
  const ParseOptions ignore{.ignore_case = true};
  EXPECT_TRUE(match_of("v: straSSe", ignore).text("STRASSE"));
  EXPECT_TRUE(match_of("v: \"NAÏVE É*\"", ignore).text("naïve é!"));
  EXPECT_FALSE(match_of("v: TRUE", ignore).boolean(true));
  EXPECT_TRUE(match_of("v: TRUE", ignore).text("true"));
  EXPECT_FALSE(match_of("v: info").text("INFO"));
  EXPECT_FALSE(match_of("v: info", ignore).exact_text().has_value());
  EXPECT_THAT(match_of("v: \"A*É\"", ignore).pieces(), testing::ElementsAre("a", "é"));
}

TEST(QueryValueMatch, OfClpsFoldsAsciiAndTakesOctets) {
  const ParseOptions clps{.meaning = Meaning::ClpS, .ignore_case = true};
  EXPECT_FALSE(match_of("v: É", clps).text("é"));
  EXPECT_TRUE(match_of("v: ABC", clps).text("abc"));
  EXPECT_TRUE(match_of("v: ??", clps).text("é"));
  EXPECT_FALSE(match_of("v: ?", clps).text("é"));
}

TEST(QueryValueMatch, TellsExactTextsAndPieces) {
  EXPECT_EQ(match_of("v: \"a b\\*\"").exact_text(), "a b*");
  EXPECT_EQ(match_of("v: 42").exact_text(), "42");
  EXPECT_EQ(match_of("v: \"\"").exact_text(), "");
  EXPECT_EQ(match_of("v: a*").exact_text(), std::nullopt);
  EXPECT_EQ(match_of("v > 42").exact_text(), std::nullopt);
  EXPECT_THAT(match_of("v: \"*took 1?5 *\\?\"").pieces(),
              testing::ElementsAre("took 1", "5 ", "?"));
}

TEST(QueryValueMatch, ArraysMatchIfAnElementDoes) {
  EXPECT_TRUE(match_of("v: 2").json("[1, 2, 3]"));
  EXPECT_TRUE(match_of("v: 2").json("[1, [[2]], 3]"));
  EXPECT_TRUE(match_of("v > 2").json("[1, \"x\", 2.5]"));
  EXPECT_FALSE(match_of("v: \"[1]\"").json("[1]"));
  EXPECT_TRUE(match_of("v: y*").json("[\"x\", \"y z\"]"));
  EXPECT_TRUE(match_of("v: \"é\"").json(R"(["\u00e9"])"));
  EXPECT_TRUE(match_of("v: true").json("[true]"));
  EXPECT_TRUE(match_of("v: null").json("[null]"));
  EXPECT_FALSE(match_of("v: null").json("[]"));
  EXPECT_FALSE(match_of("v: 1").json("[{\"a\": 1}]"));
  EXPECT_TRUE(match_of("v: 1").json("[{\"a\": [2]}, 1]"));
  EXPECT_TRUE(match_of("v: 1").json("1"));
}

TEST(QueryValueMatch, DamagedJsonMatchesNothing) {
  EXPECT_FALSE(match_of("v: 1").json("[1"));
  EXPECT_FALSE(match_of("v: *").json("[1"));
  EXPECT_FALSE(match_of("v: 1").json("[1] x"));
  EXPECT_FALSE(match_of("v: *").json(""));
}

}  // namespace
}  // namespace fonds::query
