// The table of kql.md as a test: tests/data/kql/cases.json, asked of the documents as JSON.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fonds/error.hpp>
#include <fonds/query.hpp>

#include "query/tree.hpp"
#include "test_paths.hpp"

namespace fonds::query {
namespace {

using nlohmann::json;

struct QueryCase {
  std::string id;
  json value;
};
void PrintTo(const QueryCase& c, std::ostream* out) {
  *out << c.id << " " << c.value.value("query", "");
}

std::filesystem::path folder() {
  const char* given = std::getenv("FONDS_FIXTURES");  // NOLINT(concurrency-mt-unsafe)
  return std::filesystem::path(given == nullptr ? FONDS_TEST_DATA : given) / "kql";
}

bool has_argument(const json& value, std::string_view name) {
  const json args = value.value("args", json::array());
  return std::any_of(args.begin(), args.end(), [&](const json& arg) { return arg == name; });
}

// Without those that test options of the command.
std::vector<QueryCase> all_cases() {
  std::ifstream in(folder() / "cases.json");
  const json table = json::parse(in);
  std::vector<QueryCase> cases;
  for (const json& value : table.at("cases")) {
    if (!has_argument(value, "--projection") && !has_argument(value, "--tge") &&
        !has_argument(value, "--tle")) {
      cases.push_back({value.at("id"), value});
    }
  }
  return cases;
}

// A record as JSON has no column of timestamps, so these are asked of archives only.
bool needs_the_time_column(const json& value) {
  const std::string query = value.at("query");
  return value.contains("timestamp_key") &&
         (query.find("timestamp(") != std::string::npos ||
          query.find("date(") != std::string::npos || query.starts_with("ts >"));
}

// The documents' JSON still has the integers that archives of clp-s hold as negative ones.
std::vector<std::string> expected(const json& value) {
  static const std::map<std::string, std::vector<std::string>> kExact = {
      {"k259", {"o006"}}, {"k260", {"o006", "o007", "o008"}}, {"k261", {"o007"}}};
  const auto exact = kExact.find(value.at("id"));
  return exact != kExact.end() ? exact->second : value.at("sane").get<std::vector<std::string>>();
}

std::string archive_properties(const std::string& docs) {
  return json{{"_filename", docs}, {"_file_split_number", 0}}.dump();
}

Result<Query> parse_case(const json& value, Meaning meaning) {
  return parse(value.at("query").get<std::string>(),
               {.meaning = meaning, .ignore_case = has_argument(value, "-i")});
}

class QueryCases : public testing::TestWithParam<QueryCase> {};

TEST_P(QueryCases, FindTheDocumentsThatTheDefaultMeaningNames) {
  const json& value = GetParam().value;
  const auto query = parse_case(value, Meaning::Default);
  ASSERT_EQ(query.has_value(), !value.contains("sane_exit"))
      << (query ? to_string(query->root) : query.error().message());
  if (!query || needs_the_time_column(value)) {
    return;
  }
  const std::string docs = value.at("docs");
  std::ifstream in(folder() / docs);
  ASSERT_TRUE(in);
  std::vector<std::string> found;
  RecordMatch match(*query);
  for (std::string line; std::getline(in, line);) {
    const auto matches = match.matches(line, {}, archive_properties(docs));
    ASSERT_TRUE(matches.has_value()) << matches.error().message();
    if (*matches) {
      found.push_back(json::parse(line).at("doc"));
    }
  }
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, expected(value));
}

TEST_P(QueryCases, AreErrorsOfClpsWhereTheyAreItsErrors) {
  const json& value = GetParam().value;
  const auto query = parse_case(value, Meaning::ClpS);
  EXPECT_EQ(query.has_value(), value.at("exit") == 0)
      << (query ? to_string(query->root) : query.error().message());
}

TEST_P(QueryCases, SayWhereTheyAreWrong) {
  const json& value = GetParam().value;
  for (const Meaning meaning : {Meaning::Default, Meaning::ClpS}) {
    const auto query = parse_case(value, meaning);
    if (query) {
      continue;
    }
    EXPECT_EQ(query.error().code(), ErrorCode::BadArgument);
    ASSERT_TRUE(query.error().where().decoded_offset.has_value());
    const std::string text = value.at("query");
    EXPECT_LE(*query.error().where().decoded_offset, text.size());
    EXPECT_THAT(explain(text, query.error()), testing::StartsWith(query.error().message()));
  }
}

// In either meaning the text of a tree is that tree, and has the same text again.
TEST_P(QueryCases, HaveTreesThatTheirTextGivesBack) {
  for (const Meaning meaning : {Meaning::Default, Meaning::ClpS}) {
    const auto query = parse_case(GetParam().value, meaning);
    if (!query) {
      continue;
    }
    const std::string text = to_string(query->root);
    const auto again = parse(text, query->options);
    ASSERT_TRUE(again.has_value()) << text << ": " << again.error().message();
    EXPECT_TRUE(same_tree(query->root, again->root)) << text;
    EXPECT_EQ(to_string(again->root), text);
  }
}

INSTANTIATE_TEST_SUITE_P(Kql, QueryCases, testing::ValuesIn(all_cases()),
                         [](const auto& case_info) { return case_info.param.id; });

}  // namespace
}  // namespace fonds::query
