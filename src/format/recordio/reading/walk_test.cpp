// Over good and damaged blocks as they are stored.
#include "format/recordio/reading/walk.hpp"

#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "format/recordio/reading/reader_test_support.hpp"

namespace fonds::recordio {
namespace {

constexpr std::uint64_t K = kChunkSize;

// Each step as "block 0+32768" or "damage 0+32768 code".
std::vector<std::string> steps(std::shared_ptr<ByteSource> source, const WalkOptions& options) {
  std::vector<std::string> all;
  BlockWalk walk(std::move(source), options);
  while (true) {
    const auto step = walk.next();
    require(step.has_value(), "step");
    if (*step == BlockWalk::Step::End) {
      return all;
    }
    const bool good = *step == BlockWalk::Step::Block;
    const ByteRange range = good ? walk.block().stored : walk.damage();
    all.push_back(fmt::format("{} {}+{}{}{}", good ? "block" : "damage", range.offset, range.length,
                              good ? "" : " ", good ? "" : walk.fault().code));
  }
}
std::vector<std::string> steps(std::string_view file, const WalkOptions& options = {}) {
  return steps(in_memory(file), options);
}
using Steps = std::vector<std::string>;

TEST(BlockWalk, GoesFromBlockToBlock) {
  const std::string file = header() + body({std::string(50000, 'a')}) + body({"b"});
  const Steps expected = {"block 0+32768", "block 32768+65536", "block 98304+32768"};
  EXPECT_EQ(steps(file), expected);
  EXPECT_EQ(steps(as_pipe(file), {}), expected);
  EXPECT_EQ(steps(unmapped(file), {}), expected);
}

TEST(BlockWalk, DamageReachesToTheNextGoodBlockOfTheGrid) {
  std::string file = header() + body({"a"}) + body({std::string(90000, 'b')}) + body({"c"});
  file = hit(std::move(file), 3 * K + 50);
  const Steps expected = {"block 0+32768", "block 32768+32768", "damage 65536+98304 chunk-crc",
                          "block 163840+32768"};
  EXPECT_EQ(steps(file), expected);
  EXPECT_EQ(steps(as_pipe(file), {}), expected);
  EXPECT_EQ(steps(unmapped(file), {}), expected);
}

TEST(BlockWalk, DamageAtTheEndReachesToTheEnd) {
  const std::string file = header() + body({"a"}) + body({"b"}).substr(0, 1000);
  const Steps expected = {"block 0+32768", "block 32768+32768", "damage 65536+1000 short-chunk"};
  EXPECT_EQ(steps(file), expected);
  EXPECT_EQ(steps(as_pipe(file), {}), expected);
  EXPECT_EQ(steps(unmapped(file), {}), expected);
}

TEST(BlockWalk, TotalThatLiesLosesOneBlockOnly) {
  std::string file = header() + body({"a"}) + body({"b"}) + body({"c"});
  put_le32(file, K + 20, 3);
  fix_crc(file, K);
  EXPECT_EQ(steps(file), (Steps{"block 0+32768", "damage 32768+32768 chunk-sequence",
                                "block 65536+32768", "block 98304+32768"}));
}

TEST(BlockWalk, BytesPutInMoveTheGrid) {
  const std::string file = header() + body({"a"}) + "xyz" + body({"b"}) + body({"c"});
  EXPECT_EQ(steps(file), (Steps{"block 0+32768", "block 32768+32768", "damage 65536+3 chunk-magic",
                                "block 65539+32768", "block 98307+32768"}));
  EXPECT_EQ(steps(file, {.search_bytes = false}),
            (Steps{"block 0+32768", "block 32768+32768", "damage 65536+65539 chunk-magic"}));
}

// The chunk that is short takes the beginning of the next block for its padding.
TEST(BlockWalk, BytesLostMoveTheGrid) {
  const std::string file = header() + body({"a"}).substr(0, 30000) + body({"b"}) + body({"c"});
  EXPECT_EQ(steps(file), (Steps{"block 0+32768", "block 32768+32768", "damage 62768+0 chunk-magic",
                                "block 62768+32768", "block 95536+32768"}));
}

// The payload holds a whole file, whose chunks would pass as good off the grid.
TEST(BlockWalk, GridIsLookedAtBeforeBytes) {
  const std::string nested = header() + body({"nested"});
  std::string file = header() + body({nested}) + body({"b"});
  file = hit(std::move(file), K + 10);
  EXPECT_EQ(steps(file),
            (Steps{"block 0+32768", "damage 32768+98304 chunk-crc", "block 131072+32768"}));
}

TEST(BlockWalk, StopsBeforeTheBlockAtItsBorder) {
  const std::string file = header() + body({"a"}) + body({"b"});
  EXPECT_EQ(steps(file, {.stop_at = 0}), Steps{});
  EXPECT_EQ(steps(file, {.stop_at = 1}).size(), 1U);
  EXPECT_EQ(steps(file, {.stop_at = K}).size(), 1U);
  EXPECT_EQ(steps(file, {.stop_at = K + 1}).size(), 2U);
  EXPECT_EQ(steps(file, {.start = K, .stop_at = 2 * K}), Steps{"block 32768+32768"});
}

TEST(BlockWalk, LargeBlocksOfPipesAreSteppedOver) {
  const std::string file = header() + body({std::string(3000000, 'a')}) + body({"b"});
  const Steps expected = {"block 0+32768", "damage 32768+3014656 limit-exceeded",
                          "block 3047424+32768"};
  EXPECT_EQ(steps(as_pipe(file), {.limits = {.max_block = 4 * K}}), expected);
  EXPECT_EQ(steps(unmapped(file), {.limits = {.max_block = 4 * K}}), expected);
}

class LargeBehindDamage : public testing::TestWithParam<bool> {
 protected:
  static std::shared_ptr<ByteSource> source(std::string_view file) {
    return GetParam() ? as_pipe(file) : unmapped(file);
  }
};

TEST_P(LargeBehindDamage, IsSteppedOver) {
  std::string file = header() + body({"a"}) + body({std::string(3000000, 'b')}) + body({"c"});
  file = hit(std::move(file), K + 10);
  EXPECT_EQ(steps(source(file), {.limits = {.max_block = 4 * K}}),
            (Steps{"block 0+32768", "damage 32768+32768 chunk-crc",
                   "damage 65536+3014656 limit-exceeded", "block 3080192+32768"}));
}

TEST_P(LargeBehindDamage, IsSteppedOverWhereItBreaks) {
  std::string file = header() + body({"a"}) + body({std::string(3000000, 'b')}) + body({"c"});
  file = hit(std::move(file), K + 10);
  file = hit(std::move(file), 60 * K + 50);
  const Steps seen = steps(source(file), {.limits = {.max_block = 4 * K}});
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back(), "block 3080192+32768");
}

INSTANTIATE_TEST_SUITE_P(Sources, LargeBehindDamage, testing::Bool(),
                         [](const auto& tested) { return tested.param ? "Pipe" : "Unmapped"; });

// ---- legacy ----

TEST(LegacyWalk, GoesOnAtTheNextRecordWithARightHeader) {
  std::string file = plain_record("first") + plain_record("second") + packed_record({"x", "y"}) +
                     plain_record("last");
  file = hit(std::move(file), 25 + 8);
  const Steps expected = {"block 0+25", "damage 25+26 record-header-crc", "block 51+29",
                          "block 80+24"};
  EXPECT_EQ(steps(file, {.legacy = true}), expected);
  EXPECT_EQ(steps(as_pipe(file, 7), {.legacy = true}), expected);
  EXPECT_EQ(steps(unmapped(file), {.legacy = true}), expected);
}

TEST(LegacyWalk, CutRecordIsDamageToTheEnd) {
  const std::string file = plain_record("first") + plain_record("second").substr(0, 25);
  const Steps expected = {"block 0+25", "damage 25+25 record-cut"};
  EXPECT_EQ(steps(file, {.legacy = true}), expected);
  EXPECT_EQ(steps(as_pipe(file, 7), {.legacy = true}), expected);
}

TEST(LegacyWalk, RecordThatLostBytesDoesNotSwallowTheNextOne) {
  std::string file = plain_record("first") + plain_record("second") + plain_record("third");
  file.erase(25 + 20 + 2, 3);  // of the text of the second one
  EXPECT_EQ(steps(file, {.legacy = true}),
            (Steps{"block 0+25", "damage 25+23 record-cut", "block 48+25"}));
}

// What was put in begins with a header whose record is not there.
TEST(LegacyWalk, HeaderWithoutItsRecordHidesNoRecordBehindIt) {
  std::string file = plain_record(std::string(200, 'a')) + plain_record("second") +
                     plain_record("third") + plain_record(std::string(100, 'd'));
  file.replace(20 + 10, 150, plain_record(std::string(60, 'x')).substr(0, 30));
  EXPECT_EQ(steps(file, {.legacy = true}),
            (Steps{"damage 0+100 record-cut", "block 100+26", "block 126+25", "block 151+120"}));
}

TEST(LegacyWalk, RecordMayHoldRecords) {
  const std::string file =
      plain_record("x" + plain_record("inner") + plain_record("too")) + "?" + plain_record("last");
  EXPECT_EQ(steps(file, {.legacy = true}),
            (Steps{"block 0+69", "damage 69+1 record-header-crc", "block 70+24"}));
}

// A stretch of the file stands behind a header, in place of its record.
TEST(LegacyWalk, PackedRecordWithAWrongTableHidesNoRecordInIt) {
  const std::string inner = packed_record({"inner"}) + plain_record("too");
  const std::string file =
      packed_payload("no table " + inner + " rest") + "?" + plain_record("last");
  const std::size_t first = 29, second = first + packed_record({"inner"}).size();
  EXPECT_EQ(steps(file, {.legacy = true}),
            (Steps{"damage 0+29 record-cut", fmt::format("block {}+{}", first, second - first),
                   fmt::format("block {}+23", second),
                   fmt::format("damage {}+6 record-header-crc", second + 23),
                   fmt::format("block {}+24", second + 29)}));
}

TEST(LegacyWalk, PackedRecordWithAWrongTableMayHoldRecordsIfOneFollows) {
  const std::string file =
      packed_payload("no table " + plain_record("inner")) + plain_record("last");
  EXPECT_EQ(steps(file, {.legacy = true}), (Steps{"block 0+54", "block 54+24"}));
}

TEST(LegacyWalk, RecordOverTheLimitIsSteppedOverWhole) {
  const std::string nested = plain_record("nested");
  const std::string file =
      plain_record("a") + plain_record(nested + std::string(5000, 'x')) + plain_record("b");
  const Steps seen = steps(file, {.legacy = true, .limits = {.max_block = 1000}});
  ASSERT_EQ(seen.size(), 3U) << seen[2];
  EXPECT_EQ(seen[1].substr(0, 14), "damage 21+5046");
  EXPECT_EQ(seen[2], "block 5067+21");
}

// ---- complexity: none of these may take more than a moment ----

class Moment {
 public:
  ~Moment() { EXPECT_LT((std::clock() - begin_) / CLOCKS_PER_SEC, 10) << "too slow for its size"; }

