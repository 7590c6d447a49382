#include "codec/gzip/sparse_window.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fonds/seek_index.hpp>

#include "codec/gzip/codec.hpp"
#include "codec/gzip/testing_seek.hpp"
#include "codec/testing.hpp"

namespace fonds::gzip {
namespace {

using testing_codec::mapped;
using testing_codec::read_all;
using testing_codec::sample_text;
using testing_gzip::deflated_as;
using testing_gzip::header;
using testing_gzip::Kind;
using testing_gzip::kinds;
using testing_gzip::member;
using testing_gzip::points_of;
using testing_gzip::trailer;

std::string rest_from(const std::string& stored, const SeekPoint& point) {
  return read_all(gzip_codec(), mapped(stored), {.resume = std::make_shared<SeekPoint>(point)})
      .all();
}

class SparseWindow : public testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, SparseWindow, testing::ValuesIn(kinds()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(SparseWindow, GivesTheSameBytesToTheEnd) {
  const std::string text = sample_text(400000, 3) + std::string(40000, 'y') + sample_text(50000, 4);
  const std::string deflate = deflated_as(GetParam(), text);
  const std::string stored = header() + deflate + trailer(text);
  const auto source = mapped(stored);
  for (SeekPoint& point : points_of(deflate, text, 0, deflate.size() / 12)) {
    const SeekPoint full = point;
    ASSERT_TRUE(make_sparse(point, *source).has_value());
    ASSERT_EQ(point.window.size(), full.window.size());
    EXPECT_TRUE(rest_from(stored, point) == text.substr(full.place->inner));
    for (std::size_t i = 0; i < full.window.size(); ++i) {
      ASSERT_TRUE(point.window[i] == full.window[i] || point.window[i] == std::byte{}) << i;
    }
  }
}

TEST_P(SparseWindow, EveryByteThatIsKeptIsNeeded) {
  const std::string text = sample_text(500000, 3);
  const std::string deflate = deflated_as(GetParam(), text);
  const std::string stored = header() + deflate + trailer(text);
  const auto points = points_of(deflate, text, 0, 1000);
  ASSERT_GE(points.size(), 3U);
  SeekPoint point = points[points.size() / 2];
  ASSERT_TRUE(make_sparse(point, *mapped(stored)).has_value());
  const std::string right = rest_from(stored, point);
  for (std::size_t i = 0; i < point.window.size(); i += 997) {
    if (point.window[i] != std::byte{}) {
      SeekPoint spoiled = point;
      spoiled.window[i] ^= std::byte{1};
      EXPECT_FALSE(rest_from(stored, spoiled) == right) << i;
    }
  }
}

TEST(SparseWindowOf, StoredBlocksNeedsNothing) {
  const std::string text = sample_text(200000);
  const std::string deflate = deflated_as({.name = "", .level = 0}, text);
  const std::string stored = header() + deflate + trailer(text);
  SeekPoint point = points_of(deflate, text, 0, 1).at(1);
  ASSERT_TRUE(make_sparse(point, *mapped(stored)).has_value());
  EXPECT_TRUE(std::all_of(point.window.begin(), point.window.end(),
                          [](std::byte b) { return b == std::byte{}; }));
}

TEST(SparseWindowOf, CutMemberKeepsWhatIsNeededBeforeTheCut) {
  const std::string text = sample_text(200000);
  const std::string deflate = deflated_as({.name = "", .memory = 4}, text);
  const std::string stored = header() + deflate + trailer(text);
  SeekPoint point = points_of(deflate, text, 0, 20000).at(1);
  const std::string cut = stored.substr(0, point.stored_offset + 2000);
  const std::string right = rest_from(cut, point);
  ASSERT_TRUE(make_sparse(point, *mapped(cut)).has_value());
  EXPECT_TRUE(rest_from(cut, point) == right);
}

TEST(SparseWindowOf, WrongPointIsAnErrorAndStaysAsItWas) {
  const std::string stored = member("WARC/1.0") + "\x07 garbage";
  SeekPoint point{.stored_offset = member("WARC/1.0").size(),
                  .bits = 0,
                  .window = std::vector<std::byte>(32768, std::byte{5})};
  const auto before = point.window;
  const auto done = make_sparse(point, *mapped(stored));
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), ErrorCode::Corrupt);
  EXPECT_TRUE(point.window == before);
}

}  // namespace
}  // namespace fonds::gzip
