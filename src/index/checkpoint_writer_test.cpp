#include "index/checkpoint_writer.hpp"

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fonds/bytes.hpp>

#include "index/checkpoint.hpp"
#include "index/checkpoint_test_support.hpp"
#include "io/testing.hpp"

namespace fonds::index {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kArchiveSize = std::uint64_t{1} << 40;

// Every chunk of a file again, by our writer.
std::string rewritten(const std::string& text) {
  const auto file = CheckpointFile::read(source_of(text), kArchiveSize);
  testing_io::TextSink sink;
  CheckpointWriter writer(sink);
  for (std::size_t i = 0; i < (*file)->size(); ++i) {
    const CheckpointHead& head = (*file)->head(i);
    const auto whole = (*file)->checkpoint(i);
    EXPECT_TRUE(writer
                    .add({.id = head.id(),
                          .document = head.document,
                          .stored_offset = head.stored_offset,
                          .bits = head.bits,
                          .byte = head.byte,
                          .window = whole->point.window,
                          .skip = whole->skip})
                    .has_value());
  }
  EXPECT_TRUE(writer.finish().has_value());
  return sink.content;
}

class RewrittenCheckpoints : public testing::TestWithParam<std::string> {};

TEST_P(RewrittenCheckpoints, AreTheBytesOfTheReferenceBuilder) {
  const std::string text = checkpoint_fixture(GetParam());
  EXPECT_EQ(rewritten(text), text);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, RewrittenCheckpoints,
                         testing::Values("0000tw-00.warc.gz.chk.lz4", "00.warc.gz.chk.lz4",
                                         "01.warc.gz.chk.lz4"));

TEST(CheckpointWriter, WithoutChunksThereIsAnEmptyFrame) {
  testing_io::TextSink sink;
  ASSERT_TRUE(CheckpointWriter(sink).finish().has_value());
  EXPECT_EQ(sink.content, std::string("\x04\x22\x4d\x18\x40\x40\xc0\0\0\0\0", 11));
}

TEST(CheckpointWriter, OtherLayoutsBecomeTheUsualOne) {
  const std::string usual = checkpoint_fixture("0000tw-00.warc.gz.chk.lz4");
  EXPECT_EQ(rewritten(checkpoint_fixture("one-frame.chk.lz4")), usual);
  EXPECT_EQ(rewritten(checkpoint_fixture("skippable-frames.chk.lz4")), usual);
}

TEST(CheckpointWriter, ShortWindowsStandBehindZeros) {
  testing_io::TextSink sink;
  CheckpointWriter writer(sink);
  ASSERT_TRUE(writer
                  .add({.id = "clueweb12-0000tw-00-00000",
                        .stored_offset = 10,
                        .window = as_bytes("window")})
                  .has_value());
  const auto file = CheckpointFile::read(source_of(sink.content), kArchiveSize);
  const auto point = (*file)->point(0);
  ASSERT_TRUE(point.has_value());
  EXPECT_EQ(as_text(point->window), std::string(kCheckpointWindow - 6, '\0') + "window");
}

TEST(CheckpointWriter, WindowsThatDoNotCompressAreStoredPlain) {
  std::string noise(kCheckpointWindow, '\0');
  std::uint32_t state = 1;
  for (char& byte : noise) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<char>(state >> 24);
  }
  testing_io::TextSink sink;
  CheckpointWriter writer(sink);
  ASSERT_TRUE(writer
                  .add({.id = "clueweb12-0000tw-00-00000",
                        .stored_offset = 10,
                        .window = as_bytes(noise),
                        .skip = 5})
                  .has_value());
  const auto file = CheckpointFile::read(source_of(sink.content), kArchiveSize);
  const auto whole = (*file)->checkpoint(0);
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(as_text(whole->point.window), noise);
  EXPECT_EQ(whole->skip, 5U);
  EXPECT_LT(sink.content.size(), kChunkSize + 20);
}

struct Refused {
  std::string name;
  CheckpointEntry entry;
  std::string words;
};
void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.name; }

class RefusedCheckpoint : public testing::TestWithParam<Refused> {};

TEST_P(RefusedCheckpoint, IsABadArgumentAndWritesNothing) {
  testing_io::TextSink sink;
  CheckpointWriter writer(sink);
  ASSERT_TRUE(writer.add({.id = "clueweb12-0000tw-00-00000", .stored_offset = 100}).has_value());
  const std::string before = sink.content;
  const Status status = writer.add(GetParam().entry);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), ErrorCode::BadArgument);
  EXPECT_THAT(status.error().message(), HasSubstr(GetParam().words));
  EXPECT_EQ(sink.content, before);
  EXPECT_EQ(writer.count(), 1U);
}

constexpr std::uint64_t kAbove32 = std::uint64_t{1} << 32;
constexpr std::string_view kId = "clueweb12-0000tw-00-00001";
INSTANTIATE_TEST_SUITE_P(
    Table, RefusedCheckpoint,
    testing::Values(
        Refused{"ShortId", {.id = "clueweb12-0000tw-00-0001", .stored_offset = 200}, "24 bytes"},
        Refused{"LongId",
                {.id = "<urn:uuid:e211a371-ebc1-4fd5-a53e-6b70aa3ace80>", .stored_offset = 200},
                "<urn:uuid:e211a371"},
        Refused{"NoId", {.id = "", .stored_offset = 200}, "0 bytes"},
        Refused{"SamePlace", {.id = kId, .stored_offset = 100}, "cannot follow"},
        Refused{"FarAway", {.id = kId, .stored_offset = 100 + kAbove32}, "32 bits"},
        Refused{"HighNumber", {.id = kId, .document = kAbove32, .stored_offset = 200}, "32 bits"},
        Refused{"LongSkip", {.id = kId, .stored_offset = 200, .skip = kAbove32}, "32 bits"},
        Refused{"Bits8", {.id = kId, .stored_offset = 200, .bits = 8}, "8 bits"}),
    [](const auto& tested) { return tested.param.name; });

TEST(CheckpointWriter, TheLargestDistanceIsTaken) {
  testing_io::TextSink sink;
  CheckpointWriter writer(sink);
  EXPECT_TRUE(writer.add({.id = kId, .stored_offset = kAbove32 - 1}).has_value());
  EXPECT_TRUE(writer.add({.id = kId, .stored_offset = 2 * kAbove32 - 2}).has_value());
}

}  // namespace
}  // namespace fonds::index
