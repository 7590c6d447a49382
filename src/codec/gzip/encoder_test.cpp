#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fonds/encoder.hpp>

#include "codec/encoder_testing.hpp"
#include "codec/gzip/member_header.hpp"
#include "codec/gzip/testing.hpp"

namespace fonds::gzip {
namespace {

using testing_codec::encode_units;
using testing_codec::Encoded;
using testing_codec::record;

TEST(GzipEncoder, MembersNameNoTimeFileOrSystem) {
  const Encoded encoded = encode_units({.codec = "gzip"}, {record(1)});
  EXPECT_EQ(encoded.stored.substr(0, 10), testing_gzip::header());
}

TEST(GzipEncoder, EachMemberEndsWithItsChecksumAndSize) {
  const std::vector<std::string> units = {record(1), record(2)};
  const Encoded encoded = encode_units({.codec = "gzip"}, units);
  ASSERT_EQ(encoded.places.size(), 2U);
  for (std::size_t n = 0; n < units.size(); ++n) {
    const auto& place = encoded.places[n];
    EXPECT_EQ(encoded.stored.substr(place.offset + place.length - 8, 8),
              testing_gzip::trailer(units[n]));
  }
}

TEST(GzipEncoder, SkipLengthsAreThoseOfTheMember) {
  const std::vector<std::string> units = {record(1), record(2, 50000), ""};
  const Encoded encoded = encode_units({.codec = "gzip", .skip_lengths = true}, units);
  ASSERT_EQ(encoded.places.size(), 3U);
  for (std::size_t n = 0; n < units.size(); ++n) {
    const auto& place = encoded.places[n];
    MemberHeader header;
    ASSERT_EQ(parse_member_header(as_bytes(encoded.stored).subspan(place.offset), header),
              HeaderState::Good);
    ASSERT_TRUE(header.sl);
    EXPECT_EQ(header.sl->stored, place.length);
    EXPECT_EQ(header.sl->decoded, units[n].size());
  }
}

TEST(GzipEncoder, SkipLengthsOfAStreamedMemberAreNotStated) {
  const Encoded encoded = encode_units({.codec = "gzip", .level = 1, .skip_lengths = true},
                                       {std::string((std::size_t{16} << 20) + 1, 'a')});
  MemberHeader header;
  ASSERT_EQ(parse_member_header(as_bytes(encoded.stored), header), HeaderState::Good);
  ASSERT_TRUE(header.sl);
  EXPECT_EQ(header.sl->stored, 0U);
  EXPECT_EQ(header.sl->decoded, 0U);
}

TEST(GzipEncoder, OneUnitIsOneMember) {
  const std::vector<std::string> units = {record(1), record(2)};
  const Encoded encoded = encode_units({.codec = "gzip", .one_unit = true}, units);
  ASSERT_EQ(encoded.places.size(), 1U);
  EXPECT_EQ(encoded.places[0].length, encoded.stored.size());
  EXPECT_EQ(encoded.stored.substr(encoded.stored.size() - 8),
            testing_gzip::trailer(units[0] + units[1]));
}

TEST(GzipEncoder, HigherLevelsMakeSmallerMembers) {
  const std::vector<std::string> units = {record(1, 200000)};
  std::size_t before = ~std::size_t{0};
  for (const int level : {0, 1, 6, 9, 12}) {
    const std::size_t size = encode_units({.codec = "gzip", .level = level}, units).stored.size();
    EXPECT_LT(size, before) << level;
    before = size;
  }
}

}  // namespace
}  // namespace fonds::gzip
