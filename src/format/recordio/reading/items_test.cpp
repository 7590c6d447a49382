#include "format/recordio/reading/items.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "format/recordio/reading/reader_test_support.hpp"

namespace fonds::recordio {
namespace {

std::vector<ByteView> cut_into(std::string_view content, std::size_t size) {
  std::vector<ByteView> pieces;
  for (std::size_t at = 0; at < content.size(); at += size) {
    pieces.push_back(as_bytes(content.substr(at, size)));
  }
  return pieces;
}

std::vector<std::string> all_of(Items& items) {
  std::vector<std::string> all;
  while (items.next()) {
    EXPECT_EQ(items.number(), all.size());
    all.emplace_back(as_text(items.whole()));
    EXPECT_EQ(items.size(), all.back().size());
  }
  return all;
}

class ItemPieces : public testing::TestWithParam<std::size_t> {};

TEST_P(ItemPieces, GiveTheItemsThatOnePieceGives) {
  const std::vector<std::string> items = random_items(7, 300);
  const std::string content = content_of(items);
  const auto pieces = cut_into(content, GetParam());
  Items read;
  ASSERT_FALSE(read.set_block(pieces, content.size()));
  EXPECT_EQ(read.count(), items.size());
  EXPECT_TRUE(all_of(read) == items);
  EXPECT_FALSE(read.next());
  EXPECT_FALSE(read.next());
}

TEST_P(ItemPieces, GoToLeadsWhereStepsLead) {
  const std::vector<std::string> items = random_items(11, 60);
  const std::string content = content_of(items);
  const auto pieces = cut_into(content, GetParam());
  Items read;
  ASSERT_FALSE(read.set_block(pieces, content.size()));
  for (std::size_t i = items.size(); i-- > 0;) {
    read.go_to(i);
    EXPECT_EQ(read.number(), i);
    EXPECT_EQ(as_text(read.whole()), items[i]);
  }
  read.go_to(items.size());
  EXPECT_FALSE(read.next());
}

INSTANTIATE_TEST_SUITE_P(Sizes, ItemPieces,
                         testing::Values(std::size_t{1}, std::size_t{2}, std::size_t{13},
                                         std::size_t{997}, std::size_t{32740},
                                         std::size_t{1} << 30));

TEST(Items, EmptyPiecesBetweenAreSteppedOver) {
  const std::string content = content_of({"abc", "", "defgh"});
  const std::vector<ByteView> pieces = {{}, as_bytes(std::string_view(content).substr(0, 2)),
                                        {}, as_bytes(std::string_view(content).substr(2, 5)),
                                        {}, as_bytes(std::string_view(content).substr(7)),
                                        {}};
  Items read;
  ASSERT_FALSE(read.set_block(pieces, content.size()));
  EXPECT_EQ(all_of(read), (std::vector<std::string>{"abc", "", "defgh"}));
}

TEST(Items, TableOfManyPiecesIsJoinedAsFarAsItReaches) {
  const std::vector<std::string> items(20000, std::string(300, 'x'));
  const std::string content = content_of(items);
  const auto pieces = cut_into(content, kChunkPayload);
  Items read;
  ASSERT_FALSE(read.set_block(pieces, content.size()));
  EXPECT_TRUE(all_of(read) == items);
}

TEST(Items, AreTakenAnewFromAnotherBlock) {
  const std::string first = content_of({"one", "two"});
  const std::string second = content_of({"three"});
  const std::vector<ByteView> one = {as_bytes(first)}, two = {as_bytes(second)};
  Items read;
  ASSERT_FALSE(read.set_block(one, first.size()));
  ASSERT_TRUE(read.next());
  ASSERT_FALSE(read.set_block(two, second.size()));
  EXPECT_EQ(all_of(read), std::vector<std::string>{"three"});
  read.clear();
  EXPECT_FALSE(read.next());
  EXPECT_EQ(read.count(), 0U);
}

TEST(Items, PlainRecordIsOneItem) {
  const std::string item(100000, 'p');
  Items read;
  read.set_plain(as_bytes(item));
  EXPECT_EQ(all_of(read), std::vector<std::string>{item});
  read.set_plain({});
  EXPECT_EQ(all_of(read), std::vector<std::string>{""});
}

TEST(Items, PieceBeginsAnywhereInAnItem) {
  const std::string content = content_of({"", "0123456789"});
  const auto pieces = cut_into(content, 4);
  Items read;
  ASSERT_FALSE(read.set_block(pieces, content.size()));
  ASSERT_TRUE(read.next());
  EXPECT_TRUE(read.piece(0).empty());
  ASSERT_TRUE(read.next());
  EXPECT_EQ(as_text(read.piece(0)), "0");
  EXPECT_EQ(as_text(read.piece(1)), "1234");
  EXPECT_EQ(as_text(read.piece(9)), "9");
  EXPECT_EQ(as_text(read.piece(3)), "34");
  EXPECT_TRUE(read.piece(10).empty());
}

struct Lie {
  const char* name;
  std::string content;
  std::string code;
};
void PrintTo(const Lie& lie, std::ostream* out) { *out << lie.name; }

class TableLies : public testing::TestWithParam<Lie> {};

// In one piece and in pieces of one byte.
TEST_P(TableLies, AreFaults) {
  const std::string& content = GetParam().content;
  for (const std::size_t size : {std::size_t{1}, std::size_t{1000}}) {
    Items read;
    const auto pieces = cut_into(content, size);
    const auto fault = read.set_block(pieces, content.size());
    ASSERT_TRUE(fault.has_value()) << size;
    EXPECT_EQ(fault->code, GetParam().code) << fault->message;
    EXPECT_EQ(read.count(), 0U);
    EXPECT_FALSE(read.next());
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, TableLies,
    testing::Values(
        Lie{"nothing", "", "varint-cut"}, Lie{"count without end", "\x80\x80", "varint-cut"},
        Lie{"count of 11 bytes", std::string(10, '\x80') + "\x01", "varint-long"},
        Lie{"2^62 items", varint(std::uint64_t{1} << 62) + "abc", "item-count"},
        Lie{"one item more than bytes", varint(4) + "abc", "item-count"},
        Lie{"most items", varint(~std::uint64_t{0}) + std::string(50, 'a'), "item-count"},
        Lie{"size of 2^64-1", varint(1) + varint(~std::uint64_t{0}) + "abc", "block-size-mismatch"},
        Lie{"sum that wraps to what is there",
            varint(2) + varint(~std::uint64_t{0}) + varint(4) + "abc", "block-size-mismatch"},
        Lie{"one byte too few", varint(1) + varint(4) + "abc", "block-size-mismatch"},
        Lie{"one byte too many", varint(1) + varint(2) + "abc", "block-size-mismatch"},
        Lie{"last size without end", varint(2) + varint(0) + "\x80", "varint-cut"},
        Lie{"no items, but bytes", varint(0) + "abc", "block-size-mismatch"}));

}  // namespace
}  // namespace fonds::recordio
