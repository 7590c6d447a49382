#include "codec/zstd/encoder.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <fonds/encoder.hpp>

#include "codec/encoder_testing.hpp"
#include "codec/zstd/codec.hpp"
#include "codec/zstd/extension.hpp"
#include "codec/zstd/frame.hpp"
#include "codec/zstd/train.hpp"
#include "io/testing.hpp"

namespace fonds::zstd {
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
using Extension = EncodeOptions::Extension;

std::vector<std::string> findings_of(const std::string& stored) {
  std::vector<std::string> codes;
  EXPECT_TRUE(check_frames(Window(as_bytes(stored)), kCommonDictionary,
                           [&](const Finding& found) { codes.emplace_back(found.code); }));
  return codes;
}

std::vector<FrameInfo> frames_of(const std::string& stored) {
  std::vector<FrameInfo> frames;
  walk_frames(as_bytes(stored), [&](const FrameInfo& frame) { frames.push_back(frame); });
  return frames;
}

// Of records like those of sample_units().
const ZstdDictionary& sample_dictionary() {
  static const ZstdDictionary dictionary = [] {
    SampleSet samples;
    for (int n = 0; n < 400; ++n) {
      samples.add(as_bytes(record(n, 500)));
    }
    return *train_dictionary(samples, std::size_t{16} << 10, 3);
  }();
  return dictionary;
}

std::string skippable(std::uint32_t magic, std::string_view user_data) {
  std::string frame;
  for (const std::size_t value : {std::size_t{magic}, user_data.size()}) {
    for (int shift = 0; shift < 32; shift += 8) {
      frame += static_cast<char>(value >> shift & 0xFF);
    }
  }
  return frame.append(user_data);
}

struct Case {
  std::string name;
  EncodeOptions options;
  bool dictionary = false;
};
class ZstdEncoderOf : public testing::TestWithParam<Case> {
 protected:
  static EncodeOptions options() {
    EncodeOptions made = GetParam().options;
    made.codec = "zstd";
    if (GetParam().dictionary) {
      made.dictionary = sample_dictionary();
    }
    return made;
  }
};

TEST_P(ZstdEncoderOf, KeepsEveryRuleOfTheFormat) {
  const auto units = sample_units();
  const Encoded encoded = encode_units(options(), units);
  ASSERT_EQ(encoded.error, "");
  const auto codes = findings_of(encoded.stored);
  if (GetParam().options.extension == Extension::None) {
    EXPECT_THAT(codes, testing::IsEmpty());
  } else {
    EXPECT_THAT(codes, testing::Each(testing::StartsWith("zn-")));
  }
  EXPECT_EQ(read_all(zstd_codec(), mapped(encoded.stored)).all(), joined(units));
}

TEST_P(ZstdEncoderOf, KeepsThemInAnArchiveWithoutUnits) {
  const Encoded encoded = encode_units(options(), {});
  ASSERT_EQ(encoded.error, "");
  EXPECT_THAT(findings_of(encoded.stored), testing::Each(testing::StartsWith("zn-")));
  EXPECT_THAT(findings_of(encoded.stored), testing::Contains("zn-empty"));
}

TEST_P(ZstdEncoderOf, NoFrameHoldsTwoUnits) {
  const auto units = sample_units();
  const Encoded encoded = encode_units(options(), units);
  ASSERT_EQ(encoded.places.size(), units.size());
  for (std::size_t n = 0; n < units.size(); ++n) {
    std::uint64_t size = 0;
    for (const FrameInfo& frame :
         frames_of(encoded.stored.substr(encoded.places[n].offset, encoded.places[n].length))) {
      EXPECT_EQ(frame.state, FrameState::Complete);
      size += frame.header.content_size.value_or(0);
    }
    EXPECT_EQ(size, units[n].size());
  }
}

INSTANTIATE_TEST_SUITE_P(Options, ZstdEncoderOf,
                         testing::ValuesIn(std::vector<Case>{
                             {"Usual", {}},
                             {"Fastest", {.level = -7}},
                             {"Level19", {.level = 19}},
                             {"Level22", {.level = 22}},
                             {"Dictionary", {}, true},
                             {"DictionaryRaw", {.raw_dictionary = true}, true},
                             {"DictionaryLevel9", {.level = 9}, true},
                             {"DictionaryLevel22", {.level = 22}, true},
                             {"DictionaryFastest", {.level = -7}, true},
                             {"DictionarySmallFrames", {.frame_bytes = 64 << 10}, true},
                             {"DictionarySizePrefix", {.extension = Extension::SizePrefix}, true},
                             {"DictionarySeekTable", {.extension = Extension::SeekTable}, true},
                             {"SmallFrames", {.frame_bytes = 64 << 10}},
                             {"SizePrefix", {.extension = Extension::SizePrefix}},
                             {"SeekTable", {.extension = Extension::SeekTable}},
                             {"Threads", {.threads = 3}, true},
                         }),
                         [](const auto& named) { return named.param.name; });

TEST(ZstdEncoder, NoLevelHasAWindowThatReadersNeedNotSupport) {
  const std::string unit(std::size_t{20} << 20, 'a');
  for (int level = -7; level <= 22; ++level) {
    const Encoded encoded = encode_units({.codec = "zstd", .level = level}, {unit});
    EXPECT_THAT(findings_of(encoded.stored), testing::IsEmpty()) << level;
  }
}

TEST(ZstdEncoder, LargeUnitsAreCutIntoFramesThatTellTheirSize) {
  const std::string unit = record(1, 300000);
  const Encoded encoded =
      encode_units({.codec = "zstd", .frame_bytes = 65536}, {unit}, {.promise = false});
  const auto frames = frames_of(encoded.stored);
  ASSERT_EQ(frames.size(), (unit.size() + 65535) / 65536);
  EXPECT_EQ(frames[0].header.content_size, 65536U);
  EXPECT_EQ(frames.back().header.content_size, unit.size() % 65536);
  ASSERT_EQ(encoded.places.size(), 1U);
  EXPECT_EQ(encoded.places[0].length, encoded.stored.size());
}

TEST(ZstdEncoder, AUnitThatFillsItsFramesHasNoEmptyOne) {
  const std::string unit(131072, 'a');
  const Encoded encoded = encode_units({.codec = "zstd", .frame_bytes = 65536}, {unit});
  EXPECT_EQ(frames_of(encoded.stored).size(), 2U);
}

TEST(ZstdEncoder, TheDictionaryFrameHoldsTheDictionary) {
  for (const bool raw : {false, true}) {
    const Encoded encoded = encode_units(
        {.codec = "zstd", .dictionary = sample_dictionary(), .raw_dictionary = raw}, {record(1)});
    const auto read_back = ZstdDictionary::parse(as_bytes(encoded.stored));
    ASSERT_TRUE(read_back.has_value());
    EXPECT_TRUE(std::ranges::equal(read_back->bytes(), sample_dictionary().bytes()));
    const FrameInfo first = frames_of(encoded.stored)[0];
    const std::size_t size = static_cast<std::size_t>(first.size) - 8;
    const auto info =
        check_dictionary(as_bytes(encoded.stored).subspan(8, size), size, 0, kCommonDictionary,
                         [](const Finding& found) { FAIL() << found.message; });
    EXPECT_EQ(info.compressed, !raw);
  }
}

TEST(ZstdEncoder, ADictionaryMakesSmallUnitsSmaller) {
  const std::vector<std::string> units = {record(501, 300)};
  const EncodeOptions with = {.codec = "zstd", .dictionary = sample_dictionary()};
  const Encoded plain = encode_units({.codec = "zstd"}, units);
  EXPECT_LT(encode_units(with, units).places[0].length, plain.places[0].length);
}

TEST(ZstdEncoder, WhatContinuesAnArchiveHasNoDictionaryFrame) {
  const Encoded encoded = encode_units(
      {.codec = "zstd", .continues = true, .dictionary = sample_dictionary()}, {record(1)});
  const auto frames = frames_of(encoded.stored);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].header.dictionary_id, sample_dictionary().id());
}

