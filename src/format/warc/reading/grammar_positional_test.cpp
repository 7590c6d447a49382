#include <algorithm>
#include <cctype>
#include <exception>
#include <map>
#include <memory>
#include <ostream>
#include <set>
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

using nlohmann::json;

// The codes that come from blocks, from what follows them and from chains of segments.
const std::set<std::string> kReaderCodes = {"trailer-missing", "length-suspect", "truncated-block",
                                            "segment-orphan",  "resync",         "resync-short"};

struct Case {
  std::string file;
  json record;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.file << " at " << c.record.at("offset");
}

std::vector<Case> cases_of_set(const std::string& set) {
  std::vector<Case> result;
  const auto expected = json::parse(read_fixture("0011/" + set + ".expected.json"));
  for (const auto& file : expected.at("files")) {
    for (const auto& record : file.at("records")) {
      result.push_back({file.at("file").get<std::string>(), record});
    }
  }
  return result;
}

// Called before main(), where nothing may be thrown: without the fixtures there are no cases, which
// fails the run.
std::vector<Case> all_cases() try {
  std::vector<Case> result;
  for (const char* set :
       {"01-all-types", "02-minimal", "03-whitespace", "04-folding-charset", "05-segments",
        "06-segments-gz", "07-truncated", "08-record-at-a-time", "09-skip-lengths", "10-tolerance",
        "11-bad-lengths", "12-mixed-versions", "13-lf-only"}) {
    const auto cases = cases_of_set(set);
    result.insert(result.end(), cases.begin(), cases.end());
  }
  return result;
} catch (const std::exception&) {
  return {};
}

std::string text_or_empty(const json& record, const char* key) {
  return record.contains(key) && record.at(key).is_string() ? record.at(key).get<std::string>()
                                                            : "";
}

std::string without_brackets(std::string text) {
  return text.size() > 1 && text.front() == '<' ? text.substr(1, text.size() - 2) : text;
}

bool is_web(const std::string& uri) {
  return uri.starts_with("http:") || uri.starts_with("https:") || uri.starts_with("ftp:") ||
         uri.starts_with("dns:");
}

std::string model_type(const json& record) {
  static const std::map<std::string, std::string> kModel = {{"http-response", "response"},
                                                            {"http-request", "request"},
                                                            {"dns-response", "resource"},
                                                            {"data", "resource"}};
  const auto type = record.at("type").get<std::string>();
  if (record.contains("revisit") && record.at("revisit").is_object() &&
      record.at("revisit").at("comparison").is_string() && type != "continuation") {
    return "revisit";
  }
  const auto found = kModel.find(type);
  return found == kModel.end() ? type : found->second;
}

class EveryRecordOf0011 : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const auto data = read_decoded_fixture("0011/" + GetParam().file);
    parse_into(parsed_, data.substr(GetParam().record.at("offset").get<std::size_t>()));
    ASSERT_TRUE(parsed_.done);
    ASSERT_TRUE(parsed_.header.complete);
  }
  const json& record() const { return GetParam().record; }
  const Header& header() const { return parsed_.header; }
  bool positional() const { return record().at("version") == "00.11"; }

  Parsed parsed_;
};

TEST_P(EveryRecordOf0011, HasTheLengthsThatItStates) {
  EXPECT_EQ(header().length, record().at("header_length").get<std::size_t>());
  EXPECT_EQ(header().block_length, record().at("block_length").get<std::uint64_t>());
  EXPECT_EQ(header().length_state, Header::LengthState::Good);
  if (positional()) {
    EXPECT_EQ(header().data_length, record().at("data_length").get<std::uint64_t>());
  }
}

TEST_P(EveryRecordOf0011, HasItsFieldsInOrder) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& field : header().fields) {
    found.emplace_back(to_utf8(field.name), to_utf8(field.value));
  }
  std::vector<std::pair<std::string, std::string>> expected;
  for (const auto& field : record().at("fields")) {
    expected.emplace_back(field.at(0).get<std::string>(), field.at(1).get<std::string>());
  }
  EXPECT_EQ(found, expected);
}

TEST_P(EveryRecordOf0011, HasIdDateAndVersion) {
  EXPECT_EQ(header().id, text_or_empty(record(), "record_id"));
  EXPECT_EQ(header().date_raw, record().at("date_raw").get<std::string>());
  ASSERT_TRUE(header().date.value.has_value());
  EXPECT_EQ(header().date.value->to_string(), record().at("date").get<std::string>());
  const auto version = record().at("version").get<std::string>();
  EXPECT_EQ(header().version, (positional() ? "warc/" : "WARC/") + version);
}

TEST_P(EveryRecordOf0011, HasTheModelsTypeAndContentType) {
  EXPECT_EQ(header().type, model_type(record()));
  if (positional()) {
    EXPECT_EQ(header().content_type, text_or_empty(record(), "content_type_effective"));
  }
}

