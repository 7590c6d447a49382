#include "ops/json_difference.hpp"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace fonds::ops {
namespace {

struct JsonDifferenceCase {
  std::string name, a, b;
  std::string strict;  // empty: they are the same
  std::string loose;
};

constexpr std::uint64_t kMemory = std::uint64_t{1} << 20;

class FindJsonDifference : public ::testing::TestWithParam<JsonDifferenceCase> {};

TEST_P(FindJsonDifference, TellsWhereAndHow) {
  const JsonDifferenceCase& given = GetParam();
  for (const bool loose : {false, true}) {
    const auto found = JsonDifference(loose, kMemory).find(given.a, given.b);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->value_or(""), loose ? given.loose : given.strict);
  }
}

const JsonDifferenceCase kJsonDifferenceCases[] = {
    {"Blanks", R"({"a":1,"b":[ 2 ]})", R"( {"a" : 1, "b":[2]})", "", ""},
    {"OrderOfKeys", R"({"a":1,"b":2})", R"({"b":2,"a":1})", "", ""},
    {"LastOfEqualKeys", R"({"a":{"x":1},"a":3,"b":0})", R"({"b":0,"a":3})", "", ""},
    {"FirstOfEqualKeys", R"({"a":1,"a":3})", R"({"a":1})", "a: 3 in the input, 1 in the archive",
     "a: 3 in the input, 1 in the archive"},
    {"Escapes", R"({"\u0061":"\u00e4\/\n"})", "{\"a\":\"ä/\\u000a\"}", "", ""},
    {"EscapedKeysAreSortedByCharacters", R"({"\u007a":1,"b":2})", R"({"b":2,"z":1})", "", ""},
    {"HalfASurrogate", R"({"a":"\ud800"})", R"({"a":"\ufffd"})",
     "a: \xED\xA0\x80 in the input, \xEF\xBF\xBD in the archive",
     "a: \xED\xA0\x80 in the input, \xEF\xBF\xBD in the archive"},
    {"NumbersByText", R"({"a":{"b":[1,1.50]}})", R"({"a":{"b":[1,1.5]}})",
     "a.b[1]: 1.50 in the input, 1.5 in the archive", ""},
    {"SixDecimals", R"({"a":1e-7})", R"({"a":0.000000})",
     "a: 1e-7 in the input, 0.000000 in the archive", ""},
    {"OtherNumbers", R"({"a":1.5})", R"({"a":1.25})", "a: 1.5 in the input, 1.25 in the archive",
     "a: 1.5 in the input, 1.25 in the archive"},
    {"NumberAndText", R"({"a":1})", R"({"a":"1"})",
     "a: a number in the input, a string in the archive",
     "a: a number in the input, a string in the archive"},
    {"NullAndFalse", R"({"a":null})", R"({"a":false})",
     "a: null in the input, false in the archive", "a: null in the input, false in the archive"},
    {"ObjectAndArray", R"({"a":{}})", R"({"a":[]})",
     "a: an object in the input, an array in the archive",
     "a: an object in the input, an array in the archive"},
    {"LengthsOfArrays", R"({"a":[1]})", R"({"a":[1,2]})",
     "a: 1 elements in the input, 2 in the archive",
     "a: 1 elements in the input, 2 in the archive"},
    {"KeyOnlyHere", R"({"a":{"b":1,"c":2}})", R"({"a":{"c":2}})",
     "a: the key b is only in the input", "a: the key b is only in the input"},
    {"KeyOnlyThere", R"({"a":[{}]})", R"({"a":[{"z":0}]})",
     "a[0]: the key z is only in the archive", "a[0]: the key z is only in the archive"},
    {"LastKeyOnlyHere", R"({"a":1,"b":2})", R"({"a":1})", "the key b is only in the input",
     "the key b is only in the input"},
    {"Damage", R"({"a":1})", R"({"a":1)", "no JSON", "no JSON"},
};

INSTANTIATE_TEST_SUITE_P(Texts, FindJsonDifference, ::testing::ValuesIn(kJsonDifferenceCases),
                         [](const auto& tested) { return tested.param.name; });

TEST(JsonDifference, DeepNestingTakesNoStack) {
  const std::string deep(200'000, '[');
  const std::string close(200'000, ']');
  JsonDifference comparer(false, std::uint64_t{1} << 30);
  EXPECT_EQ(*comparer.find(deep + "1" + close, deep + " 1" + close), std::nullopt);
  EXPECT_TRUE(comparer.find(deep + "1" + close, deep + "2" + close)->has_value());
}

TEST(JsonDifference, AComparerCanBeUsedAgain) {
  JsonDifference difference(false, kMemory);
  EXPECT_TRUE(difference.find(R"({"a":1})", R"({"a":2})")->has_value());
  EXPECT_EQ(*difference.find(R"({"a": 1})", R"({"a":1})"), std::nullopt);
}

TEST(JsonDifferenceMemory, IsBoundedByItsLimit) {
  std::string values = "[0";
  for (int i = 0; i < 20000; ++i) {
    values += ",0";
  }
  JsonDifference comparer(false, kMemory);
  EXPECT_TRUE(comparer.find(values + "]", values + "]").has_value());
  const auto found = comparer.find(values + "]", values + ",1]");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code(), ErrorCode::LimitExceeded);
}

TEST(JsonDifferenceMemory, HoldsTextsWithEscapes) {
  const std::string text = std::string(kMemory, 'x') + "\\n";
  EXPECT_FALSE(JsonDifference(false, kMemory).find('"' + text + "\"", "\"\"").has_value());
}

}  // namespace
}  // namespace fonds::ops
