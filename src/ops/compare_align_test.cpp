#include "ops/compare_align.hpp"

#include <array>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fonds::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

EntryKey key(std::string_view text) {
  EntryKey key = {};
  for (std::size_t i = 0; i < text.size(); ++i) {
    key[i % key.size()] ^= static_cast<std::byte>(text[i] + static_cast<int>(i / key.size()));
  }
  return key;
}

// "7" has the id 7; "7=x" also the content x; "=x" has no id; "7<3" keeps the header of "3".
Entry entry(const std::string& text) {
  Entry made;
  made.uri = text;
  const std::size_t equals = text.find('=');
  const std::string id = text.substr(0, text.find_first_of("=<"));
  if (!id.empty()) {
    made.id_key = key("id" + id);
  }
  made.octets_key = key("octets" + id);
  if (const std::size_t less = text.find('<'); less != text.npos) {
    made.origin_key = key("octets" + text.substr(less + 1));
  }
  made.content_key = key("content" + (equals == text.npos ? id : text.substr(equals + 1)));
  return made;
}

struct Aligned {
  std::vector<std::string> pairs, moved, only_a, only_b;
};

Aligned align(const std::vector<std::string>& a, const std::vector<std::string>& b,
              std::uint64_t memory = std::uint64_t{1} << 30) {
  Aligned got;
  std::array<std::size_t, 2> at = {};
  const std::array<const std::vector<std::string>*, 2> lists = {&a, &b};
  Aligner aligner(
      [&](std::size_t side) -> Result<std::optional<Entry>> {
        if (at[side] == lists[side]->size()) {
          return std::optional<Entry>();
        }
        Entry made = entry((*lists[side])[at[side]]);
        made.ordinal = at[side]++;
        return std::optional(std::move(made));
      },
      {.pair = [&](const Entry& x, const Entry& y, bool in_order) -> Status {
         (in_order ? got.pairs : got.moved).push_back(x.uri + "/" + y.uri);
         return {};
       },
       .only = [&](std::size_t side, const Entry& left) -> Status {
         (side == 0 ? got.only_a : got.only_b).push_back(left.uri);
         return {};
       }},
      memory);
  EXPECT_TRUE(aligner.run());
  return got;
}

std::vector<std::string> numbers(int from, int to) {
  std::vector<std::string> list;
  for (int n = from; n < to; ++n) {
    list.push_back(std::to_string(n));
  }
  return list;
}

TEST(Aligner, PairsEqualListsByPlace) {
  const Aligned got = align(numbers(0, 5), numbers(0, 5));
  EXPECT_THAT(got.pairs, ElementsAre("0/0", "1/1", "2/2", "3/3", "4/4"));
  EXPECT_THAT(got.only_a, IsEmpty());
  EXPECT_THAT(got.only_b, IsEmpty());
}

TEST(Aligner, NothingAgainstSomethingIsOnlyThere) {
  EXPECT_THAT(align({}, {"1", "2"}).only_b, ElementsAre("1", "2"));
  EXPECT_THAT(align({"1", "2"}, {}).only_a, ElementsAre("1", "2"));
}

TEST(Aligner, AMissingRecordIsOneDifference) {
  for (const int missing : {0, 1, 500, 998, 999}) {
    std::vector<std::string> b = numbers(0, 1000);
    b.erase(b.begin() + missing);
    const Aligned got = align(numbers(0, 1000), b);
    EXPECT_EQ(got.pairs.size(), 999U);
    EXPECT_THAT(got.only_a, ElementsAre(std::to_string(missing)));
    EXPECT_THAT(got.only_b, IsEmpty());
    EXPECT_THAT(got.moved, IsEmpty());
  }
}

TEST(Aligner, AManyTimesLargerPartInFrontIsPassedOver) {
  const Aligned got = align(numbers(5000, 5010), numbers(0, 5010));
  EXPECT_EQ(got.pairs.size(), 10U);
  EXPECT_EQ(got.only_b.size(), 5000U);
  EXPECT_THAT(got.only_a, IsEmpty());
}

TEST(Aligner, ARecordAtAnotherPlaceIsOneDifference) {
  const Aligned got = align({"1", "2", "3", "4", "5"}, {"5", "1", "2", "3", "4"});
  EXPECT_THAT(got.pairs, ElementsAre("1/1", "2/2", "3/3", "4/4"));
  EXPECT_THAT(got.moved, ElementsAre("5/5"));
  EXPECT_THAT(got.only_a, IsEmpty());
}

