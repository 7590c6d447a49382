#include "base/calendar.hpp"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace fonds {
namespace {

TEST(FloorTo, IntervalsAreCountedFromZeroBothWays) {
  EXPECT_EQ(floor_to(7, 5), 5);
  EXPECT_EQ(floor_to(0, 5), 0);
  EXPECT_EQ(floor_to(-1, 5), -5);
  EXPECT_EQ(floor_to(-5, 5), -5);
}

// Dates before 1677 are as early as 64 bits can say.
TEST(FloorTo, TheFirstIntervalMayBeginTooEarly) {
  constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kHour = 3600 * kNsPerSecond;
  EXPECT_GE(floor_to(kFirst, kHour), kFirst);
  EXPECT_LT(floor_to(kFirst, kHour), kFirst + kHour);
  EXPECT_EQ(floor_to(kFirst, 1), kFirst);
}

}  // namespace
}  // namespace fonds
