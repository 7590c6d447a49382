#include "query/json_scanner.hpp"

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace fonds::query {
namespace {

// One letter a token, scalars and keys with their spelling.
std::string tokens_of(std::string_view text) {
  JsonScanner scanner(text);
  std::string out;
  while (true) {
    switch (scanner.next()) {
      case JsonToken::BeginObject:
        out += '{';
        break;
      case JsonToken::EndObject:
        out += '}';
        break;
      case JsonToken::BeginArray:
        out += '[';
        break;
      case JsonToken::EndArray:
        out += ']';
        break;
      case JsonToken::Key:
        out += "k" + std::string(scanner.spelled());
        break;
      case JsonToken::String:
        out += "s" + std::string(scanner.spelled());
        break;
      case JsonToken::Number:
        out += "n" + std::string(scanner.spelled());
        break;
      case JsonToken::True:
        out += 't';
        break;
      case JsonToken::False:
        out += 'f';
        break;
      case JsonToken::Null:
        out += '0';
        break;
      case JsonToken::End:
        return out + ".";
      case JsonToken::Damaged:
        return out + "!" + std::to_string(scanner.at());
    }
  }
}

TEST(QueryJsonScanner, GivesTokens) {
  EXPECT_EQ(tokens_of(R"( {"a" : [1, -2.5e+3,"x\"" , true,false,null, {}, []] ,"":{"b":0}} )"),
            R"({k"a"[n1n-2.5e+3s"x\""tf0{}[]]k""{k"b"n0}}.)");
  EXPECT_EQ(tokens_of("7"), "n7.");
  EXPECT_EQ(tokens_of("\"x\"\n"), "s\"x\".");
}

struct QueryBadJson {
  std::string_view text;
  std::string_view tokens;
};
void PrintTo(const QueryBadJson& c, std::ostream* out) { *out << c.text; }

class QueryJsonDamage : public testing::TestWithParam<QueryBadJson> {};

TEST_P(QueryJsonDamage, IsFoundWhereItIs) {
  EXPECT_EQ(tokens_of(GetParam().text), GetParam().tokens);
}

INSTANTIATE_TEST_SUITE_P(
    All, QueryJsonDamage,
    testing::Values(QueryBadJson{"", "!0"}, QueryBadJson{"  ", "!2"}, QueryBadJson{"{", "{!1"},
                    QueryBadJson{"{}x", "{}!2"}, QueryBadJson{"[1,]", "[n1!3"},
                    QueryBadJson{"[,1]", "[!1"}, QueryBadJson{"[1 2]", "[n1!3"},
                    QueryBadJson{"[1}", "[n1!2"}, QueryBadJson{"{]", "{!1"},
                    QueryBadJson{"]", "!0"}, QueryBadJson{"{\"a\"}", "{!4"},
                    QueryBadJson{"{\"a\":}", "{k\"a\"!5"},
                    QueryBadJson{"{\"a\":1,}", "{k\"a\"n1!7"}, QueryBadJson{"{a:1}", "{!1"},
                    QueryBadJson{"{\"a\" 1}", "{!5"},
                    QueryBadJson{"{\"a\":1 \"b\":2}", "{k\"a\"n1!7"}, QueryBadJson{"01", "!0"},
                    QueryBadJson{"-", "!0"}, QueryBadJson{"1.", "!0"}, QueryBadJson{".5", "!0"},
                    QueryBadJson{"1e", "!0"}, QueryBadJson{"+1", "!0"}, QueryBadJson{"NaN", "!0"},
                    QueryBadJson{"tru", "!0"}, QueryBadJson{"nulL", "!0"},
                    QueryBadJson{"\"x", "!2"}, QueryBadJson{"\"x\\", "!2"},
                    QueryBadJson{"\"\\x\"", "!1"}, QueryBadJson{"\"\\u12g4\"", "!1"},
                    QueryBadJson{"\"\\u12\"", "!1"}, QueryBadJson{"\"a\nb\"", "!2"}));

TEST(QueryJsonScanner, StaysDamaged) {
  JsonScanner scanner("[1}");
  for (int i = 0; i < 3; ++i) {
    scanner.next();
  }
  EXPECT_EQ(scanner.next(), JsonToken::Damaged);
  EXPECT_EQ(scanner.at(), 2U);
}

// Another reader's word for what is JSON, on texts that are nearly so.
TEST(QueryJsonScanner, AgreesWithAnotherReaderOnEveryChangedText) {
  const std::string good = R"({"a":[1,-2.5e+3,"\u00e9\n",true,null,{"b":{}}],"c":"x"})";
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const std::string_view with :
         {"", "x", "\"", "{", "}", "[", "]", ",", ":", "0", "-", "\\"}) {
      std::string text = good;
      text.replace(at, 1, with);
      ASSERT_EQ(tokens_of(text).ends_with('.'), nlohmann::json::accept(text)) << text;
    }
    ASSERT_FALSE(tokens_of(std::string_view(good).substr(0, at)).ends_with('.'));
  }
}

// Strings are passed eight octets at a time.
TEST(QueryJsonScanner, FindsWhatEndsAStringAtEveryPlace) {
  for (std::size_t before = 0; before < 20; ++before) {
    for (std::size_t after = 0; after < 20; ++after) {
      const std::string a(before, 'a');
      const std::string b(after, '\xe9');
      EXPECT_EQ(tokens_of("\"" + a + "\\n" + b + "\""), "s\"" + a + "\\n" + b + "\".");
      EXPECT_EQ(tokens_of("\"" + a + "\x1f" + b + "\""), "!" + std::to_string(before + 1));
      EXPECT_EQ(tokens_of("\"" + a + "\\q" + b + "\""), "!" + std::to_string(before + 1));
      EXPECT_EQ(tokens_of("[\"" + a + "\",\"" + b + "\"]"), "[s\"" + a + "\"s\"" + b + "\"].");
    }
  }
}

TEST(QueryJsonScanner, DeepTextsNeedNoStack) {
  const std::string deep = std::string(1000000, '[') + std::string(1000000, ']');
  EXPECT_TRUE(tokens_of(deep).ends_with("]."));
}

TEST(QueryUnquotedJson, ReadsAllEscapes) {
  std::string scratch;
  EXPECT_EQ(unquoted_json(R"("\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00x")", scratch),
            "\"\\/\b\f\n\r\tAé😀x");
  EXPECT_EQ(unquoted_json("\"\"", scratch), "");
  EXPECT_EQ(unquoted_json(R"("\u0000")", scratch), std::string_view("\0", 1));
}

TEST(QueryUnquotedJson, HalvesOfPairsBecomeThreeOctets) {
  std::string scratch;
  EXPECT_EQ(unquoted_json(R"("\ud83dx")", scratch), "\xed\xa0\xbdx");
  EXPECT_EQ(unquoted_json(R"("\ud83d\u0041")", scratch),
            "\xed\xa0\xbd"
            "A");
  EXPECT_EQ(unquoted_json(R"("\ude00")", scratch), "\xed\xb8\x80");
}

TEST(QueryUnquotedJson, ViewsWhatHasNoEscapes) {
  const std::string_view spelled = "\"plain\"";
  std::string scratch;
  EXPECT_EQ(unquoted_json(spelled, scratch).data(), spelled.data() + 1);
}

}  // namespace
}  // namespace fonds::query
