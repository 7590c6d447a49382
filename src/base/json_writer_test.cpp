#include "base/json_writer.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace fonds {
namespace {

std::string written(std::string_view text) {
  std::string out;
  JsonWriter(out).value(text);
  return out;
}

TEST(JsonWriter, PutsCommasBetweenMembersAndElementsOnly) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("a", std::uint64_t{1}).key("b").begin_array();
  json.value("x").begin_object().end_object().begin_array().end_array().null().value(true);
  json.end_array().member("c", false).key("d").begin_object().member("e", -3).end_object();
  json.end_object();
  EXPECT_EQ(out, R"({"a":1,"b":["x",{},[],null,true],"c":false,"d":{"e":-3}})");
}

TEST(JsonWriter, AppendsToWhatIsThere) {
  std::string out = "before\n";
  JsonWriter(out).begin_object().end_object();
  EXPECT_EQ(out, "before\n{}");
}

TEST(JsonWriter, TakesEveryKindOfText) {
  std::string out;
  JsonWriter json(out);
  const std::string owned = "o";
  json.begin_object().member("s", owned).member("v", std::string_view("v")).member("l", "l");
  json.end_object();
  EXPECT_EQ(out, R"({"s":"o","v":"v","l":"l"})");
}

TEST(JsonWriter, WritesTheLimitsOfIntegers) {
  std::string out;
  JsonWriter json(out);
  json.begin_array().value(std::numeric_limits<std::uint64_t>::max());
  json.value(std::numeric_limits<std::int64_t>::min()).value(std::uint32_t{4294967295U});
  json.end_array();
  EXPECT_EQ(out, "[18446744073709551615,-9223372036854775808,4294967295]");
}

TEST(JsonWriter, WritesDoublesThatReadBackEqual) {
  std::string out;
  JsonWriter json(out);
  json.begin_array().value(0.1).value(1e300).value(-2.5).value(5e-324).end_array();
  EXPECT_EQ(nlohmann::json::parse(out), nlohmann::json::array({0.1, 1e300, -2.5, 5e-324}));
}

TEST(JsonWriter, WritesNullForWhatIsNoNumber) {
  std::string out;
  JsonWriter json(out);
  json.begin_array().value(std::numeric_limits<double>::infinity());
  json.value(std::numeric_limits<double>::quiet_NaN()).end_array();
  EXPECT_EQ(out, "[null,null]");
}

TEST(JsonWriter, WritesNullForANumberThatIsNotThere) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("a", std::optional<std::uint64_t>(0));
  json.member("b", std::optional<std::uint64_t>()).end_object();
  EXPECT_EQ(out, R"({"a":0,"b":null})");
}

TEST(JsonWriter, EscapesQuoteBackslashAndControlCharacters) {
  EXPECT_EQ(written("a\"b\\c\n\r\t\b\x01\x1f"), R"("a\"b\\c\n\r\t\u0008\u0001\u001f")");
}

TEST(JsonWriter, LeavesDelSlashAndLineSeparatorsAsTheyAre) {
  EXPECT_EQ(written("/\x7f\xe2\x80\xa8\xe2\x80\xa9"), "\"/\x7f\xe2\x80\xa8\xe2\x80\xa9\"");
}

TEST(JsonWriter, WritesTheLatin1ReadingOfTextThatIsNotUtf8) {
  EXPECT_EQ(written("caf\xe9 \"x\""), "\"caf\xc3\xa9 \\\"x\\\"\"");
}

// Every octet at every place of a word of eight, so that the search by words misses none.
class EveryOctet : public testing::TestWithParam<int> {};

TEST_P(EveryOctet, ReadsBackAtEveryPlaceOfAWord) {
  const auto octet = static_cast<char>(GetParam());
  for (std::size_t place = 0; place < 19; ++place) {
    std::string text = "abcdefghijklmnopqrs";
    text[place] = octet;
    EXPECT_EQ(nlohmann::json::parse(written(text)), text) << "place " << place;
  }
}

INSTANTIATE_TEST_SUITE_P(Ascii, EveryOctet, testing::Range(0, 128));

}  // namespace
}  // namespace fonds
