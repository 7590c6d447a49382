// Merge and split.
#include <deque>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/recordio/rewriting/rewrite.hpp"
#include "format/recordio/rewriting/rewrite_test_support.hpp"

namespace fonds::recordio {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Result<Rewritten> merge(const std::vector<std::string>& files, const RewriteOptions& options = {}) {
  std::vector<Archive> archives;
  for (const std::string& file : files) {
    archives.push_back(archive_of(file));
  }
  Rewritten result;
  MemorySink sink;
  FONDS_TRY(result.report, archives.front().format->writing()->merge(
                               archives, sink, noting(options, result.codes)));
  result.bytes = std::move(sink.content);
  return result;
}

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

RewriteOptions skipping() {
  RewriteOptions options;
  options.skip_damaged = true;
  return options;
}

std::string with_trailer(const std::vector<std::string>& items, std::string_view trailer,
                         const WriterOptions& options = {}) {
  WriterOptions with = options;
  with.trailer = true;
  MemorySink sink;
  Writer writer = writer_to(sink, with);
  append_all(writer, items);
  require(writer.finish(as_bytes(trailer)).has_value(), "finish");
  return sink.content;
}

// ---- merge ----

class MergeAlike : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(MergeAlike, CopiesTheChunks) {
  const std::vector<std::string> a = random_items(1, 300), b = random_items(2, 300);
  const WriterOptions with{.transformers = GetParam(), .max_block_bytes = 60000};
  const std::string one = written(a, with), other = written(b, with);

  const auto result = merge({one, other});

  ASSERT_TRUE(result);
  EXPECT_TRUE(result->bytes == one + other.substr(kChunkSize));
  EXPECT_EQ(result->report.records_kept, 600U);
  EXPECT_THAT(result->codes, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Merge, MergeAlike,
                         testing::Values(std::vector<std::string>{},
                                         std::vector<std::string>{"zstd"},
                                         std::vector<std::string>{"flate 1", "zstd 3"}));

TEST(Merge, CopiesChunksMadeAtOtherLevels) {
  const std::string one = written({"a"}, {.transformers = {"zstd 3"}});
  const std::string other = written({"b"}, {.transformers = {"zstd 19"}});

  const auto result = merge({one, other});

  ASSERT_TRUE(result);
  EXPECT_TRUE(result->bytes == one + other.substr(kChunkSize));
}

TEST(Merge, MakesItemsAnewWhereTransformersDiffer) {
  const std::vector<std::string> a = random_items(1, 100), b = random_items(2, 100);
  RewriteOptions threads;
  threads.write.threads = 3;

  const auto result = merge(
      {written(a, {.transformers = {"zstd"}}), written(b), written(a, {.transformers = {"flate"}})},
      threads);

  ASSERT_TRUE(result);
  EXPECT_EQ(parse_v2(result->bytes).transformers, std::vector<std::string>{"zstd"});
  EXPECT_TRUE(parse_v2(result->bytes).items() == joined(joined(a, b), a));
}

TEST(Merge, AddsHeaderEntriesThatAreNotThereYet) {
  const HeaderEntry x{"x", std::string("1")}, x2{"x", std::string("2")}, y{"y", true};

  const auto result = merge({written({"a"}, {.header = {x}, .transformers = {"zstd"}}),
                             written({"b"}, {.header = {x2, x, y}})});

  ASSERT_TRUE(result);
  EXPECT_THAT(parse_v2(result->bytes).header,
              ElementsAre(HeaderEntry{"transformer", std::string("zstd")}, x, x2, y));
}

TEST(Merge, OfSeveralLeavesTrailersOut) {
  const auto result = merge({with_trailer({"a"}, "one"), with_trailer({"b"}, "two")});

  ASSERT_TRUE(result);
  const ParsedFile file = parse_v2(result->bytes);
  EXPECT_THAT(file.items(), ElementsAre("a", "b"));
  EXPECT_FALSE(file.promises_trailer);
  EXPECT_FALSE(file.trailer);
  EXPECT_THAT(result->codes, ElementsAre("trailer-dropped", "trailer-dropped"));
}

TEST(Merge, OfOneChangesNothing) {
  const std::string stored = read_recordio_fixture("v2-trailer-index.rio");

  const auto result = merge({stored});

  ASSERT_TRUE(result);
  EXPECT_TRUE(result->bytes == stored);
  EXPECT_THAT(result->codes, IsEmpty());
}

TEST(Merge, OfTransformersThatNobodyKnowsCopies) {
  const std::string stored = read_recordio_fixture("v2-transformer-unknown.rio");

  const auto result = merge({stored, stored});

  ASSERT_TRUE(result);
  EXPECT_TRUE(result->bytes == stored + stored.substr(kChunkSize));
}

TEST(Merge, CannotMakeUnknownBlocksAnew) {
  const auto result = merge({written({"a"}), read_recordio_fixture("v2-transformer-unknown.rio")});

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::Unsupported);
}

TEST(Merge, OfLegacyFilesStaysLegacy) {
  const std::string plain = read_recordio_fixture("legacy-plain.grail-rio");
  const std::string packed = read_recordio_fixture("legacy-packed.grail-rpk");

  const auto result = merge({plain, packed, ""});

  ASSERT_TRUE(result);
  EXPECT_TRUE(result->bytes == plain + packed);
  EXPECT_EQ(result->report.records_kept, 30U);
}

TEST(Merge, OfLegacyAndV2IsV2) {
  const auto result = merge(
      {"", read_recordio_fixture("legacy-mixed.grail-rio"), read_recordio_fixture("v2-zstd.rio")});

  ASSERT_TRUE(result);
  const std::vector<std::string> all =
      joined(contents_of(read_recordio_fixture("legacy-mixed.grail-rio")).items,
             contents_of(read_recordio_fixture("v2-zstd.rio")).items);
  EXPECT_TRUE(parse_v2(result->bytes).items() == all);
  EXPECT_EQ(parse_v2(result->bytes).transformers, std::vector<std::string>{"zstd"});
}

TEST(Merge, OfEmptyFilesIsEmpty) {
  const auto result = merge({"", ""});

  ASSERT_TRUE(result);
  EXPECT_EQ(result->bytes, "");
}

struct DamagedCase {
  const char* name;
  const char* fixture;
  ErrorCode code;
  std::size_t kept;
};
class MergeDamaged : public testing::TestWithParam<DamagedCase> {};

TEST_P(MergeDamaged, IsAnErrorWithItsPlace) {
  const auto result = merge({written({"a"}), read_recordio_fixture(GetParam().fixture)});

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), GetParam().code);
  EXPECT_TRUE(result.error().where().stored_offset.has_value());
}

