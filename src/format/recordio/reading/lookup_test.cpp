// Single items by location.
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "format/recordio/reading/reader_test_support.hpp"

namespace fonds::recordio {
namespace {

std::string got(Reader& reader, Location where) {
  const auto item = reader.get(where);
  return item ? std::string(as_text(*item)) : "error: " + item.error().message();
}

ErrorCode refused(Reader& reader, Location where) {
  const auto item = reader.get(where);
  EXPECT_FALSE(item.has_value());
  return item ? ErrorCode::Internal : item.error().code();
}

// Bytes that do not compress to nothing, so that blocks are larger than a first look.
std::string noise(std::uint64_t seed, std::size_t size) {
  std::mt19937_64 random(seed);
  return random_bytes(random, size);
}

struct Kind {
  const char* name;
  WriterOptions options;
  std::vector<std::string> told = {};  // transformers that the file does not tell
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class GetOfEveryKind : public testing::TestWithParam<Kind> {};

TEST_P(GetOfEveryKind, GetGivesWhatNextGives) {
  WriterOptions options = GetParam().options;
  options.max_items = 70;
  const std::string file = written(random_items(3, 500), options);
  const Outcome all = read_strictly(file, {.transformers = GetParam().told});
  ASSERT_FALSE(all.error) << all.message;
  ASSERT_EQ(all.items.size(), 500U);
  Reader reader = opened(file, {.transformers = GetParam().told});
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const ReadItem& item = all.items[random() % all.items.size()];
    ASSERT_EQ(got(reader, {item.block, item.number}), item.text);
  }
}

TEST_P(GetOfEveryKind, GetDoesTheSameWithLittleMemory) {
  WriterOptions options = GetParam().options;
  options.max_block_bytes = 50000;
  const std::string file = written(random_items(4, 200), options);
  const ReaderOptions little = {.memory_budget = 600000, .transformers = GetParam().told};
  const Outcome all = read_strictly(file, little);
  ASSERT_FALSE(all.error) << all.message;
  Reader reader = opened(file, little);
  std::mt19937_64 random(2);
  for (int i = 0; i < 500; ++i) {
    const ReadItem& item = all.items[random() % all.items.size()];
    ASSERT_EQ(got(reader, {item.block, item.number}), item.text);
  }
}

TEST_P(GetOfEveryKind, ItemsThatAreNotThereAreNotFound) {
  const std::string file = written({"a", "bb"}, GetParam().options);
  const Outcome all = read_strictly(file, {.transformers = GetParam().told});
  ASSERT_EQ(all.items.size(), 2U);
  Reader reader = opened(file, {.transformers = GetParam().told});
  const Location last = {all.items[1].block, all.items[1].number};
  EXPECT_EQ(refused(reader, {last.block, last.item + 1}), ErrorCode::NotFound);
  EXPECT_EQ(refused(reader, {last.block, ~std::uint64_t{0}}), ErrorCode::NotFound);
  EXPECT_EQ(refused(reader, {last.block + 1, 0}), ErrorCode::NotFound);
  EXPECT_EQ(refused(reader, {file.size(), 0}), ErrorCode::NotFound);
  EXPECT_EQ(refused(reader, {~std::uint64_t{0}, 0}), ErrorCode::NotFound);
  EXPECT_EQ(got(reader, last), "bb");
}

INSTANTIATE_TEST_SUITE_P(
    All, GetOfEveryKind,
    testing::Values(
        Kind{"none", {}}, Kind{"flate", {.transformers = {"flate"}}},
        Kind{"zstd", {.transformers = {"zstd 1"}}},
        Kind{"stack", {.transformers = {"flate 1", "zstd 3"}}},
        Kind{"plain", {.layout = Layout::LegacyPlain}},
        Kind{"packed", {.layout = Layout::LegacyPacked}},
        Kind{"packed flate", {.layout = Layout::LegacyPacked, .transformers = {"flate"}}},
        Kind{"packed flate, told",
             {.layout = Layout::LegacyPacked, .transformers = {"flate"}},
             {"flate"}},
        Kind{"packed zstd", {.layout = Layout::LegacyPacked, .transformers = {"zstd"}}}),
    [](const auto& tested) { return std::to_string(tested.index); });

TEST(Get, HeaderAndTrailerBlocksAndLaterChunksAreNotFound) {
  const std::string file = header({}, true) + body({std::string(100000, 'x')}) + trailer_block("t");
  Reader reader = opened(file);
  EXPECT_EQ(refused(reader, {0, 0}), ErrorCode::NotFound);
  EXPECT_EQ(refused(reader, {2 * kChunkSize, 0}), ErrorCode::NotFound);
  EXPECT_EQ(refused(reader, {file.size() - kChunkSize, 0}), ErrorCode::NotFound);
}

TEST(Get, LooksOnlyAtTheChunksOfTheTableAndTheItem) {
  std::string file = header() + body({std::string(40000, 'a'), std::string(40000, 'b'), "c"});
  file[2 * kChunkSize + 500] ^= 1;  // chunk 1: the end of item 0, the beginning of item 1
  Reader reader = opened(file, {.on_finding = [](const Finding&) {}});
  EXPECT_EQ(got(reader, {kChunkSize, 2}), "c");
  EXPECT_EQ(refused(reader, {kChunkSize, 0}), ErrorCode::Corrupt);
  EXPECT_EQ(refused(reader, {kChunkSize, 1}), ErrorCode::Corrupt);
  EXPECT_EQ(got(reader, {kChunkSize, 2}), "c");
}

TEST(Get, DoesNotMoveWhereNextGoesOn) {
  const std::string file = header() + body({"a", "b"}) + body({"c", "d"});
  Reader reader = opened(file);
  ASSERT_TRUE(reader.next().value_or(false));
  EXPECT_EQ(got(reader, {2 * kChunkSize, 1}), "d");
  ASSERT_TRUE(reader.next().value_or(false));
  EXPECT_EQ(as_text(reader.item()), "b");
  EXPECT_EQ(reader.location(), (Location{kChunkSize, 1}));
}

TEST(Get, TableOfSeveralChunks) {
  std::vector<std::string> items;
  for (int i = 0; i < 20000; ++i) {
    items.push_back(std::string(299, static_cast<char>('a' + i % 26)) + std::to_string(i));
  }
  const std::string file = written(items, {.max_block_bytes = 0, .max_items = 20000});
  Reader reader = opened(file);
  for (const std::uint64_t i : {19999U, 0U, 10922U, 10923U, 12345U, 19999U}) {
    EXPECT_EQ(got(reader, {kChunkSize, i}), items[i]);
  }
}

TEST(Get, ChunksThatAreNotFull) {
  const std::string content = content_of({"hello", std::string(200, 'w'), "", "z"});
  const std::string_view view = content;
  const std::string file = header() + chunk(Magic::Packed, view.substr(0, 3), 3, 0) +
                           chunk(Magic::Packed, view.substr(3, 100), 3, 1) +
                           chunk(Magic::Packed, view.substr(103), 3, 2);
  Reader reader = opened(file);
  EXPECT_EQ(got(reader, {kChunkSize, 0}), "hello");
  EXPECT_EQ(got(reader, {kChunkSize, 1}), std::string(200, 'w'));
  EXPECT_EQ(got(reader, {kChunkSize, 2}), "");
  EXPECT_EQ(got(reader, {kChunkSize, 3}), "z");
}

TEST(Get, ItemsOverTheLimitAreRefusedAndTheOthersAreNot) {
  const std::string file = header() + body({"a", std::string(2000, 'b'), "c"});
  Reader reader = opened(file, {.max_item = 1000});
  EXPECT_EQ(refused(reader, {kChunkSize, 1}), ErrorCode::LimitExceeded);
  EXPECT_EQ(got(reader, {kChunkSize, 2}), "c");
}

TEST(Get, UnknownTransformerIsUnsupported) {
  const std::string file = header({"nobody-made-this"}) + body({"a"});
  Reader reader = opened(file);
  EXPECT_EQ(refused(reader, {kChunkSize, 0}), ErrorCode::Unsupported);
}

TEST(Get, CustomTransformer) {
  const auto invert = [](ByteView in, Buffer& out) -> Status {
    for (const std::byte b : in) {
      out.push_back(~b);
    }
    return {};
  };
  register_transformer("lookup-test-invert", transformer_of(invert, invert));
  const std::string file = written(random_items(5, 50), {.transformers = {"lookup-test-invert"}});
  Reader reader = opened(file);
  const Outcome all = read_strictly(file);
  ASSERT_EQ(all.items.size(), 50U);
  for (const ReadItem& item : all.items) {
    EXPECT_EQ(got(reader, {item.block, item.number}), item.text);
  }
}

TEST(Get, OfAPipeIsUnsupported) {
  auto reader = Reader::open(as_pipe(header() + body({"a"})));
  ASSERT_TRUE(reader.has_value());
  EXPECT_EQ(refused(*reader, {kChunkSize, 0}), ErrorCode::Unsupported);
  EXPECT_EQ(reader->seek({kChunkSize, 0}).error().code(), ErrorCode::Unsupported);
  EXPECT_EQ(reader->locate(0).error().code(), ErrorCode::Unsupported);
  EXPECT_EQ(reader->trailer().error().code(), ErrorCode::Unsupported);
}

// A block whose stream breaks behind the first items.
class BrokenBehind : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    items_ = {"first", noise(1, 300000), noise(2, 300000), "last"};
    std::string stored = transformed({GetParam()}, content_of(items_));
    stored.resize(stored.size() / 2);
    file_ = header({GetParam()}) + block_of(Magic::Packed, stored);
  }
  std::vector<std::string> items_;
  std::string file_;
};

