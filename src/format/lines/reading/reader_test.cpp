#include "format/lines/reading/reader.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/gzip/testing.hpp"
#include "format/lines/reading/json_line.hpp"
#include "format/lines/testing.hpp"

namespace fonds::lines {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_codec::piped;
using testing_lines::archive_of;

struct Read {
  std::vector<std::string> blocks;
  std::vector<std::uint64_t> offsets;
  std::vector<std::string> codes;        // of records
  std::vector<std::string> loose_codes;  // of no record
  std::vector<std::string> closings;
  Place end;
  std::string error;
};

Read read_all(const Archive& archive, const ReadOptions& options = {}, std::size_t step = 1) {
  Read result;
  const auto reader = archive.format->open(archive, options);
  while (true) {
    const auto record = (*reader)->next();
    for (const Finding& finding : (*reader)->take_loose_findings()) {
      result.loose_codes.emplace_back(finding.code);
    }
    if (!record) {
      result.error = record.error().message();
      return result;
    }
    if (*record == nullptr) {
      result.end = (*reader)->end_place();
      return result;
    }
    EXPECT_EQ((*record)->ordinal, result.blocks.size());
    result.offsets.push_back((*record)->place.unit);
    std::string block;
    while (true) {
      const auto piece = (*reader)->peek_block(step);
      if (!piece || piece->empty()) {
        break;
      }
      const std::size_t n = std::min(piece->size(), step);
      block += as_text(piece->first(n));
      (*reader)->consume_block(n);
    }
    result.blocks.push_back(block);
    const auto end = (*reader)->finish();
    EXPECT_EQ(end->length, block.size());
    result.closings.push_back(end->closing);
    for (const Finding& finding : end->findings) {
      result.codes.emplace_back(finding.code);
    }
  }
}

TEST(LinesReader, EachLineIsARecordAndTheLastNeedsNoLineEnd) {
  const Read read = read_all(archive_of(lines_format(), "one\n\ntwo\r\n\nlast"));
  EXPECT_THAT(read.blocks, ElementsAre("one", "", "two\r", "", "last"));
  EXPECT_THAT(read.offsets, ElementsAre(0, 4, 5, 10, 11));
  EXPECT_THAT(read.closings, ElementsAre("\n", "\n", "\n", "\n", ""));
  EXPECT_EQ(read.end.unit, 15U);
}

TEST(LinesReader, LineEndAtTheEndBeginsNoFurtherRecord) {
  EXPECT_THAT(read_all(archive_of(lines_format(), "one\n")).blocks, ElementsAre("one"));
  EXPECT_THAT(read_all(archive_of(lines_format(), "\n")).blocks, ElementsAre(""));
  EXPECT_THAT(read_all(archive_of(lines_format(), "")).blocks, IsEmpty());
}

TEST(LinesReader, LinesLongerThanAnyBufferArriveInPieces) {
  const std::string line(1 << 20, 'x');
  const std::string text = line + "\n" + line;
  ReadOptions options;
  options.memory_budget = 1 << 20;
  for (const std::size_t step : {std::size_t{1000}, std::size_t{70000}}) {
    EXPECT_THAT(read_all(archive_of(lines_format(), text), options, step).blocks,
                ElementsAre(line, line));
    EXPECT_THAT(read_all(archive_of(lines_format(), piped(text)), options, step).blocks,
                ElementsAre(line, line));
    EXPECT_THAT(
        read_all(archive_of(lines_format(), testing_gzip::member(text)), options, step).blocks,
        ElementsAre(line, line));
  }
}

TEST(LinesReader, PassedOverRecordsAreNotReadAsOthers) {
  const Archive archive =
      archive_of(lines_format(), "one\n" + std::string(200000, 'x') + "\nthree");
  const auto reader = archive.format->open(archive, {});
  ASSERT_TRUE((*reader)->next().has_value());
  ASSERT_EQ((*(*reader)->next())->length(), std::nullopt);
  Record* const third = *(*reader)->next();
  ASSERT_NE(third, nullptr);
  EXPECT_EQ(third->length(), 5U);
  EXPECT_EQ(third->ordinal, 2U);
  EXPECT_EQ(as_text(*(*reader)->peek_block(1)), "three");
}

TEST(LinesReader, StopsAtABorderAndTheNextReaderGoesOnThere) {
  const Archive archive = archive_of(lines_format(), "one\ntwo\nthree\n");
  ReadOptions first;
  first.stop_at = 5;
  const Read head = read_all(archive, first);
  EXPECT_THAT(head.blocks, ElementsAre("one", "two"));
  EXPECT_EQ(head.end, (Place{8, 0}));
  ReadOptions second;
  second.start = lines_format().find_start(archive, 5, 14);
  EXPECT_EQ(second.start, head.end.unit);
  EXPECT_THAT(read_all(archive, second).blocks, ElementsAre("three"));
}

TEST(LinesReader, StartsAreFoundBehindLineEndsOnly) {
  const Archive archive = archive_of(lines_format(), "one\ntwo\n");
  EXPECT_EQ(lines_format().find_start(archive, 0, 8), 0U);
  EXPECT_EQ(lines_format().find_start(archive, 1, 8), 4U);
  EXPECT_EQ(lines_format().find_start(archive, 4, 8), 4U);
  EXPECT_EQ(lines_format().find_start(archive, 5, 8), 8U);
  EXPECT_EQ(lines_format().find_start(archive, 1, 3), 3U);
}

TEST(LinesReader, BehindDamageNothingIsReadUpToTheNextLineEnd) {
  const std::string first = testing_gzip::member("one\ntwo\n");
  std::string second = testing_gzip::member("three\nfo");
  const std::string third = testing_gzip::member("ur\nfive\n");
  second.resize(second.size() - 12);
  const Read read = read_all(archive_of(lines_format(), first + second + third));
  ASSERT_GE(read.blocks.size(), 3U);
  EXPECT_EQ(read.blocks.back(), "five");
  EXPECT_THAT(read.blocks, testing::Not(testing::Contains("ur")));
  EXPECT_FALSE(read.codes.empty() && read.loose_codes.empty());
}

TEST(JsonlReader, BehindDamageAnItemIsReadAndTheEndOfOneIsNot) {
  const std::string first = testing_gzip::member("{\"data\":\"one\"}\n");
  std::string second = testing_gzip::member("{\"data\":\"two\"}\n");
  const std::string third = testing_gzip::member("{\"data\":\"three\"}\n{\"data\"");
  const std::string fifth = testing_gzip::member("ur\"}\n{\"data\":\"five\"}\n");
  second.resize(second.size() - 12);
  const Read read = read_all(archive_of(jsonl_format(), first + second + third + second + fifth));
  EXPECT_THAT(read.blocks, ElementsAre("one", "three", "five"));
}

TEST(JsonlReader, GivesItemsAndTheirPlaces) {
  const Archive archive = archive_of(
      jsonl_format(), "{\"block\":7,\"item\":1,\"data\":\"a\\nb\"}\n\n{\"data_base64\":\"/w==\"}");
  const Read read = read_all(archive);
  EXPECT_THAT(read.blocks, ElementsAre("a\nb", "\xff"));
  EXPECT_THAT(read.closings, ElementsAre("", ""));
  const auto reader = archive.format->open(archive, {});
  EXPECT_EQ(item_place(**(*reader)->next()).block, 7U);
  EXPECT_EQ(item_place(**(*reader)->next()).block, std::nullopt);
}

TEST(JsonlReader, OtherLinesAreFindingsAndNoRecords) {
  const Read read =
      read_all(archive_of(jsonl_format(), "{\"data\":\"a\"}\nnothing\n \r\n[]\n{\"data\":\"b\"}"));
  EXPECT_THAT(read.blocks, ElementsAre("a", "b"));
  EXPECT_THAT(read.loose_codes, ElementsAre("jsonl-line", "jsonl-line"));
}

TEST(JsonlReader, LineBeyondTheLimitIsLeftOut) {
  ReadOptions options;
  options.memory_budget = 1 << 20;
  const std::string text = "{\"data\":\"a\"}\n{\"data\":\"" + std::string(300000, 'x') +
                           "\"}\n{\"data\":\"" + std::string(200000, 'y') + "\"}\n";
  for (const Archive& archive :
       {archive_of(jsonl_format(), text), archive_of(jsonl_format(), piped(text)),
        archive_of(jsonl_format(), testing_gzip::member(text))}) {
    const Read read = read_all(archive, options, 1000);
    EXPECT_EQ(read.error, "");
    ASSERT_EQ(read.blocks.size(), 2U);
    EXPECT_EQ(read.blocks[0], "a");
    EXPECT_EQ(read.blocks[1].size(), 200000U);
    EXPECT_THAT(read.loose_codes, ElementsAre("limit-exceeded"));
  }
}

// What a file with this content is opened as.
const Format* recognized(std::string_view content, std::string_view name = {}) {
  const auto archive = open_archive(testing_codec::mapped(std::string(content)), {.format = name});
  return archive ? archive->format : nullptr;
}

TEST(TextFormats, OnlyEventsAreRecognizedByThemselves) {
  EXPECT_EQ(recognized("one\n"), nullptr);
  EXPECT_EQ(recognized("{\"data\":\"a\"}\n"), &events_format());
  EXPECT_EQ(recognized("{\"n\":1}\n"), &events_format());
  EXPECT_EQ(recognized("{\n}\n"), nullptr);
}

TEST(TextFormats, OfTwoWithOneNameTheContentChooses) {
  EXPECT_EQ(recognized("{\"data\":\"a\"}\n", "jsonl"), &jsonl_format());
  EXPECT_EQ(recognized("no json\n{\"data\":\"a\"}\n", "jsonl"), &jsonl_format());
  EXPECT_EQ(recognized("{\"n\":1}\n", "jsonl"), &events_format());
  EXPECT_EQ(recognized("no json\n", "jsonl"), &events_format());
}

TEST(EventsReader, GivesObjectsWithoutMarkAndLineEnds) {
  const auto archive =
      testing_lines::archive_of(events_format(), "\xEF\xBB\xBF{\"a\":1}\r\n\n[2]\n{\"a\":3}");
  const auto reader = archive.format->open(archive, {});
  ASSERT_TRUE(reader.has_value());
  for (const std::string_view wanted : {"{\"a\":1}", "{\"a\":3}"}) {
    const auto record = (*reader)->next();
    ASSERT_TRUE(record.has_value() && *record != nullptr);
    EXPECT_TRUE((*record)->is_json());
    EXPECT_EQ((*record)->length(), wanted.size());
    const auto block = (*reader)->peek_block(wanted.size());
    ASSERT_TRUE(block.has_value());
    EXPECT_EQ(as_text(*block), wanted);
  }
  EXPECT_EQ((*reader)->take_loose_findings().size(), 1U);
  const auto end = (*reader)->next();
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(*end, nullptr);
}

TEST(EventsReader, BehindDamageAnObjectIsAnEventAndTheEndOfOneIsNot) {
  std::string lost = testing_gzip::member("{\"lost\":true}\n");
  lost.resize(lost.size() - 12);
  const Read read =
      read_all(archive_of(events_format(), testing_gzip::member("{\"n\":1}\n") + lost +
                                               testing_gzip::member("{\"n\":2}\n{\"in\":") + lost +
                                               testing_gzip::member("{\"n\":3}}\n{\"n\":4}\n")));
  EXPECT_THAT(read.blocks, ElementsAre("{\"n\":1}", "{\"n\":2}", "{\"n\":4}"));
}

// The member decodes to its end, and only its checksum shows that this is no end of a line.
TEST(EventsReader, UnitWithAWrongChecksumEndsALine) {
  const std::string torn = "{\"torn\":tr";
  const std::string damaged = testing_gzip::header() + testing_gzip::deflated(torn) +
                              testing_gzip::trailer("something else");
  const Read read =
      read_all(archive_of(events_format(), testing_gzip::member("{\"n\":1}\n") + damaged +
                                               testing_gzip::member("{\"n\":2}\n")));
  EXPECT_THAT(read.blocks, ElementsAre("{\"n\":1}", "{\"n\":2}"));
}

TEST(EventsReader, UnitsMayEndInALine) {
  const Read read =
      read_all(archive_of(events_format(), testing_gzip::member("{\"n\":1}\nno object ") +
                                               testing_gzip::member("{\"n\":2}\n{\"n\":") +
                                               testing_gzip::member("3}\n")));
  EXPECT_THAT(read.blocks, ElementsAre("{\"n\":1}", "{\"n\":3}"));
}

TEST(JsonLinesProbe, LongFirstLineOfAnItemIsAnItem) {
  for (const std::string& data :
       {std::string(100, 'A'), std::string("\\u00e9\\ud83d\\ude00\\\\x") + "\xC3\xA9"}) {
    const std::string begin = "{\"block\":0,\"item\":1,\"data\":\"";
    for (std::size_t n = 0; n <= data.size(); ++n) {
      EXPECT_EQ(probe_items(begin + data.substr(0, n), false), 60) << n;
    }
    EXPECT_EQ(probe_items(begin + data, true), 0);
  }
  EXPECT_EQ(probe_items(R"({"data_base64":"QUJDRE)", false), 60);
  EXPECT_EQ(probe_items(R"({"level":"INFO","text":"abc)", false), 0);
}

}  // namespace
}  // namespace fonds::lines
