#include "index/capture.hpp"

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "test_paths.hpp"

namespace fonds::index {
namespace {

const LineLayout kCdxj = {};
const LineLayout kCdx11Layout = {false, ' ', std::string(kCdx11)};

Capture example() {
  Capture capture;
  capture.key = "com,example)/";
  capture.timestamp = "20170306040206";
  capture.url = "http://example.com/";
  capture.mime = "text/html";
  capture.status = "200";
  capture.digest = "sha1:G7HRM7BGOKSKMSXZAHMUQTTV53QOFSMK";
  capture.length = 1228;
  capture.offset = 784;
  capture.filename = "example.warc.gz";
  return capture;
}

std::string cdxj(const Capture& capture) {
  std::string line;
  append_cdxj(line, capture);
  return line;
}
std::string cdx(const Capture& capture, std::string_view columns) {
  std::string line;
  append_cdx(line, capture, columns);
  return line;
}
std::string json_text(std::string_view text) {
  Capture capture;
  capture.key = "k";
  capture.timestamp = "1";
  capture.url = text;
  return cdxj(capture).substr(4);
}

std::string file(const std::string& name) {
  std::ifstream stream(FONDS_TEST_DATA "/index/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(AppendCdxj, WritesMembersInTheUsualOrder) {
  EXPECT_EQ(
      cdxj(example()),
      "com,example)/ 20170306040206 {\"url\": \"http://example.com/\", \"mime\": \"text/html\", "
      "\"status\": \"200\", \"digest\": \"sha1:G7HRM7BGOKSKMSXZAHMUQTTV53QOFSMK\", "
      "\"length\": \"1228\", \"offset\": \"784\", \"filename\": \"example.warc.gz\"}");
}

TEST(AppendCdxj, WritesWhatOptionsAddBehindIt) {
  Capture capture;
  capture.key = "k";
  capture.timestamp = "2017";
  capture.filename = "f";
  capture.record_digest = "sha256:00";
  capture.request_body = "a=b";
  capture.method = "POST";
  capture.others = {{"x-\"y", "[1, 2]"}};
  EXPECT_EQ(
      cdxj(capture),
      "k 2017 {\"filename\": \"f\", \"recordDigest\": \"sha256:00\", \"requestBody\": \"a=b\", "
      "\"method\": \"POST\", \"x-\\\"y\": [1, 2]}");
}

TEST(AppendCdxj, EscapesAsPythonDoes) {
  EXPECT_EQ(json_text("a\"b\\c/d"), "{\"url\": \"a\\\"b\\\\c/d\"}");
  EXPECT_EQ(json_text("\n\r\t\f\b\x01\x1f\x7f"),
            "{\"url\": \"\\n\\r\\t\\f\\b\\u0001\\u001f\\u007f\"}");
  EXPECT_EQ(json_text("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x92\xa9"),
            "{\"url\": \"\\u00e9 \\u20ac \\ud83d\\udca9\"}");
}

TEST(AppendCdxj, ReadsOctetsThatAreNoUtf8AsLatin1) {
  EXPECT_EQ(json_text("\xe9\xc3\xa9"), "{\"url\": \"\\u00e9\\u00c3\\u00a9\"}");
}

TEST(AppendCdx, WritesColumns) {
  EXPECT_EQ(cdx(example(), kCdx11),
            "com,example)/ 20170306040206 http://example.com/ text/html 200 "
            "G7HRM7BGOKSKMSXZAHMUQTTV53QOFSMK - - 1228 784 example.warc.gz");
  EXPECT_EQ(cdx(example(), kCdx9),
            "com,example)/ 20170306040206 http://example.com/ text/html 200 "
            "G7HRM7BGOKSKMSXZAHMUQTTV53QOFSMK - 784 example.warc.gz");
}

TEST(AppendCdx, WritesADashForWhatIsNotThere) {
  Capture capture;
  capture.key = "k";
  capture.timestamp = "2017";
  EXPECT_EQ(cdx(capture, kCdx11), "k 2017 - - - - - - - - -");
  EXPECT_EQ(cdx(capture, "NbX"), "k 2017 -");
}

TEST(AppendCdx, NoValueMakesMoreColumnsOrLines) {
  Capture capture = example();
  capture.filename = "my file\n.warc";
  EXPECT_TRUE(cdx(capture, kCdx9).ends_with(" my%20file%0A.warc"));
}

TEST(CdxLegend, NamesTheColumns) {
  EXPECT_EQ(cdx_legend(kCdx11), " CDX N b a m s k r M S V g");
  EXPECT_EQ(cdx_legend(kCdx9), " CDX N b a m s k r V g");
}

TEST(RecognizeLayout, KnowsTheFilesOfCdxjIndexer) {
  const auto eleven = recognize_layout(file("warcio-example.warc.gz.cdx11"));
  ASSERT_TRUE(eleven);
  EXPECT_FALSE(eleven->cdxj);
  EXPECT_EQ(eleven->columns, kCdx11);
  const auto nine = recognize_layout(file("iipc-hello-world.warc.gz.cdx9"));
  ASSERT_TRUE(nine);
  EXPECT_EQ(nine->columns, kCdx9);
  const auto json = recognize_layout(file("warcio-example.warc.gz.cdxj"));
  ASSERT_TRUE(json);
  EXPECT_TRUE(json->cdxj);
  ASSERT_TRUE(recognize_layout(file("zipnum.idx")));
  EXPECT_TRUE(recognize_layout(file("zipnum.idx"))->cdxj);
}

TEST(RecognizeLayout, TheLegendSaysWhatDelimits) {
  const auto layout = recognize_layout("\tCDX\tN\tb\ta\tV\tg\n");
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->delimiter, '\t');
  EXPECT_EQ(layout->columns, "NbaVg");
  EXPECT_EQ(recognize_layout(" CDX A b e a m s c k r V v D d g M n \r\n")->columns,
            "AbeamsckrVvDdgMn");
  EXPECT_EQ(recognize_layout("CDX N b a\n")->columns, "Nba");
}

TEST(RecognizeLayout, WithoutALegendColumnsAreCounted) {
  EXPECT_EQ(recognize_layout(cdx(example(), kCdx11) + "\n")->columns, kCdx11);
  EXPECT_EQ(recognize_layout(cdx(example(), kCdx9))->columns, kCdx9);
  EXPECT_EQ(recognize_layout(cdx(example(), "NbamskrMVg"))->columns, "NbamskrMVg");
}

TEST(RecognizeLayout, BlanksInOneUrlDoNotMislead) {
  Capture blank = example();
  std::string line = cdx(blank, kCdx9);
  const std::size_t url = line.find("example.com");
  line.insert(url, "a b c ");
  EXPECT_EQ(recognize_layout(line + "\n" + cdx(example(), kCdx9) + "\n")->columns, kCdx9);
}

class NoCdx : public testing::TestWithParam<std::string_view> {};
TEST_P(NoCdx, IsNotTakenForOne) { EXPECT_FALSE(recognize_layout(GetParam())); }
INSTANTIATE_TEST_SUITE_P(All, NoCdx,
                         testing::Values("", "\n\n", "WARC/1.0\r\nWARC-Type: response\r\n",
                                         "{\"url\": \"a\"}\n", "a b {\"url\": 1}\n",
                                         "one two three\nfour five six\n", " CDX\n", " CDX N\n",
                                         " CDX N b am\n", "\x1f\x8b\x08", "a b c d e f g h i\n",
                                         "a 2017 c d e f g x i\n"));

TEST(ParseLine, OfCdxjIsWhatWasWritten) {
  Capture capture = example();
  capture.record_digest = "sha256:00";
  capture.inner = 99;
  capture.method = "PUT";
  capture.request_body = "a\xc3\xa9\x01";
  capture.others = {{"mime-detected", "\"text/plain\""}, {"n", "{\"a\":[1,null]}"}};
  const auto parsed = parse_line(cdxj(capture) + "\r\n", kCdxj);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(cdxj(*parsed), cdxj(capture));
}

TEST(ParseLine, OfCdxIsWhatWasWritten) {
  Capture capture = example();
  capture.redirect = "http://x/";
  capture.robots = "AI";
  const auto parsed = parse_line(cdx(capture, kCdx11), kCdx11Layout);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(cdx(*parsed, kCdx11), cdx(capture, kCdx11));
  EXPECT_EQ(parsed->redirect, "http://x/");
  EXPECT_EQ(parsed->length, 1228U);
}

TEST(ParseLine, ReadsNumbersAndNumericTextAlike) {
  const auto parsed = parse_line(
      "k 20170306040206123 {\"status\": 200, \"offset\": 7, \"length\": \"8\", \"mime\": null}",
      kCdxj);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->status, "200");
  EXPECT_EQ(parsed->offset, 7U);
  EXPECT_EQ(parsed->length, 8U);
  EXPECT_EQ(parsed->mime, "");
  EXPECT_EQ(parsed->timestamp, "20170306040206123");
}

TEST(ParseLine, ADashIsNothing) {
  const auto parsed = parse_line("k 2017 {\"status\": \"-\", \"length\": \"-\"}", kCdxj);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->status, "");
  EXPECT_FALSE(parsed->length);
}

