#include "codec/gzip/head_inflater.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

namespace fonds::gzip {
namespace {

using State = HeadInflater::State;
using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) {
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

// Writes DEFLATE fields bit by bit.
class BitWriter {
 public:
  BitWriter& field(std::uint32_t value, int bits) {
    for (int i = 0; i < bits; ++i) {
      bit((value >> i) & 1);
    }
    return *this;
  }
  BitWriter& code(std::uint32_t value, int bits) {  // Huffman codes begin with their highest bit
    for (int i = bits; i-- > 0;) {
      bit((value >> i) & 1);
    }
    return *this;
  }
  const Bytes& bytes() const { return bytes_; }

 private:
  void bit(std::uint32_t value) {
    if (used_ % 8 == 0) {
      bytes_.push_back(std::byte{0});
    }
    bytes_.back() |= static_cast<std::byte>(value << (used_ % 8));
    ++used_;
  }
  Bytes bytes_;
  std::size_t used_ = 0;
};

// A dynamic block's head whose code lengths are given one by one, each as a code of 4 bits.
BitWriter dynamic_block(int litlens, int distances, const std::vector<std::uint32_t>& lengths) {
  BitWriter out;
  out.field(1, 1).field(2, 2);
  out.field(static_cast<std::uint32_t>(litlens - 257), 5);
  out.field(static_cast<std::uint32_t>(distances - 1), 5).field(15, 4);
  for (int symbol : {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}) {
    out.field(symbol < 16 ? 4 : 0, 3);
  }
  for (const std::uint32_t length : lengths) {
    out.code(length, 4);
  }
  return out;
}

std::string text(std::size_t size) {
  static constexpr const char* kWords[] = {"<p>",         "archive", "of",
                                           "<a href=\"/", "the",     "Content-Length: "};
  std::minstd_rand random(7);
  std::string out;
  while (out.size() < size) {
    out += kWords[random() % 6];
    out += std::to_string(random() % 100);
    out += static_cast<char>('A' + random() % 60);
  }
  out.resize(size);
  return out;
}

std::string noise(std::size_t size) {
  std::minstd_rand random(11);
  std::string out(size, '\0');
  std::generate(out.begin(), out.end(), [&] { return static_cast<char>(random() >> 8); });
  return out;
}

Bytes deflate_raw(const std::string& data, int level, int strategy) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, -15, 9, strategy), Z_OK);
  Bytes out(deflateBound(&stream, data.size()) + 64);
  std::string input = data;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

State zlib_verdict(const Bytes& input) {
  Bytes copy = input;
  copy.push_back(std::byte{0});
  std::vector<Bytef> out(HeadInflater::kMaxOutput);
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, -15), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = inflate(&stream, Z_NO_FLUSH);
  inflateEnd(&stream);
  return status == Z_STREAM_END   ? State::End
         : status == Z_DATA_ERROR ? State::Corrupt
                                  : State::NeedInput;
}

class HeadInflaterTest : public testing::Test {
 protected:
  State run_whole(const Bytes& input) {
    inflater_->start(input);
    return inflater_->run(HeadInflater::kMaxOutput);
  }
  std::unique_ptr<HeadInflater> inflater_ = std::make_unique<HeadInflater>();
};

struct StreamCase {
  const char* name;
  std::string data;
  int level, strategy;
};
void PrintTo(const StreamCase& value, std::ostream* out) { *out << value.name; }

class HeadInflaterStreams : public HeadInflaterTest,
                            public testing::WithParamInterface<StreamCase> {
 protected:
  Bytes stored_ = deflate_raw(GetParam().data, GetParam().level, GetParam().strategy);
};

TEST_P(HeadInflaterStreams, GiveAllBytesAndEndAtTheTrailer) {
  Bytes input = stored_;
  input.resize(input.size() + 1000, std::byte{0xA5});
  EXPECT_EQ(run_whole(input), State::End);
  EXPECT_EQ(as_text(inflater_->output()), GetParam().data);
  EXPECT_EQ(inflater_->consumed(), stored_.size());
}

TEST_P(HeadInflaterStreams, GiveTheSameBytesInStepsOfOne) {
  inflater_->start(stored_);
  State state = State::More;
  std::size_t wanted = 0, consumed = 0;
  while (state == State::More && wanted <= GetParam().data.size()) {
    state = inflater_->run(++wanted);
    ASSERT_TRUE(state == State::End || inflater_->output().size() >= wanted);
    ASSERT_LE(inflater_->output().size(), wanted + HeadInflater::kMaxOvershoot);
    ASSERT_GE(inflater_->consumed(), consumed);
    consumed = inflater_->consumed();
  }
  EXPECT_EQ(state, State::End);
  EXPECT_EQ(as_text(inflater_->output()), GetParam().data);
  EXPECT_EQ(consumed, stored_.size());
}