 private:
  std::clock_t begin_ = std::clock();  // CPU
};

TEST(WalkTime, LegacyMagicsEverywhereInAPipe) {
  std::string file = plain_record("a");
  while (file.size() < (std::size_t{4} << 20)) {
    file += magic_bytes(Magic::LegacyPlain);
  }
  file += plain_record("b");
  const Moment moment;
  const Steps seen = steps(as_pipe(file, 1 << 20), {.legacy = true});
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back(), fmt::format("block {}+21", file.size() - 21));
}

// The table of each is all that is behind it, and wrong at its end.
TEST(WalkTime, LegacyRecordsInEachOther) {
  constexpr std::size_t kRecords = 100000, kStep = 26;
  std::string file;
  for (std::size_t n = 0; n < kRecords; ++n) {
    const std::size_t rest = (kRecords - n - 1) * kStep;
    Buffer head;
    emit_legacy_header(Magic::Packed, rest + 6, head);
    file += text_of(head) + std::string(4, 'c');
    Buffer count;
    emit_varint(std::min<std::size_t>(rest / 2, 16383) | 128U, count);
    file += text_of(count).substr(0, 2);
  }
  const Moment moment;
  EXPECT_GT(steps(file + "?", {.legacy = true}).size(), 1U);
}

TEST(WalkTime, BytePutInBeforeEveryBlock) {
  std::string file = header();
  const std::string one = body({"a"});
  for (int i = 0; i < 4000; ++i) {
    file += "!" + one;
  }
  const Moment moment;
  EXPECT_EQ(steps(file).size(), 8001U);
}

