#include "ops/cat.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/lines/testing.hpp"
#include "io/temporary_directory.hpp"
#include "ops/testing.hpp"

namespace fonds::ops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_codec::mapped;
using testing_codec::piped;
using testing_codec::sample_text;
using testing_io::TemporaryDirectory;
using testing_lines::archive_of;
using testing_ops::Given;
using testing_ops::gzipped;
using testing_ops::into;
using testing_ops::plain;
using testing_ops::RecordText;

struct Catted {
  Given given;
  std::vector<std::string> missing;
  std::string error;
};
Catted run_cat(std::shared_ptr<ByteSource> source, const std::vector<std::string>& keys,
               CatOptions options = {}) {
  for (const std::string& key : keys) {
    options.keys.push_back(*parse_key(key));
  }
  Catted result;
  auto missing = cat(*open_archive(std::move(source)), options, into(result.given));
  if (missing) {
    result.missing = *missing;
  } else {
    result.error = missing.error().message();
  }
  return result;
}
CatOptions part(RecordPart wanted) {
  CatOptions options;
  options.part = wanted;
  return options;
}
CatOptions resolving() {
  CatOptions options = part(RecordPart::Block);
  options.resolve = true;
  return options;
}

RecordText response(const std::string& id, const std::string& block,
                    const std::string& uri = "http://a/") {
  return {.type = "response",
          .id = id,
          .uri = uri,
          .block = block,
          .more = "Content-Type: text/plain\r\n"};
}

TEST(Cat, WithoutKeysGivesTheFileBack) {
  const std::vector<RecordText> records = {response("1", "one"), response("2", sample_text(300000)),
                                           response("3", "three")};
  EXPECT_TRUE(run_cat(mapped(plain(records)), {}).given.text == plain(records));
  EXPECT_TRUE(run_cat(mapped(gzipped(records)), {}).given.text == plain(records));
  EXPECT_TRUE(run_cat(piped(gzipped(records)), {}).given.text == plain(records));
}

TEST(Cat, GivesRecordsInTheOrderOfTheKeys) {
  const std::vector<RecordText> records = {response("1", "one"), response("2", "two"),
                                           response("3", "three")};
  const Catted result = run_cat(mapped(plain(records)), {"index:2", "id:1", "index:7", "index:2"},
                                part(RecordPart::Block));
  EXPECT_EQ(result.given.text, "threeonethree");
  EXPECT_THAT(result.missing, ElementsAre("index:7"));
}

TEST(Cat, OffsetThatIsNoRecordIsMissingAndToldOf) {
  const std::vector<RecordText> records = {response("1", "one"), response("2", "two")};
  const Catted result = run_cat(mapped(plain(records)), {"offset:5"}, part(RecordPart::Block));
  EXPECT_EQ(result.given.text, "");
  EXPECT_THAT(result.missing, ElementsAre("offset:5"));
  EXPECT_THAT(result.given.codes, ElementsAre("not-a-record-offset"));
}

TEST(Cat, KeysOfAPipeAreRefused) {
  EXPECT_THAT(run_cat(piped(plain({response("1", "one")})), {"index:0"}).error,
              HasSubstr("keys need a file"));
}

TEST(Cat, HttpPartsAreSplitAndDecoded) {
  const std::string http = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const RecordText record = {.type = "response",
                             .id = "1",
                             .uri = "http://a/",
                             .block = http + "3\r\nabc\r\n0\r\n\r\n",
                             .more = "Content-Type: application/http\r\n"};
  const auto give = [&](RecordPart wanted) {
    return run_cat(mapped(plain({record})), {}, part(wanted)).given.text;
  };
  EXPECT_EQ(give(RecordPart::Http), http);
  EXPECT_EQ(give(RecordPart::Body), "3\r\nabc\r\n0\r\n\r\n");
  EXPECT_EQ(give(RecordPart::Payload), "abc");
  EXPECT_EQ(give(RecordPart::Decoded), "abc");
  EXPECT_EQ(give(RecordPart::Block), record.block);
}

