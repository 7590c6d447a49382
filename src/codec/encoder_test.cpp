#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fonds/codec.hpp>
#include <fonds/encoder.hpp>
#include <fonds/error.hpp>

#include "codec/encoder_testing.hpp"
#include "codec/testing.hpp"
#include "io/testing.hpp"

namespace fonds {
namespace {

using testing_codec::encode_units;
using testing_codec::Encoded;
using testing_codec::joined;
using testing_codec::mapped;
using testing_codec::read_all;
using testing_codec::record;
using testing_codec::sample_units;
using testing_codec::write_unit;
using testing_io::TextSink;

const Codec& codec_named(std::string_view name) {
  for (const Codec* codec : codecs()) {
    if (codec->name() == name) {
      return *codec;
    }
  }
  throw std::runtime_error("no such codec");
}

struct Case {
  std::string name;
  EncodeOptions options;
};
std::string name_of(const testing::TestParamInfo<Case>& info) { return info.param.name; }

std::vector<Case> cases() {
  using Extension = EncodeOptions::Extension;
  return {
      {"Plain", {.codec = "none"}},
      {"Gzip", {.codec = "gzip"}},
      {"GzipStoredBlocks", {.codec = "gzip", .level = 0}},
      {"GzipBest", {.codec = "gzip", .level = 9}},
      {"GzipSkipLengths", {.codec = "gzip", .skip_lengths = true}},
      {"GzipOneUnit", {.codec = "gzip", .one_unit = true}},
      {"Zstd", {.codec = "zstd"}},
      {"ZstdFastest", {.codec = "zstd", .level = -7}},
      {"ZstdBetter", {.codec = "zstd", .level = 12}},
      {"ZstdSmallFrames", {.codec = "zstd", .frame_bytes = 64 << 10}},
      {"ZstdSizePrefix", {.codec = "zstd", .extension = Extension::SizePrefix}},
      {"ZstdSeekTable", {.codec = "zstd", .extension = Extension::SeekTable}},
      {"Lz4", {.codec = "lz4"}},
      {"Lz4Best", {.codec = "lz4", .level = 9}},
      {"Lz4OneUnit", {.codec = "lz4", .one_unit = true}},
  };
}

class EncoderOf : public testing::TestWithParam<Case> {};
class EncoderThreadsOf : public testing::TestWithParam<Case> {};

TEST_P(EncoderOf, GivesUnitsThatDecodeToWhatWasWritten) {
  const auto units = sample_units();
  const Encoded encoded = encode_units(GetParam().options, units);
  ASSERT_EQ(encoded.error, "");

  const auto decoded = read_all(codec_named(GetParam().options.codec), mapped(encoded.stored));
  EXPECT_EQ(decoded.all(), joined(units));
  EXPECT_THAT(decoded.codes, testing::Each(testing::StartsWith("zn-"))) << "only of extensions";
  EXPECT_EQ(decoded.error, "");
}

TEST_P(EncoderOf, TellsWhereEachUnitLies) {
  const auto units = sample_units();
  const Encoded encoded = encode_units(GetParam().options, units);

  const std::vector<std::string> told =
      GetParam().options.one_unit ? std::vector{joined(units)} : units;
  ASSERT_EQ(encoded.places.size(), told.size());
  for (std::size_t n = 0; n < told.size(); ++n) {
    const auto& place = encoded.places[n];
    EXPECT_EQ(place.unit, n);
    const std::string unit = encoded.stored.substr(place.offset, place.length);
    EXPECT_EQ(read_all(codec_named(GetParam().options.codec), mapped(unit)).all(), told[n]) << n;
  }
}

TEST_P(EncoderOf, DoesNotDependOnHowTheBytesCome) {
  const auto units = sample_units();
  const std::string whole = encode_units(GetParam().options, units).stored;

  EXPECT_EQ(encode_units(GetParam().options, units, {.step = 777}).stored, whole);
  EXPECT_EQ(encode_units(GetParam().options, units, {.promise = false}).stored, whole);
}

TEST_P(EncoderOf, AnArchiveWithoutUnitsIsAnEmptyUnit) {
  const Encoded encoded = encode_units(GetParam().options, {});
  EXPECT_EQ(encoded.error, "");
  EXPECT_EQ(encoded.stored.empty(), GetParam().options.codec == "none");

  const auto decoded = read_all(codec_named(GetParam().options.codec), mapped(encoded.stored));
  EXPECT_EQ(decoded.all(), "");
  EXPECT_THAT(decoded.codes,
              testing::Each(testing::AnyOf(testing::StartsWith("zn-"), "empty-member")));
  EXPECT_TRUE(encoded.places.empty());
}

TEST_P(EncoderOf, EmptyUnitsCountAsUnits) {
  const Encoded encoded = encode_units(GetParam().options, {"", record(1), ""});
  ASSERT_EQ(encoded.error, "");
  EXPECT_EQ(encoded.places.size(), GetParam().options.one_unit ? 1U : 3U);
  EXPECT_EQ(read_all(codec_named(GetParam().options.codec), mapped(encoded.stored)).all(),
            record(1));
}

TEST_P(EncoderOf, AFullDiskIsAnErrorAtEveryByte) {
  const std::vector<std::string> units = {record(1, 300), record(2, 0), record(3, 500)};
  const std::string whole = encode_units(GetParam().options, units).stored;
  for (const unsigned threads : {1U, 2U}) {
    EncodeOptions options = GetParam().options;
    options.threads = threads;
    // Threads are slow to start: fewer places do.
    for (std::size_t room = 0; room < whole.size(); room += threads == 1 ? 1 : 97) {
      const Encoded cut = encode_units(options, units, {.room = room});
      ASSERT_EQ(cut.error, "no space left on device") << room;
      ASSERT_EQ(cut.stored, whole.substr(0, room));
    }
  }
}

TEST_P(EncoderOf, ContinuesAnArchiveBehindItsEnd) {
  EncodeOptions options = GetParam().options;
  TextSink sink;
  sink.content = encode_units(options, {record(1)}).stored;
  const std::uint64_t end = sink.content.size();
  options.continues = true;
  const auto encoder = make_encoder(sink, options);
  if (options.extension == EncodeOptions::Extension::SeekTable) {
    ASSERT_FALSE(encoder.has_value());
    return;
  }
  ASSERT_TRUE(encoder.has_value());
  std::uint64_t told = 0;
  (*encoder)->on_unit = [&](std::uint64_t, std::uint64_t offset, std::uint64_t) { told = offset; };
  ASSERT_TRUE(write_unit(**encoder, record(2)));
  ASSERT_TRUE((*encoder)->finish());

  EXPECT_EQ(read_all(codec_named(options.codec), mapped(sink.content)).all(),
            record(1) + record(2));
  EXPECT_GE(told, end);
}

TEST_P(EncoderOf, StoredUnitsGoThroughUnchanged) {
  if (GetParam().options.one_unit) {
    TextSink sink;
    const auto encoder = make_encoder(sink, GetParam().options);
    const Status status = (*encoder)->put_stored(as_bytes("\x1f\x8b"));
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code(), ErrorCode::BadArgument);
    return;
  }
  EncodeOptions plain = GetParam().options;
  plain.extension = EncodeOptions::Extension::None;
  const std::string one = encode_units(plain, {record(1)}).stored;
  const std::string large = encode_units(plain, {record(2, 1200000)}).stored;
  for (const unsigned threads : {1U, 3U}) {
    EncodeOptions options = GetParam().options;
    options.threads = threads;
    TextSink sink;
    const auto encoder = make_encoder(sink, options);
    std::vector<std::string> told;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> places;
    (*encoder)->on_unit = [&](std::uint64_t, std::uint64_t offset, std::uint64_t length) {
      places.emplace_back(offset, length);
    };
    ASSERT_TRUE(write_unit(**encoder, record(0)));
    ASSERT_TRUE((*encoder)->begin_unit());
    ASSERT_TRUE((*encoder)->put_stored(as_bytes(one)));
    ASSERT_TRUE((*encoder)->end_unit());
    ASSERT_TRUE((*encoder)->begin_unit());
    ASSERT_TRUE((*encoder)->put_stored(as_bytes(large)));
    ASSERT_TRUE((*encoder)->put_stored(as_bytes(one)));
    ASSERT_TRUE((*encoder)->end_unit());
    ASSERT_TRUE((*encoder)->put_stored(as_bytes(one)));
    ASSERT_TRUE(write_unit(**encoder, record(3)));
    ASSERT_TRUE((*encoder)->finish());

    ASSERT_EQ(places.size(), 4U);
    EXPECT_EQ(sink.content.substr(places[1].first, places[1].second), one);
    EXPECT_EQ(sink.content.substr(places[2].first, places[2].second), large + one);
    EXPECT_EQ(read_all(codec_named(options.codec), mapped(sink.content)).all(),
              record(0) + record(1) + record(2, 1200000) + record(1) + record(1) + record(3));
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, EncoderOf, testing::ValuesIn(cases()), name_of);

TEST_P(EncoderThreadsOf, MakeTheSameBytesForAnyNumber) {
  const auto units = sample_units();
  const Encoded one = encode_units(GetParam().options, units);
  for (const unsigned threads : {2U, 7U, 0U}) {
    EncodeOptions options = GetParam().options;
    options.threads = threads;
    const Encoded more = encode_units(options, units);
    EXPECT_EQ(more.error, "");
    EXPECT_EQ(more.stored, one.stored) << threads;
    EXPECT_EQ(more.places, one.places) << threads;
  }
}

TEST_P(EncoderThreadsOf, DoWithLittleMemory) {
  const auto units = sample_units();
  EncodeOptions options = GetParam().options;
  options.threads = 3;
  options.memory_budget = 0;
  EXPECT_EQ(encode_units(options, units).stored, encode_units(GetParam().options, units).stored);
}

TEST_P(EncoderThreadsOf, EndPromptlyWithoutFinish) {
  EncodeOptions options = GetParam().options;
  options.threads = 4;
  TextSink sink;
  {
    const auto encoder = make_encoder(sink, options);
    for (const std::string& unit : sample_units()) {
      ASSERT_TRUE(write_unit(**encoder, unit));
    }
    ASSERT_TRUE((*encoder)->begin_unit());
  }
  SUCCEED();
}

INSTANTIATE_TEST_SUITE_P(Codecs, EncoderThreadsOf, testing::ValuesIn(cases()), name_of);

struct RefusedCase {
  std::string name;
  EncodeOptions options;
  std::string message;
};
class EncoderRefuses : public testing::TestWithParam<RefusedCase> {};

TEST_P(EncoderRefuses, WithOneSentence) {
  TextSink sink;
  const auto encoder = make_encoder(sink, GetParam().options);
  ASSERT_FALSE(encoder.has_value());
  EXPECT_EQ(encoder.error().code(), ErrorCode::BadArgument);
  EXPECT_EQ(encoder.error().message(), GetParam().message);
  EXPECT_EQ(sink.content, "");
}

INSTANTIATE_TEST_SUITE_P(
    Options, EncoderRefuses,
    testing::ValuesIn(std::vector<RefusedCase>{
        {"UnknownCodec",
         {.codec = "xz"},
         "xz: no codec to write with; there are none, gzip, zstd and lz4"},
        {"GzipLevel13", {.codec = "gzip", .level = 13}, "gzip: level 13: there are 0 to 12"},
        {"GzipLevelBelow0", {.codec = "gzip", .level = -1}, "gzip: level -1: there are 0 to 12"},
        {"ZstdLevel23", {.codec = "zstd", .level = 23}, "zstd: level 23: there are -7 to 22"},
        {"ZstdLevelBelow", {.codec = "zstd", .level = -8}, "zstd: level -8: there are -7 to 22"},
        {"Lz4Level0", {.codec = "lz4", .level = 0}, "lz4: level 0: there are 1 to 12"},
        {"PlainLevel", {.codec = "none", .level = 1}, "none: there are no levels"},
        {"ZstdOneUnit", {.codec = "zstd", .one_unit = true}, "zstd: no frame may hold two records"},
        {"SkipLengthsOfZstd",
         {.codec = "zstd", .skip_lengths = true},
         "zstd: only gzip members have skip-lengths"},
        {"ExtensionOfGzip",
         {.codec = "gzip", .extension = EncodeOptions::Extension::SizePrefix},
         "gzip: only zstd has dictionaries and extension frames"},
        {"RawDictionaryOfNone",
         {.codec = "zstd", .raw_dictionary = true},
         "zstd: there is no dictionary to store uncompressed"},
        {"TinyFrames",
         {.codec = "zstd", .frame_bytes = 0},
         "frames of 0 bytes: between 65536 and 1073741824 are possible"},
        {"HugeFrames",
         {.codec = "zstd", .frame_bytes = ~std::uint64_t{0}},
         "frames of 18446744073709551615 bytes: between 65536 and 1073741824 are possible"},
    }),
    [](const auto& named) { return named.param.name; });

struct OrderCase {
  std::string name;
  Status (*calls)(Encoder&);
  std::string message;
};
class EncoderOrder : public testing::TestWithParam<OrderCase> {};

TEST_P(EncoderOrder, IsKeptTo) {
  for (const std::string codec : {"none", "gzip", "zstd", "lz4"}) {
    TextSink sink;
    const auto encoder = make_encoder(sink, {.codec = codec});
    const Status status = GetParam().calls(**encoder);
    ASSERT_FALSE(status) << codec;
    EXPECT_EQ(status.error().code(), ErrorCode::BadArgument);
    EXPECT_EQ(status.error().message(), GetParam().message);
    const Status again = (*encoder)->begin_unit();
    ASSERT_FALSE(again) << "an error stays";
    EXPECT_EQ(again.error().code(), ErrorCode::BadArgument);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Calls, EncoderOrder,
    testing::ValuesIn(std::vector<OrderCase>{
        {"WriteOutsideOfAUnit", [](Encoder& e) { return e.write(as_bytes("a")); },
         "bytes outside of a unit"},
        {"EndOutsideOfAUnit", [](Encoder& e) { return e.end_unit(); }, "no unit to end"},
        {"UnitInAUnit",
         [](Encoder& e) -> Status {
           FONDS_CHECK(e.begin_unit());
           return e.begin_unit();
         },
         "a unit begins in another one"},
        {"FinishInAUnit",
         [](Encoder& e) -> Status {
           FONDS_CHECK(e.begin_unit());
           return e.finish();
         },
         "the archive ends in a unit"},
        {"FinishTwice",
         [](Encoder& e) -> Status {
           FONDS_CHECK(e.finish());
           return e.finish();
         },
         "the encoder has finished"},
        {"StoredBytesInAnEncodedUnit",
         [](Encoder& e) -> Status {
           FONDS_CHECK(e.begin_unit());
           FONDS_CHECK(e.write(as_bytes("a")));
           return e.put_stored(as_bytes("b"));
         },
         "stored bytes in a unit that is being encoded"},
        {"MoreThanWasPromised",
         [](Encoder& e) -> Status {
           FONDS_CHECK(e.begin_unit(2));
           return e.write(as_bytes("abc"));
         },
         "a unit of 2 bytes gets more"},
        {"LessThanWasPromised",
         [](Encoder& e) -> Status {
           FONDS_CHECK(e.begin_unit(~std::uint64_t{0}));
           FONDS_CHECK(e.write(as_bytes("abc")));
           return e.end_unit();
         },
         "a unit of 18446744073709551615 bytes gets only 3"},
    }),
    [](const auto& named) { return named.param.name; });

TEST(Encoder, BytesThatAreNoUnitsAreNotStored) {
  for (const std::string codec : {"gzip", "zstd", "lz4"}) {
    TextSink sink;
    const auto encoder = make_encoder(sink, {.codec = codec});
    const Status status = (*encoder)->put_stored(as_bytes("WARC/1.1\r\n"));
    ASSERT_FALSE(status) << codec;
    EXPECT_EQ(status.error().code(), ErrorCode::BadArgument);
    EXPECT_EQ(sink.content, "");
  }
}

TEST(Encoder, ACallbackThatThrowsIsAnError) {
  TextSink sink;
  const auto encoder = make_encoder(sink, {.codec = "gzip"});
  (*encoder)->on_unit = [](auto...) { throw std::runtime_error("no"); };
  const Status status = write_unit(**encoder, "text");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message(), "no");
}

TEST(Encoder, LargeUnitsOfGzipAndLz4AreStreamed) {
  const std::vector<std::string> units = {record(1), record(2, (std::size_t{16} << 20) + 5),
                                          record(3)};
  for (const std::string codec : {"gzip", "lz4"}) {
    for (const unsigned threads : {1U, 2U}) {
      const EncodeOptions options = {.codec = codec, .level = 1, .threads = threads};
      const Encoded promised = encode_units(options, units);
      const Encoded unknown = encode_units(options, units, {.step = 100000, .promise = false});
      ASSERT_EQ(promised.error + unknown.error, "");
      ASSERT_EQ(promised.places.size(), 3U);
      EXPECT_EQ(read_all(codec_named(codec), mapped(promised.stored)).all(), joined(units));
      EXPECT_EQ(read_all(codec_named(codec), mapped(unknown.stored)).all(), joined(units));
      if (codec == "gzip") {
        EXPECT_EQ(promised.stored, unknown.stored);
      }
    }
  }
}

TEST(Encoder, LevelRangesAreKnown) {
  EXPECT_FALSE(level_range("none"));
  EXPECT_FALSE(level_range("xz"));
  EXPECT_EQ(level_range("zstd")->lowest, -7);
  EXPECT_EQ(level_range("gzip")->usual, 6);
}

}  // namespace
}  // namespace fonds
