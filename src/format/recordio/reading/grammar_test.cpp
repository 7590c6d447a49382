#include "format/recordio/reading/grammar.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>

namespace fonds::recordio {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::StartsWith;

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

std::string text(const Buffer& buffer) { return std::string(as_text(buffer.view())); }
std::string table_of(const std::vector<std::uint64_t>& sizes) {
  Buffer out;
  emit_table(sizes, out);
  return text(out);
}
Varint varint(std::string_view bytes) { return parse_varint(as_bytes(bytes)); }
TableCheck table(std::string_view content) {
  return check_table(as_bytes(content), content.size());
}
std::string code(const std::optional<Fault>& fault) {
  return fault ? std::string(fault->code) : "none";
}
std::string message(const std::optional<Fault>& fault) { return fault ? fault->message : "none"; }

// ---- magics, varints ----

TEST(ParseMagic, KnowsTheFourMagics) {
  for (const Magic magic : {Magic::Header, Magic::Packed, Magic::Trailer, Magic::LegacyPlain}) {
    EXPECT_EQ(parse_magic(as_bytes(magic_bytes(magic))), magic);
  }
}

TEST(ParseMagic, SevenBytesAndForeignBytesAreNone) {
  EXPECT_EQ(parse_magic(as_bytes(magic_bytes(Magic::Header).substr(0, 7))), Magic::None);
  EXPECT_EQ(parse_magic(as_bytes("WARC/1.1")), Magic::None);
}

struct VarintCase {
  std::string name, bytes;
  Varint::State state;
  std::uint64_t value;
  std::size_t length;
};
class ParseVarint : public testing::TestWithParam<VarintCase> {};
TEST_P(ParseVarint, GivesStateValueAndLength) {
  const Varint parsed = varint(GetParam().bytes);
  EXPECT_EQ(parsed.state, GetParam().state);
  EXPECT_EQ(parsed.length, GetParam().length);
  if (GetParam().state != Varint::State::TooLong && GetParam().state != Varint::State::Cut) {
    EXPECT_EQ(parsed.value, GetParam().value);
  }
}
const std::string nine_full(9, '\xff');
INSTANTIATE_TEST_SUITE_P(
    Cases, ParseVarint,
    testing::Values(VarintCase{"zero", "\0"s, Varint::State::Good, 0, 1},
                    VarintCase{"one_byte", "\x7f"s, Varint::State::Good, 127, 1},
                    VarintCase{"two_bytes", "\x80\x01"s, Varint::State::Good, 128, 2},
                    VarintCase{"largest", nine_full + "\x01", Varint::State::Good, kMax, 10},
                    VarintCase{"overlong", "\x83\x80\x00"s, Varint::State::Overlong, 3, 3},
                    VarintCase{"empty", "", Varint::State::Cut, 0, 0},
                    VarintCase{"cut", "\x80\x80"s, Varint::State::Cut, 0, 2},
                    VarintCase{"tenth_above_one", nine_full + "\x02", Varint::State::TooLong, 0,
                               10},
                    VarintCase{"eleven", nine_full + "\x81\x00"s, Varint::State::TooLong, 0, 10}),
    [](const auto& one) { return one.param.name; });

TEST(EmitVarint, IsReadBackAndHasTheSizeAsTold) {
  std::vector<std::uint64_t> values = {0, kMax};
  for (unsigned bit = 0; bit < 64; ++bit) {
    values.push_back(std::uint64_t{1} << bit);
    values.push_back((std::uint64_t{1} << bit) - 1);
  }
  for (const std::uint64_t value : values) {
    Buffer out;
    emit_varint(value, out);
    EXPECT_EQ(out.size(), varint_size(value)) << value;
    const Varint parsed = parse_varint(out.view());
    EXPECT_EQ(parsed.state, Varint::State::Good) << value;
    EXPECT_EQ(parsed.value, value);
  }
}

// ---- chunks ----

TEST(EmitBlock, WritesTheChunkOfTheWorkedExample) {
  Buffer out;
  emit_block(Magic::Packed,
             as_bytes("\x03\x05\x00\x06hello"
                      "world!"s),
             out);
  ASSERT_EQ(out.size(), kChunkSize);
  EXPECT_EQ(text(out).substr(0, 32),
            "\x2e\x76\x47\xeb\x34\x07\x3c\x2e\xd6\x0d\xbc\xc5\0\0\0\0\x0f\0\0\0\x01\0\0\0\0\0\0\0"
            "\x03\x05\x00\x06"s);
  EXPECT_EQ(text(out).substr(43, 5), "\xde\xad\xbe\xef\xde");
  EXPECT_EQ(text(out).substr(32764, 4), "\xad\xbe\xef\xde");
}

TEST(EmitBlock, ChunksAreFullButTheLastAndTheirCrcFits) {
  Buffer out;
  const std::string payload(2 * kChunkPayload + 5, 'x');
  emit_block(Magic::Trailer, as_bytes(payload), out);
  ASSERT_EQ(out.size(), 3 * kChunkSize);
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t i = 0; i < 3; ++i) {
    const ByteView chunk = out.view().subspan(i * kChunkSize, kChunkSize);
    const ChunkHeader header = parse_chunk_header(chunk);
    EXPECT_EQ(header.magic, Magic::Trailer);
    EXPECT_EQ(header.index, i);
    EXPECT_EQ(header.total, 3U);
    EXPECT_EQ(header.crc, chunk_crc(chunk, header));
    sizes.push_back(header.size);
  }
  EXPECT_THAT(sizes, ElementsAre(32740, 32740, 5));
}

