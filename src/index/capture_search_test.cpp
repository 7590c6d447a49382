#include "index/capture_search.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <fonds/format.hpp>

#include "index/zipnum_writer.hpp"
#include "io/file_sink.hpp"
#include "io/temporary_directory.hpp"
#include "io/testing.hpp"

namespace fonds::index {
namespace {

using Lines = std::vector<std::string>;

std::shared_ptr<ByteSource> source_of(std::string_view text, std::string name = "index") {
  const ByteView bytes = as_bytes(text);
  return memory_source({bytes.begin(), bytes.end()}, std::move(name));
}

std::string cdxj_of(const std::string& key, const std::string& timestamp) {
  return key + " " + timestamp + " {\"url\": \"http://x/\", \"offset\": \"1\"}\n";
}

struct Answer {
  Lines captures;  // "key timestamp", with "#file" if that is not the first one
  Lines findings;  // "code: place: message"
  friend bool operator==(const Answer&, const Answer&) = default;
};
std::string text_of(const FoundCapture& found) {
  return found.capture.key + " " + found.capture.timestamp +
         (found.file == 0 ? "" : "#" + std::to_string(found.file));
}
std::string text_of(const Finding& finding) {
  return std::string(finding.code) + ": " + describe(finding.where) + finding.message;
}

Answer ask(const CaptureSearch& search, const CaptureQuery& query) {
  Answer answer;
  const Status status = search.find(
      query,
      [&](const FoundCapture& found) -> Result<bool> {
        answer.captures.push_back(text_of(found));
        return true;
      },
      [&](const Finding& finding) { answer.findings.push_back(text_of(finding)); });
  EXPECT_TRUE(status.has_value()) << status.error().to_string();
  return answer;
}

CaptureSearch search_in(const Lines& texts) {
  CaptureSearch search;
  for (const std::string& text : texts) {
    const Status status = search.add(source_of(text));
    EXPECT_TRUE(status.has_value()) << status.error().to_string();
  }
  return search;
}

const std::string kSites =
    cdxj_of("com,exampla)/", "20200101000000") + cdxj_of("com,example)/", "20190101000000") +
    cdxj_of("com,example)/", "20200101000000") + cdxj_of("com,example)/", "20210101000000123") +
    cdxj_of("com,example)/a", "20200101000000") + cdxj_of("com,example)/a/b", "20200101000000") +
    cdxj_of("com,example)/b?x=1", "20200101000000") +
    cdxj_of("com,example,www2)/", "20200101000000") + cdxj_of("com,example-b)/", "20200101000000") +
    cdxj_of("org,example)/", "20200101000000");

struct Question {
  std::string name;
  CaptureQuery query;
  Lines expected;
};
const std::string kThree1 = "com,example)/ 20190101000000";
const std::string kThree2 = "com,example)/ 20200101000000";
const std::string kThree3 = "com,example)/ 20210101000000123";
const std::string kA = "com,example)/a 20200101000000";
const std::string kAb = "com,example)/a/b 20200101000000";
const std::string kB = "com,example)/b?x=1 20200101000000";
const std::string kSub = "com,example,www2)/ 20200101000000";
const std::vector<Question> kQuestions = {
    {"Exact", {.url = "http://www.example.com"}, {kThree1, kThree2, kThree3}},
    {"ExactKey", {.url = "com,example)/", .is_key = true}, {kThree1, kThree2, kThree3}},
    {"ExactOfNone", {.url = "http://example.com/none"}, {}},
    {"ExactIsNoPrefix", {.url = "http://example.com/a"}, {kA}},
    {"Prefix", {.url = "http://example.com/a", .match = KeyMatch::Prefix}, {kA, kAb}},
    {"PrefixWithSlash", {.url = "http://example.com/a/", .match = KeyMatch::Prefix}, {kAb}},
    {"PrefixOfKey",
     {.url = "com,example)/a", .is_key = true, .match = KeyMatch::Prefix},
     {kA, kAb}},
    {"PrefixOfEmptyKeyIsAll",
     {.url = "", .is_key = true, .match = KeyMatch::Prefix, .limit = 1},
     {"com,exampla)/ 20200101000000"}},
    {"PrefixOfHighOctets", {.url = "\xff", .is_key = true, .match = KeyMatch::Prefix}, {}},
    {"Host",
     {.url = "http://example.com/some", .match = KeyMatch::Host},
     {kThree1, kThree2, kThree3, kA, kAb, kB}},
    {"HostOfKey",
     {.url = "com,example)/some", .is_key = true, .match = KeyMatch::Host},
     {kThree1, kThree2, kThree3, kA, kAb, kB}},
    {"Domain",
     {.url = "http://example.com/", .match = KeyMatch::Domain},
     {kThree1, kThree2, kThree3, kA, kAb, kB, kSub}},
    {"DomainOfKey",
     {.url = "com,example", .is_key = true, .match = KeyMatch::Domain},
     {kThree1, kThree2, kThree3, kA, kAb, kB, kSub}},
    {"TopLevelDomain",
     {.url = "org", .is_key = true, .match = KeyMatch::Domain},
     {"org,example)/ 20200101000000"}},
    {"FromYear", {.url = "http://example.com/", .from = "2020"}, {kThree2, kThree3}},
    {"ToYearTakesAllOfIt",
     {.url = "http://example.com/", .to = "2021"},
     {kThree1, kThree2, kThree3}},
    {"ToSecondTakesItsMilliseconds",
     {.url = "http://example.com/", .to = "20210101000000"},
     {kThree1, kThree2, kThree3}},
    {"ToMillisecond",
     {.url = "http://example.com/", .to = "20210101000000122"},
     {kThree1, kThree2}},
    {"FromMillisecondBehindASecond",
     {.url = "http://example.com/", .from = "20200101000000001"},
     {kThree3}},
    {"FromAndTo", {.url = "http://example.com/", .from = "202001", .to = "202001"}, {kThree2}},
    {"FromBehindTo", {.url = "http://example.com/", .from = "2021", .to = "2020"}, {}},
    {"Limit", {.url = "http://example.com/", .limit = 2}, {kThree1, kThree2}},
};
class CaptureQueries : public testing::TestWithParam<Question> {};
INSTANTIATE_TEST_SUITE_P(Questions, CaptureQueries, testing::ValuesIn(kQuestions),
                         [](const auto& question) { return question.param.name; });

TEST_P(CaptureQueries, FindInCdxj) {
  EXPECT_EQ(ask(search_in({kSites}), GetParam().query), (Answer{GetParam().expected, {}}));
}

TEST_P(CaptureQueries, FindInZipNum) {
  const testing_io::TemporaryDirectory directory;
  auto blocks = FileSink::create(directory.path("index.cdx.gz"), false);
  auto secondary = FileSink::create(directory.path("index.idx"), false);
  ASSERT_TRUE(blocks && secondary);
  ZipNumWriter writer(*blocks, *secondary, {.file = "index.cdx.gz", .block_lines = 2});
  for (std::string_view rest = kSites; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1)) {
    ASSERT_TRUE(writer.add(rest.substr(0, rest.find('\n'))).has_value());
  }
  ASSERT_TRUE(writer.finish() && blocks->commit(false) && secondary->commit(false));
  for (const char* const given : {"index.idx", "index.cdx.gz"}) {
    CaptureSearch search;
    auto source = open_source(directory.path(given));
    ASSERT_TRUE(source.has_value());
    ASSERT_TRUE(search.add(std::move(*source)).has_value());
    EXPECT_EQ(ask(search, GetParam().query), (Answer{GetParam().expected, {}}));
  }
}

TEST_P(CaptureQueries, FindInAnyOrderOfLinesAndSayIt) {
  Lines lines;
  for (std::string_view rest = kSites; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1)) {
    lines.emplace_back(rest.substr(0, rest.find('\n') + 1));
  }
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(lines.begin(), lines.end(), random);
    std::string text;
    for (const std::string& line : lines) {
      text += line;
    }
    CaptureQuery query = GetParam().query;
    query.limit = 0;
    Answer answer = ask(search_in({text}), query);
    // What was noticed, nothing is missing of.
    if (!answer.findings.empty() && GetParam().query.limit == 0) {
      std::sort(answer.captures.begin(), answer.captures.end());
      Lines expected = GetParam().expected;
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(answer.captures, expected) << text;
    }
  }
}

