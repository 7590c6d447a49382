#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fonds/error.hpp>
#include <fonds/query.hpp>

#include "query/tree.hpp"

namespace fonds::query {
namespace {

struct QueryTreeCase {
  std::string_view text;
  std::string_view tree;  // what to_string() makes of it
};
void PrintTo(const QueryTreeCase& c, std::ostream* out) { *out << c.text; }

std::string tree_of(std::string_view text, Meaning meaning) {
  const auto query = parse(text, {.meaning = meaning});
  return query ? to_string(query->root) : "error: " + query.error().message();
}

class QueryDefaultTrees : public testing::TestWithParam<QueryTreeCase> {};

TEST_P(QueryDefaultTrees, AreBuiltAsThePageSays) {
  EXPECT_EQ(tree_of(GetParam().text, Meaning::Default), GetParam().tree);
}

INSTANTIATE_TEST_SUITE_P(
    Precedence, QueryDefaultTrees,
    testing::Values(QueryTreeCase{"p: 1 or q: 1 and r: 1", "p: 1 or (q: 1 and r: 1)"},
                    QueryTreeCase{"p: 1 and q: 1 or r: 1", "(p: 1 and q: 1) or r: 1"},
                    QueryTreeCase{"not a: 1 and b: 1", "not a: 1 and b: 1"},
                    QueryTreeCase{"not (a: 1 and b: 1)", "not (a: 1 and b: 1)"},
                    QueryTreeCase{"NOT noT a", "not not *: a"},
                    QueryTreeCase{"a and b AND c", "*: a and *: b and *: c"},
                    QueryTreeCase{"(a and b) and c", "(*: a and *: b) and *: c"},
                    QueryTreeCase{"(((a)))", "*: a"},
                    QueryTreeCase{"\"a\"or\"b\"and\"c\"", "*: a or (*: b and *: c)"}));

INSTANTIATE_TEST_SUITE_P(
    Lists, QueryDefaultTrees,
    testing::Values(QueryTreeCase{"k: (a b)", "k: a or k: b"},
                    QueryTreeCase{"k: (or a b)", "k: a or k: b"},
                    QueryTreeCase{"k: (a or b)", "k: a or k: b"},
                    QueryTreeCase{"k: (and a b)", "k: a and k: b"},
                    QueryTreeCase{"k: (a and b and c)", "k: a and k: b and k: c"},
                    QueryTreeCase{"k: (not a b)", "not (k: a or k: b)"},
                    QueryTreeCase{"k: (not a)", "not k: a"}, QueryTreeCase{"k: (a)", "k: a"},
                    QueryTreeCase{"k: (a or (and b c))", "k: a or (k: b and k: c)"},
                    QueryTreeCase{"k: (a and (not b))", "k: a and not k: b"},
                    QueryTreeCase{"k: ((a b) c)", "(k: a or k: b) or k: c"},
                    QueryTreeCase{"k: (\"and\" *)", "k: \"and\" or k: *"},
                    QueryTreeCase{"not k: (a b)", "not (k: a or k: b)"}));

INSTANTIATE_TEST_SUITE_P(
    Braces, QueryDefaultTrees,
    testing::Values(QueryTreeCase{"a: {b: {c: 1}}", "a.b.c: 1"},
                    QueryTreeCase{"a.b: {c > 1 or d}", "a.b.c > 1 or a.b.*: d"},
                    QueryTreeCase{"a: {not b: (x y)}", "not (a.b: x or a.b: y)"},
                    QueryTreeCase{"a: {*: {b: 1 and *.c: 1}}", "a.*.b: 1 and a.*.c: 1"},
                    QueryTreeCase{"a.*: {x}", "a.*: x"}, QueryTreeCase{"*: {x}", "*: x"},
                    QueryTreeCase{"$a: {b: 1}", "$a.b: 1"},
                    QueryTreeCase{"a: {\\@b: 1}", "a.\\@b: 1"},
                    QueryTreeCase{"a: {b: 1} and c: 1", "a.b: 1 and c: 1"}));

INSTANTIATE_TEST_SUITE_P(
    Keys, QueryDefaultTrees,
    testing::Values(
        QueryTreeCase{"a.*.*.c: 1", "a.*.c: 1"}, QueryTreeCase{"**: 1", "\\*\\*: 1"},
        QueryTreeCase{"k*y: 1", "k\\*y: 1"}, QueryTreeCase{"k?: 1", "k\\?: 1"},
        QueryTreeCase{"\\*: 1", "\\*: 1"}, QueryTreeCase{"\"a.b\": 1", "a.b: 1"},
        QueryTreeCase{"\"a b\".c: 1",
                      "error: expected 'and', 'or' or the end of the "
                      "query, found '.c'; a text with blanks stands "
                      "in quotes"},
        QueryTreeCase{"\"a b.c\": 1", "a\\u0020b.c: 1"}, QueryTreeCase{"a\\.b: 1", "a\\.b: 1"},
        QueryTreeCase{"a\\u002eb: 1", "a\\.b: 1"}, QueryTreeCase{"\"k\\:y\": 1", "k\\u003ay: 1"},
        QueryTreeCase{"\\ud83d\\ude00: 1", "😀: 1"}, QueryTreeCase{"@a.b: 1", "@a.b: 1"},
        QueryTreeCase{"@@a: 1", "@\\@a: 1"}, QueryTreeCase{"\\u0040a: 1", "\\@a: 1"},
        QueryTreeCase{"@*: 1", "@*: 1"}, QueryTreeCase{"\"@a\": 1", "@a: 1"},
        QueryTreeCase{"!a > 1", "!a > 1"}, QueryTreeCase{"#a.$b: 1", "#a.\\$b: 1"},
        QueryTreeCase{"\"not\": 1", "\"not\": 1"},
        QueryTreeCase{"timestamp: date", "timestamp: date"}));

INSTANTIATE_TEST_SUITE_P(EmptyKeys, QueryDefaultTrees,
                         testing::Values(QueryTreeCase{"\"\": v", "\"\": v"},
                                         QueryTreeCase{"a: {\"\": v}", "a.\"\": v"},
                                         QueryTreeCase{"a.\"\": v", "a.\"\": v"},
                                         QueryTreeCase{"\"\".b: v", "\"\".b: v"},
                                         QueryTreeCase{"a.\"\".b > 1", "a.\"\".b > 1"},
                                         QueryTreeCase{"\"\".\"\": v", "\"\".\"\": v"},
                                         QueryTreeCase{"@\"\".*: v", "@\"\".*: v"},
                                         QueryTreeCase{"a: \"\"", "a: \"\""},
                                         QueryTreeCase{"\"\"", "*: \"\""}));

INSTANTIATE_TEST_SUITE_P(
    Values, QueryDefaultTrees,
    testing::Values(
        QueryTreeCase{"a: \"x y\"", "a: \"x y\""}, QueryTreeCase{"a: x***y*", "a: x*y*"},
        QueryTreeCase{"a: **", "a: *"}, QueryTreeCase{"a: \"*\"", "a: *"},
        QueryTreeCase{"a: \\**", "a: \"\\**\""}, QueryTreeCase{"a: *\\*", "a: \"*\\*\""},
        QueryTreeCase{"a: \\u002a", "a: \"\\*\""}, QueryTreeCase{"a: x\\\\", "a: \"x\\u005c\""},
        QueryTreeCase{"a: \"x\\\\\" and b: \"y\"", "a: \"x\\u005c\" and b: y"},
        QueryTreeCase{"a: \"\\t\\b\\u0001\"", "a: \"\\u0009\\u0008\\u0001\""},
        QueryTreeCase{"a: \\(\\)\\{\\}\\<\\>\\@\\$\\!\\#\\:", "a: \"(){}<>@$!#:\""},
        QueryTreeCase{"a: \\\"", "a: \"\\u0022\""}, QueryTreeCase{"a: \\ud83d\\ude00", "a: \"😀\""},
        QueryTreeCase{"a: ,,", "a: \",,\""}, QueryTreeCase{"a: [1,2]", "a: \"[1,2]\""},
        QueryTreeCase{"a>=1e3", "a >= 1e3"}, QueryTreeCase{"a<\"-2.5\"", "a < -2.5"},
        QueryTreeCase{"\xef\xbb\xbf"
                      "a: 1",
                      "a: 1"}));

class QueryClpsTrees : public testing::TestWithParam<QueryTreeCase> {};

TEST_P(QueryClpsTrees, AreGroupedAsClpsGroups) {
  EXPECT_EQ(tree_of(GetParam().text, Meaning::ClpS), GetParam().tree);
}

// What lists without a value do was seen in clp-s 0.12.1b0.
INSTANTIATE_TEST_SUITE_P(
    All, QueryClpsTrees,
    testing::Values(
        QueryTreeCase{"p: 1 or q: 1 and r: 1", "(p: 1 or q: 1) and r: 1"},
        QueryTreeCase{"a or b and c or d or e", "((*: a or *: b) and *: c) or *: d or *: e"},
        QueryTreeCase{"not a: 1 and b: 1", "not a: 1 and b: 1"},
        QueryTreeCase{"p: (not 0 1)", "not p: 0 and not p: 1"},
        QueryTreeCase{"p: (and 0 1)", "p: 0 and p: 1"}, QueryTreeCase{"p: (0 1)", "p: 0 or p: 1"},
        QueryTreeCase{"v > hello or level: INFO", "level: INFO"},
        QueryTreeCase{"not (level: INFO and v > hello)", "not level: INFO"},
        QueryTreeCase{"p: () or level: INFO", "level: INFO"},
        QueryTreeCase{"p: (and) and level: INFO", "level: INFO"},
        QueryTreeCase{"p: (and) or level: INFO", "level: INFO"},
        QueryTreeCase{"not p: () and level: INFO", "level: INFO"},
        QueryTreeCase{"not (p: () or level: WARN)", "not level: WARN"},
        QueryTreeCase{"p: (and)", "!*: *"}, QueryTreeCase{"p: (not)", "!*: *"},
        QueryTreeCase{"not p: ()", "!*: *"}, QueryTreeCase{"p: (and) or v > x", "!*: *"},
        QueryTreeCase{"not (p: () and q: ())", "!*: *"},
        QueryTreeCase{"a: \"x\\\\\"", "a: \"x\\u005c\""}, QueryTreeCase{"date: 1", "date: 1"}));

struct QueryErrorCase {
  std::string_view text;
  std::size_t at;
  std::string_view message;
};
void PrintTo(const QueryErrorCase& c, std::ostream* out) { *out << c.text; }

void expect_error(const QueryErrorCase& wrong, Meaning meaning) {
  const auto query = parse(wrong.text, {.meaning = meaning});
  ASSERT_FALSE(query.has_value()) << to_string(query->root);
  EXPECT_EQ(query.error().code(), ErrorCode::BadArgument);
  EXPECT_EQ(query.error().where().decoded_offset, wrong.at);
  EXPECT_THAT(query.error().message(), testing::HasSubstr(wrong.message));
}

class QueryErrors : public testing::TestWithParam<QueryErrorCase> {};

TEST_P(QueryErrors, SayWhatWasFoundAndExpectedAndWhere) {
  expect_error(GetParam(), Meaning::Default);
}

INSTANTIATE_TEST_SUITE_P(
    Grammar, QueryErrors,
    testing::Values(
        QueryErrorCase{"", 0, "expected a query, found nothing"},
        QueryErrorCase{"  \n", 3, "expected a query, found nothing"},
        QueryErrorCase{"a:", 2, "expected a value after ':', found the end of the query"},
        QueryErrorCase{"a: <1", 3, "expected a value after ':', found '<'"},
        QueryErrorCase{"a >", 3, "expected a number or a timestamp after '>', found the end"},
        QueryErrorCase{"a: 1 b: 1", 5, "expected 'and', 'or' or the end of the query, found 'b'"},
        QueryErrorCase{"s: two words", 7, "; a text with blanks stands in quotes"},
        QueryErrorCase{"p = 1", 2, "; equality is written 'key: value'"},
        QueryErrorCase{"p && q", 2, "; write 'and'"},
        QueryErrorCase{"a or", 4, "expected a key or a value, found the end of the query"},
        QueryErrorCase{"not", 3, "expected a key or a value, found the end of the query"},
        QueryErrorCase{"()", 1, "expected a key or a value, found ')'"},
        QueryErrorCase{"a: {}", 4, "expected a key or a value, found '}'"},
        QueryErrorCase{"(a", 2, "expected 'and', 'or' or ')', found the end of the query"},
        QueryErrorCase{"a: {b", 5, "expected 'and', 'or' or '}', found the end of the query"},
        QueryErrorCase{"a)", 1, "expected 'and', 'or' or the end of the query, found ')'"},
        QueryErrorCase{"s: and", 3, "expected a value after ':', found 'and'"},
        QueryErrorCase{"k: (a b", 7, "found the end of the query"},
        QueryErrorCase{"k: ()", 4, "expected a value in the list, found ')'"},
        QueryErrorCase{"k: (and)", 7, "expected a value in the list, found ')'"},
        QueryErrorCase{"k: (a and)", 9, "expected a value in the list, found ')'"},
        QueryErrorCase{"k: (a b or c)", 8, "expected a value or ')' in the list, found 'or'"},
        QueryErrorCase{"k: (a or b c)", 11, "expected 'or' or ')' in the list, found 'c'"},
        QueryErrorCase{"k: (a or b and c)", 11, "expected 'or' or ')' in the list, found 'and'"},
        QueryErrorCase{"k: (a and not b)", 10, "found 'not', which stands only first in a list"},
        QueryErrorCase{"k: (a: 1)", 5, "filters on keys below this one stand in braces"},
        QueryErrorCase{"a: {$b: 1}", 4, "found a namespace within braces"}));

INSTANTIATE_TEST_SUITE_P(
    Ranges, QueryErrors,
    testing::Values(
        QueryErrorCase{"v > hello", 4, "expected a number or a timestamp after '>', found 'hello'"},
        QueryErrorCase{"v <= *", 5, "expected a number or a timestamp after '<=', found '*'"},
        QueryErrorCase{"v > true", 4, "found 'true'"},
        QueryErrorCase{"v > null", 4, "found 'null'"},
        QueryErrorCase{"v > 1e999", 4, "found '1e999'"},
        QueryErrorCase{"v > hello or level: INFO", 4, "found 'hello'"},
        QueryErrorCase{"v > (1 2)", 4, "found '('"}));

INSTANTIATE_TEST_SUITE_P(
    Characters, QueryErrors,
    testing::Values(
        QueryErrorCase{"a: \"x", 3, "found a quote that is never closed"},
        QueryErrorCase{"a: \"x\\\"", 3, "found a quote that is never closed"},
        QueryErrorCase{"a: x\\q", 4, "found the unknown escape '\\q'"},
        QueryErrorCase{"a: \"x\\é\"", 5, "found the unknown escape '\\é'"},
        QueryErrorCase{"a: \\b", 3, "stands only within quotes"},
        QueryErrorCase{"a: \\", 3, "found a backslash at the end of the query"},
        QueryErrorCase{"a: \\.", 3, "found the escape '\\.' in a value"},
        QueryErrorCase{"a: \\u12", 3, "expected four hexadecimal digits"},
        QueryErrorCase{"a: \"\\u12g4\"", 4, "expected four hexadecimal digits"},
        QueryErrorCase{"a: \"x\\ud83dy\"", 5, "found half of a pair of surrogates, '\\ud83d'"},
        QueryErrorCase{"a: \\ude00\\ud83d", 3, "found half of a pair of surrogates, '\\ude00'"},
        QueryErrorCase{"a: \xff", 3, "expected UTF-8, found the octet \\xff"}));

INSTANTIATE_TEST_SUITE_P(
    Keys, QueryErrors,
    testing::Values(QueryErrorCase{"a.: 1", 2, "found an empty key in a path"},
                    QueryErrorCase{".a: 1", 0, "found an empty key in a path"},
                    QueryErrorCase{"a..b: 1", 2, "found an empty key in a path"},
                    QueryErrorCase{"\"a.\": 1", 3, "found an empty key in a path"},
                    QueryErrorCase{"@: 1", 1, "found an empty key in a path"},
                    QueryErrorCase{"a\"\": 1", 1, "expected a dot between a key and"},
                    QueryErrorCase{"\"\"\"\": 1", 2, "expected a dot between a key and"},
                    QueryErrorCase{"a.\"\"b: 1", 4, "expected a dot or the key's end"},
                    QueryErrorCase{"a.\"\"", 4, "expected ':' or a range operator after the key"},
                    QueryErrorCase{"a. \"\": 1", 3, "expected 'and', 'or' or"},
                    QueryErrorCase{"\"a\"b: 1", 3, "expected 'and', 'or' or"}));

INSTANTIATE_TEST_SUITE_P(
    Timestamps, QueryErrors,
    testing::Values(
        QueryErrorCase{"timestamp(\"1\")", 0, "expected a key before 'timestamp('"},
        QueryErrorCase{"ts: timestamp(1)", 14, "expected a time in quotes, found '1'"},
        QueryErrorCase{"ts: timestamp(\"bad\")", 15, "found 'bad'"},
        QueryErrorCase{"ts: timestamp(\"2024-03-01\")", 15, "found '2024-03-01'"},
        QueryErrorCase{"ts: timestamp(\"1\" \"\\E\")", 18, "expected ',' or ')' after '\"1\"'"},
        QueryErrorCase{"ts: timestamp(\"1\",)", 18, "expected a pattern in quotes after ','"},
        QueryErrorCase{"ts: timestamp(\"1\", \"\\E\",)", 23, "expected ')' after"},
        QueryErrorCase{"ts: timestamp(\"1\", \"\\Q\")", 20, "\\Q"},
        QueryErrorCase{"ts: timestamp(\"x\", \"\\E\")", 15, "expected a time of the pattern '\\E'"},
        QueryErrorCase{"ts: timestamp (\"1\")", 14, "found '('"},
        QueryErrorCase{"ts: TIMESTAMP(\"1\")", 13, "found '('"},
        QueryErrorCase{"ts: (timestamp(\"1\"))", 5, "a timestamp stands alone behind its key"}));

class QueryClpsErrors : public testing::TestWithParam<QueryErrorCase> {};

TEST_P(QueryClpsErrors, AreThoseOfClps) { expect_error(GetParam(), Meaning::ClpS); }

INSTANTIATE_TEST_SUITE_P(
    All, QueryClpsErrors,
    testing::Values(
        QueryErrorCase{"not v > hello", 8, "nothing can match"},
        QueryErrorCase{"v > hello and level: INFO", 4, "nothing can match"},
        QueryErrorCase{"not (level: INFO or v > hello)", 24, "nothing can match"},
        QueryErrorCase{"p: ()", 3, "nothing can match"},
        QueryErrorCase{"p: (or)", 3, "nothing can"},
        QueryErrorCase{"not p: (and)", 7, "nothing can match"},
        QueryErrorCase{"not (p: (not) or level: W)", 8, "nothing can match"},
        QueryErrorCase{"p: (and) and v > x", 3, "nothing can match"},
        QueryErrorCase{"p: (0 or 1)", 6, "found 'or', which clp-s takes only before all values"},
        QueryErrorCase{"p: (a (b))", 6, "expected a value in the list, found '('"},
        QueryErrorCase{"\"\": x", 1, "found an empty key in a path"},
        QueryErrorCase{"a.\"\": x", 2, "expected 'and', 'or' or"},
        QueryErrorCase{"s: key\\:*", 6, "clp-s takes a colon only within quotes"},
        QueryErrorCase{"s: \\ud83d\\ude00", 3, "clp-s takes such a character only as it is"},
        QueryErrorCase{"a: \"x\\\\\" and b: \"y\"", 18, "found a quote that is never closed"},
        QueryErrorCase{"a: \"x\\\"", 5, "found a backslash at the end"},
        QueryErrorCase{"ts > date(\"1\")", 9, "found '('"}));

// Q1: the first quoted text goes on to the quote before y.
TEST(QueryClps, AQuotedTextIsAsLongAsItCanBe) {
  EXPECT_EQ(tree_of("a: \"x\\\" b: \"", Meaning::ClpS), "a: \"x\\u0022 b: \"");
  EXPECT_EQ(tree_of("\"a\\\\\": 1", Meaning::ClpS), "a\\\\: 1");
}

TEST(QueryLimits, DepthIsBounded) {
  const auto nested = [](std::size_t depth, std::string_view open, std::string_view close) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) {
      text += open;
    }
    text += 'x';
    for (std::size_t i = 0; i < depth; ++i) {
      text += close;
    }
    return text;
  };
  for (const Meaning meaning : {Meaning::Default, Meaning::ClpS}) {
    EXPECT_TRUE(parse(nested(900, "(", ")"), {.meaning = meaning}));
    EXPECT_TRUE(parse(nested(900, "not ", ""), {.meaning = meaning}));
    EXPECT_TRUE(parse(nested(900, "a:{", "}"), {.meaning = meaning}));
    for (const auto& hostile : {nested(100000, "(", ")"), nested(100000, "not ", ""),
                                nested(100000, "a:{", "}"), nested(100000, "(", "")}) {
      const auto query = parse(hostile, {.meaning = meaning});
      ASSERT_FALSE(query);
      EXPECT_THAT(query.error().message(), testing::HasSubstr("nested more than 1000 levels"));
    }
  }
  EXPECT_FALSE(parse("k: " + nested(100000, "(", ")")));
}

