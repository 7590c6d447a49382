// The public reader: items in order from good files; seeking; limits; files put together.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "format/recordio/reading/reader_test_support.hpp"
#include "io/temporary_directory.hpp"

namespace fonds::recordio {
namespace {

using Texts = std::vector<std::string>;
constexpr std::uint64_t K = kChunkSize;
const std::string kA = body({"a"}), kB = body({"b", "bb"});

std::string hit(std::string file, std::size_t at) {
  char& octet = file.at(at);
  octet = static_cast<char>(octet ^ 1);
  return file;
}

// ---- good files, however they lie ----

struct Kind {
  const char* name;
  WriterOptions options;
  Texts told = {};
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class ReadingOfEveryKind : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    WriterOptions options = GetParam().options;
    options.max_items = 40;
    items_ = random_items(21, 300);
    file_ = written(items_, options);
  }
  ReaderOptions options() const { return {.transformers = GetParam().told}; }
  Texts items_;
  std::string file_;
};

TEST_P(ReadingOfEveryKind, GivesWhatWasWritten) {
  const Outcome read = read_all(file_, options());
  EXPECT_FALSE(read.error) << read.message;
  EXPECT_EQ(read.findings, Texts{});
  EXPECT_TRUE(read.texts() == items_);
}

TEST_P(ReadingOfEveryKind, GivesTheSameFromEverySource) {
  const Outcome memory = read_all(file_, options());
  const testing_io::TemporaryDirectory folder;
  const std::string path = folder.path("file.rio");
  std::ofstream(path, std::ios::binary) << file_;
  auto mapped = open_source(path);
  ASSERT_TRUE(mapped.has_value());
  EXPECT_TRUE(read_all(*mapped, options()).items == memory.items);
  EXPECT_TRUE(read_all(as_pipe(file_, 1000), options()).items == memory.items);
  EXPECT_TRUE(read_all(as_pipe(file_, 1 << 20), options()).items == memory.items);
  EXPECT_TRUE(read_all(unmapped(file_), options()).items == memory.items);
}

TEST_P(ReadingOfEveryKind, GivesTheSameOnSeveralThreads) {
  const Outcome one = read_all(file_, options());
  for (const unsigned threads : {2U, 3U, 7U}) {
    ReaderOptions several = options();
    several.threads = threads;
    EXPECT_TRUE(read_all(file_, several).items == one.items) << threads;
    EXPECT_TRUE(read_all(as_pipe(file_), several).items == one.items) << threads;
    several.memory_budget = 1 << 20;
    EXPECT_TRUE(read_all(file_, several).items == one.items) << threads;
  }
}

TEST_P(ReadingOfEveryKind, LocationsAreInOrderAndLeadBack) {
  const Outcome read = read_all(file_, options());
  Reader reader = opened(file_, options());
  for (std::size_t i = 0; i < read.items.size(); i += 7) {
    const ReadItem& item = read.items[i];
    ASSERT_TRUE(reader.seek({item.block, item.number}).has_value());
    ASSERT_TRUE(reader.next().value_or(false));
    ASSERT_EQ(as_text(reader.item()), item.text);
    ASSERT_EQ(reader.location(), (Location{item.block, item.number}));
    const auto found = reader.locate(i);
    ASSERT_TRUE(found.has_value());
    ASSERT_EQ(*found, (Location{item.block, item.number}));
  }
}

TEST_P(ReadingOfEveryKind, SeekGoesOnToTheEnd) {
  const Outcome read = read_all(file_, options());
  for (const unsigned threads : {1U, 3U}) {
    ReaderOptions with = options();
    with.threads = threads;
    Reader reader = opened(file_, with);
    Outcome rest;
    ASSERT_TRUE(reader.seek({read.items[123].block, read.items[123].number}).has_value());
    read_rest(reader, rest);
    EXPECT_TRUE(std::equal(read.items.begin() + 123, read.items.end(), rest.items.begin(),
                           rest.items.end()));
    ASSERT_TRUE(reader.seek({read.items[0].block, 0}).has_value());
    Outcome again;
    read_rest(reader, again);
    EXPECT_TRUE(again.items == read.items);
  }
}

TEST_P(ReadingOfEveryKind, LocateBehindTheLastItemIsNotFound) {
  Reader reader = opened(file_, options());
  EXPECT_EQ(reader.locate(items_.size()).error().code(), ErrorCode::NotFound);
  EXPECT_EQ(reader.locate(~std::uint64_t{0}).error().code(), ErrorCode::NotFound);
}

INSTANTIATE_TEST_SUITE_P(
    All, ReadingOfEveryKind,
    testing::Values(
        Kind{"none", {}}, Kind{"flate", {.transformers = {"flate"}}},
        Kind{"zstd", {.transformers = {"zstd 1"}}},
        Kind{"stack", {.transformers = {"flate 1", "zstd 3"}}},
        Kind{"other stack", {.transformers = {"zstd 3", "flate 6", "flate"}}},
        Kind{"plain", {.layout = Layout::LegacyPlain}},
        Kind{"packed", {.layout = Layout::LegacyPacked}},
        Kind{"packed flate", {.layout = Layout::LegacyPacked, .transformers = {"flate"}}},
        Kind{"packed flate, told",
             {.layout = Layout::LegacyPacked, .transformers = {"flate"}},
             {"flate"}},
        Kind{"packed zstd", {.layout = Layout::LegacyPacked, .transformers = {"zstd"}}}),
    [](const auto& tested) { return "kind" + std::to_string(tested.index); });

TEST(Reader, EmptyFileHasNoItems) {
  const Outcome read = read_strictly("");
  EXPECT_FALSE(read.error) << read.message;
  EXPECT_TRUE(read.items.empty());
  Reader reader = opened("");
  EXPECT_FALSE(reader.next().value_or(true));
  EXPECT_FALSE(reader.next().value_or(true));
  EXPECT_TRUE(reader.header().empty());
  EXPECT_FALSE(read_strictly(as_pipe("")).error);
}

TEST(Reader, HeaderAloneHasNoItems) {
  const Outcome read = read_all(header());
  EXPECT_FALSE(read.error);
  EXPECT_TRUE(read.items.empty() && read.findings.empty());
}

TEST(Reader, GivesAllHeaderEntries) {
  const std::vector<HeaderEntry> entries = {{"", Value(std::int64_t{-5})},
                                            {"a", Value(std::uint64_t{7})},
                                            {"a", Value(std::string("\xff\x00z", 3))},
                                            {"transformer", Value(std::string("zstd 3"))},
                                            {"trailer", Value(false)}};
  const Reader reader = opened(header_of(entries));
  EXPECT_TRUE(
      std::equal(entries.begin(), entries.end(), reader.header().begin(), reader.header().end()));
}

TEST(Reader, HeaderOfSeveralChunks) {
  const std::vector<HeaderEntry> entries = {{"long", Value(std::string(90000, 'l'))}};
  const std::string file = header_of(entries) + body({"a"});
  const Outcome read = read_all(file);
  EXPECT_EQ(read.texts(), Texts{"a"});
  EXPECT_EQ(read.items[0].block, 3 * K);
  EXPECT_EQ(opened(file).header().size(), 1U);
}

TEST(Reader, ForeignFileIsRefused) {
  for (const std::string& file : {std::string("x"), std::string(7, '\xd9'),
                                  std::string(100000, 'x'), std::string(40, '\0')}) {
    const Outcome read = read_all(file);
    EXPECT_EQ(read.error, ErrorCode::Unsupported) << file.size();
  }
}

TEST(Reader, LayoutIsTheFirstBlocks) {
  const std::string mixed = plain_record("a") + packed_record({"b"});
  EXPECT_EQ(opened(header()).layout(), Layout::V2);
  Reader reader = opened(mixed);
  EXPECT_EQ(reader.layout(), Layout::LegacyPlain);
  while (reader.next().value_or(false)) {
    EXPECT_EQ(reader.layout(), Layout::LegacyPlain);
  }
  auto pipe = Reader::open(as_pipe(packed_record({"b"}) + plain_record("a")));
  ASSERT_TRUE(pipe.has_value());
  EXPECT_EQ(pipe->layout(), Layout::LegacyPacked);
}

TEST(Reader, MovedReaderGoesOn) {
  Reader first = opened(header() + body({"a", "b", "c"}), {.threads = 2});
  ASSERT_TRUE(first.next().value_or(false));
  Reader second = std::move(first);
  ASSERT_TRUE(second.next().value_or(false));
  EXPECT_EQ(as_text(second.item()), "b");
  first = opened(header() + body({"x"}));
  ASSERT_TRUE(first.next().value_or(false));
  EXPECT_EQ(as_text(first.item()), "x");
  second = std::move(first);
  EXPECT_FALSE(second.next().value_or(true));
}

TEST(Reader, ThatIsGivenUpEarlyEndsItsThreads) {
  std::string file = header({"zstd"});
  for (int i = 0; i < 40; ++i) {
    file += body({std::string(200000, static_cast<char>('a' + i % 26))}, {"zstd"});
  }
  for (int round = 0; round < 20; ++round) {
    Reader reader = opened(file, {.threads = 3});
    for (int i = 0; i < round % 4; ++i) {
      EXPECT_TRUE(reader.next().value_or(false));
    }
  }
}

TEST(Reader, UnknownTransformerEndsReadingOrLeavesBlocksOut) {
  const std::string file = header({"nobody-made-this 1"}) + body({"a"}) + body({"b"});
  const Outcome strict = read_strictly(file);
  EXPECT_EQ(strict.error, ErrorCode::Unsupported);
  EXPECT_EQ(strict.error_at, K);
  const Outcome all = read_all(file);
  EXPECT_EQ(all.findings, (Texts{"unknown-transformer@32768", "unknown-transformer@65536"}));
}

// ---- files put together ----

std::string two_files() {
  return header({"zstd"}) + body({"z", "zz"}, {"zstd"}) + header({"flate"}) +
         body({"f", "ff"}, {"flate"});
}

TEST(Concatenated, IsReadByOption) {
  const Outcome read = read_all(two_files(), {.concatenated = true});
  EXPECT_EQ(read.texts(), (Texts{"z", "zz", "f", "ff"}));
  EXPECT_EQ(read.findings, Texts{});
  EXPECT_EQ(read_strictly(two_files(), {.concatenated = true}).texts(), read.texts());
  EXPECT_EQ(read_all(two_files(), {.threads = 3, .concatenated = true}).texts(), read.texts());
}

TEST(Concatenated, IsAnErrorWithoutTheOption) {
  const Outcome read = read_strictly(two_files());
  EXPECT_EQ(read.texts(), (Texts{"z", "zz"}));
  EXPECT_EQ(read.error, ErrorCode::Corrupt);
  EXPECT_EQ(read.error_at, 2 * K);
}

TEST(Concatenated, GetAndSeekUnderstandEachFileByItsHeader) {
  const Outcome read = read_all(two_files(), {.concatenated = true});
  Reader reader = opened(two_files(), {.concatenated = true});
  for (const ReadItem& item : read.items) {
    const auto got = reader.get({item.block, item.number});
    ASSERT_TRUE(got.has_value()) << got.error().to_string();
    EXPECT_EQ(as_text(*got), item.text);
  }
  for (std::size_t i = read.items.size(); i-- > 0;) {
    ASSERT_TRUE(reader.seek({read.items[i].block, read.items[i].number}).has_value());
    Outcome rest;
    read_rest(reader, rest);
    EXPECT_FALSE(rest.error) << rest.message;
    EXPECT_EQ(rest.items.size(), read.items.size() - i);
  }
}

// The first header is gone, the second one counts for what follows it.
TEST(Concatenated, HeaderBehindBlocksWithoutOneIsASecondOne) {
  const std::string file = body({"a"}, {"flate"}) + body({"b"}) + header({"flate", "zstd"}) +
                           body({"c"}, {"flate", "zstd"});
  const Outcome read = read_all(file);
  EXPECT_EQ(read.texts(), (Texts{"a", "b", "c"}));
  EXPECT_EQ(read.findings, (Texts{"no-header-block@0", "second-header@65536"}));
  Reader reader = opened(file, {.on_finding = [](const Finding&) {}});
  for (const ReadItem& item : read.items) {
    const auto got = reader.get({item.block, item.number});
    ASSERT_TRUE(got.has_value()) << got.error().to_string();
    EXPECT_EQ(as_text(*got), item.text);
  }
}

// ---- limits ----

TEST(Limits, ItemsOverTheLimitAreLeftOut) {
  const std::string file =
      header() + body({"a", std::string(2000, 'b'), "c"}) + body({std::string(1001, 'd')});
  const Outcome read = read_all(file, {.max_item = 1000});
  EXPECT_EQ(read.texts(), (Texts{"a", "c"}));
  EXPECT_EQ(read.findings, (Texts{"limit-exceeded@32768", "limit-exceeded@65536"}));
}

class Bombs : public testing::TestWithParam<Texts> {};

TEST_P(Bombs, EndAtTheLimitAndTheNextBlockIsGiven) {
  const Texts& transformers = GetParam();
  const std::string file = header(transformers) + body({"a"}, transformers) +
                           body({std::string(std::size_t{64} << 20, '\0')}, transformers) +
                           body({"b"}, transformers);
  for (const unsigned threads : {1U, 3U}) {
    const ReaderOptions options = {.memory_budget = std::uint64_t{8} << 20,
                                   .max_block = std::uint64_t{1} << 20,
                                   .threads = threads};
    const Outcome read = read_all(file, options);
    EXPECT_EQ(read.texts(), (Texts{"a", "b"}));
    EXPECT_EQ(read.findings, Texts{"limit-exceeded@65536"});
    const Outcome strict = read_strictly(file, options);
    EXPECT_EQ(strict.texts(), Texts{"a"});
    EXPECT_EQ(strict.error, ErrorCode::LimitExceeded);
    EXPECT_EQ(strict.error_at, 2 * K);
    EXPECT_EQ(read_all(as_pipe(file), options).texts(), read.texts());
  }
}

INSTANTIATE_TEST_SUITE_P(All, Bombs,
                         testing::Values(Texts{"flate"}, Texts{"zstd"}, Texts{"flate", "zstd"},
                                         Texts{"zstd", "flate"}),
                         [](const auto& tested) { return "case" + std::to_string(tested.index); });

TEST(Limits, BlocksUpToTheLimitAreTheSameOnAnyNumberOfThreads) {
  std::string v2 = header({"flate"}), packed, guessed;
  for (int i = 0; i < 6; ++i) {
    const Texts items = {std::string(900000, static_cast<char>('a' + i)), "x"};
    v2 += body(items, {"flate"});
    guessed += body(items, {"zstd"});
    packed += packed_record(items, {"flate"});
  }
  for (const std::string& file : {v2, packed, guessed}) {
    for (const std::uint64_t memory : {4U << 20U, 1U << 20U}) {
      const Outcome one = read_all(file, {.memory_budget = memory});
      for (const unsigned threads : {2U, 7U}) {
        const Outcome several = read_all(file, {.memory_budget = memory, .threads = threads});
        EXPECT_TRUE(several.items == one.items) << memory << " " << threads;
        EXPECT_EQ(several.findings, one.findings) << memory << " " << threads;
      }
    }
  }
}

TEST(Limits, PackedBlockOverTheLimitSaysSo) {
  const std::string file = plain_record("a") + packed_record({std::string(100000, 'x')}, {"flate"});
  EXPECT_EQ(read_all(file, {.max_block = 50000}).findings, Texts{"limit-exceeded@21"});
}

TEST(Limits, StoredSizeOfTransformedBlocksIsLimited) {
  std::string stored = transformed({"flate"}, content_of({"a"}));
  stored += std::string(400000, 'x');
  const std::string file =
      header({"flate"}) + block_of(Magic::Packed, stored) + body({"b"}, {"flate"});
  const Outcome read = read_all(file, {.max_block = 100000});
  EXPECT_EQ(read.texts(), Texts{"b"});
  EXPECT_EQ(read.findings, Texts{"limit-exceeded@32768"});
}

TEST(Limits, LargeBlockWithoutTransformersIsReadWhereItLies) {
  const Texts items = {"a", std::string(3000000, 'b'), "c"};
  const std::string file = header() + body(items) + body({"d"});
  const ReaderOptions options = {.max_block = 100000};
  EXPECT_EQ(read_all(file, options).texts().size(), 4U);
  const Outcome pipe = read_all(as_pipe(file), options);
  EXPECT_EQ(pipe.texts(), Texts{"d"});
  EXPECT_EQ(pipe.findings, Texts{"limit-exceeded@32768"});
}

TEST(Limits, HeaderOverTheLimitIsDamaged) {
  const std::string file = header_of({{"k", Value(std::string(50000, 'v'))},
                                      {"transformer", Value(std::string("zstd"))}}) +
                           body({"a"}, {"zstd"});
  const Outcome read = read_all(file, {.max_header = 40000});
  EXPECT_EQ(read.texts(), Texts{"a"});
  EXPECT_EQ(read.findings, Texts{"limit-exceeded@0"});
  EXPECT_EQ(read_strictly(file, {.max_header = 40000}).error, ErrorCode::LimitExceeded);
}

TEST(Limits, TransformersOverTheLimit) {
  const Texts three = {"flate", "flate", "flate"};
  const std::string file = header(three) + body({"a"}, three);
  EXPECT_EQ(read_all(file, {.max_transformers = 3}).texts(), Texts{"a"});
  const Outcome read = read_all(file, {.max_transformers = 2});
  ASSERT_FALSE(read.findings.empty());
  EXPECT_EQ(read.findings[0], "limit-exceeded@0");
}

TEST(Limits, TrailerOverTheLimit) {
  const std::string file = header({}, true) + kA + trailer_block(std::string(50000, 't'));
  const Outcome read = read_all(file, {.max_trailer = 40000});
  EXPECT_EQ(read.texts(), Texts{"a"});
  EXPECT_EQ(read.findings, Texts{"limit-exceeded@65536"});
  Reader reader = opened(file, {.max_trailer = 40000, .on_finding = [](const Finding&) {}});
  EXPECT_EQ(reader.trailer().error().code(), ErrorCode::LimitExceeded);
}

TEST(Limits, NoMemoryAtAllIsNoCrash) {
  for (const std::string& file :
       {written(random_items(1, 50)), written(random_items(1, 50), {.transformers = {"zstd"}}),
        written(random_items(1, 50), {.layout = Layout::LegacyPacked})}) {
    for (const unsigned threads : {1U, 3U}) {
      read_all(file, {.memory_budget = 0, .threads = threads});
      read_all(as_pipe(file), {.memory_budget = 0, .threads = threads});
      const Outcome none = read_all(file, {.max_item = 0, .threads = threads});
      for (const ReadItem& item : none.items) {
        EXPECT_TRUE(item.text.empty());
      }
    }
  }
}

TEST(Limits, LegacyRecordOverTheLimitIsSteppedOverWhole) {
  const std::string file = plain_record("a") +
                           plain_record(plain_record("nested") + std::string(5000, 'x')) +
                           plain_record("b");
  const Outcome read = read_all(file, {.max_block = 1000});
  EXPECT_EQ(read.texts(), (Texts{"a", "b"}));
  EXPECT_EQ(read_strictly(file, {.max_block = 1000}).error, ErrorCode::LimitExceeded);
}

// ---- seeking ----

TEST(Seek, ToWhatIsNotThereLeavesTheReaderWhereItWas) {
  Reader reader = opened(header({}, true) + kA + kB + trailer_block("t"));
  ASSERT_TRUE(reader.next().value_or(false));
  EXPECT_EQ(reader.seek({K, 1}).error().code(), ErrorCode::NotFound);
  EXPECT_EQ(reader.seek({0, 0}).error().code(), ErrorCode::NotFound);
  EXPECT_EQ(reader.seek({3 * K, 0}).error().code(), ErrorCode::NotFound);
  EXPECT_EQ(reader.seek({K + 1, 0}).error().code(), ErrorCode::NotFound);
  EXPECT_EQ(reader.seek({100 * K, 0}).error().code(), ErrorCode::NotFound);
  ASSERT_TRUE(reader.next().value_or(false));
  EXPECT_EQ(as_text(reader.item()), "b");
}

TEST(Seek, IntoADamagedBlockSkipsNothingOfTheNext) {
  std::string file =
      header() + body({"a", "b", "c", std::string(60000, 'd')}) + body({"e", "f", "g"});
  file = hit(std::move(file), 2 * K + 50);
  Outcome read;
  Reader reader = opened(file, telling(read, {}));
  if (const auto status = reader.seek({K, 2}); status) {
    read_rest(reader, read);
    EXPECT_EQ(read.texts(), (Texts{"e", "f", "g"}));
  }
}

TEST(Seek, BeforeAndBehindDamage) {
  const std::string file = hit(header() + kA + kB + kA, 2 * K + 30);
  Outcome read;
  Reader reader = opened(file, telling(read, {}));
  ASSERT_TRUE(reader.seek({3 * K, 0}).has_value());
  ASSERT_TRUE(reader.next().value_or(false));
  EXPECT_EQ(reader.location().block, 3 * K);
  ASSERT_TRUE(reader.seek({K, 0}).has_value());
  read_rest(reader, read);
  EXPECT_EQ(read.texts(), (Texts{"a", "a"}));
  EXPECT_EQ(read.findings, Texts{"chunk-crc@65536"});
}

TEST(Seek, TakesAReaderOutOfItsError) {
  const std::string file = hit(header() + kA + kB + kA, 2 * K + 30);
  Reader reader = opened(file);
  Outcome read;
  read_rest(reader, read);
  ASSERT_EQ(read.error, ErrorCode::Corrupt);
  ASSERT_TRUE(reader.seek({3 * K, 0}).has_value());
  ASSERT_TRUE(reader.next().value_or(false));
  EXPECT_EQ(as_text(reader.item()), "a");
}

}  // namespace
}  // namespace fonds::recordio
