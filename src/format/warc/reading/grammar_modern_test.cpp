#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/grammar_test_support.hpp"

namespace fonds::warc {
namespace {

std::string header_10(std::string_view fields) {
  return "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
         "WARC-Date: 2020-01-02T03:04:05Z\r\n" +
         std::string(fields) + "\r\n";
}
std::string header_with_length(std::string_view fields) {
  return header_10(std::string(fields) + "Content-Length: 3\r\n");
}

struct Oddity {
  std::string name;
  std::string octets;
  Codes expected;
};
void PrintTo(const Oddity& oddity, std::ostream* out) { *out << oddity.name; }
class Modern : public testing::TestWithParam<Oddity> {};

TEST_P(Modern, OddityIsReported) {
  Parsed parsed;
  parse_into(parsed, GetParam().octets);
  ASSERT_EQ(parsed.start, Start::Modern);
  EXPECT_TRUE(parsed.header.complete);
  EXPECT_EQ(codes(parsed.header), GetParam().expected);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  return text.replace(at, from.size(), to);
}

INSTANTIATE_TEST_SUITE_P(
    Codes, Modern,
    testing::Values(
        Oddity{"Plain", header_with_length(""), {}},
        Oddity{"LowerCaseToken",
               replaced(header_with_length(""), "WARC/1.0", "warc/1.0"),
               {"version-token-case"}},
        Oddity{"Version12",
               replaced(header_with_length(""), "WARC/1.0", "WARC/1.2"),
               {"unknown-version"}},
        Oddity{"VersionWithZeros",
               replaced(header_with_length(""), "WARC/1.0", "WARC/01.00"),
               {"unknown-version"}},
        Oddity{"DraftVersion", replaced(header_with_length(""), "WARC/1.0", "WARC/0.12"), {}},
        Oddity{
            "BlanksBehindVersion", replaced(header_with_length(""), "WARC/1.0", "WARC/1.0 \t"), {}},
        Oddity{"TypeInUpperCase",
               replaced(header_with_length(""), ": resource", ": RESOURCE"),
               {"type-case"}},
        Oddity{"UnknownType",
               replaced(header_with_length(""), ": resource", ": x-vendor"),
               {"unknown-type"}},
        Oddity{"NoType",
               replaced(header_with_length(""), "WARC-Type: resource\r\n", ""),
               {"missing-mandatory-field"}},
        Oddity{"EmptyId",
               replaced(header_with_length(""), "<urn:uuid:1>", ""),
               {"missing-mandatory-field"}},
        Oddity{"NothingButTheVersion",
               "WARC/1.0\r\n\r\n",
               {"missing-mandatory-field", "missing-mandatory-field", "missing-mandatory-field",
                "missing-mandatory-field"}},
        Oddity{"MixedLineEnds", header_with_length("X: y\n"), {"mixed-eol"}},
        Oddity{"BlankBeforeColon", header_with_length("X : y\r\n"), {"space-before-colon"}},
        Oddity{"NoColon", header_with_length("no colon\r\n"), {"line-without-colon"}},
        Oddity{"NoName", header_with_length(": value\r\n"), {"line-without-colon"}},
        Oddity{"FoldFirst",
               "WARC/1.0\r\n fold\r\n" + header_with_length("").substr(10),
               {"continuation-without-field"}},
        Oddity{"Latin1", header_with_length("X: caf\xE9\r\n"), {"non-utf8"}},
        Oddity{"Utf8", header_with_length("X: caf\xC3\xA9\r\n"), {}},
        Oddity{"RepeatedField",
               header_with_length("WARC-IP-Address: ::1\r\nwarc-ip-address: ::2\r\n"),
               {"duplicate-field"}},
        Oddity{"RepeatedExtensionField",
               header_with_length("WARC-Protocol: a\r\nWARC-Protocol: b\r\n"),
               {}},
        Oddity{"RepeatedConcurrentTo",
               header_with_length("WARC-Concurrent-To: <a>\r\nWARC-Concurrent-To: <b>\r\n"),
               {}},
        Oddity{
            "SameLengthAgain", header_with_length("Content-Length: 003\r\n"), {"duplicate-field"}},
        Oddity{"OtherLength",
               header_with_length("Content-Length: 4\r\n"),
               {"duplicate-length-differs"}},
        Oddity{"LengthWithPlus", header_10("Content-Length: +4\r\n"), {"odd-length"}},
        Oddity{"NegativeLength", header_10("Content-Length: -4\r\n"), {"bad-length"}},
        Oddity{"TextLength", header_10("Content-Length: 4k\r\n"), {"bad-length"}},
        Oddity{"HugeLength", header_10("Content-Length: 18446744073709551616\r\n"), {"bad-length"}},
        Oddity{"NoDate",
               replaced(header_with_length(""), "2020-01-02T03:04:05Z", "yesterday"),
               {"date-invalid"}},
        Oddity{"DayOfYear",
               replaced(header_with_length(""), "2020-01-02T03:04:05Z", "2009-03-65T08:43:19-0800"),
               {"date-day-of-year"}},
        Oddity{"ContinuationWithoutOrigin",
               replaced(header_with_length(""), ": resource", ": continuation"),
               {"missing-segment-origin-id"}},
        Oddity{"BlankLineInside",
               header_10("X: y\r\n\r\nContent-Type: a/b\r\nContent-Length: 3\r\n"),
               {"blank-line-in-header"}}),
    [](const auto& test) { return test.param.name; });

struct LengthCase {
  std::string name;
  std::string fields;
  Header::LengthState state;
  std::uint64_t length;
  std::vector<std::uint64_t> others;
};
void PrintTo(const LengthCase& c, std::ostream* out) { *out << c.name; }
class ContentLength : public testing::TestWithParam<LengthCase> {};

TEST_P(ContentLength, IsRead) {
  Parsed parsed;
  parse_into(parsed, header_10(GetParam().fields));
  EXPECT_EQ(parsed.header.length_state, GetParam().state);
  EXPECT_EQ(parsed.header.block_length, GetParam().length);
  EXPECT_EQ(parsed.header.other_lengths, GetParam().others);
}

INSTANTIATE_TEST_SUITE_P(
    Lengths, ContentLength,
    testing::Values(
        LengthCase{"Missing", "", Header::LengthState::Missing, 0, {}},
        LengthCase{"Empty", "Content-Length:\r\n", Header::LengthState::Missing, 0, {}},
        LengthCase{"Blanks", "Content-Length:   10  \r\n", Header::LengthState::Good, 10, {}},
        LengthCase{"Zeros", "CONTENT-LENGTH:003\r\n", Header::LengthState::Good, 3, {}},
        LengthCase{"Plus", "Content-Length: +4\r\n", Header::LengthState::Good, 4, {}},
        LengthCase{"Minus", "Content-Length: -4\r\n", Header::LengthState::Bad, 0, {}},
        LengthCase{"Largest",
                   "Content-Length: 18446744073709551615\r\n",
                   Header::LengthState::Good,
                   18446744073709551615U,
                   {}},
        LengthCase{"TooLarge",
                   "Content-Length: 18446744073709551616\r\n",
                   Header::LengthState::Bad,
                   0,
                   {}},
        LengthCase{"Folded", "Content-Length:\r\n 693\r\n", Header::LengthState::Good, 693, {}},
        LengthCase{"Differs",
                   "Content-Length: 4\r\nContent-Length: 10\r\nContent-Length: 4\r\n",
                   Header::LengthState::Good,
                   4,
                   {10}},
        LengthCase{"BadThenGood",
                   "Content-Length: x\r\nContent-Length: 10\r\n",
                   Header::LengthState::Bad,
                   0,
                   {10}}),
    [](const auto& test) { return test.param.name; });

TEST(ParseModern, FillsTheModel) {
  Parsed parsed;
  parse_into(parsed,
             "WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
             "WARC-Date: 2020-01-02T03:04:05Z\r\nContent-Length: 0\r\n"
             "WARC-Target-URI: <http://example.com/a b>\r\nContent-Type: application/http\r\n"
             "WARC-IP-Address: 192.0.2.1\r\nWARC-Block-Digest: sha1:B\r\n"
             "WARC-Payload-Digest: sha1:P\r\nWARC-Refers-To: <urn:uuid:0>\r\n"
             "WARC-Refers-To-Target-URI: http://example.com/\r\n"
             "WARC-Refers-To-Date: 2019-01-01T00:00:00Z\r\nWARC-Profile: http://p/\r\n"
             "WARC-Truncated: length\r\nWARC-Warcinfo-ID: <urn:uuid:9>\r\n"
             "WARC-Concurrent-To: <urn:uuid:2>\r\nWARC-Concurrent-To: urn:uuid:3\r\n"
             "WARC-Identified-Payload-Type: text/html\r\nWARC-TREC-ID: clueweb09-1\r\n"
             "WARC-Segment-Number: 2\r\nWARC-Segment-Origin-ID: <urn:uuid:4>\r\n"
             "WARC-Segment-Total-Length: 77\r\nWARC-Filename: a.warc\r\n\r\n");
  const Header& header = parsed.header;
  EXPECT_EQ(header.version, "WARC/1.1");
  EXPECT_EQ(header.major * 10 + header.minor, 11);
  EXPECT_EQ(header.type, "revisit");
  EXPECT_EQ(header.id, "urn:uuid:1");
  EXPECT_EQ(header.uri, "http://example.com/a%20b");
  EXPECT_EQ(header.get(Known::TargetUri), "<http://example.com/a b>");
  EXPECT_EQ(header.content_type, "application/http");
  EXPECT_EQ(header.ip, "192.0.2.1");
  EXPECT_EQ(header.block_digest, "sha1:B");
  EXPECT_EQ(header.payload_digest, "sha1:P");
  EXPECT_EQ(header.refers_to, "urn:uuid:0");
  EXPECT_EQ(header.refers_to_uri, "http://example.com/");
  EXPECT_EQ(header.refers_to_date, "2019-01-01T00:00:00Z");
  EXPECT_EQ(header.profile, "http://p/");
  EXPECT_EQ(header.truncated, "length");
  EXPECT_EQ(header.warcinfo_id, "urn:uuid:9");
  EXPECT_EQ(header.concurrent_to, (std::vector<std::string_view>{"urn:uuid:2", "urn:uuid:3"}));
  EXPECT_EQ(header.payload_type, "text/html");
  EXPECT_EQ(header.trec_id, "clueweb09-1");
  EXPECT_EQ(header.filename, "a.warc");
  ASSERT_TRUE(header.segment.has_value());
  EXPECT_EQ(header.segment->number, 2U);
  EXPECT_EQ(header.segment->code, 0);
  EXPECT_EQ(header.segment_origin, "urn:uuid:4");
  EXPECT_EQ(header.segment_total, 77U);
  EXPECT_EQ(header.date.value->to_string(), "2020-01-02T03:04:05Z");
  EXPECT_TRUE(header.issues.empty());
}

TEST(ParseModern, FoldsAreOneBlank) {
  Parsed parsed;
  parse_into(parsed, read_fixture("own/folded.warc"));
  std::vector<std::string> values;
  for (const auto& field : parsed.header.fields) {
    values.push_back(std::string(field.name) + "=" + std::string(field.value));
  }
  EXPECT_NE(std::find(values.begin(), values.end(), "X-Folded=one two three"), values.end());
  EXPECT_NE(std::find(values.begin(), values.end(), "X-Empty="), values.end());
  EXPECT_NE(std::find(values.begin(), values.end(), "X-Late=value on next line"), values.end());
  EXPECT_EQ(parsed.header.block_length, 55U);
}

TEST(ParseModern, TypeInOtherCaseIsTheModelsType) {
  Parsed parsed;
  parse_into(parsed, replaced(header_with_length(""), ": resource", ": Resource"));
  EXPECT_EQ(parsed.header.type, "resource");
  EXPECT_EQ(parsed.header.stored_type, "Resource");
}

TEST(ParseModern, OddVersionIsWrittenAsTheModelHasIt) {
  Parsed parsed;
  parse_into(parsed, replaced(header_with_length(""), "WARC/1.0", "warc/02.07"));
  EXPECT_EQ(parsed.header.version, "WARC/2.7");
}

TEST(ParseModern, BlockOfFieldsBehindAHeaderWithoutLengthIsNotSwallowed) {
  Parsed parsed;
  const auto header = header_10("");
  parse_into(parsed, header + "software: x\r\nformat: y\r\n\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(parsed.header.length, header.size());
  EXPECT_EQ(codes(parsed.header), Codes{"missing-mandatory-field"});
}

TEST(ParseModern, BlankLineBeforeTheLengthIsUndecidedUntilTheNextOne) {
  Parsed parsed;
  const auto cut = header_10("") + "Content-Length: 3\r\n";
  parse_into(parsed, cut, false);
  EXPECT_FALSE(parsed.done);
  parse_into(parsed, cut + "\r\nabc", false);
  EXPECT_TRUE(parsed.done);
  EXPECT_EQ(parsed.header.length, cut.size() + 2);
  EXPECT_EQ(parsed.header.block_length, 3U);
}

TEST(ParseModern, LongBlockBehindAHeaderWithoutLengthIsNotSearched) {
  Parsed parsed;
  const auto header = header_10("");
  parse_into(parsed, header + "name: " + std::string(std::size_t{70} << 10U, 'x'), false);
  EXPECT_TRUE(parsed.done);
  EXPECT_EQ(parsed.header.length, header.size());
}

TEST(ParseModern, EveryCutOfAHeaderWaitsForMore) {
  const auto header = header_with_length("X: a\r\n b\r\n");
  for (std::size_t n = 10; n < header.size(); ++n) {
    Parsed parsed;
    parse_into(parsed, header.substr(0, n), false);
    EXPECT_FALSE(parsed.done) << n;
    parse_into(parsed, header.substr(0, n), true);
    EXPECT_TRUE(parsed.done) << n;
    EXPECT_FALSE(parsed.header.complete) << n;
    EXPECT_EQ(parsed.header.length, n);
  }
}

TEST(ParseModern, HeaderMayBeLong) {
  Parsed parsed;
  parse_into(parsed, read_fixture("own/header-long.warc"));
  EXPECT_TRUE(parsed.header.complete);
  EXPECT_EQ(parsed.header.block_length, 55U);
  EXPECT_TRUE(parsed.header.issues.empty());
}

// Walks files by their lengths alone; those whose lengths are wrong are the reader's matter.
class OwnWarcFile : public testing::TestWithParam<std::string> {};

TEST_P(OwnWarcFile, GivesOffsetTypeAndLengthOfEveryRecord) {
  const auto data = read_fixture("own/" + GetParam());
  const auto expected = nlohmann::json::parse(read_fixture("own/expected.json"))
                            .at("files")
                            .at(GetParam())
                            .at("records_list");
  std::size_t at = 0;
  for (const auto& record : expected) {
    at = data.find_first_not_of(at == 0 ? "\r\n\xEF\xBB\xBF" : "\r\n", at);
    ASSERT_EQ(at, record.at(0).get<std::size_t>());
    Parsed parsed;
    parse_into(parsed, data.substr(at));
    ASSERT_TRUE(parsed.header.complete);
    EXPECT_EQ(parsed.header.type, record.at(1).is_null() ? "" : record.at(1).get<std::string>());
    EXPECT_EQ(parsed.header.block_length, record.at(2).get<std::uint64_t>());
    at += parsed.header.length + parsed.header.block_length;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, OwnWarcFile,
    testing::Values("bom.warc", "dates.warc", "digests-bad.warc", "digests-good.warc",
                    "digests-payload-forms.warc", "extra-newlines.warc", "folded.warc",
                    "header-case.warc", "header-encoded-word.warc", "header-lf-only.warc",
                    "header-long.warc", "header-mixed-eol.warc", "header-no-colon.warc",
                    "header-non-utf8.warc", "header-repeat.warc", "http-chunked.warc",
                    "http-content-encodings.warc", "http-variants.warc", "length-plus-space.warc",
                    "length-twice.warc", "missing-trailers.warc", "ok-three.warc",
                    "segmented-1.warc", "segmented-2.warc", "segmented-3.warc",
                    "space-before-colon.warc", "unknown-type.warc", "uri-brackets.warc",
                    "versions.warc"),
    [](const auto& test) {
      auto name = test.param;
      std::replace(name.begin(), name.end(), '-', '_');
      std::replace(name.begin(), name.end(), '.', '_');
      return name;
    });

}  // namespace
}  // namespace fonds::warc