TEST(ZstdEncoder, SizePrefixesTellTheFrameBehindThem) {
  const auto units = sample_units();
  const Encoded encoded = encode_units(
      {.codec = "zstd", .extension = Extension::SizePrefix, .frame_bytes = 65536}, units);
  const auto frames = frames_of(encoded.stored);
  std::size_t seen = 0;
  for (std::size_t n = 0; n + 1 < frames.size(); ++n) {
    const auto sizes = parse_size_prefix(
        as_bytes(encoded.stored).subspan(static_cast<std::size_t>(frames[n].offset)));
    if (sizes) {
      EXPECT_EQ(sizes->stored, frames[n + 1].size);
      EXPECT_EQ(sizes->decoded, frames[n + 1].header.content_size);
      ++seen;
    }
  }
  EXPECT_EQ(frames.size(), 2 * seen + 1) << "the first frame is empty";
  EXPECT_EQ(frames_of(encoded.stored.substr(encoded.places[0].offset))[0].kind, FrameKind::Zstd)
      << "a unit begins with its first zstd frame";
}

TEST(ZstdEncoder, SizePrefixOfAnotherFrameIsTold) {
  const Encoded encoded = encode_units({.codec = "zstd", .extension = Extension::SizePrefix},
                                       {record(1), record(2, 5000), record(3, 300)});
  EXPECT_THAT(findings_of(encoded.stored), testing::Not(testing::Contains("size-prefix")));
  const auto frames = frames_of(encoded.stored);
  for (std::size_t n = 0; n < frames.size(); ++n) {
    if (frames[n].kind == FrameKind::Skippable && n + 2 < frames.size()) {
      std::string lacks = encoded.stored;
      lacks.erase(static_cast<std::size_t>(frames[n + 1].offset),
                  static_cast<std::size_t>(frames[n + 1].size));
      EXPECT_THAT(findings_of(lacks), testing::Contains("size-prefix")) << n;
    }
  }
}

