#include <algorithm>
#include <cstddef>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fonds/error.hpp>
#include <fonds/query.hpp>

#include "query/random_query.hpp"
#include "query/tree.hpp"

namespace fonds::query {
namespace {

bool matches(std::string_view query, std::string_view record, std::string_view generated = {},
             std::string_view archive = {}) {
  return *matches_json(*parse(query), record, generated, archive);
}

struct QueryRecordCase {
  std::string_view query;
  std::string_view record;
  bool matches;
};
void PrintTo(const QueryRecordCase& c, std::ostream* out) { *out << c.query << " on " << c.record; }

class QueryRecords : public testing::TestWithParam<QueryRecordCase> {};

TEST_P(QueryRecords, MatchAsThePageSays) {
  EXPECT_EQ(matches(GetParam().query, GetParam().record), GetParam().matches);
}

// Both answers of each rule. The groups are the numbers of the page on the language.
INSTANTIATE_TEST_SUITE_P(Not, QueryRecords,
                         testing::Values(QueryRecordCase{"not a: 1", R"({})", true},
                                         QueryRecordCase{"not a: 1", R"({"a": 1})", false},
                                         QueryRecordCase{"not a: 1", R"({"a": {"b": 1}})", true},
                                         QueryRecordCase{"a: {not b: 1}", R"({})", true},
                                         QueryRecordCase{"not a > 1", R"({"a": "x"})", true},
                                         QueryRecordCase{"a: (not 1 2)", R"({"a": [3, 2]})", false},
                                         QueryRecordCase{"a: * and not a: 1", R"({})", false}));

INSTANTIATE_TEST_SUITE_P(
    BareLiterals, QueryRecords,
    testing::Values(QueryRecordCase{"x", R"({"a": {"b": [{"c": "x"}]}})", true},
                    QueryRecordCase{"x", R"({"x": 1})", false},
                    QueryRecordCase{"1 and 2", R"({"a": 1, "b": [2]})", true},
                    QueryRecordCase{"* > 41 and * < 43", R"({"a": 50, "b": 1})", true},
                    QueryRecordCase{"null", R"({"a": [null]})", true},
                    QueryRecordCase{"null", R"({"a": {}})", false}));

INSTANTIATE_TEST_SUITE_P(
    Arrays, QueryRecords,
    testing::Values(QueryRecordCase{"a > 5", R"({"a": [1, 6]})", true},
                    QueryRecordCase{"a > 5", R"({"a": [1, "6"]})", false},
                    QueryRecordCase{"a.b: 1", R"({"a": [[{"b": 0}], {"b": [1]}]})", true},
                    QueryRecordCase{"a.b: 1", R"({"a": [1]})", false},
                    QueryRecordCase{"a.b: 1", R"({"a": [{"b": 0}, {"c": 1}]})", false},
                    QueryRecordCase{"a.*.c: 1", R"({"a": [{"b": [{"c": 1}]}]})", true},
                    QueryRecordCase{"*.c: 1", R"({"a": [{"c": 1}]})", true},
                    QueryRecordCase{"a: \"[1]\"", R"({"a": [1]})", false},
                    QueryRecordCase{"a: (1 and 2)", R"({"a": [1, 2]})", true},
                    QueryRecordCase{"a: null", R"({"a": []})", false}));

INSTANTIATE_TEST_SUITE_P(
    EmptyKeys, QueryRecords,
    testing::Values(QueryRecordCase{"\"\": v", R"({"": "v"})", true},
                    QueryRecordCase{"nosuch: v", R"({"": "v"})", false},
                    QueryRecordCase{"a.\"\".b: v", R"({"a": {"": {"b": "v"}}})", true},
                    QueryRecordCase{"a.b: v", R"({"a": {"": {"b": "v"}}})", false},
                    QueryRecordCase{"a.\"\": v", R"({"a": ["v"]})", false},
                    QueryRecordCase{"*.b: v", R"({"": {"b": "v"}})", true}));

INSTANTIATE_TEST_SUITE_P(Existence, QueryRecords,
                         testing::Values(QueryRecordCase{"a: *", R"({"a": {}})", true},
                                         QueryRecordCase{"a: *", R"({"a": []})", true},
                                         QueryRecordCase{"a: *", R"({"a": null})", true},
                                         QueryRecordCase{"a: *", R"({"b": 1})", false},
                                         QueryRecordCase{"a.b: *", R"({"a": [{"b": {}}]})", true},
                                         QueryRecordCase{"a.*: *", R"({"a": 1})", true},
                                         QueryRecordCase{"*.a: *", R"({"a": 1})", true},
                                         QueryRecordCase{"*", R"({})", true},
                                         QueryRecordCase{"not *", R"({})", false},
                                         QueryRecordCase{"*: {*}", R"({})", true},
                                         QueryRecordCase{"a: null", R"({"a": "null"})", true},
                                         QueryRecordCase{"a: null", R"({})", false}));

INSTANTIATE_TEST_SUITE_P(
    Keys, QueryRecords,
    testing::Values(QueryRecordCase{"a\\.b: 1", R"({"a.b": 1})", true},
                    QueryRecordCase{"a.b: 1", R"({"a.b": 1})", false},
                    QueryRecordCase{"é: 1", R"({"\u00e9": 1})", true},
                    QueryRecordCase{"A: 1", R"({"a": 1})", false},
                    QueryRecordCase{"a: 1", R"({"a": 1, "a": 2})", true},
                    QueryRecordCase{"a: 2", R"({"a": 1, "a": 2})", true},
                    QueryRecordCase{"a.b: 1 and a.c: 1", R"({"a": {"b": 1}, "a": {"c": 1}})", true},
                    QueryRecordCase{"a.a.a: 1", R"({"a": {"a": {"a": 1}}})", true},
                    QueryRecordCase{"a.*.a.*.b: 1", R"({"a": {"a": {"a": {"b": 1}}}})", true},
                    QueryRecordCase{"a.*.a.*.b: 1", R"({"a": {"b": 1}})", false}));

TEST(QueryRecordMatch, NamespacesAreTreesOfTheirOwn) {
  EXPECT_TRUE(matches("@k: 1", "{}", R"({"k": 1})"));
  EXPECT_FALSE(matches("@k: 1", R"({"k": 1})"));
  EXPECT_FALSE(matches("k: 1", "{}", R"({"k": 1})"));
  EXPECT_TRUE(matches("$_filename: *docs*", "{}", {}, R"({"_filename": "docs.jsonl"})"));
  EXPECT_FALSE(matches("$*: x", R"({"a": "x"})", R"({"a": "x"})", R"({"a": "y"})"));
  EXPECT_TRUE(matches("$*: y", "{}", {}, R"({"a": {"b": "y"}})"));
  EXPECT_FALSE(matches("!a: *", R"({"a": 1})"));
  EXPECT_TRUE(matches("not #a: 1", R"({"a": 1})"));
}

TEST(QueryRecordMatch, AnUnmarkedStarCoversGeneratedKeysToo) {
  EXPECT_TRUE(matches("1", "{}", R"({"k": 1})"));
  EXPECT_TRUE(matches("*: 1", "{}", R"({"k": 1})"));
  EXPECT_FALSE(matches("*.k: 1", "{}", R"({"k": 1})"));
  EXPECT_FALSE(matches("1", "{}", {}, R"({"k": 1})"));
  EXPECT_FALSE(matches("@*: *", R"({"k": 1})"));
  EXPECT_FALSE(matches("@*: *", R"({"k": 1})", "{}"));
  EXPECT_TRUE(matches("@*: *", "{}", R"({"k": {}})"));
}

TEST(QueryRecordMatch, IgnoresCaseOfTextsInRecords) {
  const auto query = parse("a: ÉTÉ", {.ignore_case = true});
  EXPECT_TRUE(*matches_json(*query, R"({"a": ["\u00e9t\u00c9"]})"));
  EXPECT_FALSE(*matches_json(*query, R"({"A": "été"})"));
}

TEST(QueryRecordMatch, SaysWhereARecordIsNoObject) {
  const auto fault_of = [](std::string_view record, std::string_view generated = {}) {
    const auto result = matches_json(*parse("a: 1"), record, generated);
    return result ? "none"
                  : result.error().message() + " " +
                        std::to_string(*result.error().where().decoded_offset);
  };
  EXPECT_EQ(fault_of("{}"), "none");
  EXPECT_EQ(fault_of(""), "the record is no JSON object 0");
  EXPECT_EQ(fault_of("[1]"), "the record is no JSON object 0");
  EXPECT_EQ(fault_of(R"({"a": 1, "b": tru})"), "the record is no JSON object 14");
  EXPECT_EQ(fault_of(R"({"a": 1} x)"), "the record is no JSON object 9");
  EXPECT_EQ(fault_of("{}", "[]"), "the text of generated keys is no JSON object 0");
  EXPECT_EQ(matches_json(*parse("a"), "{").error().code(), ErrorCode::Corrupt);
}

TEST(QueryRecordMatch, IsUsedAgainAfterDamage) {
  RecordMatch match(*parse("a: 1"));
  EXPECT_TRUE(*match.matches(R"({"a": 1})"));
  EXPECT_FALSE(match.matches(R"({"a": 1, "b": {)"));
  EXPECT_FALSE(*match.matches(R"({"b": 1})"));
  RecordMatch moved = std::move(match);
  EXPECT_TRUE(*moved.matches(R"({"a": 1})"));
}

TEST(QueryRecordMatch, DeepRecordsNeedNoStack) {
  std::string record = R"({"a":)";
  for (int i = 0; i < 200000; ++i) {
    record += R"({"a":)";
  }
  record += "1" + std::string(200001, '}');
  EXPECT_TRUE(matches("*: 1", record));
  EXPECT_FALSE(matches("a.*.a.*.a.*.b: 1", record));
}

// The definition on a tree of JSON: where a path leads, each place once or more.
template <typename Function>
void for_each_place(std::span<const PathStep> steps, const nlohmann::json& value,
                    const Function& function) {
  if (steps.empty()) {
    function(value);
  }
  if (value.is_array()) {
    for (const auto& element : value) {
      for_each_place(steps, element, function);
    }
  }
  if (steps.empty()) {
    return;
  }
  if (steps.front().wildcard) {
    for_each_place(steps.subspan(1), value, function);
  }
  if (!value.is_object()) {
    return;
  }
  for (const auto& [key, member] : value.items()) {
    if (steps.front().wildcard) {
      for_each_place(steps, member, function);
    } else if (steps.front().key == key) {
      for_each_place(steps.subspan(1), member, function);
    }
  }
}

bool holds_naively(const Filter& filter, const nlohmann::json& record) {
  bool found = false;
  if (filter.path.space == Namespace::User) {
    const ValueMatch match(filter, {});
    for_each_place(filter.path.steps, record, [&](const nlohmann::json& value) {
      found = found || (value.is_object() ? match.exists() : match.json(value.dump()));
    });
  }
  return found;
}

bool holds_naively(const Node& node, const nlohmann::json& record) {
  const auto holds = [&](const Node& child) { return holds_naively(child, record); };
  switch (node.kind) {
    case Node::Kind::Filter:
      return holds_naively(node.filter, record);
    case Node::Kind::Not:
      return !holds(node.children.front());
    case Node::Kind::And:
      return std::all_of(node.children.begin(), node.children.end(), holds);
    case Node::Kind::Or:
      return std::any_of(node.children.begin(), node.children.end(), holds);
  }
  return false;
}

TEST(QueryProperties, RecordsMatchAsTheDefinitionSays) {
  RandomQuery random(1);
  for (int i = 0; i < 3000; ++i) {
    const Query query{.text = {}, .options = {}, .root = random.tree(2)};
    RecordMatch match(query);
    for (int j = 0; j < 3; ++j) {
      const std::string record = random.record(3);
      ASSERT_EQ(*match.matches(record), holds_naively(query.root, nlohmann::json::parse(record)))
          << to_string(query.root) << "\n"
          << record;
    }
  }
}

// The same question with every negation pushed down to the filters.
Node pushed_down(const Node& node, bool negated) {
  if (node.kind == Node::Kind::Not) {
    return pushed_down(node.children.front(), !negated);
  }
  Node out = node;
  if (node.kind == Node::Kind::Filter) {
    if (!negated) {
      return out;
    }
    Node negation;
    negation.kind = Node::Kind::Not;
    negation.children.push_back(std::move(out));
    return negation;
  }
  const bool conjunction = (node.kind == Node::Kind::And) != negated;
  out.kind = conjunction ? Node::Kind::And : Node::Kind::Or;
  for (Node& child : out.children) {
    child = pushed_down(Node(child), negated);
  }
  return out;
}

TEST(QueryProperties, DeMorgansLawsHold) {
  RandomQuery random(2);
  for (int i = 0; i < 2000; ++i) {
    const Node root = random.tree(4);
    Node negation;
    negation.kind = Node::Kind::Not;
    negation.children.push_back(root);
    RecordMatch plain(Query{.text = {}, .options = {}, .root = root});
    RecordMatch negated(Query{.text = {}, .options = {}, .root = negation});
    RecordMatch pushed(Query{.text = {}, .options = {}, .root = pushed_down(root, true)});
    for (int j = 0; j < 3; ++j) {
      const std::string record = random.record(3);
      const bool holds = *plain.matches(record);
      ASSERT_NE(*negated.matches(record), holds) << to_string(root) << "\n" << record;
      ASSERT_NE(*pushed.matches(record), holds) << to_string(root) << "\n" << record;
    }
  }
}

TEST(QueryProperties, TheTextOfATreeIsThatTree) {
  RandomQuery random(3);
  for (int i = 0; i < 5000; ++i) {
    const Node root = random.tree(5);
    const std::string text = to_string(root);
    const auto again = parse(text);
    ASSERT_TRUE(again.has_value()) << text << "\n" << explain(text, again.error());
    ASSERT_TRUE(same_tree(again->root, root)) << text << "\n" << to_string(again->root);
  }
}

}  // namespace
}  // namespace fonds::query
