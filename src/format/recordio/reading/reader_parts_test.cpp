// The parts of a file are the whole.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "format/recordio/reading/reader_test_support.hpp"

namespace fonds::recordio {
namespace {

using Texts = std::vector<std::string>;
constexpr std::uint64_t K = kChunkSize;
const std::string kA = body({"a"}), kB = body({"b", "bb"});

std::vector<Outcome> parts_of(std::string_view file, std::uint64_t parts, ReaderOptions options) {
  std::vector<Outcome> all;
  for (std::uint64_t part = 0; part < parts; ++part) {
    options.part = part;
    options.parts = parts;
    all.push_back(read_all(file, options));
  }
  return all;
}

void expect_parts_to_be_the_whole(std::string_view file, std::uint64_t most,
                                  const ReaderOptions& options = {}) {
  const Outcome whole = read_all(file, options);
  for (std::uint64_t parts = 1; parts <= most; ++parts) {
    std::vector<ReadItem> items;
    Texts findings;
    for (const Outcome& part : parts_of(file, parts, options)) {
      ASSERT_FALSE(part.error) << part.message;
      items.insert(items.end(), part.items.begin(), part.items.end());
      findings.insert(findings.end(), part.findings.begin(), part.findings.end());
    }
    ASSERT_TRUE(items == whole.items) << parts << " parts";
    ASSERT_EQ(findings, whole.findings) << parts << " parts";
  }
}

TEST(Parts, TogetherAreTheWhole) {
  WriterOptions options;
  options.max_items = 7;
  expect_parts_to_be_the_whole(written(random_items(31, 200), options), 60);
  options.transformers = {"zstd"};
  expect_parts_to_be_the_whole(written(random_items(32, 200), options), 60);
}

TEST(Parts, OfBlocksOfManyChunks) {
  const std::string file =
      written({std::string(400000, 'a'), "b", std::string(300000, 'c'), "d"}, {.max_items = 1});
  expect_parts_to_be_the_whole(file, 60);
}

TEST(Parts, OfAFileWithATrailerOfManyChunks) {
  const std::string file = header({}, true) + kA + kB + trailer_block(std::string(200000, 't'));
  expect_parts_to_be_the_whole(file, 30);
  for (std::uint64_t part = 0; part < 9; ++part) {
    Reader reader = opened(file, {.part = part, .parts = 9});
    const auto trailer = reader.trailer();
    ASSERT_TRUE(trailer.has_value() && trailer->has_value());
    EXPECT_EQ((*trailer)->size(), 200000U);
  }
}

TEST(Parts, OfDamagedFiles) {
  std::string file = header() + kA + body({std::string(100000, 'x')}) + kB + kA + kB + kA;
  file = hit(std::move(file), K + 30);
  file = hit(std::move(file), 7 * K + 30);
  expect_parts_to_be_the_whole(file, 30);
  expect_parts_to_be_the_whole(file.substr(0, file.size() - 1), 30);
  expect_parts_to_be_the_whole(file.substr(0, file.size() - K), 30);
}

TEST(Parts, OfFilesWithADamagedHeader) {
  expect_parts_to_be_the_whole(hit(header() + kA + kB + kA, 3), 10);
  expect_parts_to_be_the_whole(kA + kB + kA, 10);
}

TEST(Parts, GiveEachItemOnceAroundBlocksThatBreakOff) {
  std::string file =
      header() + kA + body({std::string(200000, 'x')}) + kB + body({std::string(200000, 'y')}) + kA;
  file = hit(std::move(file), 5 * K + 30);
  file = hit(std::move(file), 12 * K + 30);
  const Outcome whole = read_all(file);
  for (std::uint64_t parts = 1; parts < 40; ++parts) {
    std::vector<ReadItem> items;
    for (const Outcome& part : parts_of(file, parts, {})) {
      items.insert(items.end(), part.items.begin(), part.items.end());
    }
    ASSERT_TRUE(items == whole.items) << parts;
  }
}

// Each block is understood by the last header before it, or the parts are refused.
TEST(Parts, OfFilesPutTogetherAreTheWholeOrRefused) {
  const std::string file = header({"zstd"}) + body({"z"}, {"zstd"}) + header({"flate", "zstd"}) +
                           body({"f"}, {"flate", "zstd"}) + body({"g"}, {"flate", "zstd"});
  Texts items;
  for (const Outcome& part : parts_of(file, 4, {.concatenated = true})) {
    if (part.error == ErrorCode::Unsupported) {
      return;
    }
    const Texts texts = part.texts();
    items.insert(items.end(), texts.begin(), texts.end());
  }
  EXPECT_EQ(items, (Texts{"z", "f", "g"}));
}

TEST(Parts, OfTheTinyFixture) {
  const std::string file = read_recordio_fixture("v2-tiny.rio");
  for (const std::uint64_t parts : {1U, 2U, 48U, 49U, 98U, 103U}) {
    Texts items;
    for (const Outcome& part : parts_of(file, parts, {})) {
      const Texts texts = part.texts();
      items.insert(items.end(), texts.begin(), texts.end());
    }
    EXPECT_EQ(items, (Texts{"hello", "", "world!"})) << parts;
  }
}

TEST(Parts, ThatMakeNoSenseAreRefused) {
  EXPECT_EQ(read_all(header(), {.part = 0, .parts = 0}).error, ErrorCode::BadArgument);
  EXPECT_EQ(read_all(header(), {.part = 3, .parts = 3}).error, ErrorCode::BadArgument);
  EXPECT_EQ(read_all(plain_record("a"), {.part = 0, .parts = 2}).error, ErrorCode::Unsupported);
  EXPECT_EQ(read_all(as_pipe(header()), {.part = 0, .parts = 2}).error, ErrorCode::Unsupported);
  const std::uint64_t most = ~std::uint64_t{0};
  EXPECT_EQ(read_all(header() + kA, {.part = most - 1, .parts = most}).texts(), Texts{"a"});
  EXPECT_EQ(read_all(header() + kA, {.part = 0, .parts = most}).texts(), Texts{});
}

TEST(Parts, OfNothing) {
  EXPECT_EQ(read_all("", {.part = 1, .parts = 2}).texts(), Texts{});
  EXPECT_EQ(read_all(header(), {.part = 1, .parts = 2}).texts(), Texts{});
}

}  // namespace
}  // namespace fonds::recordio
