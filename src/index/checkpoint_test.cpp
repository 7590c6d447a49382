#include "index/checkpoint.hpp"

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fonds/byte_source.hpp>

#include "base/digest.hpp"
#include "index/checkpoint_test_support.hpp"

namespace fonds::index {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Codes = std::vector<std::string>;

constexpr std::uint64_t kArchiveSize = 1'000'000;

std::shared_ptr<const CheckpointFile> read_text(std::string_view text,
                                                std::uint64_t archive_size = kArchiveSize) {
  auto file = CheckpointFile::read(source_of(text), archive_size);
  EXPECT_TRUE(file.has_value());
  return *file;
}

Codes codes(const CheckpointFile& file) {
  Codes found;
  for (const Finding& finding : file.findings()) {
    found.emplace_back(finding.code);
  }
  return found;
}

std::vector<std::uint64_t> numbers(const CheckpointFile& file) {
  std::vector<std::uint64_t> found;
  for (const CheckpointHead& head : file.heads()) {
    found.push_back(head.number);
  }
  return found;
}

std::vector<std::uint64_t> first_numbers(std::uint64_t n) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < n; ++i) {
    all.push_back(i);
  }
  return all;
}

std::string sha256(ByteView bytes) {
  Hasher hasher(DigestAlgorithm::Sha256);
  hasher.update(bytes);
  const DigestValue value = hasher.finish();
  return to_hex(ByteView(value.bytes).first(value.size));
}

// --- the fixtures ---

struct Fixture {
  std::string checkpoints, archive;
};
void PrintTo(const Fixture& fixture, std::ostream* out) { *out << fixture.checkpoints; }

class GoodCheckpoints : public testing::TestWithParam<Fixture> {};

TEST_P(GoodCheckpoints, AreReadAsTheyWereWritten) {
  const auto all = nlohmann::json::parse(checkpoint_fixture("expected.json"));
  const auto& expected = all[GetParam().archive];
  const auto file = CheckpointFile::open(checkpoint_fixture_path(GetParam().checkpoints),
                                         expected["size"].get<std::uint64_t>());
  ASSERT_TRUE(file.has_value());
  EXPECT_THAT(codes(**file), Each("chk-frames"));
  const auto& chunks = expected["checkpoints"]["chunks"];
  ASSERT_EQ((*file)->size(), chunks.size());
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    SCOPED_TRACE(i);
    const CheckpointHead& head = (*file)->head(i);
    const auto whole = (*file)->checkpoint(i);
    ASSERT_TRUE(whole.has_value());
    EXPECT_EQ(head.id(), chunks[i]["doc_id"]);
    EXPECT_EQ(head.document, chunks[i]["doc_index"]);
    EXPECT_EQ(head.byte, chunks[i]["byte"]);
    EXPECT_EQ(whole->point.stored_offset, chunks[i]["position"]);
    EXPECT_EQ(whole->point.bits, chunks[i]["bits"]);
    EXPECT_EQ(sha256(whole->point.window), chunks[i]["window_sha256"]);
    EXPECT_EQ(whole->skip, chunks[i]["skip"]);
    EXPECT_EQ((*file)->border(i).stored_offset, chunks[i]["position"]);
    EXPECT_FALSE(whole->point.place.has_value());
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, GoodCheckpoints,
                         testing::Values(Fixture{"0000tw-00.warc.gz.chk.lz4", "0000tw-00.warc.gz"},
                                         Fixture{"00.warc.gz.chk.lz4", "00.warc.gz"},
                                         Fixture{"01.warc.gz.chk.lz4", "01.warc.gz"},
                                         Fixture{"one-frame.chk.lz4", "0000tw-00.warc.gz"},
                                         Fixture{"skippable-frames.chk.lz4", "0000tw-00.warc.gz"}));

struct Damaged {
  std::string name;
  Codes codes;
  std::vector<std::uint64_t> chunks;  // that can be used
};
void PrintTo(const Damaged& damaged, std::ostream* out) { *out << damaged.name; }

class DamagedCheckpoints : public testing::TestWithParam<Damaged> {};

