// What stands at a place: chunks and legacy records.
#include "format/recordio/reading/block.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "format/recordio/reading/reader_test_support.hpp"
#include "io/window.hpp"

namespace fonds::recordio {
namespace {

using State = Examined::State;

struct Seen {
  Examined examined;
  StoredBlock block;
};

Seen examine(std::string_view file, std::uint64_t offset = 0, BlockLimits limits = {}) {
  Window window(in_memory(file));
  limits.large_views = true;
  Seen seen;
  auto examined = examine_block(window, offset, file.size(), limits, seen.block);
  require(examined.has_value(), "examine");
  seen.examined = std::move(*examined);
  seen.block.pieces.clear();  // they lie in the window's source
  return seen;
}

// As a pipe is read: the end is not known.
Examined examine_pipe(std::string_view file, BlockLimits limits = {}) {
  Window window(as_pipe(file, 1000));
  StoredBlock block;
  auto examined = examine_block(window, 0, std::nullopt, limits, block);
  require(examined.has_value(), "examine");
  return std::move(*examined);
}

std::string three_chunks() { return body({std::string(70000, 'x')}); }

TEST(ExamineBlock, TakesAllChunksOfAGoodBlock) {
  const std::string file = header() + three_chunks() + body({"y"});
  const Seen seen = examine(file, kChunkSize);
  EXPECT_EQ(seen.examined.state, State::Good);
  EXPECT_EQ(seen.examined.length, 3 * kChunkSize);
  EXPECT_EQ(seen.block.kind, StoredBlock::Kind::Body);
  EXPECT_EQ(seen.block.stored.offset, kChunkSize);
  EXPECT_EQ(seen.block.stored.length, 3 * kChunkSize);
  EXPECT_EQ(seen.block.payload_size, 70004U);
  EXPECT_FALSE(seen.block.flagged);
  EXPECT_FALSE(seen.block.not_full);
}

TEST(ExamineBlock, IsAtTheEndBehindTheLastByte) {
  EXPECT_EQ(examine("").examined.state, State::End);
  const std::string file = header();
  EXPECT_EQ(examine(file, file.size()).examined.state, State::End);
  EXPECT_EQ(examine(file, file.size() + 5000).examined.state, State::End);
}

TEST(ExamineBlock, KindIsTheMagics) {
  EXPECT_EQ(examine(header()).block.kind, StoredBlock::Kind::Header);
  EXPECT_EQ(examine(trailer_block("t")).block.kind, StoredBlock::Kind::Trailer);
}

TEST(ExamineBlock, NotesFlagsAndRoomThatIsLeft) {
  const std::string file = chunk(Magic::Packed, "ab", 3, 0) + chunk(Magic::Packed, "", 3, 1, 7) +
                           chunk(Magic::Packed, "c", 3, 2);
  const Seen seen = examine(file);
  EXPECT_EQ(seen.examined.state, State::Good);
  EXPECT_EQ(seen.block.payload_size, 3U);
  EXPECT_TRUE(seen.block.flagged);
  EXPECT_TRUE(seen.block.not_full);
}

struct Defect {
  const char* name;
  std::string file;
  std::string code;
  std::uint64_t resume;
};
void PrintTo(const Defect& defect, std::ostream* out) { *out << defect.name; }

std::string with_field(std::string file, std::size_t chunk_number, std::size_t field,
                       std::uint32_t value, bool right_crc) {
  put_le32(file, chunk_number * kChunkSize + field, value);
  if (right_crc) {
    fix_crc(file, chunk_number * kChunkSize);
  }
  return file;
}
constexpr std::size_t kSizeField = 16, kTotalField = 20, kIndexField = 24;
constexpr std::uint32_t kMost = 0xFFFFFFFF;

std::string flipped(std::string file, std::size_t at, char bits = 1) {
  file[at] = static_cast<char>(file[at] ^ bits);
  return file;
}
std::string chunks_of_file(const std::string& file, const std::vector<std::size_t>& which) {
  std::string result;
  for (const std::size_t number : which) {
    result += file.substr(number * kChunkSize, kChunkSize);
  }
  return result;
}

class BlockDefects : public testing::TestWithParam<Defect> {};

TEST_P(BlockDefects, AreSeen) {
  const Seen seen = examine(GetParam().file);
  EXPECT_EQ(seen.examined.state, State::Damaged);
  EXPECT_EQ(seen.examined.fault.code, GetParam().code) << seen.examined.fault.message;
  EXPECT_EQ(seen.examined.resume, GetParam().resume);
}

TEST_P(BlockDefects, AreSeenInAPipe) {
  const Examined seen = examine_pipe(GetParam().file);
  EXPECT_EQ(seen.state, State::Damaged);
  if (GetParam().code != "block-past-end") {
    EXPECT_EQ(seen.fault.code, GetParam().code) << seen.fault.message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BlockDefects,
    testing::Values(
        Defect{"one byte", "\xd9", "short-chunk", kChunkSize},
        Defect{"chunk without its last byte", header().substr(0, kChunkSize - 1), "short-chunk",
               kChunkSize},
        Defect{"second chunk cut", three_chunks().substr(0, kChunkSize + 100), "block-past-end",
               kChunkSize},
        Defect{"third chunk missing", three_chunks().substr(0, 2 * kChunkSize), "block-past-end",
               kChunkSize},
        Defect{"magic hit", flipped(header(), 3), "chunk-magic", kChunkSize},
        Defect{"legacy magic", std::string(magic_bytes(Magic::LegacyPlain)) + header().substr(8),
               "chunk-magic", kChunkSize},
        Defect{"size 32741", with_field(header(), 0, kSizeField, 32741, true), "chunk-size",
               kChunkSize},
        Defect{"size 2^31", with_field(header(), 0, kSizeField, 0x80000000, true), "chunk-size",
               kChunkSize},
        Defect{"size 2^32-1", with_field(header(), 0, kSizeField, kMost, true), "chunk-size",
               kChunkSize},
        Defect{"size one more", with_field(header(), 0, kSizeField, 5, false), "chunk-crc",
               kChunkSize},
        Defect{"crc hit", flipped(header(), 9), "chunk-crc", kChunkSize},
        Defect{"flag hit", flipped(header(), 12), "chunk-crc", kChunkSize},
        Defect{"payload hit", flipped(header(), 29), "chunk-crc", kChunkSize},
        Defect{"total 0", with_field(header(), 0, kTotalField, 0, true), "chunk-total", kChunkSize},
        Defect{"total 2", with_field(header(), 0, kTotalField, 2, true), "block-past-end",
               kChunkSize},
        Defect{"total 2^32-1", with_field(header(), 0, kTotalField, kMost, true), "block-past-end",
               kChunkSize},
        Defect{"index 1 of 1", with_field(header(), 0, kIndexField, 1, true), "not-a-block-start",
               kChunkSize},
        Defect{"index 2^32-1", with_field(header(), 0, kIndexField, kMost, true),
               "not-a-block-start", kChunkSize},
        Defect{"later chunk's index", with_field(three_chunks(), 2, kIndexField, 1, true),
               "chunk-sequence", 2 * kChunkSize},
        Defect{"later chunk's total", with_field(three_chunks(), 1, kTotalField, 4, true),
               "chunk-sequence", kChunkSize},
        Defect{"later chunk's magic",
               three_chunks().replace(kChunkSize, 8, magic_bytes(Magic::Trailer)), "chunk-sequence",
               kChunkSize},
        Defect{"later chunk's crc", flipped(three_chunks(), 2 * kChunkSize + 100), "chunk-crc",
               2 * kChunkSize},
        Defect{"later chunk's size", with_field(three_chunks(), 2, kSizeField, 32741, true),
               "chunk-size", 2 * kChunkSize},
        Defect{"chunk doubled", chunks_of_file(three_chunks(), {0, 1, 1, 2}), "chunk-sequence",
               2 * kChunkSize},
        Defect{"chunk missing", chunks_of_file(three_chunks() + body({"y"}), {0, 2, 3}),
               "chunk-sequence", kChunkSize},
        Defect{"chunks exchanged", chunks_of_file(three_chunks(), {0, 2, 1}), "chunk-sequence",
               kChunkSize},
        Defect{"first two exchanged", chunks_of_file(three_chunks(), {1, 0, 2}),
               "not-a-block-start", kChunkSize}),
    [](const auto& tested) { return "case" + std::to_string(tested.index); });

TEST(ExamineBlock, OverTheLimitIsTooLargeUnlessItNeedNotBeHeld) {
  const std::string file = three_chunks();
  EXPECT_EQ(examine(file, 0, {.max_block = kChunkSize}).examined.state, State::Good);
  const Examined pipe = examine_pipe(file, {.max_block = kChunkSize});
  EXPECT_EQ(pipe.state, State::TooLarge);
  EXPECT_EQ(pipe.fault.code, "limit-exceeded");
  EXPECT_EQ(pipe.length, 3 * kChunkSize);
  const std::string large_trailer = trailer_block(std::string(70000, 't'));
  EXPECT_EQ(examine(large_trailer, 0, {.max_block = kChunkSize}).examined.state, State::TooLarge);
}

TEST(ExamineBlock, PaddingIsNotLookedAt) {
  EXPECT_EQ(examine(flipped(header(), kChunkSize - 1)).examined.state, State::Good);
}

// ---- legacy ----

Examined examine_legacy(std::string_view file, std::uint64_t max_block = 1 << 20) {
  Window window(in_memory(file));
  StoredBlock block;
  auto examined = examine_record(window, 0, file.size(), {.max_block = max_block}, block);
  require(examined.has_value(), "examine");
  return std::move(*examined);
}

TEST(ExamineRecord, TakesHeaderAndPayload) {
  const Examined seen = examine_legacy(plain_record("hello") + "more");
  EXPECT_EQ(seen.state, State::Good);
  EXPECT_EQ(seen.length, 25U);
  EXPECT_EQ(examine_legacy("").state, State::End);
}

struct RecordDefect {
  const char* name;
  std::string file;
  std::string code;
};
void PrintTo(const RecordDefect& defect, std::ostream* out) { *out << defect.name; }

std::string claiming(std::uint64_t length) {
  Buffer out;
  emit_legacy_header(Magic::LegacyPlain, length, out);
  return text_of(out);
}

class RecordDefects : public testing::TestWithParam<RecordDefect> {};

TEST_P(RecordDefects, AreSeen) {
  const Examined seen = examine_legacy(GetParam().file);
  EXPECT_EQ(seen.state, State::Damaged);
  EXPECT_EQ(seen.fault.code, GetParam().code) << seen.fault.message;
}

INSTANTIATE_TEST_SUITE_P(
    All, RecordDefects,
    testing::Values(
        RecordDefect{"one byte", "\xfc", "record-short-header"},
        RecordDefect{"19 bytes", plain_record("").substr(0, 19), "record-short-header"},
        RecordDefect{"length hit", flipped(plain_record("hello"), 8), "record-header-crc"},
        RecordDefect{"crc hit", flipped(plain_record("hello"), 19), "record-header-crc"},
        RecordDefect{"magic hit", flipped(plain_record("hello"), 0), "chunk-magic"},
        RecordDefect{"payload cut", plain_record("hello").substr(0, 24), "record-cut"},
        RecordDefect{"no payload", claiming(1), "record-cut"},
        RecordDefect{"2^40 bytes", claiming(std::uint64_t{1} << 40), "record-too-large"},
        RecordDefect{"2^64-1 bytes", claiming(~std::uint64_t{0}), "record-too-large"},
        RecordDefect{"2^64-20 bytes", claiming(~std::uint64_t{0} - 19), "record-too-large"}),
    [](const auto& tested) { return "case" + std::to_string(tested.index); });

// ---- recognizing ----

TEST(ProbeKind, IsToldByTheFirstChunkOrRecord) {
  EXPECT_EQ(probe_kind({}), Kind::None);
  EXPECT_EQ(probe_kind(as_bytes(header())), Kind::V2);
  EXPECT_EQ(probe_kind(as_bytes(header().substr(0, 8))), Kind::V2);
  EXPECT_EQ(probe_kind(as_bytes(body({"a"}))), Kind::V2WithoutHeader);
  EXPECT_EQ(probe_kind(as_bytes(trailer_block("a"))), Kind::V2WithoutHeader);
  EXPECT_EQ(probe_kind(as_bytes(plain_record("a"))), Kind::Legacy);
  EXPECT_EQ(probe_kind(as_bytes(packed_record({"a"}))), Kind::Legacy);
  EXPECT_EQ(probe_kind(as_bytes(flipped(plain_record("a"), 9))), Kind::None);
  EXPECT_EQ(probe_kind(as_bytes(flipped(body({"a"}), 30))), Kind::None);
  EXPECT_EQ(probe_kind(as_bytes(body({"a"}).substr(0, 100))), Kind::None);
  EXPECT_EQ(probe_kind(as_bytes(std::string(100000, 'x'))), Kind::None);
}

}  // namespace
}  // namespace fonds::recordio
