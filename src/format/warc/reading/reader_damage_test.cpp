// Records that damage has hidden in the header or the block of the one before, with --skip-damaged.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zdict.h>

#include <fonds/format.hpp>

#include "format/warc/rewriting/repair_test_support.hpp"

namespace fonds::testing_repair {
namespace {

using testing::Contains;
using testing::ElementsAre;

// The blocks of all records.
std::vector<std::string> blocks(const std::string& stored) {
  const auto archive = open_archive(testing_codec::mapped(stored));
  EXPECT_TRUE(archive.has_value());
  ReadOptions options;
  options.search_damaged = true;
  const auto reader = archive->format->open(*archive, options);
  EXPECT_TRUE(reader.has_value());
  std::vector<std::string> all;
  while (true) {
    const auto record = (*reader)->next();
    EXPECT_TRUE(record.has_value());
    if (*record == nullptr) {
      return all;
    }
    std::string& block = all.emplace_back();
    for (auto piece = (*reader)->peek_block(1); piece && !piece->empty();
         piece = (*reader)->peek_block(1)) {
      block += as_text(*piece);
      (*reader)->consume_block(piece->size());
    }
  }
}
std::string without(std::string text, std::size_t from, std::size_t to) {
  return text.erase(from, to - from);
}

// ---- headers ----

TEST(TornHeader, EndsInAFieldWhereTheNextOneBegins) {
  const std::string first = modern("a", "one");
  const std::string all = first + modern("b", "two") + modern("c", "three");
  const std::size_t in_uri = first.find("a.example");
  EXPECT_THAT(blocks(without(all, in_uri, first.size())), ElementsAre("", "two", "three"));
}

TEST(TornHeader, EndsInTheNameOfAField) {
  const std::string first = modern("a", "one");
  const std::string all = first + modern("b", "two");
  const std::size_t in_name = first.find("WARC-Type") + 7;
  EXPECT_THAT(blocks(without(all, in_name, first.size())), ElementsAre("", "two"));
}

TEST(TornHeader, EndsInZeros) {
  std::string all = modern("a", "one");
  const std::size_t from = all.find("Content-Length") + 17;
  std::fill(all.begin() + static_cast<std::ptrdiff_t>(from), all.end(), '\0');
  EXPECT_THAT(blocks(all + modern("b", "two")), ElementsAre("", "two"));
}

TEST(TornHeader, OfAPositionalRecord) {
  const std::string first = positional("a", "one");
  const std::size_t in_field = first.find("data");
  EXPECT_THAT(blocks(without(first + positional("b", "two"), in_field, first.size())),
              ElementsAre("", testing::HasSubstr("two")));
}

TEST(TornHeader, IsNotSeenInAVersionThatIsAValue) {
  const std::string all =
      modern("a", "one", "3", "X-Made-As: WARC/1.0\r\nX-Words: WARC/1.1\r\nX-More: x\r\n") +
      modern("b", "two");
  EXPECT_THAT(blocks(all), ElementsAre("one", "two"));
}

// ---- blocks ----

TEST(TornBlock, ShowsTheRecordWhoseLineEndsAreGone) {
  const std::string first = modern("a", std::string(2000, 'a'));
  const std::string all = first + modern("b", "two") + modern("c", std::string(3000, 'c'));
  EXPECT_THAT(blocks(without(all, first.size() - 500, first.size())),
              ElementsAre(std::string(1504, 'a'), "two", std::string(3000, 'c')));
}

TEST(TornBlock, AtTheEndOfTheFile) {
  const std::string first = modern("a", std::string(2000, 'a'));
  const std::string all = first + modern("b", "two") + modern("c", "three");
  EXPECT_THAT(blocks(without(all, first.size() - 1500, first.size())),
              ElementsAre(std::string(504, 'a'), "two", "three"));
}

TEST(TornBlock, EndsAtLineEndsInALaterRecord) {
  const std::string second = modern("b", "two") + modern("c", "three\r\n\r\nof c");
  // The length of the first one reaches to the line ends in the block of the third.
  const std::size_t length = 3 + 4 + second.find("\r\n\r\nof c");
  const std::string all = modern("a", "one", std::to_string(length)) + second;
  EXPECT_THAT(blocks(all), ElementsAre("one", "two", "three\r\n\r\nof c"));
}

TEST(TornBlock, HoldsWholeRecordsThatItMay) {
  const std::string inner = "x" + modern("i", "inner") + modern("j", "inner too");
  const std::string all = modern("a", inner) + "garbage that is no record " + modern("b", "two");
  EXPECT_THAT(blocks(all), ElementsAre(inner, "two"));
}

TEST(ArcAmongOthers, IsFoundBehindARecordOfAnotherDialect) {
  const std::string all = arc_start() + arc("a", "one") + "warc/00.11 60 20200102030405 - w1\r\n" +
                          "no field\r\n" + arc("b", "two") + arc("c", "three");
  const std::vector<std::string> found = blocks(all);
  EXPECT_THAT(found, Contains("two"));
  EXPECT_THAT(found, Contains("three"));
}

// ---- repair ----

TEST(RepairDictionary, ThatIsDamagedIsNotCopied) {
  std::vector<std::string> records;
  std::string samples;
  std::vector<std::size_t> sizes;
  for (int n = 0; n < 60; ++n) {
    records.push_back(with_digest(std::to_string(n), testing_codec::sample_text(300, 7)));
    samples += records.back();
    sizes.push_back(records.back().size());
  }
  std::string trained(2000, '\0');
  const std::size_t size =
      ZDICT_trainFromBuffer(trained.data(), trained.size(), samples.data(), sizes.data(), 60);
  ASSERT_EQ(ZDICT_isError(size), 0U);
  const auto dictionary = ZstdDictionary::parse(as_bytes(trained).first(size));
  ASSERT_TRUE(dictionary.has_value());
  records.resize(5);
  const std::vector<std::string> units =
      stored_units(records, {.codec = "zstd", .dictionary = *dictionary});
  // Wherever it is hit, what comes out follows the rules of the container.
  for (std::size_t at = 20; at < units[0].size(); at += 37) {
    std::string bytes = joined(units);
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    const Repaired result = repaired(bytes);
    EXPECT_THAT(errors_of(result.bytes), testing::IsEmpty()) << at;
  }
}

}  // namespace
}  // namespace fonds::testing_repair