TEST_P(DamagedCheckpoints, AreReportedAndTheOthersUsed) {
  const auto file = CheckpointFile::open(checkpoint_fixture_path(GetParam().name), 683582);
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(codes(**file), GetParam().codes);
  EXPECT_EQ(numbers(**file), GetParam().chunks);
  for (std::size_t i = 0; i < (*file)->size(); ++i) {
    EXPECT_TRUE((*file)->point(i).has_value());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Fixtures, DamagedCheckpoints,
    testing::Values(Damaged{"corrupt-bits-9.chk.lz4", {"chk-bits"}, {1, 2, 3, 4}},
                    Damaged{"corrupt-offset-past-end.chk.lz4", {"chk-position"}, {0}},
                    Damaged{"corrupt-short-chunk.chk.lz4", {"chk-truncated"}, {0, 1}},
                    Damaged{"corrupt-truncated-lz4.chk.lz4", {"chk-truncated"}, {0, 1}},
                    Damaged{"corrupt-wrong-bits.chk.lz4", {}, {0, 1, 2, 3, 4}},
                    Damaged{"corrupt-wrong-window.chk.lz4", {}, {0, 1, 2, 3, 4}},
                    Damaged{"empty-0-bytes.chk.lz4", {"chk-empty-file"}, {}},
                    Damaged{"empty-frame.chk.lz4", {}, {}}));

// --- layouts of lz4 frames ---

struct Layout {
  std::string name;
  std::string text;
  std::size_t chunks;
};
void PrintTo(const Layout& layout, std::ostream* out) { *out << layout.name; }

LZ4F_preferences_t preferences(LZ4F_blockSizeID_t size, bool independent, bool checksums,
                               unsigned long long content_size = 0) {
  LZ4F_preferences_t all = {};
  all.frameInfo.blockSizeID = size;
  all.frameInfo.blockMode = independent ? LZ4F_blockIndependent : LZ4F_blockLinked;
  all.frameInfo.contentChecksumFlag =
      checksums ? LZ4F_contentChecksumEnabled : LZ4F_noContentChecksum;
  all.frameInfo.blockChecksumFlag = checksums ? LZ4F_blockChecksumEnabled : LZ4F_noBlockChecksum;
  all.frameInfo.contentSize = content_size;
  return all;
}

// Frames that end after every `step` bytes, wherever a chunk ends.
std::string cut_anywhere(std::string_view text, std::size_t step,
                         const LZ4F_preferences_t& settings) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += step) {
    out += lz4_frame(text.substr(at, step), settings);
  }
  return out;
}

std::vector<Layout> layouts() {
  const auto chunks = test_chunks(7);
  const std::string all = joined(chunks);
  const std::string skippable = std::string("\x53\x2A\x4D\x18", 4) + le32_text(3) + "abc";
  const std::string empty = lz4_frame("");
  const auto small = preferences(LZ4F_max64KB, false, false);
  std::string sized;
  std::string checked;
  std::string large_blocks;
  std::string between;
  for (const TestChunk& chunk : chunks) {
    sized += lz4_frame(chunk.bytes(), preferences(LZ4F_max4MB, true, false, kChunkSize));
    checked += lz4_frame(chunk.bytes(), preferences(LZ4F_max64KB, false, true, kChunkSize));
    large_blocks += lz4_frame(chunk.bytes(), preferences(LZ4F_max1MB, false, false));
    between += skippable + empty + lz4_frame(chunk.bytes());
  }
  return {
      {"FramePerChunk", frame_per_chunk(chunks), 7},
      {"FramePerChunkWithSizes", sized, 7},
      {"FramePerChunkWithChecksums", checked, 7},
      {"FramePerChunkOfLargeBlocks", large_blocks, 7},
      {"SkippableAndEmptyFramesBetween", between + skippable, 7},
      {"OneFrameOfLinkedBlocks", lz4_frame(all, small), 7},
      {"OneFrameOfIndependentBlocks", lz4_frame(all, preferences(LZ4F_max64KB, true, true)), 7},
      {"OneFrameWithOneBlock", lz4_frame(all, preferences(LZ4F_max4MB, false, true, all.size())),
       7},
      {"FramesOf65536", cut_anywhere(all, 65536, small), 7},
      {"FramesOf1000", cut_anywhere(all, 1000, small), 7},
      {"FramesOfTwoChunks",
       cut_anywhere(all, 2 * kChunkSize, preferences(LZ4F_max256KB, false, false)), 7},
      {"OneChunk", lz4_frame(chunks[0].bytes()), 1},
      {"SkippableOnly", skippable, 0},
      {"EmptyFrames", empty + empty, 0},
  };
}

