#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fonds/buffer.hpp>
#include <fonds/encoder.hpp>

#include "codec/testing.hpp"
#include "codec/zstd/codec.hpp"
#include "codec/zstd/encoder.hpp"
#include "codec/zstd/extension.hpp"

namespace fonds::zstd {
namespace {

using testing_codec::mapped;
using testing_codec::piped;
using testing_codec::record;
using testing_codec::sample_text;

std::string frame(std::string_view text) {
  Buffer out;
  auto encoder = FrameEncoder::make(3, nullptr);
  EXPECT_TRUE(encoder && encoder->encode(as_bytes(text), out));
  return std::string(as_text(out.view()));
}

std::string prefix(std::uint64_t stored, std::uint64_t decoded) {
  std::string text(kSizePrefixSize, '\0');
  emit_size_prefix({.stored = stored, .decoded = decoded},
                   reinterpret_cast<std::byte*>(text.data()));
  return text;
}

// The checksum of the frame becomes wrong, which only decoding shows.
std::string damaged(std::string stored) {
  stored.back() = static_cast<char>(stored.back() ^ 1);
  return stored;
}

// A record over four frames, another one behind it.
struct FourFrames {
  std::string text = record(1, 1000000);
  std::vector<std::string> frames = {
      frame(std::string_view(text).substr(0, 300000)),
      frame(std::string_view(text).substr(300000, 300000)),
      frame(std::string_view(text).substr(600000, 300000)),
      frame(std::string_view(text).substr(900000)),
  };
  std::string next = record(2);

