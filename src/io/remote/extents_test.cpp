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