// In clp-s's grouping each change of operator is one level more.
TEST(QueryLimits, DepthOfAlternatingOperatorsIsBounded) {
  std::string text = "x";
  for (int i = 0; i < 20000; ++i) {
    text += i % 2 == 0 ? " or x" : " and x";
  }
  EXPECT_TRUE(parse(text));
  EXPECT_FALSE(parse(text, {.meaning = Meaning::ClpS}));
}

TEST(QueryLimits, LengthIsBounded) {
  EXPECT_TRUE(parse("a: " + std::string(1000000, 'x')));
  EXPECT_FALSE(parse("a: " + std::string(1100000, 'x')));
}

TEST(QueryLimits, LongKeysBeforeLongListsDoNotFillTheMemory) {
  std::string text = std::string(300000, 'k') + ": (";
  for (int i = 0; i < 1000; ++i) {
    text += "v ";
  }
  const auto query = parse(text + ")");
  ASSERT_FALSE(query);
  EXPECT_THAT(query.error().message(), testing::HasSubstr("found too many values"));
}

TEST(QueryLimits, TheNumberOfValuesIsBounded) {
  const auto list = [](int values) {
    std::string text = "k: (";
    for (int i = 0; i < values; ++i) {
      text += "v ";
    }
    return text + ")";
  };
  EXPECT_TRUE(parse(list(65536)));
  EXPECT_FALSE(parse(list(65537)));
}