TEST(ParseLine, BlanksInAUrlBelongToIt) {
  const auto parsed = parse_line(
      "com,a)/ 2017 http://a.com/x y  z text/html 200 DIGEST - - 5 6 f.warc", kCdx11Layout);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->url, "http://a.com/x y  z");
  EXPECT_EQ(parsed->mime, "text/html");
  EXPECT_EQ(parsed->offset, 6U);
}

TEST(ParseLine, OtherColumnsAreKept) {
  const auto parsed =
      parse_line("http://a.com/ 2017 1.2.3.4 http://a.com/ 77", {false, ' ', "AbeaV"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->key, "http://a.com/");
  ASSERT_EQ(parsed->others.size(), 2U);
  EXPECT_EQ(parsed->others[1].first, "e");
  EXPECT_EQ(parsed->others[1].second, "\"1.2.3.4\"");
}

TEST(ParseLine, LegendsAndHeaderLinesAreNoCaptures) {
  for (const auto& parsed :
       {parse_line("!meta 0 {\"format\": \"x\"}", kCdxj).error().code(),
        parse_line(" CDX N b a m s k r M S V g", kCdx11Layout).error().code()}) {
    EXPECT_EQ(parsed, ErrorCode::Unsupported);
  }
}

struct Bad {
  std::string_view line;
  LineLayout layout;
  std::string_view message;
};
class BadLine : public testing::TestWithParam<Bad> {};
TEST_P(BadLine, IsCorruptAndSaysWhy) {
  const auto parsed = parse_line(GetParam().line, GetParam().layout);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().code(), ErrorCode::Corrupt);
  EXPECT_NE(parsed.error().message().find(GetParam().message), std::string::npos)
      << parsed.error().message();
}
INSTANTIATE_TEST_SUITE_P(
    All, BadLine,
    testing::Values(Bad{"", kCdxj, "the line has no key"},
                    Bad{"k 2017", kCdxj, "the line has no key"},
                    Bad{" 2017 {}", kCdxj, "the line has no key"},
                    Bad{"k soon {}", kCdxj, "\"soon\" is no timestamp"},
                    Bad{"k 123 {}", kCdxj, "no timestamp"},
                    Bad{"k 2017 []", kCdxj, "no JSON object"},
                    Bad{"k 2017 {\"url\": \"a\"", kCdxj, "no JSON object"},
                    Bad{"k 2017 {\"offset\": -1}", kCdxj, "member offset is \"-1\""},
                    Bad{"k 2017 {\"offset\": 1.5}", kCdxj, "member offset is neither"},
                    Bad{"k 2017 {\"length\": \"99999999999999999999\"}", kCdxj, "no number"},
                    Bad{"k 2017 {\"url\": [1]}", kCdxj, "member url is neither text nor a number"},
                    Bad{"k 2017 {\"url\": \"\xff\"}", kCdxj, "no JSON object"},
                    Bad{"", kCdx11Layout, "the line has 1 columns, not 11"},
                    Bad{"k 2017 a m s k r M S", kCdx11Layout, "the line has 9 columns, not 11"},
                    Bad{"2017 k a m 200 k - - 5 6 g", kCdx11Layout, "column b holds \"k\""},
                    Bad{"k 2017 a m 200 k - - x 6 g", kCdx11Layout, "column S holds \"x\""},
                    Bad{"k 2017 a m 200 k - - 5 g 6", kCdx11Layout, "column V holds \"g\""},
                    Bad{"k 2017 a m 200 k - - 5 -6 g", kCdx11Layout, "column V holds \"-6\""},
                    Bad{" 2017 a m 200 k - - 5 6 g", kCdx11Layout, "the line has no key"},
                    Bad{"k 2017 5 6", {false, ' ', "NbV"}, "the line has 4 columns, not 3"}));

TEST(ParseLine, DeepNestingIsRefused) {
  const std::string deep(1000000, '[');
  const auto parsed = parse_line("k 2017 {\"x\": " + deep, kCdxj);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().message(), "the object has more than 64 levels");
}

}  // namespace
}  // namespace fonds::index
