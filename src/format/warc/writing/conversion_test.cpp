#include "format/warc/writing/conversion.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/grammar_test_support.hpp"
#include "format/warc/writing/conversion_test_support.hpp"

namespace fonds::warc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Converted convert(const Sample& sample, const ConversionOptions& options,
                  const ConversionScope& scope = {}) {
  auto made = convert_header(sample.header, sample.facts, scope, options);
  if (!made) {
    ADD_FAILURE() << made.error().to_string();
    return {};
  }
  return std::move(*made);
}
Converted convert(const std::string& header, const std::string& block,
                  const ConversionOptions& options) {
  return convert(*sample_of(header, block), options);
}
ConversionOptions plain(Target target) { return {.target = target, .original_header = false}; }

std::string response() {
  return "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
         "WARC-Date: 2020-01-02T03:04:05.678Z\r\nWARC-Target-URI: http://a.example/\r\n"
         "WARC-IP-Address: 192.0.2.1\r\nContent-Type: application/http;msgtype=response\r\n"
         "Content-Length: 49\r\n\r\n";
}
std::string http_block() { return "HTTP/1.1 200 OK\r\nContent-Type: text/html; a=b\r\n\r\n"; }

std::string modern(const std::string& fields) {
  return "WARC/1.1\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n" +
         fields + "Content-Length: 0\r\n\r\n";
}
std::string positional(const std::string& id, const std::string& status,
                       const std::string& fields) {
  const auto rest = " 20200102030405 " + id + " " + status + "\r\n" + fields + "\r\n";
  return "warc/00.11 000" + std::to_string(11 + 6 + rest.size()) + rest;
}

TEST(ConvertHeader, LeavesAHeaderOfTheSameDialectAsItIs) {
  const std::string header = "WARC/1.0\nwarc-type:response\nContent-Length:  0 \n\n";
  EXPECT_EQ(convert(header, "", {.target = Target::Warc10}).header, header);
}

TEST(ConvertHeader, ToAnotherVersionChangesTheFirstLineAndWhatTheVersionForbids) {
  const auto made = convert(response(), http_block(), plain(Target::Warc10));
  EXPECT_EQ(made.header,
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
            "WARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Target-URI: http://a.example/\r\n"
            "WARC-IP-Address: 192.0.2.1\r\nContent-Type: application/http;msgtype=response\r\n"
            "Content-Length: 49\r\n\r\n");
  EXPECT_THAT(made.losses, ElementsAre("fraction of a date"));
}

TEST(ConvertHeader, ToAnotherVersionMakesTheHabitsOfClueWebLegal) {
  const auto made = convert(
      "WARC/0.18\nWARC-Type: revisit\nWARC-Target-URI: <http://a.example/>\n"
      "WARC-Warcinfo-ID: 993d3969-9643-4934-b1c6-68d4dbe55b83\n"
      "WARC-Profile: http://netpreserve.org/warc/0.18/revisit/identical-payload-digest\n"
      "WARC-Date: 2009-03-65T08:43:19-0800\nX:  kept  \n\nContent-Length: 0\n\n",
      "", plain(Target::Warc11));
  EXPECT_EQ(made.header,
            "WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Target-URI: http://a.example/\r\n"
            "WARC-Warcinfo-ID: <urn:uuid:993d3969-9643-4934-b1c6-68d4dbe55b83>\r\n"
            "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n"
            "WARC-Date: 2009-03-06T16:43:19Z\r\nX:  kept  \r\nContent-Length: 0\r\n\r\n");
}

TEST(ConvertHeader, ToAnotherVersionCorrectsTheLengthOfTheBlock) {
  const auto made = convert("WARC/1.0\r\ncontent-length: 9\r\nContent-Length: 8\r\n\r\n", "12345",
                            plain(Target::Warc11));
  EXPECT_EQ(made.header, "WARC/1.1\r\ncontent-length: 5\r\n\r\n");
}

TEST(ConvertHeader, RefusesAHeaderThatIsCut) {
  const auto sample = sample_of("WARC/1.0\r\nContent-Length: 9\r\n", "");
  const auto made = convert_header(sample->header, sample->facts, ConversionScope(), {});
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code(), ErrorCode::Truncated);
  EXPECT_EQ(made.error().where().decoded_offset, 0U);
}

