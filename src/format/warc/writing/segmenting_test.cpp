#include "format/warc/writing/segmenting.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/warc/rewriting/split.hpp"
#include "format/warc/rewriting/split_test_support.hpp"

namespace fonds::warc {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using Oversize = SplitOptions::Oversize;

std::string sha1(std::string_view text) {
  Hasher hasher(DigestAlgorithm::Sha1);
  hasher.update(as_bytes(text));
  const DigestValue value = hasher.finish();
  return "sha1:" + to_base32(ByteView(value.bytes).first(value.size));
}

// A record of 00.11, its data-length right.
std::string positional(std::string_view id, std::string_view status, const std::string& fields,
                       const std::string& block) {
  const std::string behind =
      " 20200102030405 " + std::string(id) + " " + std::string(status) + "\r\n" + fields + "\r\n";
  std::string digits = "1";
  std::string header;
  do {
    header = "warc/00.11 " + digits + behind;
    digits = std::to_string(header.size() + block.size());
    header = "warc/00.11 " + digits + behind;
  } while (std::to_string(header.size() + block.size()) != digits);
  return header + block + "\r\n\r\n";
}

std::vector<ReadRecord> cut_into(const std::string& content, Parts& parts, std::uint64_t size,
                                 Oversize how, RewriteReport* report = nullptr) {
  SplitOptions options{.size = size, .oversize = how};
  options.rewrite.write.describe = false;
  auto made = split_archive(*open_archive(testing_codec::mapped(content)), parts.next(), options);
  EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().to_string());
  if (report != nullptr && made) {
    *report = std::move(*made);
  }
  return read_back(parts);
}

const std::string kBlock = [] {
  std::string block;
  for (int i = 0; block.size() < 3000; ++i) {
    block += std::to_string(i) + ",";
  }
  return block;
}();

TEST(Segments, HaveTheFieldsOfTheStandard) {
  const std::string content = resource_text(
      1, kBlock,
      "WARC-Block-Digest: " + sha1(kBlock) + "\r\nWARC-Payload-Digest: " + sha1(kBlock) +
          "\r\nWARC-Truncated: time\r\nWARC-Warcinfo-ID: <urn:x:i>\r\n");
  Parts parts;
  const auto found = cut_into(content, parts, 1500, Oversize::Segment);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].type, "resource");
  EXPECT_EQ(found[0].id, "urn:x:1");
  EXPECT_EQ(found[0].payload_digest, sha1(kBlock));
  EXPECT_EQ(found[0].truncated, "");
  EXPECT_THAT(found[0].header, HasSubstr("WARC-Segment-Number: 1\r\n"));
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].segment, i + 1);
    EXPECT_EQ(found[i].target, "http://example.com/1");
    EXPECT_EQ(found[i].block_digest, sha1(found[i].block));
    EXPECT_THAT(found[i].problems, IsEmpty());
    EXPECT_EQ(found[i].total.has_value(), i == 2);
    if (i > 0) {
      EXPECT_EQ(found[i].type, "continuation");
      EXPECT_EQ(found[i].origin, "urn:x:1");
      EXPECT_EQ(found[i].payload_digest, "");
      EXPECT_THAT(found[i].header, HasSubstr("WARC-Warcinfo-ID: <urn:x:i>\r\n"));
    }
  }
  EXPECT_EQ(found[2].total, kBlock.size());
  EXPECT_EQ(found[2].truncated, "time");
}

TEST(Segments, KeepTheDigestAlgorithmOfTheRecord) {
  Hasher hasher(DigestAlgorithm::Sha256);
  hasher.update(as_bytes(kBlock));
  const DigestValue value = hasher.finish();
  const std::string content = resource_text(
      1, kBlock,
      "WARC-Block-Digest: sha256:" + to_hex(ByteView(value.bytes).first(value.size)) + "\r\n");
  Parts parts;
  for (const ReadRecord& record : cut_into(content, parts, 1500, Oversize::Segment)) {
    EXPECT_THAT(record.block_digest, StartsWith("sha256:"));
    EXPECT_EQ(record.block_digest.size(), 7U + 64U);
  }
}

TEST(Segments, TheFirstIsAsLargeAsPossible) {
  Parts parts;
  cut_into(resource_text(1, kBlock), parts, 1500, Oversize::Segment);
  EXPECT_GE(parts.parts[0].sink.content.size(), 1496U);
  EXPECT_LE(parts.parts[0].sink.content.size(), 1500U);
}