TEST_P(EveryRecordOf0011, HasItsSegment) {
  if (!positional()) {
    EXPECT_FALSE(header().segment.has_value());
    return;
  }
  const auto& segment = record().at("segment");
  ASSERT_TRUE(header().segment.has_value());
  EXPECT_EQ(header().segment->number, segment.at("number").get<std::uint32_t>());
  EXPECT_EQ(std::string(1, header().segment->code), segment.at("code").get<std::string>());
  EXPECT_EQ(header().segment_origin, text_or_empty(record(), "segment_origin_id"));
  const char code = header().segment->code;
  EXPECT_EQ(header().truncated, code == 't' ? "time" : code == 'z' ? "length" : "");
}

TEST_P(EveryRecordOf0011, RefersToWhatItsParametersName) {
  if (!positional()) {
    return;
  }
  EXPECT_EQ(header().warcinfo_id, without_brackets(text_or_empty(record(), "warcinfo_id")));
  const auto& parameters = record().at("type_params");
  const auto reference = text_or_empty(parameters, "ref-uri");
  const auto target = text_or_empty(parameters, "uri") + text_or_empty(parameters, "dns-uri") +
                      (is_web(reference) ? reference : "");
  EXPECT_EQ(header().uri, target);
  const auto response = text_or_empty(parameters, "response-uri");
  EXPECT_EQ(header().concurrent_to.size(), response.empty() ? 0U : 1U);
  EXPECT_EQ(header().concurrent_to.empty() ? "" : header().concurrent_to.front(), response);
  if (header().type == "revisit") {
    const auto& revisit = record().at("revisit");
    EXPECT_EQ(header().revisit_comparison, revisit.at("comparison").get<std::string>());
    const auto original = text_or_empty(revisit, "ref-uri");
    EXPECT_EQ(header().refers_to_uri, is_web(original) ? original : "");
    EXPECT_EQ(header().refers_to, is_web(original) ? "" : original);
  }
}