class CheckpointLayout : public testing::TestWithParam<Layout> {};

TEST_P(CheckpointLayout, GivesTheSameChunks) {
  const auto file = read_text(GetParam().text);
  EXPECT_THAT(codes(*file), Each("chk-frames"));
  ASSERT_EQ(file->size(), GetParam().chunks);
  const auto chunks = test_chunks(7);
  for (std::size_t i = 0; i < file->size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(file->head(i).id(), chunks[i].id);
    EXPECT_EQ(file->head(i).stored_offset, 1000 * (i + 1));
    const auto whole = file->checkpoint(i);
    ASSERT_TRUE(whole.has_value());
    EXPECT_EQ(as_text(whole->point.window), std::string(kCheckpointWindow, chunks[i].window));
    EXPECT_EQ(whole->skip, 7U);
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, CheckpointLayout, testing::ValuesIn(layouts()),
                         [](const auto& tested) { return tested.param.name; });

// --- hostile files ---

struct Hostile {
  std::string name;
  std::string text;
  Codes codes;
  std::vector<std::uint64_t> chunks;  // that are listed
};
void PrintTo(const Hostile& hostile, std::ostream* out) { *out << hostile.name; }

std::string with_dictionary(std::string frame) {
  // Version 1 with a dictionary id, and the checksum of that header.
  return std::string("\x04\x22\x4d\x18\x41\x40\x01\x00\x00\x00", 10) + "\xA8" + frame.substr(7);
}

std::string changed(std::string text, std::size_t at, char to) {
  text[at] = to;
  return text;
}

std::vector<Hostile> hostile() {
  const auto chunks = test_chunks(3);
  const std::string first = lz4_frame(chunks[0].bytes());
  const std::string second = lz4_frame(chunks[1].bytes());
  const std::string third = lz4_frame(chunks[2].bytes());
  const auto with = [&](auto change) {
    auto all = chunks;
    change(all);
    return frame_per_chunk(all);
  };
  std::string zeros;
  for (int i = 0; i < 300; ++i) {
    zeros += lz4_frame(std::string(kChunkSize, '\0'));
  }
  return {
      {"Text", "no checkpoint file at all, but a text of some length", {"chk-lz4"}, {}},
      {"MagicOnly", std::string("\x04\x22\x4d\x18", 4), {"chk-truncated"}, {}},
      {"HeaderOnly", first.substr(0, 7), {"chk-truncated"}, {}},
      {"GarbageBehind", first + second + third + "garbage", {"chk-lz4"}, {0, 1, 2}},
      {"GarbageBefore", "garbage" + first, {"chk-lz4", "chk-lz4"}, {}},
      {"BlockLengthTooLarge", first + changed(second, 9, '\x7f') + third, {"chk-lz4"}, {0, 2}},
      {"BlockLengthOverTheFile", first + changed(second, 8, '\x70') + third, {"chk-lz4"}, {0, 2}},
      {"HeaderChecksumWrong", first + changed(second, 6, 'x') + third, {"chk-lz4"}, {0, 2}},
      {"MagicWrong", first + changed(second, 0, 'x') + third, {"chk-lz4"}, {0, 2}},
      {"CutInTheHead", first + second.substr(0, 20), {"chk-truncated"}, {0}},
      {"CutInTheWindow", first + second.substr(0, second.size() - 20), {"chk-truncated"}, {0}},
      {"CutBeforeTheEndMark",
       first + second.substr(0, second.size() - 2),
       {"chk-truncated"},
       {0, 1}},
      {"CutInASkippableFrame",
       first + std::string("\x50\x2A\x4D\x18\xff\xff\xff\xff", 8),
       {"chk-truncated"},
       {0}},
      {"DictionaryInAFrame", with_dictionary(first), {"chk-lz4"}, {}},
      {"OneFrameCut",
       lz4_frame(joined(test_chunks(7))).substr(0, 1000),
       {"chk-frames", "chk-truncated"},
       {0, 1, 2, 3, 4}},
      {"LengthNotOfChunks",
       lz4_frame(joined(chunks) + "more"),
       {"chk-frames", "chk-truncated"},
       {0, 1, 2}},
      {"LastChunkShort",
       first + lz4_frame(chunks[1].bytes().substr(0, 20000)),
       {"chk-truncated"},
       {0}},
      {"LastChunkLong", first + lz4_frame(chunks[1].bytes() + "x"), {"chk-lz4"}, {0}},
      {"Bits8", with([](auto& all) { all[1].bits = 8; }), {"chk-bits"}, {0, 2}},
      {"BitsNegative", with([](auto& all) { all[1].bits = '\xff'; }), {"chk-bits"}, {0, 2}},
      {"DeltaZero", with([](auto& all) { all[1].delta = 0; }), {"chk-position"}, {0, 2}},
      {"FirstInTheHeader", with([](auto& all) { all[0].delta = 3; }), {"chk-position"}, {1, 2}},
      {"PastTheEnd", with([](auto& all) { all[1].delta = 0xFFFFFFFF; }), {"chk-position"}, {0}},
      {"AtTheEnd",
       with([](auto& all) { all[2].delta = kArchiveSize - 2000; }),
       {"chk-position"},
       {0, 1}},
      {"IdsNotAscending", with([](auto& all) { all[1].id = all[0].id; }), {"chk-order"}, {0, 1, 2}},
      {"DocumentsNotAscending",
       with([](auto& all) { all[1].document = 9; }),
       {"chk-order"},
       {0, 1, 2}},
      {"IdOfZeros", with([](auto& all) { all[0].id = std::string(25, '\0'); }), {}, {0, 1, 2}},
      {"ChunksOfZeros", zeros, Codes(1, "chk-order"), {}},
  };
}

class HostileCheckpoints : public testing::TestWithParam<Hostile> {};

TEST_P(HostileCheckpoints, AreReportedAndGiveWhatCanBeUsed) {
  const auto file = read_text(GetParam().text);
  Codes found = codes(*file);
  if (GetParam().name == "ChunksOfZeros") {
    EXPECT_EQ(found.size(), 101U);
    found = {found.back()};
  }
  EXPECT_EQ(found, GetParam().codes);
  EXPECT_EQ(numbers(*file), GetParam().chunks);
  for (std::size_t i = 0; i < file->size(); ++i) {
    EXPECT_TRUE(file->point(i).has_value()) << i;
  }
  for (const Finding& finding : file->findings()) {
    EXPECT_TRUE(finding.where.stored_offset.has_value());
    EXPECT_EQ(finding.where.source, "<memory>");
  }
}

INSTANTIATE_TEST_SUITE_P(Table, HostileCheckpoints, testing::ValuesIn(hostile()),
                         [](const auto& tested) { return tested.param.name; });

TEST(CheckpointFile, CutAnywhereGivesOnlyWholeChunks) {
  const auto chunks = test_chunks(3);
  const std::string text = frame_per_chunk(chunks);
  const std::size_t frame = lz4_frame(chunks[0].bytes()).size();
  for (std::size_t size = 1; size < text.size(); ++size) {
    const auto file = read_text(text.substr(0, size));
    // Without its end mark a frame still has all of its chunk.
    EXPECT_EQ(numbers(*file), first_numbers((size + 4) / frame)) << size;
    EXPECT_EQ(file->findings().size(), size % frame == 0 ? 0U : 1U) << size;
  }
}

TEST(CheckpointFile, AnyByteChangedDoesNoHarm) {
  const std::string text = frame_per_chunk(test_chunks(2));
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto file = read_text(changed(text, at, static_cast<char>(text[at] ^ 0x55)));
    for (std::size_t i = 0; i < file->size(); ++i) {
      const auto point = file->point(i);
      EXPECT_TRUE(!point || point->window.size() == kCheckpointWindow);
    }
  }
}