  std::string stored() const { return frames[0] + frames[1] + frames[2] + frames[3] + frame(next); }
};

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

std::unique_ptr<Decoder> open(std::shared_ptr<ByteSource> source, bool skim = true) {
  DecodeOptions options = testing_codec::probing();
  options.skim = skim;
  return std::move(*zstd_codec().decode(std::move(source), options));
}

TEST(ZstdSkim, FramesInsideARecordAreNotDecoded) {
  FourFrames file;
  file.frames[1] = damaged(file.frames[1]);
  file.frames[2] = damaged(file.frames[2]);
  const auto decoder = open(mapped(file.stored()));
  ASSERT_TRUE(decoder->peek(20));
  EXPECT_EQ(*decoder->skip(file.text.size()), file.text.size());
  EXPECT_FALSE(decoder->has_findings());
  EXPECT_EQ(rest_of(*decoder), file.next);
}

TEST(ZstdSkim, TheSameFramesAreCheckedWithoutSkimming) {
  FourFrames file;
  file.frames[1] = damaged(file.frames[1]);
  const auto decoder = open(mapped(file.stored()), false);
  EXPECT_EQ(*decoder->skip(file.text.size()), file.text.size());
  EXPECT_TRUE(decoder->has_findings());
}

TEST(ZstdSkim, AnyNumberOfBytesCanBeSkippedFromAnywhere) {
  const FourFrames file;
  const std::string all = file.text + file.next;
  for (const std::size_t from : {0U, 1U, 299999U, 300000U, 300001U, 650000U}) {
    for (const std::size_t n : {0U, 1U, 299999U, 300000U, 300001U, 349999U, 350000U}) {
      const auto decoder = open(mapped(file.stored()));
      ASSERT_EQ(*decoder->skip(from), from);
      ASSERT_TRUE(decoder->peek(1));
      EXPECT_EQ(*decoder->skip(n), n);
      EXPECT_EQ(rest_of(*decoder), all.substr(from + n)) << from << " and " << n;
    }
  }
}

TEST(ZstdSkim, SkippingEndsWhereTheDataEnds) {
  const FourFrames file;
  const auto decoder = open(mapped(file.stored()));
  EXPECT_EQ(*decoder->skip(std::uint64_t{1} << 40), file.text.size() + file.next.size());
}

TEST(ZstdSkim, SkippingEndsAtAGap) {
  const FourFrames file;
  std::string broken = file.frames[1];
  broken.replace(9, 40, std::string(40, '\xff'));
  const std::string stored = file.frames[0] + broken + file.frames[2] + frame(file.next);
  for (const bool skim : {false, true}) {
    const auto decoder = open(mapped(stored), skim);
    ASSERT_TRUE(decoder->peek(1));
    const auto skipped = decoder->skip(2000000);
    ASSERT_TRUE(skipped);
    EXPECT_EQ(*skipped, 300000U) << skim;
    EXPECT_TRUE(*decoder->next_run());
    EXPECT_EQ(rest_of(*decoder), file.next);
  }
}

TEST(ZstdSkim, APlaceBehindSteppedFramesIsExact) {
  const FourFrames file;
  const auto decoder = open(mapped(file.stored()));
  ASSERT_TRUE(decoder->peek(1));
  ASSERT_EQ(*decoder->skip(file.text.size()), file.text.size());
  ASSERT_TRUE(decoder->peek(1));
  EXPECT_EQ(decoder->place(), (Place{file.stored().size() - frame(file.next).size(), 0}));
}

struct Lie {
  const char* name;
  std::int64_t stored, decoded;  // what is added to the true sizes
};
class ZstdLyingPrefix : public testing::TestWithParam<Lie> {};

TEST_P(ZstdLyingPrefix, ChangesNothingOfWhatIsSkippedOrRead) {
  const FourFrames file;
  std::string stored = frame("");  // no extension is the first frame
  std::size_t at = 0;
  for (const std::string& one : file.frames) {
    const std::size_t size = std::min<std::size_t>(300000, file.text.size() - at);
    at += size;
    stored += prefix(one.size() + static_cast<std::uint64_t>(GetParam().stored),
                     size + static_cast<std::uint64_t>(GetParam().decoded)) +
              one;
  }
  stored += frame(file.next);
  const auto decoder = open(mapped(stored));
  ASSERT_TRUE(decoder->peek(1));
  EXPECT_EQ(*decoder->skip(file.text.size()), file.text.size());
  EXPECT_EQ(rest_of(*decoder), file.next);
}

INSTANTIATE_TEST_SUITE_P(All, ZstdLyingPrefix,
                         testing::Values(Lie{"none", 0, 0}, Lie{"shorter", -1, 0},
                                         Lie{"longer", 1, 0}, Lie{"overAll", 1 << 30, 0},
                                         Lie{"negative", -(std::int64_t{1} << 40), 0},
                                         Lie{"fewerBytes", 0, -1}, Lie{"moreBytes", 0, 1 << 20}),
                         [](const auto& lie) { return lie.param.name; });

TEST(ZstdSkim, APipeGivesTheSame) {
  const FourFrames file;
  const auto decoder = open(piped(file.stored()));
  EXPECT_EQ(*decoder->skip(file.text.size()), file.text.size());
  EXPECT_EQ(rest_of(*decoder), file.next);
}

TEST(ZstdDecoder, FileThatEndsBehindASizePrefixIsTruncated) {
  const std::string one = frame(record(1)), two = frame(record(2));
  for (const bool pipe : {false, true}) {
    const std::string whole = one + prefix(two.size(), record(2).size()) + two;
    const auto cut = whole.substr(0, one.size() + kSizePrefixSize);
    for (const std::string& stored : {cut, whole}) {
      const auto decoder = open(pipe ? piped(stored) : mapped(stored), false);
      EXPECT_EQ(rest_of(*decoder), stored == whole ? record(1) + record(2) : record(1));
      std::vector<std::string> codes;
      for (const Finding& finding : decoder->take_findings()) {
        codes.emplace_back(finding.code);
      }
      EXPECT_EQ(std::ranges::count(codes, "truncated-frame"), stored == whole ? 0 : 1) << pipe;
    }
  }
}

}  // namespace
}  // namespace fonds::zstd
