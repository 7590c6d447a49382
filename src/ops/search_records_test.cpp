#include "ops/search_records.hpp"

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/cat.hpp"
#include "ops/list.hpp"
#include "ops/testing.hpp"

namespace fonds::ops {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using testing_codec::mapped;
using testing_codec::piped;
using testing_ops::Given;
using testing_ops::gzipped;
using testing_ops::into;
using testing_ops::RecordText;
using Want = SearchOptions::Want;

std::string message(std::string_view status, std::string_view body) {
  return "HTTP/1.1 " + std::string(status) + " X\r\nContent-Type: text/html\r\n\r\n" +
         std::string(body);
}

std::vector<RecordText> crawl() {
  const std::string http = "Content-Type: application/http\r\n";
  return {{.type = "warcinfo", .id = "0", .block = "a: b", .date = "2019"},
          {.type = "response",
           .id = "1",
           .uri = "http://a.org/",
           .block = message("200", "one"),
           .more = http,
           .date = "2020-01-01T00:00:00Z"},
          {.type = "response",
           .id = "2",
           .uri = "http://b.org/",
           .block = message("404", "two"),
           .more = http,
           .date = "2020-01-01T01:00:00Z"},
          {.type = "response",
           .id = "3",
           .uri = "http://b.org/x",
           .block = message("404", "three"),
           .more = http,
           .date = "2021-01-01T00:00:00Z"}};
}

class SearchRecords : public testing::Test {
 protected:
  SearchReport ask(std::string_view query, SearchOptions options = {}) {
    text_.clear();
    const SearchSink sink = {.lines = [this](std::string_view lines) -> Result<bool> {
                               text_ += lines;
                               return true;
                             },
                             .finding = [](const Finding&) {}};
    options.read = scan_.read;
    auto report =
        search_records(archive_, *query::parse(query, {.date_ranges = true}), options, scan_, sink);
    EXPECT_TRUE(report.has_value()) << report.error().message();
    if (!report) {
      return {};
    }
    unknown_ = std::move(report->unknown_names);
    return std::move(report->report);
  }

