#include "format/warc/rewriting/known_payloads.hpp"

#include <string>

#include <gtest/gtest.h>

#include "format/warc/rewriting/payload_digests.hpp"

namespace fonds::warc {
namespace {

Header header_of(std::string_view id, std::string_view uri, std::string_view date) {
  Header header;
  header.id = id;
  header.uri = uri;
  header.known[static_cast<std::size_t>(Known::TargetUri)] = uri;
  header.date_raw = date;
  header.date = parse_warc_date(date);
  return header;
}
PayloadKey key_of(std::string_view payload, std::string_view reading = {}) {
  PayloadDigests digests;
  digests.begin({}, false);
  digests.update(as_bytes(payload));
  EXPECT_TRUE(digests.end(reading).has_value());
  return digests.key();
}
DigestValue sha1_of(std::string_view payload) {
  Hasher hasher(DigestAlgorithm::Sha1);
  hasher.update(as_bytes(payload));
  return hasher.finish();
}

constexpr std::uint64_t kEnough = 1 << 20;

TEST(KnownPayloads, TheFirstRecordOfAPayloadIsTheOriginal) {
  KnownPayloads known(kEnough);
  const Header first = header_of("urn:1", "http://a/", "2020-01-01T00:00:00Z");
  ASSERT_TRUE(known.see(first).has_value());
  ASSERT_TRUE(known.add(key_of("x"), first).has_value());
  const Header second = header_of("urn:2", "http://b/", "2020-01-02T00:00:00Z");
  ASSERT_TRUE(known.see(second).has_value());
  ASSERT_NE(known.find(key_of("x")), nullptr);
  EXPECT_EQ(known.find(key_of("x"))->id, "urn:1");
  EXPECT_EQ(known.find(key_of("x"))->uri, "http://a/");
  EXPECT_EQ(known.find(key_of("y")), nullptr);
}

TEST(KnownPayloads, AnIdThatWasThereBeforeLeadsNowhere) {
  KnownPayloads known(kEnough);
  ASSERT_TRUE(known.see(header_of("urn:1", "http://a/", "2020-01-01T00:00:00Z")).has_value());
  const Header twin = header_of("urn:1", "http://a/", "2020-01-02T00:00:00Z");
  ASSERT_TRUE(known.see(twin).has_value());
  ASSERT_TRUE(known.add(key_of("x"), twin).has_value());
  EXPECT_EQ(known.find(key_of("x"))->id, "");
  EXPECT_EQ(known.find(key_of("x"))->date, "2020-01-02T00:00:00Z");
}

TEST(KnownPayloads, ARecordThatNothingLeadsToIsNoOriginal) {
  KnownPayloads known(kEnough);
  const Header record = header_of("urn:1", "http://a/", "2020-01-01T00:00:00Z");
  ASSERT_TRUE(known.see(record).has_value());
  ASSERT_TRUE(known.see(record).has_value());
  ASSERT_TRUE(known.add(key_of("x"), record).has_value());
  EXPECT_EQ(known.find(key_of("x")), nullptr);
}

TEST(KnownPayloads, AnotherArchivesPayloadIsFoundByItsSha1) {
  KnownPayloads known(kEnough);
  const std::string digest = labelled_sha1(sha1_of("x"));
  ASSERT_TRUE(*known.add({digest, "http://o/", "2019-01-01T00:00:00Z"}));
  const Header record = header_of("urn:1", "http://a/", "2020-01-01T00:00:00Z");
  ASSERT_NE(known.find_other(sha1_of("x"), record), nullptr);
  EXPECT_EQ(known.find_other(sha1_of("x"), record)->uri, "http://o/");
  EXPECT_EQ(known.find_other(sha1_of("y"), record), nullptr);
}

TEST(KnownPayloads, ARecordThatAnIndexListsIsNotItsOwnOriginal) {
  KnownPayloads known(kEnough);
  const std::string digest = labelled_sha1(sha1_of("x"));
  ASSERT_TRUE(*known.add({digest, "http://o/", "2019-01-01T00:00:00Z"}));
  ASSERT_TRUE(*known.add({digest, "http://a/", "2020-01-01T00:00:00Z"}));
  const Header record = header_of("urn:1", "http://a/", "2020-01-01T00:00:00Z");
  EXPECT_EQ(known.find_other(sha1_of("x"), record), nullptr);
}

TEST(KnownPayloads, OtherDigestsAndDatesArePassedOver) {
  KnownPayloads known(kEnough);
  EXPECT_FALSE(*known.add({"md5:d41d8cd98f00b204e9800998ecf8427e", "http://o/", "2019"}));
  EXPECT_FALSE(*known.add({"sha1:short", "http://o/", "2019"}));
  EXPECT_FALSE(*known.add({labelled_sha1(sha1_of("x")), "http://o/", "yesterday"}));
  EXPECT_FALSE(*known.add({labelled_sha1(sha1_of("x")), "", "2019"}));
  EXPECT_FALSE(known.has_others());
}

TEST(KnownPayloads, TheLimitIsNamed) {
  KnownPayloads known(1000);
  Status status;
  for (int i = 0; i < 100 && status; ++i) {
    const std::string id = "urn:" + std::to_string(i);
    const Header record = header_of(id, "http://a/", "2020-01-01T00:00:00Z");
    status = known.see(record);
    if (status) {
      status = known.add(key_of(id), record);
    }
  }
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), ErrorCode::LimitExceeded);
  EXPECT_NE(status.error().message().find("--memory"), std::string::npos);
}

TEST(PayloadDigests, AReadingIsPartOfTheKeyAndNoPayloadLooksLikeIt) {
  EXPECT_NE(key_of("x", "chunked"), key_of("x", ""));
  EXPECT_NE(key_of("xchunked", ""), key_of("x", "chunked"));
  EXPECT_NE(key_of("xchunked0000000000000007", ""), key_of("x", "chunked"));
}

struct StoredCase {
  const char* stored;
  bool right, wrong;
};
class StoredDigest : public testing::TestWithParam<StoredCase> {};
TEST_P(StoredDigest, IsComparedWithThePayload) {
  PayloadDigests digests;
  for (int reused = 0; reused < 2; ++reused) {
    digests.begin(GetParam().stored, false);
    digests.update(as_bytes("a"));
    digests.update(as_bytes("bc"));
    ASSERT_TRUE(digests.end({}).has_value());
    EXPECT_EQ(digests.stored_is_right(), GetParam().right);
    EXPECT_EQ(digests.stored_is_wrong(), GetParam().wrong);
    EXPECT_EQ(digests.length(), 3U);
  }
}
INSTANTIATE_TEST_SUITE_P(
    Forms, StoredDigest,
    testing::Values(StoredCase{"sha1:a9993e364706816aba3e25717850c26c9cd0d89d", true, false},
                    StoredCase{"sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", true, false},
                    StoredCase{"md5:900150983cd24fb0d6963f7d28e17f72", true, false},
                    StoredCase{"sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE6", false, true},
                    StoredCase{"md5:900150983cd24fb0d6963f7d28e17f73", false, true},
                    StoredCase{"crc32:00000000", false, false},
                    StoredCase{"nonsense", false, false}, StoredCase{"", false, false}));

}  // namespace
}  // namespace fonds::warc
