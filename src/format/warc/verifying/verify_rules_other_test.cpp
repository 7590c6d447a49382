// Each rule on WARC 00.11 and ARC: a good archive with one change gives exactly the finding of that
// rule.
#include <cstddef>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/warc/verifying/verify_rules_test_support.hpp"

namespace fonds::warc {
namespace {

using testing::IsEmpty;

enum : std::size_t {
  kInfo,
  kResponse,
  kRequest,
  kDns,
  kMetadata,
  kConversion,
  kData,
  kP1,
  kP2,
  kW3
};

// The header begins with what stands behind the length on the header-line.
std::vector<GoodRecord> positional() {
  const std::string first = "20070101000000 urn:x:";
  return {{first + "0 w1\r\ntype: warcinfo\r\ncontent-type: application/warc-fields\r\n",
           "software: test\r\n"},
          {first + "1 w1\r\ntype: http-response http://a.example/\r\n"
                   "content-type: application/http;msgtype=response\r\nIP-Address: 192.0.2.1\r\n"
                   "Warcinfo-ID: urn:x:0\r\n",
           "HTTP/1.1 200 OK\r\n\r\nhello"},
          {first + "2 w1\r\ntype: http-request urn:x:1\r\n"
                   "content-type: application/http;msgtype=request\r\n",
           "GET / HTTP/1.1\r\n\r\n"},
          {first + "3 w1\r\ntype: dns-response dns:a.example\r\ncontent-type: text/dns\r\n",
           "20070101000000\n"},
          {first + "4 w1\r\ntype: metadata urn:x:1\r\ncontent-type: application/warc-fields\r\n",
           "via: x\r\n"},
          {first + "5 w1\r\ntype: conversion urn:x:1 noenvelope\r\ncontent-type: text/plain\r\n",
           "hello"},
          {first + "6 w1\r\ntype: data\r\ncontent-type: text/plain\r\n"
                   "Related-Resource: IsPartOf urn:x:1\r\n",
           "data"},
          {first + "7 p1\r\ntype: data\r\ncontent-type: text/plain\r\n", "one"},
          {first + "8 p2\r\nSegment-Origin-ID: urn:x:7\r\n", "two"},
          {first + "9 w3\r\nSegment-Origin-ID: urn:x:7\r\n", "three"}};
}

std::string positional_text(const std::vector<GoodRecord>& samples) {
  std::string text;
  for (const GoodRecord& sample : samples) {
    const std::string rest = " " + sample.header + "\r\n" + sample.block;
    const std::string start = "warc/00.11 ";
    const std::string length = std::to_string(start.size() + 8 + rest.size());
    text += start + std::string(8 - length.size(), '0') + length + rest + "\r\n\r\n";
  }
  return text;
}

TEST(VerifyGoodPositionalRecords, OfEveryTypeGiveNoFindings) {
  EXPECT_THAT(verify_all({positional_text(positional())}), IsEmpty());
}

class VerifyPositionalRule : public testing::TestWithParam<RuleCase> {};

TEST_P(VerifyPositionalRule, IsReportedAlone) {
  auto samples = positional();
  ASSERT_NO_FATAL_FAILURE(change(samples[GetParam().record], GetParam()));
  EXPECT_EQ(verify_all({positional_text(samples)}), GetParam().codes);
}

INSTANTIATE_TEST_SUITE_P(
    All, VerifyPositionalRule,
    testing::Values(
        RuleCase{"Date", kData, "20070101000000", "2007010100000", {"date-not-14-digits"}},
        RuleCase{"DateThatIsNone", kData, "20070101000000", "20070231000000", {"date-invalid"}},
        RuleCase{"IdNoUri", kData, "urn:x:6", "six", {"non-uri-id"}},
        RuleCase{"StatusCase", kData, "w1", "W1", {"segment-code-case"}},
        RuleCase{"NumberZero", kData, "w1", "w0", {"segment-number-zero"}},
        RuleCase{"Tokens", kData, "w1", "w1 more", {"extra-header-line-tokens"}},
        RuleCase{"NoType", kData, "type: data\r\n", "", {"missing-recommended-field"}},
        RuleCase{"NoContentType",
                 kData,
                 "content-type: text/plain\r\n",
                 "",
                 {"missing-recommended-field"}},
        RuleCase{"UnknownType", kData, "type: data", "type: other", {"unknown-type"}},
        RuleCase{"DnsRequest", kDns, "dns-response", "dns-request", {"dns-request-alias"}},
        RuleCase{"DnsTarget", kDns, "dns:a.example", "x:a.example", {"bad-type-parameter"}},
        RuleCase{"DnsContentType", kDns, "text/dns", "text/plain", {"content-type-differs"}},
        RuleCase{"ConversionFlag", kConversion, "noenvelope", "envelope", {"bad-type-parameter"}},
        RuleCase{"NoConversionFlag", kConversion, " noenvelope", "", {"missing-type-parameter"}},
        RuleCase{
            "SurplusParameter", kData, "type: data", "type: data more", {"extra-type-parameter"}},
        RuleCase{"TargetNoUri", kResponse, "http://a.example/", "http://a.example/|", {"bad-uri"}},
        RuleCase{"TargetInBrackets",
                 kResponse,
                 "http://a.example/",
                 "<http://a.example/>",
                 {"uri-brackets"}},
        RuleCase{"WarcinfoIdInBrackets",
                 kResponse,
                 "Warcinfo-ID: urn:x:0",
                 "Warcinfo-ID: <urn:x:0>",
                 {"uri-brackets"}},
        RuleCase{"Address", kResponse, "192.0.2.1", "a.example", {"bad-ip-address"}},
        RuleCase{"ContentType", kData, "text/plain", "text", {"bad-media-type"}},
        RuleCase{"ContentTypeOfHttp",
                 kRequest,
                 "msgtype=request",
                 "msgtype=response",
                 {"content-type-differs"}},
        RuleCase{"FieldName", kData, "", "no\1te: x\r\n", {"bad-field-name"}},
        RuleCase{"RelatedResource", kData, "IsPartOf urn:x:1", "IsPartOf", {"bad-field-value"}},
        RuleCase{"RelatedResourceComma",
                 kData,
                 "IsPartOf urn:x:1",
                 "IsPartOf,urn:x:1",
                 {"related-resource-comma"}},
        RuleCase{"RelatedResourceDash",
                 kData,
                 "IsPartOf urn:x:1",
                 "IsPartOf urn:x:1 -",
                 {"related-resource-trailing-dash"}},
        RuleCase{"RelatedResourceTerm", kData, "IsPartOf", "belongsTo", {"bad-field-value"}},
        RuleCase{"UnknownFieldOnLaterSegment", kP2, "", "x-more: y\r\n", {"segment-field"}},
        RuleCase{"Revisit", kData, "", "revisit: - often\r\n", {"bad-revisit-comparison"}},
        RuleCase{"Checksum", kData, "", "Checksum: sha1:x\r\n", {"digest-malformed"}},
        RuleCase{"Repeated", kData, "", "type: data\r\n", {"duplicate-field"}},
        RuleCase{"WarcinfoIdOnWarcinfo",
                 kInfo,
                 "",
                 "Warcinfo-ID: urn:x:f\r\n",
                 {"forbidden-field", "refers-to-missing"}},
        RuleCase{"OriginOnFirst", kData, "", "Segment-Origin-ID: urn:x:7\r\n", {"forbidden-field"}},
        RuleCase{"FirstWithoutId",
                 kP1,
                 "urn:x:7",
                 "-",
                 {"segment-missing", "segment-orphan", "segment-orphan", "segment-without-id"}},
        RuleCase{"NoOrigin",
                 kW3,
                 "Segment-Origin-ID: urn:x:7\r\n",
                 "",
                 {"missing-segment-origin-id", "segment-missing"}},
        RuleCase{"TypeOnLaterSegment", kP2, "", "type: data\r\n", {"type-on-continuation"}},
        RuleCase{"FieldOnLaterSegment", kP2, "", "note: x\r\n", {"segment-field"}},
        RuleCase{"WarcinfoIdOnLaterSegment", kP2, "", "Warcinfo-ID: urn:x:0\r\n", {}},
        RuleCase{"BlockOfFields", kInfo, "software:", "software", {"warc-fields-syntax"}},
        RuleCase{"RequestOfConversion",
                 kRequest,
                 "http-request urn:x:1",
                 "http-request urn:x:5",
                 {"reference-wrong-type"}},
        RuleCase{
            "Outside", kMetadata, "metadata urn:x:1", "metadata urn:x:f", {"refers-to-missing"}},
        RuleCase{"RelatedOutside",
                 kData,
                 "IsPartOf urn:x:1",
                 "IsPartOf urn:x:f",
                 {"refers-to-missing"}}),
    test_name);

// The header is a URL-record up to its length, and the offset column is put where `@` stands.
std::vector<GoodRecord> arc(bool two) {
  const std::string more = two ? " 200 - - @ a.arc" : "";
  const std::string columns =
      two ? "Result-code Checksum Location Offset Filename Archive-length" : "Archive-length";
  return {{"filedesc://a.arc 0.0.0.0 20070101000000 text/plain" + more,
           std::string(two ? "2" : "1") + " 0 Maker\nURL IP-address Archive-date Content-type " +
               columns + "\n"},
          {"http://a.example/ 192.0.2.1 20070101000000 text/html" + more,
           "HTTP/1.1 200 OK\r\n\r\nhello"},
          {"dns:a.example 192.0.2.1 20070101000000 text/dns" + more, "20070101000000\n"},
          {"http://b.example/ 2001:db8::1 20070101000000 no-type" + more,
           "HTTP/1.1 200 OK\r\n\r\nhello"}};
}

std::string arc_text(const std::vector<GoodRecord>& samples) {
  std::string text;
  for (const GoodRecord& sample : samples) {
    std::string line = sample.header;
    if (const std::size_t at = line.find('@'); at != std::string::npos) {
      line.replace(at, 1, std::to_string(text.size()));
    }
    text += line + " " + std::to_string(sample.block.size()) + "\n" + sample.block + "\n";
  }
  return text;
}

TEST(VerifyGoodArcRecords, OfBothVersionsGiveNoFindings) {
  EXPECT_THAT(verify_all({arc_text(arc(false))}), IsEmpty());
  EXPECT_THAT(verify_all({arc_text(arc(true))}), IsEmpty());
}

class VerifyArcRule : public testing::TestWithParam<RuleCase> {};

TEST_P(VerifyArcRule, IsReportedAlone) {
  auto samples = arc(GetParam().name.ends_with("OfTwo"));
  ASSERT_NO_FATAL_FAILURE(change(samples[GetParam().record], GetParam()));
  EXPECT_EQ(verify_all({arc_text(samples)}), GetParam().codes);
}

INSTANTIATE_TEST_SUITE_P(
    All, VerifyArcRule,
    testing::Values(
        RuleCase{"VersionLine", 0, "1 0 Maker", "1 0", {"arc-definition"}},
        RuleCase{"ColumnNames", 0, "URL IP-address", "URL Address", {"arc-definition"}},
        RuleCase{"Version",
                 0,
                 "1 0 Maker",
                 "3 0 Maker",
                 {"unknown-version", "unknown-version", "unknown-version", "unknown-version"}},
        RuleCase{"Url", 1, "http://a.example/", "http://a.example/ b", {"bad-uri"}},
        RuleCase{"Address", 1, "192.0.2.1", "-", {"bad-ip-address"}},
        RuleCase{"Date", 1, "20070101000000", "2007010100", {"date-not-14-digits"}},
        RuleCase{"DateThatIsNone", 1, "20070101000000", "20071301000000", {"date-invalid"}},
        RuleCase{"NoDate", 1, "20070101000000", "-", {"missing-mandatory-field"}},
        RuleCase{"Swapped",
                 1,
                 "192.0.2.1 20070101000000",
                 "20070101000000 192.0.2.1",
                 {"arc-swapped-columns"}},
        RuleCase{"TypeWithParameter", 1, "text/html", "text/html;charset=x", {"arc-content-type"}},
        RuleCase{"TypeWithBlank", 1, "text/html", "text/html; charset=x", {"arc-content-type"}},
        RuleCase{"NoType", 1, "text/html", "", {"arc-content-type"}},
        RuleCase{"TypeOfVersionBlock", 0, "text/plain", "text/html", {"arc-definition"}},
        RuleCase{"NoMetadata", 0, "1 0 Maker", "1 1 Maker", {"arc-metadata"}},
        RuleCase{"ResultCodeOfTwo", 1, "200 - -", "20 - -", {"bad-field-value"}},
        RuleCase{"LocationOfTwo", 1, "- - @", "- nowhere @", {"bad-uri"}},
        RuleCase{"OffsetOfTwo", 1, "@", "7", {"arc-offset"}},
        RuleCase{"FiveColumnsOfTwo", 1, " 200 - - @ a.arc", "", {"arc-v1-in-v2"}}),
    test_name);

TEST(VerifyArc, HasMetadataInVersionOneOne) {
  const auto codes_with = [](const std::string& xml) {
    auto samples = arc(false);
    samples[0].block.replace(0, 3, "1 1");
    samples[0].block += xml;
    return verify_all({arc_text(samples)});
  };
  EXPECT_THAT(
      codes_with(
          "<?xml version='1.0'?>\n<arcmetadata><a b='c'/><!-- > --><d>e</d></arcmetadata>\n"),
      IsEmpty());
  EXPECT_EQ(codes_with("<other/>\n"), Codes{"arc-metadata"});
  EXPECT_EQ(codes_with("<arcmetadata><d></arcmetadata></d>\n"), Codes{"arc-metadata"});
  EXPECT_EQ(codes_with("<arcmetadata>\n"), Codes{"arc-metadata"});
  EXPECT_EQ(codes_with("<arcmetadata\n"), Codes{"arc-metadata"});
}

TEST(VerifyArc, HasALineEndBeforeEachRecordAndNoCarriageReturns) {
  const auto samples = arc(false);
  std::string text = arc_text(samples);
  EXPECT_THAT(verify_all({text.substr(0, text.size() - 1)}), IsEmpty());
  const std::size_t at = text.find("\ndns:");
  EXPECT_EQ(verify_all({std::string(text).erase(at, 1)}), Codes{"trailer-missing"});
  const std::size_t end = text.find('\n', at + 1);
  EXPECT_EQ(verify_all({std::string(text).insert(end, "\r")}), Codes{"arc-line-ends"});
}

TEST(VerifyArc, BeginsWithAVersionBlock) {
  auto samples = arc(false);
  samples.erase(samples.begin());
  EXPECT_EQ(verify_all({arc_text(samples)}), Codes{"arc-no-filedesc"});
}

}  // namespace
}  // namespace fonds::warc