TEST_P(BrokenBehind, GivesNoDanglingItems) {
  Reader reader = opened(file_, {.on_finding = [](const Finding&) {}});
  for (int round = 0; round < 3; ++round) {
    const auto first = reader.get({kChunkSize, 0});
    EXPECT_TRUE(!first || as_text(*first) == "first");
    EXPECT_EQ(refused(reader, {kChunkSize, 3}), ErrorCode::Corrupt);
    const auto second = reader.get({kChunkSize, 1});
    EXPECT_TRUE(!second || as_text(*second) == items_[1]);
  }
}

INSTANTIATE_TEST_SUITE_P(Transformers, BrokenBehind, testing::Values("flate", "zstd"),
                         [](const auto& tested) { return tested.param; });

class WrappingSizes : public testing::TestWithParam<std::string> {};

// The sizes sum to almost 2^64; what they would wrap to is no item.
TEST_P(WrappingSizes, GiveNoItem) {
  const std::string table = varint(3) + varint(~std::uint64_t{0} - 9) + varint(5) + varint(4);
  const std::string stored = transformed({GetParam()}, table + noise(3, 200000));
  const std::string file = header({GetParam()}) + block_of(Magic::Packed, stored);
  Reader reader = opened(file, {.on_finding = [](const Finding&) {}});
  EXPECT_FALSE(reader.get({kChunkSize, 1}).has_value());
  EXPECT_FALSE(reader.get({kChunkSize, 2}).has_value());
  EXPECT_FALSE(reader.get({kChunkSize, 1}).has_value());
}

