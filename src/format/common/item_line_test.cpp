#include "format/common/item_line.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fonds {
namespace {

using testing::HasSubstr;

struct LineCase {
  const char* name;
  std::string line;
  std::string data;
  std::optional<std::uint64_t> block = {}, item = {};
};
class ParseItemLine : public testing::TestWithParam<LineCase> {};
INSTANTIATE_TEST_SUITE_P(
    Lines, ParseItemLine,
    testing::Values(
        LineCase{"data", R"({"data":"a"})", "a"}, LineCase{"empty", R"({"data":""})", ""},
        LineCase{"places", R"({"block":32768,"item":18446744073709551615,"data":"a"})", "a", 32768,
                 ~std::uint64_t{0}},
        LineCase{"base64", R"({"data_base64":"/wA="})", std::string("\xff\0", 2)},
        LineCase{"urlSafeWithoutPadding", R"({"data_base64":"_wA"})", std::string("\xff\0", 2)},
        LineCase{"escapes", R"({"data":"\u0000\n\ud83d\ude00\/"})",
                 std::string("\0\n\xf0\x9f\x98\x80/", 7)},
        LineCase{"otherMembers", R"({"x":[{"data":1},[]],"data":"a","y":null,"z":-1.5})", "a"},
        LineCase{"placesInside", R"({"x":{"block":1,"item":"b"},"data":"a"})", "a"},
        LineCase{"white", " {\t\"data\" : \"a\" } \r", "a"},
        LineCase{"lastPlaceCounts", R"({"item":1,"item":2,"data":"a"})", "a", {}, 2}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(ParseItemLine, GivesDataAndPlace) {
  const auto line = parse_item_line(GetParam().line);
  ASSERT_TRUE(line.has_value()) << line.error().message();
  EXPECT_EQ(line->data, GetParam().data);
  EXPECT_EQ(line->place.block, GetParam().block);
  EXPECT_EQ(line->place.item, GetParam().item);
}

struct WrongCase {
  const char* name;
  std::string line;
  const char* why;
};
class ParseWrongItemLine : public testing::TestWithParam<WrongCase> {};
INSTANTIATE_TEST_SUITE_P(
    Lines, ParseWrongItemLine,
    testing::Values(
        WrongCase{"nothing", "", "broken at its byte"},
        WrongCase{"text", "data", "broken at its byte"},
        WrongCase{"cut", R"({"data":"a")", "broken at its byte"},
        WrongCase{"two", R"({"data":"a"}{"data":"b"})", "broken at its byte"},
        WrongCase{"array", R"([{"data":"a"}])", "is no JSON object"},
        WrongCase{"string", R"("data")", "is no JSON object"},
        WrongCase{"none", R"({"block":1})", "neither data nor data_base64"},
        WrongCase{"inside", R"({"x":{"data":"a"}})", "neither data nor data_base64"},
        WrongCase{"both", R"({"data":"a","data_base64":"YQ=="})", "more than one"},
        WrongCase{"twice", R"({"data":"a","data":"b"})", "more than one"},
        WrongCase{"number", R"({"data":1})", "no string"},
        WrongCase{"object", R"({"data":{}})", "no string"},
        WrongCase{"list", R"({"data_base64":["YQ=="]})", "no string"},
        WrongCase{"badBase64", R"({"data_base64":"a%"})", "not Base64"},
        WrongCase{"negative", R"({"block":-1,"data":"a"})", "no whole number"},
        WrongCase{"fraction", R"({"item":1.0,"data":"a"})", "no whole number"},
        WrongCase{"tooLarge", R"({"item":18446744073709551616,"data":"a"})", "no whole number"},
        WrongCase{"notUtf8", "{\"data\":\"\xff\"}", "broken at its byte"},
        WrongCase{"loneSurrogate", R"({"data":"\ud800"})", "broken at its byte"},
        WrongCase{"deep", std::string(200000, '['), "is no JSON object"},
        WrongCase{"deepInside", R"({"x":)" + std::string(200000, '['), "broken at its byte"}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(ParseWrongItemLine, IsCorruptAndSaysWhy) {
  const auto line = parse_item_line(GetParam().line);
  ASSERT_FALSE(line.has_value());
  EXPECT_EQ(line.error().code(), ErrorCode::Corrupt);
  EXPECT_THAT(line.error().message(), HasSubstr(GetParam().why));
}

TEST(EmitItemLine, WritesTextAsTextAndOtherBytesAsBase64) {
  std::string out;
  emit_item_line(out, {.block = 32768, .item = 3}, as_bytes("a\"\n"));
  emit_item_line(out, {}, as_bytes("\xff"));
  EXPECT_EQ(out,
            "{\"block\":32768,\"item\":3,\"data\":\"a\\\"\\n\"}\n{\"data_base64\":\"/w==\"}\n");
}

TEST(EmitItemLine, EveryByteComesBack) {
  std::string bytes;
  for (int c = 0; c < 256; ++c) {
    bytes += static_cast<char>(c);
  }
  const std::string ascii = bytes.substr(0, 128);
  for (const std::string& data : {bytes, ascii, std::string(), std::string("\xe2\x80\xa8")}) {
    std::string line;
    emit_item_line(line, {}, as_bytes(data));
    ASSERT_EQ(line.find('\n'), line.size() - 1);
    const auto parsed = parse_item_line(line);
    ASSERT_TRUE(parsed.has_value()) << parsed.error().message();
    EXPECT_EQ(parsed->data, data);
  }
}

}  // namespace
}  // namespace fonds
