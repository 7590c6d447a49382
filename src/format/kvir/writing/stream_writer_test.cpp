#include "format/kvir/writing/stream_writer.hpp"

#include <bit>
#include <cstdint>
#include <iterator>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/kvir/testing.hpp"
#include "io/testing.hpp"

namespace fonds::kvir {
namespace {

using namespace testing_kvir;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

struct KvirWritten {
  std::string stream;
  Changes changes;
  std::vector<std::string> errors;  // of add()
};

KvirWritten write_events(const std::vector<std::string>& events, bool eight_byte = false,
                         std::uint32_t depth = 1024) {
  testing_io::TextSink sink;
  KvirWritten out;
  auto writer =
      StreamWriter::open(sink, {.eight_byte = eight_byte, .codec = "none", .depth = depth});
  for (const std::string& event : events) {
    if (const Status status = (*writer)->add(event); !status) {
      out.errors.push_back(status.error().message());
    }
  }
  EXPECT_TRUE((*writer)->finish().has_value());
  out.changes = (*writer)->changes();
  out.stream = sink.content;
  return out;
}

std::string units_of(const KvirWritten& written) {
  return written.stream.substr(written.stream.find('}') + 1);
}

TEST(KvirStreamWriter, TheExampleOfTheFormatIsWrittenOctetForOctet) {
  const KvirWritten written = write_events({R"({"a":0})"});
  EXPECT_EQ(written.stream.substr(0, 7), "\xFD\x2F\xB5\x29\x01\x11\x96");
  EXPECT_EQ(units_of(written), "\x71\x60\x00\x41\x01\x61\x65\x01\x51\x00\x00"s);
  EXPECT_THAT(written.changes, IsEmpty());
}

TEST(KvirStreamWriter, NumbersTakeTheShortestForm) {
  EXPECT_EQ(units_of(write_events(
                {R"({"a":-128})", R"({"a":128})", R"({"a":-40000})", R"({"a":4294967296})"})),
            "\x71\x60\x00\x41\x01\x61"s + "\x65\x01\x51\x80" + "\x65\x01\x52\x00\x80"s +
                "\x65\x01\x53\xFF\xFF\x63\xC0" + "\x65\x01\x54\x00\x00\x00\x01\x00\x00\x00\x00"s +
                "\x00"s);
}

TEST(KvirStreamWriter, TextsWithBlanksAreEncoded) {
  EXPECT_EQ(units_of(write_events({R"({"a":"x=7 1.5 id7 z"})"})),
            "\x74\x60\x00\x41\x01\x61"s + "\x65\x01\x59" + "\x18\x00\x00\x00\x07"s +
                "\x18\x00\x00\x03\xC8"s + "\x11\x03id7" + "\x21\x09x=\x11 \x13 \x12 z" + "\x00"s);
}

TEST(KvirStreamWriter, WhatDoesNotFitFourBytesIsAText) {
  const std::vector<std::string> events = {R"({"a":"2147483647 2147483648 -2147483648 9 "})",
                                           R"({"a":"3355443.1 3355443.2 0.00000001 12345678.9 "})"};
  for (const bool eight_byte : {false, true}) {
    const KvirRead read = read_kvir(write_events(events, eight_byte).stream);
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.events, events);
  }
}

TEST(KvirStreamWriter, UserMetadataStandInThePreamble) {
  testing_io::TextSink sink;
  const auto writer = StreamWriter::open(sink, {.user_metadata = R"({"k":[1]})", .codec = "none"});
  ASSERT_TRUE(writer.has_value());
  ASSERT_TRUE((*writer)->finish().has_value());
  EXPECT_THAT(sink.content, HasSubstr(R"("USER_DEFINED_METADATA":{"k":[1]}})"));
  EXPECT_FALSE(StreamWriter::open(sink, {.user_metadata = "[1]"}).has_value());
  EXPECT_FALSE(StreamWriter::open(sink, {.user_metadata = R"({"k":1},"VERSION":"2")"}).has_value());
  const std::string long_text = R"({"k":")" + std::string(70000, 'x') + R"("})";
  EXPECT_FALSE(StreamWriter::open(sink, {.user_metadata = long_text}).has_value());
}

TEST(KvirStreamWriter, GeneratedPairsComeFirst) {
  testing_io::TextSink sink;
  const auto writer = StreamWriter::open(sink, {.codec = "none"});
  ASSERT_TRUE((*writer)->add(R"({"a":1})", R"({"t":{"u":5}})").has_value());
  ASSERT_TRUE((*writer)->add("{}", R"({"t":{"u":6}})").has_value());
  ASSERT_TRUE((*writer)->finish().has_value());
  const KvirRead read = read_kvir(sink.content);
  EXPECT_EQ(read.error, "");
  EXPECT_THAT(read.events, ElementsAre(R"({"a":1})", "{}"));
  EXPECT_THAT(read.generated, ElementsAre(R"({"t":{"u":5}})", R"({"t":{"u":6}})"));
}

// What becomes of an event, and what is counted.
struct KvirChangeCase {
  std::string name, event, written;
  Changes changes;
};
void PrintTo(const KvirChangeCase& tested, std::ostream* out) { *out << tested.name; }
class KvirChange : public testing::TestWithParam<KvirChangeCase> {};

TEST_P(KvirChange, IsCounted) {
  const KvirWritten written = write_events({GetParam().event});
  const KvirRead read = read_kvir(written.stream);
  EXPECT_EQ(read.error, "");
  EXPECT_THAT(read.events, ElementsAre(GetParam().written));
  EXPECT_EQ(written.changes, GetParam().changes);
}

const std::string kTwice = "keys that stood twice in an object, of which the last counts";
const std::string kSpelling = "floats in another spelling";
const std::string kBig = "integers beyond 64 bits, which are floats now";
const std::string kHuge = "numbers beyond the range of floats, which are null now";

INSTANTIATE_TEST_SUITE_P(
    All, KvirChange,
    testing::Values(
        KvirChangeCase{"Nothing",
                       R"({"a":1,"b":{"c":[1, 2],"d":{}},"e":null,"f":1e-07})",
                       R"({"a":1,"b":{"c":[1, 2],"d":{}},"e":null,"f":1e-07})",
                       {}},
        KvirChangeCase{"KeyTwice",
                       R"({"a":1,"b":2,"a":3})",
                       R"({"a":3,"b":2})",
                       {{kTwice, 1}, {"events whose keys come in another order", 1}}},
        KvirChangeCase{"KeyTwiceOfOtherType",
                       R"({"a":{"b":1,"c":{}},"a":"x"})",
                       R"({"a":"x"})",
                       {{kTwice, 1}}},
        KvirChangeCase{
            "ObjectTwice", R"({"a":{"b":1,"c":2},"a":{"b":3}})", R"({"a":{"b":3}})", {{kTwice, 1}}},
        KvirChangeCase{
            "ObjectTwiceAndEmpty", R"({"a":{"b":1},"a":{}})", R"({"a":{}})", {{kTwice, 1}}},
        KvirChangeCase{"TwiceInsideOfTwice",
                       R"({"a":{"b":1,"b":2},"a":{"b":3,"b":4}})",
                       R"({"a":{"b":4}})",
                       {{kTwice, 3}}},
        KvirChangeCase{"SameKeyElsewhereIsNoChange",
                       R"({"a":{"a":1},"b":{"a":{"a":2}}})",
                       R"({"a":{"a":1},"b":{"a":{"a":2}}})",
                       {}},
        KvirChangeCase{"Spelling",
                       R"({"a":1.50,"b":1E3,"c":1.0})",
                       R"({"a":1.5,"b":1000.0,"c":1.0})",
                       {{kSpelling, 2}}},
        KvirChangeCase{"BigInteger",
                       R"({"a":9223372036854775807,"b":9223372036854775808})",
                       R"({"a":9223372036854775807,"b":9.223372036854776e+18})",
                       {{kBig, 1}}},
        KvirChangeCase{"NegativeZero",
                       R"({"a":-0,"b":-0.0})",
                       R"({"a":0,"b":-0.0})",
                       {{"integers that were written as -0", 1}}},
        KvirChangeCase{"Huge", R"({"a":1e999,"b":-1e400})", R"({"a":null,"b":null})", {{kHuge, 2}}},
        KvirChangeCase{
            "Tiny", R"({"a":1e-999,"b":-1.5e-400})", R"({"a":0.0,"b":-0.0})", {{kSpelling, 2}}},
        KvirChangeCase{"HalfAPair",
                       R"({"a":"x\ud800y","\udc00":"\ud83d\ude00"})",
                       "{\"a\":\"x\xEF\xBF\xBDy\",\"\xEF\xBF\xBD\":\"\xF0\x9F\x98\x80\"}",
                       {{"halves of surrogate pairs, which are U+FFFD now", 2}}}),
    [](const auto& test) { return test.param.name; });

TEST(KvirStreamWriter, WhatIsNoEventIsRefusedAndOthersFollow) {
  const KvirWritten written =
      write_events({R"({"a":1})", R"({"b":)", "[1]", "7", "", R"({"c":1} x)", R"({"d":[1})",
                    "{\"e\":\"\xFF\"}", R"({"f":{"g":{"h":{}}}})", R"({"a":2})"},
                   false, 3);
  EXPECT_THAT(written.errors,
              ElementsAre("the event is no JSON", "the event is no JSON object",
                          "the event is no JSON object", "the event is no JSON object",
                          HasSubstr("follows"), "the event is no JSON", "the event is not UTF-8"));
  const KvirRead read = read_kvir(written.stream);
  EXPECT_EQ(read.error, "");
  EXPECT_THAT(read.events, ElementsAre(R"({"a":1})", R"({"f":{"g":{"h":{}}}})", R"({"a":2})"));
}

TEST(KvirStreamWriter, KeysThatAreTooDeepOrTooManyAreRefused) {
  std::string deep;
  for (int i = 0; i < 10000; ++i) {
    deep += R"({"k":)";
  }
  deep += "1" + std::string(10000, '}');
  EXPECT_THAT(write_events({deep}).errors, ElementsAre(HasSubstr("deeper than 1024 levels")));
  testing_io::TextSink sink;
  const auto writer = StreamWriter::open(sink, {.codec = "none", .tree_bytes = 1000});
  std::string error;
  for (int i = 0; i < 10 && error.empty(); ++i) {
    const Status status = (*writer)->add("{\"k" + std::to_string(i) + "\":1}");
    error = status ? "" : status.error().message();
  }
  EXPECT_THAT(error, HasSubstr("more than 1000 bytes"));
}

// Random documents, whose text is what a reader gives back.
class KvirRandomEvents {
 public:
  explicit KvirRandomEvents(std::uint32_t seed) : random_(seed) {}

