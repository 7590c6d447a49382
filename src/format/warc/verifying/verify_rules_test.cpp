// Each rule on WARC 1.0 and 1.1: a good archive with one change gives exactly the finding of that
// rule.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.hpp"
#include "format/warc/verifying/verify_rules_test_support.hpp"

namespace fonds::warc {
namespace {

using testing::IsEmpty;

enum : std::size_t {
  kWarcinfo,
  kResponse,
  kRequest,
  kMetadata,
  kResource,
  kRevisit,
  kConversion,
  kFirst,
  kSecond,
  kLast,
  kNotModified
};

std::string id(std::string_view last) {
  return "<urn:uuid:00000000-0000-4000-8000-00000000000" + std::string(last) + ">";
}

std::string header(std::string_view type, std::string_view last, const std::string& more) {
  return "WARC-Type: " + std::string(type) + "\r\nWARC-Record-ID: " + id(last) +
         "\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n" + more;
}

const std::string kTarget = "WARC-Target-URI: http://a.example/\r\n";
const std::string kIp = "WARC-IP-Address: 192.0.2.1\r\n";
const std::string kHttpType = "Content-Type: application/http;msgtype=response\r\n";
const std::string kDigest = "sha1:aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d";  // of "hello"
const std::string kHead = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
const std::string kProfile = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/";

std::vector<GoodRecord> good() {
  const std::string refers = "WARC-Refers-To: " + id("1") + "\r\n";
  const std::string origin = "WARC-Segment-Origin-ID: " + id("7") + "\r\n";
  return {
      {header("warcinfo", "0",
              "Content-Type: application/warc-fields\r\nWARC-Filename: a.warc\r\n"),
       "software: test\r\nformat: WARC\r\n more\r\n\r\n"},
      {header("response", "1",
              kTarget + kIp + kHttpType + "WARC-Warcinfo-ID: " + id("0") +
                  "\r\nWARC-Payload-Digest: " + kDigest +
                  "\r\nWARC-Identified-Payload-Type: text/plain\r\nX-More: any\r\n"),
       kHead + "hello"},
      {header("request", "2",
              kTarget + kIp + "Content-Type: application/http; msgtype=\"request\"\r\n" +
                  "WARC-Concurrent-To: " + id("1") + "\r\nWARC-Concurrent-To: " + id("3") + "\r\n"),
       "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"},
      {header("metadata", "3", kTarget + refers + "Content-Type: application/warc-fields\r\n"),
       "via: http://b.example/\r\n"},
      {header("resource", "4",
              "WARC-Target-URI: dns:a.example\r\nWARC-IP-Address: 2001:db8::1\r\n"
              "Content-Type: text/dns\r\n"),
       "20200101000000\na.example. 60 IN A 192.0.2.1\n"},
      {header("revisit", "5",
              kTarget + kIp + kHttpType + refers +
                  "WARC-Refers-To-Target-URI: http://a.example/\r\n"
                  "WARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\nWARC-Truncated: length\r\n" +
                  kProfile + "identical-payload-digest\r\nWARC-Payload-Digest: " + kDigest +
                  "\r\n"),
       "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"},
      {header("conversion", "6", kTarget + refers + "Content-Type: text/plain\r\n"), "HELLO"},
      {header("response", "7", kTarget + kIp + kHttpType + "WARC-Segment-Number: 1\r\n"),
       kHead + "h"},
      {header("continuation", "8", kTarget + origin + "WARC-Segment-Number: 2\r\n"), "el"},
      {header("continuation", "9",
              kTarget + origin + "WARC-Segment-Number: 3\r\nWARC-Segment-Total-Length: " +
                  std::to_string(kHead.size() + 5) + "\r\n"),
       "lo"},
      {header("revisit", "a",
              kTarget + kIp + refers + "WARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\n" + kProfile +
                  "server-not-modified\r\n"),
       ""}};
}

std::string sha1_hex(std::string_view text) {
  Hasher hasher(DigestAlgorithm::Sha1);
  hasher.update(as_bytes(text));
  const DigestValue value = hasher.finish();
  return to_hex(ByteView(value.bytes).first(value.size));
}

std::string text_of(const GoodRecord& sample, const std::string& version) {
  return version + "\r\n" + sample.header +
         "Content-Length: " + std::to_string(sample.block.size()) + "\r\n\r\n" + sample.block +
         "\r\n\r\n";
}
std::string text_of(const std::vector<GoodRecord>& samples,
                    const std::string& version = "WARC/1.1") {
  std::string text;
  for (const GoodRecord& sample : samples) {
    text += text_of(sample, version);
  }
  return text;
}

TEST(VerifyGoodRecords, OfEveryTypeGiveNoFindings) {
  EXPECT_THAT(verify_all({text_of(good())}), IsEmpty());
}

TEST(VerifyGoodRecords, OfEveryTypeGiveNoFindingsInOlderVersions) {
  for (const std::string version : {"WARC/0.17", "WARC/0.18", "WARC/1.0"}) {
    EXPECT_THAT(verify_all({text_of(good(), version)}), IsEmpty()) << version;
  }
}

class VerifyRule : public testing::TestWithParam<RuleCase> {};

TEST_P(VerifyRule, IsReportedAlone) {
  auto samples = good();
  ASSERT_NO_FATAL_FAILURE(change(samples[GetParam().record], GetParam()));
  EXPECT_EQ(verify_all({text_of(samples)}), GetParam().codes);
}

// Fields that must be there.
INSTANTIATE_TEST_SUITE_P(
    Required, VerifyRule,
    testing::Values(
        RuleCase{"Type",
                 kWarcinfo,
                 "WARC-Type: warcinfo\r\n",
                 "",
                 {"missing-mandatory-field", "warcinfo-not-first"}},
        RuleCase{"RecordId",
                 kConversion,
                 "WARC-Record-ID: " + id("6") + "\r\n",
                 "",
                 {"missing-mandatory-field"}},
        RuleCase{"Date",
                 kConversion,
                 "WARC-Date: 2020-01-01T00:00:00Z\r\n",
                 "",
                 {"missing-mandatory-field"}},
        RuleCase{"TargetOfResponse", kResponse, kTarget, "", {"missing-mandatory-field"}},
        RuleCase{"TargetOfRequest", kRequest, kTarget, "", {"missing-mandatory-field"}},
        RuleCase{"TargetOfResource",
                 kResource,
                 "WARC-Target-URI: dns:a.example\r\n",
                 "",
                 {"missing-mandatory-field"}},
        RuleCase{"TargetOfRevisit", kRevisit, kTarget, "", {"missing-mandatory-field"}},
        RuleCase{"TargetOfConversion", kConversion, kTarget, "", {"missing-mandatory-field"}},
        RuleCase{"TargetOfContinuation", kSecond, kTarget, "", {"missing-mandatory-field"}},
        RuleCase{"ProfileOfRevisit",
                 kNotModified,
                 kProfile + "server-not-modified\r\n",
                 "",
                 {"missing-mandatory-field", "missing-recommended-field"}},
        RuleCase{"DigestOfIdentical",
                 kRevisit,
                 "WARC-Payload-Digest: " + kDigest + "\r\n",
                 "",
                 {"missing-mandatory-field"}},
        RuleCase{"NumberOfContinuation",
                 kLast,
                 "WARC-Segment-Number: 3\r\n",
                 "",
                 {"missing-mandatory-field", "segment-duplicate-differs", "segment-missing"}},
        RuleCase{"OriginOfContinuation",
                 kLast,
                 "WARC-Segment-Origin-ID: " + id("7") + "\r\n",
                 "",
                 {"missing-segment-origin-id", "segment-missing"}},
        RuleCase{"TotalOfLast",
                 kLast,
                 "WARC-Segment-Total-Length: 43\r\n",
                 "WARC-Truncated: time\r\n",
                 {"missing-mandatory-field"}},
        RuleCase{"ContentType",
                 kConversion,
                 "Content-Type: text/plain\r\n",
                 "",
                 {"missing-content-type"}}),
    test_name);

// Fields that a type must not have.
INSTANTIATE_TEST_SUITE_P(
    Forbidden, VerifyRule,
    testing::Values(
        RuleCase{"TargetOnWarcinfo", kWarcinfo, "", kTarget, {"forbidden-field"}},
        RuleCase{"AddressOnWarcinfo", kWarcinfo, "", kIp, {"forbidden-field"}},
        RuleCase{"WarcinfoIdOnWarcinfo",
                 kWarcinfo,
                 "",
                 "WARC-Warcinfo-ID: " + id("0") + "\r\n",
                 {"forbidden-field", "reference-to-itself"}},
        RuleCase{"PayloadDigestOnWarcinfo",
                 kWarcinfo,
                 "",
                 "WARC-Payload-Digest: x:y\r\n",
                 {"digest-unsupported", "forbidden-field"}},
        RuleCase{"PayloadTypeOnMetadata",
                 kMetadata,
                 "",
                 "WARC-Identified-Payload-Type: text/plain\r\n",
                 {"forbidden-field"}},
        RuleCase{"ConcurrentOnWarcinfo",
                 kWarcinfo,
                 "",
                 "WARC-Concurrent-To: " + id("1") + "\r\n",
                 {"forbidden-field"}},
        RuleCase{"ConcurrentOnConversion",
                 kConversion,
                 "",
                 "WARC-Concurrent-To: " + id("1") + "\r\n",
                 {"forbidden-field"}},
        RuleCase{"ConcurrentOnContinuation",
                 kSecond,
                 "",
                 "WARC-Concurrent-To: " + id("1") + "\r\n",
                 {"forbidden-field"}},
        RuleCase{"AddressOnConversion", kConversion, "", kIp, {"forbidden-field"}},
        RuleCase{"AddressOnContinuation", kSecond, "", kIp, {"forbidden-field"}},
        RuleCase{"RefersToOnResponse",
                 kFirst,
                 "",
                 "WARC-Refers-To: " + id("1") + "\r\n",
                 {"forbidden-field"}},
        RuleCase{"RefersToOnRequest",
                 kRequest,
                 "",
                 "WARC-Refers-To: " + id("1") + "\r\n",
                 {"forbidden-field"}},
        RuleCase{"RefersToTargetOnMetadata",
                 kMetadata,
                 "",
                 "WARC-Refers-To-Target-URI: http://a.example/\r\n",
                 {"forbidden-field"}},
        RuleCase{"RefersToDateOnConversion",
                 kConversion,
                 "",
                 "WARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\n",
                 {"forbidden-field"}},
        RuleCase{"FilenameOnResponse", kResponse, "", "WARC-Filename: a\r\n", {"forbidden-field"}},
        RuleCase{"FilenameOnRevisit", kRevisit, "", "WARC-Filename: a\r\n", {"forbidden-field"}},
        RuleCase{
            "ProfileOnResponse", kResponse, "", "WARC-Profile: urn:x\r\n", {"forbidden-field"}},
        RuleCase{"OriginOnResource",
                 kResource,
                 "",
                 "WARC-Segment-Origin-ID: " + id("7") + "\r\n",
                 {"forbidden-field"}},
        RuleCase{"TotalOnResource",
                 kResource,
                 "",
                 "WARC-Segment-Total-Length: 5\r\n",
                 {"forbidden-field"}},
        RuleCase{"Repeated", kResponse, "", kTarget, {"duplicate-field"}}),
    test_name);

// Values.
INSTANTIATE_TEST_SUITE_P(
    Values, VerifyRule,
    testing::Values(
        RuleCase{"FieldName", kResponse, "X-More", "X(More", {"bad-field-name"}},
        RuleCase{"ControlCharacter", kResponse, "any", "a\1ny", {"bad-field-value"}},
        RuleCase{
            "IdWithoutBrackets", kConversion, "ID: " + id("6"), "ID: urn:x:6", {"uri-brackets"}},
        RuleCase{"TargetInBrackets",
                 kMetadata,
                 "http://a.example/",
                 "<http://a.example/>",
                 {"uri-brackets"}},
        RuleCase{"IdNoUri", kConversion, "ID: " + id("6"), "ID: <6>", {"non-uri-id"}},
        RuleCase{"WarcinfoIdNoUri",
                 kResponse,
                 "Warcinfo-ID: " + id("0"),
                 "Warcinfo-ID: <0>",
                 {"bad-uri", "refers-to-missing"}},
        RuleCase{
            "TargetWithBlank", kMetadata, "http://a.example/", "http://a.example/ b", {"bad-uri"}},
        RuleCase{"TargetWithBadPercent",
                 kMetadata,
                 "http://a.example/",
                 "http://a.example/%4g",
                 {"bad-uri"}},
        RuleCase{"TargetWithTwoFragments",
                 kMetadata,
                 "http://a.example/",
                 "http://a.example/#a#b",
                 {"bad-uri"}},
        RuleCase{"TargetWithBracketInPath",
                 kMetadata,
                 "http://a.example/",
                 "http://a.example/[1]",
                 {"bad-uri"}},
        RuleCase{"TargetOfAnIpv6Host", kMetadata, "http://a.example/", "http://[::1]:80/", {}},
        RuleCase{"TargetWithoutScheme", kMetadata, "http://a.example/", "a.example/", {"bad-uri"}},
        RuleCase{"DateWithoutZone", kConversion, "00Z", "00", {"date-form"}},
        RuleCase{"DateWithFraction", kConversion, "00Z", "00.123456789Z", {}},
        RuleCase{"DateOfADay", kConversion, "2020-01-01T00:00:00Z", "2020-01-01", {}},
        RuleCase{"DateThatIsNone", kConversion, "2020-01-01T", "2020-13-01T", {"date-invalid"}},
        RuleCase{"RefersToDate",
                 kNotModified,
                 "To-Date: 2020-01-01T00:00:00Z",
                 "To-Date: 2020-01-01T00:00:00+00:00",
                 {"date-form"}},
        RuleCase{"Address", kResponse, "192.0.2.1", "192.0.2.256", {"bad-ip-address"}},
        RuleCase{"AddressV6", kResource, "2001:db8::1", "2001:db8::1::", {"bad-ip-address"}},
        RuleCase{"ContentType", kConversion, "text/plain", "text", {"bad-media-type"}},
        RuleCase{"ContentTypeParameter",
                 kConversion,
                 "text/plain",
                 "text/plain; charset",
                 {"bad-media-type"}},
        RuleCase{"PayloadType", kResponse, "text/plain", "text/", {"bad-media-type"}},
        RuleCase{"TypeOfHttp",
                 kResponse,
                 "application/http;msgtype=response",
                 "text/html",
                 {"content-type-differs", "digest-mismatch"}},
        RuleCase{"MessageTypeOfHttp",
                 kResponse,
                 "msgtype=response",
                 "msgtype=request",
                 {"content-type-differs"}},
        RuleCase{"TypeOfDns", kResource, "text/dns", "text/plain", {"content-type-differs"}},
        RuleCase{"TypeOfWarcinfo",
                 kWarcinfo,
                 "application/warc-fields",
                 "text/plain",
                 {"content-type-differs"}},
        RuleCase{"TruncatedReason",
                 kResource,
                 "",
                 "WARC-Truncated: tired\r\n",
                 {"unknown-truncated-reason"}},
        RuleCase{"TruncatedNoToken", kResource, "", "WARC-Truncated: a b\r\n", {"bad-field-value"}},
        RuleCase{"SegmentTotal",
                 kResource,
                 "",
                 "WARC-Segment-Total-Length: x\r\n",
                 {"bad-field-value", "forbidden-field"}},
        RuleCase{
            "BlockDigest", kResource, "", "WARC-Block-Digest: sha1:xyz\r\n", {"digest-malformed"}},
        RuleCase{
            "WarcinfoLine", kWarcinfo, "software: test", "software test", {"warc-fields-syntax"}},
        RuleCase{"MetadataLine", kMetadata, "via:", "v ia:", {"warc-fields-syntax"}},
        RuleCase{
            "TypeCase", kResponse, "WARC-Type: response", "WARC-Type: Response", {"type-case"}},
        RuleCase{
            "UnknownType", kResource, "WARC-Type: resource", "WARC-Type: other", {"unknown-type"}}),
    test_name);

// Revisits and segments.
INSTANTIATE_TEST_SUITE_P(
    Profiles, VerifyRule,
    testing::Values(
        RuleCase{"Unknown",
                 kNotModified,
                 "server-not-modified",
                 "other",
                 {"missing-recommended-field", "unknown-profile"}},
        RuleCase{"OfAnotherVersion", kRevisit, "warc/1.1/revisit", "warc/0.18/revisit", {}},
        RuleCase{"UriAgnostic", kRevisit, "identical-", "uri-agnostic-identical-", {}},
        RuleCase{
            "NotTruncated", kRevisit, "WARC-Truncated: length\r\n", "", {"revisit-not-truncated"}},
        RuleCase{"NoRefersTo",
                 kNotModified,
                 "WARC-Refers-To: " + id("1") + "\r\n",
                 "",
                 {"missing-recommended-field"}},
        RuleCase{"NoRefersToTarget",
                 kRevisit,
                 "WARC-Refers-To-Target-URI: http://a.example/\r\n",
                 "",
                 {"missing-recommended-field"}},
        RuleCase{"NoRefersToDate",
                 kRevisit,
                 "WARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\n",
                 "",
                 {"missing-recommended-field"}},
        RuleCase{"NoAddressOfResponse", kResponse, kIp, "", {"missing-recommended-field"}},
        RuleCase{"NoAddressOfRequest", kRequest, kIp, "", {"missing-recommended-field"}},
        RuleCase{"NoSourceOfConversion",
                 kConversion,
                 "WARC-Refers-To: " + id("1") + "\r\n",
                 "",
                 {"missing-recommended-field"}}),
    test_name);
INSTANTIATE_TEST_SUITE_P(
    Segments, VerifyRule,
    testing::Values(
        RuleCase{"NumberOfFirst",
                 kResource,
                 "",
                 "WARC-Segment-Number: 2\r\n",
                 {"segment-number-mismatch"}},
        RuleCase{
            "NumberNone",
            kSecond,
            "Number: 2",
            "Number: two",
            {"bad-field-value", "segment-duplicate-differs", "segment-missing", "segment-orphan"}},
        RuleCase{"NumberZero", kFirst, "Number: 1", "Number: 0", {"segment-number-zero"}},
        RuleCase{"NumberTwice",
                 kLast,
                 "Number: 3",
                 "Number: 2",
                 {"segment-duplicate-differs", "segment-missing"}},
        RuleCase{"NumberLeftOut",
                 kLast,
                 "Number: 3",
                 "Number: 4",
                 {"segment-missing", "segment-orphan"}},
        RuleCase{"NumberOneOnContinuation",
                 kSecond,
                 "Number: 2",
                 "Number: 1",
                 {"segment-duplicate-differs", "segment-missing", "segment-number-mismatch",
                  "segment-orphan"}},
        RuleCase{"OfMetadata",
                 kMetadata,
                 "",
                 "WARC-Segment-Number: 1\r\n",
                 {"segment-missing", "segmented-type"}},
        RuleCase{"ContentType", kSecond, "", "Content-Type: text/plain\r\n", {"segment-field"}},
        RuleCase{"Target",
                 kSecond,
                 "http://a.example/",
                 "http://b.example/",
                 {"segment-target-differs"}},
        RuleCase{"TotalTooEarly",
                 kSecond,
                 "",
                 "WARC-Segment-Total-Length: 43\r\n",
                 {"segment-total-misplaced"}},
        RuleCase{"Total", kLast, "Total-Length: 4", "Total-Length: 5", {"segment-total-mismatch"}},
        RuleCase{"Origin",
                 kLast,
                 "Origin-ID: " + id("7"),
                 "Origin-ID: " + id("1"),
                 {"segment-missing", "segment-orphan"}},
        RuleCase{"PayloadDigest",
                 kFirst,
                 "",
                 "WARC-Payload-Digest: sha1:aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434e\r\n",
                 {"digest-mismatch"}}),
    test_name);

// What records say of each other.
INSTANTIATE_TEST_SUITE_P(
    References, VerifyRule,
    testing::Values(
        RuleCase{
            "RepeatedId", kConversion, "ID: " + id("6"), "ID: " + id("4"), {"duplicate-record-id"}},
        RuleCase{"Outside",
                 kMetadata,
                 "Refers-To: " + id("1"),
                 "Refers-To: " + id("f"),
                 {"refers-to-missing"}},
        RuleCase{"WarcinfoOutside",
                 kResponse,
                 "Warcinfo-ID: " + id("0"),
                 "Warcinfo-ID: " + id("f"),
                 {"refers-to-missing"}},
        RuleCase{"WarcinfoBare",
                 kResponse,
                 "Warcinfo-ID: " + id("0"),
                 "Warcinfo-ID: 00000000-0000-4000-8000-000000000000",
                 {"bad-uri", "uri-brackets"}},
        RuleCase{"WarcinfoIsNone",
                 kResponse,
                 "Warcinfo-ID: " + id("0"),
                 "Warcinfo-ID: " + id("2"),
                 {"reference-wrong-type"}},
        RuleCase{"ConcurrentToConversion",
                 kRequest,
                 "Concurrent-To: " + id("3"),
                 "Concurrent-To: " + id("6"),
                 {"reference-wrong-type"}},
        RuleCase{"RevisitOfRevisit",
                 kNotModified,
                 "Refers-To: " + id("1"),
                 "Refers-To: " + id("5"),
                 {"reference-wrong-type"}},
        RuleCase{"ToItself",
                 kMetadata,
                 "Refers-To: " + id("1"),
                 "Refers-To: " + id("3"),
                 {"reference-to-itself"}},
        RuleCase{"ConcurrentDate",
                 kRequest,
                 "00:00:00Z",
                 "00:00:01Z",
                 {"concurrent-date-differs", "concurrent-date-differs"}},
        RuleCase{"DigestOfOriginal", kRevisit, "434d", "434e", {"revisit-digest-differs"}},
        RuleCase{"TargetOfOriginal",
                 kRevisit,
                 "To-Target-URI: http://a.example/",
                 "To-Target-URI: http://b.example/",
                 {"revisit-original-differs"}},
        RuleCase{"DateOfOriginal",
                 kRevisit,
                 "To-Date: 2020",
                 "To-Date: 2019",
                 {"revisit-original-differs"}}),
    test_name);

TEST(VerifyReferences, LeadToRecordsOfOtherArchivesOfTheRun) {
  auto samples = good();
  const std::vector<GoodRecord> first(samples.begin(), samples.begin() + kRevisit);
  const std::vector<GoodRecord> second(samples.begin() + kRevisit, samples.end());
  EXPECT_EQ(verify_all({text_of(first), text_of(second)}), Codes{"warcinfo-not-first"});
  EXPECT_EQ(verify_all({text_of(second)}), (Codes{"refers-to-missing", "warcinfo-not-first"}));
}

TEST(VerifyReferences, AreJudgedInOtherArchivesToo) {
  auto samples = good();
  std::string& revisit = samples[kRevisit].header;
  revisit.replace(revisit.find("434d"), 4, "434e");
  const std::vector<GoodRecord> first(samples.begin(), samples.begin() + kRevisit);
  const std::vector<GoodRecord> second(samples.begin() + kRevisit, samples.end());
  EXPECT_EQ(verify_all({text_of(second), text_of(first)}),
            (Codes{"revisit-digest-differs", "warcinfo-not-first"}));
}

TEST(VerifyReferences, OfTheSameIdInTwoArchivesAreNoRepeat) {
  EXPECT_THAT(verify_all({text_of(good()), text_of(good())}),
              testing::Not(testing::Contains("duplicate-record-id")));
}

TEST(VerifyOldVersions, HaveDatesOfWholeSeconds) {
  auto samples = good();
  std::string& conversion = samples[kConversion].header;
  conversion.replace(conversion.find("00Z"), 3, "00.5Z");
  EXPECT_EQ(verify_all({text_of(samples, "WARC/1.0")}), Codes{"date-form"});
}

TEST(VerifyOldVersions, AllowBracketsAroundTargetsAndFieldsOfTheFuture) {
  auto samples = good();
  std::string& metadata = samples[kMetadata].header;
  metadata.replace(metadata.find("http://a.example/"), 17, "<http://a.example/>");
  metadata += "WARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\n";
  EXPECT_THAT(verify_all({text_of(samples, "WARC/1.0")}), IsEmpty());
  EXPECT_EQ(verify_all({text_of(samples)}), (Codes{"forbidden-field", "uri-brackets"}));
}

TEST(VerifyWarcinfo, IsRecommendedAsTheFirstRecord) {
  EXPECT_EQ(verify_all({text_of({good()[kResponse]})}),
            (Codes{"refers-to-missing", "warcinfo-not-first"}));
}

TEST(VerifyEndOfRecord, IsCrLfTwice) {
  const std::string text = text_of({good()[kWarcinfo]});
  const std::string record = text.substr(0, text.size() - 4);
  for (const std::string end : {"\n\n", "\r\n\n", "\n\r\n", "\n\n\n\n"}) {
    EXPECT_EQ(verify_all({record + end}), Codes{"closing-line-ends"});
  }
  for (const std::string end : {"\n", "\r\n"}) {
    EXPECT_EQ(verify_all({record + end}), Codes{"trailer-missing"});
  }
  EXPECT_THAT(verify_all({record + "\r\n\r\n\r\n"}), IsEmpty());
}

TEST(VerifyPayloadDigest, OfTheBlockIsAWarning) {
  auto samples = good();
  std::string& text = samples[kResponse].header;
  text.replace(text.find(kDigest), kDigest.size(), "sha1:" + sha1_hex(samples[kResponse].block));
  std::vector<Severity> severities;
  ops::Verifier verifier({}, {}, false, [&](const Finding& finding) {
    if (finding.code == "digest-mismatch") {
      severities.push_back(finding.severity);
    }
  });
  const auto archive = open_archive(testing_codec::mapped(text_of(samples)));
  ASSERT_TRUE(archive.has_value());
  ASSERT_TRUE(verifier.check(*archive).has_value());
  EXPECT_EQ(severities, std::vector{Severity::Warning});
}

TEST(VerifyMemory, ThatDoesNotSufficeIsSaid) {
  std::vector<std::pair<std::string, Severity>> found;
  ops::Verifier verifier({}, {.memory = 1024}, false, [&](const Finding& finding) {
    found.emplace_back(finding.code, finding.severity);
  });
  const auto archive = open_archive(testing_codec::mapped(text_of(good())));
  ASSERT_TRUE(archive.has_value());
  ASSERT_TRUE(verifier.check(*archive).has_value());
  verifier.finish();
  EXPECT_EQ(std::count(found.begin(), found.end(),
                       std::pair(std::string("limit-exceeded"), Severity::Note)),
            2);
  EXPECT_FALSE(std::any_of(found.begin(), found.end(),
                           [](const auto& one) { return one.second == Severity::Error; }));
}

}  // namespace
}  // namespace fonds::warc