TEST(Aligner, TwoThatChangedPlacesAreOneDifference) {
  const Aligned got = align({"1", "2", "3"}, {"2", "1", "3"});
  EXPECT_EQ(got.moved.size(), 1U);
  EXPECT_EQ(got.pairs.size(), 2U);
}

TEST(Aligner, OneIdTwiceIsPairedTwice) {
  EXPECT_THAT(align({"1", "1", "2"}, {"1", "1", "2"}).pairs, ElementsAre("1/1", "1/1", "2/2"));
  EXPECT_THAT(align({"1", "1", "2"}, {"1", "2"}).only_a, ElementsAre("1"));
}

TEST(Aligner, IdsThatWereMadeAnewArePairedByContent) {
  std::vector<std::string> a, b;
  for (int n = 0; n < 1000; ++n) {
    a.push_back(fmt::format("a{}={}", n, n));
    b.push_back(fmt::format("b{}={}", n, n));
  }
  const Aligned got = align(a, b);
  EXPECT_EQ(got.pairs.size(), 1000U);
  EXPECT_EQ(got.pairs.front(), "a0=0/b0=0");
}

TEST(Aligner, WhatKeepsTheHeaderOfARecordIsThatRecord) {
  const Aligned got = align({"1=x", "2=y"}, {"9=z", "8<1", "7<2"});
  EXPECT_THAT(got.pairs, ElementsAre("1=x/8<1", "2=y/7<2"));
  EXPECT_THAT(got.only_b, ElementsAre("9=z"));
}

TEST(Aligner, ItemsThatDifferArePairedBetweenThoseThatAgree) {
  const Aligned got = align({"=a", "=b", "=c"}, {"=a", "=x", "=c"});
  // Entries of this test have no URI keys, and items no ids.
  EXPECT_THAT(got.pairs, ElementsAre("=a/=a", "=b/=x", "=c/=c"));
}

TEST(Aligner, AMissingItemIsOneDifference) {
  const Aligned got = align({"=a", "=b", "=a", "=c"}, {"=a", "=a", "=c"});
  EXPECT_EQ(got.pairs.size(), 3U);
  EXPECT_EQ(got.only_a.size(), 1U);
}

TEST(Aligner, WithLittleMemoryAllRecordsAreStillCounted) {
  const Aligned got = align(numbers(0, 3000), numbers(10000, 13000), 100000);
  EXPECT_EQ(got.only_a.size(), 3000U);
  EXPECT_EQ(got.only_b.size(), 3000U);
}

// Whatever the lists are, each record is told of exactly once.
TEST(Aligner, EachRecordIsInOnePairOrOnlyOnOneSide) {
  std::uint64_t seed = 7;
  const auto random = [&seed](std::uint64_t below) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    return (seed >> 33) % below;
  };
  for (int round = 0; round < 300; ++round) {
    std::array<std::vector<std::string>, 2> lists;
    for (auto& list : lists) {
      for (std::uint64_t n = random(20); n > 0; --n) {
        list.push_back(random(3) == 0 ? fmt::format("={}", random(6))
                                      : fmt::format("{}={}", random(12), random(6)));
      }
    }
    const Aligned got = align(lists[0], lists[1], random(2) == 0 ? 5000 : 1 << 20);
    EXPECT_EQ(got.pairs.size() + got.moved.size() + got.only_a.size(), lists[0].size());
    EXPECT_EQ(got.pairs.size() + got.moved.size() + got.only_b.size(), lists[1].size());
    if (lists[0] == lists[1]) {
      EXPECT_EQ(got.pairs.size(), lists[0].size());
    }
  }
}

TEST(Aligner, AnErrorOfOneSideEndsIt) {
  Aligner aligner(
      [](std::size_t side) -> Result<std::optional<Entry>> {
        if (side == 1) {
          return fail(ErrorCode::Io, "gone");
        }
        return std::optional(entry("1"));
      },
      {.pair = [](const Entry&, const Entry&, bool) { return Status(); },
       .only = [](std::size_t, const Entry&) { return Status(); }},
      1 << 20);
  const auto status = aligner.run();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message(), "gone");
}

}  // namespace
}  // namespace fonds::ops