TEST(CaptureSearch, SeveralFilesAreMergedByKeyTimeAndFile) {
  const CaptureSearch search =
      search_in({cdxj_of("a)/", "20200101000000") + cdxj_of("b)/", "20200101000000"),
                 " CDX N b a m s k r M S V g\n"
                 "a)/ 20190101000000 http://a/ - - - - - 1 2 f\n"
                 "a)/ 20200101000000 http://a/ - - - - - 1 2 f\n"});
  EXPECT_EQ(ask(search, {.url = "", .is_key = true, .match = KeyMatch::Prefix}).captures,
            (Lines{"a)/ 20190101000000#1", "a)/ 20200101000000", "a)/ 20200101000000#1",
                   "b)/ 20200101000000"}));
}

TEST(CaptureSearch, OutputEndsTheSearch) {
  int given = 0;
  const Status status = search_in({kSites}).find({.url = "http://example.com/"},
                                                 [&](const FoundCapture&) -> Result<bool> {
                                                   ++given;
                                                   return false;
                                                 },
                                                 {});
  EXPECT_TRUE(status.has_value());
  EXPECT_EQ(given, 1);
}

TEST(CaptureSearch, BadLinesAreReportedAndPassedOver) {
  const CaptureSearch search =
      search_in({cdxj_of("a)/", "20200101000000") + "a)/ 20200102000000 {\"url\": \"http\n" +
                 "a)/ 20200103000000 nothing\n" + cdxj_of("a)/", "20200104000000")});
  const Answer answer = ask(search, {.url = "http://a/"});
  EXPECT_EQ(answer.captures, (Lines{"a)/ 20200101000000", "a)/ 20200104000000"}));
  ASSERT_EQ(answer.findings.size(), 2U);
  EXPECT_TRUE(answer.findings[0].starts_with("cdx-line: index: offset 55: ")) << answer.findings[0];
  EXPECT_TRUE(answer.findings[1].starts_with("cdx-line: index: offset 88: ")) << answer.findings[1];
}

