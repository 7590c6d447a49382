#include "format/clps/searching/search_data.hpp"

#include <bit>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/clps/writing/octets.hpp"
#include "format/clps/writing/table_facts.hpp"

namespace fonds::clps {
namespace {

using writing::append_u32;
using writing::append_u64;

std::uint64_t word(double value) { return std::bit_cast<std::uint64_t>(value); }

// A table of each of: Integer, VarString, Float; Timestamp; one that is damaged.
std::optional<std::vector<NodeType>> columns_of(std::size_t table) {
  if (table == 0) {
    return std::vector{NodeType::Integer, NodeType::VarString, NodeType::Float};
  }
  return table == 1 ? std::optional(std::vector{NodeType::Timestamp}) : std::nullopt;
}

struct ClpsRange {
  std::uint32_t column;
  std::uint64_t low, high;
};

SearchPacket ranges_packet(const std::vector<std::vector<ClpsRange>>& tables) {
  SearchPacket packet{kRangesPacket, ""};
  append_u64(packet.content, tables.size());
  for (const auto& ranges : tables) {
    append_u32(packet.content, static_cast<std::uint32_t>(ranges.size()));
    for (const ClpsRange& range : ranges) {
      append_u32(packet.content, range.column);
      append_u64(packet.content, range.low);
      append_u64(packet.content, range.high);
    }
  }
  return packet;
}

SearchPacket entries_packet(const std::vector<std::optional<std::string>>& sets) {
  SearchPacket packet{kEntriesPacket, ""};
  append_u64(packet.content, sets.size() / 2);
  for (const auto& set : sets) {
    append_u32(packet.content, set ? static_cast<std::uint32_t>(set->size()) : kUnknownSet);
    packet.content += set.value_or("");
  }
  return packet;
}

const std::vector<std::vector<ClpsRange>> kGood = {
    {{0, std::uint64_t(-5), 7}, {2, word(-1.5), word(2.0)}}, {{0, 10, 20}}, {}};

class ClpsSearchDataTest : public testing::Test {
 protected:
  std::unique_ptr<SearchData> read(std::vector<SearchPacket> packets) {
    auto data = SearchData::read(std::move(packets), 3, columns_of, budget_);
    EXPECT_TRUE(data) << data.error().to_string();
    return std::move(*data);
  }
  Budget budget_{std::uint64_t{1} << 20};
};

TEST_F(ClpsSearchDataTest, TellsRangesByTableAndColumn) {
  const auto data = read({ranges_packet(kGood)});
  EXPECT_EQ(data->fault(), "");
  ASSERT_NE(data->range(0, 0), nullptr);
  EXPECT_EQ(static_cast<std::int64_t>(data->range(0, 0)->low), -5);
  EXPECT_EQ(data->range(0, 1), nullptr);
  EXPECT_EQ(data->range(0, 2)->high, word(2.0));
  EXPECT_EQ(data->range(1, 0)->low, 10U);
  EXPECT_TRUE(data->ranges(2).empty());
  EXPECT_FALSE(data->entries(0, SearchData::Entries::Variables));
}

struct ClpsBadRanges {
  const char* what;
  std::vector<std::vector<ClpsRange>> tables;
};
class ClpsSearchDataDamage : public testing::TestWithParam<ClpsBadRanges> {};

TEST_P(ClpsSearchDataDamage, MakesAllOfItUseless) {
  Budget budget(1 << 20);
  const auto data =
      SearchData::read({ranges_packet(GetParam().tables), entries_packet({"", "", "", "", "", ""})},
                       3, columns_of, budget);
  ASSERT_TRUE(data);
  EXPECT_NE((*data)->fault(), "") << GetParam().what;
  EXPECT_FALSE((*data)->has_ranges());
  EXPECT_FALSE((*data)->has_entries());
  EXPECT_EQ((*data)->range(0, 0), nullptr);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ClpsSearchDataDamage,
    testing::Values(
        ClpsBadRanges{"fewer tables", {{}, {}}}, ClpsBadRanges{"more tables", {{}, {}, {}, {}}},
        ClpsBadRanges{"a column of strings", {{{1, 0, 1}}, {}, {}}},
        ClpsBadRanges{"no such column", {{{3, 0, 1}}, {}, {}}},
        ClpsBadRanges{"a column twice", {{{0, 0, 1}, {0, 0, 1}}, {}, {}}},
        ClpsBadRanges{"falling columns", {{{2, word(0), word(1)}, {0, 0, 1}}, {}, {}}},
        ClpsBadRanges{"an end before the beginning", {{{0, 1, std::uint64_t(-1)}}, {}, {}}},
        ClpsBadRanges{"no number",
                      {{{2, word(0), word(std::numeric_limits<double>::quiet_NaN())}}, {}, {}}}),
    [](const auto& one) {
      std::string name = one.param.what;
      std::replace(name.begin(), name.end(), ' ', '_');
      return name;
    });

TEST_F(ClpsSearchDataTest, IsOfNoUseWhereverItIsCut) {
  for (const SearchPacket& whole :
       {ranges_packet(kGood), entries_packet({"\1\2", "", std::nullopt, "\1\2", "", ""})}) {
    ASSERT_EQ(read({whole})->fault(), "");
    for (std::size_t size = 0; size < whole.content.size(); ++size) {
      EXPECT_NE(read({{whole.type, whole.content.substr(0, size)}})->fault(), "") << size;
    }
    EXPECT_NE(read({{whole.type, whole.content + "x"}})->fault(), "");
    EXPECT_NE(read({whole, whole})->fault(), "");
  }
}

TEST_F(ClpsSearchDataTest, CountsAgainstTheMemoryLimit) {
  Budget small(300);
  const auto data = SearchData::read({ranges_packet(kGood)}, 3, columns_of, small);
  ASSERT_FALSE(data);
  EXPECT_EQ(data.error().code(), ErrorCode::LimitExceeded);
}

TEST_F(ClpsSearchDataTest, OfCountsWithoutOctetsNothingIsReserved) {
  SearchPacket packet{kRangesPacket, ""};
  append_u64(packet.content, std::uint64_t{1} << 60);
  EXPECT_NE(read({packet})->fault(), "");
  packet = ranges_packet({{}, {}, {}});
  packet.content[8] = '\xFF';
  EXPECT_NE(read({packet})->fault(), "");
}

// Runs 1..3 and 10.
const std::string kRuns("\1\2\6\0", 4);

TEST_F(ClpsSearchDataTest, KnowsWhichEntriesOccur) {
  const auto data = read({entries_packet({kRuns, std::nullopt, "", "", "", ""})});
  ASSERT_EQ(data->fault(), "");
  for (std::size_t id = 0; id < 12; ++id) {
    BitSet wanted(12);
    wanted.set(id);
    const bool there = (id >= 1 && id <= 3) || id == 10;
    EXPECT_EQ(data->may_take(0, SearchData::Entries::Variables, wanted), there) << id;
    EXPECT_TRUE(data->may_take(0, SearchData::Entries::LogTypes, wanted));
    EXPECT_FALSE(data->may_take(1, SearchData::Entries::LogTypes, wanted));
    EXPECT_EQ(data->may_take_any(0, SearchData::Entries::Variables, 12,
                                 [&](std::size_t at) { return at == id; }),
              there);
  }
}

TEST_F(ClpsSearchDataTest, IdsBehindTheDictionaryAreNoHarm) {
  const std::string far("\0\xFF\xFF\xFF\xFF\x0F", 6);  // 2^32 ids
  const auto data = read({entries_packet({far, "", "", "", "", ""})});
  EXPECT_FALSE(data->may_take(0, SearchData::Entries::Variables, BitSet(100)));
  EXPECT_TRUE(data->may_take(0, SearchData::Entries::Variables, BitSet(100, true)));
  EXPECT_FALSE(data->may_take(0, SearchData::Entries::Variables, BitSet()));
}

class ClpsDamagedRuns : public testing::TestWithParam<std::string> {};
TEST_P(ClpsDamagedRuns, MayBeAnyIds) {
  Budget budget(1 << 20);
  const auto data =
      SearchData::read({entries_packet({GetParam(), "", "", "", "", ""})}, 3, columns_of, budget);
  ASSERT_TRUE(data);
  EXPECT_TRUE((*data)->may_take(0, SearchData::Entries::Variables, BitSet(100)));
}
INSTANTIATE_TEST_SUITE_P(Cases, ClpsDamagedRuns,
                         testing::Values("\1", "\x80", std::string("\1\2\xFF", 3),
                                         "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\1\1",
                                         "\xFF\xFF\xFF\xFF\xFF\x7F\xFF\xFF\xFF\xFF\xFF\x7F"));

TEST_F(ClpsSearchDataTest, LooksNoLongerThanItHelps) {
  // Two octets a table name all of a dictionary; it takes long to see that none of it is wanted.
  const std::string all("\0\xFF\xFF\xFF\xFF\x0F", 6);
  const auto data = read({entries_packet({all, "", all, "", all, ""})});
  const BitSet nothing(std::size_t{1} << 22);
  bool may = false;
  for (int i = 0; i < 10'000 && !may; ++i) {
    may = data->may_take(0, SearchData::Entries::Variables, nothing);
  }
  EXPECT_TRUE(may);
}

TEST_F(ClpsSearchDataTest, PacketsOfOthersAreNotOurs) {
  const std::string ours = std::string(kRangesMagic) + "content";
  ASSERT_TRUE(search_packet(kRangesPacket, as_bytes(ours)));
  EXPECT_EQ(search_packet(kRangesPacket, as_bytes(ours))->content, "content");
  EXPECT_FALSE(search_packet(kEntriesPacket, as_bytes(ours)));
  EXPECT_FALSE(search_packet(kRangesPacket, as_bytes("fonds")));
  EXPECT_FALSE(search_packet(7, as_bytes(ours)));
}

TEST_F(ClpsSearchDataTest, WhatDoesNotFitIsNotWritten) {
  const std::vector<writing::TableFacts> facts(3, {std::string(4, '\0'), "\1\2", ""});
  EXPECT_EQ(writing::search_packets(facts, {.ranges = 28, .entries = 46}).size(), 2U);
  EXPECT_EQ(writing::search_packets(facts, {.ranges = 28, .entries = 39}).size(), 1U);
  EXPECT_EQ(writing::search_packets(facts, {.ranges = 27, .entries = 39}).size(), 0U);
}

TEST_F(ClpsSearchDataTest, TheLongestSetsAreLeftOutFirst) {
  std::vector<writing::TableFacts> facts(3);
  const std::string none(4, '\0');
  facts[0] = {none, std::string(40, '\1'), "\1\2"};
  facts[1] = {none, std::string(20, '\1'), ""};
  facts[2] = {none, kRuns, ""};
  auto packets = writing::search_packets(facts, {.ranges = 28, .entries = 82});
  ASSERT_EQ(packets.size(), 2U);
  std::vector<SearchPacket> read_back;
  for (const auto& [type, payload] : packets) {
    read_back.push_back(*search_packet(type, as_bytes(payload)));
  }
  const auto data = read(std::move(read_back));
  ASSERT_EQ(data->fault(), "");
  EXPECT_FALSE(data->entries(0, SearchData::Entries::Variables));
  EXPECT_TRUE(data->entries(0, SearchData::Entries::LogTypes));
  EXPECT_TRUE(data->entries(1, SearchData::Entries::Variables));
  EXPECT_TRUE(data->entries(2, SearchData::Entries::Variables));
}

}  // namespace
}  // namespace fonds::clps
