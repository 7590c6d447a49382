#include "query/json_filters.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fonds/query.hpp>

#include "query/random_query.hpp"

namespace fonds::query {
namespace {

// Which of the filters match a body.
std::vector<bool> matched(const std::vector<std::string>& queries, std::string_view json,
                          std::size_t prefix = 1) {
  std::vector<Filter> filters;
  std::vector<const Filter*> asked;
  for (const std::string& query : queries) {
    filters.push_back(parse(query)->root.filter);
  }
  for (const Filter& filter : filters) {
    asked.push_back(&filter);
  }
  JsonFilters all(asked, {}, prefix);
  all.ask(json);
  std::vector<bool> found;
  for (std::size_t i = 0; i < filters.size(); ++i) {
    found.push_back(all.matched(i));
  }
  return found;
}

TEST(JsonFilters, AreAnsweredEachForItself) {
  const std::string body = R"({"a": {"b": [1, {"c": "x"}]}, "n": 7.5})";
  EXPECT_THAT(matched({"body.a.b: 1", "body.a.b: 2", "body.a.b.c: x", "body.n > 7", "body.n > 8",
                       "body.*.c: x", "body.a: *", "body.z: *", "body: *"},
                      body),
              testing::ElementsAre(true, false, true, true, false, true, true, false, true));
}

TEST(JsonFilters, ThePrefixAloneIsTheWholeValue) {
  EXPECT_THAT(matched({"body: 5", "body > 4", "body: *"}, " 5 "),
              testing::ElementsAre(true, true, true));
  EXPECT_THAT(matched({"body: x", "body: y", "body.k: 1"}, R"(["x", {"k": 1}])"),
              testing::ElementsAre(true, false, true));
  EXPECT_THAT(matched({"body: null", "body: *"}, "null"), testing::ElementsAre(true, true));
}

TEST(JsonFilters, NothingMatchesWhatIsNoJson) {
  for (const std::string_view body :
       {"", "{", R"({"a": 1} x)", R"({"a": 1)", "<html>", "{\"a\": 1,}"}) {
    EXPECT_THAT(matched({"body.a: 1", "body: *"}, body), testing::ElementsAre(false, false))
        << body;
  }
}

TEST(JsonFilters, ATextThatIsNestedTooDeepIsNotSearched) {
  const auto nested = [](std::size_t depth) {
    return R"({"a":1,"b":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_THAT(matched({"body.a: 1"}, nested(90'000)), testing::ElementsAre(true));
  EXPECT_THAT(matched({"body.a: 1"}, nested(110'000)), testing::ElementsAre(false));
}

TEST(JsonFilters, ATextDoesNotRememberTheOneBefore) {
  const Filter filter = parse("body.a: 1")->root.filter;
  JsonFilters filters({&filter}, {}, 1);
  EXPECT_TRUE(filters.ask(R"({"a": 1})"));
  EXPECT_TRUE(filters.matched(0));
  EXPECT_TRUE(filters.ask(R"({"a": 2})"));
  EXPECT_FALSE(filters.matched(0));
}

// A filter alone is a query; below a prefix it means the same.
TEST(JsonFilters, MeanWhatTheyMeanAsQueries) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomQuery random(seed);
    std::vector<Filter> filters;
    for (int i = 0; i < 8; ++i) {
      Filter filter = random.tree(0).filter;
      filter.path.space = Namespace::User;
      filter.path.marked = false;
      filters.push_back(filter);
    }
    std::vector<Filter> below = filters;
    std::vector<const Filter*> asked;
    for (Filter& filter : below) {
      filter.path.steps.insert(filter.path.steps.begin(), {.wildcard = false, .key = "body"});
      asked.push_back(&filter);
    }
    JsonFilters all(asked, {}, 1);
    const std::string record = random.record(3);
    ASSERT_TRUE(all.ask(record)) << record;
    for (std::size_t i = 0; i < filters.size(); ++i) {
      Query query;
      query.root.filter = filters[i];
      ASSERT_EQ(all.matched(i), *matches_json(query, record))
          << to_string(query.root) << " on " << record;
    }
  }
}

}  // namespace
}  // namespace fonds::query
