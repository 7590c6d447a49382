#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/clps/testing.hpp"

namespace fonds::clps {
namespace {

using testing::HasSubstr;
using namespace testing_archive;  // NOLINT(google-build-using-namespace)

// Two tables, `a` and `b`, whose records take turns in the log.
MadeArchive two_tables(const std::vector<std::uint64_t>& first,
                       const std::vector<std::uint64_t>& second) {
  MadeArchive made;
  made.nodes = usual_roots();
  made.nodes.push_back({2, NodeType::Integer, "a"});
  made.nodes.push_back({2, NodeType::Integer, "b"});
  made.schemas = {{{1, 3}, {}}, {{1, 4}, {}}};
  made.tables = {{0, first.size(), differences(first) + words(first), 0},
                 {1, second.size(), differences(second) + words(second), 1}};
  return made;
}

std::string lines(const std::vector<std::pair<char, std::uint64_t>>& records) {
  std::string text;
  for (const auto& [key, value] : records) {
    text += std::string("{\"") + key + "\":" + std::to_string(value) + "}\n";
  }
  return text;
}

TEST(ClpsRebuilder, LogOrderTakesTurnsBetweenTables) {
  const auto made = two_tables({0, 2, 3}, {1, 4});
  EXPECT_EQ(read_all(made.build()).text, lines({{'a', 0}, {'b', 1}, {'a', 2}, {'a', 3}, {'b', 4}}));
}

TEST(ClpsRebuilder, TableOrderIsTheOrderOnDisk) {
  const auto made = two_tables({0, 2, 3}, {1, 4});
  EXPECT_EQ(read_all(made.build(), {.order = Order::Table}).text,
            lines({{'a', 0}, {'a', 2}, {'a', 3}, {'b', 1}, {'b', 4}}));
}

TEST(ClpsRebuilder, GapsInTheLogAreStepped) {
  const std::uint64_t far = std::uint64_t{1} << 62;
  const auto made = two_tables({5, far}, {far - 1, UINT64_MAX});
  const Read read = read_all(made.build());
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(std::count(read.text.begin(), read.text.end(), '\n'), 4);
  EXPECT_EQ(read.text.substr(0, 8), "{\"a\":5}\n");
}

TEST(ClpsRebuilder, RecordsThatClaimOnePlaceAllCome) {
  const std::vector<std::uint64_t> same(20000, 7);
  const auto made = two_tables(same, {7, 8});
  const Read read = read_all(made.build());
  EXPECT_EQ(std::count(read.text.begin(), read.text.end(), '\n'), 20002);
  EXPECT_TRUE(read.text.ends_with("{\"b\":8}\n"));
}

TEST(ClpsRebuilder, ATableThatIsNotInLogOrderIsSorted) {
  const auto made = two_tables({9, 1, 4}, {2, 3});
  EXPECT_EQ(read_all(made.build()).text, lines({{'a', 1}, {'b', 2}, {'b', 3}, {'a', 4}, {'a', 9}}));
}

TEST(ClpsRebuilder, TablesWithoutAPlaceInTheLogComeLast) {
  auto made = two_tables({0, 1}, {5});
  made.schemas[1].ordered = {4};
  made.tables[1].columns = words({5});
  EXPECT_EQ(read_all(made.build()).text, lines({{'a', 0}, {'a', 1}, {'b', 5}}));
}

TEST(ClpsRebuilder, ARangeOfTheLogIsCutOut) {
  const auto made = two_tables({0, 2, 3}, {1, 4});
  EXPECT_EQ(read_all(made.build(), {.log_range = {{1, 3}}}).text, lines({{'b', 1}, {'a', 2}}));
}

// Under a sanitizer: the workers still read tables that the reader holds.
TEST(ClpsRebuilder, MayEndBeforeItsWorkersDo) {
  std::vector<std::uint64_t> first(20000), second(20000);
  std::iota(first.begin(), first.end(), 0);
  std::iota(second.begin(), second.end(), 20000);
  const std::string bytes = two_tables(first, second).build();
  for (int i = 0; i < 20; ++i) {
    const auto archive = Archive::open(as_source(bytes));
    ASSERT_TRUE(archive.has_value());
    const auto rebuilder = Rebuilder::open(*archive, {.threads = 4});
    ASSERT_TRUE(rebuilder.has_value());
    const auto batch = (*rebuilder)->next();
    ASSERT_TRUE(batch.has_value());
    ASSERT_NE(*batch, nullptr);
    EXPECT_TRUE((*batch)->text.starts_with("{\"a\":0}\n"));
  }
}

TEST(ClpsRebuilder, OnlyTheAskedForRowsCome) {
  const auto made = two_tables({0, 2, 3}, {1, 4});
  RebuildOptions options;
  options.rows = {RowSet{{0b101}}, std::nullopt};
  EXPECT_EQ(read_all(made.build(), options).text, lines({{'a', 0}, {'a', 3}}));
  options.rows = {std::nullopt, RowSet{}};
  EXPECT_EQ(read_all(made.build(), options).text, lines({{'b', 1}, {'b', 4}}));
}

// Many records in tables of different sizes, shuffled over the log.
MadeArchive many_tables(unsigned seed) {
  std::mt19937 random(seed);
  MadeArchive made;
  made.nodes = usual_roots();
  std::vector<std::uint64_t> places(30000);
  std::iota(places.begin(), places.end(), 0U);
  std::shuffle(places.begin(), places.end(), random);
  std::size_t at = 0;
  for (std::size_t t = 0; at < places.size(); ++t) {
    const std::size_t size = std::min<std::size_t>(places.size() - at, 1 + random() % 9000);
    std::vector<std::uint64_t> own(places.begin() + static_cast<std::ptrdiff_t>(at),
                                   places.begin() + static_cast<std::ptrdiff_t>(at + size));
    std::sort(own.begin(), own.end());
    at += size;
    made.nodes.push_back({2, NodeType::VarString, "k" + std::to_string(t)});
    const auto node = static_cast<std::int32_t>(made.nodes.size() - 1);
    made.schemas.push_back({{1, node}, {}});
    made.tables.push_back({t, own.size(), differences(own) + words(own), t / 3});
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    made.variables.push_back("value " + std::to_string(i) + (i % 7 == 0 ? "\n\"" : ""));
  }
  return made;
}

TEST(ClpsRebuilder, ThreadsAndMemoryChangeNothing) {
  const std::string archive = many_tables(1).build();
  for (const Order order : {Order::Log, Order::Table}) {
    const Read alone = read_all(archive, {.order = order});
    ASSERT_EQ(alone.error, "");
    ASSERT_EQ(std::count(alone.text.begin(), alone.text.end(), '\n'), 30000);
    for (const unsigned threads : {2U, 7U}) {
      EXPECT_EQ(read_all(archive, {.order = order, .threads = threads}).text, alone.text);
    }
    // Too little for all tables at once: they wait in files.
    EXPECT_EQ(read_all(archive, {.order = order}, {.memory_budget = 2'400'000}).text, alone.text);
    EXPECT_THAT(read_all(archive, {.order = order}, {.memory_budget = 20'000}).error,
                HasSubstr("memory limit"));
  }
}

TEST(ClpsRebuilder, LogOrderIsByTheLog) {
  const Read read = read_all(many_tables(2).build());
  std::size_t expected = 0;
  std::size_t at = 0;
  while ((at = read.text.find("value ", at)) != std::string::npos) {
    ASSERT_EQ(std::stoul(read.text.substr(at + 6)), expected++);
    ++at;
  }
  EXPECT_EQ(expected, 30000U);
}

TEST(ClpsRebuilder, ABadCellCostsItsRecordOnly) {
  auto made = many_tables(3);
  made.variables.resize(29995);
  const Read read = read_all(made.build());
  EXPECT_EQ(std::count(read.text.begin(), read.text.end(), '\n'), 29995);
  ASSERT_FALSE(read.findings.empty());
  EXPECT_EQ(read.findings.front().code, "clps-cell");
  EXPECT_THAT(read.findings.front().message, HasSubstr("the record is lost"));
}

TEST(ClpsRebuilder, ManyLostRecordsAreCounted) {
  auto made = many_tables(3);
  made.variables.clear();
  const Read read = read_all(made.build(), {.threads = 2});
  EXPECT_EQ(read.text, "");
  EXPECT_LE(read.findings.size(), 4 * made.tables.size());
  EXPECT_THAT(read.findings.back().message, HasSubstr("records are lost in all"));
}

TEST(ClpsRebuilder, ADamagedTableDoesNotHideTheOthers) {
  auto made = two_tables({0, 2, 3}, {1, 4});
  made.tables[0].columns.resize(made.tables[0].columns.size() - 1);
  const Read read = read_all(made.build());
  EXPECT_EQ(read.text, lines({{'b', 1}, {'b', 4}}));
  ASSERT_EQ(read.findings.size(), 1U);
  EXPECT_THAT(read.findings[0].message, HasSubstr("its 3 records are lost"));
}

TEST(ClpsRebuilder, AKeyThatTheWriterDoubledIsReadOnce) {
  auto made = two_tables({0}, {1});
  made.schemas[0].ordered = {1, 3, 3};
  EXPECT_EQ(read_all(made.build()).text, lines({{'a', 0}, {'b', 1}}));
}

// {"x":1,"a":[{"b":1,"c":[]},2,[]]} of the format's page, and objects in arrays that open and
// close.
MadeArchive arrays() {
  MadeArchive made;
  made.nodes = {{-1, NodeType::Object, ""},          {0, NodeType::Integer, "x"},
                {0, NodeType::StructuredArray, "a"}, {2, NodeType::Object, ""},
                {3, NodeType::Integer, "b"},         {3, NodeType::StructuredArray, "c"},
                {2, NodeType::Integer, ""},          {2, NodeType::StructuredArray, ""},
                {3, NodeType::Object, "o"},          {8, NodeType::Integer, "p"},
                {8, NodeType::NullValue, "q"},       {3, NodeType::Object, "e"}};
  made.schemas = {{{1}, {0x09000005, 0x05000002, 4, 5, 6, 7}},
                  {{1}, {0x09000006, 0x05000005, 9, 10, 4, 9, 11}},
                  {{1}, {2}}};
  made.tables = {{0, 1, words({1, 1, 2})}, {1, 1, words({3, 10, 11, 12})}, {2, 1, words({4})}};
  return made;
}

TEST(ClpsRebuilder, StructuredArraysArePutTogether) {
  EXPECT_EQ(read_all(arrays().build()).text,
            "{\"x\":1,\"a\":[{\"b\":1,\"c\":[]},2,[]]}\n"
            "{\"x\":3,\"a\":[{\"o\":{\"p\":10,\"q\":null},\"b\":11,\"o\":{\"p\":12},\"e\":{}}]}\n"
            "{\"x\":4,\"a\":[]}\n");
}

TEST(ClpsRebuilder, AProjectionShowsNodesWithWhatTheyHoldAndWhatHoldsThem) {
  EXPECT_EQ(read_all(arrays().build(), {.projection = {2}, .project = true}).text,
            "{\"a\":[{\"b\":1,\"c\":[]},2,[]]}\n"
            "{\"a\":[{\"o\":{\"p\":10,\"q\":null},\"b\":11,\"o\":{\"p\":12},\"e\":{}}]}\n"
            "{\"a\":[]}\n");
  EXPECT_EQ(read_all(arrays().build(), {.project = true}).text, "{}\n{}\n{}\n");
}

}  // namespace
}  // namespace fonds::clps
