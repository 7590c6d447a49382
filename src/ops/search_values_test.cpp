#include "ops/search_values.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fonds::ops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

struct InstantCase {
  std::string text;
  std::int64_t ns;
};
class ParseInstant : public testing::TestWithParam<InstantCase> {};
TEST_P(ParseInstant, IsMillisecondsOrIso) {
  const auto instant = parse_instant(GetParam().text);
  ASSERT_TRUE(instant.has_value()) << instant.error().message();
  EXPECT_EQ(*instant, GetParam().ns);
}
INSTANTIATE_TEST_SUITE_P(
    Times, ParseInstant,
    testing::Values(InstantCase{"0", 0}, InstantCase{"1709251200000", 1709251200000000000},
                    InstantCase{"-1", -1000000}, InstantCase{"+5", 5000000},
                    InstantCase{"2024", 2024000000},  // a number, not a year
                    InstantCase{"9223372036855", kMost}, InstantCase{"-9223372036855", kLeast},
                    InstantCase{"99999999999999999999999", kMost},
                    InstantCase{"-99999999999999999999999", kLeast},
                    InstantCase{"2024-03-01", 1709251200000000000},
                    InstantCase{"2024-03-01T00:00:00.5Z", 1709251200500000000},
                    InstantCase{"2024-03-01T02:00:00+02:00", 1709251200000000000},
                    InstantCase{"9999-01-01", kMost}, InstantCase{"0001-01-01", kLeast}));

class RefuseInstant : public testing::TestWithParam<std::string> {};
TEST_P(RefuseInstant, ThatIsNoTime) {
  const auto instant = parse_instant(GetParam());
  ASSERT_FALSE(instant.has_value());
  EXPECT_EQ(instant.error().code(), ErrorCode::BadArgument);
  EXPECT_THAT(instant.error().message(), HasSubstr("is no time"));
}
INSTANTIATE_TEST_SUITE_P(Times, RefuseInstant,
                         testing::Values("", "-", "yesterday", "1e3", "1.5", "2024-13-01", "--1"));

struct DurationCase {
  std::string text;
  std::int64_t ns;
};
class ParseDuration : public testing::TestWithParam<DurationCase> {};
TEST_P(ParseDuration, HasAUnit) {
  const auto duration = parse_duration(GetParam().text);
  ASSERT_TRUE(duration.has_value()) << duration.error().message();
  EXPECT_EQ(*duration, GetParam().ns);
}
INSTANTIATE_TEST_SUITE_P(
    Durations, ParseDuration,
    testing::Values(DurationCase{"1", 1000000}, DurationCase{"250ms", 250000000},
                    DurationCase{"10s", 10000000000}, DurationCase{"5m", 300000000000},
                    DurationCase{"1h", 3600000000000}, DurationCase{"2d", 172800000000000},
                    DurationCase{"1w", 604800000000000},
                    DurationCase{"9223372036854", 9223372036854000000}));

class RefuseDuration : public testing::TestWithParam<std::string> {};
TEST_P(RefuseDuration, ThatIsNone) {
  const auto duration = parse_duration(GetParam());
  ASSERT_FALSE(duration.has_value());
  EXPECT_EQ(duration.error().code(), ErrorCode::BadArgument);
  EXPECT_THAT(duration.error().message(), HasSubstr("is no duration"));
}
INSTANTIATE_TEST_SUITE_P(Durations, RefuseDuration,
                         testing::Values("", "0", "0s", "s", "-5m", "5 m", "1.5h", "5x", "5mss",
                                         "9223372036855", "99999999999999999999s"));

TEST(SplitKeys, CommasPartKeys) {
  EXPECT_THAT(split_keys("a"), ElementsAre("a"));
  EXPECT_THAT(split_keys("a,b.c,d"), ElementsAre("a", "b.c", "d"));
  EXPECT_THAT(split_keys("a,,b,"), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(split_keys(""), ElementsAre(""));
}

TEST(SplitKeys, QuotedAndEscapedCommasDoNot) {
  EXPECT_THAT(split_keys(R"("a,b",c)"), ElementsAre(R"("a,b")", "c"));
  EXPECT_THAT(split_keys(R"(a\,b,c)"), ElementsAre("a,b", "c"));
  EXPECT_THAT(split_keys(R"("a\",b",c)"), ElementsAre(R"("a\",b")", "c"));
  EXPECT_THAT(split_keys(R"(a\\,b)"), ElementsAre(R"(a\\)", "b"));
  EXPECT_THAT(split_keys(R"(a\.b\)"), ElementsAre(R"(a\.b\)"));
}

TEST(ParseProjection, KeysBecomePaths) {
  std::string failed;
  const auto paths = parse_projection(std::vector<std::string>{"a.b", R"("x,y")", "@k"},
                                      query::Meaning::Default, failed);
  ASSERT_TRUE(paths.has_value()) << paths.error().message();
  ASSERT_THAT(*paths, SizeIs(3));
  EXPECT_THAT((*paths)[0].steps, SizeIs(2));
  EXPECT_EQ((*paths)[1].steps[0].key, "x,y");
  EXPECT_EQ((*paths)[2].space, query::Namespace::Generated);
}

TEST(ParseProjection, WildcardIsRefused) {
  std::string failed;
  const auto paths =
      parse_projection(std::vector<std::string>{"a", "b.*"}, query::Meaning::Default, failed);
  ASSERT_FALSE(paths.has_value());
  EXPECT_EQ(paths.error().code(), ErrorCode::BadArgument);
  EXPECT_EQ(failed, "b.*");
}

TEST(ParseProjection, KeyGivenTwiceIsRefusedHoweverItIsWritten) {
  std::string failed;
  const auto paths = parse_projection(std::vector<std::string>{"a.b", R"("a.b")"},
                                      query::Meaning::Default, failed);
  ASSERT_FALSE(paths.has_value());
  EXPECT_EQ(failed, R"("a.b")");
  EXPECT_TRUE(
      parse_projection(std::vector<std::string>{"a.b", R"(a\.b)"}, query::Meaning::Default, failed)
          .has_value());
}

TEST(FormatInstant, ShowsAsManyDigitsAsThereAre) {
  EXPECT_EQ(format_instant(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_instant(1709251200123000000), "2024-03-01T00:00:00.123Z");
  EXPECT_EQ(format_instant(1709251200123456789), "2024-03-01T00:00:00.123456789Z");
  EXPECT_EQ(format_instant(-1000000), "1969-12-31T23:59:59.999Z");
}

}  // namespace
}  // namespace fonds::ops