TEST(Cat, LargePayloadIsTheSameOnAnyNumberOfThreads) {
  const std::string body = sample_text(std::size_t{3} << 20);
  std::vector<RecordText> records;
  for (int i = 0; i < 6; ++i) {
    records.push_back({.type = "response",
                       .id = std::to_string(i),
                       .uri = "http://a/",
                       .block = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n300000\r\n" +
                                body + "\r\n0\r\n\r\n",
                       .more = "Content-Type: application/http\r\n"});
  }
  const std::string stored = gzipped(records);
  std::vector<Catted> results;
  for (const unsigned threads : {1U, 4U}) {
    CatOptions options = part(RecordPart::Payload);
    options.scan.threads = threads;
    options.scan.range = 1 << 20;
    options.scan.read.memory_budget = std::uint64_t{32} << 20;
    results.push_back(run_cat(mapped(stored), {}, options));
  }
  EXPECT_EQ(results[0].error, "");
  EXPECT_EQ(results[1].error, "");
  EXPECT_TRUE(results[0].given.text == results[1].given.text);
  EXPECT_EQ(results[0].given.codes, results[1].given.codes);
}

TEST(CatThreads, GiveTheSameFindingsForTheSameRecords) {
  std::vector<RecordText> records;
  std::string stored;
  for (int i = 0; i < 300; ++i) {
    std::string text = testing_ops::text_of(
        response(std::to_string(i), sample_text(static_cast<std::size_t>(i) * 13)));
    stored += testing_gzip::member(i % 5 == 0 ? text.substr(0, text.size() - 2) : text);
  }
  CatOptions options;
  const Catted one = run_cat(mapped(stored), {}, options);
  ASSERT_EQ(one.given.ordinals.size(), 60U);
  for (std::size_t i = 0; i < 60; ++i) {
    EXPECT_EQ(one.given.ordinals[i], i * 5);
  }
  options.scan.threads = 3;
  options.scan.range = 5000;
  const Catted many = run_cat(mapped(stored), {}, options);
  EXPECT_EQ(many.given.ordinals, one.given.ordinals);
  EXPECT_TRUE(many.given.text == one.given.text);
}

RecordText revisit(const std::string& more, const std::string& uri = "http://a/") {
  return {.type = "revisit", .id = "9", .uri = uri, .block = "revisit", .more = more};
}

TEST(CatResolve, PrefersTheIdOverUriAndDate) {
  const RecordText by_uri = response("1", "by uri"), by_id = response("2", "by id", "http://b/");
  const auto result = run_cat(
      mapped(plain({by_uri, by_id,
                    revisit("WARC-Refers-To: <2>\r\nWARC-Refers-To-Target-URI: http://a/\r\n"
                            "WARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\n")})),
      {"index:2"}, resolving());
  EXPECT_EQ(result.given.text, "by id");
}

TEST(CatResolve, TakesUriAndDateBeforeTheDigest) {
  RecordText by_digest = response("1", "by digest", "http://c/"), by_uri = response("2", "by uri");
  by_digest.more += "WARC-Payload-Digest: sha1:X\r\n";
  const auto result = run_cat(
      mapped(
          plain({by_digest, by_uri,
                 revisit("WARC-Payload-Digest: sha1:X\r\nWARC-Refers-To-Target-URI: http://a/\r\n"
                         "WARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\n",
                         "http://c/")})),
      {"index:2"}, resolving());
  EXPECT_EQ(result.given.text, "by uri");
}

TEST(CatResolve, TakesTheNewestEarlierRecordWithTheDigestLast) {
  RecordText first = response("1", "first"), second = response("2", "second"),
             later = response("3", "later");
  for (RecordText* record : {&first, &second, &later}) {
    record->more += "WARC-Payload-Digest: sha1:X\r\n";
  }
  const auto result =
      run_cat(mapped(plain({first, second, revisit("WARC-Payload-Digest: sha1:X\r\n"), later})),
              {"index:2"}, resolving());
  EXPECT_EQ(result.given.text, "second");
}

TEST(CatResolve, MetadataOfTheSameMomentIsNotTheOriginal) {
  RecordText metadata = response("1", "metadata");
  metadata.type = "metadata";
  const auto result =
      run_cat(mapped(plain({metadata, response("2", "original"),
                            revisit("WARC-Refers-To-Target-URI: http://a/\r\nWARC-Refers-To-Date: "
                                    "2020-01-01T00:00:00Z\r\n")})),
              {"index:2"}, resolving());
  EXPECT_EQ(result.given.text, "original");
}

