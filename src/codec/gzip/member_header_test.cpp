#include "codec/gzip/member_header.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace fonds::gzip {
namespace {

using namespace std::string_literals;

std::string head(char flags) { return "\x1f\x8b\x08"s + flags + "\0\0\0\0\0\x03"s; }

// Extra field of one "sl" subfield: 459 bytes to the next member, 615 decoded.
const std::string kWgetExtra = "\x0c\0sl\x08\0\xcb\x01\0\0\x67\x02\0\0"s;

HeaderState parse(std::string_view stored, MemberHeader& header) {
  return parse_member_header(as_bytes(stored), header);
}

TEST(ParseMemberHeader, PlainHeaderHasTenBytes) {
  MemberHeader header;
  ASSERT_EQ(parse(head(0) + "data", header), HeaderState::Good);
  EXPECT_EQ(header.length, 10U);
  EXPECT_FALSE(header.bad_header_crc);
  EXPECT_FALSE(header.sl.has_value());
}

TEST(ParseMemberHeader, AllOptionalFieldsArePassed) {
  MemberHeader header;
  const std::string fields = "\x04\0ab\0\0"s + "name\0"s + "comment\0"s;
  ASSERT_EQ(parse(head(0x1D) + fields + "data", header), HeaderState::Good);
  EXPECT_EQ(header.length, 10 + fields.size());
}

TEST(ParseMemberHeader, EveryPrefixOfAHeaderNeedsMore) {
  const std::string whole = head(0x1C) + kWgetExtra + "name\0comment\0"s;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    MemberHeader header;
    ASSERT_EQ(parse(whole.substr(0, size), header), HeaderState::NeedMore) << size;
  }
}

TEST(ParseMemberHeader, SkipLengthsAreRead) {
  MemberHeader header;
  ASSERT_EQ(parse(head(4) + kWgetExtra, header), HeaderState::Good);
  ASSERT_TRUE(header.sl.has_value());
  EXPECT_EQ(header.sl->stored, 459U);
  EXPECT_EQ(header.sl->decoded, 615U);
}

TEST(ParseMemberHeader, SkipLengthsAreFoundBehindOtherSubfields) {
  MemberHeader header;
  const std::string extra = "\x13\0xy\x03\0abcsl\x08\0\xff\xff\xff\xff\0\0\0\x80"s;
  ASSERT_EQ(parse(head(4) + extra, header), HeaderState::Good);
  ASSERT_TRUE(header.sl.has_value());
  EXPECT_EQ(header.sl->stored, 0xFFFFFFFFU);
  EXPECT_EQ(header.sl->decoded, 0x80000000U);
}

TEST(ParseMemberHeader, SkipLengthsBeyondTheExtraFieldAreIgnored) {
  MemberHeader header;
  const std::string extra = "\x08\0sl\x08\0\xcb\x01\0\0\x67\x02\0\0"s;
  ASSERT_EQ(parse(head(4) + extra, header), HeaderState::Good);
  EXPECT_FALSE(header.sl.has_value());
  EXPECT_EQ(header.length, 20U);
}

TEST(ParseMemberHeader, ExtraFieldMayHave65535Bytes) {
  MemberHeader header;
  const std::string extra = "\xff\xff"s + std::string(65535, 'x');
  ASSERT_EQ(parse(head(4) + extra, header), HeaderState::Good);
  EXPECT_EQ(header.length, 10U + 2 + 65535);
}

TEST(ParseMemberHeader, ResultOfAnEarlierHeaderIsForgotten) {
  MemberHeader header;
  ASSERT_EQ(parse(head(4) + kWgetExtra, header), HeaderState::Good);
  ASSERT_EQ(parse(head(0), header), HeaderState::Good);
  EXPECT_FALSE(header.sl.has_value());
}

TEST(ParseMemberHeader, RightHeaderCrcIsAccepted) {
  MemberHeader header;
  // CRC-32 of 1f 8b 08 02 00 00 00 00 00 03 is 0c5c77a7.
  ASSERT_EQ(parse(head(2) + "\xa7\x77"s, header), HeaderState::Good);
  EXPECT_FALSE(header.bad_header_crc);
  EXPECT_EQ(header.length, 12U);
}

TEST(ParseMemberHeader, WrongHeaderCrcIsReportedButNotFatal) {
  MemberHeader header;
  ASSERT_EQ(parse(head(2) + "\0\0"s, header), HeaderState::Good);
  EXPECT_TRUE(header.bad_header_crc);
  EXPECT_EQ(header.length, 12U);
}

TEST(ParseMemberHeader, CutHeaderCrcNeedsMore) {
  MemberHeader header;
  EXPECT_EQ(parse(head(2) + "\xa7"s, header), HeaderState::NeedMore);
}

TEST(ParseMemberHeader, EndlessNameIsNoHeaderAfterAMebibyte) {
  MemberHeader header;
  const std::string name(std::size_t{2} << 20, 'n');
  EXPECT_EQ(parse((head(8) + name).substr(0, (1U << 20) - 1), header), HeaderState::NeedMore);
  EXPECT_EQ(parse((head(8) + name).substr(0, 1U << 20), header), HeaderState::Not);
  EXPECT_EQ(parse(head(8) + name + '\0', header), HeaderState::Not);
}

struct NoHeader {
  const char* name;
  std::string stored;
};
void PrintTo(const NoHeader& value, std::ostream* out) { *out << value.name; }
class ParseNoMemberHeader : public testing::TestWithParam<NoHeader> {};
TEST_P(ParseNoMemberHeader, IsNot) {
  MemberHeader header;
  EXPECT_EQ(parse(GetParam().stored, header), HeaderState::Not);
}
INSTANTIATE_TEST_SUITE_P(All, ParseNoMemberHeader,
                         testing::Values(NoHeader{"OtherFirstByte", "W"},
                                         NoHeader{"OtherSecondByte", "\x1fW"},
                                         NoHeader{"OtherMethod", "\x1f\x8b\x07"},
                                         NoHeader{"ReservedFlag5", head(0x20)},
                                         NoHeader{"ReservedFlag7", head('\x80')}),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace fonds::gzip