TEST(Segments, OfSegmentsAreNotMade) {
  const std::string first = resource_text(1, kBlock, "WARC-Segment-Number: 1\r\n");
  Parts parts;
  RewriteReport report;
  const auto found = cut_into(first, parts, 1500, Oversize::Segment, &report);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].block, kBlock);
  EXPECT_EQ(report.changes.begin()->first,
            "records that are segments already larger than a part, kept whole in a part of their "
            "own");
}

TEST(Segments, OfARecordThatNamesAnOriginAreNotMade) {
  const std::string content =
      testing_ops::plain({{.id = "urn:x:1",
                           .uri = "http://a/",
                           .block = kBlock,
                           .more = "WARC-Segment-Origin-ID: <urn:x:0>\r\n"}});
  Parts parts;
  const auto records = cut_into(content, parts, 1000, Oversize::Segment);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].block, kBlock);
}

TEST(Segments, OnlyTheLastTellsTheTotalLength) {
  const std::string content = testing_ops::plain({{.id = "urn:x:1",
                                                   .uri = "http://a/",
                                                   .block = kBlock,
                                                   .more = "WARC-Segment-Total-Length: 7\r\n"}});
  Parts parts;
  const auto records = cut_into(content, parts, 1000, Oversize::Segment);
  ASSERT_GT(records.size(), 1U);
  EXPECT_FALSE(records.front().total.has_value());
  EXPECT_EQ(records.back().total, kBlock.size());
}

TEST(TruncatedRecords, SayWhyAndHaveTheDigestOfWhatIsLeft) {
  const std::string content = resource_text(
      1, kBlock,
      "WARC-Block-Digest: " + sha1(kBlock) + "\r\nWARC-Payload-Digest: " + sha1(kBlock) + "\r\n");
  Parts parts;
  RewriteReport report;
  const auto found = cut_into(content, parts, 1500, Oversize::Truncate, &report);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].truncated, "length");
  EXPECT_EQ(found[0].block_digest, sha1(found[0].block));
  EXPECT_EQ(found[0].payload_digest, "");
  EXPECT_EQ(report.changes.at("payload digests of truncated records left out"), 1U);
  EXPECT_EQ(report.changes.at("octets of truncated records left out"),
            kBlock.size() - found[0].block.size());
}

// ---- 00.11 ----

TEST(PositionalSegments, AreNumberedInTheirHeaderLine) {
  const std::string content = positional(
      "urn:x:1", "t1", "type: data\r\nChecksum: " + sha1(kBlock) + "\r\nnote: n\r\n", kBlock);
  Parts parts;
  const auto found = cut_into(content, parts, 1500, Oversize::Segment);
  ASSERT_EQ(found.size(), 3U);
  std::string joined;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].segment, i + 1);
    EXPECT_EQ(found[i].code, i == 2 ? 't' : 'p');
    EXPECT_THAT(found[i].problems, IsEmpty());
    joined += found[i].block;
    if (i > 0) {
      EXPECT_THAT(found[i].header, testing::EndsWith("\r\nSegment-Origin-ID: urn:x:1\r\n\r\n"));
      EXPECT_EQ(found[i].origin, "urn:x:1");
    }
  }
  EXPECT_EQ(joined, kBlock);
  EXPECT_THAT(found[0].header,
              HasSubstr("type: data\r\nChecksum: " + sha1(found[0].block) + "\r\nnote: n\r\n\r\n"));
}

TEST(PositionalSegments, OfARecordWithoutIdGiveItOne) {
  Parts parts;
  const auto found =
      cut_into(positional("-", "w1", "type: data\r\n", kBlock), parts, 1500, Oversize::Segment);
  ASSERT_GT(found.size(), 1U);
  EXPECT_THAT(found[0].id, StartsWith("urn:uuid:"));
  EXPECT_EQ(found[1].origin, found[0].id);
}

TEST(PositionalSegments, AreTheSameWhetherTheSinkCanSeekOrNot) {
  const std::string content =
      positional("-", "w1", "type: data\r\nChecksum: " + sha1(kBlock) + "\r\n", kBlock);
  for (const Oversize how : {Oversize::Segment, Oversize::Truncate}) {
    Parts file{.rewrites = true}, pipe;
    cut_into(content, file, 1500, how);
    cut_into(content, pipe, 1500, how);
    ASSERT_EQ(file.parts.size(), pipe.parts.size());
    for (std::size_t i = 0; i < file.parts.size(); ++i) {
      EXPECT_EQ(file.parts[i].sink.content, pipe.parts[i].sink.content);
      EXPECT_EQ(file.parts[i].sink.rewritten, 1);
      EXPECT_EQ(pipe.parts[i].sink.rewritten, 0);
    }
  }
}

