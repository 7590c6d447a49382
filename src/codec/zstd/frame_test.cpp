#include "codec/zstd/frame.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

namespace fonds::zstd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kLimit = kCommonDictionary;

std::string compress(std::string_view text, bool checksum = true, bool size = true) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum ? 1 : 0);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, size ? 1 : 0);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return out;
}

std::string skippable(char low, std::string_view data) {
  std::string frame = {low, '\x2a', '\x4d', '\x18'};
  for (unsigned shift = 0; shift < 32; shift += 8) {
    frame += static_cast<char>(data.size() >> shift & 0xFF);
  }
  return frame.append(data);
}

std::vector<FrameInfo> walk(std::string_view stored) {
  std::vector<FrameInfo> frames;
  walk_frames(as_bytes(stored), [&](const FrameInfo& frame) { frames.push_back(frame); });
  return frames;
}

std::vector<std::string> rules(std::string_view stored) {
  std::vector<std::string> codes;
  EXPECT_TRUE(check_frames(Window(as_bytes(stored)), kLimit,
                           [&](const Finding& finding) { codes.emplace_back(finding.code); }));
  return codes;
}

std::vector<std::string> dictionary_rules(std::string_view user_data,
                                          std::uint64_t limit = kLimit) {
  std::vector<std::string> codes;
  check_dictionary(as_bytes(user_data), user_data.size(), 0, limit,
                   [&](const Finding& finding) { codes.emplace_back(finding.code); });
  return codes;
}

TEST(ParseFrameHeader, FrameOfTheSpecificationHasNoContentAndAChecksum) {
  const std::string stored("\x28\xb5\x2f\xfd\x24\x00\x01\x00\x00\x99\xe9\xd8\x51", 13);
  const auto header = parse_frame_header(as_bytes(stored));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->size, 6U);
  EXPECT_EQ(header->content_size, 0U);
  EXPECT_TRUE(header->checksum);
  EXPECT_TRUE(header->single_segment);
  EXPECT_FALSE(header->dictionary_id);
}

struct HeaderCase {
  std::string_view name, bytes;
  std::size_t size;
  std::uint64_t window;
  std::optional<std::uint64_t> content;
  std::optional<std::uint32_t> id;
};

class EveryHeader : public testing::TestWithParam<HeaderCase> {};

TEST_P(EveryHeader, IsReadAndNotReadWhenCut) {
  const HeaderCase& c = GetParam();
  const std::string stored = "\x28\xb5\x2f\xfd" + std::string(c.bytes);
  const auto header = parse_frame_header(as_bytes(stored));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->size, c.size);
  EXPECT_EQ(header->window_size, c.window);
  EXPECT_EQ(header->content_size, c.content);
  EXPECT_EQ(header->dictionary_id, c.id);
  EXPECT_FALSE(parse_frame_header(as_bytes(stored).first(c.size - 1)));
}

using namespace std::string_view_literals;
INSTANTIATE_TEST_SUITE_P(
    All, EveryHeader,
    testing::Values(
        HeaderCase{"smallest_window", "\x00\x00"sv, 6, 1024, std::nullopt, std::nullopt},
        HeaderCase{"window_with_mantissa", "\x00\x51"sv, 6, 1179648, std::nullopt, std::nullopt},
        HeaderCase{"largest_window", "\x00\xff"sv, 6, 4123168604160, std::nullopt, std::nullopt},
        HeaderCase{"two_byte_size_adds_256", "\x60\x01\x00"sv, 7, 257, 257, std::nullopt},
        HeaderCase{"four_byte_size", "\xa0\x01\x00\x01\x00"sv, 9, 65537, 65537, std::nullopt},
        HeaderCase{"eight_byte_size", "\xe0\xff\xff\xff\xff\xff\xff\xff\xff"sv, 13, UINT64_MAX,
                   UINT64_MAX, std::nullopt},
        HeaderCase{"one_byte_id", "\x01\x00\x07"sv, 7, 1024, std::nullopt, 7},
        HeaderCase{"two_byte_id", "\x22\x07\x01\x05"sv, 8, 5, 5, 263},
        HeaderCase{"four_byte_id", "\x23\x01\x02\x03\x04\x05"sv, 10, 5, 5, 0x04030201},
        HeaderCase{"id_zero_is_none", "\x21\x00\x05"sv, 7, 5, 5, std::nullopt}),
    [](const auto& named) { return std::string(named.param.name); });

TEST(WalkFrames, AgreesWithLibzstdAboutEveryFrame) {
  const std::string one = compress(std::string(300000, 'a') + "tail");
  const std::string two = compress("hello", false, false);
  const auto frames = walk(one + skippable('\x53', "note") + two);
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[0].size, ZSTD_findFrameCompressedSize(one.data(), one.size()));
  EXPECT_EQ(frames[0].header.content_size, 300004U);
  EXPECT_GE(frames[0].decoded_most, 300004U);
  EXPECT_EQ(frames[1].kind, FrameKind::Skippable);
  EXPECT_EQ(frames[1].size, 12U);
  EXPECT_EQ(frames[2].offset, one.size() + 12);
  EXPECT_EQ(frames[2].size, two.size());
}