TEST(CatResolve, RevisitWithoutOriginalIsGivenItselfAndReported) {
  const auto result = run_cat(
      mapped(plain({response("1", "other", "http://b/"), revisit("WARC-Refers-To: <77>\r\n")})), {},
      resolving());
  EXPECT_EQ(result.given.text, "otherrevisit");
  EXPECT_THAT(result.given.codes, ElementsAre("refers-to-missing"));
}

std::vector<std::string> contents(const TemporaryDirectory& directory, const std::string& name) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path(name))) {
    if (entry.path().filename() != "manifest.jsonl") {
      std::ifstream in(entry.path(), std::ios::binary);
      found.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(CatDirectory, HoldsAFileForEveryRecord) {
  const TemporaryDirectory directory;
  CatOptions options = part(RecordPart::Block);
  options.directory = directory.path("out");
  const auto result =
      run_cat(mapped(plain({response("1", "one"), response("2", "two", "http://a/../../b?c")})), {},
              options);
  EXPECT_EQ(result.error, "");
  EXPECT_THAT(contents(directory, "out"), ElementsAre("one", "two"));
  EXPECT_EQ(directory.files(), 1U);
  EXPECT_THAT(run_cat(mapped(plain({response("1", "new")})), {}, options).error,
              HasSubstr("is there already"));
}

TEST(CatDirectory, HoldsEveryRecordThatOffsetsName) {
  const TemporaryDirectory directory;
  const std::vector<RecordText> records = {response("1", "one"), response("2", "two")};
  CatOptions options = part(RecordPart::Block);
  options.directory = directory.path("out");
  const auto result = run_cat(
      mapped(plain(records)),
      {"offset:0", "offset:" + std::to_string(testing_ops::text_of(records[0]).size())}, options);
  EXPECT_EQ(result.error, "");
  EXPECT_THAT(contents(directory, "out"), ElementsAre("one", "two"));
}

TEST(CatDirectory, HoldsOriginalAndResolvedRevisit) {
  const TemporaryDirectory directory;
  CatOptions options = resolving();
  options.directory = directory.path("out");
  const auto result = run_cat(
      mapped(plain({response("1", "one"), revisit("WARC-Refers-To: <1>\r\n")})), {}, options);
  EXPECT_EQ(result.error, "");
  EXPECT_THAT(contents(directory, "out"), ElementsAre("one", "one"));
}

TEST(Cat, StrictStopsAtTheFirstWarning) {
  const std::string first = testing_ops::text_of(response("1", "one"));
  CatOptions options = part(RecordPart::Block);
  options.strict = true;
  const auto result = run_cat(
      mapped(first.substr(0, first.size() - 2) + plain({response("2", "two")})), {}, options);
  EXPECT_EQ(result.given.text, "one");
  EXPECT_THAT(result.given.codes, ElementsAre("trailer-missing"));
}

TEST(Cat, LimitStopsAfterSoManyRecords) {
  CatOptions options = part(RecordPart::Block);
  options.limit = 2;
  EXPECT_EQ(
      run_cat(mapped(plain({response("1", "one"), response("2", "two"), response("3", "three")})),
              {}, options)
          .given.text,
      "onetwo");
}

// --- separators

struct SeparatorCase {
  const char* name;
  Separator separator;
  std::string expected;
};
class CatSeparator : public testing::TestWithParam<SeparatorCase> {};
INSTANTIATE_TEST_SUITE_P(
    Separators, CatSeparator,
    testing::Values(SeparatorCase{"none", Separator::None, "a\n\n\xff"},
                    SeparatorCase{"newline", Separator::Newline, "a\n\n\xff\n"},
                    SeparatorCase{"null", Separator::Null, std::string("a\0\0\xff\0", 5)},
                    SeparatorCase{"lengthPrefixed", Separator::LengthPrefixed,
                                  std::string("\1\0\0\0\0\0\0\0a\0\0\0\0\0\0\0\0"
                                              "\1\0\0\0\0\0\0\0\xff",
                                              26)},
                    SeparatorCase{"jsonl", Separator::Jsonl,
                                  "{\"data\":\"a\"}\n{\"data\":\"\"}\n"
                                  "{\"data_base64\":\"/w==\"}\n"}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(CatSeparator, TellsRecordsApart) {
  const Archive archive = archive_of(lines::lines_format(), "a\n\n\xff");
  CatOptions options;
  options.separator = GetParam().separator;
  Given given;
  ASSERT_TRUE(cat(archive, options, into(given)).has_value());
  EXPECT_EQ(given.text, GetParam().expected);
}

TEST(CatSeparator, ClosingLineEndsOfRecordsWithHeadersStay) {
  const std::vector<RecordText> records = {response("1", "one")};
  CatOptions options;
  options.separator = Separator::Null;
  EXPECT_EQ(run_cat(mapped(plain(records)), {}, options).given.text,
            plain(records) + std::string(1, '\0'));
  options.separator = Separator::LengthPrefixed;
  EXPECT_EQ(run_cat(mapped(gzipped(records)), {}, options).given.text,
            static_cast<char>(plain(records).size()) + std::string(7, '\0') + plain(records));
}

TEST(CatSeparator, JsonLinesTellWhereItemsLay) {
  const std::string line = "{\"block\":32768,\"item\":2,\"data\":\"a\"}\n";
  CatOptions options;
  options.separator = Separator::Jsonl;
  Given given;
  ASSERT_TRUE(cat(archive_of(lines::jsonl_format(), line), options, into(given)).has_value());
  EXPECT_EQ(given.text, line);
}

TEST(CatSeparator, RecordTooLargeToHoldIsLeftOutUnlessItsLengthIsKnown) {
  const std::vector<RecordText> records = {response("1", sample_text(300000)),
                                           response("2", "two")};
  CatOptions options = part(RecordPart::Block);
  options.scan.read.memory_budget = 1 << 20;
  options.separator = Separator::LengthPrefixed;
  const Catted known = run_cat(mapped(plain(records)), {}, options);
  EXPECT_THAT(known.given.codes, IsEmpty());
  EXPECT_TRUE(known.given.text == std::string("\xe0\x93\4\0\0\0\0\0", 8) + records[0].block +
                                      std::string("\3\0\0\0\0\0\0\0two", 11));
  options.separator = Separator::Jsonl;
  const Catted left_out = run_cat(mapped(plain(records)), {}, options);
  EXPECT_THAT(left_out.given.codes, ElementsAre("limit-exceeded"));
  EXPECT_EQ(left_out.given.text, "{\"data\":\"two\"}\n");
}

// --- the last records

TEST(CatTail, GivesTheLastRecordsInOrder) {
  const std::vector<RecordText> records = {response("1", "one"), response("2", "two"),
                                           response("3", "three")};
  CatOptions options = part(RecordPart::Block);
  for (const std::string& stored : {plain(records), gzipped(records)}) {
    options.tail = 2;
    EXPECT_EQ(run_cat(mapped(stored), {}, options).given.text, "twothree");
    options.tail = 7;
    EXPECT_EQ(run_cat(mapped(stored), {}, options).given.text, "onetwothree");
  }
  options.tail = 2;
  options.limit = 1;
  EXPECT_EQ(run_cat(mapped(plain(records)), {}, options).given.text, "two");
}

TEST(CatTail, NumbersFindingsAsInTheWholeFile) {
  std::vector<RecordText> records = {response("1", "one"), response("2", "two")};
  records[1].more += "Content-Length: 4\r\n";
  CatOptions options;
  options.tail = 1;
  const Catted result = run_cat(mapped(plain(records)), {}, options);
  ASSERT_FALSE(result.given.codes.empty());
  EXPECT_THAT(result.given.ordinals, testing::Each(1U));
}

TEST(CatTail, OfAPipeIsRefused) {
  CatOptions options;
  options.tail = 1;
  EXPECT_THAT(run_cat(piped(plain({response("1", "one")})), {}, options).error,
              HasSubstr("--tail needs a file"));
}

TEST(CatTrailer, IsForRecordioOnly) {
  Given given;
  const auto there =
      cat_trailer(*open_archive(mapped(plain({response("1", "one")}))), {}, into(given));
  ASSERT_FALSE(there.has_value());
  EXPECT_EQ(there.error().code(), ErrorCode::Unsupported);
  EXPECT_THAT(there.error().message(), HasSubstr("warc has no header entries and no trailer"));
}

}  // namespace
}  // namespace fonds::ops
