#include "index/checkpoint_reference.hpp"

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/gzip/testing.hpp"
#include "index/checkpoint.hpp"
#include "index/checkpoint_test_support.hpp"
#include "io/testing.hpp"

namespace fonds::index {
namespace {

Result<std::string> build(std::string_view archive, std::uint64_t spacing) {
  const auto source = source_of(archive);
  testing_io::TextSink sink;
  FONDS_TRY(const std::uint64_t count,
            build_reference_checkpoints(*source, sink, {.spacing = spacing}));
  EXPECT_EQ((*CheckpointFile::read(source_of(sink.content), archive.size()))->size(), count);
  return sink.content;
}

class ReferenceLayout : public testing::TestWithParam<std::string> {};

TEST_P(ReferenceLayout, GivesTheBytesOfTheReferenceBuilder) {
  const auto built = build(checkpoint_fixture(GetParam()), 96 << 10);
  ASSERT_TRUE(built.has_value()) << built.error().message();
  EXPECT_TRUE(*built == checkpoint_fixture(GetParam() + ".chk.lz4"));
}

INSTANTIATE_TEST_SUITE_P(Fixtures, ReferenceLayout,
                         testing::Values("0000tw-00.warc.gz", "00.warc.gz", "01.warc.gz"));

TEST(ReferenceLayout, ARecordAtATimeFileHasNoCheckpoints) {
  const auto built = build(checkpoint_fixture("record-at-a-time.warc.gz"), 1);
  ASSERT_TRUE(built.has_value());
  EXPECT_EQ(built->size(), 11U);
}

struct Refused {
  std::string name;
  std::string archive;
  ErrorCode code;
};
void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.name; }

std::string record(std::string_view id, std::string_view version = "WARC/1.0",
                   std::string_view fields = "Content-Length: 5\r\n") {
  return std::string(version) + "\r\nWARC-Type: response\r\nWARC-TREC-ID: " + std::string(id) +
         "\r\n" + std::string(fields) + "\r\nhello\r\n\r\n";
}

std::string gzip(std::string_view text) { return testing_gzip::member(text, 0); }

std::vector<Refused> refused() {
  const std::string first = record("clueweb12-0000tw-00-00000");
  const std::string second = record("clueweb12-0000tw-00-00001");
  // Larger than what is read ahead, so that the record behind can have a checkpoint.
  const auto large = [](const std::string& id) {
    return "WARC/1.0\r\nWARC-Type: response\r\nWARC-TREC-ID: " + id +
           "\r\nContent-Length: 20000\r\n\r\n" + std::string(20000, 'x') + "\r\n\r\n";
  };
  const std::string whole = gzip(first + second);
  return {
      {"Empty", "", ErrorCode::Truncated},
      {"NoGzip", first, ErrorCode::Corrupt},
      {"Cut", whole.substr(0, whole.size() - 20), ErrorCode::Truncated},
      {"IdTooShort", gzip(large("clueweb12-0000tw-00-00000") + large("short")),
       ErrorCode::BadArgument},
      {"OtherVersion", gzip(first + record("x", "WARC/1.1")), ErrorCode::Unsupported},
      {"NoLength", gzip(first + record("x", "WARC/1.0", "")), ErrorCode::Unsupported},
      {"LengthNegative", gzip(first + record("x", "WARC/1.0", "Content-Length: -1\r\n")),
       ErrorCode::Unsupported},
      {"LengthHuge",
       gzip(first + record("x", "WARC/1.0", "Content-Length: 18446744073709551615\r\n") + second),
       ErrorCode::Unsupported},
      {"LineBetween", gzip(first + "x\r\n" + second), ErrorCode::Unsupported},
      {"BadHeaderLine", gzip(record("x", "WARC/1.0", "X2: y\r\nContent-Length: 5\r\n")),
       ErrorCode::Unsupported},
  };
}

class ReferenceRefuses : public testing::TestWithParam<Refused> {};

TEST_P(ReferenceRefuses, WhereTheReferenceBuilderFails) {
  const auto built = build(GetParam().archive, 1);
  ASSERT_FALSE(built.has_value());
  EXPECT_EQ(built.error().code(), GetParam().code) << built.error().message();
}

INSTANTIATE_TEST_SUITE_P(Table, ReferenceRefuses, testing::ValuesIn(refused()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace fonds::index