TEST(QueryExplain, PointsAtTheFault) {
  const std::string text = "level: INFO and n = 1";
  EXPECT_EQ(explain(text, parse(text).error()),
            "expected 'and', 'or' or the end of the query, found '='; equality is written "
            "'key: value'\n"
            "  level: INFO and n = 1\n"
            "                    ^");
}

TEST(QueryExplain, CountsCodePointsAndKeepsTabs) {
  const std::string text = "ключ:\t\"é\" x";
  EXPECT_THAT(explain(text, parse(text).error()), testing::EndsWith("\n  ключ:\t\"é\" x\n"
                                                                    "       \t    ^"));
}

TEST(QueryExplain, ShowsOnlyTheLineOfTheFault) {
  const std::string text = "a: 1\r\nand b: (\r\nand c: 1\r\n";
  EXPECT_THAT(explain(text, parse(text).error()), testing::EndsWith("\n  and c: 1\n       ^"));
}

TEST(QueryExplain, PointsBehindTheEnd) {
  EXPECT_THAT(explain("a:", parse("a:").error()), testing::EndsWith("\n  a:\n    ^"));
  EXPECT_THAT(explain("a:\n", parse("a:\n").error()), testing::EndsWith("\n  \n  ^"));
  EXPECT_EQ(explain("a", Error(ErrorCode::Io, "no place")), "no place");
}

