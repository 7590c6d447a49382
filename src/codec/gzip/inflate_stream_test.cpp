#include "codec/gzip/inflate_stream.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "codec/gzip/testing.hpp"
#include "codec/testing.hpp"

namespace fonds::gzip {
namespace {

using testing_codec::sample_text;
using testing_gzip::deflated;
using State = InflateStream::State;

struct Inflated {
  State state = State::More;
  std::string text;
  std::size_t used = 0;
};

// Gives at most `in` bytes and room for `out` bytes at a time.
Inflated inflate(InflateStream& stream, std::string_view stored, std::size_t in, std::size_t out) {
  Inflated result;
  stream.start(InflateStream::Engine::Fast);
  std::string room(out, '\0');
  int idle = 0;
  while (result.state == State::More && idle < 3) {
    const ByteView given = as_bytes(stored.substr(result.used, in));
    const auto step = stream.run(given, {reinterpret_cast<std::byte*>(room.data()), room.size()});
    idle = step.used == 0 && step.written == 0 ? idle + 1 : 0;
    result.used = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(result.used) + step.used);
    result.text.append(room, 0, step.written);
    result.state = step.state;
  }
  return result;
}

struct Case {
  const char* name;
  std::string text;
  int level;
};

class InflateStreamLikeZlib : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(
    Texts, InflateStreamLikeZlib,
    testing::Values(Case{"Empty", "", 6}, Case{"OneByte", "a", 6}, Case{"Fixed", "WARC/1.0\r\n", 6},
                    Case{"Dynamic", sample_text(3000), 9}, Case{"Stored", sample_text(3000), 0},
                    Case{"Repeats", std::string(70000, 'x'), 6},
                    Case{"EndsWithALongMatch", sample_text(500) + std::string(258 * 4, 'y'), 6}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(InflateStreamLikeZlib, EndsExactlyWhereTheDataEndsForEveryInputSize) {
  const auto& [name, text, level] = GetParam();
  const std::string stored = deflated(text, level);
  const std::string behind = stored + "what follows the stream";
  InflateStream stream;
  for (std::size_t in = 1; in <= std::min<std::size_t>(stored.size() + 12, 400); ++in) {
    const Inflated result = inflate(stream, behind, in, 100000);
    ASSERT_EQ(result.state, State::End) << in;
    ASSERT_EQ(result.used, stored.size()) << in;
    ASSERT_TRUE(result.text == text) << in;
  }
}

TEST_P(InflateStreamLikeZlib, EndsExactlyWhereTheDataEndsForEveryOutputSize) {
  const auto& [name, text, level] = GetParam();
  const std::string stored = deflated(text, level);
  const std::string behind = stored + "what follows the stream";
  InflateStream stream;
  const std::size_t most = std::min<std::size_t>(text.size() + 3, 400);
  for (std::size_t out = text.size() > 10000 ? 7 : 1; out <= most; ++out) {
    const Inflated result = inflate(stream, behind, behind.size(), out);
    ASSERT_EQ(result.state, State::End) << out;
    ASSERT_EQ(result.used, stored.size()) << out;
    ASSERT_TRUE(result.text == text) << out;
  }
}

TEST_P(InflateStreamLikeZlib, OutputThatIsJustFullLeavesTheEndExact) {
  const auto& [name, text, level] = GetParam();
  const std::string stored = deflated(text, level);
  InflateStream stream;
  const Inflated result = inflate(stream, stored + "what follows the stream", 1000000,
                                  std::max<std::size_t>(text.size(), 1));
  EXPECT_EQ(result.state, State::End);
  EXPECT_EQ(result.used, stored.size());
}

TEST(InflateStream, CutDataGivesWhatIsThereAndAsksForMore) {
  const std::string text = sample_text(3000);
  const std::string stored = deflated(text);
  InflateStream stream;
  for (std::size_t n = 0; n < stored.size(); ++n) {
    const Inflated result = inflate(stream, std::string_view(stored).substr(0, n), 64, 1000);
    ASSERT_EQ(result.state, State::More) << n;
    ASSERT_TRUE(text.starts_with(result.text)) << n;
  }
}

TEST(InflateStream, ReservedBlockTypeIsCorrupt) {
  InflateStream stream;
  EXPECT_EQ(inflate(stream, "\x07 nothing of this kind", 100, 100).state, State::Corrupt);
}

TEST(InflateStream, DistanceBeforeTheStartIsCorruptAlsoAfterAnotherStream) {
  InflateStream stream;
  ASSERT_EQ(inflate(stream, deflated(sample_text(3000)), 5000, 5000).state, State::End);
  // A fixed block that begins with a match of length 3 and distance 1.
  EXPECT_EQ(inflate(stream, std::string("\x03\x02\0\0\0\0\0\0\0\0\0\0", 12), 100, 100).state,
            State::Corrupt);
}

}  // namespace
}  // namespace fonds::gzip
