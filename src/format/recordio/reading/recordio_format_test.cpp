// RecordIO as one of the formats: the same output however a file is cut into ranges.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <fonds/format.hpp>

#include "format/recordio/reading/reader_test_support.hpp"
#include "ops/list.hpp"

namespace fonds::recordio {
namespace {

struct Shape {
  const char* name;
  WriterOptions options;
};
void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

// What `ls --json` prints, and the findings behind it.
std::string listing(const Archive& archive, ops::ScanOptions scan) {
  ops::ListOptions options;
  options.scan = std::move(scan);
  options.json = true;
  std::string shown, findings;
  const auto status = ops::list(archive, options,
                                {[&](std::string_view text) {
                                   shown += text;
                                   return Status();
                                 },
                                 [&](const Finding& finding) {
                                   findings += describe(finding.where) + finding.message + "\n";
                                 }});
  return shown + findings + (status ? "" : status.error().to_string());
}

class FormatRanges : public testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    WriterOptions options = GetParam().options;
    options.max_items = 20;
    file_ = written(random_items(51, 1500), options);
  }
  static void expect_the_same(std::string_view file, ReadOptions read = {}) {
    const auto archive = open_archive(in_memory(file));
    ASSERT_TRUE(archive.has_value()) << archive.error().to_string();
    ops::ScanOptions one;
    one.read = read;
    const std::string expected = listing(*archive, one);
    for (const unsigned threads : {2U, 7U}) {
      for (const std::uint64_t range : {std::uint64_t{10000}, std::uint64_t{100000}}) {
        ops::ScanOptions several = one;
        several.threads = threads;
        several.range = range;
        EXPECT_TRUE(listing(*archive, several) == expected) << threads << " " << range;
      }
    }
  }
  std::string file_;
};

TEST_P(FormatRanges, GiveTheSame) { expect_the_same(file_); }

TEST_P(FormatRanges, GiveTheSameAroundDamage) {
  for (std::size_t at = 70000; at < file_.size(); at += 200001) {
    file_[at] ^= 0x55;
  }
  expect_the_same(file_);
  ReadOptions search;
  search.search_damaged = true;
  expect_the_same(file_, search);
}

TEST_P(FormatRanges, GiveTheSameWhereBytesWerePutInAndTakenOut) {
  file_.insert(file_.size() / 2, "!!!");
  file_.erase(file_.size() / 3, 1000);
  expect_the_same(file_);
}

TEST_P(FormatRanges, GiveTheSameOfACutFile) {
  expect_the_same(std::string_view(file_).substr(0, file_.size() - 100));
}

TEST_P(FormatRanges, GiveTheSameOfFilesPutTogether) {
  const std::string two = file_ + written(random_items(52, 300), {.transformers = {"flate"}});
  if (GetParam().options.layout == Layout::V2) {
    expect_the_same(two);
    ReadOptions read;
    read.concatenated = true;
    expect_the_same(two, read);
  }
}

TEST_P(FormatRanges, GiveTheSameWithADamagedHeader) {
  if (GetParam().options.layout == Layout::V2) {
    file_[9] ^= 1;
    expect_the_same(file_);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, FormatRanges,
    testing::Values(Shape{"none", {}}, Shape{"zstd", {.transformers = {"zstd 1"}}},
                    Shape{"trailer promised", {.transformers = {"flate 1"}, .trailer = true}},
                    Shape{"plain", {.layout = Layout::LegacyPlain}},
                    Shape{"packed", {.layout = Layout::LegacyPacked}},
                    Shape{"packed flate",
                          {.layout = Layout::LegacyPacked, .transformers = {"flate"}}}),
    [](const auto& tested) { return "shape" + std::to_string(tested.index); });

// The memory is shared by the threads; what is given is not.
TEST(FormatMemory, LimitOfBlocksDoesNotDependOnTheThreads) {
  std::string file = header({"zstd"});
  for (int i = 0; i < 3; ++i) {
    file += body({std::string(std::size_t{40} << 20, static_cast<char>('a' + i))}, {"zstd"});
    file += body({"small"}, {"zstd"});
  }
  const auto archive = open_archive(in_memory(file));
  ASSERT_TRUE(archive.has_value());
  ops::ScanOptions one;
  one.read.memory_budget = std::uint64_t{256} << 20;
  ops::ScanOptions several = one;
  several.threads = 4;
  several.range = 40000;
  EXPECT_TRUE(listing(*archive, several) == listing(*archive, one));
}

// A key that names an item of a damaged block gives none of the next block's.
TEST(FormatStart, InADamagedBlockSkipsNothingOfTheNext) {
  std::string file = header() + body({"a", "b", "c"}) + body({"d", "e", "f"});
  file[kChunkSize + 30] ^= 1;
  const auto archive = open_archive(in_memory(file));
  ASSERT_TRUE(archive.has_value());
  ReadOptions read;
  read.start = kChunkSize;
  read.start_inner = 2;
  auto reader = archive->format->open(*archive, read);
  ASSERT_TRUE(reader.has_value());
  const auto record = (*reader)->next();
  ASSERT_TRUE(record.has_value());
  ASSERT_NE(*record, nullptr);
  EXPECT_EQ((*record)->place.unit, 2 * kChunkSize);
  EXPECT_EQ((*record)->place.inner, 0U);
}

TEST(FormatRecognized, ByItsMagicThoughARecordOfAnotherFormatIsPutIntoTheFirstHeader) {
  std::string file = plain_record("first") + plain_record("second");
  file.insert(11, "WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 100\r\n\r\n");
  const auto archive = open_archive(in_memory(file));
  ASSERT_TRUE(archive.has_value());
  EXPECT_EQ(archive->format->name(), "recordio");
}

}  // namespace
}  // namespace fonds::recordio
