// Segments that become whole records while archives are merged.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.hpp"
#include "format/warc/rewriting/merge_test_support.hpp"

namespace fonds::warc {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kJoined = "records were put together from segments";

std::string sha1(const std::string& text) {
  Hasher hasher(DigestAlgorithm::Sha1);
  hasher.update(as_bytes(text));
  const DigestValue value = hasher.finish();
  return "sha1:" + to_base32(ByteView(value.bytes).first(value.size));
}

std::string first_part(const std::string& block, const std::string& more = {}) {
  return resource("a", block, "WARC-Segment-Number: 1\r\n" + more);
}
std::string part(int number, const std::string& block, const std::string& more = {}) {
  return warc_record(
      "continuation", "a" + std::to_string(number), block,
      "WARC-Target-URI: http://a/a\r\nWARC-Segment-Number: " + std::to_string(number) +
          "\r\nWARC-Segment-Origin-ID: <urn:x:a>\r\n" + more);
}
std::string total(std::uint64_t octets) {
  return "WARC-Segment-Total-Length: " + std::to_string(octets) + "\r\n";
}
const std::string kOther = resource("other", "other");

Merged joined(const Strings& stored, RewriteOptions options = {}) {
  options.join_segments = true;
  return merged(stored, options);
}

class EveryOrder : public testing::TestWithParam<const char*> {};
TEST_P(EveryOrder, OfPartsOverFilesGivesOneRecord) {
  Strings parts = {first_part("one,"), part(2, "two,"), part(3, "three", total(13))};
  std::vector<int> order = {0, 1, 2};
  const std::string whole = resource("a", "one,two,three");
  do {
    Strings files;
    for (const int i : order) {
      Strings records = {parts[static_cast<std::size_t>(i)]};
      if (i == 0) {
        records.push_back(kOther);
      }
      files.push_back(encoded(records, GetParam()));
    }
    const Merged result = joined(files);
    EXPECT_EQ(result.error, "");
    EXPECT_EQ(result.text(), whole + kOther);
    EXPECT_EQ(result.report.changes.at(kJoined), 1U);
    EXPECT_THAT(result.findings, IsEmpty());
  } while (std::next_permutation(order.begin(), order.end()));
}
INSTANTIATE_TEST_SUITE_P(MergeJoin, EveryOrder, testing::Values("none", "gzip", "zstd", "lz4"),
                         [](const auto& param) { return std::string(param.param); });

TEST(MergeJoin, PartsInOneMemberAreFoundThere) {
  const std::string a =
      encoded({part(2, "two") + kOther + first_part("one,") + part(2, "two")}, "gzip");
  EXPECT_EQ(joined({a, encoded({part(3, "!", total(8))}, "gzip")}).text(),
            kOther + resource("a", "one,two!") + part(2, "two"));
}

TEST(MergeJoin, UnitsWithoutPartsStayAsTheyAreStored) {
  const std::string before = encoded({kOther}, "gzip");
  const std::string behind = encoded({resource("z", std::string(3000, 'z'))}, "gzip");
  const std::string a = before + encoded({first_part("one,")}, "gzip") + behind;
  const std::string b = behind + encoded({part(2, "two", total(7))}, "gzip") + before;
  const std::string bytes = joined({a, b}).bytes;
  EXPECT_TRUE(bytes.starts_with(before));
  EXPECT_TRUE(bytes.ends_with(behind + behind + before));
}

TEST(MergeJoin, HeaderTellsOfTheWhole) {
  const std::string a = first_part(
      "one,", "WARC-Block-Digest: " + sha1("one,") + "\r\nWARC-Payload-Digest: sha1:KEPT\r\n");
  const std::string b = part(
      2, "two", total(7) + "WARC-Truncated: time\r\nWARC-Block-Digest: " + sha1("two") + "\r\n");
  const std::string text = joined({a, b}).text();
  EXPECT_THAT(text, HasSubstr("WARC-Block-Digest: " + sha1("one,two") + "\r\n"));
  EXPECT_THAT(text, HasSubstr("WARC-Payload-Digest: sha1:KEPT\r\n"));
  EXPECT_THAT(text, HasSubstr("WARC-Truncated: time\r\n"));
  EXPECT_THAT(text, Not(HasSubstr("Segment")));
}

TEST(MergeJoin, DigestThatCannotBeUnderstoodBecomesSha1) {
  const std::string a = first_part("one,", "WARC-Block-Digest: crc9:12\r\n");
  EXPECT_THAT(joined({a, part(2, "two", total(7))}).text(),
              HasSubstr("WARC-Block-Digest: " + sha1("one,two") + "\r\n"));
}

struct Kept {
  const char* name;
  Strings parts;
  Strings codes;
};
class KeptParts : public testing::TestWithParam<Kept> {};
TEST_P(KeptParts, StayAsTheyAreAndAreTold) {
  const std::string a = together(GetParam().parts);
  const Merged result = joined({a, kOther});
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.bytes, a + kOther);
  EXPECT_EQ(result.findings, GetParam().codes);
}
INSTANTIATE_TEST_SUITE_P(
    MergeJoin, KeptParts,
    testing::Values(Kept{"missing", {first_part("one"), part(2, "two")}, {"segment-missing"}},
                    Kept{"gap",
                         {first_part("one"), part(3, "three", total(8))},
                         {"segment-missing", "segment-orphan"}},
                    Kept{"orphan", {part(2, "two", total(8))}, {"segment-orphan"}},
                    Kept{"wrong_total",
                         {first_part("one"), part(2, "two", total(99))},
                         {"segment-total-mismatch"}},
                    Kept{"alone", {first_part("one")}, {"segment-missing"}}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(MergeJoin, FirstOfEqualPartsCountsAndTheOtherStays) {
  const std::string again = part(2, "two", total(7));
  const Merged result = joined({first_part("one,") + again, again});
  EXPECT_EQ(result.bytes, resource("a", "one,two") + again);
  EXPECT_THAT(result.findings, ElementsAre("segment-duplicate"));
}

TEST(MergeJoin, FirstOfDifferentPartsCountsAndThatIsAnError) {
  const std::string other = part(2, "TWO", total(7));
  const Merged result = joined({first_part("one,") + part(2, "two", total(7)), other});
  EXPECT_EQ(result.bytes, resource("a", "one,two") + other);
  EXPECT_THAT(result.findings, ElementsAre("segment-duplicate-differs"));
}

TEST(MergeJoin, DamagedPartLeavesTheOthersAsTheyAre) {
  std::string bad = encoded({part(2, "two", total(7))}, "gzip");
  bad[bad.size() - 6] = static_cast<char>(bad[bad.size() - 6] ^ 0x55);
  const std::string a = encoded({first_part("one,")}, "gzip");
  EXPECT_EQ(joined({a, bad}).code, ErrorCode::Corrupt);
  const Merged result = joined({a, bad}, {.skip_damaged = true});
  EXPECT_EQ(result.bytes, a);
  EXPECT_THAT(result.findings, Contains("segment-missing"));
  EXPECT_THAT(result.lost, ElementsAre("member-crc"));
}

// A record of 00.11; `head` is what follows data-length.
std::string positional(const std::string& head, const std::string& fields,
                       const std::string& block) {
  std::string header;
  std::uint64_t length = 0;
  do {
    length = header.size() + block.size();
    header = "warc/00.11 " + std::to_string(length) + " " + head + "\r\n" + fields + "\r\n";
  } while (header.size() + block.size() != length);
  return header + block + "\r\n\r\n";
}

TEST(MergeJoin, SegmentsOf0011BecomeOneRecord) {
  const std::string origin = "Segment-Origin-ID: 54321\r\n";
  const Strings files = {positional("20070101000001 54323 z3", origin, "three"),
                         positional("20070101000001 54321 p1", "type: data\r\n", "one,"),
                         positional("20070101000001 54322 p2", origin, "two,")};
  const Merged result = joined(files);
  EXPECT_EQ(result.bytes, positional("20070101000001 54321 z1", "type: data\r\n", "one,two,three"));
}

TEST(MergeJoin, MoreSegmentsThanCanBeRememberedAreRefused) {
  std::string many;
  for (int i = 2; i < 3000; ++i) {
    many += part(i, "");
  }
  RewriteOptions options;
  options.read.memory_budget = std::uint64_t{256} << 10;
  EXPECT_EQ(joined({many}, options).code, ErrorCode::LimitExceeded);
}

TEST(MergeJoin, LongChainIsNotHeldInMemory) {
  constexpr std::size_t kPart = std::size_t{8} << 20;
  Strings files;
  std::string whole;
  for (int i = 1; i <= 6; ++i) {
    const std::string block(kPart, static_cast<char>('a' + i));
    whole += block;
    files.push_back(i == 1 ? first_part(block) : part(i, block, i == 6 ? total(6 * kPart) : ""));
  }
  RewriteOptions options;
  options.read.memory_budget = options.write.memory_budget = std::uint64_t{4} << 20;
  EXPECT_EQ(joined(files, options).bytes, resource("a", whole));
}

}  // namespace
}  // namespace fonds::warc
