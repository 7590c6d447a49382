#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <fonds/error.hpp>

namespace fonds {
namespace {

TEST(Describe, NamesSourceOffsetAndRecord) {
  EXPECT_EQ(describe({.source = "crawl.warc.gz", .stored_offset = 8398850, .ordinal = 2047}),
            "crawl.warc.gz: offset 8398850 (record 2047): ");
}

TEST(Describe, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(describe({}), "");
  EXPECT_EQ(describe({.source = "a"}), "a: ");
  EXPECT_EQ(describe({.stored_offset = 0}), "offset 0: ");
  EXPECT_EQ(describe({.source = "a", .ordinal = 3}), "a: record 3: ");
  EXPECT_EQ(describe({.ordinal = 3}), "record 3: ");
}

TEST(Describe, FallsBackOnTheDecodedOffset) {
  EXPECT_EQ(describe({.source = "a", .decoded_offset = 7}), "a: decoded offset 7: ");
  EXPECT_EQ(describe({.source = "a", .stored_offset = 5, .decoded_offset = 7}), "a: offset 5: ");
}

TEST(ErrorToString, IsPlaceAndMessage) {
  const Error error(ErrorCode::Truncated, "gzip member is cut short",
                    {.source = "crawl.warc.gz", .stored_offset = 8398850, .ordinal = 2047});
  EXPECT_EQ(error.to_string(),
            "crawl.warc.gz: offset 8398850 (record 2047): gzip member is cut short");
}

TEST(ErrorToString, EndsWithoutBlankIfThereIsNoMessage) {
  EXPECT_EQ(Error(ErrorCode::Io, "", {.source = "a"}).to_string(), "a");
  EXPECT_EQ(Error(ErrorCode::Io, "").to_string(), "");
}

TEST(ErrorToString, StaysOnOneLine) {
  EXPECT_EQ(Error(ErrorCode::Io, "bad\nthing", {.source = "a\rb"}).to_string(),
            "a\\x0db: bad\\x0athing");
}

TEST(ErrorWith, FillsOnlyWhatIsUnknown) {
  Error error(ErrorCode::Corrupt, "m", {.decoded_offset = 1, .record_id = "<inner>"});
  const Error filled = std::move(error).with({.source = "file",
                                              .stored_offset = 10,
                                              .decoded_offset = 11,
                                              .ordinal = 12,
                                              .record_id = "<outer>"});
  EXPECT_EQ(filled.where().source, "file");
  EXPECT_EQ(filled.where().stored_offset, 10U);
  EXPECT_EQ(filled.where().decoded_offset, 1U);
  EXPECT_EQ(filled.where().ordinal, 12U);
  EXPECT_EQ(filled.where().record_id, "<inner>");
  EXPECT_EQ(filled.code(), ErrorCode::Corrupt);
}

TEST(ErrorWith, KeepsTheInnerPlace) {
  Error error(ErrorCode::Corrupt, "m", {.source = "inner", .stored_offset = 1, .ordinal = 0});
  const Error filled =
      std::move(error).with({.source = "outer", .stored_offset = 10, .ordinal = 12});
  EXPECT_EQ(filled.to_string(), "inner: offset 1 (record 0): m");
}

}  // namespace
}  // namespace fonds
