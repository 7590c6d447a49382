#include "ops/find.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/testing.hpp"

namespace fonds::ops {
namespace {

using testing::HasSubstr;
using testing_codec::mapped;
using testing_ops::gzipped;
using testing_ops::plain;
using testing_ops::RecordText;
using Kind = Key::Kind;

struct KeyCase {
  const char* written;
  Kind kind;
  const char* text;
  std::uint64_t number = 0, inner = 0;
  const char* time = "";
};

class ParseKey : public testing::TestWithParam<KeyCase> {};
INSTANTIATE_TEST_SUITE_P(
    Keys, ParseKey,
    testing::Values(KeyCase{"index:0", Kind::Index, "", 0},
                    KeyCase{"index:18446744073709551615", Kind::Index, "", ~std::uint64_t{0}},
                    KeyCase{"offset:4711", Kind::Offset, "", 4711},
                    KeyCase{"offset:4711+12", Kind::Offset, "", 4711, 12},
                    KeyCase{"block:32768/7", Kind::Block, "", 32768, 7},
                    KeyCase{"block:0/0", Kind::Block, "", 0, 0},
                    KeyCase{"id:urn:uuid:a", Kind::Id, "urn:uuid:a"},
                    KeyCase{"id:x@2014", Kind::Id, "x@2014"},
                    KeyCase{"uri:http://a/", Kind::Uri, "http://a/"},
                    KeyCase{"uri:http://a/@2014", Kind::Uri, "http://a/", 0, 0, "2014"},
                    KeyCase{"uri:http://a/@20140102030405", Kind::Uri, "http://a/", 0, 0,
                            "2014-01-02T03:04:05Z"},
                    KeyCase{"uri:http://a/@b@2014", Kind::Uri, "http://a/@b", 0, 0, "2014"},
                    KeyCase{"uri:http://a@b/", Kind::Uri, "http://a@b/"},
                    KeyCase{"uri:http://a/@123", Kind::Uri, "http://a/@123"},
                    KeyCase{"uri:http://a/@20149999", Kind::Uri, "http://a/@20149999"},
                    KeyCase{"http://a/", Kind::Bare, "http://a/"},
                    KeyCase{"index", Kind::Bare, "index"}, KeyCase{"block", Kind::Bare, "block"},
                    KeyCase{"http://a/@2014", Kind::Bare, "http://a/", 0, 0, "2014"},
                    KeyCase{"Index:3", Kind::Bare, "Index:3"}));

TEST_P(ParseKey, IsUnderstood) {
  const auto key = parse_key(GetParam().written);
  ASSERT_TRUE(key.has_value()) << key.error().message();
  EXPECT_EQ(key->written, GetParam().written);
  EXPECT_EQ(key->kind, GetParam().kind);
  EXPECT_EQ(key->text, GetParam().text);
  EXPECT_EQ(key->number, GetParam().number);
  EXPECT_EQ(key->inner, GetParam().inner);
  EXPECT_EQ(key->time ? key->time->to_string() : "", GetParam().time);
}

class ParseWrongKey : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Keys, ParseWrongKey,
                         testing::Values("", "index:", "index:-1", "index:+1", "index:1x",
                                         "index: 1", "index:18446744073709551616",
                                         "offset:", "offset:1+", "offset:+1", "offset:1+-2",
                                         "block:", "block:1", "block:/1", "block:1/", "block:1/-2",
                                         "block:1+2", "id:", "uri:", "uri:@2014"));

TEST_P(ParseWrongKey, IsABadArgumentThatNamesIt) {
  const auto key = parse_key(GetParam());
  ASSERT_FALSE(key.has_value());
  EXPECT_EQ(key.error().code(), ErrorCode::BadArgument);
  EXPECT_THAT(key.error().message(), HasSubstr(std::string("'") + GetParam() + "'"));
}

const std::vector<RecordText>& some_records() {
  static const std::vector<RecordText> records = {
      {.type = "warcinfo", .id = "urn:uuid:0"},
      {.type = "request", .id = "urn:uuid:1", .uri = "http://a/", .date = "2014-01-01T00:00:00Z"},
      {.type = "response", .id = "urn:uuid:2", .uri = "http://a/", .date = "2014-01-01T00:00:00Z"},
      {.type = "metadata", .id = "urn:uuid:3", .uri = "http://a/", .date = "2016-01-01T00:00:00Z"},
      {.type = "response", .id = "urn:uuid:4", .uri = "http://a/", .date = "2016-01-01T00:00:00Z"},
      {.type = "response", .id = "http://a/", .uri = "http://c/"}};
  return records;
}

std::string found(const std::vector<std::string>& written) {
  std::vector<Key> keys;
  for (const std::string& key : written) {
    keys.push_back(*parse_key(key));
  }
  std::string text;
  for (const std::string& stored : {plain(some_records()), gzipped(some_records())}) {
    const auto places = find_records(*open_archive(mapped(stored)), {}, keys);
    for (const auto& place : *places) {
      text += place ? std::to_string(place->ordinal) + " " : "- ";
    }
    text += "|";
  }
  return text;
}

TEST(FindRecords, ByIndex) {
  EXPECT_EQ(found({"index:4", "index:0", "index:6"}), "4 0 - |4 0 - |");
}
TEST(FindRecords, ByIdWithOrWithoutItsPrefixAndBrackets) {
  EXPECT_EQ(found({"id:urn:uuid:3", "id:3", "id:<urn:uuid:3>", "id:99"}), "3 3 3 - |3 3 3 - |");
}
TEST(FindRecords, ByUriTheFirstThatIsNoRequestOrTheNearestInTime) {
  EXPECT_EQ(found({"uri:http://a/", "uri:http://a/@2013", "uri:http://a/@2020", "uri:http://b/"}),
            "2 2 4 - |2 2 4 - |");
}
TEST(FindRecords, ByBareKeyIdsComeBeforeUris) {
  EXPECT_EQ(found({"http://a/", "http://c/", "index:1"}), "5 5 1 |5 5 1 |");
}

TEST(FindRecords, IndexIsCountedFromTheStartWhateverWasPassedOver) {
  std::string stored;
  for (int i = 0; i < 400; ++i) {
    stored += "warc/0.9 100 response 20060101000000 http://a/ text/html\n\n";
  }
  const std::vector<RecordText> records = {{.id = "a"}, {.id = "b"}, {.id = "c"}};
  for (const RecordText& record : records) {
    stored += testing_ops::text_of(record);
  }
  const auto archive = open_archive(mapped(stored), {.format = "warc"});
  const auto places = find_records(*archive, {}, {*parse_key("index:1"), *parse_key("id:b")});
  ASSERT_TRUE(places.has_value() && places->at(0) && places->at(1));
  EXPECT_EQ(places->at(0)->place, places->at(1)->place);
  EXPECT_EQ(places->at(1)->ordinal, 1U);
}

TEST(OpenAt, ReadsFromThePlaceOn) {
  const std::string stored = plain(some_records());
  const std::uint64_t second = testing_ops::text_of(some_records()[0]).size();
  const auto reader = open_at(*open_archive(mapped(stored)), {}, {second, 0});
  ASSERT_TRUE(reader.has_value());
  const auto record = (*reader)->next();
  ASSERT_TRUE(record.has_value() && *record != nullptr);
  EXPECT_EQ((*record)->id(), "urn:uuid:1");
}

TEST(FindRecords, BlockKeyIsUnsupportedWhereRecordsLieInNoBlocks) {
  const auto places =
      find_records(*open_archive(mapped(plain(some_records()))), {}, {*parse_key("block:0/0")});
  ASSERT_FALSE(places.has_value());
  EXPECT_EQ(places.error().code(), ErrorCode::Unsupported);
  EXPECT_THAT(places.error().message(), HasSubstr("warc has no blocks"));
}

}  // namespace
}  // namespace fonds::ops