TEST(ChunksOf, RoundsUpAndIsAtLeastOne) {
  EXPECT_EQ(chunks_of(0), 1U);
  EXPECT_EQ(chunks_of(32740), 1U);
  EXPECT_EQ(chunks_of(32741), 2U);
  EXPECT_EQ(chunks_of(kMax), kMax / 32740 + 1);
}

// ---- block table ----

TEST(CheckTable, GoodTableTellsWhereItsItemsAre) {
  const std::string content = "\x03\x05\x00\x06helloworld!"s;
  const TableCheck checked = table(content);
  EXPECT_EQ(message(checked.fault), "none");
  EXPECT_EQ(checked.count, 3U);
  EXPECT_EQ(checked.items_at, 4U);
  EXPECT_EQ(checked.items_size, 11U);
  EXPECT_FALSE(checked.overlong);
  const ByteRange last = item_range(as_bytes(content), checked, 2);
  EXPECT_EQ(content.substr(last.offset, last.length), "world!");
}

TEST(CheckTable, OverlongVarintsAreGoodAndTold) {
  EXPECT_TRUE(table("\x81\x00\x01x"s).overlong);
  const TableCheck checked = table("\x01\x81\x80\x00x"s);
  EXPECT_EQ(code(checked.fault), "none");
  EXPECT_TRUE(checked.overlong);
}

TEST(CheckTable, OverlongIsSeenInEachPlaceOfLongTables) {
  for (const std::size_t at : {0, 3, 7, 8, 31, 40, 99}) {
    std::string sizes;
    for (std::size_t i = 0; i < 100; ++i) {
      sizes += i == at ? "\x80\x00"s : "\x00"s;
    }
    const TableCheck checked = table("\x64"s + sizes);
    EXPECT_EQ(code(checked.fault), "none");
    EXPECT_TRUE(checked.overlong) << at;
    EXPECT_FALSE(table("\x64"s + std::string(100, '\0')).overlong);
  }
}

TEST(CheckTable, OverlongIsSeenAmongTwoByteSizes) {
  std::string sizes;
  for (int i = 0; i < 64; ++i) {
    sizes += i == 37 ? "\x81\x00"s : "\x80\x01"s;
  }
  const TableCheck checked = table("\x40"s + sizes + std::string(63 * 128 + 1, 'x'));
  EXPECT_EQ(message(checked.fault), "none");
  EXPECT_TRUE(checked.overlong);
}