TEST(CheckpointFile, DamageInAWindowIsFoundWhenItIsWanted) {
  const auto chunks = test_chunks(3);
  const std::string first = lz4_frame(chunks[0].bytes());
  std::string text = frame_per_chunk(chunks);
  // The window is a match of length 32767 one byte back; now it reaches back too far.
  const std::size_t match = text.find(std::string("\x01\x00\xff\xff", 4));
  ASSERT_LT(match, first.size());
  text[match] = text[match + 1] = '\xff';
  const auto file = read_text(text);
  ASSERT_EQ(file->size(), 3U);
  const auto point = file->point(0);
  ASSERT_FALSE(point.has_value());
  EXPECT_EQ(point.error().code(), ErrorCode::Corrupt);
  EXPECT_EQ(point.error().where().stored_offset, 0U);
  EXPECT_THAT(point.error().message(), HasSubstr("chunk 0"));
  EXPECT_TRUE(file->point(1).has_value());
}

TEST(CheckpointFile, AWrongChecksumIsFoundWhenTheChunkIsWanted) {
  const auto settings = preferences(LZ4F_max64KB, false, true);
  std::string first = lz4_frame(test_chunks(1)[0].bytes(), settings);
  first.back() = static_cast<char>(first.back() ^ 1);
  const auto file = read_text(first + lz4_frame(test_chunks(2)[1].bytes(), settings));
  ASSERT_EQ(file->size(), 2U);
  EXPECT_FALSE(file->point(0).has_value());
  EXPECT_TRUE(file->point(1).has_value());
}