TEST(CaptureSearch, LinesOutOfOrderAreFoundByLookingAtAll) {
  const std::string first = cdxj_of("a)/", "20200101000000");
  const CaptureSearch search =
      search_in({first + cdxj_of("c)/", "20200101000000") + cdxj_of("b)/", "20200101000000") +
                 cdxj_of("a)/", "20200102000000")});
  const Answer answer = ask(search, {.url = "http://a/"});
  EXPECT_EQ(answer.captures, (Lines{"a)/ 20200101000000", "a)/ 20200102000000"}));
  ASSERT_EQ(answer.findings.size(), 1U);
  EXPECT_TRUE(answer.findings[0].starts_with("cdx-order: index: ")) << answer.findings[0];
}

TEST(CaptureSearch, DisorderNoticedOnTheWayGivesNothingTwice) {
  // The search by halves for a prefix sees only the first half, where all is well.
  std::string text;
  for (const char* const key : {"a)/1", "a)/2", "a)/3", "a)/4", "a)/6", "a)/5", "a)/0", "a)/7"}) {
    text += cdxj_of(key, "20200101000000");
  }
  const CaptureSearch search = search_in({text});
  Answer answer = ask(search, {.url = "a)/", .is_key = true, .match = KeyMatch::Prefix});
  EXPECT_EQ(answer.findings.size(), 1U);
  std::sort(answer.captures.begin(), answer.captures.end());
  EXPECT_EQ(answer.captures.size(), 8U);
  EXPECT_EQ(std::unique(answer.captures.begin(), answer.captures.end()), answer.captures.end());
}