TEST(QueryExplain, IsSafeForTerminals) {
  const std::string text = "a: \x1b[31m )";
  EXPECT_THAT(explain(text, parse(text).error()),
              testing::EndsWith("\n  a: \\x1b[31m )\n              ^"));
}

std::string path_text(std::string_view text, Meaning meaning = Meaning::Default) {
  const auto path = parse_path(text, meaning);
  if (!path) {
    return "error at " + std::to_string(*path.error().where().decoded_offset);
  }
  Node node;
  node.filter.path = *path;
  node.filter.literal.exists = true;
  return to_string(node);
}

TEST(QueryPaths, AreReadAsOptionsGiveThem) {
  EXPECT_EQ(path_text("a.b"), "a.b: *");
  EXPECT_EQ(path_text("a\\.b"), "a\\.b: *");
  EXPECT_EQ(path_text("@k"), "@k: *");
  EXPECT_EQ(path_text("key with space.x"), "key\\u0020with\\u0020space.x: *");
  EXPECT_EQ(path_text("a.*"), "a.*: *");
  EXPECT_EQ(path_text("\"a.b c\""), "a.b\\u0020c: *");
  EXPECT_EQ(path_text("k\"q"), "k\\\"q: *");
}

TEST(QueryPaths, MayHaveEmptyKeys) {
  EXPECT_EQ(path_text("\"\""), "\"\": *");
  EXPECT_EQ(path_text("a.\"\".b"), "a.\"\".b: *");
  EXPECT_EQ(path_text("\"\".\"\""), "\"\".\"\": *");
  EXPECT_EQ(path_text("a\\.\"\""), "a\\.\\\"\\\": *");
}

