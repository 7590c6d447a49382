#include "codec/gzip/decoder.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/gzip/codec.hpp"
#include "codec/gzip/testing.hpp"
#include "codec/testing.hpp"

namespace fonds::gzip {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing_codec::Decoded;
using testing_codec::mapped;
using testing_codec::piped;
using testing_codec::read_all;
using testing_codec::sample_text;
using testing_gzip::crc_of;
using testing_gzip::deflated;
using testing_gzip::header;
using testing_gzip::le32;
using testing_gzip::member;
using testing_gzip::member_with_sl;
using testing_gzip::trailer;

constexpr RecordProbe kProbe = {.starts_record = testing_codec::starts_with_record};

std::string record(std::size_t size, std::uint64_t seed) {
  return "WARC/1.0\r\n" + sample_text(size, seed);
}

Decoded decode(const std::string& stored, DecodeOptions options = {}) {
  options.probe = kProbe;
  return read_all(gzip_codec(), mapped(stored), options);
}
Decoded decode_piped(const std::string& stored, std::size_t step = 100) {
  return read_all(gzip_codec(), piped(stored, step), {.probe = kProbe});
}

// What mapped files, skimming, pipes and small limits must agree on.
void expect_text_by_all_ways(const std::string& stored, const std::string& text) {
  const Decoded whole = decode(stored);
  EXPECT_EQ(whole.all(), text);
  EXPECT_EQ(decode(stored, {.skim = true}).all(), text);
  EXPECT_EQ(decode(stored, {.max_whole_unit = 1000}).all(), text);
  EXPECT_EQ(decode(stored, {.skim = true, .max_whole_unit = 1000}).all(), text);
  EXPECT_EQ(decode_piped(stored, 1).all(), text);
  EXPECT_EQ(decode_piped(stored, 4096).all(), text);
}

TEST(GzipDecoder, MemberPerRecordGivesItsUnitForEveryRecord) {
  const std::string a = record(3000, 1), b = record(10, 2), c = record(90000, 3);
  const std::string stored = member(a) + member(b, 0) + member(c, 9);
  const Decoded result = decode(stored);
  expect_text_by_all_ways(stored, a + b + c);
  EXPECT_THAT(result.units,
              ElementsAre(0, member(a).size(), member(a).size() + member(b, 0).size()));
  EXPECT_THAT(result.codes, IsEmpty());
  EXPECT_EQ(result.stored, stored.size());
}

TEST(GzipDecoder, MemberLargerThanWholeUnitsIsStreamed) {
  const std::string text = record(std::size_t{3} << 20, 1);
  expect_text_by_all_ways(member(text) + member("WARC/1.0"), text + "WARC/1.0");
}

TEST(GzipDecoder, RecordOverMembersIsOneRun) {
  const std::string text = record(5000, 1);
  const std::string stored =
      member(text.substr(0, 7)) + member(text.substr(7, 2000)) + member(text.substr(2007));
  expect_text_by_all_ways(stored, text);
  EXPECT_THAT(decode(stored).runs, SizeIs(1));
}

TEST(GzipDecoder, EmptyMembersGiveNothingButANote) {
  const std::string stored = member("") + member("WARC/1.0") + member("", 0) + member("") +
                             member("WARC/1.1") + member("");
  expect_text_by_all_ways(stored, "WARC/1.0WARC/1.1");
  EXPECT_THAT(decode(stored).codes, Each("empty-member"));
}

TEST(GzipDecoder, NulPaddingIsPassedOver) {
  const std::string stored =
      member("WARC/1.0") + std::string(1000, '\0') + member("WARC/1.1") + std::string(3, '\0');
  expect_text_by_all_ways(stored, "WARC/1.0WARC/1.1");
  EXPECT_THAT(decode(stored).codes, ElementsAre("nul-padding", "nul-padding"));
  EXPECT_THAT(decode(stored).runs, SizeIs(1));
}

TEST(GzipDecoder, GarbageBetweenMembersIsAGap) {
  const std::string stored =
      member("WARC/1.0") + "garbage \x1f\x8b\x08 of " + std::string(100, '?') + member("WARC/1.1");
  expect_text_by_all_ways(stored, "WARC/1.0WARC/1.1");
  const Decoded result = decode(stored);
  EXPECT_THAT(result.runs, ElementsAre("WARC/1.0", "WARC/1.1"));
  EXPECT_THAT(result.codes, ElementsAre("resync"));
  EXPECT_THAT(result.code_offsets, ElementsAre(member("WARC/1.0").size()));
}

TEST(GzipDecoder, GarbageBehindTheLastMemberIsReported) {
  const Decoded result = decode(member("WARC/1.0") + "garbage");
  EXPECT_EQ(result.all(), "WARC/1.0");
  EXPECT_THAT(result.codes, ElementsAre("trailing-garbage"));
}

TEST(GzipDecoder, RecordsStoredPlainBehindMembersAreGiven) {
  const std::string compressed = member("WARC/1.0\r\n\r\n\r\n");
  const std::string plain = record(1000, 5);
  expect_text_by_all_ways(compressed + plain, "WARC/1.0\r\n\r\n\r\n" + plain);
  auto decoder = *gzip_codec().decode(mapped(compressed + plain), {.probe = kProbe});
  ASSERT_EQ(decoder->skip(14 + 10).value_or(0), 24U);
  ASSERT_TRUE(decoder->peek(1).has_value());
  EXPECT_EQ(decoder->place(), (Place{compressed.size() + 10, 0}));
}

TEST(GzipDecoder, MembersBehindRecordsStoredPlainAreGiven) {
  const std::string first = member("WARC/1.0\r\n\r\n\r\n"), plain = record(1000, 5);
  const std::string last = member(record(300, 6));
  const std::string stored = first + plain + last + plain + last;
  expect_text_by_all_ways(stored,
                          "WARC/1.0\r\n\r\n\r\n" + plain + record(300, 6) + plain + record(300, 6));
  auto decoder = *gzip_codec().decode(mapped(stored), {.probe = kProbe});
  ASSERT_EQ(decoder->skip(14 + plain.size() + 10).value_or(0), 24 + plain.size());
  ASSERT_TRUE(decoder->peek(1).has_value());
  EXPECT_EQ(decoder->place(), (Place{first.size() + plain.size(), 10}));
  EXPECT_EQ(decoder->state(decoder->place()), "");
}

TEST(GzipDecoder, MemberCutAnywhereGivesAPrefixAndAFinding) {
  const std::string first = member("WARC/1.0\r\n"), text = record(300, 1);
  const std::string stored = first + member(text);
  for (std::size_t n = first.size() + 1; n < stored.size(); ++n) {
    const std::string cut = stored.substr(0, n);
    for (const Decoded& result : {decode(cut), decode(cut, {.skim = true}), decode_piped(cut)}) {
      ASSERT_TRUE(("WARC/1.0\r\n" + text).starts_with(result.all())) << n;
      ASSERT_THAT(result.codes, ElementsAre("truncated-member")) << n;
      ASSERT_EQ(result.error, "") << n;
      ASSERT_EQ(result.stored, n);
    }
  }
}

TEST(GzipDecoder, WrongChecksumIsReportedAndTheContentGiven) {
  const std::string text = record(300, 1);
  const std::string stored =
      header() + deflated(text) + le32(crc_of(text) ^ 1) + le32(text.size()) + member("WARC/1.1");
  expect_text_by_all_ways(stored, text + "WARC/1.1");
  EXPECT_THAT(decode(stored).codes, ElementsAre("member-crc"));
  EXPECT_THAT(decode_piped(stored).codes, ElementsAre("member-crc"));
}

TEST(GzipDecoder, WrongSizeIsReportedAndTheContentGiven) {
  const std::string text = record(300, 1);
  const std::string stored =
      header() + deflated(text) + le32(crc_of(text)) + le32(text.size() + 1) + member("WARC/1.1");
  expect_text_by_all_ways(stored, text + "WARC/1.1");
  EXPECT_THAT(decode(stored).codes, ElementsAre("member-isize"));
}

TEST(GzipDecoder, AllHeaderFieldsArePassedOver) {
  std::string head = header(4 | 8 | 16) + std::string("\x40\x9c", 2) + std::string(40000, 'e') +
                     "name" + '\0' + "comment" + '\0';
  const std::string stored = head + deflated("WARC/1.0") + trailer("WARC/1.0") + member("WARC/1.1");
  expect_text_by_all_ways(stored, "WARC/1.0WARC/1.1");
}

TEST(GzipDecoder, DataThatBreaksOffIsDamageAndTheNextMemberIsFound) {
  const std::string text = record(5000, 1);
  // A stored block, then a block of the reserved type.
  const std::string damaged =
      header() + std::string("\0\x64\0\x9b\xff", 5) + text.substr(0, 100) + "\x07 and no more";
  const std::string stored = damaged + member("WARC/1.1");
  const Decoded result = decode(stored);
  EXPECT_THAT(result.runs, ElementsAre(text.substr(0, 100), "WARC/1.1"));
  EXPECT_THAT(result.codes, ElementsAre("member-damaged"));
  EXPECT_EQ(decode(stored, {.skim = true}).runs, result.runs);
}

// A stored block whose length reaches over the members behind.
std::string swallowing_member(std::size_t length) {
  const auto low = static_cast<char>(length & 0xff), high = static_cast<char>(length >> 8);
  return header() +
         std::string{'\x01', low, high, static_cast<char>(~low), static_cast<char>(~high)} +
         "WARC/1.0 swallows";
}

TEST(GzipDecoder, MemberThatSeemsToReachOverOthersDoesNotHideThem) {
  const std::string stored = swallowing_member(100) + member(record(300, 1)) + member("WARC/1.1");
  for (const Decoded& result : {decode(stored), decode(stored, {.skim = true})}) {
    EXPECT_TRUE(result.all().ends_with(record(300, 1) + "WARC/1.1"));
    EXPECT_THAT(result.codes, Contains("member-damaged"));
  }
}

TEST(GzipDecoder, MemberThatSeemsToReachOverTheEndDoesNotHideOthers) {
  const std::string stored = swallowing_member(60000) + member(record(300, 1)) + member("WARC/1.1");
  for (const Decoded& result : {decode(stored), decode(stored, {.skim = true})}) {
    EXPECT_TRUE(result.all().ends_with(record(300, 1) + "WARC/1.1"));
    EXPECT_THAT(result.codes, Contains("member-damaged"));
  }
}

// Bytes are gone, so that the data ends just where the file does, or within 8 bytes of its end.
TEST(GzipDecoder, MemberThatEndsWithTheFileDoesNotHideOthers) {
  const std::string behind = member(record(300, 1)) + member("WARC/1.1");
  const std::string_view start = "WARC/1.0 swallows";
  for (const std::size_t left : {0U, 1U, 7U}) {
    const std::string stored = swallowing_member(start.size() + behind.size() - left) + behind;
    for (const Decoded& result : {decode(stored), decode(stored, {.skim = true})}) {
      EXPECT_TRUE(result.all().ends_with(record(300, 1) + "WARC/1.1")) << left;
      EXPECT_THAT(result.codes, Contains("member-damaged"));
      EXPECT_THAT(result.codes, Not(Contains("truncated-member")));
    }
  }
}

TEST(GzipDecoder, HeaderThatAsksForMoreThanThereIsDoesNotHideOthers) {
  const std::string stored =
      header(4) + "\xff\xff" + deflated("WARC/1.0") + trailer("WARC/1.0") + member("WARC/1.1");
  const Decoded result = decode(stored);
  EXPECT_EQ(result.all(), "WARC/1.1");
  EXPECT_THAT(result.codes, SizeIs(1));
}

TEST(GzipDecoder, FindingsDoNotGatherWithoutBound) {
  std::string stored = member("WARC/1.0");
  const std::string padded = member("") + std::string(1, '\0');
  for (int i = 0; i < 100000; ++i) {
    stored += padded;
  }
  EXPECT_LE(decode(stored).codes.size(), std::size_t{1} << 16);
}

// Peeks at the first record of `stored` and asks for the end of its unit.
struct Skim {
  std::unique_ptr<Decoder> decoder;
  bool done = false;
};
Skim skim_first(const std::string& stored, std::uint64_t inner_end, DecodeOptions options = {}) {
  options.skim = true;
  options.probe = kProbe;
  Skim result{*gzip_codec().decode(mapped(stored), options), false};
  EXPECT_TRUE(result.decoder->peek(1).has_value());
  result.done = result.decoder->skim_unit(inner_end).value_or(false);
  return result;
}
std::string rest_of(Decoder& decoder) {
  std::string text;
  while (true) {
    const auto shown = decoder.peek(1);
    if (!shown || shown->empty()) {
      return text;
    }
    text += as_text(*shown);
    decoder.consume(shown->size());
  }
}

TEST(GzipSkimming, GoesToTheNextMemberWithoutDecoding) {
  const std::string a = record(50000, 1), b = record(400, 2);
  Skim skim = skim_first(member(a) + member(b), a.size());
  ASSERT_TRUE(skim.done);
  EXPECT_EQ(skim.decoder->stored_position(), member(a).size());
  ASSERT_TRUE(skim.decoder->peek(1).has_value());
  EXPECT_EQ(skim.decoder->place(), (Place{member(a).size(), 0}));
  EXPECT_EQ(rest_of(*skim.decoder), b);
}

TEST(GzipSkimming, FindsTheEndOfTheLastMember) {
  const std::string a = record(50000, 1);
  Skim skim = skim_first(member(a), a.size());
  EXPECT_TRUE(skim.done);
  EXPECT_EQ(rest_of(*skim.decoder), "");
  EXPECT_EQ(skim.decoder->stored_position(), member(a).size());
}

TEST(GzipSkimming, WrongEndChangesNothing) {
  const std::string a = record(50000, 1), b = record(400, 2);
  Skim skim = skim_first(member(a) + member(b), a.size() - 1);
  ASSERT_FALSE(skim.done);
  EXPECT_EQ(rest_of(*skim.decoder), a + b);
}

TEST(GzipSkimming, LaterMemberOfTheExpectedSizeIsNotTakenForTheEnd) {
  const std::string a = record(2000, 1), b = record(100, 2), c = record(2002, 3),
                    d = record(100, 4);
  Skim skim = skim_first(member(a) + member(b) + member(c) + member(d), c.size());
  ASSERT_FALSE(skim.done) << "b and c would be lost";
  EXPECT_EQ(rest_of(*skim.decoder), a + b + c + d);
}

TEST(GzipSkimming, LastMemberOfTheExpectedSizeIsNotTakenForTheEnd) {
  const std::string a = record(2000, 1), b = record(2002, 2);
  Skim skim = skim_first(member(a) + member(b), b.size());
  ASSERT_FALSE(skim.done) << "b would be lost";
  EXPECT_EQ(rest_of(*skim.decoder), a + b);
}

TEST(GzipSkimming, SevenBytesInAStoredBlockAreNotTakenForTheEnd) {
  std::string a = record(3000, 1);
  a.replace(1500, 12, le32(a.size()) + std::string("\x1f\x8b\x08\0\0\0\0\0", 8));
  const std::string b = record(400, 2);
  Skim skim = skim_first(member(a, 0) + member(b), a.size());
  EXPECT_TRUE(skim.done);
  EXPECT_EQ(rest_of(*skim.decoder), b);
}

TEST(GzipSkimming, SameSizeAsTheMemberBeforeDoesNotHideDamage) {
  const std::string a = record(300, 1), b = record(300, 2), c = record(300, 3);
  std::string broken = header() + std::string("\0\x0a\0\xf5\xff", 5) + b.substr(0, 10) + "\x07";
  broken += std::string(100, '?');
  auto decoder =
      *gzip_codec().decode(mapped(member(a) + broken + member(c)), {.skim = true, .probe = kProbe});
  ASSERT_EQ(decoder->skip(a.size()).value_or(0), a.size());
  ASSERT_TRUE(decoder->peek(10).has_value());
  ASSERT_EQ(decoder->place(), (Place{member(a).size(), 0}));
  EXPECT_FALSE(decoder->skim_unit(b.size()).value_or(true));
}

struct Hint {
  const char* name;
  std::int64_t stored;  // added to the right value
  std::int64_t decoded;
};

class GzipSkimmingHint : public testing::TestWithParam<Hint> {};

INSTANTIATE_TEST_SUITE_P(Hints, GzipSkimmingHint,
                         testing::Values(Hint{"Right", 0, 0}, Hint{"StoredTooSmall", -1, 0},
                                         Hint{"StoredTooLarge", 1, 0},
                                         Hint{"StoredFarTooLarge", 0xfff00000, 0},
                                         Hint{"DecodedTooSmall", 0, -1},
                                         Hint{"DecodedTooLarge", 0, 1}),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(GzipSkimmingHint, NeverLeadsAstray) {
  const std::string a = record(20000, 1), b = record(400, 2);
  const std::size_t size = member_with_sl(a, 0, 0).size();
  const std::string stored =
      member_with_sl(a, size + static_cast<std::uint64_t>(GetParam().stored),
                     a.size() + static_cast<std::uint64_t>(GetParam().decoded)) +
      member(b);
  Skim skim = skim_first(stored, a.size());
  EXPECT_TRUE(skim.done);
  EXPECT_EQ(rest_of(*skim.decoder), b);
  EXPECT_EQ(decode(stored).all(), a + b);
}

TEST(GzipSkimming, HintThatJumpsOverAMemberIsNotTaken) {
  const std::string a = record(20000, 1), b = record(400, 2), c = record(500, 3);
  const std::size_t jump = member_with_sl(a, 0, 0).size() + member(b).size();
  Skim skim = skim_first(member_with_sl(a, jump, a.size()) + member(b) + member(c), a.size());
  EXPECT_EQ(rest_of(*skim.decoder), skim.done ? b + c : a + b + c);
}

TEST(GzipSkimming, SkippingInsideGivesTheSameBytesAsReading) {
  const std::string a = record(70000, 1), b = record(400, 2);
  const std::string stored = member(a) + member(b), text = a + b;
  for (const std::size_t n :
       {0U, 1U, 255U, 256U, 257U, 65535U, 65536U, 65537U, 70009U, 70010U, 70011U}) {
    auto decoder = *gzip_codec().decode(mapped(stored), {.skim = true, .probe = kProbe});
    ASSERT_TRUE(decoder->peek(20).has_value());
    ASSERT_EQ(decoder->skip(n).value_or(~0U), n);
    EXPECT_TRUE(rest_of(*decoder) == text.substr(n)) << n;
  }
}

// The output is full just before the last symbols: bytes that the inflater has read ahead belong to
// the trailer.
TEST(GzipDecoder, MembersThatEndNearAPieceOfTheStreamAreWhole) {
  for (std::size_t size = (std::size_t{256} << 10) - 4; size <= (std::size_t{256} << 10) + 40;
       ++size) {
    const std::string text = "WARC/1.0\r\n" + sample_text(size - 10, size);
    const std::string stored = member(text) + member("WARC/1.1");
    const Decoded result = decode_piped(stored, 4096);
    ASSERT_THAT(result.codes, IsEmpty()) << size;
    ASSERT_TRUE(result.all() == text + "WARC/1.1") << size;
  }
}

TEST(GzipCodec, FindsTheFirstMemberThatBeginsARecord) {
  const std::string first = member(record(300, 1)), other = member("no record"),
                    second = member(record(300, 2));
  const std::string stored = first + other + member("") + second;
  const auto find = [&](std::uint64_t from, std::uint64_t to) {
    return gzip_codec().find_unit(as_bytes(stored), from, to, kProbe);
  };
  EXPECT_EQ(find(0, stored.size()), 0U);
  EXPECT_EQ(find(1, stored.size()), stored.size() - second.size());
  EXPECT_EQ(find(1, 50), 50U);
  EXPECT_EQ(find(stored.size(), stored.size()), stored.size());
}

}  // namespace
}  // namespace fonds::gzip
