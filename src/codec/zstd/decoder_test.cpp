#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include "codec/testing.hpp"
#include "codec/zstd/codec.hpp"

namespace fonds::zstd {
namespace {

using ::testing::_;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing_codec::Decoded;
using testing_codec::mapped;
using testing_codec::noise;
using testing_codec::piped;
using testing_codec::probing;
using testing_codec::read_all;
using testing_codec::read_file;
using testing_codec::record;
using testing_codec::starts_with_record;

std::string compress(std::string_view text, bool checksum = true, bool size = true,
                     int window_log = 0) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum ? 1 : 0);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, size ? 1 : 0);
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return out;
}

TEST(ZstdDecoder, UnitsFollowEachOtherInOneRun) {
  const std::string one = compress(record(1));
  const std::string stored = one + compress(record(2));
  const Decoded got = read_file(zstd_codec(), stored);
  EXPECT_THAT(got.runs, ElementsAre(record(1) + record(2)));
  EXPECT_THAT(got.units, ElementsAre(0U, one.size()));
  EXPECT_THAT(got.codes, IsEmpty());
  EXPECT_EQ(got.stored, stored.size());
}

TEST(ZstdDecoder, PipeGivesTheSameAsAMappedFile) {
  const std::string stored =
      compress(record(1)) + compress(record(2, 500000), true, false) + compress(record(3));
  const Decoded got = read_all(zstd_codec(), piped(stored));
  EXPECT_THAT(got.runs, ElementsAre(record(1) + record(2, 500000) + record(3)));
  EXPECT_THAT(got.codes, ElementsAre("zf-size"));
}

TEST(ZstdDecoder, FrameLargerThanTheWholeLimitIsStreamed) {
  const std::string text = record(1, 700000);
  const std::string stored = compress(text) + compress(record(2));
  const Decoded got = read_file(zstd_codec(), stored, {.max_whole_unit = 1000});
  EXPECT_THAT(got.runs, ElementsAre(text + record(2)));
  EXPECT_THAT(got.codes, IsEmpty());
}

TEST(ZstdDecoder, StoredPositionIsTheEndOfTheUnitThatIsRead) {
  const std::string one = compress(record(1));
  auto decoder = zstd_codec().decode(mapped(one + compress(record(2))), {});
  ASSERT_TRUE(decoder);
  ASSERT_EQ((*decoder)->peek(2 * record(1).size())->size(), record(1).size() + record(2).size());
  (*decoder)->consume(10);
  EXPECT_EQ((*decoder)->stored_position(), one.size());
  (*decoder)->consume(record(1).size() - 10);
  EXPECT_EQ((*decoder)->stored_position(), one.size());
  EXPECT_EQ((*decoder)->place(), (Place{one.size(), 0}));
}

class ZstdEveryCut : public testing::TestWithParam<bool> {};