struct BadTable {
  std::string name, content, code, message;
};
class CheckBadTable : public testing::TestWithParam<BadTable> {};
TEST_P(CheckBadTable, HasTheFault) {
  const TableCheck checked = table(GetParam().content);
  EXPECT_EQ(code(checked.fault), GetParam().code);
  EXPECT_EQ(message(checked.fault), GetParam().message);
}
INSTANTIATE_TEST_SUITE_P(
    Cases, CheckBadTable,
    testing::Values(
        BadTable{"empty", "", "varint-cut",
                 "varint past end: the item count does not end within the 0 bytes"},
        BadTable{"count_cut", "\x80\x80"s, "varint-cut",
                 "varint past end: the item count does not end within the 2 bytes"},
        BadTable{"count_long", nine_full + "\x7f", "varint-long",
                 "varint too long: the item count does not end within 64 bits"},
        BadTable{"huge_count", nine_full + "\x01xx", "item-count",
                 "item count: 18446744073709551615 items, but only 2 bytes are left for their "
                 "sizes"},
        BadTable{"count_one_above", "\x03\x00\x00"s, "item-count",
                 "item count: 3 items, but only 2 bytes are left for their sizes"},
        BadTable{"size_cut", "\x02\x00\x80"s, "varint-cut",
                 "varint past end: size 1 of 2 begins at byte 2 and does not end within the 3 "
                 "bytes"},
        BadTable{"size_long", "\x01" + nine_full + "\x02", "varint-long",
                 "varint too long: size 0 of 1 at byte 1 does not end within 64 bits"},
        BadTable{"sum_wraps", "\x02" + nine_full + "\x01" + "\x01", "block-size-mismatch",
                 "block size mismatch: the first 2 of 2 sizes sum to more than 2^64-1 bytes"},
        BadTable{"sum_wraps_in_a_long_table", "\x20" + nine_full + "\x01" + std::string(31, '\x7f'),
                 "block-size-mismatch",
                 "block size mismatch: the first 2 of 32 sizes sum to more than 2^64-1 bytes"},
        BadTable{"too_short", "\x01\x05xxx"s, "block-size-mismatch",
                 "block size mismatch: 1 items have 5 bytes by their sizes, 3 bytes are there"},
        BadTable{"two_bytes_more", "\x01\x01xyz"s, "block-size-mismatch",
                 "block size mismatch: 1 items have 1 bytes by their sizes, 3 bytes are there"}),
    [](const auto& one) { return one.param.name; });

TEST(CheckTable, BeginningOfALargerContentSufficesIfItHoldsTheTable) {
  const std::string all = table_of({300, 5});
  EXPECT_EQ(code(check_table(as_bytes(all), all.size() + 305).fault), "none");
  EXPECT_EQ(code(check_table(as_bytes(all), all.size() + 304).fault), "block-size-mismatch");
  EXPECT_EQ(code(check_table(as_bytes(all).first(all.size() - 1), all.size() + 305).fault),
            "varint-cut");
}

TEST(CheckTable, UnknownContentSizeIsComparedWithNothing) {
  const TableCheck checked = check_table(as_bytes("\x02\x05\x06?"s), std::nullopt);
  EXPECT_EQ(code(checked.fault), "none");
  EXPECT_EQ(checked.items_at, 3U);
  EXPECT_EQ(checked.items_size, 11U);
}

struct SizesCase {
  std::string name;
  std::uint64_t mask;
};
class ItemRange : public testing::TestWithParam<SizesCase> {};
TEST_P(ItemRange, AgreesWithTheSumOfTheSizesBefore) {
  std::uint64_t state = 1;
  std::vector<std::uint64_t> sizes;
  for (int i = 0; i < 1000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    sizes.push_back((state >> 20) & GetParam().mask & ((std::uint64_t{2} << (state >> 59)) - 1));
  }
  const std::string bytes = table_of(sizes);
  std::uint64_t sum = 0;
  for (const std::uint64_t size : sizes) {
    sum += size;
  }
  const TableCheck checked = check_table(as_bytes(bytes), bytes.size() + sum);
  ASSERT_EQ(message(checked.fault), "none");
  EXPECT_FALSE(checked.overlong);
  std::uint64_t at = bytes.size();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const ByteRange range = item_range(as_bytes(bytes), checked, i);
    ASSERT_EQ(range.offset, at) << i;
    ASSERT_EQ(range.length, sizes[i]) << i;
    at += sizes[i];
  }
}
INSTANTIATE_TEST_SUITE_P(Sizes, ItemRange,
                         testing::Values(SizesCase{"one_byte", 0x7F}, SizesCase{"mixed", 0xFF},
                                         SizesCase{"to_three_bytes", 0x1FFFFF},
                                         SizesCase{"to_five_bytes", 0xFFFFFFFF}),
                         [](const auto& one) { return one.param.name; });

TEST(ItemRange, TwoByteSizesInARow) {
  const std::vector<std::uint64_t> sizes(100, 16383);
  const std::string bytes = table_of(sizes);
  const TableCheck checked = check_table(as_bytes(bytes), bytes.size() + std::size_t{100} * 16383);
  EXPECT_EQ(message(checked.fault), "none");
  EXPECT_EQ(item_range(as_bytes(bytes), checked, 99).offset,
            bytes.size() + std::size_t{99} * 16383);
}

// ---- header list ----

TEST(HeaderListGrammar, EveryTypeAndItsExtremesAreReadBack) {
  const std::vector<HeaderEntry> entries = {
      {"t", true},
      {"f", false},
      {"i", std::int64_t{-1}},
      {"i", std::numeric_limits<std::int64_t>::min()},
      {"i", std::numeric_limits<std::int64_t>::max()},
      {"u", std::uint64_t{0}},
      {"u", kMax},
      {"", ""s},
      {"s", "\xff\0x"s},
  };
  Buffer out;
  emit_header_list(entries, out);
  const HeaderList list = parse_header_list(out.view(), 16);
  EXPECT_EQ(message(list.fault), "none");
  EXPECT_EQ(list.entries, entries);
  EXPECT_EQ(list.surplus, 0U);
}

