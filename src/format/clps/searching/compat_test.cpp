// The answers of clp-s 0.12.1b0 on archives that it made.
#include "format/clps/searching/compat.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "format/clps/searching/search_testing.hpp"
#include "test_paths.hpp"

namespace fonds::clps {
namespace {

using nlohmann::json;
using testing::IsEmpty;
using namespace testing_archive;  // NOLINT(google-build-using-namespace)

constexpr query::ParseOptions kClpS = {.meaning = query::Meaning::ClpS};

std::string file_of(const std::string& name) {
  std::ifstream file(FONDS_TEST_DATA "/kql/" + name, std::ios::binary);
  return {(std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>()};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    lines.push_back(text.substr(at, text.find('\n', at) - at));
  }
  return lines;
}

struct ClpsCompatCase {
  json value;
  bool structurized = false;
};
void PrintTo(const ClpsCompatCase& c, std::ostream* out) {
  *out << c.value.at("id").get<std::string>() << (c.structurized ? " structurized " : " ")
       << c.value.at("query").get<std::string>();
}

std::vector<ClpsCompatCase> all_cases() {
  const json table = json::parse(file_of("cases.json"));
  std::vector<ClpsCompatCase> cases;
  for (const json& value : table.at("cases")) {
    cases.push_back({value, false});
    cases.push_back({value, true});
  }
  return cases;
}

// The original's arguments. Nothing if a key of the projection is none.
std::optional<SearchOptions> options_of(const json& args, query::ParseOptions& parsing) {
  SearchOptions options;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string name = args[i];
    if (name == "-i") {
      parsing.ignore_case = true;
      continue;
    }
    if (name == "--projection") {
      while (++i < args.size()) {
        auto path = query::parse_path(args[i].get<std::string>(), query::Meaning::ClpS);
        if (!path) {
          return std::nullopt;
        }
        options.projection.push_back(std::move(*path));
      }
      continue;
    }
    const std::string text = args[++i];
    std::int64_t milliseconds = 0;
    std::from_chars(text.data(), text.data() + text.size(), milliseconds);
    (name == "--tge" ? options.since : options.until) =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(milliseconds) * 1'000'000U);
  }
  if (options.since && options.until && *options.since > *options.until) {
    return std::nullopt;
  }
  return options;
}

class ClpsCompatCases : public testing::TestWithParam<ClpsCompatCase> {};

TEST_P(ClpsCompatCases, AreAnsweredAsClpSDoes) {
  const auto& [value, structurized] = GetParam();
  std::string name = value.at("docs");
  name.resize(name.find('.'));
  query::ParseOptions parsing = kClpS;
  const auto options = options_of(value.value("args", json::array()), parsing);
  const bool fails = value.at("exit") != 0;
  if (!options) {
    ASSERT_TRUE(fails);
    return;
  }
  const Searched found = search_in(file_of(name + (structurized ? "-structurized.clps" : ".clps")),
                                   value.at("query").get<std::string>(), *options, parsing);
  if (fails) {
    ASSERT_NE(found.error, "");
    EXPECT_EQ(found.text, "");
    return;
  }
  ASSERT_EQ(found.error, "");
  EXPECT_THAT(found.findings, IsEmpty());
  const std::string field = value.contains("output") ? "output" : "match";
  const json& wanted = structurized && value.contains(field + "_structurized")
                           ? value.at(field + "_structurized")
                           : value.at(field);
  std::vector<std::string> got = lines_of(found.text);
  if (field == "match") {
    for (std::string& line : got) {
      line = json::parse(line).at("doc").get<std::string>();
    }
  }
  std::sort(got.begin(), got.end());
  EXPECT_EQ(got, wanted.get<std::vector<std::string>>());
}

INSTANTIATE_TEST_SUITE_P(All, ClpsCompatCases, testing::ValuesIn(all_cases()),
                         [](const testing::TestParamInfo<ClpsCompatCase>& tested) {
                           return tested.param.value.at("id").get<std::string>() +
                                  (tested.param.structurized ? "_structurized" : "");
                         });

// How many records of an archive in tests/data/kql match.
std::uint64_t count(const std::string& archive, std::string_view query) {
  const Searched found = search_in(file_of(archive + ".clps"), query, {}, kClpS);
  EXPECT_EQ(found.error, "") << query;
  return found.report.matched;
}

TEST(ClpsCompat, FindsNothingForANegatedKeyThatNoRecordHas) {
  EXPECT_EQ(count("docs", "not nosuch: *"), 0U);
  EXPECT_EQ(count("docs", "not a.b.c: *"), 97U);
}

TEST(ClpsCompat, AddsTextsToTheFirstOfSeveralNegatedFiltersOnly) {
  const std::uint64_t words = count("docs", "s: * and not s: \"* *\"");
  const std::uint64_t all = count("docs", "not s: nosuch");
  ASSERT_LT(words, all);
  EXPECT_EQ(count("docs", "not s: nosuch and not s: nothing"), words);
  EXPECT_EQ(count("docs", "not s: nosuch and not s: \"no such\""), all);
}