TEST_P(HeadInflaterStreams, NeedInputWhereverTheyAreCut) {
  const std::size_t longest = std::min<std::size_t>(stored_.size(), 1500);
  for (std::size_t size = 0; size < longest; ++size) {
    const Bytes cut(stored_.begin(), stored_.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_EQ(run_whole(cut), State::NeedInput) << size;
    ASSERT_TRUE(GetParam().data.starts_with(as_text(inflater_->output()))) << size;
    ASSERT_LE(inflater_->consumed(), size);
  }
}

TEST_P(HeadInflaterStreams, GetTheVerdictOfZlibWithAnyByteChanged) {
  const std::size_t longest = std::min<std::size_t>(stored_.size(), 400);
  for (std::size_t at = 0; at < longest; ++at) {
    Bytes changed = stored_;
    changed[at] ^= static_cast<std::byte>(1U << (at % 8));
    const State state = run_whole(changed);
    if (state != State::More) {
      ASSERT_EQ(state, zlib_verdict(changed)) << at;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, HeadInflaterStreams,
    testing::Values(StreamCase{"Empty", "", 6, Z_DEFAULT_STRATEGY},
                    StreamCase{"OneByte", "x", 6, Z_DEFAULT_STRATEGY},
                    StreamCase{"Text", text(30000), 6, Z_DEFAULT_STRATEGY},
                    StreamCase{"TextFast", text(5000), 1, Z_DEFAULT_STRATEGY},
                    StreamCase{"HuffmanOnly", text(3000), 6, Z_HUFFMAN_ONLY},
                    StreamCase{"FixedCodes", text(3000), 6, Z_FIXED},
                    StreamCase{"OneRun", std::string(60000, 'a'), 6, Z_DEFAULT_STRATEGY},
                    StreamCase{"RunLengths", std::string(999, 'a') + std::string(999, 'b'), 6,
                               Z_RLE},
                    StreamCase{"Noise", noise(5000), 6, Z_DEFAULT_STRATEGY},
                    StreamCase{"NoiseInCodes", noise(3000), 6, Z_HUFFMAN_ONLY},
                    StreamCase{"Stored", text(3000), 0, Z_DEFAULT_STRATEGY}),
    [](const auto& instance) { return instance.param.name; });

TEST_F(HeadInflaterTest, StopsSoonAfterWhatWasWanted) {
  const Bytes stored = deflate_raw(text(30000), 6, Z_DEFAULT_STRATEGY);
  inflater_->start(stored);
  EXPECT_EQ(inflater_->run(400), State::More);
  EXPECT_GE(inflater_->output().size(), 400U);
  EXPECT_LE(inflater_->output().size(), 400U + HeadInflater::kMaxOvershoot);
  EXPECT_LT(inflater_->consumed(), 400U);
}

TEST_F(HeadInflaterTest, StopsAtItsCapacity) {
  const Bytes stored = deflate_raw(std::string(500000, 'z'), 6, Z_DEFAULT_STRATEGY);
  EXPECT_EQ(run_whole(stored), State::More);
  EXPECT_EQ(inflater_->run(1000000), State::More);
  EXPECT_GE(inflater_->output().size(), HeadInflater::kMaxOutput);
  EXPECT_LE(inflater_->output().size(), HeadInflater::kMaxOutput + HeadInflater::kMaxOvershoot);
}

TEST_F(HeadInflaterTest, ForgetsTheStreamBefore) {
  run_whole(deflate_raw(text(3000), 6, Z_DEFAULT_STRATEGY));
  // Fixed codes, a match of distance 1 at the very start.
  const Bytes match_first = BitWriter().field(1, 1).field(1, 2).code(1, 7).code(0, 5).bytes();
  EXPECT_EQ(run_whole(match_first), State::Corrupt);
  EXPECT_EQ(inflater_->output().size(), 0U);
}

TEST_F(HeadInflaterTest, DamageBehindTheWantedBytesDoesNotShow) {
  Bytes stored = bytes_of({0, 3, 0, 0xFC, 0xFF, 'a', 'b', 'c', 7});  // stored block, reserved type
  inflater_->start(stored);
  EXPECT_EQ(inflater_->run(3), State::More);
  EXPECT_EQ(inflater_->run(4), State::Corrupt);
  EXPECT_EQ(as_text(inflater_->output()), "abc");
  EXPECT_EQ(inflater_->run(4), State::Corrupt);
  EXPECT_EQ(inflater_->run(3), State::More);
}

TEST_F(HeadInflaterTest, StoredBlocksDropTheRestOfTheirByteAndMayBeEmpty) {
  const Bytes stored = bytes_of({0, 0, 0, 0xFF, 0xFF, 1, 2, 0, 0xFD, 0xFF, 'o', 'k'});
  EXPECT_EQ(run_whole(stored), State::End);
  EXPECT_EQ(as_text(inflater_->output()), "ok");
  EXPECT_EQ(inflater_->consumed(), stored.size());
}

struct VerdictCase {
  const char* name;
  Bytes input;
  State state;
};
void PrintTo(const VerdictCase& value, std::ostream* out) { *out << value.name; }
class HeadInflaterVerdicts : public HeadInflaterTest,
                             public testing::WithParamInterface<VerdictCase> {};

// Lengths of 257 literal codes and then of the distance codes: 'a' and the end of the block have
// codes of one bit.
std::vector<std::uint32_t> two_codes(std::initializer_list<std::uint32_t> distances) {
  std::vector<std::uint32_t> lengths(257, 0);
  lengths['a'] = lengths[256] = 1;
  lengths.insert(lengths.end(), distances);
  return lengths;
}
// The same with the length code 257 (3 bytes): 'a' = 0, end = 10, length = 11.
std::vector<std::uint32_t> three_codes(std::initializer_list<std::uint32_t> distances) {
  std::vector<std::uint32_t> lengths(258, 0);
  lengths['a'] = 1;
  lengths[256] = lengths[257] = 2;
  lengths.insert(lengths.end(), distances);
  return lengths;
}
// Pads so that a verdict cannot come from the end of the input.
Bytes padded(const BitWriter& writer) {
  Bytes bytes = writer.bytes();
  bytes.resize(bytes.size() + 1000);
  return bytes;
}

std::vector<VerdictCase> verdict_cases() {
  std::vector<std::uint32_t> end_only(258, 0);
  end_only[256] = 1;
  std::vector<std::uint32_t> end_long = end_only;
  end_long[256] = 2;
  std::vector<std::uint32_t> too_many = two_codes({0});
  too_many['b'] = 1;
  std::vector<std::uint32_t> no_end = two_codes({0});
  no_end['b'] = 1;
  no_end[256] = 0;
  std::vector<std::uint32_t> deep(257, 0);  // one code for each length up to 15, and another of 15
  for (std::uint32_t i = 0; i < 15; ++i) {
    deep['a' + i] = i + 1;
  }
  deep[256] = 15;
  deep.push_back(0);
  BitWriter precode_first_repeats;  // codes 16 and 0 have one bit, and 16 comes first
  precode_first_repeats.field(1, 1)
      .field(2, 2)
      .field(0, 14)
      .field(1, 3)
      .field(0, 6)
      .field(1, 3)
      .field(0, 20);
  return {
      {"ReservedBlockType", padded(BitWriter().field(1, 1).field(3, 2)), State::Corrupt},
      {"StoredLengthsDisagree", bytes_of({1, 1, 0, 0, 0, 0}), State::Corrupt},
      {"FixedCode286", padded(BitWriter().field(1, 1).field(1, 2).code(0xC6, 8)), State::Corrupt},
      {"FixedDistance30",
       padded(BitWriter().field(1, 1).field(1, 2).code(0x61, 8).code(1, 7).code(30, 5)),
       State::Corrupt},
      {"TooFarBack",
       padded(BitWriter().field(1, 1).field(1, 2).code(0x61, 8).code(1, 7).code(1, 5)),
       State::Corrupt},
      {"OneCodeOfOneBit", padded(dynamic_block(257, 1, end_only).code(0, 1)), State::End},
      {"OneCodeOfOneBitOtherBit", padded(dynamic_block(257, 1, end_only).code(1, 1)),
       State::Corrupt},
      {"OneCodeOfTwoBits", padded(dynamic_block(257, 1, end_long).code(0, 2)), State::Corrupt},
      {"OversubscribedCode", padded(dynamic_block(257, 1, too_many).code(0, 1)), State::Corrupt},
      {"NoEndOfBlock", padded(dynamic_block(257, 1, no_end)), State::Corrupt},
      {"CodesOf15Bits",
       padded(dynamic_block(257, 1, deep).code(0, 1).code(0x7FFE, 15).code(0x7FFF, 15)),
       State::End},
      {"NoDistanceCodeUnused", padded(dynamic_block(257, 1, two_codes({0})).code(0, 1).code(1, 1)),
       State::End},
      {"NoDistanceCodeUsed", padded(dynamic_block(258, 1, three_codes({0})).code(0, 1).code(3, 2)),
       State::Corrupt},
      {"OneDistanceCode",
       padded(dynamic_block(258, 1, three_codes({1})).code(0, 1).code(3, 2).code(0, 1).code(2, 2)),
       State::End},
      {"OneDistanceCodeOtherBit",
       padded(dynamic_block(258, 1, three_codes({1})).code(0, 1).code(3, 2).code(1, 1)),
       State::Corrupt},
      {"OneDistanceCodeOfTwoBits", padded(dynamic_block(258, 1, three_codes({2})).code(0, 1)),
       State::Corrupt},
      {"TooManyLitlens", padded(BitWriter().field(1, 1).field(2, 2).field(30, 5)), State::Corrupt},
      {"TooManyDistances", padded(BitWriter().field(1, 1).field(2, 2).field(0, 5).field(30, 5)),
       State::Corrupt},
      {"EmptyPrecode", padded(BitWriter().field(1, 1).field(2, 2)), State::Corrupt},
      {"FirstLengthRepeats", padded(precode_first_repeats), State::Corrupt},
      {"NoInput", {}, State::NeedInput},
  };
}

TEST_P(HeadInflaterVerdicts, AreThoseOfZlib) {
  const Bytes& input = GetParam().input;
  EXPECT_EQ(zlib_verdict(input), GetParam().state);
  EXPECT_EQ(run_whole(input), GetParam().state);
}
INSTANTIATE_TEST_SUITE_P(All, HeadInflaterVerdicts, testing::ValuesIn(verdict_cases()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace fonds::gzip
