#include "format/warc/writing/edits.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fonds::warc {
namespace {

using testing::HasSubstr;
using testing::Not;

// The header with the change, which must parse without an issue and have its new length.
std::string changed(const std::string& raw, const HeaderChange& change, std::uint64_t length) {
  Header header;
  ArcContext arc;
  EXPECT_TRUE(parse_header(as_bytes(raw), classify_start(as_bytes(raw)), true, arc, header));
  EXPECT_TRUE(header.complete);
  std::string text = changed_header(header, as_bytes(raw), change);
  Header again;
  EXPECT_TRUE(parse_header(as_bytes(text), classify_start(as_bytes(text)), true, arc, again));
  EXPECT_EQ(again.length, text.size());
  EXPECT_EQ(again.block_length, length);
  EXPECT_TRUE(again.issues.empty());
  return text;
}

constexpr const char* kModern =
    "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:a>\r\nWARC-Date: 2020\r\n"
    "WARC-Segment-Number: 1\r\nX-Folded: a\r\n b\r\nWARC-Block-Digest: sha1:old\r\n"
    "Content-Length: 5\r\n\r\n";

TEST(ChangedHeader, WholeRecordHasNoSegmentFields) {
  const std::string text =
      changed(kModern, {.whole = {{.block_length = 12345, .block_digest = "sha1:new"}}}, 12345);
  EXPECT_EQ(text,
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:a>\r\nWARC-Date: 2020\r\n"
            "X-Folded: a\r\n b\r\nWARC-Block-Digest: sha1:new\r\nContent-Length: 12345\r\n\r\n");
}

TEST(ChangedHeader, TruncationOfTheLastSegmentIsAdopted) {
  const std::string text =
      changed(kModern, {.whole = {{.block_length = 7, .truncated = "time"}}}, 7);
  EXPECT_THAT(text, HasSubstr("WARC-Truncated: time\r\n"));
}

TEST(ChangedHeader, WarcinfoIsNamed) {
  EXPECT_THAT(changed(kModern, {.warcinfo_id = "urn:info"}, 5),
              HasSubstr("\r\nWARC-Warcinfo-ID: <urn:info>\r\n"));
}

// 53 octets of header-line and 14 of the rest.
std::string positional(const std::string& fields, std::uint64_t block, const char* status = "p1") {
  const std::string rest =
      std::string(" 20070101000001 urn:uuid:32 ") + status + "\r\n" + fields + "\r\n";
  std::string line;
  for (std::uint64_t length = 0; line.empty() || line.size() + block != length;) {
    length = line.empty() ? 90 : line.size() + block;
    line = "warc/00.11 " + std::to_string(length) + rest;
  }
  return line;
}

TEST(ChangedHeader, PositionalLengthCountsItsOwnDigits) {
  const std::string raw = positional("type: data\r\nnote: a\r\n b\r\n", 3);
  for (const std::uint64_t length :
       {0ULL, 9ULL, 20ULL, 925ULL, 926ULL, 927ULL, 928ULL, 929ULL, 930ULL, 99999999999ULL}) {
    const std::string text = changed(raw, {.whole = {{.block_length = length}}}, length);
    EXPECT_THAT(text, HasSubstr(" urn:uuid:32 w1\r\ntype: data\r\nnote: a\r\n b\r\n\r\n"));
  }
}

TEST(ChangedHeader, PositionalStatusTellsOfTruncation) {
  const std::string raw = positional("Checksum: sha1:old\r\ntype: data\r\n", 3);
  EXPECT_THAT(changed(raw, {.whole = {{.block_length = 4, .truncated = "time"}}}, 4),
              HasSubstr(" t1\r\n"));
  EXPECT_THAT(changed(raw, {.whole = {{.block_length = 4, .truncated = "length"}}}, 4),
              HasSubstr(" z1\r\n"));
  const std::string other = changed(
      raw, {.whole = {{.block_length = 4, .truncated = "disconnect", .block_digest = "sha1:new"}}},
      4);
  EXPECT_THAT(other, HasSubstr(" z1\r\n"));
  EXPECT_THAT(other, HasSubstr("\r\nnote: truncated: disconnect\r\n"));
  EXPECT_THAT(other, HasSubstr("\r\nChecksum: sha1:new\r\n"));
  EXPECT_THAT(other, Not(HasSubstr("sha1:old")));
}

TEST(ChangedHeader, PositionalWarcinfoIsNamedWithoutBrackets) {
  EXPECT_THAT(changed(positional("type: data\r\n", 3, "w1"), {.warcinfo_id = "urn:info"}, 3),
              HasSubstr(" w1\r\ntype: data\r\nWarcinfo-ID: urn:info\r\n\r\n"));
}

}  // namespace
}  // namespace fonds::warc
