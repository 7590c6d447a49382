#include "ops/search.hpp"

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fonds/byte_source.hpp>

namespace fonds::ops {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Want = SearchOptions::Want;

// A format that answers what it was told to.
class SearchAnswers final : public Format {
 public:
  std::string_view name() const override { return "answers"; }
  int probe(ByteView, bool) const override { return 0; }
  RecordProbe record_probe() const override { return {}; }
  std::span<const std::string_view> columns() const override { return {}; }
  Result<std::unique_ptr<RecordReader>> open(const Archive&, const ReadOptions&) const override {
    return fail(ErrorCode::Unsupported, "is asked, not read");
  }
  Result<SearchReport> search(const Archive&, const query::Query&, const SearchOptions& options,
                              const SearchSink& sink) const override {
    limits.push_back(options.limit);
    for (const Finding& finding : findings) {
      sink.finding(finding);
    }
    if (!lines.empty()) {
      FONDS_TRY(const bool more, sink.lines(lines));
      static_cast<void>(more);
    }
    if (options.read.stop.stop_requested()) {
      return fail(ErrorCode::Cancelled, "stopped");
    }
    SearchReport report = std::move(reports.front());
    reports.pop_front();
    return report;
  }

  mutable std::deque<SearchReport> reports;
  mutable std::vector<std::optional<std::uint64_t>> limits;
  std::string lines;
  std::vector<Finding> findings;
};

class SearchArchives : public testing::Test {
 protected:
  Status ask(std::string name) {
    Archive archive;
    archive.source = memory_source({std::byte{1}}, std::move(name));
    archive.format = &format_;
    return search_.ask(archive, scan_);
  }

