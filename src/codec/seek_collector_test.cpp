#include <cstdint>

#include <gtest/gtest.h>

#include <fonds/seek_index.hpp>

namespace fonds {
namespace {

SeekPoint point(std::uint64_t stored, std::uint64_t unit, std::uint64_t inner) {
  return {.stored_offset = stored, .place = Place{unit, inner}};
}

TEST(SeekCollector, WantsNothingBeforeTheSpacingIsReached) {
  SeekCollector collector(100);
  EXPECT_FALSE(collector.wants(99, 1000));
  EXPECT_TRUE(collector.wants(100, 0));
  collector.offer(point(99, 0, 1000), 1000);
  EXPECT_EQ(collector.waiting(), 0U);
  EXPECT_FALSE(collector.take({0, 2000}).has_value());
}

TEST(SeekCollector, TakesTheNewestBorderAtOrBeforeThePlace) {
  SeekCollector collector(100);
  collector.offer(point(100, 0, 400), 400);
  collector.offer(point(120, 0, 500), 500);
  collector.offer(point(140, 0, 600), 600);
  EXPECT_FALSE(collector.take({0, 399}).has_value());
  const auto taken = collector.take({0, 500});
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->stored_offset, 120U);
  EXPECT_EQ(collector.taken(), 1U);
  EXPECT_EQ(collector.waiting(), 0U) << "the third is too near";
  EXPECT_FALSE(collector.wants(219, 0));
  EXPECT_TRUE(collector.wants(220, 0));
}

TEST(SeekCollector, LaterBordersFarEnoughStayOffered) {
  SeekCollector collector(100);
  collector.offer(point(100, 0, 400), 400);
  collector.offer(point(200, 0, 800), 800);
  ASSERT_TRUE(collector.take({0, 500}).has_value());
  EXPECT_EQ(collector.waiting(), 1U);
  const auto taken = collector.take({0, 800});
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->stored_offset, 200U);
}

TEST(SeekCollector, DecodedDistancesCountWhenAskedFor) {
  SeekCollector collector(100, SeekCollector::Measure::Decoded);
  EXPECT_FALSE(collector.wants(1000, 99));
  EXPECT_TRUE(collector.wants(1, 100));
  collector.offer(point(10, 0, 150), 150);
  ASSERT_TRUE(collector.take({0, 150}).has_value());
  EXPECT_FALSE(collector.wants(1000, 249));
  EXPECT_TRUE(collector.wants(11, 250));
}

TEST(SeekCollector, PlacesOfLaterUnitsComeLater) {
  SeekCollector collector(100);
  collector.offer(point(150, 0, 700), 700);
  collector.offer(point(300, 200, 5), 905);
  const auto taken = collector.take({200, 4});
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->stored_offset, 150U);
}

TEST(SeekCollector, BordersThatNobodyTakesAreForgotten) {
  SeekCollector collector(1);
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    collector.offer(point(i, 0, i), i);
  }
  EXPECT_EQ(collector.waiting(), 64U);
  EXPECT_FALSE(collector.take({0, 936}).has_value());
  EXPECT_EQ(collector.take({0, 940})->stored_offset, 940U);
}

TEST(SeekCollector, PointWithoutAPlaceIsOfNoUse) {
  SeekCollector collector(1);
  collector.offer({.stored_offset = 5}, 5);
  EXPECT_EQ(collector.waiting(), 0U);
}

}  // namespace
}  // namespace fonds
