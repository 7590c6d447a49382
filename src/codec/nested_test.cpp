#include "codec/nested.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/gzip/codec.hpp"
#include "codec/gzip/testing.hpp"
#include "codec/none/codec.hpp"
#include "codec/testing.hpp"

namespace fonds {
namespace {

using testing::Contains;
using testing_codec::mapped;
using testing_codec::sample_text;
using testing_gzip::member;

std::unique_ptr<Decoder> nested(const std::string& stored, const DecodeOptions& options = {}) {
  return *decode_nested(*gzip::gzip_codec().decode(mapped(stored), options), "twice.gz",
                        gzip::gzip_codec(), options);
}

std::string rest_of(Decoder& decoder) {
  std::string text;
  for (auto shown = decoder.peek(1); shown && !shown->empty(); shown = decoder.peek(1)) {
    text += as_text(*shown);
    decoder.consume(shown->size());
  }
  return text;
}

TEST(DecodeNested, GzipInGzipIsDecodedTwice) {
  const std::string a = sample_text(100000, 1), b = sample_text(10, 2);
  const std::string inner = member(a) + member(b);
  EXPECT_TRUE(rest_of(*nested(member(inner))) == a + b);
  EXPECT_TRUE(rest_of(*nested(member(inner.substr(0, 100)) + member(inner.substr(100)))) == a + b);
}

TEST(DecodeNested, PlacesCountDecodedBytesFromTheStart) {
  const auto decoder = nested(member(member("abc") + member("def")));
  ASSERT_EQ(decoder->skip(4).value_or(0), 4U);
  ASSERT_TRUE(decoder->peek(1).has_value());
  EXPECT_EQ(decoder->place(), (Place{0, 4}));
}

TEST(DecodeNested, FindingsOfBothLayersAreKept) {
  std::string inner = member(sample_text(1000));
  inner[inner.size() - 1] = 'x';
  const std::string outer = member(inner) + std::string(5, '\0') + member("");
  const auto decoder = nested(outer);
  rest_of(*decoder);
  static_cast<void>(decoder->next_run());
  std::vector<std::string> codes;
  for (const Finding& finding : decoder->take_findings()) {
    codes.emplace_back(finding.code);
  }
  EXPECT_THAT(codes, Contains("member-isize"));
  EXPECT_THAT(codes, Contains("nul-padding"));
}

TEST(DecodeNested, SkimmingOutsideIsReadingInside) {
  const std::string text = sample_text(100000, 1);
  EXPECT_TRUE(rest_of(*nested(member(member(text)), {.skim = true})) == text);
}

TEST(Registry, ProbesByMagicAndPlainBytesLast) {
  EXPECT_EQ(probe_codec(as_bytes(member("a"))).name(), "gzip");
  EXPECT_EQ(probe_codec(as_bytes("WARC/1.0")).name(), "none");
  EXPECT_EQ(probe_codec(as_bytes("\x1f\x8b")).name(), "none");
  EXPECT_EQ(probe_codec({}).name(), "none");
  EXPECT_EQ(codecs().back(), &none::none_codec());
}

TEST(PlainDecoder, GivesItsBytesFromTheStartOnWithTheirOffsets) {
  auto decoder = *none::none_codec().decode(mapped("0123456789"), {.start = 3});
  EXPECT_EQ(as_text(*decoder->peek(1)), "3456789");
  EXPECT_EQ(decoder->skip(2).value_or(0), 2U);
  EXPECT_EQ(decoder->place(), (Place{5, 0}));
  EXPECT_EQ(decoder->skip(100).value_or(0), 5U);
  EXPECT_FALSE(decoder->next_run().value_or(true));
}

TEST(PlainDecoder, OfAPipeHoldsNoMoreThanItsLimit) {
  auto decoder =
      *none::none_codec().decode(testing_codec::piped(sample_text(5000)), {.max_buffer = 1000});
  EXPECT_TRUE(decoder->peek(1000).has_value());
  EXPECT_EQ(decoder->peek(1001).error().code(), ErrorCode::LimitExceeded);
  EXPECT_EQ(decoder->skip(4990).value_or(0), 4990U);
  EXPECT_EQ(as_text(*decoder->peek(1)), sample_text(5000).substr(4990));
}

}  // namespace
}  // namespace fonds