TEST(QueryPaths, RefuseEmptyTokens) {
  EXPECT_EQ(path_text(""), "error at 0");
  EXPECT_EQ(path_text("a."), "error at 2");
  EXPECT_EQ(path_text(".a"), "error at 0");
  EXPECT_EQ(path_text("a..b"), "error at 2");
  EXPECT_EQ(path_text("\"\"."), "error at 3");
  EXPECT_EQ(path_text("a\\q"), "error at 1");
}

TEST(QueryPaths, OfClpsKnowNoQuotes) {
  EXPECT_EQ(path_text("\"a\"", Meaning::ClpS), "\\\"a\\\": *");
  EXPECT_EQ(path_text("\"\"", Meaning::ClpS), "\\\"\\\": *");
  EXPECT_EQ(path_text("a.", Meaning::ClpS), "error at 2");
}

TEST(QueryLiterals, HoldAllThatTheyCanMean) {
  const auto literal = [](std::string_view text, Meaning meaning = Meaning::Default) {
    return parse("k: " + std::string(text), {.meaning = meaning})->root.filter.literal;
  };
  const Literal number = literal("+42");
  EXPECT_EQ(number.number->as_int64(), 42);
  EXPECT_EQ(number.pattern, "+42");
  EXPECT_EQ(number.typed, "+42");
  EXPECT_EQ(number.at, 3U);
  EXPECT_EQ(literal("\"true\"").boolean, true);
  EXPECT_EQ(literal("false").boolean, false);
  EXPECT_EQ(literal("True").boolean, std::nullopt);
  EXPECT_TRUE(literal("nul\\u006c").null);
  EXPECT_TRUE(literal("**").exists);
  EXPECT_EQ(literal("**").pattern, std::nullopt);
  EXPECT_FALSE(literal("\\*").exists);
  EXPECT_EQ(literal("\\*").typed, "*");
  EXPECT_EQ(literal("\\*").pattern, "\\*");
  EXPECT_FALSE(literal("4?").number.has_value());
  EXPECT_TRUE(literal("99999999999999999999").number->is_integer());
  EXPECT_FALSE(literal("99999999999999999999", Meaning::ClpS).number->is_integer());
  EXPECT_FALSE(literal(std::string(400, '9'), Meaning::ClpS).number.has_value());
}

