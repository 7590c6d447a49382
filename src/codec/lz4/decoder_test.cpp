#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lz4frame.h>

#include "codec/lz4/codec.hpp"
#include "codec/lz4/frame.hpp"
#include "codec/testing.hpp"

namespace fonds::lz4 {
namespace {

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
using namespace std::string_view_literals;

struct Shape {
  bool size = true, checksum = true, block_checksum = false, independent = true;
  LZ4F_blockSizeID_t block = LZ4F_max64KB;
};

std::string compress(std::string_view text, const Shape& shape = {}) {
  LZ4F_preferences_t preferences = LZ4F_INIT_PREFERENCES;
  preferences.frameInfo.contentSize = shape.size ? text.size() : 0;
  preferences.frameInfo.contentChecksumFlag =
      shape.checksum ? LZ4F_contentChecksumEnabled : LZ4F_noContentChecksum;
  preferences.frameInfo.blockChecksumFlag =
      shape.block_checksum ? LZ4F_blockChecksumEnabled : LZ4F_noBlockChecksum;
  preferences.frameInfo.blockMode = shape.independent ? LZ4F_blockIndependent : LZ4F_blockLinked;
  preferences.frameInfo.blockSizeID = shape.block;
  preferences.autoFlush = 1;
  LZ4F_cctx* context = nullptr;
  LZ4F_createCompressionContext(&context, LZ4F_VERSION);
  std::string out(LZ4F_compressFrameBound(text.size(), &preferences) + LZ4F_HEADER_SIZE_MAX, '\0');
  std::size_t n = LZ4F_compressBegin(context, out.data(), out.size(), &preferences);
  n += LZ4F_compressUpdate(context, out.data() + n, out.size() - n, text.data(), text.size(),
                           nullptr);
  n += LZ4F_compressEnd(context, out.data() + n, out.size() - n, nullptr);
  LZ4F_freeCompressionContext(context);
  out.resize(n);
  return out;
}

struct ShapeCase {
  std::string name;
  Shape shape;
};

class EveryShape : public testing::TestWithParam<ShapeCase> {};

TEST_P(EveryShape, GivesItsContentWholeInBlocksAndThroughAPipe) {
  const Shape& shape = GetParam().shape;
  const std::string text = record(1, 400000);
  const std::string one = compress(text, shape);
  const std::string stored = one + compress(record(2), shape);
  const std::string all = text + record(2);
  const Decoded whole = read_file(lz4_codec(), stored);
  EXPECT_THAT(whole.runs, ElementsAre(all));
  EXPECT_THAT(whole.units, ElementsAre(0U, one.size()));
  EXPECT_THAT(whole.codes, IsEmpty());
  EXPECT_EQ(whole.stored, stored.size());
  EXPECT_THAT(read_file(lz4_codec(), stored, {.max_whole_unit = 100}).runs, ElementsAre(all));
  EXPECT_THAT(read_all(lz4_codec(), piped(stored), {.skim = true}).runs, ElementsAre(all));
}

TEST_P(EveryShape, FrameScanSeesItsEnd) {
  const std::string stored = compress(record(1, 400000), GetParam().shape);
  FrameHeader header;
  ASSERT_EQ(parse_frame_header(as_bytes(stored), header), HeaderState::Good);
  const FrameInfo frame = scan_frame(as_bytes(stored + "tail"), header);
  EXPECT_EQ(frame.state, FrameState::Complete);
  EXPECT_EQ(frame.size, stored.size());
  EXPECT_GE(frame.decoded_most, record(1, 400000).size());
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, EveryShape,
    testing::Values(ShapeCase{"usual", {}}, ShapeCase{"linked", {.independent = false}},
                    ShapeCase{"block_checksums", {.block_checksum = true}},
                    ShapeCase{"nothing", {.size = false, .checksum = false}},
                    ShapeCase{"linked_large",
                              {.size = false, .independent = false, .block = LZ4F_max4MB}}),
    [](const auto& named) { return named.param.name; });

class EveryCut : public testing::TestWithParam<bool> {};

TEST_P(EveryCut, DeliversWholeFramesAndIsTruncated) {
  const std::string one = compress(record(1, 300));
  const std::string stored = one + compress(record(2, 300));
  for (std::size_t n = one.size() + 1; n < stored.size(); ++n) {
    const std::string cut = stored.substr(0, n);
    const Decoded got = read_all(lz4_codec(), GetParam() ? mapped(cut) : piped(cut), probing());
    EXPECT_EQ(got.all().substr(0, record(1, 300).size()), record(1, 300)) << n;
    EXPECT_THAT(got.codes, ElementsAre("truncated-frame")) << n;
    EXPECT_THAT(got.code_offsets, ElementsAre(one.size())) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Sources, EveryCut, testing::Bool(),
                         [](const auto& named) { return named.param ? "mapped" : "piped"; });

TEST(Lz4Decoder, WrongContentChecksumStillDeliversTheContent) {
  std::string one = compress(record(1));
  one.back() = static_cast<char>(one.back() ^ 1);
  const Decoded got = read_file(lz4_codec(), one + compress(record(2)));
  EXPECT_THAT(got.runs, ElementsAre(record(1) + record(2)));
  EXPECT_THAT(got.codes, ElementsAre("frame-checksum"));
}

// What is missing of the first frame it takes from those behind it.
TEST(Lz4Decoder, FrameThatLostBytesHidesNoFrameThatItEndsIn) {
  // The end of its own and the header of the third frame, whose block becomes its second one.
  constexpr std::size_t kEnd = 8, kHeader = 15;
  const std::string two = compress(record(2, 300)), three = compress(record(3, 300));
  const std::string whole = compress(record(1, 20) + noise(5000));
  const std::string one = std::string(whole).erase(1000, two.size() + kEnd + kHeader);
  const Decoded got = read_file(lz4_codec(), one + two + three, probing());
  EXPECT_THAT(got.units, ElementsAre(0U, one.size(), one.size() + two.size()));
  ASSERT_EQ(got.runs.size(), 2U);
  EXPECT_EQ(got.runs[1], record(2, 300) + record(3, 300));
  EXPECT_THAT(got.codes, Contains("frame-damaged"));
}

TEST(Lz4Decoder, SkippableFrameWithAWrongSizeHidesNoFrame) {
  const std::string skippable("\x50\x2a\x4d\x18\x44\0\0\0size", 12);
  const std::string one = compress(record(1)), two = compress(record(2));
  const Decoded got = read_file(lz4_codec(), skippable + one + two, probing());
  EXPECT_THAT(got.units, ElementsAre(skippable.size(), skippable.size() + one.size()));
}

// A damaged block size reaches over the end of the file.
TEST(Lz4Decoder, FramesThatLeadToTheEndAreReadThoughNoRecordIsRecognized) {
  std::string one = compress(noise(5000));
  const std::string two = compress(noise(300)), three = compress(noise(200));
  one.erase(1000, 10 + two.size() + three.size());
  const Decoded got = read_file(lz4_codec(), one + two + three);
  EXPECT_THAT(got.units, ElementsAre(one.size(), one.size() + two.size()));
}

// The end mark became a size that reaches over the end of the file, and no frames lead there.
TEST(Lz4Decoder, FrameWithAllOfItsContentHidesNoFrameBehindIt) {
  std::string one = compress(noise(5000)), three = compress(noise(200));
  const std::string two = compress(noise(300));
  one[one.size() - 6] = 1;  // in front of the checksum of 4 bytes
  three.back() = static_cast<char>(three.back() ^ 1);
  const Decoded got = read_all(lz4_codec(), mapped(one + two + three));
  EXPECT_THAT(got.units, ElementsAre(0U, one.size(), one.size() + two.size()));
  EXPECT_THAT(got.codes, ElementsAre("frame-damaged", "frame-checksum"));
}

TEST(Lz4Decoder, FramesInTheContentOfADamagedFrameAreNoneOfTheFile) {
  std::string one = compress(record(1, 20) + compress(record(2)) + noise(5000));
  one.back() = static_cast<char>(one.back() ^ 1);
  const Decoded got = read_file(lz4_codec(), one + compress(record(3)), probing());
  EXPECT_THAT(got.units, ElementsAre(0U, one.size()));
  EXPECT_EQ(got.runs.size(), 1U);
  EXPECT_THAT(got.codes, ElementsAre("frame-checksum"));
}

TEST(Lz4Decoder, WrongBlockChecksumStillDeliversTheBlock) {
  const std::string text = record(1, 200000);
  std::string one = compress(text, {.block_checksum = true});
  const std::size_t first =
      15 + 4 +
      (static_cast<unsigned char>(one[15]) | static_cast<std::size_t>(one[16] & 0xff) << 8 |
       static_cast<std::size_t>(one[17] & 0x7f) << 16);
  one[first] = static_cast<char>(one[first] ^ 1);
  const Decoded got = read_file(lz4_codec(), one + compress(record(2)));
  EXPECT_THAT(got.runs, ElementsAre(text + record(2)));
  EXPECT_THAT(got.codes, ElementsAre("frame-checksum"));
}

std::string with_bad_block(std::string stored) {
  stored.replace(19, 40, 40, '\xff');
  return stored;
}

TEST(Lz4Decoder, DamagedFrameIsAGapAndTheNextRecordFollows) {
  const std::string one = compress(record(1));
  const Decoded got = read_file(
      lz4_codec(), one + with_bad_block(compress(record(2))) + compress(record(3)), probing());
  EXPECT_THAT(got.runs, ElementsAre(record(1), record(3)));
  EXPECT_THAT(got.codes, ElementsAre("frame-damaged"));
  EXPECT_THAT(got.code_offsets, ElementsAre(one.size()));
}

TEST(Lz4Decoder, SalvageGoesOnAtTheNextIndependentBlock) {
  const std::string text = record(1, 200000);
  DecodeOptions options = probing();
  options.salvage = true;
  const Decoded got =
      read_file(lz4_codec(), with_bad_block(compress(text)) + compress(record(2)), options);
  EXPECT_THAT(got.runs, ElementsAre(text.substr(65536) + record(2)));
  EXPECT_THAT(got.codes, ElementsAre("frame-damaged"));
}

TEST(Lz4Decoder, SkippableFramesAndZerosArePassed) {
  const std::string skippable(
      "\x5a\x2a\x4d\x18\x03\x00\x00\x00"
      "abc",
      11);
  const Decoded got = read_file(
      lz4_codec(), skippable + compress(record(1)) + std::string(500, '\0') + compress(record(2)));
  EXPECT_THAT(got.runs, ElementsAre(record(1) + record(2)));
  EXPECT_THAT(got.codes, testing::UnorderedElementsAre("extension-frame", "nul-padding"));
}

TEST(Lz4Decoder, LegacyFramesAreRefused) {
  const Decoded got = read_file(lz4_codec(), "\x02\x21\x4c\x18....data");
  EXPECT_THAT(got.runs, IsEmpty());
  EXPECT_THAT(got.codes, ElementsAre("frame-damaged"));
}

TEST(Lz4Decoder, GarbageBehindTheLastFrameIsNamed) {
  const Decoded got = read_file(lz4_codec(), compress(record(1)) + "garbage");
  EXPECT_THAT(got.runs, ElementsAre(record(1)));
  EXPECT_THAT(got.codes, ElementsAre("trailing-garbage"));
}

TEST(Lz4Decoder, WrongContentSizeStillDeliversTheContent) {
  FrameHeader header;
  std::string one = compress(record(1));
  const char right = one[6];
  // The header checksum is one byte, so other sizes have the same one.
  for (int other = 1; other < 0x10000; ++other) {
    one[6] = static_cast<char>(right ^ (other & 0xFF));
    one[7] = static_cast<char>(other >> 8);
    if (parse_frame_header(as_bytes(one), header) == HeaderState::Good &&
        header.content_size != record(1).size()) {
      break;
    }
  }
  ASSERT_EQ(parse_frame_header(as_bytes(one), header), HeaderState::Good);
  const Decoded got = read_file(lz4_codec(), one + compress(record(2)));
  EXPECT_THAT(got.runs, ElementsAre(record(1) + record(2)));
  EXPECT_THAT(got.codes, ElementsAre("frame-damaged"));
}

TEST(Lz4Skim, LargeFrameIsLeftWithoutBeingDecoded) {
  const std::string text = record(1, 900000);
  const std::string one = compress(text);
  auto decoder = lz4_codec().decode(mapped(one + compress(record(2))), {.skim = true});
  ASSERT_TRUE(decoder);
  EXPECT_EQ((*decoder)->peek(100)->size(), 65536U);
  (*decoder)->consume(50);
  EXPECT_FALSE(*(*decoder)->skim_unit(text.size() - 1));
  EXPECT_TRUE(*(*decoder)->skim_unit(text.size()));
  EXPECT_EQ((*decoder)->stored_position(), one.size());
  EXPECT_EQ(as_text(*(*decoder)->peek(record(2).size())), record(2));
}

TEST(Lz4Skim, FrameWithoutContentSizeIsNot) {
  const std::string text = record(1, 900000);
  auto decoder = lz4_codec().decode(mapped(compress(text, {.size = false})), {.skim = true});
  ASSERT_TRUE(decoder);
  ASSERT_TRUE((*decoder)->peek(100));
  EXPECT_FALSE(*(*decoder)->skim_unit(text.size()));
  EXPECT_EQ(*(*decoder)->skip(text.size()), text.size());
}

TEST(Lz4Codec, FindUnitPassesFramesThatBeginNoRecord) {
  const std::string one = compress(record(1));
  const std::string rest = compress("not a record");
  const std::string stored = one + rest + compress(record(2));
  const RecordProbe probe = {.starts_record = starts_with_record};
  EXPECT_EQ(lz4_codec().find_unit(as_bytes(stored), 0, stored.size(), probe), 0U);
  EXPECT_EQ(lz4_codec().find_unit(as_bytes(stored), 1, stored.size(), probe),
            one.size() + rest.size());
}

TEST(Lz4Codec, ProbeLooksBehindSkippableFrames) {
  EXPECT_EQ(lz4_codec().probe(as_bytes(compress("a"))), 32);
  EXPECT_EQ(lz4_codec().probe(as_bytes("\x50\x2a\x4d\x18\x01\x00\x00\x00x\x04\x22\x4d\x18"sv)), 32);
  EXPECT_EQ(lz4_codec().probe(as_bytes("\x50\x2a\x4d\x18\x01\x00\x00\x00x\x28\xb5\x2f\xfd"sv)), 0);
  EXPECT_EQ(lz4_codec().probe(as_bytes("\x04\x22")), 0);
}

}  // namespace
}  // namespace fonds::lz4