TEST(ConvertHeader, CountsWhatIsLostOf0011WithoutTheOriginalHeader) {
  const auto made = convert(
      "warc/00.11 00090 20071301000000 - w1 -\r\ntype: conversion - noenvelope\r\nnote: a\rb\r\n"
      "\r\n",
      "", plain(Target::Warc11));
  EXPECT_THAT(made.losses,
              testing::UnorderedElementsAre("id that was -", "odd date", "flag of a conversion",
                                            "line end in a field", "odd parts of a header"));
}

TEST(ConvertHeader, KeepsTheOriginalHeaderOnlyOnce) {
  const auto header = modern("X: y\r\n");
  const auto first = convert(header, "", {.target = Target::Warc10});
  const auto second = convert(first.header, "", {.target = Target::Warc018});
  const auto field = "WARC-Original-Header: WARC/1.1 " + to_base64(as_bytes(header)) + "\r\n";
  EXPECT_THAT(second.header, HasSubstr(field));
  EXPECT_EQ(second.header.find("WARC-Original-Header"),
            second.header.rfind("WARC-Original-Header"));
  const auto back = convert(second.header, "", {.target = Target::Warc11});
  EXPECT_EQ(back.header, header);
  EXPECT_TRUE(back.restored);
}

TEST(ConvertHeader, CountsWhatIsLostWhereTheOriginalHeaderIsThatOfAnotherDialect) {
  const auto header =
      "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Date: 2020-01\r\nContent-Length: 0\r\n"
      "WARC-Original-Header: WARC/0.17 V0FSQy8wLjE3DQoNCg==\r\n\r\n";
  const auto made = convert(header, "", {.target = Target::Warc10});
  EXPECT_THAT(made.losses, testing::ElementsAre("precision of a date"));
}

// What WARC-Original-Header may hold that must not be written.
struct Forged {
  const char* name;
  std::string octets;
};
class ForgedOriginalHeader : public testing::TestWithParam<Forged> {};

TEST_P(ForgedOriginalHeader, IsNotRestored) {
  const auto header =
      "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
      "WARC-Date: 2020-01-02T03:04:05Z\r\nContent-Length: 5\r\nWARC-Original-Header: WARC/1.1 " +
      to_base64(as_bytes(GetParam().octets)) + "\r\n\r\n";
  const auto made = convert(header, "12345", {.target = Target::Warc11});
  EXPECT_FALSE(made.restored);
  EXPECT_THAT(made.header, HasSubstr("WARC-Record-ID: <urn:uuid:1>\r\n"));
}