TEST(ClpsCompat, IgnoresRangesOverTextsBesideOtherAlternatives) {
  EXPECT_EQ(count("docs", "level > x or level: INFO"), 1U);
  EXPECT_EQ(search_in(file_of("docs.clps"), "level > x", {}, kClpS).error.empty(), false);
}

TEST(ClpsCompat, BelievesTheTimeRangeOfTheArchiveOnlyForTheKeyAsItIsWritten) {
  EXPECT_EQ(count("time_mixed", "ts > timestamp(\"2030-01-01T00:00:00Z\")"), 0U);
  // Milliseconds lie in the range, and are then compared with nanoseconds.
  EXPECT_EQ(count("time_mixed", "ts > 1709251205000"), 13U);
  EXPECT_EQ(count("time_mixed", "*.ts > 1709251205000"), 13U);
  EXPECT_EQ(count("time_mixed", "ts > 1709251205000000000"), 0U);
  EXPECT_EQ(count("time_mixed", "* > 1709251205000000000"), 5U);
}

TEST(ClpsCompat, RefusesMoreCombinationsThanMemoryHolds) {
  std::string query = "(a: 1 or b: 1)";
  for (int i = 0; i < 20; ++i) {
    query += " and (a: 1 or b: 1)";
  }
  const Searched found = search_in(file_of("docs.clps"), query, {}, kClpS);
  EXPECT_EQ(found.code, ErrorCode::LimitExceeded);
}

TEST(ClpsCompat, AnswersLongChainsOfFilters) {
  std::string all = "level: INFO";
  std::string some = "level: INFO";
  for (int i = 0; i < 20000; ++i) {
    all += " and not level: x" + std::to_string(i);
    some += " or level: x" + std::to_string(i);
  }
  EXPECT_EQ(count("docs", all), 1U);
  EXPECT_EQ(count("docs", some), 1U);
}

// A record of nothing but null, without a place in the log: its table has no column at all.
TEST(ClpsCompat, AnswersForTablesWithoutColumns) {
  MadeArchive made;
  made.nodes = {{-1, NodeType::Object, ""}, {0, NodeType::NullValue, "a"}};
  made.schemas = {{{1}, {}}};
  made.tables = {{0, 2, ""}};
  const auto matched = [&](std::string_view query) {
    const Searched found = search_in(made.build(), query, {}, kClpS);
    EXPECT_EQ(found.error, "");
    return found.report.matched;
  };
  const std::uint64_t records = search_in(made.build(), "*", {}, kClpS).report.matched;
  EXPECT_EQ(matched("a: null"), records);
  EXPECT_EQ(matched("not a: null"), 0U);
  EXPECT_EQ(matched("not *: 5"), 0U);
  EXPECT_EQ(matched("x: 1"), 0U);
}

TEST(ClpsCompat, TellsOfCellsThatCannotBeRead) {
  MadeArchive made;
  made.nodes = usual_roots();
  made.nodes.push_back({2, NodeType::VarString, "w"});
  made.nodes.push_back({2, NodeType::ClpString, "t"});
  made.nodes.push_back({2, NodeType::UnstructuredArray, "a"});
  made.schemas = {{{1, 3, 4, 5}, {}}};
  made.variables = {"x"};
  made.log_types = {"a \x12"};
  made.array_types = {"[1,"};
  made.tables = {{0, 3,
                  differences({0, 1, 2}) + words({0, 7, 0}) + words({0, 9, 1 << 24}) +
                      words({1, 5}) + words({0, 0, 1}) + words({0})}};
  for (const std::string_view query :
       {"w: x", "w: *x*", "t: \"a *\"", "t: \"* x\"", "a: 1", "not a.b: 2", "x", "1"}) {
    const Searched found = search_in(made.build(), query, {}, kClpS);
    EXPECT_EQ(found.error, "") << query;
    EXPECT_FALSE(found.findings.empty()) << query;
  }
}

TEST(ClpsCompat, SurvivesDamageAnywhere) {
  std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
  for (const std::string name : {"arrays", "arrays-structurized", "docs", "time_mixed", "vars"}) {
    const std::string bytes = file_of(name + ".clps");
    ASSERT_FALSE(bytes.empty());
    for (int i = 0; i < 150; ++i) {
      std::string damaged = bytes;
      damaged[random() % damaged.size()] = static_cast<char>(random());
      for (const std::string_view query : {"not arr.b: 1 or *.b > 5", "x: \"took ?25 ms\"",
                                           "*: \"*a*\" and not ts > 5", "$*: 0"}) {
        search_in(damaged, query, {}, kClpS);
      }
    }
  }
}

}  // namespace
}  // namespace fonds::clps
