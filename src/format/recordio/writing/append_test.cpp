// Going on with a file after a crash.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "format/recordio/reading/reader_test_support.hpp"

namespace fonds::recordio {
namespace {

constexpr std::uint64_t K = kChunkSize;

Result<AppendPoint> point_of(std::string_view file, const ReaderOptions& options = {}) {
  return find_append_point(in_memory(file), options);
}
std::uint64_t offset_of(std::string_view file) {
  const auto point = point_of(file);
  EXPECT_TRUE(point.has_value()) << point.error().to_string();
  return point ? point->offset : 9999999;
}

TEST(AppendPoint, IsTheEndOfAGoodFile) {
  EXPECT_EQ(offset_of(""), 0U);
  EXPECT_EQ(offset_of(header()), K);
  EXPECT_EQ(offset_of(header() + body({"a"})), 2 * K);
  EXPECT_EQ(offset_of(plain_record("a") + packed_record({"b"})), 48U);
}

TEST(AppendPoint, TellsWhatAWriterMustKnow) {
  const auto v2 = point_of(header({"flate 1", "zstd"}, true) + body({"a"}, {"flate 1", "zstd"}) +
                           trailer_block("t", {"flate 1", "zstd"}));
  ASSERT_TRUE(v2.has_value());
  EXPECT_EQ(v2->layout, Layout::V2);
  EXPECT_EQ(v2->transformers, (std::vector<std::string>{"flate 1", "zstd"}));
  EXPECT_EQ(v2->header.size(), 3U);
  EXPECT_TRUE(v2->trailer_promised);
  EXPECT_TRUE(v2->has_trailer);
  EXPECT_EQ(v2->offset, 2 * K);
  EXPECT_EQ(point_of(plain_record("a"))->layout, Layout::LegacyPlain);
  EXPECT_EQ(point_of(packed_record({"a"}))->layout, Layout::LegacyPacked);
}

TEST(AppendPoint, CutsAwayWhatIsNotWhole) {
  const std::string file = header() + body({"a"}) + body({std::string(50000, 'b')});
  for (const std::size_t left : {2 * K + 1, 3 * K - 1, 3 * K, 3 * K + 1, 4 * K - 1}) {
    EXPECT_EQ(offset_of(std::string_view(file).substr(0, left)), 2 * K) << left;
  }
  EXPECT_EQ(offset_of(std::string_view(file).substr(0, 100)), 0U);
  EXPECT_EQ(offset_of(plain_record("a") + plain_record("b").substr(0, 20)), 21U);
}

TEST(AppendPoint, BehindDamageIsRefused) {
  std::string file = header() + body({"a"}) + body({"b"});
  file[K + 30] ^= 1;
  const auto point = point_of(file);
  ASSERT_FALSE(point.has_value());
  EXPECT_EQ(point.error().code(), ErrorCode::Corrupt);
  EXPECT_EQ(point.error().where().stored_offset, K);
}

TEST(AppendPoint, OfAFileWithDataBehindItsTrailerIsRefused) {
  const auto point = point_of(header({}, true) + trailer_block("t") + body({"a"}));
  ASSERT_FALSE(point.has_value());
  EXPECT_EQ(point.error().code(), ErrorCode::Corrupt);
}

TEST(AppendPoint, OfAFileWithADamagedHeaderIsRefused) {
  for (const std::string& bad :
       {header_of({{"transformer", Value(true)}}), block_of(Magic::Header, varint(0))}) {
    const auto point = point_of(bad + body({"a"}));
    ASSERT_FALSE(point.has_value());
    EXPECT_EQ(point.error().code(), ErrorCode::Corrupt);
  }
}

TEST(AppendPoint, OfFilesPutTogetherGoesByTheLastHeader) {
  const std::string file =
      header({"flate"}) + body({"a"}, {"flate"}) + header({"zstd"}) + body({"b"}, {"zstd"});
  EXPECT_FALSE(point_of(file).has_value());
  const auto point = point_of(file, {.concatenated = true});
  ASSERT_TRUE(point.has_value());
  EXPECT_EQ(point->transformers, std::vector<std::string>{"zstd"});
  EXPECT_EQ(point->offset, file.size());
}

TEST(AppendPoint, OfForeignFilesAndPipesIsUnsupported) {
  EXPECT_EQ(point_of(std::string(1000, 'x')).error().code(), ErrorCode::Unsupported);
  EXPECT_EQ(find_append_point(as_pipe(header())).error().code(), ErrorCode::Unsupported);
}

struct Going {
  const char* name;
  WriterOptions options;
};
void PrintTo(const Going& going, std::ostream* out) { *out << going.name; }

class GoOn : public testing::TestWithParam<Going> {};

TEST_P(GoOn, GivesOneFileWithAllItems) {
  const std::vector<std::string> first = random_items(41, 30), second = random_items(42, 30);
  WriterOptions options = GetParam().options;
  options.max_items = 10;
  std::string file = written(first, options);
  file += file.substr(file.size() / 2, 17);  // what a crash left
  const auto point = point_of(file);
  ASSERT_TRUE(point.has_value()) << point.error().to_string();
  file.resize(point->offset);
  options.layout = point->layout;
  options.start = point->offset;
  options.skip_header = point->layout == Layout::V2;
  file += written(second, options);
  const Outcome read = read_strictly(file, {.transformers = {}});
  EXPECT_FALSE(read.error) << read.message;
  std::vector<std::string> all = first;
  all.insert(all.end(), second.begin(), second.end());
  EXPECT_TRUE(read.texts() == all);
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, GoOn,
    testing::Values(Going{"none", {}}, Going{"zstd", {.transformers = {"zstd"}}},
                    Going{"plain", {.layout = Layout::LegacyPlain}},
                    Going{"packed", {.layout = Layout::LegacyPacked}},
                    Going{"packed flate",
                          {.layout = Layout::LegacyPacked, .transformers = {"flate"}}}),
    [](const auto& tested) { return "case" + std::to_string(tested.index); });

}  // namespace
}  // namespace fonds::recordio