TEST(ZstdEncoder, TheSeekTableListsAllFrames) {
  for (const bool dictionary : {false, true}) {
    EncodeOptions options = {.codec = "zstd", .extension = Extension::SeekTable};
    if (dictionary) {
      options.dictionary = sample_dictionary();
    }
    TextSink sink;
    const auto encoder = make_encoder(sink, options);
    ASSERT_TRUE((*encoder)->put_stored(as_bytes(skippable(0x184D2A53, "mine"))));
    for (const std::string& unit : sample_units()) {
      ASSERT_TRUE(write_unit(**encoder, unit));
    }
    ASSERT_TRUE((*encoder)->finish());

    const auto table = SeekTable::parse(as_bytes(sink.content));
    ASSERT_TRUE(table);
    const auto frames = frames_of(sink.content);
    ASSERT_EQ(table->size() + 1, frames.size());
    for (std::size_t n = 0; n < table->size(); ++n) {
      EXPECT_EQ((*table)[n].stored, frames[n].size);
      EXPECT_EQ((*table)[n].decoded, frames[n].header.content_size.value_or(0));
    }
    EXPECT_EQ(read_all(zstd_codec(), mapped(sink.content)).all(), joined(sample_units()));
  }
}

TEST(ZstdSeekTable, IsLeftOutIfAFrameDoesNotFitIt) {
  SeekTable table;
  table.add(100, 200);
  EXPECT_FALSE(table.empty());
  table.add(std::uint64_t{1} << 32, 200);
  EXPECT_TRUE(table.empty());
  table.add(100, 200);
  EXPECT_TRUE(table.empty());
}

