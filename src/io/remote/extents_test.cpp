#include "io/remote/extents.hpp"

#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace fonds::remote {
namespace {

constexpr std::uint64_t kKiB = 1024, kMiB = kKiB * kKiB;

std::vector<ByteRange> read(ReadAhead& plan, std::uint64_t offset) {
  std::vector<ByteRange> wanted;
  plan.read(offset, wanted);
  return wanted;
}

TEST(ReadAhead, AJumpCostsLittle) {
  ReadAhead plan(1000 * kMiB, 16 * kMiB);
  for (std::uint64_t i = 1; i < 100; ++i) {
    const auto wanted = read(plan, i * 7919 * kKiB);
    ASSERT_EQ(wanted.size(), 1U);
    EXPECT_EQ(wanted[0].offset, i * 7919 * kKiB);
    EXPECT_EQ(wanted[0].length, 64 * kKiB);
  }
}

TEST(ReadAhead, WhoReadsOnGetsMoreUpToTheLimit) {
  ReadAhead plan(1000 * kMiB, 16 * kMiB);
  std::uint64_t end = 0, requests = 0;
  for (std::uint64_t offset = 0; offset < 900 * kMiB; offset += 48 * kKiB) {
    for (const ByteRange& range : read(plan, offset)) {
      EXPECT_EQ(range.offset, end);
      end += range.length;
      ++requests;
    }
    ASSERT_GT(end, offset);
    ASSERT_LE(end, offset + 16 * kMiB + 4 * kMiB);
  }
  EXPECT_LT(requests, 300U);  // of 4 MiB nearly all
}

TEST(ReadAhead, AFewRoundTripsAreEnoughForMuch) {
  ReadAhead plan(1000 * kMiB, 16 * kMiB);
  std::uint64_t offset = 0, trips = 0;  // a reader that is faster than the network
  while (offset < 16 * kMiB) {
    for (const ByteRange& range : read(plan, offset)) {
      offset = range.offset + range.length;
    }
    ++trips;
  }
  EXPECT_LE(trips, 5U);
}

std::vector<ByteRange> expect(ReadAhead& plan, ByteRange range) {
  std::vector<ByteRange> wanted;
  plan.expect(range, wanted);
  return wanted;
}

TEST(ReadAhead, WhatIsExpectedIsAskedForAtOnceAndNothingElse) {
  ReadAhead plan(1000 * kMiB, 16 * kMiB);
  const auto wanted = expect(plan, {5 * kMiB + 7, 3 * kMiB});
  ASSERT_EQ(wanted.size(), 1U);
  EXPECT_EQ(wanted[0].offset, 5 * kMiB + 7);
  EXPECT_EQ(wanted[0].length, 3 * kMiB);
  for (std::uint64_t offset = 5 * kMiB + 7; offset < 8 * kMiB + 7; offset += 10 * kKiB) {
    EXPECT_TRUE(read(plan, offset).empty()) << offset;
  }
  EXPECT_FALSE(read(plan, 8 * kMiB + 7).empty());  // now somebody reads on
}

TEST(ReadAhead, ALongExpectationComesInPiecesAndNeverBehindItsEnd) {
  ReadAhead plan(1000 * kMiB, 16 * kMiB);
  const std::uint64_t begin = 3 * kMiB, end = begin + 70 * kMiB + 1;
  std::uint64_t asked = begin;
  const auto take = [&](const std::vector<ByteRange>& wanted) {
    for (const ByteRange& range : wanted) {
      EXPECT_EQ(range.offset, asked);
      EXPECT_LE(range.length, 4 * kMiB);
      asked += range.length;
    }
  };
  take(expect(plan, {begin, end - begin}));
  EXPECT_GT(asked, begin + 8 * kMiB);  // several are on their way
  for (std::uint64_t offset = begin; offset < end; offset += 48 * kKiB) {
    take(read(plan, offset));
    ASSERT_GT(asked, offset);
    ASSERT_LE(asked, end);
  }
  EXPECT_EQ(asked, end);
}

TEST(ReadAhead, AnExpectationInsideARunHoldsForWhoReadsThere) {
  ReadAhead plan(1000 * kMiB, 16 * kMiB);
  read(plan, 0);
  EXPECT_TRUE(expect(plan, {40 * kKiB, 20 * kKiB}).size() <= 1);
  EXPECT_TRUE(read(plan, 50 * kKiB).empty());  // a reader on its way would get more from here on
}

TEST(ReadAhead, NothingIsWantedBehindTheEnd) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t size = 1 + random() % (8 * kMiB);
    ReadAhead plan(size, kMiB);
    for (int i = 0; i < 200; ++i) {
      for (const ByteRange& range : read(plan, random() % size)) {
        ASSERT_GT(range.length, 0U);
        ASSERT_LE(range.offset + range.length, size);
      }
    }
  }
}

}  // namespace
}  // namespace fonds::remote
