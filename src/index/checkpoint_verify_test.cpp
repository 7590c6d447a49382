#include "index/checkpoint_verify.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "index/checkpoint.hpp"
#include "index/checkpoint_test_support.hpp"
#include "index/checkpoint_writer.hpp"
#include "io/testing.hpp"

namespace fonds::index {
namespace {

using testing::IsEmpty;
using Codes = std::vector<std::string>;

constexpr std::string_view kArchive = "0000tw-00.warc.gz";

Codes codes_of(std::string_view archive, std::string_view checkpoints) {
  const auto source = source_of(archive, "a.warc.gz");
  const auto file = CheckpointFile::read(source_of(checkpoints), archive.size());
  EXPECT_TRUE(file.has_value());
  Codes codes;
  const Status status = verify_checkpoints(*source, **file, [&](const Finding& finding) {
    EXPECT_EQ(finding.where.source, "a.warc.gz");
    EXPECT_TRUE(finding.where.stored_offset.has_value());
    codes.emplace_back(finding.code);
  });
  EXPECT_TRUE(status.has_value());
  return codes;
}

struct Pair {
  std::string archive, checkpoints;
  Codes codes;
};
void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.checkpoints; }

class VerifiedFixtures : public testing::TestWithParam<Pair> {};

TEST_P(VerifiedFixtures, HaveTheFindingsOfTheirFaults) {
  EXPECT_EQ(
      codes_of(checkpoint_fixture(GetParam().archive), checkpoint_fixture(GetParam().checkpoints)),
      GetParam().codes);
}

INSTANTIATE_TEST_SUITE_P(
    Fixtures, VerifiedFixtures,
    testing::Values(Pair{"0000tw-00.warc.gz", "0000tw-00.warc.gz.chk.lz4", {}},
                    Pair{"01.warc.gz", "01.warc.gz.chk.lz4", {}},
                    Pair{"00.warc.gz",
                         "00.warc.gz.chk.lz4",
                         {"chk-landing-near", "chk-landing-near", "chk-landing-near"}},
                    Pair{"0000tw-00.warc.gz", "one-frame.chk.lz4", {}},
                    Pair{"0000tw-00.warc.gz", "corrupt-wrong-window.chk.lz4", {"chk-window"}},
                    Pair{"0000tw-00.warc.gz", "corrupt-wrong-bits.chk.lz4", {"chk-border"}},
                    Pair{"0000tw-00.warc.gz", "empty-frame.chk.lz4", {}},
                    Pair{"record-at-a-time.warc.gz", "empty-frame.chk.lz4", {}}));

// The chunks of a file again, each changed.
struct Chunk {
  CheckpointHead head;
  Checkpoint state;
};
template <typename Change>
std::string changed(Change change) {
  const auto file =
      CheckpointFile::read(source_of(checkpoint_fixture("0000tw-00.warc.gz.chk.lz4")), 683582);
  testing_io::TextSink sink;
  CheckpointWriter writer(sink);
  for (std::size_t i = 0; i < (*file)->size(); ++i) {
    Chunk chunk = {(*file)->head(i), *(*file)->checkpoint(i)};
    change(chunk);
    EXPECT_TRUE(writer
                    .add({.id = chunk.head.id(),
                          .document = chunk.head.document,
                          .stored_offset = chunk.head.stored_offset,
                          .bits = chunk.head.bits,
                          .byte = chunk.head.byte,
                          .window = chunk.state.point.window,
                          .skip = chunk.state.skip})
                    .has_value());
  }
  return sink.content;
}

template <typename Change>
std::string with_second_changed(Change change) {
  return changed([&](Chunk& chunk) {
    if (chunk.head.number == 1) {
      change(chunk);
    }
  });
}

struct Wrong {
  std::string name;
  std::string checkpoints;
  Codes codes;
};
void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.name; }

class WrongCheckpoint : public testing::TestWithParam<Wrong> {};

TEST_P(WrongCheckpoint, IsFound) {
  EXPECT_EQ(codes_of(checkpoint_fixture(std::string(kArchive)), GetParam().checkpoints),
            GetParam().codes);
}