TEST_P(EveryRecordOf0011, HasTheCodesOfItsHeader) {
  Codes expected;
  for (const auto& code : record().at("warnings")) {
    if (!kReaderCodes.contains(code.get<std::string>())) {
      expected.push_back(code.get<std::string>());
    }
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(codes(header()), expected);
}

INSTANTIATE_TEST_SUITE_P(Sets, EveryRecordOf0011, testing::ValuesIn(all_cases()),
                         [](const auto& test) {
                           auto name =
                               test.param.file + "_" +
                               std::to_string(test.param.record["offset"].template get<int>());
                           for (char& c : name) {
                             c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                           }
                           return name;
                         });

std::string record_0011(std::string_view status, std::string_view fields) {
  return "warc/00.11 500 20070101000000 urn:uuid:1 " + std::string(status) + "\r\n" +
         std::string(fields) + "\r\n";
}

struct Oddity {
  std::string name;
  std::string octets;
  Codes expected;
};
void PrintTo(const Oddity& oddity, std::ostream* out) { *out << oddity.name; }
class Positional : public testing::TestWithParam<Oddity> {};

TEST_P(Positional, OddityIsReported) {
  Parsed parsed;
  parse_into(parsed, GetParam().octets);
  ASSERT_EQ(parsed.start, Start::Positional);
  EXPECT_TRUE(parsed.header.complete);
  EXPECT_EQ(codes(parsed.header), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    Codes, Positional,
    testing::Values(
        Oddity{"Plain", record_0011("w1", "type: data\r\n"), {}},
        Oddity{
            "UpperCaseToken", "WARC/00.11 500 20070101000000 - w1\r\n\r\n", {"version-token-case"}},
        Oddity{"OtherVersion", "warc/00.10 500 20070101000000 - w1\r\n\r\n", {"unknown-version"}},
        Oddity{"LengthBelowHeader",
               "warc/00.11 5 20070101000000 - w1\r\n\r\n",
               {"data-length-smaller-than-header"}},
        Oddity{"LengthTooLarge",
               "warc/00.11 99999999999999999999 20070101000000 - w1\r\n\r\n",
               {"bad-length"}},
        Oddity{"SegmentZero", record_0011("w0", ""), {"segment-number-zero"}},
        Oddity{"SegmentWithoutOrigin", record_0011("w2", ""), {"missing-segment-origin-id"}},
        Oddity{"TypeOnContinuation",
               record_0011("w2", "type: data\r\nSegment-Origin-ID: x\r\n"),
               {"type-on-continuation"}},
        Oddity{"RepeatedType",
               record_0011("w1", "type: data\r\nTYPE: data\r\ntype: data\r\n"),
               {"duplicate-field"}},
        Oddity{"RepeatedContentType",
               record_0011("w1", "content-type: a/b\r\ncontent-type: c/d\r\n"),
               {"duplicate-field"}},
        Oddity{"SurplusParameter",
               record_0011("w1", "type: metadata - more\r\n"),
               {"extra-type-parameter"}},
        Oddity{"ConversionWithoutUri",
               record_0011("w1", "type: conversion\r\n"),
               {"missing-type-parameter"}},
        Oddity{"UnknownComparison",
               record_0011("w1", "revisit: x equal\r\n"),
               {"bad-revisit-comparison"}},
        Oddity{"LineWithoutColon", record_0011("w1", "no colon\r\n"), {"line-without-colon"}},
        Oddity{"FoldWithoutField", record_0011("w1", " fold\r\n"), {"continuation-without-field"}},
        Oddity{
            "OneTimeEach", record_0011("w1", "no colon\r\nnor here\r\n"), {"line-without-colon"}}),
    [](const auto& test) { return test.param.name; });

TEST(ParsePositional, HeaderWithoutItsEndWaitsForMore) {
  Parsed parsed;
  parse_into(parsed, "warc/00.11 500 20070101000000 - w1\r\ntype: data\r\n", false);
  EXPECT_FALSE(parsed.done);
}

TEST(ParsePositional, CutHeaderIsIncompleteAtTheEndOfTheData) {
  Parsed parsed;
  parse_into(parsed, "warc/00.11 500 20070101000000 - w1\r\ntype: data\r\nchecks", true);
  EXPECT_TRUE(parsed.done);
  EXPECT_FALSE(parsed.header.complete);
  EXPECT_EQ(parsed.header.fields.size(), 1U);
}

TEST(ParsePositional, RevisitOfAUrnRefersToARecord) {
  Parsed parsed;
  parse_into(parsed, record_0011("w1", "type: data\r\nrevisit: <urn:uuid:9> SAME\r\n"));
  EXPECT_EQ(parsed.header.type, "revisit");
  EXPECT_EQ(parsed.header.stored_type, "data");
  EXPECT_EQ(parsed.header.refers_to, "urn:uuid:9");
  EXPECT_EQ(parsed.header.refers_to_uri, "");
  EXPECT_EQ(parsed.header.revisit_comparison, "same");
}

TEST(ParsePositional, FieldsNamedAsInWarc11FillTheModel) {
  Parsed parsed;
  parse_into(parsed, record_0011("z1",
                                 "type: http-request urn:a\r\nWARC-Concurrent-To: <urn:b>\r\n"
                                 "WARC-Payload-Digest: sha1:X\r\nWARC-Truncated: "
                                 "disconnect\r\nWARC-Filename: f\r\n"));
  EXPECT_EQ(parsed.header.concurrent_to, (std::vector<std::string_view>{"urn:a", "urn:b"}));
  EXPECT_EQ(parsed.header.payload_digest, "sha1:X");
  EXPECT_EQ(parsed.header.truncated, "disconnect");
  EXPECT_EQ(parsed.header.filename, "f");
}

struct Line {
  std::string name;
  std::string text;
  Start expected;
};
void PrintTo(const Line& line, std::ostream* out) { *out << line.name; }
class ClassifyVersionLine : public testing::TestWithParam<Line> {};

TEST_P(ClassifyVersionLine, TellsTheDialects) {
  EXPECT_EQ(classify_start(as_bytes(GetParam().text)), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    Lines, ClassifyVersionLine,
    testing::Values(
        Line{"Positional", "warc/00.11 37 20070101000000 - w1\r\n", Start::Positional},
        Line{"UpperCase", "WARC/00.11\t37\t2007\tid\tP12\n", Start::Positional},
        Line{"CutAtTheEndOfTheData", "warc/00.11 37 2007", Start::Positional},
        Line{"TooFewColumns", "warc/00.11 37 2007\n", Start::None},
        Line{"LengthIsText", "warc/00.11 is mentioned in the block\r\n", Start::None},
        Line{"LengthGluedToDate", "warc/00.11 37-20070101000000 - w1\r\n", Start::None},
        Line{"BadSegmentCode", "warc/00.11 37 20070101000000 - x1\r\n", Start::None},
        Line{"NoSegmentNumber", "warc/00.11 37 20070101000000 - w\r\n", Start::None},
        Line{"VersionAloneIsModern", "warc/00.11\r\n", Start::Modern},
        Line{"OldDraft09", "warc/0.9 1234 response http://a/ 20060101000000 text/html urn:x\n",
             Start::OldDraft},
        Line{"OldDraft10", "warc/0.10 1234 response http://a/ 20060101000000 text/html urn:x\n",
             Start::OldDraft},
        Line{"LineWithoutEnd",
             "warc/00.11 37 20070101000000 - w1 " + std::string(std::size_t{70} << 10U, ' '),
             Start::None}),
    [](const auto& test) { return test.param.name; });

TEST(ParsePositional, OldDraftNamesItsVersion) {
  Parsed parsed;
  parse_into(parsed, "WARC/0.9 1234 response http://a/ 20060101000000 text/html urn:x\n");
  EXPECT_EQ(parsed.header.version, "warc/0.9");
  EXPECT_FALSE(parsed.header.complete);
}

}  // namespace
}  // namespace fonds::warc