TEST(CheckpointFile, PositionsCanBeAbove32Bits) {
  auto chunks = test_chunks(3);
  for (TestChunk& chunk : chunks) {
    chunk.delta = 0xF0000000;
  }
  const auto file = read_text(frame_per_chunk(chunks), std::uint64_t{1} << 40);
  ASSERT_EQ(file->size(), 3U);
  EXPECT_EQ(file->head(2).stored_offset, 3 * std::uint64_t{0xF0000000});
}

TEST(CheckpointFile, APipeIsRefused) {
  class NoAccess final : public ByteSource {
   public:
    const std::string& name() const override { return name_; }
    bool random_access() const override { return false; }
    Result<std::uint64_t> size() override { return fail(ErrorCode::Unsupported, "no size"); }
    Result<std::size_t> read_at(std::uint64_t, MutableByteView) override { return 0; }
    Result<std::size_t> read_next(MutableByteView) override { return 0; }

   private:
    std::string name_ = "-";
  };
  const auto file = CheckpointFile::read(std::make_shared<NoAccess>(), kArchiveSize);
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code(), ErrorCode::Unsupported);
}

TEST(CheckpointFile, FindsTheLastChunkAtOrBeforeAnId) {
  const auto file = read_text(frame_per_chunk(test_chunks(5)));
  EXPECT_EQ(file->find_id("clueweb12-0000tw-00-00000"), 0U);
  EXPECT_EQ(file->find_id("clueweb12-0000tw-00-00002"), 2U);
  EXPECT_EQ(file->find_id("clueweb12-0000tw-00-00002a"), 2U);
  EXPECT_EQ(file->find_id("zzz"), 4U);
  EXPECT_EQ(file->find_id("clueweb09"), std::nullopt);
}

TEST(CheckpointFile, FindsTheLastChunkAtOrBeforeADocument) {
  auto chunks = test_chunks(3);
  chunks[0].document = 5;
  chunks[1].document = 9;
  chunks[2].document = 20;
  const auto file = read_text(frame_per_chunk(chunks));
  EXPECT_EQ(file->find_document(4), std::nullopt);
  EXPECT_EQ(file->find_document(5), 0U);
  EXPECT_EQ(file->find_document(19), 1U);
  EXPECT_EQ(file->find_document(1000), 2U);
}

TEST(CheckpointFile, DoesNotSearchWhatDoesNotAscend) {
  auto chunks = test_chunks(3);
  chunks[1].id[0] = 'a';
  const auto file = read_text(frame_per_chunk(chunks));
  EXPECT_FALSE(file->ids_ascend());
  EXPECT_EQ(file->find_id("clueweb12-0000tw-00-00002"), std::nullopt);
  EXPECT_EQ(file->find_document(1), 1U);
}

}  // namespace
}  // namespace fonds::index