TEST(HeaderListGrammar, BytesAreThoseOfTheWorkedExamples) {
  Buffer empty, values;
  emit_header_list({}, empty);
  emit_header_list({{"trailer", true}, {"i", std::int64_t{64}}}, values);
  EXPECT_EQ(text(empty), "\x03\x00"s);
  EXPECT_EQ(text(values), "\x03\x02\x04\x03\x07trailer\x01\x01\x04\x03\x01i\x02\x80\x01"s);
}

TEST(HeaderListGrammar, ReservedKeysAreTakenInOrder) {
  Buffer out;
  emit_header_list({{"transformer", "flate 1"s}, {"x", false}, {"transformer", "zstd"s}}, out);
  const HeaderList list = parse_header_list(out.view(), 2);
  EXPECT_THAT(list.transformers, ElementsAre("flate 1", "zstd"));
  EXPECT_FALSE(list.trailer);
  EXPECT_EQ(code(parse_header_list(out.view(), 1).fault), "limit-exceeded");
}

struct TrailerCase {
  std::string name;
  Value first, second;
  bool promised;
};
class TrailerPromise : public testing::TestWithParam<TrailerCase> {};
TEST_P(TrailerPromise, OnlyTheFirstEntryCounts) {
  Buffer out;
  emit_header_list({{"trailer", GetParam().first}, {"trailer", GetParam().second}}, out);
  const HeaderList list = parse_header_list(out.view(), 16);
  EXPECT_EQ(message(list.fault), "none");
  EXPECT_EQ(list.trailer, GetParam().promised);
}
INSTANTIATE_TEST_SUITE_P(Cases, TrailerPromise,
                         testing::Values(TrailerCase{"true_false", true, false, true},
                                         TrailerCase{"false_true", false, true, false},
                                         TrailerCase{"string_true", "true"s, true, false}),
                         [](const auto& one) { return one.param.name; });

TEST(HeaderListGrammar, TransformerThatIsNoStringIsAFaultBehindWhichEntriesAreRead) {
  Buffer out;
  emit_header_list({{"transformer", true}, {"k", "v"s}}, out);
  const HeaderList list = parse_header_list(out.view(), 16);
  EXPECT_EQ(code(list.fault), "transformer-not-string");
  EXPECT_THAT(message(list.fault), StartsWith("transformer is not a string"));
  EXPECT_EQ(list.entries.size(), 2U);
}

TEST(HeaderListGrammar, BytesBehindTheEntriesAndOverlongNumbersAreTold) {
  const HeaderList list = parse_header_list(as_bytes("\x03\x80\x00xyz"s), 16);
  EXPECT_EQ(message(list.fault), "none");
  EXPECT_EQ(list.surplus, 3U);
  EXPECT_TRUE(list.overlong);
}

struct BadHeader {
  std::string name, item, message;
  std::size_t entries;
};
class ParseBadHeader : public testing::TestWithParam<BadHeader> {};
TEST_P(ParseBadHeader, IsDamagedAndKeepsWhatWasBefore) {
  const HeaderList list = parse_header_list(as_bytes(GetParam().item), 16);
  EXPECT_EQ(code(list.fault), "header-damaged");
  EXPECT_EQ(message(list.fault), GetParam().message);
  EXPECT_EQ(list.entries.size(), GetParam().entries);
}
const std::string entry = "\x04\x03\x01k\x01\x01";
INSTANTIATE_TEST_SUITE_P(
    Cases, ParseBadHeader,
    testing::Values(
        BadHeader{"empty", "", "header cut: the entries do not end within the 0 bytes", 0},
        BadHeader{"count_type", "\x02\x00"s,
                  "header count: the list begins with a value of type 2, not 3", 0},
        BadHeader{"count_lies", "\x03" + nine_full + "\x01" + entry,
                  "header cut: the entries do not end within the 17 bytes", 1},
        BadHeader{"key_type", "\x03\x02" + entry + "\x03\x01",
                  "header key: key 1 has type 3, not 4", 1},
        BadHeader{"value_type", "\x03\x01\x04\x03\x01k\x09",
                  "header type 9: the value of entry 0 has a type other than 1 to 4", 0},
        BadHeader{"length_type", "\x03\x01\x04\x02\x01k",
                  "header string: the length has type 2, not 3", 0},
        BadHeader{"length_lies", "\x03\x01\x04\x03" + nine_full + "\x01k",
                  "header string: 18446744073709551615 bytes long, but only 1 bytes are left", 0},
        BadHeader{"number_long", "\x03\x01\x04\x03\x00\x03"s + nine_full + "\x7f",
                  "varint too long: the number at byte 6 of the header does not end within 64 "
                  "bits",
                  0}),
    [](const auto& one) { return one.param.name; });

