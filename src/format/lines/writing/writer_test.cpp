#include "format/lines/writing/writer.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/lines/testing.hpp"
#include "io/testing.hpp"

namespace fonds::lines {
namespace {

using testing::HasSubstr;
using testing_io::TextSink;
using testing_lines::archive_of;

// Writes the records of an archive; the message of the error that ended it.
std::string rewrite(const Archive& archive, const FormatWriting& writing, TextSink& sink,
                    const WriteOptions& options = {}) {
  auto writer = writing.create(sink, options);
  if (!writer) {
    return writer.error().message();
  }
  const auto reader = archive.format->open(archive, {});
  while (true) {
    const auto record = (*reader)->next();
    if (*record == nullptr) {
      return (*writer)->finish() ? "" : "cannot be finished";
    }
    if (const auto status = (*writer)->write(**reader, **record); !status) {
      EXPECT_FALSE((*writer)->finish().has_value());
      return status.error().message();
    }
  }
}

TEST(LinesWriter, EndsEveryRecordWithALineEnd) {
  TextSink sink;
  EXPECT_EQ(rewrite(archive_of(lines_format(), "one\n\nlast"), lines_writing(), sink), "");
  EXPECT_EQ(sink.content, "one\n\nlast\n");
}

TEST(LinesWriter, RefusesALineEndInsideARecord) {
  TextSink sink;
  const std::string error = rewrite(
      archive_of(jsonl_format(), "{\"data\":\"a\"}\n{\"data\":\"b\\n\"}"), lines_writing(), sink);
  EXPECT_THAT(error, HasSubstr("--to jsonl"));
}

TEST(JsonlWriter, WritesShortAndLongRecords) {
  const std::string text = "a\xff\n" + std::string(300000, 'x') + "\n";
  TextSink json;
  EXPECT_EQ(rewrite(archive_of(lines_format(), text), jsonl_writing(), json), "");
  EXPECT_THAT(json.content, testing::StartsWith("{\"data_base64\":\"Yf8=\"}\n{\"data\":\"xxx"));
  TextSink back;
  EXPECT_EQ(rewrite(archive_of(jsonl_format(), json.content), lines_writing(), back), "");
  EXPECT_TRUE(back.content == text);
}

TEST(JsonlWriter, RecordBeyondTheLimitIsAnError) {
  TextSink sink;
  WriteOptions options;
  options.memory_budget = 1 << 20;
  const std::string error =
      rewrite(archive_of(lines_format(), std::string(300000, 'x')), jsonl_writing(), sink, options);
  EXPECT_THAT(error, HasSubstr("has more than 131072 bytes"));
}

struct RefusedCase {
  const char* name;
  void (*ask)(WriteOptions&);
  const char* what;
};
class TextWriters : public testing::TestWithParam<RefusedCase> {};
INSTANTIATE_TEST_SUITE_P(
    Options, TextWriters,
    testing::Values(RefusedCase{"layout", [](WriteOptions& o) { o.layout = "packed"; }, "layout"},
                    RefusedCase{"compression", [](WriteOptions& o) { o.compression = {"zstd"}; },
                                "compression"},
                    RefusedCase{"blockBytes", [](WriteOptions& o) { o.block_bytes = 1; }, "blocks"},
                    RefusedCase{"blockItems", [](WriteOptions& o) { o.block_items = 1; }, "blocks"},
                    RefusedCase{"header", [](WriteOptions& o) { o.header = {{"a", "", "b"}}; },
                                "header"},
                    RefusedCase{"trailer", [](WriteOptions& o) { o.trailer = ""; }, "trailer"}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(TextWriters, RefuseWhatTextDoesNotHave) {
  TextSink sink;
  WriteOptions options;
  GetParam().ask(options);
  for (const FormatWriting* writing : {&lines_writing(), &jsonl_writing()}) {
    const auto writer = writing->create(sink, options);
    ASSERT_FALSE(writer.has_value());
    EXPECT_EQ(writer.error().code(), ErrorCode::BadArgument);
    EXPECT_THAT(writer.error().message(), HasSubstr(GetParam().what));
  }
}

TEST(TextWriters, TakeNoCompressionByItsName) {
  TextSink sink;
  WriteOptions options;
  options.compression = {"none"};
  EXPECT_TRUE(lines_writing().create(sink, options).has_value());
}

}  // namespace
}  // namespace fonds::lines
