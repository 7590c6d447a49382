#include "ops/convert.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/lines/testing.hpp"
#include "io/testing.hpp"
#include "ops/testing.hpp"

namespace fonds::ops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing_codec::mapped;
using testing_io::TextSink;
using testing_lines::archive_of;

struct Converted {
  std::string content, error;
  std::optional<ErrorCode> code;
  std::vector<std::string> findings;
  ConvertReport report;
};
Converted run(const std::vector<Archive>& archives, const char* to, ConvertOptions options = {}) {
  Converted result;
  TextSink sink;
  options.rewrite.on_finding = [&](const Finding& finding) {
    result.findings.emplace_back(finding.code);
  };
  const auto report = convert(archives, *parse_target(to), sink, options);
  if (report) {
    result.report = *report;
  } else {
    result.error = report.error().to_string();
    result.code = report.error().code();
  }
  result.content = sink.content;
  return result;
}
Archive warc() {
  return *open_archive(mapped(
      testing_ops::plain({{.id = "1", .block = "one\ntwo"}, {.id = "2", .block = "three"}})));
}

TEST(Convert, WritesTheRecordsOfAllArchivesInOrder) {
  const Converted result = run({archive_of(lines::lines_format(), "a\nb"),
                                archive_of(lines::jsonl_format(), "{\"data\":\"c\"}")},
                               "lines");
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.content, "a\nb\nc\n");
  EXPECT_EQ(result.report.records, 3U);
  EXPECT_THAT(result.report.not_carried, IsEmpty());
}

TEST(Convert, TextComesBackThroughJson) {
  const std::string text = "a\xff\n\n\"quoted\"\n";
  const Converted json = run({archive_of(lines::lines_format(), text)}, "jsonl");
  EXPECT_EQ(run({archive_of(lines::jsonl_format(), json.content)}, "lines").content, text);
}

TEST(Convert, CountsTheHeadersThatTextCannotHold) {
  const Converted result = run({warc()}, "jsonl");
  EXPECT_EQ(result.content, "{\"data\":\"one\\ntwo\"}\n{\"data\":\"three\"}\n");
  EXPECT_THAT(result.report.not_carried, ElementsAre(Pair("record headers", 2)));
}

TEST(Convert, StopsAtDamageAndNamesTheWayOn) {
  const Archive damaged =
      archive_of(lines::jsonl_format(), "{\"data\":\"a\"}\nx\n{\"data\":\"b\"}");
  const Converted result = run({damaged}, "lines");
  EXPECT_EQ(result.code, ErrorCode::Corrupt);
  EXPECT_THAT(result.error, HasSubstr("<memory>: offset 13: "));
  EXPECT_THAT(result.error, HasSubstr("--skip-damaged"));
  EXPECT_THAT(result.findings, ElementsAre("jsonl-line"));
}

TEST(Convert, LeavesDamageOutIfAskedTo) {
  const Archive damaged =
      archive_of(lines::jsonl_format(), "{\"data\":\"a\"}\nx\n{\"data\":\"b\"}");
  ConvertOptions options;
  options.rewrite.skip_damaged = true;
  const Converted result = run({damaged}, "lines", options);
  EXPECT_EQ(result.content, "a\nb\n");
  EXPECT_THAT(result.findings, ElementsAre("jsonl-line"));
}

TEST(Convert, RecordThatTheTargetCannotHoldIsNamed) {
  const Converted result = run({warc()}, "lines");
  EXPECT_EQ(result.code, ErrorCode::BadArgument);
  EXPECT_THAT(result.error, HasSubstr("<memory>: offset 0 (record 0): has a line end inside"));
}

TEST(Convert, StopsWhenAskedTo) {
  std::stop_source stop;
  stop.request_stop();
  ConvertOptions options;
  options.rewrite.read.stop = stop.get_token();
  EXPECT_EQ(run({warc()}, "jsonl", options).code, ErrorCode::Cancelled);
}

TEST(ParseTarget, FindsWhatCanBeWritten) {
  EXPECT_EQ(parse_target("jsonl")->format, &lines::jsonl_format());
  EXPECT_EQ(parse_target("jsonl/x")->layout, "x");
  const auto wrong = parse_target("zip");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().code(), ErrorCode::BadArgument);
  EXPECT_THAT(wrong.error().message(), testing::EndsWith(", lines, jsonl"));
  EXPECT_FALSE(parse_target("").has_value());
}

struct EntryCase {
  const char* given;
  const char* key;
  const char* type;
  const char* value;
};
class ParseHeaderEntry : public testing::TestWithParam<EntryCase> {};
INSTANTIATE_TEST_SUITE_P(Entries, ParseHeaderEntry,
                         testing::Values(EntryCase{"a=b", "a", "", "b"},
                                         EntryCase{"a:int64=-7", "a", "int64", "-7"},
                                         EntryCase{"a:b=c", "a:b", "", "c"},
                                         EntryCase{"a:b:bool=true", "a:b", "bool", "true"},
                                         EntryCase{"a=b=c:uint64=1", "a", "", "b=c:uint64=1"},
                                         EntryCase{"=", "", "", ""},
                                         EntryCase{":string=x", "", "string", "x"}));
TEST_P(ParseHeaderEntry, SplitsKeyTypeAndValue) {
  const auto entry = parse_header_entry(GetParam().given);
  ASSERT_TRUE(entry.has_value());
  EXPECT_EQ(entry->key, GetParam().key);
  EXPECT_EQ(entry->type, GetParam().type);
  EXPECT_EQ(entry->value, GetParam().value);
}
TEST(ParseHeaderEntry, WithoutEqualsIsABadArgument) {
  EXPECT_EQ(parse_header_entry("a:int64").error().code(), ErrorCode::BadArgument);
}

}  // namespace
}  // namespace fonds::ops
