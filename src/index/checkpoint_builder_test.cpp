#include "index/checkpoint_builder.hpp"

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fonds/format.hpp>

#include "codec/gzip/testing.hpp"
#include "index/checkpoint.hpp"
#include "index/checkpoint_test_support.hpp"
#include "index/checkpoint_verify.hpp"
#include "io/testing.hpp"

namespace fonds::index {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using Codes = std::vector<std::string>;

constexpr std::uint64_t kSpacing = 96 << 10;

Archive archive_of(std::string_view text) {
  auto archive = open_archive(source_of(text, "a.warc.gz"));
  EXPECT_TRUE(archive.has_value());
  return *std::move(archive);
}

struct Built {
  CheckpointReport report;
  std::string text;
};
Result<Built> build(std::string_view archive, const CheckpointOptions& options) {
  testing_io::TextSink sink;
  FONDS_TRY(const auto report, build_checkpoints(archive_of(archive), sink, options));
  return Built{report, sink.content};
}

Codes faults(std::string_view archive, std::string_view checkpoints) {
  const auto source = source_of(archive);
  const auto file = CheckpointFile::read(source_of(checkpoints), archive.size());
  Codes codes;
  for (const Finding& finding : (*file)->findings()) {
    codes.emplace_back(finding.code);
  }
  EXPECT_TRUE(verify_checkpoints(*source, **file, [&](const Finding& finding) {
                codes.emplace_back(finding.code);
              }).has_value());
  return codes;
}

// A WARC record with a body that does not compress well.
std::string record(std::string_view kind, std::string_view id, std::size_t size) {
  static constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV";
  std::string body;
  std::uint32_t state = static_cast<std::uint32_t>(size);
  while (body.size() < size) {
    state = state * 1664525 + 1013904223;
    body += kLetters[(state >> 24) % kLetters.size()];
  }
  return "WARC/1.0\r\nWARC-Type: " + std::string(kind) + "\r\nWARC-TREC-ID: " + std::string(id) +
         "\r\nX-Name: name-of-" + std::string(id.substr(0, 17)) +
         "\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n" + body + "\r\n\r\n";
}

std::string id_of(int i) {
  const std::string digits = std::to_string(100000 + i).substr(1);
  return "clueweb12-0000tw-00-" + digits;
}

std::string records(int from, int to, std::size_t size) {
  std::string text;
  for (int i = from; i < to; ++i) {
    text += record("response", id_of(i), size + static_cast<std::size_t>(i));
  }
  return text;
}

class BuiltFromFixture : public testing::TestWithParam<std::pair<std::string, std::size_t>> {};

// The reference builder made 5, 3 and 2.
TEST_P(BuiltFromFixture, IsSoundAndDenser) {
  const auto& [name, least] = GetParam();
  const std::string archive = checkpoint_fixture(name);
  const auto built = build(archive, {.spacing = kSpacing});
  ASSERT_TRUE(built.has_value()) << built.error().message();
  EXPECT_GE(built->report.checkpoints, least);
  EXPECT_FALSE(built->report.record_at_a_time);
  EXPECT_THAT(faults(archive, built->text), IsEmpty());
}

TEST_P(BuiltFromFixture, NumbersDocumentsAsTheManifestDoes) {
  const std::string archive = checkpoint_fixture(GetParam().first);
  const auto manifest = nlohmann::json::parse(checkpoint_fixture("expected.json"));
  std::vector<std::string> ids;
  for (const auto& entry : manifest[GetParam().first]["records"]) {
    if (entry["type"] != "warcinfo") {
      ids.push_back(entry["id"]);
    }
  }
  const auto built = build(archive, {.spacing = kSpacing});
  ASSERT_TRUE(built.has_value());
  const auto file = CheckpointFile::read(source_of(built->text), archive.size());
  ASSERT_EQ((*file)->size(), built->report.checkpoints);
  std::uint64_t last = 0;
  for (const CheckpointHead& head : (*file)->heads()) {
    EXPECT_EQ(head.id(), ids.at(head.document));
    EXPECT_GE(head.stored_offset, last + kSpacing);
    last = head.stored_offset;
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, BuiltFromFixture,
                         testing::Values(std::pair("0000tw-00.warc.gz", 5),
                                         std::pair("00.warc.gz", 3), std::pair("01.warc.gz", 2)));

TEST(BuildCheckpoints, ARecordAtATimeFileHasNone) {
  const auto built = build(checkpoint_fixture("record-at-a-time.warc.gz"), {.spacing = 1000});
  ASSERT_TRUE(built.has_value());
  EXPECT_EQ(built->report.checkpoints, 0U);
  EXPECT_TRUE(built->report.record_at_a_time);
  EXPECT_EQ(built->text.size(), 11U);
}

TEST(BuildCheckpoints, ASmallFileHasNone) {
  const auto built = build(checkpoint_fixture("0000tw-00.warc.gz"), {});
  ASSERT_TRUE(built.has_value());
  EXPECT_EQ(built->report.checkpoints, 0U);
  EXPECT_FALSE(built->report.record_at_a_time);
}

TEST(BuildCheckpoints, MembersOfManyRecordsHaveTheirOwn) {
  const std::string archive = testing_gzip::member(records(0, 20, 30'000)) +
                              testing_gzip::member(records(20, 40, 30'000)) +
                              testing_gzip::member(records(40, 41, 30'000));
  const auto built = build(archive, {.spacing = kSpacing});
  ASSERT_TRUE(built.has_value());
  EXPECT_GE(built->report.checkpoints, 6U);
  EXPECT_EQ(built->report.records, 41U);
  EXPECT_THAT(faults(archive, built->text), IsEmpty());
}

TEST(BuildCheckpoints, WarcinfoIsNotCounted) {
  const std::string archive =
      testing_gzip::member(record("warcinfo", "none", 100) + records(0, 20, 30'000) +
                           record("warcinfo", "none", 100) + records(20, 40, 30'000));
  const auto built = build(archive, {.spacing = kSpacing});
  ASSERT_TRUE(built.has_value());
  const auto file = CheckpointFile::read(source_of(built->text), archive.size());
  ASSERT_GE((*file)->size(), 5U);
  for (const CheckpointHead& head : (*file)->heads()) {
    EXPECT_EQ(head.id(), id_of(static_cast<int>(head.document)));
  }
}

TEST(BuildCheckpoints, DocumentsWithoutASuitableIdArePassedOver) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    text +=
        record("response", i % 2 == 0 ? id_of(i) : "other", 30'000 + static_cast<std::size_t>(i));
  }
  const std::string archive = testing_gzip::member(text);
  const auto built = build(archive, {.spacing = kSpacing});
  ASSERT_TRUE(built.has_value());
  const auto file = CheckpointFile::read(source_of(built->text), archive.size());
  EXPECT_GE((*file)->size(), 5U);
  for (const CheckpointHead& head : (*file)->heads()) {
    EXPECT_EQ(head.document % 2, 0U);
  }
  EXPECT_THAT(faults(archive, built->text), IsEmpty());
}

TEST(BuildCheckpoints, AnyFieldCanHoldTheIds) {
  const std::string archive = testing_gzip::member(records(0, 40, 30'000));
  const auto built = build(archive, {.spacing = kSpacing, .id_field = "x-name"});
  ASSERT_TRUE(built.has_value());
  const auto file = CheckpointFile::read(source_of(built->text), archive.size());
  ASSERT_GE((*file)->size(), 5U);
  EXPECT_THAT(std::string((*file)->head(0).id()), StartsWith("name-of-clueweb12"));
}

TEST(BuildCheckpoints, IdsOfAnotherLengthAreRefusedByName) {
  const auto built = build(testing_gzip::member(record("response", "short-id", 30'000) +
                                                record("response", "short-too", 30'000)),
                           {.spacing = kSpacing});
  ASSERT_FALSE(built.has_value());
  EXPECT_EQ(built.error().code(), ErrorCode::BadArgument);
  EXPECT_THAT(built.error().message(), HasSubstr("short-too"));
  EXPECT_THAT(built.error().message(), HasSubstr("gzidx"));
}

TEST(BuildCheckpoints, WithoutIdsItIsRefused) {
  const auto built = build(testing_gzip::member(records(0, 3, 30'000)),
                           {.spacing = kSpacing, .id_field = "No-Such-Field"});
  ASSERT_FALSE(built.has_value());
  EXPECT_EQ(built.error().code(), ErrorCode::BadArgument);
  EXPECT_THAT(built.error().message(), HasSubstr("no document id"));
}

TEST(BuildCheckpoints, WhatIsNotGzipIsRefused) {
  const auto built = build(records(0, 3, 100), {});
  ASSERT_FALSE(built.has_value());
  EXPECT_EQ(built.error().code(), ErrorCode::Unsupported);
}

TEST(BuildCheckpoints, APipeIsRefused) {
  const ByteView bytes = as_bytes(std::string_view("x"));
  Archive archive = archive_of(testing_gzip::member(records(0, 3, 100)));
  archive.source =
      std::make_shared<testing_io::Pipe>(std::vector<std::byte>(bytes.begin(), bytes.end()), 1);
  testing_io::TextSink sink;
  const auto built = build_checkpoints(archive, sink, {});
  ASSERT_FALSE(built.has_value());
  EXPECT_EQ(built.error().code(), ErrorCode::Unsupported);
}

TEST(BuildCheckpoints, SpacingOfNothingIsRefused) {
  const auto built = build(testing_gzip::member(records(0, 3, 100)), {.spacing = 0});
  ASSERT_FALSE(built.has_value());
  EXPECT_EQ(built.error().code(), ErrorCode::BadArgument);
}

TEST(BuildCheckpoints, DamageIsReportedAndTheRestHasCheckpoints) {
  std::string archive =
      testing_gzip::member(records(0, 40, 30'000)) + testing_gzip::member(records(40, 80, 30'000));
  archive.replace(archive.size() / 4, 300, std::string(300, '\xff'));
  Codes codes;
  const auto built =
      build(archive, {.spacing = kSpacing, .on_finding = [&](const Finding& finding) {
                        if (finding.severity == Severity::Error) {
                          codes.emplace_back(finding.code);
                        }
                      }});
  ASSERT_TRUE(built.has_value());
  EXPECT_THAT(codes, Not(IsEmpty()));
  const auto file = CheckpointFile::read(source_of(built->text), archive.size());
  EXPECT_GE((*file)->size(), 5U);
  EXPECT_GT((*file)->head((*file)->size() - 1).document, 40U);
}

TEST(BuildCheckpoints, OthersSeeEveryRecordInTheSamePass) {
  const std::string archive = testing_gzip::member(records(0, 10, 1000));
  std::vector<std::string> ids;
  std::vector<std::uint64_t> places;
  std::uint64_t octets = 0;
  const auto built =
      build(archive, {.on_record = [&](RecordReader& reader, const Record& seen) -> Status {
                        ids.emplace_back(document_id(seen, {}));
                        FONDS_TRY(const ByteView block, reader.peek_block(2000));
                        octets += block.size();
                        return {};
                      },
                      .on_end = [&](const Place& place, const RecordEnd& end) -> Status {
                        places.push_back(place.inner);
                        EXPECT_TRUE(end.length.has_value());
                        return {};
                      }});
  ASSERT_TRUE(built.has_value());
  EXPECT_EQ(ids.size(), 10U);
  EXPECT_EQ(ids.back(), id_of(9));
  EXPECT_EQ(places.size(), 10U);
  EXPECT_EQ(octets, 10 * 1000 + 45U);
}

TEST(BuildCheckpoints, AnErrorOfTheCallbackEndsThePass) {
  const auto built = build(testing_gzip::member(records(0, 10, 1000)),
                           {.on_record = [](RecordReader&, const Record&) -> Status {
                             return fail(ErrorCode::Cancelled, "enough");
                           }});
  ASSERT_FALSE(built.has_value());
  EXPECT_EQ(built.error().code(), ErrorCode::Cancelled);
}

TEST(BuildCheckpoints, SparseWindowsAreSmallerAndAsGood) {
  const std::string archive = checkpoint_fixture("0000tw-00.warc.gz");
  const auto whole = build(archive, {.spacing = kSpacing});
  const auto sparse = build(archive, {.spacing = kSpacing, .sparse = true});
  ASSERT_TRUE(whole.has_value());
  ASSERT_TRUE(sparse.has_value());
  EXPECT_EQ(sparse->report.checkpoints, whole->report.checkpoints);
  EXPECT_LT(sparse->text.size(), whole->text.size() * 2 / 3);
  EXPECT_THAT(faults(archive, sparse->text), Each(std::string("chk-sparse")));
}

TEST(BuildCheckpoints, TheReferenceLayoutIsThatOfIrDatasets) {
  const auto built =
      build(checkpoint_fixture("00.warc.gz"), {.spacing = kSpacing, .reference = true});
  ASSERT_TRUE(built.has_value());
  EXPECT_TRUE(built->text == checkpoint_fixture("00.warc.gz.chk.lz4"));
  const auto sparse = build(checkpoint_fixture("00.warc.gz"), {.sparse = true, .reference = true});
  ASSERT_FALSE(sparse.has_value());
  EXPECT_EQ(sparse.error().code(), ErrorCode::BadArgument);
}

}  // namespace
}  // namespace fonds::index