TEST(CaptureSearch, OldColumnsWithoutKeyAreSearchedByUrl) {
  const CaptureSearch search =
      search_in({" CDX A b e a m s c k r V v D d g M n\n"
                 "example.com:80/ 20000101000000 1.2.3.4 http://www.example.com:80/ text/html 200 "
                 "- - - 1 2 3 "
                 "4 f - 5\n"});
  EXPECT_EQ(ask(search, {.url = "http://example.com/"}),
            (Answer{{"com,example)/ 20000101000000"}, {}}));
}

struct Refused {
  std::string name, text, expected;
};
class RefusedIndex : public testing::TestWithParam<Refused> {};
const std::vector<Refused> kRefused = {
    {"Text", "once upon a time\n", "index: is no CDX, CDXJ or ZipNum"},
    {"Empty", "", "index: is no CDX, CDXJ or ZipNum"},
    {"Gzip", "\x1f\x8b\x08 and so on",
     "index: is compressed and has no .idx beside it; gzip -d makes an index that can be searched"},
};
INSTANTIATE_TEST_SUITE_P(Files, RefusedIndex, testing::ValuesIn(kRefused),
                         [](const auto& file) { return file.param.name; });

TEST_P(RefusedIndex, IsNoIndex) {
  CaptureSearch search;
  const Status status = search.add(source_of(GetParam().text));
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), ErrorCode::Unsupported);
  EXPECT_EQ(status.error().to_string(), GetParam().expected);
}

TEST(CaptureSearch, PipeIsRefused) {
  CaptureSearch search;
  const Status status =
      search.add(std::make_shared<testing_io::Pipe>(std::vector<std::byte>(10), 1));
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), ErrorCode::Unsupported);
}

TEST(CaptureSearch, TimeThatIsNoDigitsIsRefused) {
  const Status status =
      search_in({kSites}).find({.url = "u", .from = "2020-01"},
                               [](const FoundCapture&) -> Result<bool> { return true; }, {});
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), ErrorCode::BadArgument);
}

TEST(CaptureSearch, AnyOctetsAreSearchedToAnEnd) {
  std::mt19937 random(9);
  for (int round = 0; round < 300; ++round) {
    std::string text = kSites;
    for (int i = 0; i < 20; ++i) {
      text[random() % text.size()] = "\n \r{}\",)!\0C\xff"[random() % 12];
    }
    CaptureSearch search;
    if (search.add(source_of(text))) {
      ask(search, {.url = "http://example.com/", .match = KeyMatch::Domain});
    }
  }
}

Lines closest_to(const CaptureSearch& search, const char* time, std::size_t limit) {
  const auto captures =
      search.closest("http://a/", *parse_user_date(time), limit, [](const Finding&) {});
  EXPECT_TRUE(captures.has_value());
  Lines timestamps;
  for (const FoundCapture& found : *captures) {
    timestamps.push_back(found.capture.timestamp);
  }
  return timestamps;
}

TEST(Closest, IsOrderedByDistanceTheEarlierFirst) {
  const CaptureSearch search =
      search_in({cdxj_of("a)/", "20200101000000") + cdxj_of("a)/", "20200103000000") +
                     cdxj_of("a)/", "20200109000000") + cdxj_of("a)/x", "20200102000000"),
                 cdxj_of("a)/", "20200102000000001") + cdxj_of("a)/", "20209999000000")});
  EXPECT_EQ(closest_to(search, "20200102", 0),
            (Lines{"20200102000000001", "20200101000000", "20200103000000", "20200109000000",
                   "20209999000000"}));
  EXPECT_EQ(closest_to(search, "2030", 1), Lines{"20200109000000"});
  EXPECT_EQ(closest_to(search, "1990", 2), (Lines{"20200101000000", "20200102000000001"}));
}

