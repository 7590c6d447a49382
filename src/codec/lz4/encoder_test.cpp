#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include <fonds/encoder.hpp>

#include "codec/encoder_testing.hpp"
#include "codec/lz4/frame.hpp"

namespace fonds::lz4 {
namespace {

using testing_codec::encode_units;
using testing_codec::Encoded;
using testing_codec::HowToWrite;
using testing_codec::record;

FrameHeader header_of(const Encoded& encoded) {
  FrameHeader header;
  EXPECT_EQ(parse_frame_header(as_bytes(encoded.stored), header), HeaderState::Good);
  return header;
}

TEST(Lz4Encoder, FramesTellSizeAndChecksum) {
  const std::string unit = record(1);
  const FrameHeader header = header_of(encode_units({.codec = "lz4"}, {unit}));
  EXPECT_EQ(header.content_size, unit.size());
  EXPECT_TRUE(header.content_checksum);
  EXPECT_TRUE(header.independent);
  EXPECT_EQ(header.block_max, std::size_t{64} << 10);
}

TEST(Lz4Encoder, AStreamedFrameTellsItsSizeIfItWasPromised) {
  const std::string unit((std::size_t{16} << 20) + 1, 'a');
  EXPECT_EQ(header_of(encode_units({.codec = "lz4"}, {unit})).content_size, unit.size());
  EXPECT_FALSE(header_of(encode_units({.codec = "lz4"}, {unit}, {.promise = false})).content_size);
}

TEST(Lz4Encoder, OneUnitIsOneFrameWithoutASize) {
  const Encoded encoded = encode_units({.codec = "lz4", .one_unit = true}, {record(1), record(2)});
  const FrameHeader header = header_of(encoded);
  EXPECT_FALSE(header.content_size);
  EXPECT_EQ(scan_frame(as_bytes(encoded.stored), header).size, encoded.stored.size());
}

}  // namespace
}  // namespace fonds::lz4
