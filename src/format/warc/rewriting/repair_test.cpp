#include "format/warc/rewriting/repair.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/gzip/testing.hpp"
#include "codec/zstd/train.hpp"
#include "format/warc/rewriting/repair_test_support.hpp"
#include "io/testing.hpp"

namespace fonds::testing_repair {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_gzip::member;

std::vector<std::string> three() {
  return {with_digest("a", "first block"), with_digest("b", std::string(500, 'b') + "second"),
          with_digest("c", "third block")};
}
std::string members(const std::vector<std::string>& records) {
  std::string all;
  for (const std::string& record : records) {
    all += member(record);
  }
  return all;
}
std::string without(std::string text, std::string_view part) {
  const std::size_t at = text.rfind(part);
  return text.erase(at, part.size());
}

// ---- lengths ----

TEST(RepairLength, TooLongByEvidenceOfTheSwallowedRecord) {
  const std::string bytes = modern("a", "one", "40") + modern("b", "two") + modern("c", "three");
  const Repaired result = repaired(bytes);
  EXPECT_EQ(result.bytes, modern("a", "one") + modern("b", "two") + modern("c", "three"));
  EXPECT_EQ(result.changes("records got the right length"), 1U);
  EXPECT_THAT(result.lost(), IsEmpty());
  EXPECT_THAT(result.told, Contains("warning length-suspect"));
}

TEST(RepairLength, TooShortByEvidenceOfTheNextRecord) {
  const Repaired result =
      repaired(modern("a", "a longer block", "4") + modern("b", "two") + modern("c", "three"));
  EXPECT_EQ(result.bytes,
            modern("a", "a longer block") + modern("b", "two") + modern("c", "three"));
}

TEST(RepairLength, OfTheLastRecordByTheLineEndsThatCloseTheData) {
  EXPECT_EQ(repaired(modern("a", "one") + modern("b", "a longer block", "4")).bytes,
            modern("a", "one") + modern("b", "a longer block"));
  EXPECT_EQ(repaired(modern("a", "one") + modern("b", "a longer block", "many")).bytes,
            modern("a", "one") + modern("b", "a longer block"));
}

TEST(RepairLength, WithoutEvidenceTheLengthStays) {
  // What follows is no record, and the data does not end as a record does.
  const std::string bytes = modern("a", "one") + modern("b", "a longer block", "4") + "garbage";
  const Repaired result = repaired(bytes);
  EXPECT_THAT(result.bytes, HasSubstr("Content-Length: 4\r\n"));
  EXPECT_THAT(result.lost(), ElementsAre("lost-range"));
}

TEST(RepairLength, OfDifferentOnesTheOneThatFits) {
  const std::string both = modern("a", "one", "99", "Content-Length: 3\r\n");
  const Repaired result = repaired(both + modern("b", "two"));
  EXPECT_THAT(result.bytes, HasSubstr("Content-Length: 3\r\n"));
  EXPECT_THAT(result.bytes, Not(HasSubstr("99")));
  EXPECT_THAT(errors_of(result.bytes), IsEmpty());
}

TEST(RepairLength, OfAnEmptyOneAndAnotherTheOneThatFits) {
  const std::string both = modern("a", "one", "3", "Content-Length: \r\n");
  const Repaired result = repaired(both + modern("b", "two"));
  EXPECT_EQ(result.bytes, modern("a", "one") + modern("b", "two"));
  EXPECT_THAT(errors_of(result.bytes), IsEmpty());
}

TEST(RepairLength, OfThePositionalDraftCountsItself) {
  const std::string good = positional("a", std::string(40, 'x')) + positional("b", "two");
  EXPECT_EQ(repaired(positional("a", std::string(40, 'x'), -7) + positional("b", "two")).bytes,
            good);
  EXPECT_EQ(repaired(positional("a", std::string(40, 'x'), 30) + positional("b", "two")).bytes,
            good);
}

TEST(RepairLength, OfArcIsTheLastColumn) {
  const std::string good = arc_start() + arc("a", "one") + arc("b", "two");
  EXPECT_EQ(repaired(arc_start() + arc("a", "one", "2") + arc("b", "two")).bytes, good);
  EXPECT_EQ(repaired(arc_start() + arc("a", "one", "30") + arc("b", "two")).bytes, good);
  EXPECT_EQ(repaired(arc_start() + arc("a", "one", "-1") + arc("b", "two")).bytes, good);
}

TEST(RepairLength, OfArcStaysWhereTheBlockEndsWithALineThatReadsLikeARecord) {
  const std::string line = "http://a.example/in 192.0.2.1 20200102030405 t";
  const std::string good = arc_start() + arc("a", arc("in", "x") + line) + arc("b", "two");
  EXPECT_EQ(repaired(good).bytes, good);
}

TEST(RepairLength, OfArcStaysWhereRecordsInTheBlockEndWithIt) {
  const std::string good =
      arc_start() + arc("a", arc("in", "x") + arc("in", "y") + arc("in", "z").substr(0, 30));
  const Repaired result = repaired(good + "garbage");
  EXPECT_EQ(result.bytes, good);
  EXPECT_THAT(result.lost(), ElementsAre("lost-range"));
}

TEST(RepairLength, OfArcThatSwallowedRecordsUpToALineEndIsMended) {
  const std::string rest = arc("b", "two\nlines") + arc("c", "x\ny\nz") + arc("d", "four");
  const std::string good = arc_start() + arc("a", "one") + rest;
  const std::size_t n = rest.find("\ny") + 4;
  EXPECT_EQ(repaired(arc_start() + arc("a", "one", std::to_string(n)) + rest).bytes, good);
}

// Bytes of the first and of the last are gone.
TEST(RepairLength, OfArcThatSwallowedARecordAndAPartOfADamagedOneIsMended) {
  const std::string first = "torn\nlines";
  const std::string middle = arc("b", "two\nlines"), begun = arc("c", "a\nbc", "11");
  const std::size_t n = first.size() + 1 + middle.size() + begun.find("\nbc");
  const std::string bytes =
      arc_start() + arc("a", first, std::to_string(n)) + middle + begun + arc("d", "four");
  const Repaired result = repaired(bytes);
  EXPECT_THAT(result.bytes, HasSubstr(arc("a", first) + middle));
  EXPECT_TRUE(result.bytes.ends_with(arc("d", "four")));
}

// ---- line ends ----

TEST(RepairLineEnds, AreAddedWhereTheyAreMissing) {
  const std::string good = modern("a", "one") + modern("b", "two");
  for (const std::string_view there : {"", "\r\n"}) {
    const std::string first = without(modern("a", "one"), "\r\n\r\n") + std::string(there);
    const Repaired result = repaired(first + modern("b", "two"));
    EXPECT_EQ(result.bytes, good);
    EXPECT_EQ(result.changes("records got their closing line ends"), 1U);
    EXPECT_THAT(result.lost(), IsEmpty());
  }
  EXPECT_EQ(repaired(modern("a", "one") + without(modern("b", "two"), "\r\n\r\n")).bytes, good);
}

TEST(RepairLineEnds, InAMemberMakeANewMemberOfItAlone) {
  const auto records = three();
  const std::string bytes =
      member(records[0]) + member(without(records[1], "\r\n\r\n")) + member(records[2]);
  const Repaired result = repaired(bytes);
  EXPECT_TRUE(result.bytes.starts_with(member(records[0])));
  EXPECT_TRUE(result.bytes.ends_with(member(records[2])));
  EXPECT_EQ(result.changes("records were compressed anew"), 1U);
  EXPECT_THAT(errors_of(result.bytes), IsEmpty());
}

TEST(RepairLineEnds, BetweenArcRecords) {
  const std::string bytes = arc_start() + without(arc("a", "one"), "\n") + arc("b", "two");
  EXPECT_EQ(repaired(bytes).bytes, arc_start() + arc("a", "one") + arc("b", "two"));
}

TEST(RepairLineEnds, AreNotNeededBetweenArcRecordsInUnitsOfTheirOwn) {
  const std::string bytes =
      member(arc_start()) + member(without(arc("a", "one"), "\n")) + member(arc("b", "two"));
  EXPECT_EQ(repaired(bytes).bytes, bytes);
}

TEST(RepairLineEnds, MoreThanNeededAreLeftAlone) {
  const std::string bytes =
      "\r\n" + modern("a", "one") + "\r\n\r\n" + modern("b", "two") + "\n\n\n";
  EXPECT_EQ(repaired(bytes).bytes, bytes);
}

TEST(RepairGarbage, OfZerosInFrontOfAnArcRecordIsAllThatIsLeftOut) {
  const std::string good = arc_start() + arc("a", "one") + arc("b", "two");
  for (const std::size_t n : {1U, 512U, 70000U}) {
    const Repaired result =
        repaired(arc_start() + arc("a", "one") + std::string(n, '\0') + arc("b", "two"));
    EXPECT_EQ(result.bytes, good) << n;
    EXPECT_EQ(repaired(arc_start() + arc("a", "one") + "x" + std::string(n, '\0') + arc("b", "two"))
                  .bytes,
              good)
        << n;
  }
}

// ---- cut tails ----

TEST(RepairTail, OfARecordBecomesATruncatedOne) {
  const auto records = three();
  const std::string bytes = records[0] + records[1].substr(0, records[1].size() - 110);
  const Repaired result = repaired(bytes);
  EXPECT_THAT(result.lost(), ElementsAre("truncated-block"));
  EXPECT_TRUE(result.bytes.starts_with(records[0]));
  const std::string block(400, 'b');
  EXPECT_THAT(result.bytes, HasSubstr("WARC-Truncated: unspecified\r\n"));
  EXPECT_THAT(result.bytes, HasSubstr("Content-Length: 400\r\n"));
  EXPECT_THAT(result.bytes, HasSubstr("\r\nWARC-Block-Digest: " + sha1(block) + "\r\n"));
  EXPECT_THAT(
      result.bytes,
      HasSubstr("WARC-Original-Block-Digest: " + sha1(std::string(500, 'b') + "second") + "\r\n"));
  EXPECT_TRUE(result.bytes.ends_with("\r\n\r\n" + block + "\r\n\r\n"));
  EXPECT_EQ(repaired(result.bytes).bytes, result.bytes);
}

TEST(RepairTail, OfThePositionalDraftGetsTheStatusOfACutRecord) {
  const std::string whole = positional("a", "0123456789", 0, "w1", "Checksum: sha1:AAAA\r\n");
  const Repaired result = repaired(whole.substr(0, whole.size() - 9));
  EXPECT_THAT(result.bytes, HasSubstr(" z1\r\n"));
  EXPECT_THAT(result.bytes, HasSubstr("Original-Checksum: sha1:AAAA\r\n"));
  EXPECT_TRUE(result.bytes.ends_with("\r\n\r\n01234\r\n\r\n"));
  EXPECT_THAT(errors_of(result.bytes), IsEmpty());
}

TEST(RepairTail, OfArcGetsTheLengthThatIsThere) {
  const std::string whole = arc_start() + arc("a", "0123456789");
  EXPECT_EQ(repaired(whole.substr(0, whole.size() - 6)).bytes, arc_start() + arc("a", "01234"));
}

TEST(RepairTail, InsideAHeaderIsLost) {
  const std::string tail = modern("b", "two").substr(0, 60);
  const Repaired result = repaired(modern("a", "one") + tail);
  EXPECT_EQ(result.bytes, modern("a", "one"));
  EXPECT_EQ(result.report.lost_bytes, 60U);
  EXPECT_EQ(result.report.records_lost, 1U);
  ASSERT_EQ(result.report.lost_ranges.size(), 1U);
  EXPECT_EQ(result.report.lost_ranges[0].offset, modern("a", "one").size());
  EXPECT_EQ(result.report.lost_ranges[0].length, 60U);
}

TEST(RepairTail, OfAMemberKeepsWhatDecodes) {
  const auto records = three();
  const std::string noise = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const std::string last = member(with_digest("d", noise + noise.substr(3) + noise.substr(7)), 0);
  const Repaired result = repaired(members(records) + last.substr(0, last.size() - 60));
  EXPECT_TRUE(result.bytes.starts_with(members(records)));
  EXPECT_THAT(result.lost(), ElementsAre("truncated-block"));
  EXPECT_EQ(result.changes("records became truncated ones"), 1U);
  EXPECT_THAT(errors_of(result.bytes), IsEmpty());
}

TEST(RepairTail, OfACrawlersOpenFileLosesItsZeros) {
  const std::string good = members(three());
  const Repaired result = repaired(good + std::string(4000, '\0'));
  EXPECT_EQ(result.bytes, good);
  EXPECT_THAT(result.lost(), IsEmpty());
  EXPECT_EQ(result.changes("ranges of padding were left out"), 1U);
  const std::string plain = joined(three());
  EXPECT_EQ(repaired(plain + std::string(4000, '\0')).bytes, plain);
}

// ---- garbage ----

TEST(RepairGarbage, BetweenRecordsIsLeftOutAndListed) {
  const Repaired result =
      repaired(modern("a", "one") + "no record, no record\r\n" + modern("b", "two"));
  EXPECT_EQ(result.bytes, modern("a", "one") + modern("b", "two"));
  ASSERT_EQ(result.report.lost_ranges.size(), 1U);
  EXPECT_EQ(result.report.lost_ranges[0].offset, modern("a", "one").size());
  EXPECT_EQ(result.report.lost_ranges[0].length, 22U);
}

TEST(RepairGarbage, BetweenMembersLeavesTheMembersAlone) {
  const auto records = three();
  const Repaired result = repaired(member(records[0]) + "garbage!" + member(records[1]) +
                                   member("no record in here") + member(records[2]) + "tail");
  EXPECT_EQ(result.bytes, members(records));
  EXPECT_THAT(result.lost(), ElementsAre("lost-range", "lost-range", "lost-range"));
}

TEST(RepairGarbage, InsideAMemberIsTakenOutOfIt) {
  const auto records = three();
  const Repaired result =
      repaired(member(records[0]) + member(records[1] + "garbage") + member(records[2]));
  EXPECT_THAT(result.lost(), ElementsAre("lost-range"));
  EXPECT_TRUE(result.bytes.starts_with(member(records[0])));
  EXPECT_TRUE(result.bytes.ends_with(member(records[2])));
  EXPECT_THAT(errors_of(result.bytes), IsEmpty());
}

// ---- units ----

TEST(RepairMember, WithAWrongChecksumAndTheRightDigestIsMended) {
  const auto records = three();
  std::string second = member(records[1]);
  second[second.size() - 8] ^= 1;
  const Repaired result = repaired(member(records[0]) + second + member(records[2]));
  EXPECT_THAT(result.told, ElementsAre("warning member-crc"));
  EXPECT_THAT(result.lost(), IsEmpty());
  EXPECT_THAT(errors_of(result.bytes), IsEmpty());
}

TEST(RepairMember, WithAWrongChecksumAndNoDigestStaysDoubtful) {
  std::string second = member(modern("b", "two"));
  second[second.size() - 8] ^= 1;
  const Repaired result = repaired(member(modern("a", "one")) + second);
  EXPECT_THAT(result.told, ElementsAre("error member-crc"));
  EXPECT_EQ(result.changes("units got the right checksum and size"), 1U);
  EXPECT_THAT(errors_of(result.bytes), IsEmpty());
}

TEST(RepairMember, WithAWrongChecksumAndAnotherSizeIsNotWhole) {
  std::string second = member(modern("b", "two"));
  second[second.size() - 8] ^= 1;
  second[second.size() - 4] ^= 1;
  const Repaired result = repaired(member(modern("a", "one")) + second);
  EXPECT_THAT(result.told, ElementsAre("error member-crc", "warning member-isize"));
}

TEST(RepairMember, InsideOfAMemberIsMendedByTakingOneLayerOff) {
  std::string inner = member(modern("a", "one"));
  inner[inner.size() - 8] ^= 1;
  const Repaired result = repaired(member(inner + member(modern("b", "two"))));
  EXPECT_THAT(result.told, ElementsAre("error member-crc"));
  EXPECT_EQ(result.bytes,
            joined(stored_units({modern("a", "one"), modern("b", "two")}, {.codec = "gzip"})));
}

TEST(RepairMember, InsideOfAMemberThatIsCutKeepsWhatIsThere) {
  const std::string inner =
      member(modern("a", "one")) + member(modern("b", std::string(500, 'b'))).substr(0, 150);
  const Repaired result = repaired(member(inner));
  EXPECT_THAT(result.lost(), testing::Not(IsEmpty()));
  EXPECT_TRUE(
      result.bytes.starts_with(joined(stored_units({modern("a", "one")}, {.codec = "gzip"}))));
  EXPECT_THAT(errors_of(result.bytes), IsEmpty());
}

TEST(RepairMember, WithAWrongChecksumAndAnotherDigestIsKeptAndTold) {
  std::string record = with_digest("b", "two");
  record[record.size() - 5] = 'O';
  std::string second = member(record);
  second[second.size() - 8] ^= 1;
  const Repaired result = repaired(member(modern("a", "one")) + second);
  EXPECT_THAT(result.told, Contains("error digest-mismatch"));
  EXPECT_EQ(result.report.records_kept, 2U);
}

TEST(RepairMember, WithAWrongSizeIsMended) {
  std::string second = member(modern("b", "two"));
  second.back() ^= 1;
  const Repaired result = repaired(member(modern("a", "one")) + second);
  EXPECT_THAT(result.told, ElementsAre("warning member-isize"));
  EXPECT_THAT(errors_of(result.bytes), IsEmpty());
}

TEST(RepairMember, DamagedInTheMiddleKeepsItsBeginning) {
  const auto records = three();
  std::string block;
  for (int i = 0; i < 3000; ++i) {
    block += std::to_string(i * 7919 % 10007);
  }
  std::string broken = member(with_digest("x", block));
  std::fill_n(broken.begin() + static_cast<std::ptrdiff_t>(broken.size() / 2), 300, '\0');
  const Repaired result = repaired(member(records[0]) + broken + member(records[1]));
  EXPECT_TRUE(result.bytes.starts_with(member(records[0])));
  EXPECT_TRUE(result.bytes.ends_with(member(records[1])));
  EXPECT_EQ(result.report.records_kept, 3U);
  EXPECT_THAT(result.lost(), Contains("truncated-block"));
  EXPECT_THAT(errors_of(result.bytes), IsEmpty());
}

TEST(RepairMember, OfAllRecordsIsLeftAloneUnlessAsked) {
  const auto records = three();
  const std::string bytes = member(joined(records));
  EXPECT_EQ(repaired(bytes).bytes, bytes);
  RewriteOptions options;
  options.unit_per_record = true;
  const Repaired result = repaired(bytes, options);
  EXPECT_EQ(result.changes("records were compressed anew"), 3U);
  EXPECT_THAT(errors_of(result.bytes), IsEmpty());
  EXPECT_EQ(repaired(result.bytes, options).bytes, result.bytes);
}

TEST(RepairMember, OfAllRecordsGivesAUnitForEachWhenItIsDamaged) {
  const auto records = three();
  std::string bytes = member(joined(records));
  bytes[bytes.size() - 8] ^= 1;
  const Repaired result = repaired(bytes);
  EXPECT_EQ(result.changes("records were compressed anew"), 3U);
  EXPECT_THAT(result.told, ElementsAre("warning member-crc"));
}

TEST(RepairFrame, WithSeveralRecordsBecomesOneForEach) {
  const auto records = three();
  const std::string bytes = joined(stored_units({joined(records)}, {.codec = "zstd"}));
  const Repaired result = repaired(bytes);
  EXPECT_EQ(result.changes("records were compressed anew"), 3U);
  EXPECT_THAT(errors_of(result.bytes), IsEmpty());
}

TEST(RepairFrame, ThatIsDamagedDoesNotTouchTheOthers) {
  for (const char* const codec : {"zstd", "lz4"}) {
    auto units = stored_units(three(), {.codec = codec});
    const std::string first = units[0];
    const std::string last = units[2];
    units[1][units[1].size() / 2] ^= 0x55;
    const Repaired result = repaired(joined(units));
    EXPECT_TRUE(result.bytes.starts_with(first)) << codec;
    EXPECT_TRUE(result.bytes.ends_with(last)) << codec;
    EXPECT_THAT(errors_of(result.bytes), IsEmpty()) << codec;
  }
}

TEST(RepairFrame, ThatIsLostOrWrittenAnewTakesItsSizePrefixAlong) {
  const EncodeOptions options = {.codec = "zstd",
                                 .extension = EncodeOptions::Extension::SizePrefix};
  // An empty frame comes first; then the prefix of each is what lies behind the one before.
  const auto units = stored_units(three(), options);
  ASSERT_EQ(units.size(), 6U);
  for (const std::size_t damaged : {1U, 3U, 5U}) {
    for (const bool lost : {false, true}) {
      auto parts = units;
      if (lost) {
        parts[damaged].replace(4, parts[damaged].size() - 4, parts[damaged].size() - 4, '\xff');
      } else {
        parts[damaged].back() = static_cast<char>(parts[damaged].back() ^ 1);
      }
      const Repaired result = repaired(joined(parts));
      EXPECT_EQ(result.bytes.find(units[damaged - 1].substr(units[damaged - 1].size() - 32)),
                std::string::npos);
      for (const std::size_t kept : {1U, 3U, 5U}) {
        EXPECT_EQ(lost && kept == damaged, result.bytes.find(units[kept]) == std::string::npos)
            << damaged << kept;
      }
      EXPECT_THAT(errors_of(result.bytes), IsEmpty());
    }
  }
}

// The size that the dictionary's frame says is wrong, its checksum is right: it can be used.
TEST(RepairFrame, IsWrittenAnewWithADictionaryWhoseSizeIsWrong) {
  zstd::SampleSet samples;
  for (int n = 0; n < 400; ++n) {
    samples.add(as_bytes(with_digest(std::to_string(n), "block " + std::to_string(n * n))));
  }
  const auto dictionary = zstd::train_dictionary(samples, 2000, 3);
  ASSERT_TRUE(dictionary);
  auto units = stored_units(three(), {.codec = "zstd", .dictionary = *dictionary});
  char& size = units[0][8 + 5];  // RFC 8878, 3.1.1.1: two bytes of a dictionary of 2000
  size = static_cast<char>(size ^ 0x20);
  char& checksum = units[2].back();
  checksum = static_cast<char>(checksum ^ 1);
  const Repaired result = repaired(joined(units));
  EXPECT_TRUE(result.bytes.starts_with(units[0] + units[1]));
  EXPECT_EQ(result.changes("records were compressed anew"), 1U);
  EXPECT_THAT(errors_of(result.bytes), IsEmpty());
}

// ---- the rest ----

TEST(Repair, ADigestThatContradictsIsToldAndNothingIsChanged) {
  std::string record = with_digest("b", "two");
  record[record.size() - 5] = 'O';
  const std::string bytes = modern("a", "one") + record;
  const Repaired result = repaired(bytes);
  EXPECT_EQ(result.bytes, bytes);
  EXPECT_THAT(result.told, ElementsAre("error digest-mismatch"));
}

TEST(Repair, BlocksThatCannotBeHeldAreStreamed) {
  const std::string large(300'000, 'x');
  std::string second = member(with_digest("b", large));
  second[second.size() - 8] ^= 1;
  RewriteOptions options;
  options.write.memory_budget = std::uint64_t{1} << 20;
  const Repaired result = repaired(member(modern("a", "one")) + second, options);
  EXPECT_EQ(result.error, "");
  EXPECT_THAT(result.told, ElementsAre("warning member-crc"));
  EXPECT_THAT(errors_of(result.bytes), IsEmpty());
  const std::string cut = member(with_digest("b", large), 0);
  const Repaired tail = repaired(member(modern("a", "one")) + cut.substr(0, 280'000), options);
  EXPECT_THAT(tail.lost(), ElementsAre("truncated-block"));
  EXPECT_THAT(errors_of(tail.bytes), IsEmpty());
}

TEST(Repair, APipeIsRefused) {
  const auto archive = open_archive(testing_codec::piped(modern("a", "one")));
  ASSERT_TRUE(archive.has_value());
  testing_io::TextSink sink;
  const auto report = warc::repair_archive(*archive, sink, {});
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code(), ErrorCode::Unsupported);
  EXPECT_THAT(report.error().message(), HasSubstr("pipe"));
}

TEST(Repair, RangesAreAccountedFor) {
  const Repaired result =
      repaired(modern("a", "one") + "garbage, garbage\r\n" + modern("b", "two"));
  using warc::Fate;
  std::vector<Fate> fates;
  std::uint64_t at = 0;
  for (const auto& [range, fate] : result.ranges) {
    EXPECT_EQ(range.offset, at);
    at += range.length;
    fates.push_back(fate);
  }
  EXPECT_THAT(fates, Contains(Fate::Lost));
  EXPECT_THAT(fates, Contains(Fate::Kept));
}

}  // namespace
}  // namespace fonds::testing_repair