TEST(Closest, OfNoneIsNone) { EXPECT_EQ(closest_to(search_in({kSites}), "2020", 0), Lines()); }

// A record of a WARC with this URL and date.
bool leads(const Capture& capture, const std::string& url, const std::string& date) {
  const std::string text = "WARC/1.1\r\nWARC-Type: resource\r\n" +
                           (url.empty() ? "" : "WARC-Target-URI: " + url + "\r\n") +
                           "WARC-Date: " + date +
                           "\r\nWARC-Record-ID: <urn:uuid:1>\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
  auto archive = open_archive(source_of(text));
  EXPECT_TRUE(archive.has_value());
  auto reader = archive->format->open(*archive, {});
  EXPECT_TRUE(reader.has_value());
  const auto record = (*reader)->next();
  EXPECT_TRUE(record.has_value() && *record != nullptr);
  return leads_to(capture, **record);
}
struct Lead {
  std::string name, key, timestamp, url;  // of the capture
  std::string record_url, record_date;
  bool expected;
};
class LeadsTo : public testing::TestWithParam<Lead> {};
const std::string kUrl = "http://example.com/A?b=1";
const std::string kKey = "com,example)/a?b=1";
const std::string kDate = "2020-01-02T03:04:05Z";
const std::vector<Lead> kLeads = {
    {"SameOctets", kKey, "20200102030405", kUrl, kUrl, kDate, true},
    {"SameKeyOfAnotherUrl", kKey, "20200102030405", "https://www.example.com/a?b=1", kUrl, kDate,
     true},
    {"OtherUrl", kKey, "20200102030405", "http://example.com/", kUrl, kDate, false},
    {"OtherTime", kKey, "20200102030406", kUrl, kUrl, kDate, false},
    {"KeyAlone", kKey, "20200102030405", "", kUrl, kDate, true},
    {"OtherKeyAlone", "com,example)/", "20200102030405", "", kUrl, kDate, false},
    {"NoUrlAtAll", "-", "20200102030405", "", "", kDate, true},
    {"RecordWithoutUrl", kKey, "20200102030405", kUrl, "", kDate, false},
    {"KeyOfAPostRequest", kKey + "&__wb_method=post", "20200102030405", kUrl, kUrl, kDate, true},
    {"Brackets", kKey, "20200102030405", "<" + kUrl + ">", "<" + kUrl + ">", kDate, true},
    {"BlankInTheUrl", "com,example)/a%20b", "20200102030405", "http://example.com/a b",
     "http://example.com/a b", kDate, true},
    {"Milliseconds", kKey, "20200102030405678", kUrl, kUrl, "2020-01-02T03:04:05.678Z", true},
    {"OtherMilliseconds", kKey, "20200102030405678", kUrl, kUrl, "2020-01-02T03:04:05.679Z", false},
    {"SecondsOfMilliseconds", kKey, "20200102030405", kUrl, kUrl, "2020-01-02T03:04:05.678Z", true},
    {"DayOfTheYear", kKey, "20090365084319", kUrl, kUrl, "2009-03-65T08:43:19-0800", true},
    {"NoDate", kKey, "20200102030405", kUrl, kUrl, "yesterday", false},
};
INSTANTIATE_TEST_SUITE_P(Leads, LeadsTo, testing::ValuesIn(kLeads),
                         [](const auto& lead) { return lead.param.name; });

TEST_P(LeadsTo, TheRecordThatItTellsOf) {
  Capture capture;
  capture.key = GetParam().key;
  capture.timestamp = GetParam().timestamp;
  capture.url = GetParam().url;
  EXPECT_EQ(leads(capture, GetParam().record_url, GetParam().record_date), GetParam().expected);
}

}  // namespace
}  // namespace fonds::index