TEST_P(ZstdEveryCut, DeliversWholeFramesAndIsTruncated) {
  const std::string one = compress(record(1, 300));
  const std::string stored = one + compress(record(2, 300));
  for (std::size_t n = one.size() + 1; n < stored.size(); ++n) {
    const std::string cut = stored.substr(0, n);
    const Decoded got = read_all(zstd_codec(), GetParam() ? mapped(cut) : piped(cut), probing());
    EXPECT_EQ(got.all().substr(0, record(1, 300).size()), record(1, 300)) << n;
    EXPECT_THAT(got.codes, ElementsAre("truncated-frame")) << n;
    EXPECT_THAT(got.code_offsets, ElementsAre(one.size())) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Sources, ZstdEveryCut, testing::Bool(),
                         [](const auto& named) { return named.param ? "mapped" : "piped"; });

TEST(ZstdDecoder, BlocksBeforeTheDamageAreDelivered) {
  const std::string text = record(1, 500000);
  std::string stored = compress(text);
  stored.resize(stored.size() * 2 / 3);
  const Decoded got = read_file(zstd_codec(), stored);
  EXPECT_THAT(got.codes, ElementsAre("truncated-frame"));
  EXPECT_GE(got.all().size(), 128U << 10);
  EXPECT_TRUE(text.starts_with(got.all()));
}

TEST(ZstdDecoder, DamagedFrameIsAGapAndTheNextRecordFollows) {
  const std::string one = compress(record(1));
  std::string two = compress(record(2));
  const std::string three = compress(record(3));
  two.replace(
      10, 60, 60,
      '\xff');  // the head of the first block, behind 7 bytes of header and 3 of block header
  const Decoded got = read_file(zstd_codec(), one + two + three, probing());
  EXPECT_THAT(got.runs, ElementsAre(record(1), record(3)));
  EXPECT_THAT(got.codes, ElementsAre("frame-damaged"));
  EXPECT_THAT(got.code_offsets, ElementsAre(one.size()));
}

TEST(ZstdDecoder, BlockSizeThatReachesOverTheFileHidesNoRecord) {
  const std::string one = compress(record(1));
  std::string two = compress(record(2));
  two[9] = '\x7f';  // the highest byte of the first block's size, behind a header of 7 bytes
  const Decoded got = read_file(zstd_codec(), one + two + compress(record(3)), probing());
  EXPECT_THAT(got.runs, ElementsAre(record(1), record(3)));
  EXPECT_THAT(got.codes, ElementsAre("frame-damaged"));
}

// What is missing of the first frame it takes from those behind it.
TEST(ZstdDecoder, FrameThatLostBytesHidesNoFrameThatItEndsIn) {
  const std::string two = compress(record(2, 300)), three = compress(record(3, 300));
  const std::string whole = compress(record(1, 20) + noise(5000));
  const std::string one = std::string(whole).erase(1000, two.size());
  const Decoded got = read_file(zstd_codec(), one + two + three, probing());
  EXPECT_THAT(got.units, ElementsAre(0U, one.size(), one.size() + two.size()));
  ASSERT_EQ(got.runs.size(), 2U);
  EXPECT_EQ(got.runs[1], record(2, 300) + record(3, 300));
  EXPECT_THAT(got.codes, Contains("frame-damaged"));
}

// A stretch of the file stands in a frame: whole frames, a torn one, and one that reaches over its
// end.
TEST(ZstdDecoder, FrameThatHoldsAStretchOfTheFileHidesNoFrameOfIt) {
  const std::string two = compress(record(2, 300)), four = compress(record(4, 300));
  const std::string torn = compress(record(3, 300)).substr(0, 100);
  const std::string whole = compress(record(1, 20) + noise(5000));
  const std::string one = std::string(whole).erase(1000, two.size() + torn.size() + four.size());
  const Decoded got = read_all(zstd_codec(), mapped(one + two + torn + four), probing());
  EXPECT_THAT(got.units, ElementsAre(0U, one.size(), one.size() + two.size() + torn.size()));
  EXPECT_THAT(got.runs, ElementsAre(_, record(2, 300), record(4, 300)));
}

TEST(ZstdDecoder, FrameThatLostBytesHidesNoFrameThoughSkippableOnesPartThem) {
  const std::string prefix("\x50\x2a\x4d\x18\x04\0\0\0size", 12);
  const std::string two = compress(record(2, 300)), three = compress(record(3, 300));
  const std::string whole = compress(record(1, 20) + noise(5000));
  const std::size_t taken = 2 * prefix.size() + two.size() + three.size();
  const std::string one = std::string(whole).erase(1000, taken);
  const Decoded got = read_file(zstd_codec(), one + prefix + two + prefix + three, probing());
  EXPECT_THAT(got.units, ElementsAre(0U, one.size() + prefix.size(),
                                     one.size() + 2 * prefix.size() + two.size()));
}

// It begins no record, so it would be passed over behind the damaged frame before it.
TEST(ZstdDecoder, FrameThatLostBytesHidesNoFrameBehindADamagedOne) {
  std::string one = compress(record(1));
  one.replace(10, 60, 60, '\xff');
  const std::string three = compress(record(3, 300)), four = compress(record(4, 300));
  const std::string two = compress(noise(5000)).erase(1000, three.size());
  const Decoded got = read_file(zstd_codec(), one + two + three + four, probing());
  EXPECT_THAT(got.runs, ElementsAre(record(3, 300) + record(4, 300)));
}

TEST(ZstdDecoder, SkippableFrameWithAWrongSizeHidesNoFrame) {
  const std::string skippable("\x50\x2a\x4d\x18\x44\0\0\0size", 12);
  const std::string one = compress(record(1)), two = compress(record(2));
  const Decoded got = read_file(zstd_codec(), skippable + one + two, probing());
  EXPECT_THAT(got.units, ElementsAre(skippable.size(), skippable.size() + one.size()));
}

// A damaged block size reaches over the end of the file.
TEST(ZstdDecoder, FramesThatLeadToTheEndAreReadThoughNoRecordIsRecognized) {
  std::string one = compress(noise(5000));
  const std::string two = compress(noise(300)), three = compress(noise(200));
  one.erase(1000, 10 + two.size() + three.size());
  const Decoded got = read_file(zstd_codec(), one + two + three);
  EXPECT_THAT(got.units, ElementsAre(0U, one.size(), one.size() + two.size()));
}

TEST(ZstdDecoder, FramesInTheContentOfADamagedFrameAreNoneOfTheFile) {
  std::string one = compress(record(1, 20) + compress(record(2)) + noise(5000));
  one.back() = static_cast<char>(one.back() ^ 1);
  const Decoded got = read_file(zstd_codec(), one + compress(record(3)), probing());
  EXPECT_THAT(got.units, ElementsAre(0U, one.size()));
  EXPECT_EQ(got.runs.size(), 1U);
  EXPECT_THAT(got.codes, ElementsAre("zf-checksum-value"));
}

TEST(ZstdDecoder, WrongChecksumStillDeliversTheContent) {
  std::string one = compress(record(1));
  one.back() = static_cast<char>(one.back() ^ 1);
  const Decoded got = read_file(zstd_codec(), one + compress(record(2)));
  EXPECT_THAT(got.runs, ElementsAre(record(1) + record(2)));
  EXPECT_THAT(got.codes, ElementsAre("zf-checksum-value"));
}

class WrongSize : public testing::TestWithParam<int> {};

TEST_P(WrongSize, StillDeliversTheContent) {
  std::string one = compress(record(1));
  one[5] = static_cast<char>(one[5] + GetParam());  // the low byte of the content size
  const Decoded got = read_file(zstd_codec(), one + compress(record(2)));
  EXPECT_THAT(got.runs, ElementsAre(record(1) + record(2)));
  EXPECT_THAT(got.codes, ElementsAre("zf-size-value"));
}

INSTANTIATE_TEST_SUITE_P(Sizes, WrongSize, testing::Values(-10, 10), [](const auto& named) {
  return named.param < 0 ? "too_small" : "too_big";
});

TEST(ZstdDecoder, BytesBetweenFramesAreAGap) {
  const std::string one = compress(record(1));
  const Decoded got =
      read_file(zstd_codec(), one + "garbage" + compress(record(2)) + "tail", probing());
  EXPECT_THAT(got.runs, ElementsAre(record(1), record(2)));
  EXPECT_THAT(got.codes, ElementsAre("zs-frames", "zs-frames"));
}

TEST(ZstdDecoder, EmptyFileIsTheEnd) {
  const Decoded got = read_file(zstd_codec(), "");
  EXPECT_THAT(got.runs, IsEmpty());
  EXPECT_THAT(got.codes, IsEmpty());
}

TEST(ZstdDecoder, WindowOverTheLimitIsNamedAndPassed) {
  const std::string large = compress(record(1, 300000), true, false, 20);
  const Decoded got = read_file(zstd_codec(), large + compress(record(2)),
                                {.max_whole_unit = 1000, .max_window_log = 18});
  EXPECT_THAT(got.runs, ElementsAre(record(2)));
  EXPECT_THAT(got.codes, ElementsAre("zf-size", "limit-exceeded"));
}

TEST(ZstdDecoder, BombStopsAtTheLimitOfOnePeek) {
  const std::string bomb = compress(std::string(40 << 20, '\0'));
  auto decoder = zstd_codec().decode(mapped(bomb), {.max_buffer = 1 << 20});
  ASSERT_TRUE(decoder);
  EXPECT_EQ((*decoder)->peek(1)->size() > 0, true);
  const auto all = (*decoder)->peek(40 << 20);
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code(), ErrorCode::LimitExceeded);
}

