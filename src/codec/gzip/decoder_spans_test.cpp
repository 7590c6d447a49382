// The gzip decoder with DecodeOptions::seek: what it gives on any number of threads is what it
// gives on one, however wrong the seek points are.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fonds/seek_index.hpp>

#include "codec/gzip/codec.hpp"
#include "codec/gzip/testing_seek.hpp"
#include "codec/testing.hpp"

namespace fonds::gzip {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_codec::mapped;
using testing_codec::sample_text;
using testing_gzip::block_ends;
using testing_gzip::BlockEnd;
using testing_gzip::deflated_as;
using testing_gzip::header;
using testing_gzip::Kind;
using testing_gzip::kinds;
using testing_gzip::member;
using testing_gzip::point_at;
using testing_gzip::PointList;
using testing_gzip::points_of;
using testing_gzip::trailer;

// All that a reader can see of a decoder.
struct Seen {
  std::string text;  // gaps are marked
  std::vector<std::pair<std::size_t, Place>> places;
  std::vector<std::string> findings;
  std::uint64_t stored = 0;
  friend bool operator==(const Seen&, const Seen&) = default;
};

// Reads with steps of many sizes, the same ones each time.
Seen read(const std::string& stored, DecodeOptions options, std::uint64_t seed = 1) {
  Seen seen;
  options.probe = {.starts_record = testing_codec::starts_with_record};
  auto decoder = *gzip_codec().decode(mapped(stored), options);
  std::mt19937_64 random(seed);
  while (true) {
    const std::size_t wanted = random() % 50 == 0 ? random() % 2000000 : random() % 70000;
    const auto shown = decoder->peek(wanted + 1);
    if (!shown || shown->empty()) {
      seen.text += shown ? "|" : shown.error().message();
      if (!shown || !decoder->next_run().value_or(false)) {
        break;
      }
      continue;
    }
    seen.places.emplace_back(seen.text.size(), decoder->place());
    const std::size_t n = std::min({shown->size(), wanted + 1, decoder->shown_of_unit()});
    seen.text += as_text(shown->first(n));
    decoder->consume(n);
  }
  for (const Finding& finding : decoder->take_findings()) {
    seen.findings.push_back(std::string(finding.code) + "@" +
                            std::to_string(finding.where.stored_offset.value_or(0)) + ": " +
                            finding.message);
  }
  seen.stored = decoder->stored_position();
  return seen;
}

void expect_same(const std::string& stored, const std::vector<SeekPoint>& points,
                 DecodeOptions options = {}) {
  const Seen alone = read(stored, options);
  options.seek = std::make_shared<PointList>(points);
  for (const unsigned threads : {1U, 2U, 7U}) {
    options.threads = threads;
    const Seen seen = read(stored, options);
    EXPECT_TRUE(seen.text == alone.text)
        << threads << " threads: " << seen.text.size() << " bytes for " << alone.text.size();
    EXPECT_EQ(seen.places, alone.places) << threads;
    EXPECT_EQ(seen.findings, alone.findings) << threads;
    EXPECT_EQ(seen.stored, alone.stored) << threads;
  }
}

// A member of some megabytes whose blocks are short.
struct Long {
  explicit Long(const Kind& kind = {.name = "", .level = 1, .memory = 6},
                std::size_t size = std::size_t{7} << 19, std::uint64_t seed = 1)
      : text("WARC/1.0\r\n" + sample_text(size, seed)),
        deflate(deflated_as(kind, text)),
        stored(header() + deflate + trailer(text)) {}
  std::vector<SeekPoint> points(std::uint64_t spacing, std::uint64_t at = 0) const {
    return points_of(deflate, text, at, spacing);
  }
  std::string text, deflate, stored;
};

class GzipSpansThreads : public testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, GzipSpansThreads, testing::ValuesIn(kinds()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(GzipSpansThreads, GiveWhatOneGives) {
  const Long made(GetParam());
  expect_same(made.stored + member("WARC/1.1"), made.points(300000));
}

const Long& sample() {
  static const Long made;
  return made;
}

TEST(GzipSpansOfThreads, PointsOfEverySpacingWillDo) {
  for (const std::uint64_t spacing : {1000U, 100000U, 270000U, 700000U, 1500000U}) {
    expect_same(sample().stored, sample().points(spacing));
  }
}

TEST(GzipSpansOfThreads, OnePointWillDo) {
  const auto points = sample().points(1000000);
  for (std::size_t i = 0; i < points.size(); ++i) {
    expect_same(sample().stored, {points[i]});
  }
}

TEST(GzipSpansOfThreads, NoPointWillDo) { expect_same(sample().stored, {}); }

TEST(GzipSpansOfThreads, LittleRoomWillDo) {
  DecodeOptions options{.max_buffer = 3000000};
  expect_same(sample().stored, sample().points(300000), options);
}

TEST(GzipSpansOfThreads, SkimmingReadersGetTheSame) {
  expect_same(sample().stored + member("WARC/1.1"), sample().points(300000), {.skim = true});
}

TEST(GzipSpansOfThreads, ResumedDecodersGetTheSame) {
  const auto points = sample().points(300000);
  expect_same(sample().stored, points, {.resume = std::make_shared<SeekPoint>(points[2])});
}

// Neither .chk.lz4 nor .gzidx tells places.
TEST(GzipSpansOfThreads, ResumedDecodersGetTheSameWherePointsTellNoPlace) {
  auto points = sample().points(20000);
  for (SeekPoint& point : points) {
    point.place.reset();
  }
  const auto aligned = std::find_if(points.begin(), points.end(),
                                    [](const SeekPoint& point) { return point.bits == 0; });
  ASSERT_NE(aligned, points.end());
  expect_same(sample().stored, points, {.resume = std::make_shared<SeekPoint>(*aligned)});
}

TEST(GzipSpansOfThreads, PointsOfSeveralMembers) {
  const Long a, b({.name = "", .memory = 7}, std::size_t{4} << 20, 2);
  const std::string small = member("WARC/1.0 small");
  const std::string stored = a.stored + small + b.stored + small + a.stored;
  std::vector<SeekPoint> points;
  const auto add = [&](const Long& made, std::uint64_t at) {
    for (SeekPoint& point : made.points(300000, at)) {
      points.push_back(std::move(point));
    }
  };
  add(a, 0);
  points.push_back({.stored_offset = a.stored.size() + header().size(), .bits = 0});
  points.push_back({.stored_offset = a.stored.size() + small.size() + header().size(), .bits = 0});
  add(b, a.stored.size() + small.size());
  add(a, stored.size() - a.stored.size());
  expect_same(stored, points);
}

TEST(GzipSpansOfThreads, WrongChecksumsAreFound) {
  std::string stored = sample().stored;
  stored[stored.size() - 6] = static_cast<char>(stored[stored.size() - 6] ^ 4);
  expect_same(stored + member("WARC/1.1"), sample().points(300000));
}

TEST(GzipSpansOfThreads, CutMembersAreFound) {
  for (std::size_t cut = 1; cut < sample().stored.size(); cut += 199999) {
    expect_same(sample().stored.substr(0, sample().stored.size() - cut), sample().points(300000));
  }
}

TEST(GzipSpansOfThreads, DamagedMembersAreFound) {
  std::mt19937_64 random(11);
  const auto points = sample().points(300000);
  for (int i = 0; i < 40; ++i) {
    std::string stored = sample().stored + member("WARC/1.1");
    const std::size_t at = random() % sample().stored.size();
    const std::size_t n = std::min<std::size_t>(random() % 20, stored.size() - at);
    for (std::size_t k = 0; k < n; ++k) {
      stored[at + k] = static_cast<char>(random());
    }
    expect_same(stored, points);
  }
}

struct Wrong {
  const char* name;
  void (*spoil)(std::vector<SeekPoint>& points, std::size_t i);
};
class GzipWrongPointsThreads : public testing::TestWithParam<Wrong> {};

INSTANTIATE_TEST_SUITE_P(
    Points, GzipWrongPointsThreads,
    testing::Values(
        Wrong{"OffsetTooSmall", [](auto& points, std::size_t i) { --points[i].stored_offset; }},
        Wrong{"OffsetTooLarge", [](auto& points, std::size_t i) { ++points[i].stored_offset; }},
        Wrong{"BitsTooMany",
              [](auto& points, std::size_t i) {
                points[i].bits = static_cast<std::uint8_t>(points[i].bits + 1);
              }},
        Wrong{"BitsTooFew",
              [](auto& points, std::size_t i) {
                points[i].bits = static_cast<std::uint8_t>(points[i].bits - 1);
              }},
        Wrong{"WindowOfZeros",
              [](auto& points, std::size_t i) {
                std::fill(points[i].window.begin(), points[i].window.end(), std::byte{});
              }},
        Wrong{"WindowMissing", [](auto& points, std::size_t i) { points[i].window.clear(); }},
        Wrong{"WindowShort", [](auto& points, std::size_t i) { points[i].window.resize(100); }},
        Wrong{"WindowOfAnother",
              [](auto& points, std::size_t i) {
                points[i].window = points[(i + 1) % points.size()].window;
              }},
        Wrong{"WindowWithOneWrongByte",
              [](auto& points, std::size_t i) { points[i].window[32000] ^= std::byte{1}; }},
        Wrong{"BehindTheEnd",
              [](auto& points, std::size_t i) { points[i].stored_offset += 100000000; }},
        Wrong{"PlaceWrong", [](auto& points, std::size_t i) { points[i].place->inner += 7; }},
        Wrong{"Twice", [](auto& points, std::size_t i) { points.push_back(points[i]); }},
        Wrong{"OutOfOrder",
              [](auto& points, std::size_t i) {
                std::swap(points[i], points[(i + 3) % points.size()]);
              }},
        Wrong{"InTheMiddleOfABlock",
              [](auto& points, std::size_t i) { points[i].stored_offset += 5000; }}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(GzipWrongPointsThreads, CostNothingButTime) {
  const auto right = sample().points(280000);
  for (std::size_t i = 0; i < right.size(); i += 2) {
    auto points = right;
    GetParam().spoil(points, i);
    expect_same(sample().stored + member("WARC/1.1"), points);
  }
}

TEST_P(GzipWrongPointsThreads, AllWrong) {
  auto points = sample().points(280000);
  for (std::size_t i = 0, n = points.size(); i < n; ++i) {
    GetParam().spoil(points, i);
  }
  expect_same(sample().stored + member("WARC/1.1"), points);
}

TEST(GzipSpansOfThreads, PointsOfAnotherFileCostNothingButTime) {
  const Long other({.name = "", .level = 6, .memory = 8}, std::size_t{6} << 20, 77);
  expect_same(sample().stored, other.points(300000));
}

TEST(GzipSpansOfThreads, EndWithTheDecoderAtAnyMoment) {
  const auto index = std::make_shared<PointList>(sample().points(300000));
  for (std::size_t n = 0; n < sample().text.size(); n += 300000) {
    auto decoder = *gzip_codec().decode(mapped(sample().stored), {.seek = index, .threads = 7});
    ASSERT_EQ(decoder->skip(n).value_or(~std::uint64_t{0}), n);
  }
}

class Unreadable final : public SeekIndex {
 public:
  explicit Unreadable(std::vector<SeekPoint> points) : points_(std::move(points)) {}
  std::size_t size() const override { return points_.size(); }
  SeekPoint border(std::size_t i) const override {
    return {points_[i].stored_offset, points_[i].bits, {}, {}};
  }
  Result<SeekPoint> point(std::size_t i) const override {
    return i % 2 == 0 ? Result<SeekPoint>(points_[i]) : fail(ErrorCode::Corrupt, "broken");
  }

 private:
  std::vector<SeekPoint> points_;
};

TEST(GzipSpansOfThreads, PointsThatCannotBeReadCostNothingButTime) {
  const Seen alone = read(sample().stored, {});
  const Seen seen =
      read(sample().stored,
           {.seek = std::make_shared<Unreadable>(sample().points(300000)), .threads = 2});
  EXPECT_TRUE(seen == alone);
}

}  // namespace
}  // namespace fonds::gzip
