#include "ops/make_cdx.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/testing.hpp"
#include "ops/testing.hpp"

namespace fonds::ops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using testing_codec::mapped;
using testing_ops::Given;
using testing_ops::into;

std::vector<testing_ops::RecordText> example() {
  return {{.id = "1", .uri = "http://b.com/", .block = "one"},
          {.type = "warcinfo", .id = "2", .block = "two"},
          {.id = "3", .uri = "http://a.com/", .block = "three"}};
}

struct Ran {
  std::string text;
  CdxTotals totals;
  Given given;
};
Ran run(const std::vector<std::string>& archives, const CdxOptions& options) {
  std::vector<Archive> opened;
  for (const std::string& octets : archives) {
    opened.push_back(*open_archive(mapped(octets)));
  }
  std::vector<CdxInput> inputs;
  for (const Archive& archive : opened) {
    inputs.push_back({&archive, "f" + std::to_string(inputs.size())});
  }
  Ran result;
  auto totals = make_cdx(inputs, options, into(result.given));
  EXPECT_TRUE(totals.has_value());
  result.totals = *totals;
  result.text = result.given.text;
  return result;
}

std::vector<std::string> first_words(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    words.push_back(text.substr(at, text.find(' ', at) - at));
  }
  return words;
}

TEST(MakeCdx, LinesAreSorted) {
  const Ran result = run({testing_ops::gzipped(example())}, {});
  EXPECT_THAT(first_words(result.text), ElementsAre("com,a)/", "com,b)/"));
  EXPECT_EQ(result.totals.records, 3U);
  EXPECT_EQ(result.totals.captures, 2U);
}

TEST(MakeCdx, OrStayInFileOrder) {
  CdxOptions options;
  options.sort = false;
  options.all = true;
  EXPECT_THAT(first_words(run({testing_ops::plain(example())}, options).text),
              ElementsAre("com,b)/", "-", "com,a)/"));
}

TEST(MakeCdx, LegendComesFirst) {
  CdxOptions options;
  options.type = CdxType::Cdx11;
  EXPECT_THAT(run({testing_ops::plain(example())}, options).text,
              StartsWith(" CDX N b a m s k r M S V g\ncom,a)/ 20200101000000 http://a.com/ "));
  options.type = CdxType::Cdx9;
  options.sort = false;
  EXPECT_THAT(run({testing_ops::plain(example())}, options).text,
              StartsWith(" CDX N b a m s k r V g\ncom,b)/ "));
}

TEST(MakeCdx, SeveralArchivesMakeOneIndex) {
  const std::string one = testing_ops::plain({{.id = "1", .uri = "http://b.com/", .block = "x"}});
  const std::string two = testing_ops::plain({{.id = "1", .uri = "http://a.com/", .block = "x"}});
  const Ran result = run({one, two}, {});
  EXPECT_THAT(result.text, HasSubstr("\"filename\": \"f1\"}\ncom,b)/"));
  EXPECT_THAT(result.text, HasSubstr("\"filename\": \"f0\"}\n"));
}

TEST(MakeCdx, EqualLinesAreThereOnce) {
  const Archive archive = *open_archive(mapped(testing_ops::plain(example())));
  const std::vector<CdxInput> twice = {{&archive, "f"}, {&archive, "f"}};
  Given given;
  ASSERT_TRUE(make_cdx(twice, {}, into(given)).has_value());
  EXPECT_THAT(first_words(given.text), ElementsAre("com,a)/", "com,b)/"));
}

std::string many(std::size_t n) {
  std::vector<testing_ops::RecordText> records;
  for (std::size_t i = 0; i < n; ++i) {
    records.push_back({.id = std::to_string(i),
                       .uri = "http://a.com/" + std::to_string(i * 7919 % n),
                       .block = std::string(i % 50, 'x')});
  }
  return testing_ops::gzipped(records);
}

