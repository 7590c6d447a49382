#include <ostream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/grammar_test_support.hpp"

namespace fonds::warc {
namespace {

struct Found {
  std::size_t at = npos;
  std::size_t incomplete = 0;
};

Found search(std::string_view text, bool arc = false, bool whole = true, std::size_t from = 0,
             bool line_start = true) {
  Found found;
  found.at = find_record_start(as_bytes(text), from, line_start, arc, whole, found.incomplete);
  return found;
}

struct Case {
  std::string name;
  std::string text;
  std::size_t expected;
  bool arc = false;
  bool line_start = true;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
class FindRecordStart : public testing::TestWithParam<Case> {};

TEST_P(FindRecordStart, FindsWhatHasEvidence) {
  const auto& c = GetParam();
  EXPECT_EQ(search(c.text, c.arc, true, 0, c.line_start).at, c.expected);
}

// Fed in growing pieces, the search gives the same.
TEST_P(FindRecordStart, FindsTheSamePieceByPiece) {
  const auto& c = GetParam();
  std::size_t from = 0;
  std::size_t at = npos;
  for (std::size_t n = 1; n <= c.text.size() && at == npos; ++n) {
    const auto found = search(c.text.substr(0, n), c.arc, n == c.text.size(), from, c.line_start);
    at = found.at;
    ASSERT_GE(found.incomplete, from);
    from = found.incomplete;
  }
  EXPECT_EQ(at, c.expected);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, FindRecordStart,
    testing::Values(
        Case{"Nothing", "nothing here / at all", npos}, Case{"Empty", "", npos},
        Case{"Modern", "x\nWARC/1.0\r\nA: b\r\n\r\n", 2},
        Case{"ModernLowerCase", "x\nwarc/1.0\nA: b\n\n", 2},
        Case{"ModernMixedCase", "x\nwArC/1.0\nA: b\n\n", 2},
        Case{"ModernWithoutField", "x\nWARC/1.0\r\nno field\r\n", npos},
        Case{"ModernAtTheEnd", "x\nWARC/1.0\r\n", npos},
        Case{"ModernBehindText", "xWARC/1.0\r\nA: b\r\nWARC-Type: x\r\n\r\n", 1},
        Case{"ModernBehindTextWithoutEvidence", "xWARC/1.0\r\nA: b\r\n\r\nWARC-Type: x\r\n", npos},
        Case{"ModernNotAtALineStart", "WARC/1.0\r\nA: b\r\n\r\n", npos, false, false},
        Case{"MoreOnTheVersionLine", "WARC/1.0 is a format\r\nA: b\r\n", npos},
        Case{"Positional", "x warc/00.11 37 20070101000000 - w1\r\n", 2},
        Case{"PositionalUpperCase", "WARC/00.11 37 20070101000000 - W1\n", 0},
        Case{"PositionalWithoutLineEnd", "warc/00.11 37 20070101000000 - w1", npos},
        Case{"PositionalMention", "warc/00.11 is mentioned\r\n", npos},
        Case{"SecondToken", "warc/00.11 warc/00.11 37 20070101000000 - w1\n", 11},
        Case{"ArcNotAskedFor", "x\nhttp://a/ 192.0.2.1 20200102030406 text/html 54\n", npos},
        Case{"Arc", "x\nhttp://a/ 192.0.2.1 20200102030406 text/html 54\n", 2, true},
        Case{"ArcBehindText", "<p>http://a/ 192.0.2.1 20200102030406 text/html 54\n", npos, true},
        Case{"ArcWithTextLength", "http://a/ 192.0.2.1 20200102030406 text/html abc\n", npos, true},
        Case{"ArcVersion", "x\nfiledesc://a.arc 0.0.0.0 20200102030405 text/plain 65\n", 2, true},
        Case{"ModernInsideArc", "x\nhttp://a b\nzWARC/1.0\nWARC-Type: x\n\n", 14, true},
        Case{"LongLine",
             "warc/00.11 37 20070101000000 - w1 " + std::string(std::size_t{66} << 10U, ' ') + "\n",
             npos}),
    [](const auto& test) { return test.param.name; });

TEST(FindRecordStart, BeginsAtFrom) {
  const std::string text = "WARC/1.0\nA: b\n\nWARC/1.0\nA: b\n\n";
  EXPECT_EQ(search(text, false, true, 1).at, 15U);
  EXPECT_EQ(search(text, false, true, 15).at, 15U);
  EXPECT_EQ(search(text, false, true, 16).at, npos);
  EXPECT_EQ(search(text, false, true, 99).at, npos);
}

TEST(FindRecordStart, CutCandidateIsWhereToGoOn) {
  EXPECT_EQ(search("xx WA", false, false).incomplete, 3U);
  EXPECT_EQ(search("xx\nWARC/1.", false, false).incomplete, 3U);
  EXPECT_EQ(search("xx\nWARC/1.0\r\nWARC-Ty", false, false).incomplete, 3U);
  EXPECT_EQ(search("xx\nhttp://a/ 192.0", true, false).incomplete, 3U);
  EXPECT_EQ(search("xx y", false, false).incomplete, 4U);
  EXPECT_EQ(search("xx WA", false, true).incomplete, 5U);
}

TEST(FindRecordStart, DecoysOf11BadLengthsAreLeftToTheReader) {
  const auto data = read_fixture("0011/11-bad-lengths.warc");
  EXPECT_EQ(search(data, false, true, 176).at, 229U);
  EXPECT_EQ(search(data, false, true, 450).at, 487U);
  EXPECT_EQ(search(data, false, true, 674).at, 724U);
}

TEST(FindRecordStart, GarbageBetweenRecordsIsPassed) {
  const auto data = read_fixture("own/garbage-between.warc");
  EXPECT_EQ(search(data, true, true, 249).at, 266U);
  EXPECT_EQ(search(data, true, true, 267).at, 493U);
}

std::string repeated(std::string_view part, std::size_t size) {
  std::string text;
  while (text.size() < size) {
    text += part;
  }
  return text;
}

struct Hostile {
  std::string name;
  std::string part;
};
void PrintTo(const Hostile& c, std::ostream* out) { *out << c.name; }
class HostileData : public testing::TestWithParam<Hostile> {};

// Each of these would take hours if candidates were judged one by one up to the look-ahead.
TEST_P(HostileData, IsSearchedInLinearTime) {
  const auto text = repeated(GetParam().part, std::size_t{16} << 20U);
  EXPECT_EQ(search(text, false).at, npos);
  EXPECT_EQ(search(text, true).at, npos);
}

INSTANTIATE_TEST_SUITE_P(
    Parts, HostileData,
    testing::Values(Hostile{"Versions", "xWARC/1.0\n"}, Hostile{"Slashes", "/"},
                    Hostile{"Tokens", "WARC/"}, Hostile{"HeaderLines", "warc/00.11 1 1 a w1 "},
                    Hostile{"HeaderLineTokens", "warc/00.11 1 1 "}, Hostile{"Schemes", "a:\n"},
                    Hostile{"VersionsThenALongLine",
                            repeated("xWARC/1.0\n", 60000) + std::string(70000, ' ')}),
    [](const auto& test) { return test.param.name; });

struct Probe {
  std::string name;
  std::string head;
  bool expected;
};
void PrintTo(const Probe& c, std::ostream* out) { *out << c.name; }
class StartsRecord : public testing::TestWithParam<Probe> {};

TEST_P(StartsRecord, Tells) {
  EXPECT_EQ(starts_record(as_bytes(GetParam().head)), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    Heads, StartsRecord,
    testing::Values(
        Probe{"Modern", "WARC/1.0\r\nWARC-Type: x\r\n", true},
        Probe{"ModernAlone", "WARC/1.0\r\n", true},
        Probe{"ModernThenText", "WARC/1.0\r\nno field\r\n", false},
        Probe{"ModernThenBlank", "WARC/1.0\r\n\r\n", true},
        Probe{"LineEndsFirst", "\r\n\n\r\nWARC/1.0\r\nA: b\r\n", true},
        Probe{"Bom", "\xEF\xBB\xBFWARC/1.0\r\nA: b\r\n", true},
        Probe{"Positional", "warc/00.11 37 20070101000000 - w1\r\n", true},
        Probe{"OldDraft", "warc/0.9 12 response http://a/ 20060101000000 text/html x\n", false},
        Probe{"ArcVersion", "filedesc://a 0.0.0.0 20200102030405 text/plain 65\n", true},
        Probe{"ArcRecord", "http://a/ 192.0.2.1 20200102030406 text/html 54\n", true},
        Probe{"UrlAndWords", "http://a/ b c d 54\n", false},
        Probe{"OnlyLineEnds", "\r\n\r\n", false}, Probe{"Empty", "", false}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace fonds::warc