  std::string text_;
  std::vector<Finding> found_;
  SearchAnswers format_;
  ScanOptions scan_;
  SearchRequest request_;
  const Output out_ = {[this](std::string_view text) -> Status {
                         text_ += text;
                         return {};
                       },
                       [this](const Finding& finding) { found_.push_back(finding); }};
  Search search_{request_, out_};
};

TEST_F(SearchArchives, RecordsGoThrough) {
  format_.lines = "{\"a\":1}\n";
  format_.reports = {{.matched = 1}};
  ASSERT_TRUE(ask("x").has_value());
  ASSERT_TRUE(search_.finish().has_value());
  EXPECT_EQ(text_, "{\"a\":1}\n");
  EXPECT_EQ(search_.matched(), 1U);
}

TEST_F(SearchArchives, LimitHoldsOverAllArchives) {
  request_.search.limit = 5;
  format_.reports = {{.matched = 3}, {.matched = 2}};
  ASSERT_TRUE(ask("x").has_value());
  EXPECT_FALSE(search_.enough());
  ASSERT_TRUE(ask("y").has_value());
  EXPECT_TRUE(search_.enough());
  EXPECT_THAT(format_.limits, testing::ElementsAre(5, 2));
}

TEST_F(SearchArchives, CountIsANumberWithANameWhereThereAreSeveral) {
  request_.search.want = Want::Count;
  format_.reports = {{.matched = 3, .groups = {{.count = 3}}}, {.matched = 0}};
  ASSERT_TRUE(ask("x").has_value());
  EXPECT_EQ(text_, "3\n");
  request_.with_archive = true;
  ASSERT_TRUE(ask("y\x1b").has_value());
  EXPECT_EQ(text_, "3\ny\\x1b:0\n");
}

TEST_F(SearchArchives, CountAsJson) {
  request_.search.want = Want::Count;
  request_.json = true;
  format_.reports = {{.matched = 3, .groups = {{.count = 3}}}};
  ASSERT_TRUE(ask("x").has_value());
  EXPECT_EQ(text_, "{\"archive\":\"x\",\"count\":3}\n");
}

TEST_F(SearchArchives, TotalsAreGivenAtTheEnd) {
  request_.search.want = Want::Count;
  request_.total = request_.json = true;
  format_.reports = {{.matched = 3, .groups = {{.count = 3}}},
                     {.matched = 4, .groups = {{.count = 4}}}};
  ASSERT_TRUE(ask("x").has_value());
  ASSERT_TRUE(ask("y").has_value());
  EXPECT_EQ(text_, "");
  ASSERT_TRUE(search_.finish().has_value());
  EXPECT_EQ(text_, "{\"count\":7}\n");
}

TEST_F(SearchArchives, GroupsByTimeAreATable) {
  request_.search.want = Want::CountByTime;
  format_.reports = {
      {.matched = 3, .groups = {{.begin = std::nullopt, .count = 1}, {.begin = 0, .count = 2}}}};
  ASSERT_TRUE(ask("x").has_value());
  EXPECT_EQ(text_, "-\t1\n1970-01-01T00:00:00Z\t2\n");
}

TEST_F(SearchArchives, GroupsByTimeAsJsonHaveMilliseconds) {
  request_.search.want = Want::CountByTime;
  request_.json = request_.total = true;
  format_.reports = {
      {.matched = 2, .groups = {{.begin = 5'000'000'000, .count = 2}}},
      {.matched = 2,
       .groups = {{.begin = std::nullopt, .count = 1}, {.begin = 5'000'000'000, .count = 1}}}};
  ASSERT_TRUE(ask("x").has_value());
  ASSERT_TRUE(ask("y").has_value());
  ASSERT_TRUE(search_.finish().has_value());
  EXPECT_EQ(text_,
            "{\"timestamp\":5000,\"date\":\"1970-01-01T00:00:05Z\",\"count\":3}\n"
            "{\"timestamp\":null,\"date\":null,\"count\":1}\n");
}

TEST_F(SearchArchives, TotalsOfExtremesAreComparedAsNumbers) {
  request_.search.want = Want::Max;
  request_.total = true;
  format_.reports = {{.matched = 1, .groups = {{.value = "9"}}},
                     {.matched = 0},
                     {.matched = 1, .groups = {{.value = "10.5"}}},
                     {.matched = 1, .groups = {{.value = "-1e9"}}}};
  for (const char* name : {"a", "b", "c", "d"}) {
    ASSERT_TRUE(ask(name).has_value());
  }
  ASSERT_TRUE(search_.finish().has_value());
  EXPECT_EQ(text_, "10.5\n");
}

TEST_F(SearchArchives, WithoutAnExtremeNothingIsSaid) {
  request_.search.want = Want::Min;
  request_.total = true;
  format_.reports = {{.matched = 1}};
  ASSERT_TRUE(ask("x").has_value());
  ASSERT_TRUE(search_.finish().has_value());
  EXPECT_EQ(text_, "");
}

TEST_F(SearchArchives, UniqueValuesOfAllArchivesAreJoined) {
  request_.search.want = Want::Unique;
  request_.field = "a.b";
  request_.json = request_.total = true;
  format_.reports = {
      {.matched = 2, .groups = {{.count = 2, .value = "\"x\""}}},
      {.matched = 2, .groups = {{.count = 1, .value = "1"}, {.count = 1, .value = "\"x\""}}}};
  ASSERT_TRUE(ask("x").has_value());
  ASSERT_TRUE(ask("y").has_value());
  ASSERT_TRUE(search_.finish().has_value());
  EXPECT_EQ(text_,
            "{\"field\":\"a.b\",\"value\":\"x\",\"count\":3}\n"
            "{\"field\":\"a.b\",\"value\":1,\"count\":1}\n");
}

TEST_F(SearchArchives, UniqueValuesThatDoNotFitAreAnErrorNotALoss) {
  request_.search.want = Want::Unique;
  request_.total = true;
  scan_.read.memory_budget = 8000;
  SearchReport report;
  for (int i = 0; i < 100; ++i) {
    report.groups.push_back({.count = 1, .value = std::to_string(i)});
  }
  format_.reports = {std::move(report)};
  const Status status = ask("x");
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), ErrorCode::LimitExceeded);
}

TEST_F(SearchArchives, NamesOfArchivesWithMatches) {
  request_.search.want = Want::Any;
  format_.reports = {{.matched = 1}, {.matched = 0}, {.matched = 1}};
  for (const char* name : {"a", "b", "c"}) {
    ASSERT_TRUE(ask(name).has_value());
  }
  EXPECT_EQ(text_, "a\nc\n");
}

TEST_F(SearchArchives, InAnEmptyFileNothingMatches) {
  Archive archive;
  archive.source = memory_source({}, "x");
  archive.format = &format_;
  ASSERT_TRUE(search_.ask(archive, scan_).has_value());
  EXPECT_EQ(search_.matched(), 0U);
  EXPECT_THAT(format_.limits, IsEmpty());
}

TEST_F(SearchArchives, StrictStopsAtTheFirstFindingAndIsNoError) {
  request_.strict = true;
  format_.lines = "{}\n";
  format_.findings = {make_finding("clps-table", "", {})};
  ASSERT_TRUE(ask("x").has_value());
  EXPECT_TRUE(search_.enough());
  EXPECT_THAT(found_, SizeIs(1));
}

TEST_F(SearchArchives, FormatsWithoutSearchSaySo) {
  class Silent final : public Format {
   public:
    std::string_view name() const override { return "silent"; }
    int probe(ByteView, bool) const override { return 0; }
    RecordProbe record_probe() const override { return {}; }
    std::span<const std::string_view> columns() const override { return {}; }
    Result<std::unique_ptr<RecordReader>> open(const Archive&, const ReadOptions&) const override {
      return fail(ErrorCode::Unsupported, "");
    }
  } silent;
  Archive archive;
  archive.source = memory_source({std::byte{1}}, "x");
  archive.format = &silent;
  const Status status = search_.ask(archive, {});
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), ErrorCode::Unsupported);
  EXPECT_THAT(status.error().to_string(), HasSubstr("x: silent archives are not searched"));
}

}  // namespace
}  // namespace fonds::ops
