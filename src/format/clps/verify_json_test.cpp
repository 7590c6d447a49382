#include "format/clps/verify_json.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace fonds::clps {
namespace {

class ClpsIsJson : public testing::TestWithParam<std::string_view> {};
TEST_P(ClpsIsJson, IsAccepted) { EXPECT_TRUE(is_json(GetParam())); }
INSTANTIATE_TEST_SUITE_P(Texts, ClpsIsJson,
                         testing::Values("{}", "[]", " [ ] ", "0", "-0", "-0.5e-10", "1E400",
                                         "123456789012345678901234",
                                         R"({"a":[1,"x",{"":null}],"a":true})",
                                         R"("\"\\\/\b\f\n\r\t\u00eF")", "\"\xff\"",
                                         "\t{\r\n\"a\" : false , \"b\":[ [ ] ]}\n"));

class ClpsIsNoJson : public testing::TestWithParam<std::string_view> {};
TEST_P(ClpsIsNoJson, IsRefused) { EXPECT_FALSE(is_json(GetParam())); }
INSTANTIATE_TEST_SUITE_P(Texts, ClpsIsNoJson,
                         testing::Values("", " ", "{", "[", "]", "[1", "[1,]", "[,1]", "[1 2]",
                                         "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:1}",
                                         "01", "-", "1.", ".5", "1e", "1e+", "+1", "nan", "inf",
                                         "tru", "truex", "\"", "\"\\", "\"\\x\"", "\"\\u12g4\"",
                                         "\"\\u123", "\"a\nb\"", "{}{}", "[}", "{]", "1,2",
                                         std::string_view("1\0", 2),
                                         std::string_view("\"\\\0\"", 4)));

TEST(ClpsJsonNesting, MayHaveAnyDepth) {
  constexpr std::size_t kDepth = 1'000'000;
  EXPECT_TRUE(is_json(std::string(kDepth, '[') + std::string(kDepth, ']')));
  EXPECT_FALSE(is_json(std::string(kDepth, '[') + std::string(kDepth - 1, ']')));
}

}  // namespace
}  // namespace fonds::clps