std::vector<Wrong> wrong() {
  return {
      {"Byte", with_second_changed([](Chunk& chunk) { chunk.head.byte ^= 1; }), {"chk-byte"}},
      {"Position",
       with_second_changed([](Chunk& chunk) { ++chunk.head.stored_offset; }),
       {"chk-border"}},
      {"Bits", with_second_changed([](Chunk& chunk) { chunk.head.bits ^= 1; }), {"chk-border"}},
      {"SkipOneMore",
       with_second_changed([](Chunk& chunk) { ++chunk.state.skip; }),
       {"chk-landing-near"}},
      {"SkipEightLess",
       with_second_changed([](Chunk& chunk) { chunk.state.skip -= 8; }),
       {"chk-landing-near"}},
      {"SkipNineLess",
       with_second_changed([](Chunk& chunk) { chunk.state.skip -= 9; }),
       {"chk-landing"}},
      {"SkipHuge",
       with_second_changed([](Chunk& chunk) { chunk.state.skip = 0xFFFFFFFF; }),
       {"chk-landing"}},
      {"Id",
       with_second_changed([](Chunk& chunk) { chunk.head.id_bytes[24] = '6'; }),
       {"chk-landing"}},
      {"WindowOfNoise",
       with_second_changed([](Chunk& chunk) {
         std::fill(chunk.state.point.window.begin(), chunk.state.point.window.end(),
                   std::byte{'x'});
       }),
       {"chk-window"}},
      {"WindowsOfZeros",
       changed([](Chunk& chunk) { chunk.state.point.window.assign(kCheckpointWindow, {}); }),
       Codes(5, "chk-window")},
  };
}

INSTANTIATE_TEST_SUITE_P(Table, WrongCheckpoint, testing::ValuesIn(wrong()),
                         [](const auto& tested) { return tested.param.name; });

// Every byte of the window alone: either something refers to it, or it does not matter.
TEST(VerifyCheckpoints, BytesThatNothingRefersToMayDiffer) {
  Codes codes;
  for (std::size_t at = 0; at < kCheckpointWindow; at += 4001) {
    const Codes found = codes_of(
        checkpoint_fixture(std::string(kArchive)),
        with_second_changed([&](Chunk& chunk) { chunk.state.point.window[at] ^= std::byte{1}; }));
    ASSERT_EQ(found.size(), 1U);
    codes.push_back(found[0]);
  }
  EXPECT_THAT(codes, testing::Contains("chk-sparse"));
  EXPECT_THAT(codes, testing::Each(testing::AnyOf("chk-sparse", "chk-window")));
}

TEST(VerifyCheckpoints, BehindTheEndOfACutArchiveNoneCanBeConfirmed) {
  const std::string archive = checkpoint_fixture(std::string(kArchive)).substr(0, 500'000);
  const auto source = source_of(archive);
  const auto file = CheckpointFile::read(
      source_of(checkpoint_fixture(std::string(kArchive) + ".chk.lz4")), 683582);
  Codes codes;
  ASSERT_TRUE(verify_checkpoints(*source, **file, [&](const Finding& finding) {
                codes.emplace_back(finding.code);
              }).has_value());
  EXPECT_EQ(codes, Codes{"chk-border"});
}

TEST(VerifyCheckpoints, InDamagedDataNoneIsConfirmed) {
  std::string archive = checkpoint_fixture(std::string(kArchive));
  archive.replace(300'000, 200, std::string(200, '\0'));
  const Codes found = codes_of(archive, checkpoint_fixture(std::string(kArchive) + ".chk.lz4"));
  // zlib may decode what stands behind the damage, but nothing there is what it was.
  EXPECT_GE(found.size(), 3U);
}

TEST(VerifyCheckpoints, ForAnotherArchiveNoneIsRight) {
  EXPECT_EQ(codes_of(checkpoint_fixture("00.warc.gz") + std::string(300'000, '\0'),
                     checkpoint_fixture(std::string(kArchive) + ".chk.lz4")),
            Codes(5, "chk-border"));
}

TEST(VerifyCheckpoints, OfNoGzipNoneIsRight) {
  EXPECT_EQ(
      codes_of(std::string(700'000, 'x'), checkpoint_fixture(std::string(kArchive) + ".chk.lz4")),
      Codes(5, "chk-border"));
}

}  // namespace
}  // namespace fonds::index
