#include "format/clps/reading/date_string.hpp"

#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fonds/error.hpp>

#include "test_paths.hpp"

namespace fonds::clps {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

std::string printed(std::string_view stored, std::int64_t value) {
  const auto pattern = DatePattern::parse(stored);
  if (!pattern) {
    return "invalid pattern";
  }
  std::string text;
  pattern->print(value, text);
  return text;
}

TEST(ClpsDateString, PrintsWhatTheToolPrints) {
  std::ifstream file(FONDS_TEST_DATA "/clps/values/dates-printed.jsonl");
  std::size_t count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const auto row = nlohmann::json::parse(line);
    EXPECT_EQ(printed(row[0].get<std::string>(), row[1].get<std::int64_t>()),
              row[2].get<std::string>())
        << row;
  }
  EXPECT_GT(count, 150U);
}

TEST(ClpsDateString, PrintsMillisecondsWithoutTrailingZeros) {
  EXPECT_EQ(printed("%T", 1704164645123), "123");
  EXPECT_EQ(printed("%T", 1704164645120), "12");
  EXPECT_EQ(printed("%T", 1704164645100), "1");
  EXPECT_EQ(printed("%T", 1704164645003), "003");
  EXPECT_EQ(printed("%T", 1704164645000), "0");
}

TEST(ClpsDateString, PrintsOneInTheAfternoonAsThirteen) {
  EXPECT_EQ(printed("%I %l %p", 46800000), "13 13 PM");
  EXPECT_EQ(printed("%I %l %p", 50400000), "02  2 PM");
  EXPECT_EQ(printed("%I %l %p", 43200000), "12 12 PM");
  EXPECT_EQ(printed("%I %l %p", 0), "12 12 AM");
}

TEST(ClpsDateString, PrintsNanosecondsAsSeconds) {
  EXPECT_EQ(printed("%F", 1234567890123), "1234.567890123");
  EXPECT_EQ(printed("%F", -1000000000), "-1.000000000");
  EXPECT_EQ(printed("%F", 123456789), ".123456789");
  EXPECT_EQ(printed("%F", -5), "-.000000005");
  EXPECT_EQ(printed("%F", 0), ".000000000");
  EXPECT_EQ(printed("%F", kMin), "-9223372036.854775808");
}

TEST(ClpsDateString, PrintsTimesBefore1970) {
  EXPECT_EQ(printed("%Y-%m-%dT%H:%M:%S.%3", -1), "1969-12-31T23:59:59.999");
  EXPECT_EQ(printed("%a %b %e %Y", -62135596800000), "Mon Jan  1 0001");
}

TEST(ClpsDateString, HasATextForEveryValue) {
  EXPECT_EQ(printed("%Y-%m-%d %H:%M:%S,%3 %a", kMax), "292278994-08-17 07:12:55,807 Sun");
  EXPECT_EQ(printed("%Y-%m-%d %H:%M:%S,%3", kMin), "-292275055-05-16 16:47:04,192");
  EXPECT_EQ(printed("%E", kMin), "-9223372036854775808");
  EXPECT_EQ(printed("%y", kMin), "45");
}

TEST(ClpsDateString, KeepsLiteralText) {
  EXPECT_EQ(printed("[100%% \"\\ \xC3\xA9%Y]", 0),
            "[100% \"\\ \xC3\xA9"
            "1970]");
  EXPECT_EQ(printed("", 0), "");
}

class ClpsDateStringInvalid : public testing::TestWithParam<const char*> {};

TEST_P(ClpsDateStringInvalid, IsCorrupt) {
  const auto pattern = DatePattern::parse(GetParam());
  ASSERT_FALSE(pattern.has_value());
  EXPECT_EQ(pattern.error().code(), ErrorCode::Corrupt);
  EXPECT_THAT(pattern.error().message(), testing::HasSubstr("unknown specifier at byte"));
}

INSTANTIATE_TEST_SUITE_P(Patterns, ClpsDateStringInvalid,
                         testing::Values("%", "%Y %", "%Z", "%q", "%A", "%\xC3\xA9", "%-d"));

TEST(ClpsDateString, KnowsTheInstant) {
  EXPECT_EQ(DatePattern::parse("%Y")->instant_ns(1704164645123), 1704164645123000000);
  EXPECT_EQ(DatePattern::parse("%F")->instant_ns(1704164645123), 1704164645123);
  EXPECT_EQ(DatePattern::parse("%E")->instant_ns(1704164645), 1704164645000000000);
  EXPECT_EQ(DatePattern::parse("%E")->instant_ns(1704164645123), 1704164645123000000);
}

TEST(ClpsDateString, SaturatesTheInstant) {
  EXPECT_EQ(DatePattern::parse("%Y")->instant_ns(kMax), kMax);
  EXPECT_EQ(DatePattern::parse("%Y")->instant_ns(kMin), kMin);
}

class ClpsDateStringExactly : public testing::TestWithParam<std::string_view> {};

TEST_P(ClpsDateStringExactly, TakesOnlyWhatItPrints) {
  const auto pattern = DatePattern::parse(GetParam());
  ASSERT_TRUE(pattern.has_value());
  std::mt19937_64 random(8);
  constexpr std::string_view kBytes = "0123456789 -:.TZAPM/%\xE2\xFF";
  int taken = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string text;
    pattern->print(static_cast<std::int64_t>(random()) >> 18, text);  // 1116 years around 1970
    if (i % 2 == 1) {
      text[random() % text.size()] = kBytes[random() % kBytes.size()];
    }
    if (const std::optional<std::int64_t> value = pattern->match_exactly(text)) {
      ++taken;
      std::string again;
      pattern->print(*value, again);
      EXPECT_EQ(again, text);
    }
  }
  EXPECT_GT(taken, 400);
}

INSTANTIATE_TEST_SUITE_P(List, ClpsDateStringExactly, testing::ValuesIn(default_date_patterns()));

TEST(ClpsDateString, MatchesNoNumbers) {
  EXPECT_EQ(DatePattern::parse("%E")->match_exactly("1704164645"), std::nullopt);
  EXPECT_EQ(DatePattern::parse("%F")->match_exactly("1.123456789"), std::nullopt);
}

TEST(ClpsDateString, MatchesLongPatterns) {
  const std::string filler(1000, 'x');
  EXPECT_EQ(DatePattern::parse(filler + "%S")->match_exactly(filler + "07"), 7000);
  EXPECT_EQ(DatePattern::parse(filler + "%S")->match_exactly(filler + "77"), std::nullopt);
  EXPECT_EQ(DatePattern::parse("")->match_exactly(""), 0);
}

}  // namespace
}  // namespace fonds::clps
