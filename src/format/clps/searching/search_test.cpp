#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fonds/formats/clps.hpp>

#include "format/clps/searching/search_testing.hpp"
#include "test_paths.hpp"

namespace fonds::clps {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace testing_archive;  // NOLINT(google-build-using-namespace)
using Want = SearchOptions::Want;

constexpr std::uint64_t kSecond = 1'000'000'000;

std::string fixture(const std::string& name) {
  std::ifstream file(FONDS_TEST_DATA "/clp-s/" + name, std::ios::binary);
  return {(std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>()};
}

std::string time_packet(NodeId node, std::int64_t begin_ms, std::int64_t end_ms) {
  const std::string pattern = R"("\Y-\m-\dT\H:\M:\SZ")";
  return word(1) + word(1) + "t" + word(1) + word(static_cast<std::uint64_t>(node), 4) + word(1) +
         word(static_cast<std::uint64_t>(begin_ms)) + word(static_cast<std::uint64_t>(end_ms)) +
         word(2) + word(0) + word(pattern.size()) + pattern + word(1) + word(2) + "\\E";
}

// Four records with a time at t, two of them numbers, in one table; two without in another; from
// two files. Records 0 and 3 have level E. Keys: 3 t, 4 level, 5 n, 6 msg.
struct TimedArchive : MadeArchive {
  TimedArchive() {
    nodes = usual_roots();
    nodes.push_back({2, NodeType::Timestamp, "t"});
    nodes.push_back({2, NodeType::VarString, "level"});
    nodes.push_back({2, NodeType::Integer, "n"});
    nodes.push_back({2, NodeType::ClpString, "msg"});
    schemas = {{{1, 3, 4}, {}}, {{1, 5, 6}, {}}};
    variables = {"E", "I", "id7"};
    log_types = {"took \x11 ms", "user \x12 left"};
    tables = {
        {0, 4,
         differences({0, 2, 3, 5}) +
             differences({10 * kSecond, 20 * kSecond, 70 * kSecond, 130 * kSecond}) +
             words({0, 1, 0, 1}) + words({0, 1, 1, 0}),
         0},
        {1, 2, differences({1, 4}) + words({7, 9}) + words({0, 1 | 1 << 24}) + words({2, 15, 2}),
         1}};
    times = time_packet(3, 10000, 130000);
    inputs = {{{"s", 0}, {"e", 3}, {"f", {{"_filename", "a.log"}, {"_file_split_number", 0}}}},
              {{"s", 3}, {"e", 6}, {"f", {{"_filename", "b.log"}, {"_file_split_number", 0}}}}};
  }
};

const std::string kRecord0 = "{\"t\":\"1970-01-01T00:00:10Z\",\"level\":\"E\"}\n";
const std::string kRecord1 = "{\"n\":7,\"msg\":\"took 15 ms\"}\n";
const std::string kRecord2 = "{\"t\":20,\"level\":\"I\"}\n";
const std::string kRecord3 = "{\"t\":\"1970-01-01T00:01:10Z\",\"level\":\"I\"}\n";
const std::string kRecord4 = "{\"n\":9,\"msg\":\"user id7 left\"}\n";
const std::string kRecord5 = "{\"t\":130,\"level\":\"E\"}\n";

class ClpsSearch : public testing::Test {
 protected:
  std::string found(std::string_view query, const SearchOptions& options = {}) {
    const Searched searched = search_in(made_.build(), query, options);
    EXPECT_EQ(searched.error, "");
    EXPECT_THAT(searched.findings, IsEmpty());
    return searched.text;
  }
  std::vector<std::tuple<std::optional<std::int64_t>, std::uint64_t, std::string>> groups(
      std::string_view query, SearchOptions options) {
    const Searched searched = search_in(made_.build(), query, options);
    EXPECT_EQ(searched.error, "");
    std::vector<std::tuple<std::optional<std::int64_t>, std::uint64_t, std::string>> all;
    for (const SearchGroup& group : searched.report.groups) {
      all.emplace_back(group.begin, group.count, group.value);
    }
    return all;
  }
  static SearchOptions wanting(Want want, std::string_view field = "x") {
    SearchOptions options;
    options.want = want;
    options.field = *query::parse_path(field);
    return options;
  }

  TimedArchive made_;
};

TEST_F(ClpsSearch, RecordsComeInLogOrderUnlessAskedOtherwise) {
  EXPECT_EQ(found("*"), kRecord0 + kRecord1 + kRecord2 + kRecord3 + kRecord4 + kRecord5);
  EXPECT_EQ(found("*", {.table_order = true}),
            kRecord0 + kRecord2 + kRecord3 + kRecord5 + kRecord1 + kRecord4);
}

TEST_F(ClpsSearch, StringsAreFoundWholeAndByPattern) {
  EXPECT_EQ(found("level: E"), kRecord0 + kRecord5);
  EXPECT_EQ(found("msg: \"took 1? ms\""), kRecord1);
  EXPECT_EQ(found("msg: \"*id7*\""), kRecord4);
  EXPECT_EQ(found("msg: *took*"), kRecord1);
  EXPECT_EQ(found("not level: *"), kRecord1 + kRecord4);
}

TEST_F(ClpsSearch, NumbersAreCompared) {
  EXPECT_EQ(found("n > 7"), kRecord4);
  EXPECT_EQ(found("n >= 7 and n < 9.5"), kRecord1 + kRecord4);
  EXPECT_EQ(found("7"), kRecord1);
}

TEST_F(ClpsSearch, TheLimitCutsInTheOrderThatIsAsked) {
  EXPECT_EQ(found("*", {.limit = 2}), kRecord0 + kRecord1);
  EXPECT_EQ(found("*", {.table_order = true, .limit = 3}), kRecord0 + kRecord2 + kRecord3);
  EXPECT_EQ(found("level: * or n: 7", {.table_order = true, .limit = 5}),
            kRecord0 + kRecord2 + kRecord3 + kRecord5 + kRecord1);
  EXPECT_EQ(found("*", {.limit = 0}), "");
  EXPECT_EQ(search_in(made_.build(), "*", {.limit = 2}).report.matched, 2U);
}

TEST_F(ClpsSearch, ASinkThatHasEnoughEndsTheSearch) {
  const std::string bytes = made_.build();
  const auto archive = *Archive::open(as_source(bytes));
  int calls = 0;
  const SearchSink sink{.lines = [&calls](std::string_view) -> Result<bool> {
                          ++calls;
                          return false;
                        },
                        .finding = {}};
  EXPECT_TRUE(search(archive, *query::parse("*"), {}, sink));
  EXPECT_EQ(calls, 1);
}

TEST_F(ClpsSearch, ErrorsOfTheSinkAreGivenBack) {
  const std::string bytes = made_.build();
  const auto archive = *Archive::open(as_source(bytes));
  const SearchSink sink{.lines = [](std::string_view) -> Result<bool> {
                          return fail(ErrorCode::Io, "the disk is full");
                        },
                        .finding = {}};
  EXPECT_EQ(search(archive, *query::parse("*"), {}, sink).error().code(), ErrorCode::Io);
}

TEST_F(ClpsSearch, TimesMatchByInstantAndAsTheTextThatTheyWere) {
  EXPECT_EQ(found("t: timestamp(\"1970-01-01T00:00:20Z\")"), kRecord2);
  EXPECT_EQ(found("t > timestamp(\"1970-01-01T00:00:20Z\")"), kRecord3 + kRecord5);
  EXPECT_EQ(found("t: 20"), kRecord2);
  EXPECT_EQ(found("t < 70000000000000000"), kRecord0 + kRecord2 + kRecord3 + kRecord5);
  EXPECT_EQ(found("t: \"1970-01-01T00:00*\""), kRecord0);
  EXPECT_EQ(found("t: \"2*\""), "");
  EXPECT_EQ(found("*: \"*01:10Z\""), kRecord3);
}

TEST_F(ClpsSearch, SinceAndUntilLeaveOutRecordsWithoutATime) {
  const auto at = [](std::uint64_t seconds) {
    return static_cast<std::int64_t>(seconds * kSecond);
  };
  EXPECT_EQ(found("*", {.since = at(20)}), kRecord2 + kRecord3 + kRecord5);
  EXPECT_EQ(found("*", {.until = at(20)}), kRecord0 + kRecord2);
  EXPECT_EQ(found("level: I", {.since = at(20), .until = at(20)}), kRecord2);
  EXPECT_EQ(found("*", {.since = at(131)}), "");
}

TEST_F(ClpsSearch, SinceNeedsATimestampColumnAndANonEmptyInterval) {
  EXPECT_EQ(search_in(made_.build(), "*", {.since = 2, .until = 1}).code, ErrorCode::BadArgument);
  made_.times = std::string(16, '\0');
  EXPECT_EQ(search_in(made_.build(), "*", {.since = 1}).code, ErrorCode::BadArgument);
  auto by_time = wanting(Want::CountByTime);
  by_time.interval = 1;
  EXPECT_EQ(search_in(made_.build(), "*", by_time).code, ErrorCode::BadArgument);
}

TEST_F(ClpsSearch, ATimeOutsideOfTheRangeReadsNoTable) {
  made_.tables[0].columns.resize(3);  // reading it would be told
  EXPECT_EQ(found("t > timestamp(\"1970-01-01T00:02:11Z\")"), "");
  EXPECT_EQ(found("t < timestamp(\"1970-01-01T00:00:09Z\")"), "");
  EXPECT_THAT(search_in(made_.build(), "t < timestamp(\"1970-01-01T00:00:11Z\")").findings,
              testing::SizeIs(1));
}

TEST_F(ClpsSearch, ATextAtATimeIsNoReasonToPass) {
  EXPECT_EQ(found("t: \"1970-01-01T00:01:10Z\""), kRecord3);
}

TEST_F(ClpsSearch, ArchivePropertiesAreThoseOfTheInput) {
  EXPECT_EQ(found("$_filename: \"a.log\""), kRecord0 + kRecord1 + kRecord2);
  EXPECT_EQ(found("not $_filename: \"a.log\" and level: *"), kRecord3 + kRecord5);
  EXPECT_EQ(found("$_filename: *.log and n: *"), kRecord1 + kRecord4);
  EXPECT_EQ(found("$_file_split_number > 0"), "");
  EXPECT_EQ(found("$nosuch: * or n: 7"), kRecord1);
}

TEST_F(ClpsSearch, WithoutALogOrderAPropertyThatInputsShareHoldsForAll) {
  made_.nodes[1].key = "other";
  EXPECT_EQ(found("$_file_split_number: 0 and n: 7"), kRecord1);
}

TEST_F(ClpsSearch, ProjectionShowsMembersWithWhatEnclosesThem) {
  SearchOptions options;
  options.projection = {*query::parse_path("n"), *query::parse_path("level")};
  EXPECT_EQ(found("n: 7 or level: E", options),
            "{\"level\":\"E\"}\n{\"n\":7}\n{\"level\":\"E\"}\n");
  options.projection = {*query::parse_path("nosuch")};
  EXPECT_EQ(found("n: 7", options), "{}\n");
  options.projection = {*query::parse_path("n"), *query::parse_path("n")};
  EXPECT_EQ(search_in(made_.build(), "n: 7", options).code, ErrorCode::BadArgument);
  options.projection = {*query::parse_path("a.*")};
  EXPECT_EQ(search_in(made_.build(), "n: 7", options).code, ErrorCode::BadArgument);
}

TEST_F(ClpsSearch, CountsNeedNoRecords) {
  const Searched counted = search_in(made_.build(), "level: E or n: *", wanting(Want::Count));
  EXPECT_EQ(counted.report.matched, 4U);
  EXPECT_EQ(counted.text, "");
  EXPECT_EQ(search_in(made_.build(), "nosuch: 1", wanting(Want::Any)).report.matched, 0U);
  EXPECT_GT(search_in(made_.build(), "level: E", wanting(Want::Any)).report.matched, 0U);
  EXPECT_GT(search_in(made_.build(), "*", wanting(Want::Any)).report.matched, 0U);
}

TEST_F(ClpsSearch, CountsByTimeBeginIntervalsAndTellOfRecordsWithoutATime) {
  auto options = wanting(Want::CountByTime);
  options.interval = 60 * static_cast<std::int64_t>(kSecond);
  const auto minute = options.interval;
  EXPECT_THAT(groups("*", options),
              ElementsAre(std::tuple(0, 2U, ""), std::tuple(minute, 1U, ""),
                          std::tuple(2 * minute, 1U, ""), std::tuple(std::nullopt, 2U, "")));
  EXPECT_THAT(groups("level: I", options),
              ElementsAre(std::tuple(0, 1U, ""), std::tuple(minute, 1U, "")));
  options.interval = 0;
  EXPECT_EQ(search_in(made_.build(), "*", options).code, ErrorCode::BadArgument);
}

TEST_F(ClpsSearch, LeastAndGreatestAreNumbersAsTheyStandInRecords) {
  EXPECT_THAT(groups("*", wanting(Want::Min, "n")), ElementsAre(std::tuple(std::nullopt, 0U, "7")));
  EXPECT_THAT(groups("*", wanting(Want::Max, "n")), ElementsAre(std::tuple(std::nullopt, 0U, "9")));
  EXPECT_THAT(groups("n: 7", wanting(Want::Max, "n")),
              ElementsAre(std::tuple(std::nullopt, 0U, "7")));
  EXPECT_THAT(groups("*", wanting(Want::Max, "t")),
              ElementsAre(std::tuple(std::nullopt, 0U, "130")));
  EXPECT_THAT(groups("*", wanting(Want::Max, "level")), IsEmpty());
}

TEST_F(ClpsSearch, DifferentValuesAreCountedOnceARecord) {
  EXPECT_THAT(
      groups("*", wanting(Want::Unique, "level")),
      ElementsAre(std::tuple(std::nullopt, 2U, "\"E\""), std::tuple(std::nullopt, 2U, "\"I\"")));
  EXPECT_THAT(groups("n: 9", wanting(Want::Unique, "*")),
              ElementsAre(std::tuple(std::nullopt, 1U, "\"user id7 left\""),
                          std::tuple(std::nullopt, 1U, "9")));
}

TEST_F(ClpsSearch, AnswersDoNotDependOnThreads) {
  for (const unsigned threads : {2U, 7U}) {
    for (const char* const query : {"*", "level: E", "msg: *id7* or level: I", "not msg: \"took*\"",
                                    "\"*7*\"", "nosuch: 1"}) {
      SearchOptions options;
      options.threads = threads;
      EXPECT_EQ(found(query, options), found(query)) << query;
    }
  }
}

TEST_F(ClpsSearch, ACancelledSearchEnds) {
  const std::string bytes = made_.build();
  std::stop_source stop;
  stop.request_stop();
  ArchiveOptions options;
  options.read.stop = stop.get_token();
  const auto archive = *Archive::open(as_source(bytes), options);
  EXPECT_EQ(search_in(archive, *query::parse("level: E")).code, ErrorCode::Cancelled);
}

TEST_F(ClpsSearch, VariablesBehindTheDictionaryMatchNothingAndAreTold) {
  made_.variables.resize(2);
  made_.tables[0].columns.replace(4 * 8 * 3, 8, word(std::uint64_t{1} << 40));
  auto searched = search_in(made_.build(), "level: E");
  EXPECT_EQ(searched.text, kRecord5);
  ASSERT_EQ(searched.findings.size(), 1U);
  EXPECT_THAT(searched.findings[0].message, HasSubstr("table 0, record 0"));
  searched = search_in(made_.build(), "msg: \"user * left\"", wanting(Want::Count));
  EXPECT_EQ(searched.findings.size(), 0U);
  searched = search_in(made_.build(), "msg: \"user ?d7*\"");
  EXPECT_EQ(searched.report.matched, 0U);
  EXPECT_EQ(searched.findings.size(), 1U);
}

TEST_F(ClpsSearch, CellsThatPointBeyondTheirColumnMatchNothingAndAreTold) {
  const std::string head = differences({1, 4}) + words({7, 9});
  made_.tables[1].columns = head + words({std::uint64_t{3} << 24, 99}) + words({2, 15, 2});
  const auto searched = search_in(made_.build(), "msg: \"took*\"");
  EXPECT_EQ(searched.text, "");
  EXPECT_EQ(searched.findings.size(), 2U);
  EXPECT_THAT(search_in(made_.build(), "n: 7", wanting(Want::Count)).findings, IsEmpty());
}

TEST_F(ClpsSearch, ADamagedTableDoesNotHideTheOthers) {
  made_.tables[0].columns.resize(40);
  const auto searched = search_in(made_.build(), "level: E or n: 9");
  EXPECT_EQ(searched.text, kRecord4);
  ASSERT_FALSE(searched.findings.empty());
  EXPECT_EQ(searched.findings[0].code, "clps-table");
}

TEST(ClpsSearchArrays, DamagedTextMatchesNothingAndIsTold) {
  MadeArchive made;
  made.nodes = usual_roots();
  made.nodes.push_back({2, NodeType::UnstructuredArray, "a"});
  made.schemas = {{{1, 3}, {}}};
  made.array_types = {"[5]", "[5", "[5,\x11]"};
  made.tables = {{0, 3, differences({0, 1, 2}) + words({0, 1, 2}) + words({1, 7})}};
  const auto searched = search_in(made.build(), "a: 5");
  EXPECT_EQ(searched.text, "{\"a\":[5]}\n{\"a\":[5,7]}\n");
  ASSERT_EQ(searched.findings.size(), 1U);
  EXPECT_THAT(searched.findings[0].message, HasSubstr("no JSON"));
}

TEST(ClpsSearchArrays, DeepNestingIsWalked) {
  MadeArchive made;
  made.nodes = usual_roots();
  made.nodes.push_back({2, NodeType::UnstructuredArray, "a"});
  made.schemas = {{{1, 3}, {}}};
  const std::string deep(200000, '[');
  made.array_types = {deep + "5" + std::string(deep.size(), ']')};
  made.tables = {{0, 1, words({0}) + words({0}) + words({0})}};
  const auto counting = [] {
    SearchOptions options;
    options.want = Want::Count;
    return options;
  };
  EXPECT_EQ(search_in(made.build(), "a: 5", counting()).report.matched, 1U);
  EXPECT_EQ(search_in(made.build(), "a: 6", counting()).report.matched, 0U);
}

TEST(ClpsSearchStructured, EmptyKeysAndArrayLevelsAreToldApart) {
  MadeArchive made;
  made.nodes = usual_roots();
  made.nodes.push_back({2, NodeType::StructuredArray, "a"});
  made.nodes.push_back({3, NodeType::Integer, ""});
  made.nodes.push_back({2, NodeType::Object, "o"});
  made.nodes.push_back({5, NodeType::Integer, ""});
  made.schemas = {{{1}, {(9 << 24) | 2, 4, 4}}, {{1, 6}, {}}};
  made.tables = {{0, 1, words({0}) + words({5}) + words({6})}, {1, 1, words({1}) + words({5})}};
  EXPECT_EQ(search_in(made.build(), "a: 6").text, "{\"a\":[5,6]}\n");
  EXPECT_EQ(search_in(made.build(), "o: 5").text, "");
  EXPECT_EQ(search_in(made.build(), "o.\"\": 5").text, "{\"o\":{\"\":5}}\n");
  EXPECT_EQ(search_in(made.build(), "a.\"\": 5").text, "");
  EXPECT_EQ(search_in(made.build(), "a: *").text, "{\"a\":[5,6]}\n");
}

class ClpsSearchDamaged : public testing::TestWithParam<const char*> {};

TEST_P(ClpsSearchDamaged, IsAnErrorOrAFindingAndNoCrash) {
  const std::string bytes = fixture(GetParam());
  for (const char* const query :
       {"*", "w: *", "msg: \"*1*\"", "n > 1", "list: 1", "not \"*a*\"", "t: \"2024*\"",
        "t > timestamp(\"2020-01-01T00:00:00Z\")", "*: 3"}) {
    for (const Want want : {Want::Records, Want::Count, Want::Unique, Want::Max}) {
      SearchOptions options;
      options.want = want;
      options.field = *query::parse_path("*");
      options.threads = 2;
      const Searched searched = search_in(bytes, query, options);
      EXPECT_LE(searched.report.matched, 4U) << query;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Archives, ClpsSearchDamaged,
                         testing::Values("bad-column-short.clps", "bad-dict-entry-length.clps",
                                         "bad-float-word.clps", "bad-key-length.clps",
                                         "bad-member-order.clps", "bad-metadata-size.clps",
                                         "bad-num-segments.clps", "bad-parent-self.clps",
                                         "bad-pattern-id.clps", "bad-schema-node.clps",
                                         "bad-stream-longer.clps", "bad-tag-length.clps",
                                         "bad-truncated-metadata.clps", "bad-zero-fraction.clps"));

TEST(ClpsSearchOld, TimesOfOldArchivesAreInstantsAndTexts) {
  const std::string bytes = fixture("v031-service.clps");
  const std::string all = search_in(bytes, "*").text;
  EXPECT_EQ(search_in(bytes, "ts: * and ts > timestamp(\"1990-01-01T00:00:00Z\")").text,
            search_in(bytes, "ts: *").text);
  EXPECT_EQ(search_in(bytes, "ts: \"20*\"").text, search_in(bytes, "ts: *").text);
  EXPECT_EQ(search_in(bytes, "*", {.since = 0}).text, search_in(bytes, "ts: *").text);
  EXPECT_NE(all, "");
}

TEST(ClpsSearchOld, NumbersInTheTimeColumnAreGivenTheirUnit) {
  const std::string bytes = fixture("v041-ts-epoch.clps");
  const std::string late = search_in(bytes, "meta.t > timestamp(\"2001-01-01T00:00:00Z\")").text;
  EXPECT_EQ(search_in(bytes, "meta.t > 978307200").text, late);
  EXPECT_EQ(search_in(bytes, "meta.t > 978307200000").text, late);
  EXPECT_NE(late, "");
}

}  // namespace
}  // namespace fonds::clps