INSTANTIATE_TEST_SUITE_P(
    Headers, ForgedOriginalHeader,
    testing::Values(Forged{"ShorterBlock", "WARC/1.1\r\nContent-Length: 4\r\n\r\n"},
                    Forged{"LongerBlock", "WARC/1.1\r\nContent-Length: 6\r\n\r\n"},
                    Forged{"NoLength", "WARC/1.1\r\nWARC-Type: x\r\n\r\n"},
                    Forged{"TwoLengths",
                           "WARC/1.1\r\nContent-Length: 5\r\nContent-Length: 1\r\n\r\n"},
                    Forged{"MoreBehindIt", "WARC/1.1\r\nContent-Length: 5\r\n\r\nWARC/1.1\r\n"},
                    Forged{"NoEnd", "WARC/1.1\r\nContent-Length: 5\r\n"},
                    Forged{"OtherVersion", "WARC/1.0\r\nContent-Length: 5\r\n\r\n"},
                    Forged{"Nothing", ""}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(ConvertHeader, GivesALegalIdAndKeepsTheOldOne) {
  ConversionOptions options = plain(Target::Warc11);
  options.legal_ids = true;
  const auto origin = convert(positional("54321", "p1", ""), "", options).header;
  const auto later =
      convert(positional("54322", "w2", "Segment-Origin-ID: 54321\r\n"), "", options).header;
  EXPECT_THAT(origin, HasSubstr("WARC-Original-ID: 54321\r\n"));
  const auto at = origin.find("<urn:uuid:");
  ASSERT_NE(at, std::string::npos);
  const auto id = origin.substr(at, origin.find('>') - at + 1);
  EXPECT_THAT(later, HasSubstr("WARC-Segment-Origin-ID: " + id + "\r\n"));
}

TEST(ConvertHeader, WritesOneLengthWhereTheHeaderHasOneThatIsNoNumber) {
  const auto header = convert("WARC/1.0\r\nContent-Length:5\r\nContent-Length:\r0\r\n\r\n", "12345",
                              plain(Target::Warc11))
                          .header;
  EXPECT_THAT(header, HasSubstr("Content-Length: 5\r\n"));
  EXPECT_EQ(header.find("Content-Length"), header.rfind("Content-Length"));
}

TEST(ConvertHeader, KeepsALegalIdOnTheWayBackSoThatReferencesHold) {
  ConversionOptions options = plain(Target::Warc11);
  options.legal_ids = true;
  const auto there = convert(positional("54321", "w1", ""), "", options).header;
  const auto back = convert(there, "", plain(Target::Warc0011)).header;
  EXPECT_THAT(back, HasSubstr(" urn:uuid:"));
  EXPECT_THAT(back, HasSubstr("\r\nWARC-Original-ID: 54321\r\n"));
}

TEST(ConvertHeader, WritesLineEndsInAFieldAsABlank) {
  const auto made = convert(positional("urn:x:1", "w1", "note: a\rWARC-Type: b\nWARC-Type: c\r\n"),
                            "", plain(Target::Warc11));
  EXPECT_THAT(made.header,
              HasSubstr("\r\nWARC-Legacy-Field: note: a WARC-Type: b WARC-Type: c\r\n"));
  EXPECT_THAT(made.losses, ElementsAre("line end in a field"));
}

TEST(ConvertHeader, LeavesOutAFieldWithACarriageReturnInItsName) {
  const auto made =
      convert(modern("\rContent-Length: 9\r\nContent-Length\r: 8\r\n"), "", plain(Target::Warc10));
  EXPECT_EQ(made.header.find("Content-Length"), made.header.rfind("Content-Length"));
}

TEST(ConvertHeader, DoesNotLetALegacyFieldBecomeAFieldOf0011ThatMeansSomething) {
  const auto made =
      convert(modern("WARC-Type: resource\r\nWARC-Legacy-Field: Segment-Origin-ID: x\r\n"
                     "WARC-Legacy-Field: note: kept\r\nrevisit: y same\r\n"),
              "", plain(Target::Warc0011));
  EXPECT_THAT(made.header, HasSubstr("\r\nWARC-Legacy-Field: Segment-Origin-ID: x\r\n"));
  EXPECT_THAT(made.header, HasSubstr("\r\nWARC-Legacy-Field: revisit: y same\r\n"));
  EXPECT_THAT(made.header, HasSubstr("\r\nnote: kept\r\n"));
}

TEST(ConvertHeader, NeverUsesADashForTheFirstOfSeveralSegments) {
  const auto made = convert(
      "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Segment-Number: 1\r\nContent-Length: 0\r\n\r\n", "",
      plain(Target::Warc0011));
  EXPECT_THAT(made.header, HasSubstr(" urn:uuid:"));
  EXPECT_THAT(made.header, HasSubstr(" p1\r\n"));
}

TEST(ConvertHeader, WritesAContinuationWithNothingButItsOrigin) {
  const auto header = modern(
      "WARC-Type: continuation\r\nWARC-Segment-Number: 3\r\nWARC-Segment-Origin-ID: <urn:x:1>\r\n"
      "WARC-Segment-Total-Length: 30\r\nWARC-Truncated: time\r\nWARC-Target-URI: http://a/\r\n");
  const auto made = convert(header, "", {.target = Target::Warc0011});
  EXPECT_THAT(made.header,
              HasSubstr(" t3\r\nSegment-Origin-ID: urn:x:1\r\nWARC-Original-Header: "));
}

TEST(ConvertHeader, KeepsTheFieldsOfAContinuationWhoseOriginalHeaderIsThatOfAnotherDialect) {
  const auto header = modern(
      "WARC-Type: continuation\r\nWARC-Segment-Number: 3\r\nWARC-Segment-Origin-ID: <urn:x:1>\r\n"
      "WARC-Segment-Total-Length: 30\r\nWARC-Target-URI: http://a/\r\nX: y\r\n");
  const auto older = convert(header, "", {.target = Target::Warc10});
  const auto made = convert(older.header, "", {.target = Target::Warc0011});
  const auto back = convert(made.header, "", {.target = Target::Warc10});
  for (const std::string_view field :
       {"WARC-Segment-Total-Length: 30\r\n", "WARC-Target-URI: http://a/\r\n", "X: y\r\n"}) {
    EXPECT_THAT(back.header, HasSubstr(std::string(field)));
  }
}

TEST(ConvertHeader, SaysOtherTruncationsInANote) {
  const auto made = convert(modern("WARC-Type: resource\r\nWARC-Truncated: disconnect\r\n"), "",
                            plain(Target::Warc0011));
  EXPECT_THAT(made.header, HasSubstr(" z1\r\n"));
  EXPECT_THAT(made.header, HasSubstr("\r\nnote: truncated: disconnect\r\n"));
  const auto back = convert(made.header, "", plain(Target::Warc11));
  EXPECT_THAT(back.header, HasSubstr("WARC-Truncated: disconnect\r\n"));
  EXPECT_THAT(back.header, Not(HasSubstr("note")));
}

// Header and block of one length each side of where the digits of data-length grow.
class DataLength : public testing::TestWithParam<std::uint64_t> {};

TEST_P(DataLength, CountsItsOwnDigits) {
  auto sample = sample_of(modern("WARC-Type: resource\r\n"), "");
  sample->facts.block_length = GetParam();
  const auto made = convert(*sample, plain(Target::Warc0011));
  const auto read = sample_of(made.header, "");
  EXPECT_EQ(read->header.length, made.header.size());
  EXPECT_EQ(read->header.block_length, GetParam());
  EXPECT_NE(made.header[11], '0');
}

INSTANTIATE_TEST_SUITE_P(Blocks, DataLength,
                         testing::Values(0, 1, 913, 914, 915, 916, 9912, 9913, 9914, 9915, 9916,
                                         99911, 99912, 99913, 99914, 99915,
                                         std::uint64_t{999'999'999'900},
                                         std::uint64_t{999'999'999'914},
                                         std::numeric_limits<std::uint64_t>::max() - 1000));

TEST(DataLength, BeyondSixtyFourBitsIsRefused) {
  auto sample = sample_of(modern("WARC-Type: resource\r\n"), "");
  sample->facts.block_length = std::numeric_limits<std::uint64_t>::max() - 5;
  const auto made =
      convert_header(sample->header, sample->facts, ConversionScope(), plain(Target::Warc0011));
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code(), ErrorCode::LimitExceeded);
}

TEST(PositionalSlots, TakeLengthAndStatusAfterwards) {
  ConversionOptions options = plain(Target::Warc0011);
  options.length_room = 12;
  auto sample = sample_of(modern("WARC-Type: resource\r\n"), "");
  auto made = convert(*sample, options);
  ASSERT_TRUE(made.slots.has_value());
  const auto digits = data_length_digits(*made.slots, made.header.size(), 123456);
  ASSERT_TRUE(digits.has_value());
  made.header.replace(made.slots->length_at, made.slots->length_room, *digits);
  ASSERT_EQ(made.header[made.slots->status_at], 'w');
  made.header[made.slots->status_at] = 'p';
  const auto read = sample_of(made.header, "");
  EXPECT_EQ(read->header.block_length, 123456U);
  EXPECT_EQ(read->header.segment->code, 'p');
  EXPECT_EQ(digits->size(), 12U);
}

TEST(PositionalSlots, RefuseALengthThatDoesNotFit) {
  const auto digits = data_length_digits({.length_at = 11, .length_room = 3}, 100, 900);
  ASSERT_FALSE(digits.has_value());
  EXPECT_EQ(digits.error().code(), ErrorCode::LimitExceeded);
}

TEST(ArcToWarc, KeepsTheVersionBlockInMetadataBesideANewWarcinfo) {
  const auto samples = samples_of(read_fixture("own/arc-v1-1-xml.arc"));
  ConversionOptions options;
  options.now = Date{.seconds = 1600000000};
  options.filename = "new.warc.gz";
  const auto made = convert(*samples.front(), options);
  ASSERT_EQ(made.before.size(), 1U);
  const auto info = sample_of(made.before.front().header, made.before.front().block);
  EXPECT_EQ(info->header.type, "warcinfo");
  EXPECT_EQ(info->header.date_raw, "2020-09-13T12:26:40Z");
  EXPECT_EQ(info->header.filename, "new.warc.gz");
  EXPECT_EQ(info->header.block_length, made.before.front().block.size());
  EXPECT_THAT(info->block, HasSubstr("description: converted from ARC/1.1\r\n"));
  const auto kept = sample_of(made.header, samples.front()->block);
  EXPECT_EQ(kept->header.type, "metadata");
  EXPECT_EQ(kept->header.content_type, "text/plain");
  EXPECT_THAT(kept->header.concurrent_to, ElementsAre(info->header.id));
  EXPECT_EQ(kept->header.uri, samples.front()->header.uri);
  EXPECT_EQ(kept->header.date_raw, samples.front()->header.date.value->to_string());
}

TEST(ArcToWarc, MakesAResourceOfABlockWithoutStatusLine) {
  const auto made = convert("http://a.example/x y 192.0.2.1 20200102030405 image/gif 3\n", "GIF",
                            plain(Target::Warc11));
  EXPECT_THAT(made.header, HasSubstr("WARC-Type: resource\r\n"));
  EXPECT_THAT(made.header, HasSubstr("Content-Type: image/gif\r\n"));
  EXPECT_THAT(made.header, HasSubstr("WARC-Target-URI: http://a.example/x%20y\r\n"));
  EXPECT_THAT(made.losses, ElementsAre("blanks in a URL"));
}

TEST(WarcToArc, GivesTheUrlRecord) {
  const auto made = convert(response(), http_block(), plain(Target::Arc11));
  EXPECT_EQ(made.header, "http://a.example/ 192.0.2.1 20200102030405 text/html 49\n");
  EXPECT_THAT(made.losses, ElementsAre("fraction of a date", "field WARC-Record-ID"));
}

TEST(WarcToArc, SkipsWhatArcHasNoFormFor) {
  const auto made = convert(modern("WARC-Type: request\r\nWARC-Target-URI: http://a/\r\n"), "",
                            plain(Target::Arc11));
  EXPECT_TRUE(made.skip);
  EXPECT_THAT(made.losses, ElementsAre("request records"));
}

TEST(WarcToArc, SkipsAResponseWhoseUrlWouldBeAVersionBlock) {
  const auto made = convert(modern("WARC-Type: response\r\nWARC-Target-URI: filedesc://x\r\n"), "",
                            plain(Target::Arc11));
  EXPECT_TRUE(made.skip);
  EXPECT_EQ(made.header, "");
}

TEST(WarcToArc, PassesOverTheWarcinfoOfAVersionBlockInSilence) {
  const auto arc = samples_of(read_fixture("own/arc-v1.arc"));
  const auto there = convert(*arc.front(), {});
  const auto info = sample_of(there.before.front().header, there.before.front().block);
  const auto kept = sample_of(there.header, arc.front()->block);
  ConversionScope scope;
  scope.add(info->header, info->facts);
  scope.add(kept->header, kept->facts);
  const auto back = convert(*info, {.target = Target::Arc11}, scope);
  EXPECT_TRUE(back.skip);
  EXPECT_THAT(back.losses, IsEmpty());
  EXPECT_EQ(convert(*kept, {.target = Target::Arc11}, scope).header, arc.front()->raw_header());
}

TEST(ConversionScope, FollowsNoCircleOfReferencesForEver) {
  const auto one = sample_of(positional("urn:a:1", "w1", "type: metadata urn:a:2\r\n"), "");
  const auto two = sample_of(positional("urn:a:2", "w1", "type: metadata urn:a:1\r\n"), "");
  ConversionScope scope;
  scope.add(one->header, one->facts);
  scope.add(two->header, two->facts);
  EXPECT_EQ(scope.target_of("urn:a:1"), "");
}

TEST(MakeHeader, WritesTheSameRecordInEveryDialect) {
  const NewRecord record = {.type = "metadata",
                            .id = "urn:uuid:2",
                            .date = Date{.seconds = 1600000000},
                            .content_type = "application/warc-fields",
                            .refers_to = "urn:uuid:1",
                            .block_length = 12};
  EXPECT_EQ(make_header(record, {})->header,
            "WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:uuid:2>\r\n"
            "WARC-Date: 2020-09-13T12:26:40Z\r\nContent-Length: 12\r\n"
            "Content-Type: application/warc-fields\r\nWARC-Refers-To: <urn:uuid:1>\r\n\r\n");
  EXPECT_EQ(make_header(record, {.target = Target::Warc0011})->header,
            "warc/00.11 155 20200913122640 urn:uuid:2 w1\r\ntype: metadata urn:uuid:1\r\n"
            "content-type: application/warc-fields\r\nWARC-Refers-To: <urn:uuid:1>\r\n\r\n");
  EXPECT_TRUE(make_header(record, {.target = Target::Arc11})->skip);
}

TEST(MakeVersionBlock, IsReadAsOne) {
  const auto made = make_version_block("a b.arc", Date{.seconds = 1600000000});
  const auto read = sample_of(made.header, made.block);
  EXPECT_TRUE(read->header.arc_header);
  EXPECT_EQ(read->header.version, "ARC/1.1");
  EXPECT_EQ(read->header.filename, "a%20b.arc");
  EXPECT_EQ(read->header.block_length, made.block.size());
}

TEST(MakeId, OfContentIsAlwaysTheSame) {
  EXPECT_EQ(*make_id({}, "x"), *make_id({}, "x"));
  EXPECT_NE(*make_id({}, "x"), *make_id({}, "y"));
}

TEST(MakeId, TakesAPrefixAndChance) {
  const IdScheme scheme = {.kind = IdScheme::Kind::Random, .prefix = "http://a.example/r/"};
  const auto id = make_id(scheme, "x");
  EXPECT_THAT(*id, testing::StartsWith("http://a.example/r/"));
  EXPECT_NE(*id, *make_id(scheme, "x"));
}

TEST(EditHeader, ReplacesRemovesAndAddsAndLeavesTheRest) {
  const std::string header = "WARC/1.0\r\nA:  1\r\nb: 2\r\n  more\r\nB: 3\r\nC: 4\r\n\r\n";
  const FieldEdit edits[] = {{"B", "two"}, {"c", std::nullopt}, {"D", "5"}};
  EXPECT_EQ(edit_header(as_bytes(header), "", edits),
            "WARC/1.0\r\nA:  1\r\nb: two\r\nD: 5\r\n\r\n");
}

TEST(EditHeader, LeavesFurtherFieldsOfTheNameIfTold) {
  const std::string header = "WARC/1.0\r\nA: 1\r\nA: 2\r\n 3\r\n\r\n";
  const FieldEdit edits[] = {{"A", "one", true}};
  EXPECT_EQ(edit_header(as_bytes(header), "WARC/1.1", edits),
            "WARC/1.1\r\nA: one\r\nA: 2\r\n 3\r\n\r\n");
}

// Headers of the fixtures with octets changed at random: whatever they say, what is written is a
// header of the target and gives the same block.
class ChangedHeaders : public testing::TestWithParam<std::string> {};

std::string changed(std::string octets, std::mt19937& random) {
  static constexpr std::string_view kOctets = "\r\n\t :<>-0199%azAZ\0\x80\xff/;pwtz";
  const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (std::size_t n = 1 + below(4); n > 0 && octets.size() > 12; --n) {
    const auto at = 9 + below(octets.size() - 9);  // leaves the version
    switch (below(3)) {
      case 0:
        octets[at] = kOctets[below(kOctets.size())];
        break;
      case 1:
        octets.insert(at, 1, kOctets[below(kOctets.size())]);
        break;
      default:
        octets.insert(at, octets, 9 + below(octets.size() - 9), below(40));
    }
  }
  return octets;
}

TEST_P(ChangedHeaders, StillGiveHeadersOfTheTargetWithTheSameBlock) {
  std::mt19937 random(7);
  const auto samples = samples_of(read_decoded_fixture(GetParam()));
  for (std::size_t i = 0; i < samples.size() && i < 20; ++i) {
    for (int round = 0; round < 20; ++round) {
      const auto sample = sample_of(changed(samples[i]->raw_header(), random), samples[i]->block);
      if (!sample->header.complete || sample->header.start == Start::None) {
        continue;
      }
      ConversionScope scope;
      scope.add(sample->header, sample->facts);
      for (const auto target : {Target::Warc11, Target::Warc10, Target::Warc0011, Target::Arc11}) {
        if (is_of(sample->header, target)) {
          continue;
        }
        for (const bool original_header : {true, false}) {
          const auto made = convert_header(
              sample->header, sample->facts, scope,
              {.target = target, .original_header = original_header, .legal_ids = round % 2 == 0});
          ASSERT_TRUE(made.has_value()) << made.error().to_string();
          if (made->skip) {
            continue;
          }
          const auto read = sample_of(made->header, sample->block);
          ASSERT_TRUE(is_of(read->header, target)) << made->header;
          ASSERT_EQ(read->header.length, made->header.size()) << made->header;
          ASSERT_EQ(read->header.block_length, sample->facts.block_length)
              << sample->raw_header() << made->header;
          ASSERT_TRUE(read->header.other_lengths.empty());
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, ChangedHeaders, testing::ValuesIn(archive_fixtures()),
                         fixture_name);

}  // namespace
}  // namespace fonds::warc
