#include "format/warc/searching/fields.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fonds/format.hpp>

#include "codec/testing.hpp"

namespace fonds::warc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kResponse =
    "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
    "WARC-Date: 2017-03-05T10:20:30Z\r\nWARC-Target-URI: https://u@Example.COM:81/a?b\r\n"
    "WARC-Concurrent-To: <urn:uuid:2>\r\nWARC-Concurrent-To: <urn:uuid:3>\r\n"
    "Content-Type: application/http; msgtype=response\r\nX.Y: \r\nContent-Length: 91\r\n\r\n"
    "HTTP/1.1 404 Not Found\r\nContent-Type: Text/HTML; charset=x\r\nSet-Cookie: a\r\n"
    "set-cookie: b\r\n\r\n\r\n\r\n";

class Told final : public FieldSink {
 public:
  void value(std::size_t wanted, std::string_view name, const FieldValue& value) override {
    values[wanted].push_back(std::string(name) + "=" + std::string(value.text));
    spans[wanted] = value.end - value.begin;
  }
  std::map<std::size_t, std::vector<std::string>> values;
  std::map<std::size_t, std::int64_t> spans;
};

class WarcFields : public testing::Test {
 protected:
  // Asks the first record of an archive for one path.
  std::vector<std::string> ask(std::string_view path, std::string_view stored = kResponse) {
    paths_ = {query::parse(std::string(path) + ": *")->root.filter.path};
    const auto archive = open_archive(testing_codec::mapped(stored));
    const auto reader = archive->format->open(*archive, {.skim = true});
    const auto record = (*reader)->next();
    const auto fields = archive->format->read_fields(paths_);
    stage_ = fields->stage(0);
    told_ = {};
    EXPECT_TRUE(fields->read(FieldStage::Header, **reader, **record, told_).has_value());
    of_header_ = told_.values[0].size();
    EXPECT_TRUE(fields->read(FieldStage::Http, **reader, **record, told_).has_value());
    return told_.values[0];
  }

  std::vector<query::Path> paths_;
  FieldStage stage_ = FieldStage::Header;
  std::size_t of_header_ = 0;
  Told told_;
};

TEST_F(WarcFields, NamesOfTheTable) {
  EXPECT_THAT(ask("type"), ElementsAre("type=response"));
  EXPECT_EQ(stage_, FieldStage::Header);
  EXPECT_THAT(ask("host"), ElementsAre("host=example.com"));
  EXPECT_THAT(ask("id"), ElementsAre("id=urn:uuid:1"));
  EXPECT_THAT(ask("length"), ElementsAre("length=91"));
  EXPECT_THAT(ask("concurrent_to"),
              ElementsAre("concurrent_to=urn:uuid:2", "concurrent_to=urn:uuid:3"));
  EXPECT_THAT(ask("offset"), ElementsAre("offset=0"));
  EXPECT_THAT(ask("ip"), IsEmpty());
  EXPECT_THAT(ask("nosuch"), IsEmpty());
  EXPECT_EQ(stage_, FieldStage::Header);
}

TEST_F(WarcFields, DatesHaveTheirSpan) {
  EXPECT_THAT(ask("date"), ElementsAre("date=2017-03-05T10:20:30Z"));
  EXPECT_EQ(told_.spans[0], 1'000'000'000);
}

TEST_F(WarcFields, HttpIsReadAtItsStage) {
  EXPECT_THAT(ask("status"), ElementsAre("status=404"));
  EXPECT_EQ(stage_, FieldStage::Http);
  EXPECT_EQ(of_header_, 0U);
  EXPECT_THAT(ask("http.status"), ElementsAre("http.status=404"));
  EXPECT_THAT(ask("mime"), ElementsAre("mime=text/html"));
  EXPECT_THAT(ask("http.Set-Cookie"), ElementsAre("http.set-cookie=a", "http.set-cookie=b"));
  EXPECT_THAT(ask("http"), ElementsAre("http="));
  EXPECT_THAT(ask("method"), IsEmpty());
}

TEST_F(WarcFields, HeaderFieldsByTheirNameInAnyCase) {
  EXPECT_THAT(ask("warc-target-URI"), ElementsAre("WARC-Target-URI=https://u@Example.COM:81/a?b"));
  EXPECT_EQ(stage_, FieldStage::Header);
  EXPECT_THAT(ask("headers.content-length"), ElementsAre("Content-Length=91"));
  EXPECT_THAT(ask("x\\.y"), ElementsAre("X.Y="));
  EXPECT_THAT(ask("x.y"), IsEmpty());
}

TEST_F(WarcFields, WildcardsReachHeaderAndHttpAndNoPlaces) {
  EXPECT_THAT(ask("http.*"), testing::Contains("http.content-type=Text/HTML; charset=x"));
  EXPECT_THAT(ask("*.status"), ElementsAre("status=404", "http.status=404"));
  const auto all = ask("*");
  EXPECT_THAT(all, testing::Contains("WARC-Type=response"));
  EXPECT_THAT(all, testing::Contains("http.set-cookie=b"));
  EXPECT_THAT(all, testing::Not(testing::Contains("offset=0")));
  EXPECT_THAT(ask("headers.*"), testing::Contains("WARC-Type=response"));
}

TEST_F(WarcFields, ContentIsNotTold) {
  EXPECT_THAT(ask("payload"), IsEmpty());
  EXPECT_EQ(stage_, FieldStage::Content);
  ask("body.a.b");
  EXPECT_EQ(stage_, FieldStage::Content);
}

TEST_F(WarcFields, OtherNamespacesHaveNothing) { EXPECT_THAT(ask("@type"), IsEmpty()); }

TEST_F(WarcFields, RecordsThatAreNoHttpMessages) {
  constexpr std::string_view kInfo =
      "WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2017\r\n"
      "Content-Type: Application/Warc-Fields; x=y\r\nContent-Length: 4\r\n\r\na: b\r\n\r\n";
  EXPECT_THAT(ask("mime", kInfo), ElementsAre("mime=application/warc-fields"));
  EXPECT_THAT(ask("http", kInfo), IsEmpty());
  EXPECT_THAT(ask("host", kInfo), IsEmpty());
}

TEST(WarcFieldTable, HasNoNameTwice) {
  std::vector<std::string_view> names;
  for (const FieldInfo& field : field_table()) {
    EXPECT_FALSE(field.meaning.empty()) << field.name;
    names.push_back(field.name);
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace fonds::warc