TEST(ZstdSeekTable, WhatIsNoTableIsNotRead) {
  SeekTable table;
  table.add(100, 200);
  Buffer out;
  table.emit(out);
  const std::string good(as_text(out.view()));
  ASSERT_TRUE(SeekTable::parse(as_bytes(good)));
  for (std::size_t n = 0; n < good.size(); ++n) {
    EXPECT_FALSE(SeekTable::parse(as_bytes(good).subspan(n + 1))) << n;
  }
  std::string many = good;
  many.replace(many.size() - 9, 4, "\xff\xff\xff\xff");
  EXPECT_FALSE(SeekTable::parse(as_bytes(many)));
}

TEST(ZstdEncoder, AnExtensionIsNeverTheFirstFrame) {
  TextSink sink;
  const auto encoder = make_encoder(sink, {.codec = "zstd"});
  ASSERT_TRUE((*encoder)->put_stored(as_bytes(skippable(0x184D2A53, "mine"))));
  ASSERT_TRUE(write_unit(**encoder, record(1)));
  ASSERT_TRUE((*encoder)->finish());
  EXPECT_EQ(sink.content.substr(0, 13),
            std::string("\x28\xB5\x2F\xFD\x24\x00\x01\x00\x00\x99\xE9\xD8\x51", 13));
  EXPECT_THAT(findings_of(sink.content), testing::ElementsAre("zn-empty", "zn-ext"));
}

struct StoredCase {
  std::string name;
  bool dictionary;  // of the encoder
  std::string (*stored)();
  std::string message;
};
class ZstdEncoderRefusesStored : public testing::TestWithParam<StoredCase> {};

std::string frame_without_dictionary() {
  return encode_units({.codec = "zstd"}, {record(1)}).stored;
}
std::string file_with_dictionary() {
  return encode_units({.codec = "zstd", .dictionary = sample_dictionary()}, {record(1)}).stored;
}

TEST_P(ZstdEncoderRefusesStored, WithOneSentence) {
  EncodeOptions options = {.codec = "zstd"};
  if (GetParam().dictionary) {
    options.dictionary = sample_dictionary();
  }
  TextSink sink;
  const auto encoder = make_encoder(sink, options);
  const Status status = (*encoder)->put_stored(as_bytes(GetParam().stored()));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::BadArgument);
  EXPECT_THAT(status.error().message(), testing::StartsWith(GetParam().message));
  EXPECT_EQ(sink.content, "");
}

INSTANTIATE_TEST_SUITE_P(
    Bytes, ZstdEncoderRefusesStored,
    testing::ValuesIn(std::vector<StoredCase>{
        {"CutFrame", false, [] { return frame_without_dictionary().substr(0, 100); },
         "stored bytes that are not whole zstd frames, at byte 0 of 100"},
        {"Garbage", false, [] { return frame_without_dictionary() + "garbage"; },
         "stored bytes that are not whole zstd frames"},
        {"DictionaryFrame", false, [] { return file_with_dictionary(); },
         "a stored dictionary frame"},
        {"FrameThatNeedsADictionary", false,
         [] {
           const std::string file = file_with_dictionary();
           return file.substr(static_cast<std::size_t>(frames_of(file)[1].offset));
         },
         "a stored zstd frame that needs the dictionary "},
        {"FrameWithoutDictionary", true, [] { return frame_without_dictionary(); },
         "a stored zstd frame without a dictionary, in a file that has the dictionary "},
    }),
    [](const auto& named) { return named.param.name; });

struct DictionaryCase {
  std::string name;
  std::string (*bytes)();
  ErrorCode code;
};
class ZstdDictionaryRefuses : public testing::TestWithParam<DictionaryCase> {};

std::string good_dictionary() { return std::string(as_text(sample_dictionary().bytes())); }

TEST_P(ZstdDictionaryRefuses, WhatCannotGovernAFile) {
  const auto dictionary = ZstdDictionary::parse(as_bytes(GetParam().bytes()));
  ASSERT_FALSE(dictionary.has_value());
  EXPECT_EQ(dictionary.error().code(), GetParam().code) << dictionary.error().message();
  if (GetParam().code == ErrorCode::LimitExceeded) {
    EXPECT_THAT(dictionary.error().message(), testing::HasSubstr("8388608"));
  }
}

