#include <string>
#include <vector>

#include <bzlib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lzma.h>

#include "codec/bzip2/codec.hpp"
#include "codec/testing.hpp"
#include "codec/xz/codec.hpp"

namespace fonds {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing_codec::Decoded;
using testing_codec::mapped;
using testing_codec::piped;
using testing_codec::probing;
using testing_codec::read_all;
using testing_codec::record;
using testing_codec::starts_with_record;

std::string bzip2(std::string_view text) {
  std::string in(text);
  std::string out(text.size() + text.size() / 50 + 700, '\0');
  auto n = static_cast<unsigned>(out.size());
  BZ2_bzBuffToBuffCompress(out.data(), &n, in.data(), static_cast<unsigned>(in.size()), 1, 0, 0);
  out.resize(n);
  return out;
}

std::string xz(std::string_view text) {
  std::string out(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t n = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr,
                                    reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                                    reinterpret_cast<std::uint8_t*>(out.data()), &n, out.size()),
            LZMA_OK);
  out.resize(n);
  return out;
}

struct Case {
  std::string name;
  std::string (*compress)(std::string_view);
  const Codec& (*codec)();
};

class StreamCodec : public testing::TestWithParam<Case> {
 protected:
  std::string compress(std::string_view text) const { return GetParam().compress(text); }
  const Codec& codec() const { return GetParam().codec(); }
};

TEST_P(StreamCodec, StreamsAreUnitsOfOneRun) {
  const std::string one = compress(record(1, 400000));
  const std::string stored = one + compress("") + compress(record(2));
  const Decoded got = read_all(codec(), mapped(stored));
  EXPECT_THAT(got.runs, ElementsAre(record(1, 400000) + record(2)));
  EXPECT_THAT(got.units, ElementsAre(0U, one.size() + compress("").size()));
  EXPECT_THAT(got.codes, IsEmpty());
  EXPECT_EQ(got.stored, stored.size());
  EXPECT_EQ(read_all(codec(), piped(stored)).runs, got.runs);
}

TEST_P(StreamCodec, StartsAtAnyStream) {
  const std::string one = compress(record(1));
  const Decoded got = read_all(codec(), piped(one + compress(record(2))), {.start = one.size()});
  EXPECT_THAT(got.runs, ElementsAre(record(2)));
  EXPECT_THAT(got.units, ElementsAre(one.size()));
}

TEST_P(StreamCodec, EveryCutIsTruncated) {
  const std::string one = compress(record(1, 300));
  const std::string stored = one + compress(record(2, 300));
  for (std::size_t n = one.size() + 1; n < stored.size(); ++n) {
    const Decoded got = read_all(codec(), mapped(stored.substr(0, n)));
    EXPECT_EQ(got.all().substr(0, record(1, 300).size()), record(1, 300)) << n;
    EXPECT_THAT(got.codes, ElementsAre("truncated-frame")) << n;
    EXPECT_THAT(got.code_offsets, ElementsAre(one.size())) << n;
  }
}

TEST_P(StreamCodec, DamagedStreamIsAGapAndTheNextRecordFollows) {
  const std::string one = compress(record(1));
  std::string two = compress(record(2));
  two.replace(two.size() / 2, 30, 30, '\xff');
  const Decoded got = read_all(codec(), mapped(one + two + compress(record(3))), probing());
  EXPECT_EQ(got.runs.front().substr(0, record(1).size()), record(1));
  EXPECT_EQ(got.runs.back(), record(3));
  EXPECT_EQ(got.runs.size(), 2U);
  EXPECT_THAT(got.codes, ElementsAre("frame-damaged"));
  EXPECT_THAT(got.code_offsets, ElementsAre(one.size()));
}

TEST_P(StreamCodec, GarbageBehindTheLastStreamIsNamed) {
  const Decoded got = read_all(codec(), mapped(compress(record(1)) + "garbage that is no stream"));
  EXPECT_THAT(got.runs, ElementsAre(record(1)));
  EXPECT_THAT(got.codes, ElementsAre("trailing-garbage"));
}

TEST_P(StreamCodec, FindUnitPassesStreamsThatBeginNoRecord) {
  const std::string one = compress(record(1));
  const std::string rest = compress("not a record");
  const std::string stored = one + rest + compress(record(2));
  const RecordProbe probe = {.starts_record = starts_with_record};
  EXPECT_EQ(codec().find_unit(as_bytes(stored), 0, stored.size(), probe), 0U);
  EXPECT_EQ(codec().find_unit(as_bytes(stored), 1, stored.size(), probe), one.size() + rest.size());
}

TEST_P(StreamCodec, ProbeKnowsItsStreams) {
  EXPECT_GE(codec().probe(as_bytes(compress("a"))), 48);
  EXPECT_EQ(codec().probe(as_bytes("BZhello")), 0);
  EXPECT_EQ(codec().probe(as_bytes("")), 0);
}

INSTANTIATE_TEST_SUITE_P(All, StreamCodec,
                         testing::Values(Case{"bzip2", bzip2, bzip2::bzip2_codec},
                                         Case{"xz", xz, xz::xz_codec}),
                         [](const auto& named) { return named.param.name; });

TEST(XzDecoder, StreamPaddingIsLegalInMultiplesOfFour) {
  EXPECT_THAT(read_all(xz::xz_codec(), mapped(xz("a") + std::string(8, '\0') + xz("b"))).codes,
              IsEmpty());
  EXPECT_THAT(read_all(xz::xz_codec(), mapped(xz("a") + std::string(7, '\0') + xz("b"))).codes,
              ElementsAre("nul-padding"));
}

TEST(Bzip2Decoder, ZerosBetweenStreamsAreNamed) {
  const Decoded got =
      read_all(bzip2::bzip2_codec(), mapped(bzip2("a") + std::string(8, '\0') + bzip2("b")));
  EXPECT_THAT(got.runs, ElementsAre("ab"));
  EXPECT_THAT(got.codes, ElementsAre("nul-padding"));
}

TEST(XzDecoder, DictionaryOverTheMemoryLimitIsRefused) {
  lzma_options_lzma options;
  lzma_lzma_preset(&options, 0);
  options.dict_size = std::uint32_t{1} << 30;
  const lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, nullptr}};
  std::string out(lzma_stream_buffer_bound(1), '\0');
  std::size_t n = 0;
  const std::uint8_t in[] = {'a'};
  ASSERT_EQ(
      lzma_stream_buffer_encode(const_cast<lzma_filter*>(filters), LZMA_CHECK_CRC32, nullptr, in, 1,
                                reinterpret_cast<std::uint8_t*>(out.data()), &n, out.size()),
      LZMA_OK);
  out.resize(n);
  EXPECT_THAT(read_all(xz::xz_codec(), mapped(out)).codes, ElementsAre("limit-exceeded"));
}

}  // namespace
}  // namespace fonds