// Keeps what was written before it was replaced.
class WatchedSink final : public ByteSink {
 public:
  Status write(ByteView bytes) override {
    content += as_text(bytes);
    first += as_text(bytes);
    return {};
  }
  std::uint64_t position() const override { return content.size(); }
  bool can_rewrite() const override { return true; }
  Status rewrite_at(std::uint64_t offset, ByteView bytes) override {
    content.replace(static_cast<std::size_t>(offset), bytes.size(), as_text(bytes));
    return {};
  }
  std::string content, first;
};

TEST(PositionalSegments, AreBegunWithRoomAndFilledInInPlace) {
  const std::string content = positional("urn:x:1", "w1", "type: data\r\n", kBlock);
  std::deque<WatchedSink> sinks;
  const NextPart next = [&](const PartStart&) -> Result<Part> {
    return Part{&sinks.emplace_back(), "p"};
  };
  SplitOptions options{.size = 1500, .oversize = Oversize::Segment};
  options.rewrite.write.describe = false;
  ASSERT_TRUE(split_archive(*open_archive(testing_codec::mapped(content)), next, options));
  ASSERT_EQ(sinks.size(), 3U);
  EXPECT_THAT(sinks[0].first, StartsWith("warc/00.11 0057 20200102030405 urn:x:1 w1\r\n"));
  EXPECT_THAT(sinks[0].content, StartsWith("warc/00.11 1496 20200102030405 urn:x:1 p1\r\n"));
  EXPECT_THAT(sinks[1].first, HasSubstr(" w2\r\n"));
  EXPECT_THAT(sinks[1].content, HasSubstr(" p2\r\n"));
  EXPECT_THAT(sinks[2].content, HasSubstr(" w3\r\n"));
  for (const WatchedSink& sink : sinks) {
    EXPECT_EQ(sink.first.size(), sink.content.size());
    EXPECT_EQ(sink.first.substr(sink.first.find("\r\n\r\n")),
              sink.content.substr(sink.content.find("\r\n\r\n")));
  }
}

TEST(PositionalRecords, AreTruncatedWithZ1) {
  Parts parts;
  const auto found =
      cut_into(positional("-", "w1", "type: data\r\n", kBlock), parts, 1500, Oversize::Truncate);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].code, 'z');
  EXPECT_EQ(found[0].id, "");
  EXPECT_TRUE(kBlock.starts_with(found[0].block));
}

TEST(PositionalRecords, OfAHeaderThatEndsItsLinesInLfGetWholeOnes) {
  std::string content = positional("urn:x:1", "w1", "type: data\r\nnote: a\r\n b\r\n", kBlock);
  std::string header = content.substr(0, content.find("\r\n\r\n") + 4);
  const std::string block = content.substr(header.size());
  std::erase(header, '\r');
  header.replace(11, 4, std::to_string(header.size() + kBlock.size()));
  Parts parts;
  const auto found = cut_into(header + block, parts, 1500, Oversize::Segment);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_THAT(found[0].header, HasSubstr("type: data\r\nnote: a\r\n b\r\n\r\n"));
  EXPECT_THAT(found[0].problems, IsEmpty());
}

TEST(PositionalRecords, TheirWarcinfoIsRepeatedWithAnotherId) {
  const std::string content =
      positional("urn:x:i", "w1", "type: warcinfo\r\nnote: kept\r\n", "a: b\r\n") +
      positional("urn:x:1", "w1", "type: data\r\n", std::string(800, 'a')) +
      positional("urn:x:2", "w1", "type: data\r\n", std::string(800, 'b'));
  Parts parts;
  ASSERT_TRUE(
      split_archive(*open_archive(testing_codec::mapped(content)), parts.next(), {.size = 1200}));
  ASSERT_EQ(parts.parts.size(), 2U);
  const auto found = read_back(parts.parts[1].sink.content);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].type, "warcinfo");
  EXPECT_EQ(found[0].block, "a: b\r\n");
  EXPECT_THAT(found[0].header, HasSubstr("note: kept\r\n"));
  EXPECT_NE(found[0].id, "urn:x:i");
  EXPECT_THAT(found[0].id, Not(IsEmpty()));
}

}  // namespace
}  // namespace fonds::warc
