#include "format/kvir/reading/stream.hpp"

#include <ostream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/kvir/testing.hpp"

namespace fonds::kvir {
namespace {

using namespace testing_kvir;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kEndMark(1, '\0');

TEST(KvirStream, AStreamWithoutEventsIsRead) {
  const KvirRead read = read_kvir(preamble() + kEndMark);
  EXPECT_EQ(read.error, "");
  EXPECT_THAT(read.events, IsEmpty());
}

TEST(KvirStream, TheExampleOfTheFormatIsOneEvent) {
  const KvirRead read = read_kvir(preamble() + node(kInt, 0, "a") + id(1) + "\x51\x00"s + kEndMark);
  EXPECT_EQ(read.error, "");
  EXPECT_THAT(read.events, ElementsAre(R"({"a":0})"));
}

TEST(KvirStream, EveryKindOfValueHasItsText) {
  const std::string stream = preamble() + node(kInt, 0, "i") + node(kFloat, 0, "f") +
                             node(kBool, 0, "b") + node(kStr, 0, "s") + node(kArray, 0, "l") +
                             node(kObj, 0, "n") + node(kObj, 0, "o") + node(kObj, 0, "p") +
                             node(kStr, 8, "q") + id(1) + id(2) + id(3) + id(4) + id(5) + id(6) +
                             id(7) + id(9) + "\x54" + big_endian(~std::uint64_t{0}, 8) + "\x56" +
                             big_endian(0x3FF8000000000000, 8) + "\x57" + text("a\"b") +
                             "\x59\x21" + big_endian(3, 1) + "[1]" + "\x5F\x5E" + "\x59\x18" +
                             big_endian(7, 4) + "\x21" + big_endian(5, 1) + "x \x11 y" + kEndMark;
  const KvirRead read = read_kvir(stream);
  EXPECT_EQ(read.error, "");
  EXPECT_THAT(read.events,
              ElementsAre(R"({"i":-1,"f":1.5,"b":true,"s":"a\"b","l":[1],"n":null,"o":{},)"
                          R"("p":{"q":"x 7 y"}})"));
}

TEST(KvirStream, GeneratedKeysAreATreeOfTheirOwn) {
  const std::string stream = preamble() + node(kInt, -1, "t") + node(kInt, 0, "a") + id(-2) +
                             "\x51\x05" + id(1) + "\x51\x06" + id(-2) + "\x51\x07\x5E" + kEndMark;
  const KvirRead read = read_kvir(stream);
  EXPECT_EQ(read.error, "");
  EXPECT_THAT(read.events, ElementsAre(R"({"a":6})", "{}"));
  EXPECT_THAT(read.generated, ElementsAre(R"({"t":5})", R"({"t":7})"));
}

TEST(KvirStream, KeysComeInTheOrderOfTheirNodes) {
  const std::string stream = preamble() + node(kInt, 0, "a") + node(kObj, 0, "o") +
                             node(kInt, 0, "c") + node(kInt, 2, "p") + id(3) + id(4) + id(1) +
                             "\x51\x03\x51\x04\x51\x01" + kEndMark;
  EXPECT_THAT(read_kvir(stream).events, ElementsAre(R"({"a":1,"o":{"p":4},"c":3})"));
}

TEST(KvirStream, AChangeOfTheUtcOffsetIsPassedOver) {
  const KvirRead read = read_kvir(preamble() + "\x3F" + big_endian(3600, 8) + "\x5E" + kEndMark);
  EXPECT_EQ(read.error, "");
  EXPECT_THAT(read.events, ElementsAre("{}"));
}

TEST(KvirStream, NumbersThatJsonDoesNotHaveBecomeNull) {
  const KvirRead read = read_kvir(preamble() + node(kFloat, 0, "f") + id(1) + "\x56" +
                                  big_endian(0x7FF8000000000000, 8) + kEndMark);
  EXPECT_THAT(read.events, ElementsAre(R"({"f":null})"));
  EXPECT_EQ(read.lost, 1U);
}

TEST(KvirStream, LineEndsBetweenTheValuesOfAnArrayBecomeBlanks) {
  const KvirRead read = read_kvir(preamble() + node(kArray, 0, "l") + id(1) + "\x59\x21" +
                                  big_endian(6, 1) + "[1,\r\n2" + kEndMark);
  EXPECT_THAT(read.error, HasSubstr("no JSON array"));
  const KvirRead good = read_kvir(preamble() + node(kArray, 0, "l") + id(1) + "\x59\x21" +
                                  big_endian(7, 1) + "[1,\r\n2]" + kEndMark);
  EXPECT_THAT(good.events, ElementsAre("{\"l\":[1,  2]}"));
}

// What is wrong with a stream behind its preamble, and the byte where that is said.
struct KvirBadCase {
  std::string name;
  std::string units;
  std::string message;
  std::uint64_t at;  // behind the preamble
  ErrorCode code = ErrorCode::Corrupt;
};
void PrintTo(const KvirBadCase& tested, std::ostream* out) { *out << tested.name; }
class KvirBadStream : public testing::TestWithParam<KvirBadCase> {};

TEST_P(KvirBadStream, IsAnErrorAtItsPlaceAfterTheEventsBeforeIt) {
  const std::string before = preamble() + "\x5E";
  const KvirRead read = read_kvir(before + GetParam().units);
  EXPECT_THAT(read.error, HasSubstr(GetParam().message));
  EXPECT_EQ(read.code, GetParam().code);
  EXPECT_EQ(read.where.decoded_offset, before.size() + GetParam().at);
  EXPECT_EQ(read.where.ordinal, 1U);
  EXPECT_THAT(read.events, ElementsAre("{}"));
}

const std::string kA = node(kInt, 0, "a");

INSTANTIATE_TEST_SUITE_P(
    All, KvirBadStream,
    testing::Values(
        KvirBadCase{"NoEnd", "", "without its end mark", 0, ErrorCode::Truncated},
        KvirBadCase{"UnknownUnit", "\x01", "0x01 begins no event", 0},
        KvirBadCase{"CutEvent", kA + "\x65", "ends inside an event", 7, ErrorCode::Truncated},
        KvirBadCase{"CutKey", kA.substr(0, 4), "ends inside a key", 4, ErrorCode::Truncated},
        KvirBadCase{"NoSuchKey", id(1), "the key 1 of 1 user nodes", 0},
        KvirBadCase{"NoSuchGeneratedKey", id(-2), "the key 1 of 1 auto-generated nodes", 0},
        KvirBadCase{"NoSuchParent", node(kInt, 1, "a"), "node 1 of 1 user nodes", 1},
        KvirBadCase{"ParentIsNoObject", kA + node(kInt, 1, "b"), "no object", 7},
        KvirBadCase{"SameNodeTwice", kA + kA, "where it is already", 9},
        KvirBadCase{"RootHasAValue", id(0) + "\x5E", "to the root", 0},
        KvirBadCase{"KeyTwice", kA + id(1) + id(1) + "\x51\x01\x51\x02", "a key twice", 6},
        KvirBadCase{"KeyOfTwoTypes",
                    kA + node(kStr, 0, "a") + id(1) + id(2) + "\x51\x01" + text("x"), "a key twice",
                    12},
        KvirBadCase{"ObjectWithValueAndMembers",
                    node(kObj, 0, "o") + node(kInt, 1, "a") + id(1) + id(2) + "\x5E\x51\x01",
                    "that has members", 12},
        KvirBadCase{"MembersAndObjectWithValue",
                    node(kObj, 0, "o") + node(kInt, 1, "a") + id(2) + id(1) + "\x51\x01\x5E",
                    "that has members", 12},
        KvirBadCase{"TypeMismatch", kA + id(1) + "\x57", "no value of a key of type integer", 8},
        KvirBadCase{"GeneratedBehindUser",
                    kA + node(kInt, -1, "t") + id(1) + id(-2) + "\x51\x01\x51\x01",
                    "behind a user key", 14},
        KvirBadCase{"GeneratedWithoutUserMark", node(kInt, -1, "t") + id(-2) + "\x51\x01\x00"s,
                    "begins no key of an event", 10},
        KvirBadCase{"TextWithoutLogType", node(kStr, 0, "s") + id(1) + "\x59\x01",
                    "begins no variable", 9},
        KvirBadCase{"TooFewVariables", node(kStr, 0, "s") + id(1) + "\x59\x21\x01\x11",
                    "more placeholders of numbers", 9},
        KvirBadCase{"TooFewTexts", node(kStr, 0, "s") + id(1) + "\x59\x21\x01\x12",
                    "more placeholders of texts", 9},
        KvirBadCase{"TooManyVariables",
                    node(kStr, 0, "s") + id(1) + "\x59\x18" + big_endian(1, 4) + "\x21\x01x",
                    "without a placeholder", 14},
        KvirBadCase{"VariableOfOtherWidth",
                    node(kStr, 0, "s") + id(1) + "\x59\x19" + big_endian(1, 8) + "\x21\x01\x11",
                    "begins no variable", 9},
        KvirBadCase{"EscapeOfNothing", node(kStr, 0, "s") + id(1) + "\x59\x21\x01\\",
                    "escape of nothing", 9},
        KvirBadCase{"NegativeLength",
                    node(kStr, 0, "s") + id(1) + "\x59\x23" + big_endian(~std::uint64_t{0}, 4),
                    "negative", 10},
        KvirBadCase{"FloatWithTooManyDecimals",
                    node(kStr, 0, "s") + id(1) + "\x59\x18" + big_endian(1, 4) + "\x21\x01\x13",
                    "more decimals than digits", 14},
        KvirBadCase{"ArrayIsNoJson", node(kArray, 0, "l") + id(1) + "\x59\x21\x01[",
                    "no JSON array", 9},
        KvirBadCase{"ArrayIsAnObject", node(kArray, 0, "l") + id(1) + "\x59\x21\x02{}",
                    "no JSON array", 9},
        KvirBadCase{"HugeKey", "\x71\x60\x00\x43\xFF\xFF\xFF\xFF"s, "a key takes 4294967303 bytes",
                    0, ErrorCode::LimitExceeded},
        KvirBadCase{"LongKeyThatIsNotThere", "\x71\x60\x00\x43\x0F\xFF\xFF\xFF"s,
                    "ends inside a key", 8, ErrorCode::Truncated}),
    [](const auto& test) { return test.param.name; });

struct KvirPreambleCase {
  std::string name, stream, message;
  ErrorCode code = ErrorCode::Corrupt;
};
void PrintTo(const KvirPreambleCase& tested, std::ostream* out) { *out << tested.name; }
class KvirBadPreamble : public testing::TestWithParam<KvirPreambleCase> {};

TEST_P(KvirBadPreamble, IsAnErrorAtItsPlace) {
  const KvirRead read = read_kvir(GetParam().stream);
  EXPECT_THAT(read.error, HasSubstr(GetParam().message));
  EXPECT_EQ(read.code, GetParam().code);
  EXPECT_TRUE(read.where.decoded_offset.has_value());
}

INSTANTIATE_TEST_SUITE_P(
    All, KvirBadPreamble,
    testing::Values(
        KvirPreambleCase{"Empty", "", "ends inside the preamble", ErrorCode::Truncated},
        KvirPreambleCase{"OtherMagic", "\xFD\x2F\xB5\x31\x01\x11\x02{}", "no KV-IR stream"},
        KvirPreambleCase{"OtherEncoding", "\xFD\x2F\xB5\x29\x02\x11\x02{}", "encoding 0x02"},
        KvirPreambleCase{"OtherLength", "\xFD\x2F\xB5\x29\x01\x13\x02{}", "begins no length"},
        KvirPreambleCase{"NoJson", preamble("{"), "no JSON object"},
        KvirPreambleCase{"AnArray", preamble("[]"), "no JSON object"},
        KvirPreambleCase{"NoUtf8", preamble("{\"a\":\"\xFF\"}"), "no JSON object"},
        KvirPreambleCase{"NoVersion", preamble("{}"), "no VERSION"},
        KvirPreambleCase{"OtherVersion", preamble(R"({"VERSION":"0.2.0"})"), "'0.2.0'",
                         ErrorCode::Unsupported},
        KvirPreambleCase{"OldText", preamble(R"({"VERSION":"v0.0.0"})"), "unstructured text",
                         ErrorCode::Unsupported},
        KvirPreambleCase{"UserMetadataIsNoObject",
                         preamble(R"({"VERSION":"0.1.0","USER_DEFINED_METADATA":[1]})"),
                         "USER_DEFINED_METADATA"}),
    [](const auto& test) { return test.param.name; });

TEST(KvirStream, UserMetadataAreTextsByKey) {
  const auto metadata = parse_metadata(
      R"({"VERSION":"0.1.0", "USER_DEFINED_METADATA" : {"a" : [1, {"b":2}], "c\n":"x","a":true}})");
  ASSERT_TRUE(metadata.has_value());
  EXPECT_THAT(metadata->user,
              ElementsAre(testing::Pair("a", "true"), testing::Pair("c\n", "\"x\"")));
}

std::string sample() {
  return preamble() + node(kObj, 0, "o") + node(kStr, 1, "s") + node(kInt, -1, "t") + id(-2) +
         "\x51\x05" + id(2) + "\x59\x18" + big_endian(7, 4) + "\x11\x02id\x21\x03\x11 \x12" +
         id(1) + "\x5F" + kEndMark;
}

TEST(KvirStream, CutAnywhereItIsTruncatedAfterWholeEvents) {
  const std::string whole = sample();
  const KvirRead all = read_kvir(whole);
  ASSERT_THAT(all.events, ElementsAre(R"({"o":{"s":"7 id"}})", R"({"o":null})"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const KvirRead read = read_kvir(whole.substr(0, size));
    EXPECT_EQ(read.code, ErrorCode::Truncated) << size;
    EXPECT_EQ(read.where.decoded_offset, size);
    ASSERT_LE(read.events.size(), all.events.size());
    EXPECT_TRUE(std::equal(read.events.begin(), read.events.end(), all.events.begin()));
  }
}

TEST(KvirStream, InSmallPiecesItReadsTheSame) {
  const KvirRead whole = read_kvir(sample());
  for (const std::size_t step : {1, 2, 3, 7}) {
    const KvirRead read = read_kvir(testing_codec::piped(sample(), step));
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.events, whole.events);
    EXPECT_EQ(read.generated, whole.generated);
  }
}

TEST(KvirStream, AnyOctetMayBeWrong) {
  const std::string whole = sample();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      const KvirRead read = read_kvir(damaged);
      EXPECT_LE(read.events.size(), 4U) << at;
    }
  }
}

TEST(KvirStream, KeysBeyondTheLimitOfDepthOrMemoryAreRefused) {
  std::string deep = preamble();
  for (int i = 0; i < 12; ++i) {
    deep += node(kObj, i, "k");
  }
  EXPECT_EQ(read_kvir(deep, {.depth = 10}).code, ErrorCode::LimitExceeded);
  EXPECT_EQ(read_kvir(deep, {.tree_bytes = 1000}).code, ErrorCode::LimitExceeded);
  EXPECT_EQ(read_kvir(deep).code, ErrorCode::Truncated);
}

}  // namespace
}  // namespace fonds::kvir