std::string compressed(const std::string& text, bool checksum = false) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum ? 1 : 0);
  out.resize(ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return out;
}

// The dictionary in a frame whose Frame_Content_Size is wrong.
std::string with_wrong_size(bool checksum) {
  std::string frame = compressed(good_dictionary(), checksum);
  EXPECT_LT(good_dictionary().size(), 65536U) << "two bytes at 5; RFC 8878, 3.1.1.1";
  frame[5] = static_cast<char>(frame[5] ^ 0x20);
  return frame;
}

INSTANTIATE_TEST_SUITE_P(
    Bytes, ZstdDictionaryRefuses,
    testing::ValuesIn(std::vector<DictionaryCase>{
        {"Empty", [] { return std::string(); }, ErrorCode::BadArgument},
        {"RawContent", [] { return record(1); }, ErrorCode::BadArgument},
        {"OnlyItsMagic", [] { return good_dictionary().substr(0, 4); }, ErrorCode::BadArgument},
        {"Cut", [] { return good_dictionary().substr(0, 60); }, ErrorCode::BadArgument},
        {"IdZero", [] { return good_dictionary().replace(4, 4, 4, '\0'); }, ErrorCode::BadArgument},
        {"BadTables", [] { return good_dictionary().replace(8, 60, 60, '\xff'); },
         ErrorCode::BadArgument},
        {"TooLarge", [] { return good_dictionary() + std::string(std::size_t{8} << 20, 'a'); },
         ErrorCode::LimitExceeded},
        {"Bomb", [] { return compressed(good_dictionary() + std::string(50000000, 'a')); },
         ErrorCode::LimitExceeded},
        {"FrameOfRawContent", [] { return compressed(record(1)); }, ErrorCode::BadArgument},
        {"CutFrame", [] { return compressed(good_dictionary()).substr(0, 1000); },
         ErrorCode::BadArgument},
        {"WrongChecksum",
         [] {
           std::string frame = compressed(good_dictionary(), true);
           frame.back() = static_cast<char>(frame.back() ^ 1);
           return frame;
         },
         ErrorCode::BadArgument},
        {"WrongSizeAndNoChecksum", [] { return with_wrong_size(false); }, ErrorCode::BadArgument},
        {"SkippableThatIsCut",
         [] { return skippable(0x184D2A5D, good_dictionary()).substr(0, 99); },
         ErrorCode::BadArgument},
        {"EmptyDictionaryFrame", [] { return skippable(0x184D2A5D, ""); }, ErrorCode::BadArgument},
    }),
    [](const auto& named) { return named.param.name; });

TEST(ZstdDictionary, IsTakenInAllItsForms) {
  for (const std::string& form :
       {good_dictionary(), compressed(good_dictionary()), compressed(good_dictionary(), true),
        with_wrong_size(true), skippable(0x184D2A5D, good_dictionary()) + "what follows",
        skippable(0x184D2A5D, compressed(good_dictionary()))}) {
    const auto dictionary = ZstdDictionary::parse(as_bytes(form));
    ASSERT_TRUE(dictionary.has_value());
    EXPECT_EQ(as_text(dictionary->bytes()), good_dictionary());
    EXPECT_EQ(dictionary->id(), sample_dictionary().id());
  }
}

TEST(ZstdDictionary, OneThatDoesNotCompressIsStoredRawAtTheLimit) {
  std::string content = good_dictionary();
  std::uint64_t state = 1;
  while (content.size() < kCommonDictionary) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    content += static_cast<char>(state >> 56);
  }
  const auto dictionary = ZstdDictionary::parse(as_bytes(content));
  ASSERT_TRUE(dictionary.has_value());
  Buffer out;
  ASSERT_TRUE(emit_dictionary_frame(*dictionary, false, out));
  EXPECT_LE(out.size(), 8 + kCommonDictionary);
}

}  // namespace
}  // namespace fonds::zstd
