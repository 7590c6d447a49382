// InflateStream at the ends of blocks: that it sees them and can go on there.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/gzip/history.hpp"
#include "codec/gzip/inflate_stream.hpp"
#include "codec/gzip/testing_streams.hpp"

namespace fonds::gzip {
namespace {

using testing_codec::sample_text;
using testing_gzip::block_ends;
using testing_gzip::BlockEnd;
using testing_gzip::deflated_as;
using testing_gzip::Kind;
using testing_gzip::kinds;
using Engine = InflateStream::Engine;
using State = InflateStream::State;

std::byte byte_before(std::string_view stored, std::uint64_t offset) {
  return offset == 0 ? std::byte{} : as_bytes(stored)[offset - 1];
}

struct Walk {
  std::vector<BlockEnd> ends;
  std::string text;
  State state = State::More;
  std::size_t used = 0;
};

// Stops at all borders, given at most `in` bytes and room for `out` at a time. The first `bulk`
// calls do not look for borders.
Walk walk(std::string_view stored, std::size_t in, std::size_t out, int bulk = 0) {
  Walk result;
  InflateStream stream;
  History history;
  stream.start(Engine::Fast);
  std::string room(out, '\0');
  for (int idle = 0, calls = 0; idle < 3; ++calls) {
    const ByteView given = as_bytes(stored.substr(result.used, in));
    const MutableByteView where(reinterpret_cast<std::byte*>(room.data()), room.size());
    const auto step = calls < bulk ? stream.run(given, where) : stream.run_to_border(given, where);
    idle = step.used == 0 && step.written == 0 && step.state == State::More ? idle + 1 : 0;
    result.used = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(result.used) + step.used);
    result.text.append(room, 0, step.written);
    history.add(as_bytes(room).first(step.written));
    result.state = step.state;
    if (step.state == State::Border) {
      result.ends.push_back({result.used, step.bits, result.text.size()});
      stream.start(Engine::Fast, {step.bits, byte_before(stored, result.used), history.view()});
    } else if (step.state != State::More) {
      break;
    }
  }
  return result;
}

std::string resumed(std::string_view stored, std::string_view text, const BlockEnd& end,
                    Engine engine, std::size_t& used) {
  InflateStream stream;
  const std::string_view before = text.substr(0, end.decoded);
  stream.start(engine, {end.bits, byte_before(stored, end.stored), as_bytes(before)});
  std::string rest(text.size() - end.decoded + 100, '\0');
  const auto step = stream.run(as_bytes(stored.substr(end.stored)),
                               {reinterpret_cast<std::byte*>(rest.data()), rest.size()});
  EXPECT_EQ(step.state, State::End);
  rest.resize(step.written);
  used = end.stored + static_cast<std::size_t>(step.used);
  return rest;
}

class InflateBorder : public testing::TestWithParam<Kind> {
 protected:
  const std::string text = sample_text(100000, 7) + std::string(3000, 'z') + sample_text(9000, 8);
  const std::string deflate = deflated_as(GetParam(), text);
  const std::string behind = deflate + "what follows the stream";
  const std::vector<BlockEnd> ends = block_ends(deflate);
};

INSTANTIATE_TEST_SUITE_P(Kinds, InflateBorder, testing::ValuesIn(kinds()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(InflateBorder, EveryBlockEndThatZlibSeesIsSeen) {
  const Walk result = walk(behind, behind.size(), std::size_t{1} << 20);
  EXPECT_EQ(result.ends, ends);
  EXPECT_TRUE(result.text == text);
  EXPECT_EQ(result.state, State::End);
  EXPECT_EQ(result.used, deflate.size());
}

TEST_P(InflateBorder, SizesOfInputAndRoomChangeNothing) {
  for (const auto& [in, out] : std::vector<std::pair<std::size_t, std::size_t>>{{1, 1000},
                                                                                {2, 100000},
                                                                                {7, 100},
                                                                                {300, 1},
                                                                                {4096, 65536},
                                                                                {1000, 32768},
                                                                                {100000, 70}}) {
    const Walk result = walk(behind, in, out);
    EXPECT_EQ(result.ends, ends) << in << " " << out;
    EXPECT_TRUE(result.text == text) << in << " " << out;
    EXPECT_EQ(result.used, deflate.size()) << in << " " << out;
  }
}

TEST_P(InflateBorder, LookingForBordersCanBeginAnywhere) {
  for (int bulk = 1; bulk < 60; bulk += 7) {
    const Walk result = walk(behind, 997, 3001, bulk);
    ASSERT_TRUE(std::includes(ends.begin(), ends.end(), result.ends.begin(), result.ends.end()))
        << bulk;
    ASSERT_TRUE(result.text == text) << bulk;
    ASSERT_EQ(result.used, deflate.size()) << bulk;
  }
}

TEST_P(InflateBorder, BothEnginesGoOnAtEveryBorder) {
  const std::size_t step = std::max<std::size_t>(ends.size() / 40, 1);
  for (std::size_t i = 0; i < ends.size(); i += step) {
    for (const Engine engine : {Engine::Exact, Engine::Fast}) {
      std::size_t used = 0;
      const std::string rest = resumed(behind, text, ends[i], engine, used);
      ASSERT_TRUE(rest == std::string_view(text).substr(ends[i].decoded)) << i;
      ASSERT_EQ(used, deflate.size()) << i;
    }
  }
}

TEST(InflateBorderOf, StreamOfOneBlockHasNone) {
  const std::string deflate = testing_gzip::deflated(sample_text(3000));
  const Walk result = walk(deflate, 1000, 1000);
  EXPECT_EQ(result.state, State::End);
  EXPECT_THAT(result.ends, testing::IsEmpty());
}

TEST(InflateBorderOf, StreamThatEndsWithAnEmptyBlockIsTheEndOfTheOneBefore) {
  z_stream stream = {};
  ASSERT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string text = sample_text(5000), out(10000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_BLOCK);
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  const Walk result = walk(out, 100000, 100000);
  EXPECT_EQ(result.ends, block_ends(out));
  EXPECT_THAT(result.ends, testing::SizeIs(1));
}

TEST(InflateBorderOf, EmptyFixedBlocksAreSeenOneByOne) {
  // Ten bits each: 0 10 (in stored order) and seven zeros.
  std::string bits;
  for (int i = 0; i < 40; ++i) {
    bits += "0100000000";
  }
  bits += "1100000000";
  std::string stored((bits.size() + 7) / 8, '\0');
  for (std::size_t i = 0; i < bits.size(); ++i) {
    stored[i / 8] = static_cast<char>(stored[i / 8] | ((bits[i] - '0') << (i % 8)));
  }
  const std::vector<BlockEnd> ends = block_ends(stored);
  EXPECT_THAT(ends, testing::SizeIs(40));
  EXPECT_EQ(walk(stored, 1000, 1000).ends, ends);
  EXPECT_EQ(walk(stored, 1, 1).ends, ends);
}

TEST(InflateBorderOf, DamagedDataNeverGivesABorderBeforeTheOneBefore) {
  const std::string text = sample_text(60000, 3);
  const std::string good = deflated_as({.name = "", .memory = 1}, text);
  for (std::size_t at = 0; at < good.size(); at += 97) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
    const Walk result = walk(bad, 1000, 5000);
    ASSERT_TRUE(std::is_sorted(result.ends.begin(), result.ends.end(),
                               [](const BlockEnd& a, const BlockEnd& b) {
                                 return a.stored * 8 - a.bits < b.stored * 8 - b.bits;
                               }));
  }
}

}  // namespace
}  // namespace fonds::gzip
