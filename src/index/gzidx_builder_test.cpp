#include "index/gzidx_builder.hpp"

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <fonds/codec.hpp>

#include "codec/gzip/testing.hpp"
#include "index/checkpoint_test_support.hpp"
#include "index/gzidx.hpp"
#include "io/testing.hpp"

namespace fonds::index {
namespace {

using testing::IsEmpty;
using testing::Not;

// Text of which some repeats within a window.
std::string text_of(std::size_t size, std::uint32_t seed) {
  std::string text;
  std::uint32_t state = seed;
  while (text.size() < size) {
    state = state * 1664525 + 1013904223;
    const std::size_t back = state >> 17;
    if ((state >> 8) % 4 == 0 && back < text.size()) {
      text += text.substr(text.size() - back - 1, 20);
    } else {
      text += static_cast<char>('a' + (state >> 27));
    }
  }
  text.resize(size);
  return text;
}

Result<GzidxReport> build(std::string_view stored, std::string& out, std::uint32_t spacing) {
  testing_io::TextSink sink;
  auto report = build_gzidx(source_of(stored), sink, {.spacing = spacing});
  out = sink.content;
  return report;
}

// What zlib decodes from a point on.
std::string inflate_from(std::string_view stored, const SeekPoint& point, std::size_t most) {
  z_stream stream = {};
  EXPECT_EQ(inflateInit2(&stream, -15), Z_OK);
  if (point.bits != 0) {
    const auto before = static_cast<unsigned char>(stored[point.stored_offset - 1]);
    inflatePrime(&stream, point.bits, before >> (8 - point.bits));
  }
  if (!point.window.empty()) {
    inflateSetDictionary(&stream, reinterpret_cast<const Bytef*>(point.window.data()),
                         static_cast<uInt>(point.window.size()));
  }
  std::string out(most, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stored.data() + point.stored_offset));
  stream.avail_in = static_cast<uInt>(stored.size() - point.stored_offset);
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(most);
  inflate(&stream, Z_SYNC_FLUSH);
  out.resize(most - stream.avail_out);
  inflateEnd(&stream);
  return out;
}

struct Layout {
  std::string name;
  std::vector<std::size_t> members;  // decoded sizes
  std::size_t least;                 // points that can be entered by
};
void PrintTo(const Layout& layout, std::ostream* out) { *out << layout.name; }

class BuiltGzidx : public testing::TestWithParam<Layout> {};

TEST_P(BuiltGzidx, LeadsToTheBytesThatItSays) {
  std::string stored;
  std::string decoded;
  for (const std::size_t size : GetParam().members) {
    const std::string text = text_of(size, static_cast<std::uint32_t>(stored.size() + 1));
    stored += testing_gzip::member(text);
    decoded += text;
  }
  std::string text;
  const auto report = build(stored, text, 64 << 10);
  ASSERT_TRUE(report.has_value()) << report.error().message();
  EXPECT_EQ(report->decoded_size, decoded.size());
  const auto file = GzidxFile::read(source_of(text), stored.size());
  ASSERT_TRUE(file.has_value());
  EXPECT_THAT((*file)->findings(), IsEmpty());
  EXPECT_GE((*file)->size(), GetParam().least);
  for (std::size_t i = 0; i < (*file)->size(); ++i) {
    const auto point = (*file)->point(i);
    ASSERT_TRUE(point.has_value());
    const std::string found = inflate_from(stored, *point, 50'000);
    EXPECT_EQ(found, decoded.substr((*file)->decoded_offset(i), found.size())) << i;
    EXPECT_THAT(found, Not(IsEmpty()));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, BuiltGzidx,
    testing::Values(Layout{"OneMember", {2'000'000}, 10}, Layout{"SmallMember", {1000}, 1},
                    Layout{"ManyMembers", {1000, 20'000, 5, 700'000, 40'000}, 8},
                    Layout{"EmptyMemberBetween", {400'000, 0, 400'000}, 5}),
    [](const auto& tested) { return tested.param.name; });

TEST(BuildGzidx, HeadersWithNamesArePassedOver) {
  const std::string text = text_of(1000, 1);
  const std::string stored = testing_gzip::header(8) + std::string(5000, 'n') + '\0' +
                             testing_gzip::deflated(text) + testing_gzip::trailer(text);
  std::string index;
  ASSERT_TRUE(build(stored, index, 64 << 10).has_value());
  const auto file = GzidxFile::read(source_of(index), stored.size());
  ASSERT_EQ((*file)->size(), 1U);
  EXPECT_EQ((*file)->border(0).stored_offset, 5011U);
}

TEST(BuildGzidx, PointsAreAsFarApartAsIsAsked) {
  const std::string stored = testing_gzip::member(text_of(3'000'000, 1));
  std::string index;
  ASSERT_TRUE(build(stored, index, 500'000).has_value());
  const auto file = GzidxFile::read(source_of(index), stored.size());
  ASSERT_GE((*file)->size(), 4U);
  EXPECT_EQ((*file)->spacing(), 500'000U);
  for (std::size_t i = 1; i < (*file)->size(); ++i) {
    EXPECT_GE((*file)->decoded_offset(i) - (*file)->decoded_offset(i - 1), 500'000U);
  }
}

struct Refused {
  std::string name;
  std::string stored;
  std::uint32_t spacing;
  ErrorCode code;
};
void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.name; }

class RefusedFile : public testing::TestWithParam<Refused> {};

TEST_P(RefusedFile, HasNoIndex) {
  std::string index;
  const auto report = build(GetParam().stored, index, GetParam().spacing);
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code(), GetParam().code) << report.error().message();
}

INSTANTIATE_TEST_SUITE_P(Table, RefusedFile,
                         testing::Values(Refused{"Text", "no gzip", 1 << 20,
                                                 ErrorCode::Unsupported},
                                         Refused{"Empty", "", 1 << 20, ErrorCode::Unsupported},
                                         Refused{"SmallSpacing", testing_gzip::member("text"),
                                                 32767, ErrorCode::BadArgument}),
                         [](const auto& tested) { return tested.param.name; });

TEST(BuildGzidx, APipeIsRefused) {
  testing_io::TextSink sink;
  const auto report =
      build_gzidx(std::make_shared<testing_io::Pipe>(std::vector<std::byte>(), 1), sink, {});
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code(), ErrorCode::Unsupported);
}

TEST(BuildGzidx, OverMissingDataItIsNotCounted) {
  std::string stored =
      testing_gzip::member(text_of(300'000, 1)) + testing_gzip::member(text_of(300'000, 2));
  // A block of a type that there is not.
  stored.replace(10, 20, std::string(20, '\xff'));
  std::string index;
  const auto report = build(stored, index, 64 << 10);
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code(), ErrorCode::Corrupt);
  EXPECT_THAT(index, IsEmpty());
}

TEST(BuildGzidx, ACutFileIsIndexedAsFarAsItGoes) {
  const std::string text = text_of(1'000'000, 1);
  const std::string whole = testing_gzip::member(text);
  const std::string stored = whole.substr(0, whole.size() / 2);
  testing_io::TextSink sink;
  std::vector<std::string> codes;
  const auto report = build_gzidx(source_of(stored), sink,
                                  {.spacing = 64 << 10, .on_finding = [&](const Finding& finding) {
                                     codes.emplace_back(finding.code);
                                   }});
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(codes, std::vector<std::string>{"truncated-member"});
  EXPECT_GT(report->decoded_size, 300'000U);
  EXPECT_LT(report->decoded_size, text.size());
  EXPECT_GE(report->points, 4U);
}

}  // namespace
}  // namespace fonds::index