TEST_P(MergeDamaged, IsLeftOutIfAskedFor) {
  const auto result =
      merge({written({"a"}), read_recordio_fixture(GetParam().fixture)}, skipping());

  ASSERT_TRUE(result);
  EXPECT_EQ(parse_v2(result->bytes).items().size(), 1 + GetParam().kept);
  EXPECT_EQ(contents_of(result->bytes).errors, 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Merge, MergeDamaged,
    testing::Values(DamagedCase{"Chunk", "v2-corrupt-chunk.rio", ErrorCode::Corrupt, 4},
                    DamagedCase{"Flate", "v2-flate-short.rio", ErrorCode::Corrupt, 6},
                    DamagedCase{"Zstd", "v2-zstd-flip.rio", ErrorCode::Corrupt, 6},
                    DamagedCase{"Cut", "v2-truncated-lastblock.rio", ErrorCode::Truncated, 2},
                    DamagedCase{"Header", "v2-transformer-bool.rio", ErrorCode::Corrupt, 6},
                    DamagedCase{"NoHeader", "v2-noheader.rio", ErrorCode::Corrupt, 6},
                    DamagedCase{"Concatenated", "v2-concatenated.rio", ErrorCode::Corrupt, 8},
                    DamagedCase{"Record", "legacy-corrupt.grail-rio", ErrorCode::Corrupt, 4},
                    DamagedCase{"CutRecord", "legacy-truncated.grail-rio", ErrorCode::Truncated,
                                4}),
    [](const auto& instance) { return instance.param.name; });

TEST(MergeBehindTrailer, IsLeftOutWithAWarning) {
  const auto result = merge({written({"a"}), read_recordio_fixture("v2-behind-trailer.rio")});

  ASSERT_TRUE(result);
  EXPECT_EQ(parse_v2(result->bytes).items().size(), 4U);
  EXPECT_THAT(result->codes, ElementsAre("trailer-dropped", "data-behind-trailer"));
}

TEST(MergeConcatenated, TakesAllFilesOfAFile) {
  RewriteOptions options;
  options.read.concatenated = true;
  const std::string both = with_trailer({"a"}, "t") + written({"b"}, {.transformers = {"zstd"}});

  const auto result = merge({both, written({"c"})}, options);

  ASSERT_TRUE(result);
  EXPECT_THAT(parse_v2(result->bytes).items(), ElementsAre("a", "b", "c"));
}

// ---- split ----

struct Split {
  std::deque<MemorySink> parts;
  std::vector<std::string> codes;
  RewriteReport report;
};

Result<std::unique_ptr<Split>> split(std::string_view stored, std::uint64_t size,
                                     const RewriteOptions& options = {}) {
  auto result = std::make_unique<Split>();
  const NextPart next = [&](const PartStart& /*start*/) -> Result<Part> {
    result->parts.emplace_back();
    return Part{&result->parts.back(), {}};
  };
  const Archive archive = archive_of(stored);
  FONDS_TRY(result->report,
            archive.format->writing()->split(
                archive, next, {.size = size, .rewrite = noting(options, result->codes)}));
  return result;
}

class SplitSizes : public testing::TestWithParam<std::uint64_t> {};

TEST_P(SplitSizes, GiveGoodFilesWithAllItemsInOrder) {
  const std::vector<std::string> items = random_items(7, 400);
  const std::string stored = written(
      items,
      {.header = {{"k", std::string("v")}}, .transformers = {"zstd"}, .max_block_bytes = 30000});

  const auto result = split(stored, GetParam());

  ASSERT_TRUE(result);
  std::vector<std::string> all;
  for (const MemorySink& part : (*result)->parts) {
    const ParsedFile file = parse_v2(part.content);
    EXPECT_TRUE(part.content.size() <= GetParam() || file.blocks.size() == 1);
    EXPECT_EQ(part.content.substr(0, kChunkSize), stored.substr(0, kChunkSize));
    all = joined(all, file.items());
  }
  EXPECT_TRUE(all == items);
  EXPECT_EQ((*result)->report.records_kept, items.size());
  EXPECT_EQ((*result)->parts.size() == 1, stored.size() <= GetParam());
}

INSTANTIATE_TEST_SUITE_P(Split, SplitSizes, testing::Values(1, 65536, 100000, 300000, 100000000));

TEST(SplitTrailer, StaysInTheOnlyPart) {
  const std::string stored = read_recordio_fixture("v2-trailer-index.rio");

  const auto result = split(stored, stored.size());

  ASSERT_TRUE(result);
  ASSERT_EQ((*result)->parts.size(), 1U);
  EXPECT_TRUE((*result)->parts[0].content == stored);
  EXPECT_THAT((*result)->codes, IsEmpty());
}

TEST(SplitTrailer, IsLeftOutOfSeveralParts) {
  const std::string stored = read_recordio_fixture("v2-trailer-index.rio");

  const auto result = split(stored, stored.size() - 1);

  ASSERT_TRUE(result);
  EXPECT_THAT((*result)->codes, ElementsAre("trailer-dropped"));
  for (const MemorySink& part : (*result)->parts) {
    EXPECT_FALSE(parse_v2(part.content).promises_trailer);
    EXPECT_EQ(contents_of(part.content).errors, 0U);
  }
}

TEST(SplitLegacy, CutsBetweenRecords) {
  const std::string stored = read_recordio_fixture("legacy-mixed.grail-rio");

  const auto result = split(stored, 3000);

  ASSERT_TRUE(result);
  std::string all;
  for (const MemorySink& part : (*result)->parts) {
    EXPECT_TRUE(part.content.size() <= 3000 || parse_legacy(part.content).blocks.size() == 1);
    all += part.content;
  }
  EXPECT_TRUE(all == stored);
  EXPECT_EQ((*result)->parts.size(), 4U);
}

TEST(SplitNothing, IsOnePart) {
  const auto header_only = split(read_recordio_fixture("v2-empty.rio"), 1);
  const auto empty = split("", 1);

  ASSERT_TRUE(header_only);
  ASSERT_TRUE(empty);
  ASSERT_EQ((*header_only)->parts.size(), 1U);
  EXPECT_EQ((*header_only)->parts[0].content.size(), kChunkSize);
  ASSERT_EQ((*empty)->parts.size(), 1U);
  EXPECT_EQ((*empty)->parts[0].content, "");
}

TEST(SplitDamaged, IsAnErrorUnlessItIsToBeSkipped) {
  const std::string stored = read_recordio_fixture("v2-corrupt-two.rio");

  EXPECT_EQ(split(stored, 200000).error().code(), ErrorCode::Corrupt);
  const auto result = split(stored, 200000, skipping());
  ASSERT_TRUE(result);
  EXPECT_EQ((*result)->report.records_kept, 44U);
  EXPECT_THAT(lost_codes((*result)->report), ElementsAre("chunk-magic", "chunk-crc"));
}

TEST(SplitNextPart, ItsErrorIsHandedOn) {
  const Archive archive = archive_of(read_recordio_fixture("v2-plain.rio"));
  const NextPart none = [](const PartStart&) -> Result<Part> {
    return fail(ErrorCode::Io, "no more");
  };

  const auto report = archive.format->writing()->split(archive, none, {.size = 1});

  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message(), "no more");
}

}  // namespace
}  // namespace fonds::recordio
