#include "format/clps/writing/last_wins.hpp"

#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace fonds::clps {
namespace {

using nlohmann::ordered_json;

struct LastWinsCase {
  const char* name;
  std::string_view text;
  std::string_view expected;
  std::uint64_t dropped;
  bool inside_arrays = false;
};

class ClpsLastWins : public testing::TestWithParam<LastWinsCase> {};
INSTANTIATE_TEST_SUITE_P(
    Texts, ClpsLastWins,
    testing::Values(
        LastWinsCase{"Empty", "{}", "{}", 0},
        LastWinsCase{"NothingTwice", " { \"a\" : 1.50 , \"b\" : { \"a\" : [ ] } } ",
                     " { \"a\" : 1.50 , \"b\" : { \"a\" : [ ] } } ", 0},
        LastWinsCase{"ScalarTwice", R"({"a":1,"b":2,"a":-0.0e1})", R"({"a":-0.0e1,"b":2})", 1},
        LastWinsCase{"ThreeTimes", R"({"a":1,"a":2,"a":"\u00e9\/"})", R"({"a":"\u00e9\/"})", 2},
        LastWinsCase{"OtherKinds", R"({"a":{"b":1},"c":0,"a":[1,{"x":1,"x":2}]})",
                     R"({"a":[1,{"x":1,"x":2}],"c":0})", 1},
        LastWinsCase{"ObjectsAreNotMerged", R"({"a":{"b":1},"a":{"c":2}})", R"({"a":{"c":2}})", 1},
        LastWinsCase{"InInnerObjects", R"({"o":{"p":{"a":1,"a":2},"p":{"a":3,"b":4,"a":5}}})",
                     R"({"o":{"p":{"a":5,"b":4}}})", 2},
        LastWinsCase{"SameKeyInOtherObjects", R"({"a":{"a":{"a":1}}})", R"({"a":{"a":{"a":1}}})",
                     0},
        LastWinsCase{"KeysByMeaning", R"({"\u0061":1,"a":2,"\/":3,"/":4,"\ud83d\ude00":5,"😀":6})",
                     R"({"\u0061":2,"\/":4,"\ud83d\ude00":6})", 3},
        LastWinsCase{"LoneSurrogatesAreOneKey", R"({"\ud800":1,"\udfff":2,"\ufffd":3,"\ud800x":4})",
                     R"({"\ud800":3,"\ud800x":4})", 2},
        LastWinsCase{"EmptyKeys", R"({"":1,"":2})", R"({"":2})", 1},
        LastWinsCase{"BracketsInStrings", R"({"a":"}\"","b":["]\"["],"a":"{"})",
                     R"({"a":"{","b":["]\"["]})", 1},
        LastWinsCase{"ArraysStay", R"({"a":[{"x":1,"x":2},[{"y":1,"y":2}]]})",
                     R"({"a":[{"x":1,"x":2},[{"y":1,"y":2}]]})", 0},
        LastWinsCase{"InsideArrays", R"({"a":[{"x":1,"x":2}, [{"y":1,"y":[]},3]],"a2":[]})",
                     R"({"a":[{"x":2}, [{"y":[]},3]],"a2":[]})", 2, true},
        LastWinsCase{"BlanksInAndAround", "\t{ \"a\" : 1 , \"b\"\n:\r2 , \"a\" : 3 }\n",
                     "\t{\"a\" : 3,\"b\"\n:\r2}\n", 1}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(ClpsLastWins, KeepsTheLastValueAtTheFirstPlace) {
  std::uint64_t dropped = 77;
  const auto text = last_wins(GetParam().text, dropped, GetParam().inside_arrays);
  ASSERT_TRUE(text.has_value()) << text.error().message();
  EXPECT_EQ(*text, GetParam().expected);
  EXPECT_EQ(dropped, GetParam().dropped);
}

