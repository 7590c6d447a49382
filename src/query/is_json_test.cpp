#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "query/json_scanner.hpp"

namespace fonds::query {
namespace {

class IsJson : public testing::TestWithParam<std::string_view> {};
TEST_P(IsJson, IsAccepted) { EXPECT_TRUE(is_json(GetParam())); }
INSTANTIATE_TEST_SUITE_P(Texts, IsJson,
                         testing::Values("{}", "[]", " [ ] ", "0", "-0", "-0.5e-10", "1E400",
                                         "123456789012345678901234",
                                         R"({"a":[1,"x",{"":null}],"a":true})",
                                         R"("\"\\\/\b\f\n\r\t\u00eF")", "\"\xff\"",
                                         "\t{\r\n\"a\" : false , \"b\":[ [ ] ]}\n"));

class IsNoJson : public testing::TestWithParam<std::string_view> {};
TEST_P(IsNoJson, IsRefused) { EXPECT_FALSE(is_json(GetParam())); }
INSTANTIATE_TEST_SUITE_P(Texts, IsNoJson,
                         testing::Values("", " ", "{", "[", "]", "[1", "[1,]", "[,1]", "[1 2]",
                                         "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:1}",
                                         "01", "-", "1.", ".5", "1e", "1e+", "+1", "nan", "inf",
                                         "tru", "truex", "\"", "\"\\", "\"\\x\"", "\"\\u12g4\"",
                                         "\"\\u123", "\"a\nb\"", "{}{}", "[}", "{]", "1,2",
                                         std::string_view("1\0", 2),
                                         std::string_view("\"\\\0\"", 4)));

TEST(JsonNesting, MayHaveAnyDepth) {
  constexpr std::size_t kDepth = 1'000'000;
  EXPECT_TRUE(is_json(std::string(kDepth, '[') + std::string(kDepth, ']')));
  EXPECT_FALSE(is_json(std::string(kDepth, '[') + std::string(kDepth - 1, ']')));
}

}  // namespace
}  // namespace fonds::query