  // Keys come in the order of the alphabet, so that no order is lost.
  std::string object(int depth) {
    std::string out = "{";
    for (const char key : std::string_view("abcdef")) {
      if (below(2) == 0) {
        continue;
      }
      out += out.size() > 1 ? "," : "";
      // A key has one type in all events, or its nodes would not come in order.
      out += std::string("\"") + key + "\":" + value(key, depth);
    }
    return out + "}";
  }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  std::string value(char key, int depth) {
    switch (key) {
      case 'a':
        return std::to_string(static_cast<std::int64_t>(random_()) >> below(63));
      case 'b':
        return '"' + text() + '"';
      case 'c':
        return "[" + std::to_string(below(1000)) + ", \"" + text() + "\"]";
      case 'd':
        return below(2) == 0 ? "true" : "false";
      case 'e': {
        const double number = std::bit_cast<double>(random_());
        std::string out;
        append_real(number == number && number - number == 0 ? number : 0.5, out);
        return out;
      }
      default:
        return depth == 0 || below(8) == 0 ? "null" : object(depth - 1);
    }
  }
  std::string text() {
    constexpr std::string_view kPieces[] = {" ",    "-17",     "2.50",    "id7", "=abc",
                                            "\\\\", "\\u0011", "dead",    "7",   ".",
                                            "0.0",  "x",       "\xC3\xA9"};
    std::string out;
    for (std::uint32_t n = below(9); n > 0; --n) {
      out += kPieces[below(std::size(kPieces))];
    }
    return out;
  }
  std::mt19937_64 random_;
};

TEST(KvirStreamWriter, RandomEventsComeBack) {
  // An event with all keys at all depths gives the nodes their order.
  const std::string first =
      R"({"a":1,"b":"","c":[],"d":true,"e":0.5,"f":{"a":1,"b":"","c":[],"d":true,"e":0.5,)"
      R"("f":{"a":1,"b":"","c":[],"d":true,"e":0.5,"f":null}}})";
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    KvirRandomEvents random(seed);
    std::vector<std::string> events = {first};
    for (int i = 0; i < 50; ++i) {
      events.push_back(random.object(2));
    }
    const KvirWritten written = write_events(events, seed % 2 == 0);
    EXPECT_THAT(written.errors, IsEmpty());
    const KvirRead read = read_kvir(written.stream);
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.events, events) << "seed " << seed;
    EXPECT_THAT(written.changes, IsEmpty());
  }
}

TEST(KvirStreamWriter, ManyKeysHaveLongerIds) {
  std::vector<std::string> events;
  for (int i = 0; i < 40000; i += 400) {
    std::string event = "{";
    for (int k = i; k < i + 400; ++k) {
      event += (k > i ? ",\"k" : "\"k") + std::to_string(k) + "\":" + std::to_string(k);
    }
    events.push_back(event + "}");
  }
  const KvirRead read = read_kvir(write_events(events).stream);
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.events, events);
}

TEST(KvirStreamWriter, LongTextsHaveLongerLengths) {
  for (const std::size_t size : {255, 256, 65535, 65536, 200000}) {
    const std::vector<std::string> events = {"{\"" + std::string(size, 'k') + "\":\"" +
                                             std::string(size, 'v') + "\",\"t\":\"a " +
                                             std::string(size - 2, '7') + "\"}"};
    const KvirRead read = read_kvir(write_events(events).stream);
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.events, events);
  }
}

}  // namespace
}  // namespace fonds::kvir