TEST(HeaderListGrammar, CutAtEveryByteIsDamaged) {
  Buffer out;
  emit_header_list({{"b", true}, {"i", std::int64_t{-70}}, {"u", kMax}, {"s", "text"s}}, out);
  for (std::size_t n = 0; n < out.size(); ++n) {
    EXPECT_EQ(code(parse_header_list(out.view().first(n), 16).fault), "header-damaged") << n;
  }
}

TEST(ValueText, IsAsTheJsonHasIt) {
  EXPECT_EQ(value_text(true), "true");
  EXPECT_EQ(value_text(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(value_text(kMax), "18446744073709551615");
  EXPECT_EQ(value_text("gr\xc3\xbc\xff\n\xe4\xb8"s), "gr\xc3\xbc\\xff\n\\xe4\\xb8");
  EXPECT_EQ(type_name(Value(std::int64_t{1})), "int64");
  EXPECT_EQ(type_name(Value("x"s)), "string");
}

// ---- legacy ----

TEST(LegacyHeaderGrammar, IsThatOfTheWorkedExample) {
  Buffer out;
  emit_legacy_header(Magic::LegacyPlain, 5, out);
  EXPECT_EQ(text(out), "\xfc\xae\x95\x31\xf0\xd9\xbd\x20\x05\0\0\0\0\0\0\0\x0d\xd1\xc2\x2d"s);
  const LegacyHeader header = parse_legacy_header(out.view());
  EXPECT_EQ(header.magic, Magic::LegacyPlain);
  EXPECT_EQ(header.length, 5U);
  EXPECT_TRUE(header.crc_fits);
}

TEST(LegacyHeaderGrammar, EachFlippedBitOfLengthAndCrcIsSeen) {
  Buffer out;
  emit_legacy_header(Magic::Packed, 1000, out);
  for (std::size_t bit = 64; bit < 160; ++bit) {
    std::string flipped = text(out);
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(parse_legacy_header(as_bytes(flipped)).crc_fits) << bit;
  }
}

TEST(LegacyHeaderGrammar, V2MagicsAreNoLegacyRecords) {
  Buffer out;
  emit_legacy_header(Magic::Trailer, 5, out);
  EXPECT_EQ(parse_legacy_header(out.view()).magic, Magic::None);
}

TEST(PackedTableGrammar, IsThatOfTheWorkedExample) {
  Buffer out;
  emit_packed_table({0, 0, 1, 0}, out);
  EXPECT_EQ(text(out), "\x9c\x60\xb9\x2a\x04\x00\x00\x01\x00"s);
  const std::string payload = text(out) + "a";
  const PackedTable packed = check_packed_table(as_bytes(payload));
  EXPECT_EQ(message(packed.fault), "none");
  EXPECT_EQ(packed.table.count, 4U);
  EXPECT_EQ(packed.table.items_at, 9U);
  EXPECT_EQ(item_range(as_bytes(payload), packed.table, 2).offset, 9U);
  EXPECT_EQ(item_range(as_bytes(payload), packed.table, 2).length, 1U);
}

TEST(PackedTableGrammar, ChangedSizeBreaksItsCrc) {
  const PackedTable packed =
      check_packed_table(as_bytes("\x9c\x60\xb9\x2a\x04\x00\x00\x02\x00"
                                  "a"s));
  EXPECT_EQ(code(packed.fault), "record-table-crc");
  EXPECT_THAT(message(packed.fault), StartsWith("varint crc: the table has the CRC "));
}

TEST(PackedTableGrammar, ShortAndLyingPayloadsAreFaults) {
  EXPECT_EQ(code(check_packed_table({}).fault), "varint-cut");
  EXPECT_EQ(code(check_packed_table(as_bytes("abc"s)).fault), "varint-cut");
  EXPECT_EQ(code(check_packed_table(as_bytes("abcd"s)).fault), "varint-cut");
  EXPECT_EQ(code(check_packed_table(as_bytes("abcd" + nine_full + "\x01")).fault), "item-count");
}

}  // namespace
}  // namespace fonds::recordio