TEST(QueryLiterals, TimestampsAreInstants) {
  const auto instant = [](std::string_view text) {
    return parse("ts > " + std::string(text))->root.filter.literal.instant;
  };
  EXPECT_EQ(instant("timestamp(\"2024-03-01T00:00:01Z\")"), 1709251201000000000);
  EXPECT_EQ(instant("date( \"2024-03-01T02:00:01+02:00\" )"), 1709251201000000000);
  EXPECT_EQ(instant("timestamp(\"1709251201000\")"), 1709251201000000000);
  EXPECT_EQ(instant("timestamp(\"01/03/2024 00:00:01\", \"\\d/\\m/\\Y \\H:\\M:\\S\")"),
            1709251201000000000);
  EXPECT_EQ(instant("timestamp(\"9999-12-31 23:59:59\")"), 9223372036854775807);
}

TEST(QueryTrees, MadeByHandHaveATextToo) {
  Node node;
  node.filter.path.steps.push_back({.wildcard = false, .key = "ts"});
  node.filter.comparison = Comparison::GreaterEqual;
  node.filter.literal.instant = -5;
  EXPECT_EQ(to_string(node), "ts >= timestamp(\"-5\", \"\\N\")");
  EXPECT_TRUE(same_tree(parse(to_string(node))->root, node));
}

}  // namespace
}  // namespace fonds::query