TEST(WalkTime, ChunksThatBeginBlocksWithoutEnd) {
  std::string file = header();
  for (std::uint32_t i = 0; i < 2000; ++i) {
    file += chunk(Magic::Packed, std::string(30000, 'x'), 2000 - i, 0);
  }
  const Moment moment;
  EXPECT_EQ(steps(file).back(), fmt::format("block {}+32768", file.size() - K));
}

TEST(WalkTime, ChunksInEachOther) {
  const std::string crammed =
      chunk(Magic::Packed, std::string(kChunkPayload, 'x'), 1, 0).substr(0, 28);
  std::string file = header();
  while (file.size() < (std::size_t{4} << 20)) {
    file += crammed;
  }
  const Moment moment;
  EXPECT_EQ(steps(file).size(), 2U);
}

// ---- recognizing ----

Kind kind_of(std::string_view file) {
  Window mapped{as_bytes(file)};
  Window window(unmapped(file));
  const auto kind = recognize_kind(mapped, 1 << 20);
  const auto read = recognize_kind(window, 1 << 20);
  require(kind.has_value() && read.has_value() && *kind == *read, "the same without a view");
  return *kind;
}

TEST(RecognizeKind, LooksBehindADamagedBeginning) {
  std::string v2 = header() + body({"a"});
  v2[0] = 'x';
  EXPECT_EQ(kind_of(v2), Kind::V2);
  std::string legacy = plain_record("aaaa") + plain_record("b");
  legacy[0] = 'x';
  EXPECT_EQ(kind_of(legacy), Kind::Legacy);
  EXPECT_EQ(kind_of(std::string(200000, 'x')), Kind::None);
  EXPECT_EQ(kind_of(""), Kind::None);
}

}  // namespace
}  // namespace fonds::recordio