struct BadObjectCase {
  const char* name;
  std::string_view text;
  std::uint64_t at;
};
class ClpsLastWinsOfBadText : public testing::TestWithParam<BadObjectCase> {};
INSTANTIATE_TEST_SUITE_P(
    Texts, ClpsLastWinsOfBadText,
    testing::Values(BadObjectCase{"Empty", "", 0}, BadObjectCase{"Array", " []", 1},
                    BadObjectCase{"NoEnd", "{", 1}, BadObjectCase{"CutKey", "{\"a", 3},
                    BadObjectCase{"CutEscape", "{\"a\\", 3}, BadObjectCase{"NoColon", "{\"a\"}", 4},
                    BadObjectCase{"NoValue", "{\"a\":}", 5}, BadObjectCase{"NoKey", "{1:2}", 1},
                    BadObjectCase{"CommaAtTheEnd", "{\"a\":1,}", 7},
                    BadObjectCase{"NoComma", "{\"a\":1\"b\":2}", 6},
                    BadObjectCase{"CutArray", "{\"a\":[1,", 8},
                    BadObjectCase{"OtherBracket", "{\"a\":1]", 6},
                    BadObjectCase{"TextBehind", "{} {}", 3}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(ClpsLastWinsOfBadText, TellsWhereItIsWrong) {
  std::uint64_t dropped = 0;
  const auto text = last_wins(GetParam().text, dropped, false);
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().code(), ErrorCode::Corrupt);
  EXPECT_EQ(text.error().where().decoded_offset, GetParam().at);
}

TEST(ClpsLastWinsText, NestingOfAnyDepthTakesNoStack) {
  constexpr std::size_t kDepth = 300000;
  std::string text, expected;
  for (std::size_t i = 0; i < kDepth; ++i) {
    text += "{\"a\":0,\"a\":";
    expected += "{\"a\":";
  }
  std::uint64_t dropped = 0;
  const auto out = last_wins(text + "1" + std::string(kDepth, '}'), dropped, true);
  ASSERT_TRUE(out.has_value());
  EXPECT_TRUE(*out == expected + "1" + std::string(kDepth, '}'));
  EXPECT_EQ(dropped, kDepth);
}

TEST(ClpsLastWinsText, ManyMembersOfOneKeyAreQuick) {
  std::string text = "{\"a\":0";
  for (int i = 0; i < 200000; ++i) {
    text += ",\"a\":{\"b\":1,\"b\":2},\"" + std::to_string(i) + "\":1";
  }
  std::uint64_t dropped = 0;
  const auto out = last_wins(text + "}", dropped, false);
  ASSERT_TRUE(out.has_value());
  EXPECT_TRUE(out->starts_with("{\"a\":{\"b\":2},\"0\":1,\"1\":1,"));
  EXPECT_EQ(dropped, 200001U);
}

std::string random_value(std::mt19937_64& random, int depth) {
  static constexpr std::string_view kBlanks[] = {"", "", " ", "\n"};
  static constexpr std::string_view kKeys[] = {"a", "b", "\\u0061", "c", "", "\\\""};
  const auto blank = [&] { return std::string(kBlanks[random() % 4]); };
  const std::uint64_t kind = depth == 0 ? 0 : depth > 4 ? 2 : random() % 4;
  if (kind > 1) {
    static constexpr std::string_view kScalars[] = {"1", "-2.5", "\"x}]\\\"\"", "null", "{}", "[]"};
    return std::string(kScalars[random() % 6]);
  }
  std::string text = kind == 0 ? "{" : "[";
  for (std::size_t i = random() % 5; i > 0; --i) {
    text += blank();
    if (kind == 0) {
      text += "\"" + std::string(kKeys[random() % 6]) + "\"" + blank() + ":" + blank();
    }
    text += random_value(random, depth + 1) + blank() + (i > 1 ? "," : "");
  }
  return text + (kind == 0 ? "}" : "]");
}

// nlohmann's parser lets the last of equal keys win too, at the place of the first.
TEST(ClpsLastWinsText, IsWhatAParserMakesOfIt) {
  std::mt19937_64 random(3);
  std::uint64_t changed = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::string text = random_value(random, 0);
    std::uint64_t dropped = 0;
    const auto out = last_wins(text, dropped, true);
    ASSERT_TRUE(out.has_value()) << text;
    ASSERT_EQ(ordered_json::parse(*out).dump(), ordered_json::parse(text).dump()) << text;
    ASSERT_EQ(*out == text, dropped == 0) << text;
    changed += dropped > 0 ? 1U : 0U;
    std::uint64_t again = 0;
    ASSERT_EQ(*last_wins(*out, again, true), *out);
    ASSERT_EQ(again, 0U) << *out;
  }
  EXPECT_GT(changed, 500U);
}

TEST(ClpsLastWinsText, CutAnywhereIsAnErrorOrStillAnObject) {
  const std::string text = R"({"a":[1,{"x":"\u00e9","x":2}],"b":{"c":1,"c":{}},"a":"\\"})";
  for (std::size_t size = 0; size < text.size(); ++size) {
    std::uint64_t dropped = 0;
    EXPECT_FALSE(last_wins(text.substr(0, size), dropped, size % 2 == 0).has_value()) << size;
  }
}

}  // namespace
}  // namespace fonds::clps
