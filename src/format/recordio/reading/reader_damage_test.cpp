// What the public reader gives of damaged files, and what it tells.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "format/recordio/reading/reader_test_support.hpp"

namespace fonds::recordio {
namespace {

using Texts = std::vector<std::string>;
constexpr std::uint64_t K = kChunkSize;

TEST(StrictReading, GivesTheItemsBeforeDamageAndThenTheSameErrorForEver) {
  const std::string file = hit(header() + body({"a", "b"}) + body({"c"}) + body({"d"}), 2 * K + 30);
  for (const unsigned threads : {1U, 3U}) {
    Reader reader = opened(file, {.threads = threads});
    Outcome read;
    read_rest(reader, read);
    EXPECT_EQ(read.texts(), (Texts{"a", "b"}));
    EXPECT_EQ(read.error, ErrorCode::Corrupt);
    EXPECT_EQ(read.error_at, 2 * K);
    Outcome again;
    read_rest(reader, again);
    EXPECT_TRUE(again.items.empty());
    EXPECT_EQ(again.error, ErrorCode::Corrupt);
    EXPECT_EQ(again.message, read.message);
  }
}

TEST(StrictReading, TooLargeItemEndsItForGood) {
  const std::string file = header() + body({"a", std::string(2000, 'b'), "c"}) + body({"d"});
  Reader reader = opened(file, {.max_item = 1000});
  Outcome read;
  read_rest(reader, read);
  EXPECT_EQ(read.texts(), Texts{"a"});
  EXPECT_EQ(read.error, ErrorCode::LimitExceeded);
  Outcome again;
  read_rest(reader, again);
  EXPECT_TRUE(again.items.empty());
  EXPECT_EQ(again.error, ErrorCode::LimitExceeded);
}

TEST(StrictReading, CutFileIsTruncated) {
  const std::string file = header() + body({"a"}) + body({std::string(50000, 'b')});
  for (const std::size_t left : {2 * K + 1, 2 * K + 32767, 3 * K, 3 * K + 5}) {
    const Outcome read = read_strictly(file.substr(0, left));
    EXPECT_EQ(read.texts(), Texts{"a"}) << left;
    EXPECT_EQ(read.error, ErrorCode::Truncated) << left;
    EXPECT_EQ(read.error_at, 2 * K) << left;
  }
}

struct Damaged {
  const char* name;
  std::string file;
  Texts items;
  Texts findings;
};
void PrintTo(const Damaged& damaged, std::ostream* out) { *out << damaged.name; }

std::string header_item(std::string_view item) {
  return block_of(Magic::Header, content_of({std::string(item)}));
}
const std::string kA = body({"a"}), kB = body({"b", "bb"});

class DamagedFiles : public testing::TestWithParam<Damaged> {};

TEST_P(DamagedFiles, GiveTheRestAndTellThePlaces) {
  const Outcome read = read_all(GetParam().file);
  EXPECT_FALSE(read.error) << read.message;
  EXPECT_EQ(read.texts(), GetParam().items);
  EXPECT_EQ(read.findings, GetParam().findings);
}

TEST_P(DamagedFiles, GiveTheSameOnSeveralThreads) {
  const Outcome read = read_all(GetParam().file, {.threads = 3});
  EXPECT_EQ(read.texts(), GetParam().items);
  EXPECT_EQ(read.findings, GetParam().findings);
}

TEST_P(DamagedFiles, EndStrictReadingAtTheFirstError) {
  std::string first;
  for (const std::string& finding : GetParam().findings) {
    const FindingRule* rule = find_rule(finding.substr(0, finding.find('@')));
    ASSERT_NE(rule, nullptr) << finding;
    if (first.empty() && rule->severity == Severity::Error) {
      first = finding;
    }
  }
  const Outcome read = read_strictly(GetParam().file);
  EXPECT_EQ(read.error.has_value(), !first.empty()) << read.message;
  if (!first.empty()) {
    EXPECT_EQ(fmt::format("{}", read.error_at.value_or(1)), first.substr(first.find('@') + 1));
    for (std::size_t i = 0; i < read.items.size(); ++i) {
      EXPECT_EQ(read.items[i].text, GetParam().items[i]);
    }
  }
}

TEST_P(DamagedFiles, GetGivesWhatNextGives) {
  const Outcome read = read_all(GetParam().file);
  Reader reader = opened(GetParam().file, {.on_finding = [](const Finding&) {}});
  for (const ReadItem& item : read.items) {
    const auto got = reader.get({item.block, item.number});
    ASSERT_TRUE(got.has_value()) << got.error().to_string();
    EXPECT_EQ(as_text(*got), item.text);
  }
}

std::string with_total(std::string file, std::size_t at, std::uint32_t total) {
  put_le32(file, at + 20, total);
  fix_crc(file, at);
  return file;
}

INSTANTIATE_TEST_SUITE_P(
    Body, DamagedFiles,
    testing::Values(
        Damaged{"none", header() + kA + kB, {"a", "b", "bb"}, {}},
        Damaged{"crc", hit(header() + kA + kB, K + 40), {"a", "b", "bb"}, {}},  // padding
        Damaged{"payload", hit(header() + kA + kB, K + 29), {"b", "bb"}, {"chunk-crc@32768"}},
        Damaged{"two",
                hit(hit(header() + kA + kB + kA, K + 29), 2 * K + 8),
                {"a"},
                {"chunk-crc@32768"}},
        Damaged{"two apart",
                hit(hit(header() + kA + kB + kA, K + 29), 3 * K + 8),
                {"b", "bb"},
                {"chunk-crc@32768", "chunk-crc@98304"}},
        Damaged{"magic", hit(header() + kA + kB, K), {"b", "bb"}, {"chunk-magic@32768"}},
        Damaged{
            "total 0", with_total(header() + kA + kB, K, 0), {"b", "bb"}, {"chunk-total@32768"}},
        Damaged{
            "total 2", with_total(header() + kA + kB, K, 2), {"b", "bb"}, {"chunk-sequence@32768"}},
        Damaged{"total 2^32-1",
                with_total(header() + kA + kB, K, 0xFFFFFFFF),
                {"b", "bb"},
                {"block-past-end@32768"}},
        Damaged{"2^62 items",
                header() + block_of(Magic::Packed, varint(std::uint64_t{1} << 62) + "abc") + kB,
                {"b", "bb"},
                {"item-count@32768"}},
        Damaged{
            "wrapping sum",
            header() +
                block_of(Magic::Packed, varint(2) + varint(~std::uint64_t{0}) + varint(4) + "abc") +
                kB,
            {"b", "bb"},
            {"block-size-mismatch@32768"}},
        Damaged{"no payload",
                header() + block_of(Magic::Packed, "") + kB,
                {"b", "bb"},
                {"varint-cut@32768"}},
        Damaged{"long varint",
                header() + block_of(Magic::Packed, std::string(11, '\x81')) + kB,
                {"b", "bb"},
                {"varint-long@32768"}},
        Damaged{"overlong varint",
                header() + block_of(Magic::Packed, std::string("\x81\x00\x01z", 4)) + kB,
                {"z", "b", "bb"},
                {"varint-overlong@32768"}},
        Damaged{"no items",
                header() + block_of(Magic::Packed, varint(0)) + kB,
                {"b", "bb"},
                {"block-without-items@32768"}},
        Damaged{"flag",
                header() + chunk(Magic::Packed, content_of({"a"}), 1, 0, 9) + kB,
                {"a", "b", "bb"},
                {"chunk-flag@32768"}},
        Damaged{"not full",
                header() + chunk(Magic::Packed, varint(1), 2, 0) +
                    chunk(Magic::Packed, varint(1) + "a", 2, 1) + kB,
                {"a", "b", "bb"},
                {"chunk-not-full@32768"}},
        Damaged{"cut in a chunk", header() + kA + kB.substr(0, 100), {"a"}, {"short-chunk@65536"}},
        Damaged{
            "deflate cut",
            header({"flate"}) +
                block_of(Magic::Packed, transformed({"flate"}, content_of({"aaaa"})).substr(0, 3)) +
                body({"b"}, {"flate"}),
            {"b"},
            {"transform-damaged@32768"}},
        Damaged{"deflate surplus",
                header({"flate"}) +
                    block_of(Magic::Packed, transformed({"flate"}, content_of({"aaaa"})) + "xyz") +
                    body({"b"}, {"flate"}),
                {"aaaa", "b"},
                {"transform-surplus@32768"}},
        Damaged{
            "zstd invalid",
            header({"zstd"}) + block_of(Magic::Packed, "nothing of zstd") + body({"b"}, {"zstd"}),
            {"b"},
            {"transform-damaged@32768"}}),
    [](const auto& tested) { return "case" + std::to_string(tested.index); });

INSTANTIATE_TEST_SUITE_P(
    Header, DamagedFiles,
    testing::Values(
        Damaged{"gone", kA + kB, {"a", "b", "bb"}, {"no-header-block@0"}},
        Damaged{"magic", hit(header() + kA + kB, 0), {"a", "b", "bb"}, {"chunk-magic@0"}},
        Damaged{"crc", hit(header() + kA + kB, 9), {"a", "b", "bb"}, {"chunk-crc@0"}},
        Damaged{"guess flate",
                hit(header({"flate"}), 9) + body({"a"}, {"flate"}),
                {"a"},
                {"chunk-crc@0"}},
        Damaged{
            "guess zstd", hit(header({"zstd"}), 9) + body({"a"}, {"zstd"}), {"a"}, {"chunk-crc@0"}},
        Damaged{"guess each",
                body({"z"}, {"zstd"}) + body({"f"}, {"flate"}) + kA,
                {"z", "f", "a"},
                {"no-header-block@0"}},
        Damaged{"no item", block_of(Magic::Header, varint(0)) + kA, {"a"}, {"header-damaged@0"}},
        Damaged{"two items",
                block_of(Magic::Header, content_of({"\x03\x00", "x"})) + kA,
                {"a"},
                {"header-damaged@0"}},
        Damaged{"type", header_item("\x03\x01\x04\x03\x01k\x05") + kA, {"a"}, {"header-damaged@0"}},
        Damaged{
            "cut", header_item("\x03\x02\x04\x03\x01k\x01\x01") + kA, {"a"}, {"header-damaged@0"}},
        Damaged{"string",
                header_item("\x03\x01\x04\x03\x7fk\x01\x01") + kA,
                {"a"},
                {"header-damaged@0"}},
        Damaged{"count", header_item("\x02\x01") + kA, {"a"}, {"header-damaged@0"}},
        Damaged{"table",
                block_of(Magic::Header, "\x01\x7f\x03") + kA,
                {"a"},
                {"block-size-mismatch@0"}},
        Damaged{"surplus",
                header_item(std::string("\x03\x00xyz", 5)) + kA,
                {"a"},
                {"header-surplus@0"}},
        Damaged{"transformer is no string",
                header_of({{"transformer", Value(true)}}) + body({"a"}, {"zstd"}),
                {"a"},
                {"transformer-not-string@0"}},
        Damaged{"second",
                header() + kA + header({"zstd"}) + body({"z"}, {"zstd"}),
                {"a", "z"},
                {"second-header@65536"}},
        Damaged{"only a piece", header().substr(0, 500), {}, {"short-chunk@0"}}),
    [](const auto& tested) { return "case" + std::to_string(tested.index); });

INSTANTIATE_TEST_SUITE_P(
    Trailer, DamagedFiles,
    testing::Values(Damaged{"good", header({}, true) + kA + trailer_block("t"), {"a"}, {}},
                    Damaged{"missing", header({}, true) + kA, {"a"}, {"trailer-missing@65536"}},
                    Damaged{"unannounced",
                            header() + kA + trailer_block("t"),
                            {"a"},
                            {"trailer-unannounced@65536"}},
                    Damaged{"items",
                            header({}, true) + block_of(Magic::Trailer, content_of({"x", "y"})),
                            {},
                            {"trailer-items@32768"}},
                    Damaged{"data behind",
                            header({}, true) + trailer_block("t") + kA,
                            {},
                            {"data-behind-trailer@65536"}},
                    Damaged{"bytes behind",
                            header({}, true) + kA + trailer_block("t") + "x",
                            {"a"},
                            {"data-behind-trailer@98304"}},
                    Damaged{"table",
                            header({}, true) + kA + block_of(Magic::Trailer, "\x01\x7f"),
                            {"a"},
                            {"block-size-mismatch@65536"}}),
    [](const auto& tested) { return "case" + std::to_string(tested.index); });

INSTANTIATE_TEST_SUITE_P(
    Legacy, DamagedFiles,
    testing::Values(
        Damaged{"good",
                plain_record("a") + packed_record({"b", ""}) + plain_record(""),
                {"a", "b", "", ""},
                {}},
        Damaged{"length",
                hit(plain_record("aa") + plain_record("b"), 8),
                {"b"},
                {"record-header-crc@0"}},
        Damaged{"table crc",
                plain_record("a") + hit(packed_record({"b", "c"}), 20) + plain_record("d"),
                {"a", "d"},
                {"record-table-crc@21"}},
        Damaged{"no items",
                plain_record("a") + packed_record({}) + plain_record("d"),
                {"a", "d"},
                {"record-without-items@21"}},
        Damaged{"slack",
                plain_record("a") + packed_payload(packed_record({"b"}).substr(20) + "slack"),
                {"a", "b"},
                {"record-slack@21"}},
        Damaged{"short",
                plain_record("a") + packed_payload(packed_record({"bcd"}).substr(20, 8)) +
                    plain_record("d"),
                {"a", "d"},
                {"record-items-too-long@21"}},
        Damaged{"no room for a table",
                plain_record("a") + packed_payload("xy") + plain_record("d"),
                {"a", "d"},
                {"varint-cut@21"}},
        Damaged{
            "cut", plain_record("a") + plain_record("bcd").substr(0, 22), {"a"}, {"record-cut@21"}},
        Damaged{"cut header",
                plain_record("a") + plain_record("bcd").substr(0, 5),
                {"a"},
                {"record-short-header@21"}}),
    [](const auto& tested) { return "case" + std::to_string(tested.index); });

TEST(Damage, CutAtEveryByteOfASmallFileGivesWhatIsWhole) {
  const std::string file = plain_record("a") + packed_record({"b", "c"}) + plain_record("dd");
  const std::vector<std::pair<std::size_t, std::size_t>> borders = {
      {0, 0}, {21, 1}, {50, 3}, {72, 4}};
  ASSERT_EQ(file.size(), 72U);
  for (std::size_t left = 1; left < file.size(); ++left) {
    const Outcome read = read_all(file.substr(0, left));
    std::size_t whole = 0;
    bool at_border = false;
    for (const auto& [end, items] : borders) {
      whole = left >= end ? items : whole;
      at_border = at_border || left == end;
    }
    if (left < 21) {
      EXPECT_TRUE(read.items.empty());
      continue;
    }
    EXPECT_EQ(read.items.size(), whole) << left;
    EXPECT_EQ(read.findings.empty(), at_border) << left;
  }
}

TEST(Damage, CutAtEveryChunkBorderOrBesideIt) {
  const std::string file = header() + body({"a"}) + body({std::string(70000, 'b')}) + body({"c"});
  for (std::size_t border = K; border < file.size(); border += K) {
    for (const std::size_t left : {border - 1, border, border + 1}) {
      const Outcome read = read_all(file.substr(0, left));
      const std::size_t whole = left >= 5 * K ? 2U : left >= 2 * K ? 1U : 0U;
      const bool at_border = left == K || left == 2 * K || left == 5 * K;
      EXPECT_EQ(read.items.size(), whole) << left;
      EXPECT_EQ(read.findings.size(), at_border ? 0U : 1U) << left;
      EXPECT_TRUE(read_all(as_pipe(file.substr(0, left))).items == read.items) << left;
    }
  }
}

class BytesAmiss : public testing::TestWithParam<int> {};

TEST_P(BytesAmiss, LoseNoBlock) {
  std::string file = header() + body({"a"}) + body({"b"}) + body({"c"});
  const std::size_t at = K + 100;
  if (GetParam() < 0) {
    file.erase(at, static_cast<std::size_t>(-GetParam()));
  } else {
    file.insert(at, static_cast<std::size_t>(GetParam()), '!');
  }
  const Outcome read = read_all(file);
  // What is amiss lies in the padding of a's only chunk; where bytes are lost, the beginning of b
  // takes their place.
  EXPECT_EQ(read.texts(), (Texts{"a", "b", "c"}));
  EXPECT_EQ(read.findings.size(), 1U);
  Reader reader = opened(file, {.on_finding = [](const Finding&) {}});
  for (const ReadItem& item : read.items) {
    const auto got = reader.get({item.block, item.number});
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(as_text(*got), item.text);
  }
  EXPECT_LT(read_all(file, {.search_bytes = false}).items.size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(All, BytesAmiss, testing::Values(-1000, -1, 1, 5, 32767),
                         [](const auto& tested) { return "case" + std::to_string(tested.index); });

TEST(Damage, BehindATrailerIsReadOnlyWhenAskedFor) {
  const std::string file = header({}, true) + kA + trailer_block("t") + kB;
  EXPECT_EQ(read_all(file).texts(), Texts{"a"});
  const Outcome on = read_all(file, {.behind_trailer = true});
  EXPECT_EQ(on.texts(), (Texts{"a", "b", "bb"}));
  EXPECT_EQ(on.findings, Texts{"data-behind-trailer@98304"});
  EXPECT_EQ(read_all(as_pipe(file), {.behind_trailer = true}).texts(), on.texts());
}

TEST(Damage, BlockWhoseMagicTurnsIntoATrailersIsTold) {
  std::string file = header() + kA + kB + kA;
  file.replace(2 * K, 8, magic_bytes(Magic::Trailer));
  const Outcome read = read_all(file);
  EXPECT_EQ(read.texts(), Texts{"a"});
  EXPECT_EQ(read.findings, (Texts{"trailer-unannounced@65536", "trailer-items@65536",
                                  "data-behind-trailer@98304"}));
  EXPECT_EQ(read_all(file, {.behind_trailer = true}).texts(), (Texts{"a", "a"}));
}

}  // namespace
}  // namespace fonds::recordio