TEST(MakeCdx, IsTheSameForEveryNumberOfThreads) {
  const std::string archive = many(3000);
  CdxOptions options;
  options.scan.range = 4096;
  const std::string expected = run({archive}, options).text;
  options.scan.threads = 2;
  EXPECT_EQ(run({archive}, options).text, expected);
  options.scan.threads = 7;
  EXPECT_EQ(run({archive}, options).text, expected);
  options.sort = false;
  const std::string unsorted = run({archive}, options).text;
  options.scan.threads = 1;
  EXPECT_EQ(run({archive}, options).text, unsorted);
}

TEST(MakeCdx, SortsInLittleMemory) {
  const std::string archive = many(3000);
  CdxOptions options;
  options.sort_memory = 65536;
  EXPECT_EQ(run({archive}, options).text, run({archive}, {}).text);
}

TEST(MakeCdx, JoinsAcrossEverything) {
  std::string octets;
  for (int i = 0; i < 200; ++i) {
    const std::string id = "urn:" + std::to_string(i);
    const std::string http = "Content-Type: application/http\r\n";
    octets += testing_ops::gzipped({{.type = "response",
                                     .id = id,
                                     .uri = "http://a.com/",
                                     .block = "HTTP/1.1 200 OK\r\n\r\n",
                                     .more = http},
                                    {.type = "request",
                                     .id = id + "q",
                                     .uri = "http://a.com/",
                                     .block = "POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nx",
                                     .more = http + "WARC-Concurrent-To: <" + id + ">\r\n"}});
  }
  CdxOptions options;
  options.post_append = true;
  options.scan.threads = 4;
  options.scan.range = 1024;
  const Ran result = run({octets}, options);
  EXPECT_EQ(result.totals.captures, 200U);
  for (const std::string& key : first_words(result.text)) {
    EXPECT_EQ(key, "com,a)/?__wb_method=post&__wb_post_data=ea==");
  }
}

TEST(MakeCdx, GoesOnBehindDamageAndTellsOfIt) {
  std::string octets = testing_ops::gzipped({{.id = "1", .uri = "http://a.com/", .block = "one"}});
  octets += "garbage" + testing_ops::gzipped({{.id = "2", .uri = "http://b.com/", .block = "two"},
                                              {.uri = "http://c.com/", .date = "never"}});
  const Ran result = run({octets}, {});
  EXPECT_THAT(first_words(result.text), ElementsAre("com,a)/", "com,b)/"));
  EXPECT_EQ(result.totals.undated, 1U);
  EXPECT_FALSE(result.given.codes.empty());
}

TEST(MakeZipNum, HoldsTheSortedLinesInBlocks) {
  const Archive archive = *open_archive(mapped(many(100)));
  const std::vector<CdxInput> inputs = {{&archive, "f0"}};
  testing_io::TextSink blocks, secondary;
  index::ZipNumWriter writer(blocks, secondary, {.file = "index.cdx.gz", .block_lines = 30});
  ASSERT_TRUE(make_zipnum(inputs, {}, writer, [](const Finding&) {}).has_value());
  EXPECT_THAT(first_words(secondary.content),
              ElementsAre("!meta", "com,a)/0", "com,a)/36", "com,a)/63", "com,a)/90"));
}

TEST(MakeCdx, OfNothingIsEmpty) { EXPECT_THAT(run({""}, {}).text, IsEmpty()); }

TEST(MakeCdx, ErrorsOfTheOutputEndIt) {
  const Archive archive = *open_archive(mapped(testing_ops::plain(example())));
  const std::vector<CdxInput> inputs = {{&archive, "f"}};
  const Output failing = {[](std::string_view) -> Status { return fail(ErrorCode::Io, "full"); },
                          [](const Finding&) {}};
  CdxOptions options;
  EXPECT_EQ(make_cdx(inputs, options, failing).error().message(), "full");
  options.sort = false;
  EXPECT_EQ(make_cdx(inputs, options, failing).error().message(), "full");
}

}  // namespace
}  // namespace fonds::ops