TEST(WalkFrames, EveryCutOfAFrameIsTruncated) {
  const std::string stored = compress(std::string(1000, 'x') + "yz");
  for (std::size_t n = 1; n < stored.size(); ++n) {
    const FrameInfo frame = scan_frame(as_bytes(stored).first(n));
    EXPECT_EQ(frame.state, FrameState::Truncated) << n;
    EXPECT_EQ(frame.size, n);
    EXPECT_GT(frame.size_declared, n);
  }
}

TEST(WalkFrames, SkippableFrameLargerThanTheFileIsTruncated) {
  const auto frames =
      walk(std::string_view("\x50\x2a\x4d\x18\xff\xff\xff\xff"
                            "abc",
                            11));
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].state, FrameState::Truncated);
  EXPECT_EQ(frames[0].size_declared, std::uint64_t{8} + 0xFFFFFFFFU);
}

TEST(WalkFrames, BytesBetweenFramesReachToTheNextFrame) {
  const std::string frame = compress("content");
  const auto frames = walk(frame + "garbage" + frame);
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[1].kind, FrameKind::Unknown);
  EXPECT_EQ(frames[1].size, 7U);
  EXPECT_EQ(frames[2].offset, frame.size() + 7);
}

TEST(WalkFrames, BlockOfTheReservedTypeIsIllegalAndTheNextFrameIsFound) {
  const std::string frame = compress("content");
  std::string broken = frame;
  broken[6] = '\x07';
  const auto frames = walk(broken + frame);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].state, FrameState::Illegal);
  EXPECT_EQ(frames[1].offset, broken.size());
}

TEST(CheckFrames, ConformingFileIsSilent) {
  EXPECT_THAT(rules(compress("a") + compress("b")), IsEmpty());
}

TEST(CheckFrames, TrailingBytesBelongToNoFrame) {
  EXPECT_THAT(rules(compress("a") + "x\r\n"), ElementsAre("zs-frames"));
}

TEST(CheckFrames, FileThatStartsWithOtherBytesIsReportedOnce) {
  EXPECT_THAT(rules("plain text" + compress("a")), ElementsAre("zs-start"));
}

TEST(CheckFrames, ReservedBitAndLegacyMagicAreNotStandard) {
  std::string reserved = compress("a");
  reserved[4] = static_cast<char>(reserved[4] | 0x08);
  EXPECT_THAT(rules(reserved), ElementsAre("zf-standard"));
  EXPECT_THAT(rules(compress("a") + std::string("\x25\xb5\x2f\xfd\0\0\0", 7)),
              ElementsAre("zf-standard"));
}

TEST(CheckFrames, FrameWithoutSizeAndChecksumBreaksBothRules) {
  EXPECT_THAT(rules(compress("a", false, false)), ElementsAre("zf-size", "zf-checksum"));
}

TEST(CheckDictionary, OtherBytesAreNoDictionary) {
  EXPECT_THAT(dictionary_rules("raw content"), ElementsAre("zd-form"));
}

TEST(CheckDictionary, MagicAloneIsNotEnough) {
  EXPECT_THAT(dictionary_rules(std::string_view("\x37\xa4\x30\xec\x01\x02\x03\x04", 8)),
              ElementsAre("zd-format"));
  EXPECT_THAT(dictionary_rules(compress("raw content")), ElementsAre("zd-format"));
}

TEST(CheckDictionary, CompressedFormMustBeOneFrame) {
  EXPECT_THAT(dictionary_rules(compress("raw ") + compress("content")),
              ElementsAre("zd-one-frame", "zd-format"));
}

TEST(CheckDictionary, CompressedFormNeedsSizeAndChecksum) {
  EXPECT_THAT(dictionary_rules(compress("raw", false, false)),
              ElementsAre("zd-size", "zd-checksum", "zd-format"));
}

TEST(CheckDictionary, WrongChecksumIsReported) {
  std::string stored = compress("raw content");
  stored.back() = static_cast<char>(stored.back() ^ 1);
  EXPECT_THAT(dictionary_rules(stored), ElementsAre("zd-checksum", "zd-format"));
}

TEST(CheckDictionary, SizeOverTheLimitIsNotDecoded) {
  const std::string stored = compress(std::string(9 << 20, '\0'));
  std::vector<std::string> codes;
  const auto info =
      check_dictionary(as_bytes(stored), stored.size(), 0, kLimit,
                       [&](const Finding& finding) { codes.emplace_back(finding.code); });
  EXPECT_TRUE(info.over_limit);
  EXPECT_THAT(codes, ElementsAre("zl-dict-decoded"));
}

TEST(CheckDictionary, HiddenSizeOverTheLimitStopsThere) {
  const std::string stored = compress(std::string(9 << 20, '\0'), true, false);
  std::vector<std::string> codes;
  const auto info =
      check_dictionary(as_bytes(stored), stored.size(), 0, kLimit,
                       [&](const Finding& finding) { codes.emplace_back(finding.code); });
  EXPECT_TRUE(info.over_limit);
  EXPECT_THAT(codes, ElementsAre("zd-size", "zl-dict-decoded"));
}

}  // namespace
}  // namespace fonds::zstd
