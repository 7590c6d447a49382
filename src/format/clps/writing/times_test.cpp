#include "format/clps/writing/times.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fonds/formats/clps.hpp>

#include "format/clps/reading/date_string.hpp"
#include "format/clps/testing.hpp"
#include "format/clps/writing/times_testing.hpp"

namespace fonds::clps {
namespace {

using testing::ElementsAre;
using testing_archive::word;
using testing_times::Hit;
using testing_times::kNew;
using testing_times::kOld;
using testing_times::listed;
using testing_times::match_json;
using testing_times::stored_text;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

// Of a value alone: the stored pattern, or "none".
std::string pattern_of(Version version, std::string_view token) {
  TimePatterns patterns = TimePatterns::start(version);
  const std::optional<Hit> hit = match_json(patterns, token);
  if (!hit) {
    EXPECT_EQ(patterns.size(), 0U);
    return "none";
  }
  EXPECT_EQ(hit->pattern, 0U);
  EXPECT_EQ(stored_text(version, patterns.pattern(0), hit->value), token);
  return std::string(patterns.pattern(0));
}

struct ClpsTimeChoice {
  const char* token;
  const char* pattern;
};

class ClpsTimeChosen : public testing::TestWithParam<ClpsTimeChoice> {};

TEST_P(ClpsTimeChosen, IsThePatternThatPrintsTheText) {
  EXPECT_EQ(pattern_of(kNew, GetParam().token), GetParam().pattern);
}

#define MONTHS R"(\B{Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec})"
INSTANTIATE_TEST_SUITE_P(
    Each, ClpsTimeChosen,
    testing::Values(
        ClpsTimeChoice{R"("2024-01-02T03:04:05.123Z")", R"("\Y-\m-\dT\H:\M:\S.\3Z")"},
        ClpsTimeChoice{R"("2024-01-02 03:04:05,123456+05:30")",
                       R"("\Y-\m-\d \H:\M:\S,\6\z{+05:30}")"},
        ClpsTimeChoice{R"("2024-01-02T03:04:60 UTC-01")", R"("\Y-\m-\dT\H:\M:\J UTC\z{-01}")"},
        ClpsTimeChoice{R"("2024/01-02 03:04:05,12")", R"("\Y/\m-\d \H:\M:\S,\T")"},
        ClpsTimeChoice{R"("2024-01-02 03:04:05")", R"("\Y-\m-\d \H:\M:\S")"},
        ClpsTimeChoice{R"("[2024-01-02 03:04:05,123]")", R"("[\Y-\m-\d \H:\M:\S,\3]")"},
        ClpsTimeChoice{R"("[2024-01-02 03:04:05]")", R"("[\Y-\m-\d \H:\M:\S]")"},
        ClpsTimeChoice{R"("[2024-01-02 03:04:05")", R"("[\Y-\m-\d \H:\M:\S")"},
        ClpsTimeChoice{R"("<<<2024-01-02 03:04:05:123")", R"("<<<\Y-\m-\d \H:\M:\S:\3")"},
        ClpsTimeChoice{R"("02 Jan 2024 03:04:05.5")", R"("\d )" MONTHS R"( \Y \H:\M:\S.\T")"},
        ClpsTimeChoice{R"("[20240102-03:04:05]")", R"("[\Y\m\d-\H:\M:\S]")"},
        ClpsTimeChoice{R"("24/01/02 03:04:05")", R"("\y/\m/\d \H:\M:\S")"},
        ClpsTimeChoice{R"("240102  3:04:05")", R"("\y\m\d \k:\M:\S")"},
        ClpsTimeChoice{R"("Jan 02, 2024  3:04:05 PM")", "\"" MONTHS R"( \d, \Y \l:\M:\S \p")"},
        ClpsTimeChoice{R"("Jan 02, 2024 12:04:05 AM")", "\"" MONTHS R"( \d, \Y \l:\M:\S \p")"},
        ClpsTimeChoice{R"("Jan 02, 2024 03:04:05 PM")", "\"" MONTHS R"( \d, \Y \I:\M:\S \p")"},
        ClpsTimeChoice{R"("May 02, 2024 03:04")",
                       R"("\B{January,February,March,April,May,June,July,August,September,)"
                       R"(October,November,December} \d, \Y \H:\M")"},
        ClpsTimeChoice{R"("[02/Jan-2024:03:04:05")", R"("[\d/)" MONTHS R"(-\Y:\H:\M:\S")"},
        ClpsTimeChoice{R"("Tue Jan  2 03:04:05 2024")",
                       R"("\A{Sun,Mon,Tue,Wed,Thu,Fri,Sat} )" MONTHS R"( \e \H:\M:\S \Y")"},
        ClpsTimeChoice{R"("Jan 02 03:04:05")", "\"" MONTHS R"( \d \H:\M:\S")"},
        ClpsTimeChoice{R"("Jan 02 03:04:05Z")", "\"" MONTHS R"( \d \H:\M:\SZ")"},
        ClpsTimeChoice{R"("01-02 03:04:05.123")", R"("\m-\d \H:\M:\S.\3")"},
        ClpsTimeChoice{R"("1700000000123")", R"("\L")"},
        ClpsTimeChoice{R"("1700000000.123")", R"("\E.\3")"}, ClpsTimeChoice{"0", R"(\E)"},
        ClpsTimeChoice{"-5", R"(\E)"}, ClpsTimeChoice{"1700000000", R"(\E)"},
        ClpsTimeChoice{"1700000000123", R"(\L)"}, ClpsTimeChoice{"1700000000123456", R"(\C)"},
        ClpsTimeChoice{"-1700000000123456", R"(\C)"},
        ClpsTimeChoice{"1700000000123456789", R"(\N)"},
        ClpsTimeChoice{"-9223372036854775808", R"(\N)"}, ClpsTimeChoice{"1.5", R"(\E.\T)"},
        ClpsTimeChoice{"-1.500", R"(\E.\3)"}, ClpsTimeChoice{"0.000", R"(\E.\3)"},
        ClpsTimeChoice{"1700000000.123456789", R"(\E.\9)"}));
#undef MONTHS

class ClpsTimeRefused : public testing::TestWithParam<const char*> {};

TEST_P(ClpsTimeRefused, StaysAnOrdinaryValue) { EXPECT_EQ(pattern_of(kNew, GetParam()), "none"); }

INSTANTIATE_TEST_SUITE_P(
    NoPattern, ClpsTimeRefused,
    testing::Values(R"("")", R"("n/a")", R"("2024-01-02")", R"("2024-01-02T03:04:05.10Z")",
                    R"("2024-01-02T03:04:05.1234567890Z")", R"("2024-01-02T03:04:05 UTC")",
                    R"("2024-01-02T03:04:05 ")", R"(" 2024-01-02T03:04:05")",
                    R"("2024-02-30T03:04:05")", R"("2024-01-02T24:00:00")",
                    R"("Wed Jan  2 03:04:05 2024")", R"("Jan  2 03:04:05")",
                    R"("02 Jan 2024 03:04:05")", R"("240301 00:00:00")",
                    R"("Tue, 19 Sep 2006 17:20:14 GMT")", R"("2024-01-02T03:04:05 EST")",
                    R"("007")", R"("-0")", R"("1700000000.10")", R"("\u0000")",
                    R"("2024-01-02T03:04:05\u0000")", "1.50", "0.0", "-0.5", "-0.500", "1e9",
                    "1.5E3", "1.1234567891"));

INSTANTIATE_TEST_SUITE_P(Beyond64Bits, ClpsTimeRefused,
                         testing::Values(R"("9999-12-31 23:59:59")", R"("0000-01-01 00:00:00")",
                                         R"("1677-09-21T00:12:43.145224191Z")",
                                         R"("2262-04-11T23:47:16.854775808Z")", R"("10000000000")",
                                         R"("-10000000000")", R"("99999999999999999999999")",
                                         R"("9223372037.000")", "10000000000", "-10000000000",
                                         "31536000000", "31536000000000", "31536000000000000",
                                         "9223372036.854775808", "99999999999999999999.5"));

TEST(ClpsTimePatterns, ReachBothEndsOf64Bits) {
  TimePatterns patterns = TimePatterns::start(kNew);
  EXPECT_EQ(patterns.match_string("1677-09-21T00:12:43.145224192Z"), (Hit{kMin, 0}));
  EXPECT_EQ(patterns.match_string("2262-04-11T23:47:16.854775807Z"), (Hit{kMax, 0}));
  EXPECT_EQ(patterns.match_float("-9223372036.854775808"), (Hit{kMin, 1}));
  EXPECT_EQ(patterns.match_integer(kMin), (Hit{kMin, 2}));
  EXPECT_EQ(patterns.match_integer(9223372036), (Hit{9223372036000000000, 3}));
}

TEST(ClpsTimePatterns, AreNumberedByTheirFirstUse) {
  TimePatterns patterns = TimePatterns::start(kNew);
  EXPECT_EQ(patterns.match_string("2024-01-02 03:04:05")->pattern, 0U);
  EXPECT_EQ(patterns.match_integer(5)->pattern, 1U);
  EXPECT_EQ(patterns.match_string("2024-01-02 03:04:05Z")->pattern, 2U);
  EXPECT_EQ(patterns.match_string("1971-01-02 03:04:05")->pattern, 0U);
  EXPECT_EQ(patterns.match_integer(-7)->pattern, 1U);
  EXPECT_THAT(listed(patterns),
              ElementsAre(R"("\Y-\m-\d \H:\M:\S")", R"(\E)", R"("\Y-\m-\d \H:\M:\SZ")"));
}

TEST(ClpsTimePatterns, PreferWhatWasUsedBefore) {
  TimePatterns patterns = TimePatterns::start(kNew);
  ASSERT_TRUE(patterns.match_string("2024-01-02T03:04:05.12Z"));  // trimmed
  EXPECT_EQ(patterns.match_string("2024-01-02T03:04:05.123Z")->pattern, 0U);
  EXPECT_EQ(patterns.match_string("2024-01-02T03:04:05.120Z")->pattern, 1U);
  EXPECT_EQ(patterns.match_string("2024-01-02T03:04:05.123Z")->pattern, 0U);
  ASSERT_EQ(patterns.match_float("1.5")->pattern, 2U);
  EXPECT_EQ(patterns.match_float("1.125")->pattern, 2U);
}

TEST(ClpsTimePatterns, KeepStringsAndNumbersApart) {
  TimePatterns patterns = TimePatterns::start(kNew);
  EXPECT_EQ(patterns.match_integer(5), (Hit{5000000000, 0}));
  EXPECT_EQ(patterns.match_string("5"), (Hit{5000000000, 1}));
  EXPECT_EQ(patterns.match_float("5.5"), (Hit{5500000000, 2}));
  EXPECT_EQ(patterns.match_string("5.5"), (Hit{5500000000, 3}));
  EXPECT_THAT(listed(patterns), ElementsAre(R"(\E)", R"("\E")", R"(\E.\T)", R"("\E.\T")"));
}

TEST(ClpsTimePatterns, TakeANumberInAStringWithAUsedUnitUnlessItOverflows) {
  TimePatterns patterns = TimePatterns::start(kNew);
  ASSERT_EQ(patterns.match_string("1700000000"), (Hit{1700000000000000000, 0}));
  EXPECT_EQ(patterns.match_string("1700000000000"), (Hit{1700000000000000000, 1}));
  // As milliseconds, for its size suggests seconds and those do not fit.
  EXPECT_EQ(patterns.match_string("20000000000"), (Hit{20000000000000000, 1}));
  // An integer's unit comes from its size alone.
  EXPECT_EQ(patterns.match_integer(20000000000), std::nullopt);
}

TEST(ClpsTimePatterns, AddNothingForWhatTheyRefuse) {
  TimePatterns patterns = TimePatterns::start(kNew);
  EXPECT_FALSE(patterns.match_string("9999-12-31 23:59:59"));
  EXPECT_FALSE(patterns.match_integer(10000000000));
  EXPECT_FALSE(patterns.match_float("1e9"));
  EXPECT_EQ(patterns.size(), 0U);
}

TEST(ClpsTimePatterns, AreNotMoreThanTheLimit) {
  TimePatterns patterns = TimePatterns::start(kNew);
  for (int minutes = 0; minutes < 24 * 60; ++minutes) {
    std::array<char, 64> text;
    std::snprintf(text.data(), text.size(), "2024-01-02 03:04:05+%02d:%02d", minutes / 60,
                  minutes % 60);
    const std::optional<Hit> hit = patterns.match_string(text.data());
    EXPECT_EQ(hit.has_value(), minutes < static_cast<int>(kMostTimePatterns)) << text.data();
  }
  EXPECT_EQ(patterns.size(), kMostTimePatterns);
  EXPECT_EQ(patterns.match_string("2024-01-02 03:04:05+00:07")->pattern, 7U);
  EXPECT_FALSE(patterns.match_integer(5));
}

class ClpsTimeOldDefault : public testing::TestWithParam<std::string_view> {};

TEST_P(ClpsTimeOldDefault, TakesWhatItPrints) {
  const auto pattern = DatePattern::parse(GetParam());
  ASSERT_TRUE(pattern.has_value());
  std::mt19937_64 random(8);
  std::uniform_int_distribution<std::int64_t> any(-62167219200000, 253402300799999);
  int taken = 0;
  for (int i = 0; i < 500; ++i) {
    const std::int64_t value = i % 2 == 0 ? any(random) : any(random) / 1000000 * 1000000;
    std::string text;
    pattern->print(value, text);
    const std::optional<std::int64_t> found = pattern->match_exactly(text);
    TimePatterns patterns = TimePatterns::start(kOld);
    const std::optional<Hit> hit = patterns.match_string(text);
    EXPECT_EQ(hit.has_value(), found.has_value()) << text;
    if (hit) {
      ++taken;
      EXPECT_EQ(patterns.pattern(0), GetParam()) << text;
      EXPECT_EQ(hit->value, *found);
      EXPECT_EQ(stored_text(kOld, patterns.pattern(0), hit->value), '"' + text + '"');
    }
  }
  EXPECT_GT(taken, 250);  // not 13 h as 13 PM; not 29 February of no year
}

INSTANTIATE_TEST_SUITE_P(List, ClpsTimeOldDefault, testing::ValuesIn(default_date_patterns()));

TEST(ClpsTimePatterns, BeforeNanosecondsAreInMilliseconds) {
  TimePatterns patterns = TimePatterns::start(kOld);
  EXPECT_EQ(patterns.match_string("2024-01-02T03:04:05.12Z"), (Hit{1704164645120, 0}));
  EXPECT_EQ(patterns.match_string("2024-01-02T03:04:05.123Z"), (Hit{1704164645123, 0}));
  EXPECT_EQ(patterns.match_string("1969-12-31T23:59:59.999"), (Hit{-1, 1}));
  EXPECT_EQ(patterns.match_string("9999-12-31 23:59:59"), (Hit{253402300799000, 2}));
  EXPECT_THAT(listed(patterns),
              ElementsAre("%Y-%m-%dT%H:%M:%S.%TZ", "%Y-%m-%dT%H:%M:%S.%3", "%Y-%m-%d %H:%M:%S"));
}

class ClpsTimeOldRefused : public testing::TestWithParam<const char*> {};

TEST_P(ClpsTimeOldRefused, StaysAnOrdinaryValue) {
  EXPECT_EQ(pattern_of(kOld, GetParam()), "none");
}

INSTANTIATE_TEST_SUITE_P(
    Values, ClpsTimeOldRefused,
    testing::Values(R"("")", R"("2024-01-02T03:04:05.120Z")", R"("2024-01-02T03:04:05.1234Z")",
                    R"("2024-01-02T03:04:05.00Z")", R"("2024-01-02T03:04:05.004+05:30")",
                    R"("2024-01-02T03:04:60Z")", R"("2024-01-02 03:04:05 x")",
                    R"("INFO 2024-01-02 03:04:05")", R"("Mon Jan  2 03:04:05 2024")",
                    R"("240301 00:00:00")", R"("Jan 02, 2024  1:04:05 PM")",
                    R"("Jan 02, 2024 13:04:05 PM")", R"("Jan 02, 2024  0:04:05 AM")",
                    R"("Feb 29 00:00:00")", R"("1700000000")", R"("1700000000.123456789")",
                    R"("2023-02-29 00:00:00")", R"("2024-13-01 00:00:00")",
                    R"("2024-01-02 24:00:00")", "1700000000", "1700000000.5"));

// Values that want many patterns, some of which fit the same values.
std::string any_value(std::mt19937& random, Version version) {
  constexpr auto kTexts = std::to_array<std::string_view>({R"("20000000000")",
                                                           R"("1700000000")",
                                                           R"("1700000000123")",
                                                           R"("1700000000123456")",
                                                           R"("9999-12-31 23:59:59")",
                                                           R"("n/a")",
                                                           "1700000000",
                                                           "1700000000123",
                                                           "20000000000",
                                                           "5.5",
                                                           "5.500",
                                                           "5.125",
                                                           "1e9",
                                                           R"("01-02 03:04:05.123")",
                                                           R"("01-02 03:04:05.12")",
                                                           R"("Jan 02, 2024 12:04:05 AM")",
                                                           R"("Jan 02, 2024  1:04:05 AM")",
                                                           R"("Jan 02, 2024 01:04:05 AM")",
                                                           R"("2024-01-02T03:04:05.1Z")",
                                                           R"("2024-01-02T03:04:05.100Z")",
                                                           R"("2024-01-02T03:04:05.123Z")",
                                                           R"("2024-01-02T03:04:05Z")",
                                                           R"("2024-01-02T03:04:05.123")",
                                                           R"("240102 10:04:05")"});
  std::string_view text;
  do {
    // The first ones more often, so that some pieces have few patterns.
    std::geometric_distribution<std::size_t> place(0.15);
    text = kTexts[place(random) % kTexts.size()];
  } while (version < kNew && !text.starts_with('"'));
  return std::string(text);
}

using Column = std::vector<std::string>;

std::vector<std::optional<Hit>> matched(TimePatterns& patterns,
                                        std::span<const std::string> piece) {
  std::vector<std::optional<Hit>> hits;
  for (const std::string& token : piece) {
    hits.push_back(match_json(patterns, token));
  }
  return hits;
}

class ClpsTimePieces : public testing::TestWithParam<Version> {};

TEST_P(ClpsTimePieces, GiveTheAnswersOfTheWhole) {
  std::mt19937 random(8);
  int agreed = 0;
  int again = 0;
  for (int round = 0; round < 500; ++round) {
    Column column(1 + random() % 60);
    std::generate(column.begin(), column.end(), [&] { return any_value(random, GetParam()); });
    std::shuffle(column.begin(), column.end(), random);
    TimePatterns sequential = TimePatterns::start(GetParam());
    const auto expected = matched(sequential, column);

    TimePatterns merged = TimePatterns::start(GetParam());
    std::vector<TimePatterns> states = {merged};  // before each piece
    std::vector<std::optional<Hit>> hits;
    while (hits.size() < column.size()) {
      const std::size_t length =
          std::min<std::size_t>(1 + random() % 12, column.size() - hits.size());
      const std::span<const std::string> piece(column.data() + hits.size(), length);
      // A worker that began up to three pieces ago.
      TimePatterns own =
          states[states.size() - 1 - std::min<std::size_t>(random() % 4, states.size() - 1)];
      const std::size_t began = own.size();
      auto answers = matched(own, piece);
      if (merged.agrees(own, began)) {
        ++agreed;
      } else {
        ++again;
        own = merged;
        answers = matched(own, piece);
        ASSERT_TRUE(merged.agrees(own, merged.size()));
      }
      merged.adopt(own);
      states.push_back(merged);
      hits.insert(hits.end(), answers.begin(), answers.end());
    }
    ASSERT_EQ(hits, expected);
    ASSERT_EQ(listed(merged), listed(sequential));
  }
  EXPECT_GT(agreed, 500);
  EXPECT_GT(again, 100);
}

INSTANTIATE_TEST_SUITE_P(Versions, ClpsTimePieces, testing::Values(kNew, kOld));

TEST(ClpsTimePieces, AgreeIfOneListBeginsTheOther) {
  TimePatterns merged = TimePatterns::start(kNew);
  TimePatterns none = merged;
  TimePatterns first = merged;
  TimePatterns other = merged;
  TimePatterns both = merged;
  ASSERT_TRUE(first.match_string("2024-01-02 03:04:05"));
  ASSERT_TRUE(other.match_string("2024-01-02 03:04:05Z"));
  ASSERT_TRUE(both.match_string("2024-01-02 03:04:05"));
  ASSERT_TRUE(both.match_integer(5));
  merged.adopt(first);
  EXPECT_TRUE(merged.agrees(none, 0));
  EXPECT_TRUE(merged.agrees(first, 0));
  EXPECT_FALSE(merged.agrees(other, 0));
  ASSERT_TRUE(merged.agrees(both, 0));
  merged.adopt(both);
  EXPECT_TRUE(merged.agrees(first, 0));
  merged.adopt(first);
  EXPECT_EQ(merged.size(), 2U);
  EXPECT_EQ(merged.match_integer(6)->pattern, 1U);
}

TEST(ClpsTimePieces, DisagreeIfALaterPatternTakesWhatWasRefused) {
  TimePatterns merged = TimePatterns::start(kNew);
  TimePatterns own = merged;
  EXPECT_FALSE(own.match_string("20000000000"));
  EXPECT_TRUE(merged.agrees(own, 0));
  ASSERT_TRUE(merged.match_string("1700000000000"));
  EXPECT_FALSE(merged.agrees(own, 0));
}

TEST(ClpsTimePieces, AgreeOnWhatNoPatternTakes) {
  TimePatterns merged = TimePatterns::start(kNew);
  TimePatterns own = merged;
  EXPECT_FALSE(own.match_string("9999-12-31 23:59:59"));
  EXPECT_FALSE(own.match_string("n/a"));
  EXPECT_FALSE(own.match_float("99999999999.5"));
  ASSERT_TRUE(merged.match_string("1700000000000"));
  EXPECT_TRUE(merged.agrees(own, 0));
}

TEST(ClpsTimePieces, ForgetWhatWasRefusedBeforeTheyBegan) {
  TimePatterns merged = TimePatterns::start(kNew);
  EXPECT_FALSE(merged.match_string("20000000000"));
  ASSERT_TRUE(merged.match_string("2024-01-02 03:04:05"));
  const TimePatterns own = merged;
  ASSERT_TRUE(merged.match_string("1700000000000"));
  EXPECT_TRUE(merged.agrees(own, 1));
}

TimePatterns with(Version version, std::string_view text) {
  TimePatterns patterns = TimePatterns::start(version);
  EXPECT_TRUE(patterns.match_string(text));
  return patterns;
}

TEST(ClpsTimestampDictionary, HasTheseBytes) {
  TimeRangeMade range{.node = 3};
  range.add(1704164646340000000);
  range.add(1704164645120000000);
  EXPECT_EQ(timestamp_dictionary(kNew, "t", {&range, 1}, with(kNew, "2024-01-02T03:04:05.12Z")),
            word(1) + word(1) + "t" + word(1) + word(3, 4) + word(1) + word(1704164645120) +
                word(1704164646340) + word(1) + word(0) + word(0x17) +
                R"("\Y-\m-\dT\H:\M:\S.\TZ")");
}

TEST(ClpsTimestampDictionary, HasTheseBytesBeforeNanoseconds) {
  TimeRangeMade range{.node = 3, .type = NodeType::DateString};
  range.add(1704164645120);
  range.add(1704164646340);
  EXPECT_EQ(timestamp_dictionary(kOld, "t", {&range, 1}, with(kOld, "2024-01-02T03:04:05.12Z")),
            word(1) + word(1) + "t" + word(1) + word(3, 4) + word(1) + word(1704164645120) +
                word(1704164646340) + word(1) + word(0) + word(0x15) + "%Y-%m-%dT%H:%M:%S.%TZ");
}

TEST(ClpsTimestampDictionary, RoundsNanosecondsOutwards) {
  std::vector<TimeRangeMade> ranges(2);
  ranges[0].node = 7;
  ranges[0].add(-1);
  ranges[0].add(1);
  ranges[1].node = 9;
  ranges[1].add(kMin);
  ranges[1].add(kMax);
  EXPECT_EQ(timestamp_dictionary(kNew, "a", ranges, TimePatterns::start(kNew)),
            word(2) + word(1) + "a" + word(1) + word(7, 4) + word(1) +
                word(static_cast<std::uint64_t>(-1)) + word(1) + word(1) + "a" + word(1) +
                word(9, 4) + word(1) + word(static_cast<std::uint64_t>(-9223372036855)) +
                word(9223372036855) + word(0));
}

TEST(ClpsTimestampDictionary, LeavesOutColumnsWithoutValues) {
  const std::vector<TimeRangeMade> ranges(2);
  EXPECT_EQ(timestamp_dictionary(kNew, "a", ranges, TimePatterns::start(kNew)), word(0) + word(0));
  EXPECT_EQ(timestamp_dictionary(kOld, "a", ranges, TimePatterns::start(kOld)), word(0) + word(0));
  EXPECT_EQ(timestamp_dictionary(kNew, "", {}, TimePatterns::start(kNew)), word(0) + word(0));
}

TEST(ClpsTimestampDictionary, CountsOnlyColumnsOfItsVersion) {
  std::vector<TimeRangeMade> ranges(2);
  ranges[0] = {.node = 1, .type = NodeType::Integer};
  ranges[1] = {.node = 2, .type = NodeType::DictionaryFloat};
  ranges[0].add(5);
  ranges[1].add_real(5);
  EXPECT_EQ(timestamp_dictionary(kNew, "a", ranges, TimePatterns::start(kNew)), word(0) + word(0));
  EXPECT_EQ(timestamp_dictionary(kOld, "a", ranges, TimePatterns::start(kOld)),
            word(1) + word(1) + "a" + word(1) + word(1, 4) + word(1) + word(5) + word(5) + word(0));
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

TEST(ClpsTimestampDictionary, BeforeNanosecondsHasOneRangeAsDoublesAfterAFloat) {
  std::vector<TimeRangeMade> ranges(4);
  ranges[0] = {.node = 4, .type = NodeType::Integer};
  ranges[0].add(-5);
  ranges[0].add(9007199254740993);  // between two doubles
  ranges[1] = {.node = 5, .type = NodeType::FormattedFloat};
  ranges[1].add_real(1.5);
  ranges[2] = {.node = 6, .type = NodeType::Float};
  ranges[3] = {.node = 8, .type = NodeType::DateString};
  ranges[3].add(1704164645120);
  EXPECT_EQ(timestamp_dictionary(kOld, "a.b", ranges, TimePatterns::start(kOld)),
            word(1) + word(3) + "a.b" + word(3) + word(4, 4) + word(5, 4) + word(8, 4) + word(2) +
                word(bits(-5)) + word(bits(9007199254740992)) + word(0));
}

TEST(ClpsTimestampDictionary, JoinsRangesOfPieces) {
  TimeRangeMade whole;
  TimeRangeMade piece;
  piece.add(7);
  whole.add(piece);
  piece = {};
  piece.add(-3);
  piece.add_real(2.5);
  whole.add(piece);
  EXPECT_EQ(whole.min, -3);
  EXPECT_EQ(whole.max, 7);
  EXPECT_EQ(whole.min_real, 2.5);
  EXPECT_EQ(whole.max_real, 2.5);
  EXPECT_TRUE(TimeRangeMade{}.empty());
  EXPECT_FALSE(whole.empty());
}

}  // namespace
}  // namespace fonds::clps
