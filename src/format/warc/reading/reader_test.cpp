// The reader of the WARC family against records that lie about their length, limits, and readers
// that begin anywhere.
#include "format/warc/reading/reader.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <fonds/format.hpp>

#include "codec/gzip/testing.hpp"
#include "codec/testing.hpp"

namespace fonds::warc {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing_codec::mapped;
using testing_codec::piped;
using testing_codec::sample_text;
using testing_gzip::member;

// The defaults but for what `set` sets.
template <typename Set>
ReadOptions with(const Set& set) {
  ReadOptions options;
  set(options);
  return options;
}

struct Read {
  std::vector<std::string> blocks;
  std::vector<std::string> codes;  // of records
  std::vector<std::string> loose;
  std::vector<std::optional<std::uint64_t>> lengths;
  std::vector<std::uint64_t> trailing;
  std::vector<Place> places;
  std::string closing;  // of the last record
  std::string error;
  Place end;
  std::string state;
};

Read read(const Archive& archive, const ReadOptions& options = {}) {
  Read result;
  auto opened = archive.format->open(archive, options);
  if (!opened) {
    result.error = opened.error().message();
    return result;
  }
  RecordReader& reader = **opened;
  while (true) {
    const auto record = reader.next();
    for (const Finding& finding : reader.take_loose_findings()) {
      result.loose.emplace_back(finding.code);
    }
    if (!record || *record == nullptr) {
      result.error = record ? "" : record.error().message();
      break;
    }
    result.places.push_back((*record)->place);
    std::string block;
    for (auto piece = reader.peek_block(1); !options.skim && piece && !piece->empty();
         piece = reader.peek_block(1)) {
      block.append(as_text(*piece).substr(0, 1000));
      reader.consume_block(piece->size());
    }
    result.blocks.push_back(std::move(block));
    const auto end = reader.finish();
    if (!end) {
      result.error = end.error().message();
      break;
    }
    for (const Finding& finding : end->findings) {
      result.codes.emplace_back(finding.code);
    }
    result.lengths.push_back(end->length);
    result.trailing.push_back(end->trailing);
    result.closing = end->closing;
  }
  result.end = reader.end_place();
  result.state = reader.state();
  return result;
}

Read read(const std::string& stored, const ReadOptions& options = {}) {
  return read(*open_archive(mapped(stored)), options);
}

// A record that says it has `length` octets.
std::string record(const std::string& length, const std::string& block,
                   const std::string& closing = "\r\n\r\n") {
  return "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:1>\r\nWARC-Date: "
         "2020-01-01T00:00:00Z\r\n" +
         length + "\r\n" + block + closing;
}
std::string says(const std::string& value) { return "Content-Length: " + value + "\r\n"; }
std::string good(const std::string& block) {
  return record(says(std::to_string(block.size())), block);
}

struct Case {
  const char* name;
  std::string stored;
  std::vector<std::string> blocks;
  std::vector<std::string> codes;
};
std::ostream& operator<<(std::ostream& out, const Case& tested) { return out << tested.name; }

const std::string kBad = "bad-length";

class WarcLengths : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Cases, WarcLengths,
    testing::Values(
        Case{"Right", good("one") + good("two"), {"one", "two"}, {}},
        Case{"Zero", good("") + good("two"), {"", "two"}, {}},
        Case{"TrailersMissing",
             record(says("3"), "one", "") + good("two"),
             {"one", "two"},
             {"trailer-missing"}},
        Case{"OneTrailer",
             record(says("3"), "one", "\r\n") + good("two"),
             {"one", "two"},
             {"trailer-missing"}},
        Case{"NoTrailerAtTheEnd", record(says("3"), "one", ""), {"one"}, {"trailer-missing"}},
        Case{"SurplusTrailers",
             record(says("3"), "one", "\r\n\r\n\n\r\n\n") + good("two"),
             {"one", "two"},
             {}},
        Case{
            "LineFeedTrailers", record(says("3"), "one", "\n\n") + good("two"), {"one", "two"}, {}},
        Case{"TooShort",
             record(says("1"), "one") + good("two"),
             {"o", "two"},
             {"resync-short", "length-suspect"}},
        Case{"TooLong",
             record(says("9"), "one") + good("two") + good("three"),
             {"one\r\n\r\nWA", "three"},
             {"resync", "length-suspect"}},
        Case{"Huge", record(says("99999999999"), "one") + good("two"), {}, {"truncated-block"}},
        Case{"Largest",
             record(says("18446744073709551615"), "one") + good("two"),
             {},
             {"truncated-block"}},
        Case{"TooLargeForANumber",
             record(says("18446744073709551616"), "") + good("two"),
             {"", "two"},
             {kBad}},
        Case{"Negative", record(says("-3"), "") + good("two"), {"", "two"}, {kBad}},
        Case{"Text", record(says("three"), "") + good("two"), {"", "two"}, {kBad}},
        Case{"LeadingZerosAndBlanks",
             record(says("  0003 "), "one") + good("two"),
             {"one", "two"},
             {}},
        Case{"TwiceEqual",
             record(says("3") + says("3"), "one") + good("two"),
             {"one", "two"},
             {"duplicate-field"}},
        Case{"TwiceFirstRight",
             record(says("3") + says("5"), "one") + good("two"),
             {"one", "two"},
             {"duplicate-length-differs"}},
        Case{"TwiceSecondRight",
             record(says("20") + says("3"), "one") + good("two"),
             {"one", "two"},
             {"duplicate-length-differs"}},
        Case{"CutByTheEnd", record(says("9"), "one", ""), {"one"}, {"truncated-block"}},
        Case{"GarbageBetween",
             good("one") + "garbage" + good("two"),
             {"one", "two"},
             {"resync-short"}},
        Case{"GarbageAfter", good("one") + "garbage", {"one"}, {"trailing-garbage"}}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(WarcLengths, GiveTheBlocksThatTheyShould) {
  const Read result = read(GetParam().stored);
  EXPECT_EQ(result.error, "");
  if (!GetParam().blocks.empty()) {
    EXPECT_EQ(result.blocks, GetParam().blocks);
  }
  for (const std::string& code : GetParam().codes) {
    EXPECT_THAT(result.codes, Contains(code));
  }
  if (GetParam().codes.empty()) {
    EXPECT_THAT(result.codes, IsEmpty());
  }
}

TEST_P(WarcLengths, GiveTheSameFromAPipe) {
  const Read file = read(GetParam().stored),
             pipe = read(*open_archive(piped(GetParam().stored, 5)));
  EXPECT_EQ(pipe.blocks, file.blocks);
  EXPECT_EQ(pipe.codes, file.codes);
  EXPECT_EQ(pipe.error, file.error);
}

TEST_P(WarcLengths, GiveTheSameWhenSkimming) {
  const Read full = read(GetParam().stored),
             skimmed = read(GetParam().stored, with([&](ReadOptions& o) { o.skim = true; }));
  EXPECT_EQ(skimmed.places, full.places);
  EXPECT_EQ(skimmed.lengths, full.lengths);
}

TEST(WarcReader, MissingLengthEndsTheBlockBeforeTheNextRecord) {
  const Read result = read(record("", "one") + good("two"));
  EXPECT_THAT(result.blocks, ElementsAre("one", "two"));
}

TEST(WarcReader, MissingLengthEndsTheBlockWithItsMember) {
  const Read result = read(member(record("", "one")) + member(good("two")));
  EXPECT_EQ(result.blocks.size(), 2U);
  EXPECT_TRUE(result.blocks[0].starts_with("one"));
}

TEST(WarcReader, SearchingDamagedBlocksFindsTheSwallowedRecord) {
  const std::string stored =
      record(says("400"), "one") + good("two") + good(sample_text(500)) + good("four");
  EXPECT_THAT(read(stored, with([&](ReadOptions& o) { o.search_damaged = true; })).blocks,
              ElementsAre("one", "two", sample_text(500), "four"));
}

TEST(WarcReader, HeaderOverItsLimitIsPassedOver) {
  const std::string large =
      record("X-Large: " + std::string(3000, 'x') + "\r\n" + says("3"), "one");
  const Read result =
      read(good("zero") + large + good("two"), with([&](ReadOptions& o) { o.max_header = 2000; }));
  EXPECT_THAT(result.blocks, ElementsAre("zero", "two"));
  EXPECT_THAT(result.loose, Contains("header-too-long"));
  EXPECT_THAT(read(large + good("two"), with([&](ReadOptions& o) { o.max_header = 8000; })).blocks,
              ElementsAre("one", "two"));
}

TEST(WarcReader, HeaderLargerThanMemoryAllowsIsPassedOver) {
  const std::string large =
      member(record("X-Large: " + std::string(2000000, 'x') + "\r\n" + says("3"), "one"));
  const Read result = read(member(good("zero")) + large + member(good("two")),
                           with([&](ReadOptions& o) { o.memory_budget = std::uint64_t{1} << 20; }));
  EXPECT_EQ(result.error, "");
  ASSERT_FALSE(result.blocks.empty());
  EXPECT_EQ(result.blocks.back(), "two");
}

TEST(WarcReader, ClosingOfManyLineEndsIsBounded) {
  const Read result = read(good("one") + std::string(1000000, '\n'));
  EXPECT_THAT(result.trailing, ElementsAre(1000004));
  EXPECT_LE(result.closing.size(), std::size_t{64} << 10);
}

TEST(WarcReader, BombIsStreamedWithinItsBudget) {
  // 64 MiB of zeros in a member of 64 KiB, 64 MiB being much more than the budget.
  const std::string stored =
      member(good(std::string(std::size_t{64} << 20, '\0'))) + member(good("two"));
  const Read result =
      read(stored, with([&](ReadOptions& o) { o.memory_budget = std::uint64_t{4} << 20; }));
  EXPECT_EQ(result.error, "");
  ASSERT_EQ(result.lengths.size(), 2U);
  EXPECT_EQ(result.lengths[0], std::uint64_t{64} << 20);
  EXPECT_EQ(result.blocks[1], "two");
  EXPECT_THAT(result.codes, IsEmpty());
}

TEST(WarcReader, RecordsOfEverySizeFitAnyBudget) {
  std::string stored;
  std::vector<std::optional<std::uint64_t>> lengths;
  for (std::size_t size = 1; size < (std::size_t{8} << 20); size *= 5) {
    stored += member(good(sample_text(size)));
    lengths.emplace_back(size);
  }
  for (const unsigned log : {20U, 21U, 23U, 26U}) {
    const Read result = read(stored, with([&](ReadOptions& o) {
                               o.memory_budget = std::uint64_t{1} << log;
                               o.http = true;
                             }));
    EXPECT_EQ(result.error, "") << log;
    EXPECT_EQ(result.lengths, lengths) << log;
  }
}

TEST(WarcReader, DeclaredLengthAllocatesNothing) {
  const std::string stored = record(says("3221225472"), "one");
  for (const bool gz : {false, true}) {
    const Read result =
        read(gz ? member(stored) : stored,
             with([&](ReadOptions& o) { o.memory_budget = std::uint64_t{1} << 20; }));
    EXPECT_EQ(result.error, "");
    EXPECT_THAT(result.codes, Contains("truncated-block"));
    EXPECT_THAT(result.lengths, ElementsAre(7));
  }
}

TEST(WarcReader, StopAtDeliversWhatBeginsBefore) {
  const std::string a = good("one"), b = good("two"), c = good("three");
  for (const std::uint64_t stop : {a.size() - 1, a.size(), a.size() + 1, a.size() + b.size()}) {
    const Read first = read(a + b + c, with([&](ReadOptions& o) { o.stop_at = stop; }));
    const std::size_t n = stop <= a.size() ? 1 : 2;
    EXPECT_EQ(first.blocks.size(), n) << stop;
    EXPECT_EQ(first.end, (Place{n == 1 ? a.size() : a.size() + b.size(), 0})) << stop;
  }
}

TEST(WarcReader, StartInsideAUnitBeginsWithTheRecordThere) {
  const std::string stored = member(good("one") + good("two") + good("three"));
  const Read result = read(stored, with([&](ReadOptions& o) {
                             o.start = 0;
                             o.start_inner = good("one").size();
                           }));
  EXPECT_THAT(result.blocks, ElementsAre("two", "three"));
  EXPECT_EQ(result.places.at(0), (Place{0, good("one").size()}));
}

TEST(WarcReader, ArcIsReadOnFromTheMiddleWithItsState) {
  const std::string definition =
      "2 0 Somebody\nURL IP-address Archive-date Content-type Result-code Checksum Location Offset "
      "Filename "
      "Archive-length\n";
  const std::string filedesc =
      "filedesc://a.arc 0.0.0.0 20000101000000 text/plain 200 - - 0 a.arc " +
      std::to_string(definition.size()) + "\n" + definition + "\n";
  const auto arc_record = [](const std::string& url, const std::string& block) {
    return url + " 1.2.3.4 20000101000000 text/html 200 - - 0 a.arc " +
           std::to_string(block.size()) + "\n" + block + "\n";
  };
  const std::string first = filedesc + arc_record("http://a/", "one"),
                    second = arc_record("http://b/", "two");
  const Read whole = read(first + second);
  ASSERT_EQ(whole.blocks.size(), 3U);
  const Read front = read(first + second, with([&](ReadOptions& o) { o.stop_at = first.size(); }));
  EXPECT_EQ(front.end, (Place{first.size(), 0}));
  const Read back = read(first + second, with([&](ReadOptions& o) {
                           o.start = front.end.unit;
                           o.state = front.state;
                         }));
  EXPECT_THAT(back.blocks, ElementsAre("two"));
  EXPECT_EQ(back.state, whole.state);
  EXPECT_EQ(back.end, whole.end);
}

TEST(WarcReader, ErrorsOfFinishAreKept) {
  const auto archive =
      open_archive(piped(record(says("100000"), sample_text(100000)) + good("two"), 1000));
  ASSERT_TRUE(archive.has_value());
  auto reader =
      archive->format->open(*archive, with([&](ReadOptions& o) { o.memory_budget = 30000; }));
  ASSERT_TRUE(reader.has_value());
  const auto record_or_error = (*reader)->next();
  if (record_or_error) {
    const auto end = (*reader)->finish();
    if (!end) {
      EXPECT_FALSE((*reader)->next().has_value());
    }
  }
}

TEST(WarcReader, CancelledStopsBetweenRecords) {
  std::stop_source stop;
  const auto archive = open_archive(mapped(good("one") + good("two")));
  auto reader =
      archive->format->open(*archive, with([&](ReadOptions& o) { o.stop = stop.get_token(); }));
  ASSERT_TRUE((*reader)->next().has_value());
  stop.request_stop();
  EXPECT_EQ((*reader)->next().error().code(), ErrorCode::Cancelled);
  EXPECT_EQ((*reader)->next().error().code(), ErrorCode::Cancelled);
}

TEST(WarcReader, OddTrailersDoNotHideRecordsWhenSkimming) {
  // The first record lacks a line end, so its member is two octets shorter than expected; the third
  // has just that size.
  const std::string a = record(says("500"), sample_text(500), "\r\n"), b = good("two"),
                    c = good(sample_text(500, 2));
  ASSERT_EQ(c.size(), a.size() + 2);
  const std::string stored =
      member(good("zero")) + member(a) + member(b) + member(c) + member(good("four"));
  EXPECT_EQ(read(stored, with([&](ReadOptions& o) { o.skim = true; })).places, read(stored).places);
  EXPECT_EQ(read(stored).places.size(), 5U);
}

}  // namespace
}  // namespace fonds::warc