  Archive archive_ = *open_archive(mapped(gzipped(crawl())));
  ScanOptions scan_;
  std::string text_;
  std::set<std::string> unknown_;
};

TEST_F(SearchRecords, GivesWhatLsGives) {
  const SearchReport report = ask("type: response and status: 404");
  EXPECT_EQ(report.matched, 2U);
  const query::Query query = *query::parse("type: response and status: 404");
  ListOptions list_options;
  list_options.json = list_options.headers = true;
  list_options.where = &query;
  Given listed;
  ASSERT_TRUE(list(archive_, list_options, into(listed)).has_value());
  EXPECT_EQ(text_, listed.text);
  EXPECT_THAT(text_, HasSubstr("\"index\":2,"));
  EXPECT_THAT(text_, HasSubstr("\"http\":{\"status\":404,\"content_type\":\"text/html\"}"));
}

TEST_F(SearchRecords, NamesThatNoRecordHas) {
  ask("statsu: 404 or warc-type: x or http.nosuch: 1 or WARC-Foo: 1 or *.bar: 2");
  EXPECT_THAT(unknown_, ElementsAre("WARC-Foo", "statsu"));
}

TEST_F(SearchRecords, LimitAndTimes) {
  EXPECT_EQ(ask("*", {.limit = 2}).matched, 2U);
  EXPECT_EQ(ask("*", {.limit = 0}).matched, 0U);
  EXPECT_EQ(ask("*", {.since = 1577836800'000'000'000, .until = 1577840400'000'000'000}).matched,
            2U);
  const SearchReport report =
      ask("type: response", {.want = Want::CountByTime, .interval = 86400'000'000'000});
  ASSERT_EQ(report.groups.size(), 2U);
  EXPECT_EQ(report.groups[0].begin, 1577836800'000'000'000);
  EXPECT_EQ(report.groups[0].count, 2U);
}

TEST_F(SearchRecords, ValuesOfFields) {
  const auto values = [this](Want want, std::string_view field) {
    std::vector<std::string> told;
    for (const SearchGroup& group :
         ask("*", {.want = want, .field = *query::parse_path(field)}).groups) {
      told.push_back(group.value + " " + std::to_string(group.count));
    }
    return told;
  };
  EXPECT_THAT(values(Want::Unique, "host"), ElementsAre("\"a.org\" 1", "\"b.org\" 2"));
  EXPECT_THAT(values(Want::Unique, "status"), ElementsAre("200 1", "404 2"));
  EXPECT_THAT(values(Want::Max, "status"), ElementsAre("404 0"));
  EXPECT_THAT(values(Want::Min, "Content-Length"), ElementsAre("4 0"));
  EXPECT_THAT(values(Want::Min, "date"), ElementsAre("\"2019\" 0"));
  EXPECT_THAT(values(Want::Min, "host"), ElementsAre());
}

TEST_F(SearchRecords, Projection) {
  SearchOptions options;
  for (const char* const key : {"index", "http.content-type", "uri", "http.status"}) {
    options.projection.push_back(*query::parse_path(key));
  }
  ask("status: 200 or type: warcinfo", options);
  EXPECT_EQ(text_,
            "{\"index\":0}\n{\"index\":1,\"http\":{\"content-type\":\"text/html\",\"status\":200},"
            "\"uri\":\"http://a.org/\"}\n");
}

TEST_F(SearchRecords, ProjectionOfGroupsAndLists) {
  archive_ = *open_archive(
      mapped(gzipped({{.type = "response",
                       .id = "1",
                       .uri = "http://a.org/",
                       .block = "HTTP/1.1 200 OK\r\nA: 1\r\na: 2\r\n\r\n",
                       .more = "WARC-Concurrent-To: <x>\r\nWARC-Concurrent-To: <y>\r\n"}})));
  SearchOptions options;
  for (const char* const key : {"http", "http.status", "headers", "concurrent_to", "segment"}) {
    options.projection.push_back(*query::parse_path(key));
  }
  ask("*", options);
  EXPECT_THAT(text_,
              StartsWith("{\"http\":{\"status\":200,\"protocol\":\"HTTP/1.1\",\"reason\":\"OK\","
                         "\"a\":[\"1\",\"2\"]},\"headers\":{\"WARC-Type\":\"response\","));
  EXPECT_THAT(text_, HasSubstr("\"WARC-Concurrent-To\":[\"<x>\",\"<y>\"]"));
  EXPECT_THAT(text_, EndsWith("},\"concurrent_to\":[\"x\",\"y\"]}\n"));
}

TEST_F(SearchRecords, Content) {
  EXPECT_EQ(ask("payload: two").matched, 1U);
  EXPECT_EQ(ask("payload: t*").matched, 2U);
  EXPECT_EQ(ask("not payload: *o*").matched, 2U);
}

TEST_F(SearchRecords, WhatContentAskedForIsStillGiven) {
  const query::Query query = *query::parse("payload: t*");
  CatOptions cat_options;
  cat_options.where = &query;
  cat_options.part = RecordPart::Body;
  Given given;
  ASSERT_TRUE(cat(archive_, cat_options, into(given)).has_value());
  EXPECT_EQ(given.text, "twothree");
  cat_options.tail = 1;
  given = {};
  ASSERT_TRUE(cat(archive_, cat_options, into(given)).has_value());
  EXPECT_EQ(given.text, "three");
  cat_options.tail = 0;
  cat_options.limit = 1;
  given = {};
  ASSERT_TRUE(cat(archive_, cat_options, into(given)).has_value());
  EXPECT_EQ(given.text, "two");

  ListOptions list_options;
  list_options.where = &query;
  list_options.fields = {"index", "sha256"};
  Given listed;
  ASSERT_TRUE(list(archive_, list_options, into(listed)).has_value());
  list_options.where = nullptr;
  Given all;
  ASSERT_TRUE(list(archive_, list_options, into(all)).has_value());
  EXPECT_EQ(listed.text, all.text.substr(all.text.find("\n2\t") + 1));
}

TEST_F(SearchRecords, TablesDoNotDependOnWhatTheFilterRead) {
  archive_ = *open_archive(mapped(gzipped({{.type = "request",
                                            .id = "1",
                                            .uri = "http://a.org/",
                                            .block = "POST / HTTP/1.1\r\nContent-Type: a/b\r\n\r\n",
                                            .more = "Content-Type: application/http\r\n"}})));
  ListOptions options;
  Given all;
  ASSERT_TRUE(list(archive_, options, into(all)).has_value());
  const query::Query query = *query::parse("method: POST and mime: a/b");
  options.where = &query;
  Given chosen;
  ASSERT_TRUE(list(archive_, options, into(chosen)).has_value());
  EXPECT_EQ(chosen.text, all.text);
  EXPECT_THAT(all.text, HasSubstr("application/http"));
}

TEST_F(SearchRecords, ContentOfAPipeIsSearchedButNotGivenTwice) {
  const std::string stored = gzipped(crawl());
  archive_ = *open_archive(piped(stored));
  EXPECT_EQ(ask("payload: t*").matched, 2U);
  const Archive pipe = *open_archive(piped(stored));
  const query::Query query = *query::parse("payload: t*");
  CatOptions options;
  options.where = &query;
  Given given;
  const auto refused = cat(pipe, options, into(given));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), ErrorCode::Unsupported);
  const Archive other = *open_archive(piped(stored));
  ListOptions list_options;
  list_options.where = &query;
  list_options.fields = {"index"};
  Given listed;
  ASSERT_TRUE(list(other, list_options, into(listed)).has_value());
  EXPECT_EQ(listed.text, "2\n3\n");
}

TEST_F(SearchRecords, RangesAreOneSearch) {
  std::vector<RecordText> many;
  for (int i = 0; i < 300; ++i) {
    for (RecordText& record : crawl()) {
      many.push_back(std::move(record));
    }
  }
  archive_ = *open_archive(mapped(gzipped(many)));
  const auto answers = [this](unsigned threads) {
    scan_.threads = threads;
    scan_.range = 4096;
    std::string all;
    for (const char* const query : {"status: 404", "index > 500 and host: a.org", "payload: t*"}) {
      ask(query);
      all += text_;
      const SearchReport report =
          ask(query, {.want = Want::Unique, .field = *query::parse_path("uri")});
      for (const SearchGroup& group : report.groups) {
        all += group.value + std::to_string(group.count);
      }
    }
    return all;
  };
  const std::string one = answers(1);
  EXPECT_THAT(one, HasSubstr("\"index\":1199,"));
  EXPECT_EQ(answers(2), one);
  EXPECT_EQ(answers(7), one);
}

// A format that tells no fields.
class Fieldless final : public Format {
 public:
  std::string_view name() const override { return "fieldless"; }
  int probe(ByteView, bool) const override { return 0; }
  RecordProbe record_probe() const override { return {}; }
  std::span<const std::string_view> columns() const override { return {}; }
  Result<std::unique_ptr<RecordReader>> open(const Archive&, const ReadOptions&) const override {
    return fail(ErrorCode::Internal, "is not read");
  }
};

TEST(SearchRecordsOfOthers, AreRefused) {
  const Fieldless format;
  Archive archive;
  archive.source = mapped("a");
  archive.format = &format;
  const query::Query query = *query::parse("a: 1");
  const auto refused = search_records(archive, query, {}, {}, {.lines = {}, .finding = {}});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), ErrorCode::Unsupported);
  ListOptions options;
  options.where = &query;
  Given given;
  const auto listed = list(archive, options, into(given));
  ASSERT_FALSE(listed.has_value());
  EXPECT_EQ(listed.error().code(), ErrorCode::Unsupported);
}

}  // namespace
}  // namespace fonds::ops
