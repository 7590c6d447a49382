#include "format/warc/writing/revisit.hpp"

#include <algorithm>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace fonds::warc {
namespace {

struct Parsed {
  Header header;
  std::string octets;
};

void parse(Parsed& parsed, std::string octets) {
  parsed.octets = std::move(octets);
  ArcContext arc;
  ASSERT_TRUE(parse_header(as_bytes(parsed.octets), Start::Modern, true, arc, parsed.header));
  ASSERT_TRUE(parsed.header.complete);
}

const std::string kResponse =
    "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:2>\r\n"
    "WARC-Date: 2020-01-02T00:00:00Z\r\nWARC-Target-URI: http://a.example/\r\n"
    "X-Own: kept\r\nWARC-Block-Digest: md5:00000000000000000000000000000000\r\n"
    "Content-Length: 1000\r\n\r\n";

RevisitPlan plan() {
  return {.original = {"urn:x:1", "http://o.example/", "2020-01-01T00:00:00Z", {}},
          .payload_digest = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
          .http_head = "HTTP/1.1 200 OK\r\n\r\n"};
}

TEST(MakeRevisit, SaysWhatItIsARevisitOf) {
  Parsed before, after;
  parse(before, kResponse);
  parse(after, make_revisit(as_bytes(before.octets), before.header, plan()));
  const Header& made = after.header;
  EXPECT_EQ(made.type, "revisit");
  EXPECT_EQ(made.id, "urn:x:2");
  EXPECT_EQ(made.date_raw, "2020-01-02T00:00:00Z");
  EXPECT_EQ(made.uri, "http://a.example/");
  EXPECT_EQ(made.profile, "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest");
  EXPECT_EQ(made.refers_to, "urn:x:1");
  EXPECT_EQ(made.refers_to_uri, "http://o.example/");
  EXPECT_EQ(made.refers_to_date, "2020-01-01T00:00:00Z");
  EXPECT_EQ(made.payload_digest, "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
  EXPECT_EQ(made.block_digest, "sha1:OP3ZUEAEIGC5QPO47I7DR5X4KB6IV5TP");
  EXPECT_EQ(made.truncated, "length");
  EXPECT_EQ(made.block_length, 19U);
  EXPECT_EQ(made.length, after.octets.size());
}

TEST(MakeRevisit, KeepsFieldsThatItDoesNotKnow) {
  Parsed before;
  parse(before, kResponse);
  const std::string made = make_revisit(as_bytes(before.octets), before.header, plan());
  EXPECT_NE(made.find("X-Own: kept\r\n"), std::string::npos);
}

TEST(MakeRevisit, IsNotTruncatedWithoutABlock) {
  Parsed before, after;
  parse(before, kResponse);
  RevisitPlan without = plan();
  without.http_head = {};
  parse(after, make_revisit(as_bytes(before.octets), before.header, without));
  EXPECT_EQ(after.header.truncated, "");
  EXPECT_EQ(after.header.block_length, 0U);
}

TEST(MakeRevisit, AnOriginalWithoutAnIdIsNamedByItsCapture) {
  Parsed before, after;
  parse(before, kResponse);
  RevisitPlan without = plan();
  without.original.id = {};
  parse(after, make_revisit(as_bytes(before.octets), before.header, without));
  EXPECT_EQ(after.header.refers_to, "");
  EXPECT_EQ(after.header.refers_to_uri, "http://o.example/");
}

TEST(MakeRevisit, ANotModifiedOneKeepsItsBlock) {
  Parsed before, after;
  parse(before, kResponse);
  RevisitPlan not_modified = plan();
  not_modified.profile = RevisitProfile::NotModified;
  parse(after, make_revisit(as_bytes(before.octets), before.header, not_modified));
  EXPECT_EQ(after.header.profile, "http://netpreserve.org/warc/1.1/revisit/server-not-modified");
  EXPECT_EQ(after.header.block_length, 1000U);
  EXPECT_EQ(after.header.block_digest, "md5:00000000000000000000000000000000");
  EXPECT_EQ(after.header.truncated, "");
}

TEST(MakeRevisit, NoTextOfAnOriginalEndsTheHeader) {
  Parsed before, after;
  parse(before, kResponse);
  RevisitPlan hostile = plan();
  hostile.original = {"urn:x:1>\r\n\r\nWARC/1.1", "http://o/\r\nContent-Length: 7", "\n\n", {}};
  parse(after, make_revisit(as_bytes(before.octets), before.header, hostile));
  EXPECT_EQ(after.header.length, after.octets.size());
  EXPECT_EQ(after.header.block_length, 19U);
  EXPECT_TRUE(after.header.other_lengths.empty());
}

struct VersionCase {
  int major, minor;
  const char* uri;
};
class ProfileUri : public testing::TestWithParam<VersionCase> {};
TEST_P(ProfileUri, IsThatOfTheRecordsVersion) {
  EXPECT_EQ(profile_uri(RevisitProfile::IdenticalPayload, GetParam().major, GetParam().minor),
            std::string("http://netpreserve.org/warc/") + GetParam().uri +
                "/revisit/identical-payload-digest");
}
INSTANTIATE_TEST_SUITE_P(Versions, ProfileUri,
                         testing::Values(VersionCase{0, 17, "0.18"}, VersionCase{0, 18, "0.18"},
                                         VersionCase{1, 0, "1.0"}, VersionCase{1, 1, "1.1"},
                                         VersionCase{1, 2, "1.1"}));

TEST(MakeRevisit, AnyHeaderBecomesOneThatIsReadAsARevisit) {
  std::mt19937 random(7);
  constexpr std::string_view kLetters = "aWARC-Type:<> \t\r\nContent-Length:19\xff";
  for (int round = 0; round < 3000; ++round) {
    std::string octets = kResponse;
    const std::size_t most = octets.size() - 2;
    for (int i = 0; i < 4; ++i) {
      octets.insert(10 + random() % (most - 10), 1, kLetters[random() % kLetters.size()]);
    }
    Parsed before, after;
    before.octets = octets;
    ArcContext arc;
    if (!parse_header(as_bytes(before.octets), Start::Modern, true, arc, before.header) ||
        !before.header.complete) {
      continue;
    }
    before.octets.resize(before.header.length);
    parse_header(as_bytes(before.octets), Start::Modern, true, arc, before.header);
    parse(after, make_revisit(as_bytes(before.octets), before.header, plan()));
    ASSERT_EQ(after.header.type, "revisit") << octets;
    ASSERT_EQ(after.header.length, after.octets.size()) << octets;
    ASSERT_EQ(after.header.block_length, 19U) << octets;
  }
}

}  // namespace
}  // namespace fonds::warc