INSTANTIATE_TEST_SUITE_P(Transformers, WrappingSizes, testing::Values("flate", "zstd"),
                         [](const auto& tested) { return tested.param; });

TEST(Get, BombIsRefusedAtTheLimit) {
  for (const char* name : {"flate", "zstd"}) {
    const std::string file = header({name}) +
                             body({std::string(std::size_t{8} << 20, '\0'), "end"}, {name}) +
                             body({"next"}, {name});
    Reader reader =
        opened(file, {.max_block = std::uint64_t{1} << 20, .on_finding = [](const Finding&) {}});
    EXPECT_EQ(refused(reader, {kChunkSize, 1}), ErrorCode::LimitExceeded) << name;
    const std::uint64_t second = file.size() - kChunkSize;
    EXPECT_EQ(got(reader, {second, 0}), "next") << name;
  }
}

TEST(Get, OfManyBlocksKeepsWithinTheMemory) {
  std::string file = header({"zstd"});
  std::vector<std::uint64_t> blocks;
  for (int i = 0; i < 60; ++i) {
    blocks.push_back(file.size());
    file += body({std::string(500000, static_cast<char>('a' + i % 26))}, {"zstd"});
  }
  Reader reader = opened(file, {.memory_budget = std::uint64_t{4} << 20});
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      ASSERT_EQ(got(reader, {blocks[i], 0}), std::string(500000, static_cast<char>('a' + i % 26)));
    }
  }
}

TEST(Get, LegacyRecordThatIsCutIsNoItem) {
  std::string file = plain_record("a") + plain_record("bcdef");
  file.resize(file.size() - 1);
  Reader reader = opened(file, {.on_finding = [](const Finding&) {}});
  EXPECT_EQ(got(reader, {0, 0}), "a");
  EXPECT_FALSE(reader.get({21, 0}).has_value());
}

}  // namespace
}  // namespace fonds::recordio