TEST(ZstdSkim, LargeFrameIsLeftWithoutBeingDecoded) {
  const std::string one = compress(record(1, 900000));
  const std::string size(record(1, 900000));
  auto decoder = zstd_codec().decode(mapped(one + compress(record(2))), {.skim = true});
  ASSERT_TRUE(decoder);
  const auto head = (*decoder)->peek(100);
  ASSERT_TRUE(head);
  EXPECT_LT(head->size(), 200000U);
  (*decoder)->consume(50);
  EXPECT_FALSE(*(*decoder)->skim_unit(size.size() - 1));
  EXPECT_TRUE(*(*decoder)->skim_unit(size.size()));
  EXPECT_EQ((*decoder)->stored_position(), one.size());
  EXPECT_EQ(as_text(*(*decoder)->peek(record(2).size())), record(2));
  EXPECT_EQ((*decoder)->place(), (Place{one.size(), 0}));
}

TEST(ZstdSkim, SmallFrameIsLeftWhenItsEndIsRight) {
  auto decoder =
      zstd_codec().decode(mapped(compress(record(1)) + compress(record(2))), {.skim = true});
  ASSERT_TRUE(decoder);
  ASSERT_TRUE((*decoder)->peek(2 * record(1).size()));
  (*decoder)->consume(7);
  EXPECT_FALSE(*(*decoder)->skim_unit(record(1).size() + 1));
  EXPECT_TRUE(*(*decoder)->skim_unit(record(1).size()));
  EXPECT_EQ(as_text(*(*decoder)->peek(1)), record(2));
}

TEST(ZstdCodec, FindUnitPassesFramesThatBeginNoRecord) {
  const std::string one = compress(record(1));
  const std::string rest = compress("not a record");
  const std::string stored = one + rest + compress(record(2));
  const RecordProbe probe = {.starts_record = starts_with_record};
  EXPECT_EQ(zstd_codec().find_unit(as_bytes(stored), 0, stored.size(), probe), 0U);
  EXPECT_EQ(zstd_codec().find_unit(as_bytes(stored), 1, stored.size(), probe),
            one.size() + rest.size());
  EXPECT_EQ(zstd_codec().find_unit(as_bytes(stored), 1, one.size() + 1, probe), one.size() + 1);
}

TEST(ZstdCodec, ProbeKnowsFramesAndSkippableFrames) {
  EXPECT_EQ(zstd_codec().probe(as_bytes(compress("a"))), 32);
  EXPECT_GT(zstd_codec().probe(as_bytes("\x5d\x2a\x4d\x18....")), 0);
  EXPECT_EQ(zstd_codec().probe(as_bytes("WARC/1.0")), 0);
  EXPECT_EQ(zstd_codec().probe(as_bytes("\x28\xb5")), 0);
}

}  // namespace
}  // namespace fonds::zstd
