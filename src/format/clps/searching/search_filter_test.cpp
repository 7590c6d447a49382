#include "format/clps/searching/search_filter.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace fonds::clps {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

class ClpsFilterTest : public testing::TestWithParam<const char*> {};

TEST_P(ClpsFilterTest, IntervalsHoldExactlyWhatMatches) {
  const auto query = query::parse(GetParam());
  ASSERT_TRUE(query);
  const auto test = FilterTest::make(query->root.filter, {});
  ASSERT_TRUE(test);
  const query::ValueMatch match(query->root.filter, {});
  const std::vector<std::int64_t> integers = {kLowest,
                                              kLowest + 1,
                                              -43,
                                              -42,
                                              -1,
                                              0,
                                              1,
                                              41,
                                              42,
                                              43,
                                              std::int64_t{1} << 53,
                                              (std::int64_t{1} << 53) + 1,
                                              1709251205000,
                                              1709251205000000000,
                                              kHighest - 1,
                                              kHighest};
  for (const std::int64_t value : integers) {
    EXPECT_EQ((*test)->integers().contains(value), match.integer(value)) << value;
    EXPECT_EQ((*test)->instants().contains(value), match.instant(value, {})) << value;
  }
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {-infinity, -1e308, -42.5, -42.0, -0.0, 0.0, 5e-324, 0.1, 41.9, 42.0,
                             std::nextafter(42.0, 50), 42.5, 1709251205.0, 9007199254740992.0,
                             9223372036854775808.0, 1e308, infinity}) {
    EXPECT_EQ((*test)->reals().contains(ordered_bits(value)), match.real(value)) << value;
  }
  EXPECT_FALSE((*test)->reals().contains(ordered_bits(std::nan(""))));
  EXPECT_FALSE((*test)->reals().contains(ordered_bits(-std::nan(""))));
}

INSTANTIATE_TEST_SUITE_P(
    Queries, ClpsFilterTest,
    testing::Values("k: 42", "k: 42.0", "k: 42.5", "k < 42", "k <= 42", "k > 42", "k >= 42",
                    "k < 42.5", "k >= 42.5", "k > 1e308", "k < -1e300", "k: 9223372036854775808",
                    "k >= 9223372036854775808", "k < 9223372036854775808",
                    "k > -9223372036854775809", "k: 9007199254740993.0", "k: 9007199254740993",
                    "k: 0", "k > 0", "k < -0.0", "k: text", "k: true", "k: null",
                    "k: timestamp(\"2024-03-01T00:00:05Z\")", "k < timestamp(\"1709251205\")",
                    "k >= 1709251205000", "k: 1e400", "k <= 1709251205.5"));

TEST(ClpsOrderedBits, KeepTheOrderOfDoubles) {
  EXPECT_LT(ordered_bits(-1.5), ordered_bits(-1.0));
  EXPECT_LT(ordered_bits(-1.0), ordered_bits(-0.0));
  EXPECT_LT(ordered_bits(-0.0), ordered_bits(0.0));
  EXPECT_LT(ordered_bits(0.0), ordered_bits(5e-324));
  EXPECT_LT(ordered_bits(1.0), ordered_bits(1.5));
}

}  // namespace
}  // namespace fonds::clps
