// The gzip decoder with DecodeOptions::resume and DecodeOptions::collect.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fonds/seek_index.hpp>

#include "codec/gzip/codec.hpp"
#include "codec/gzip/decoder.hpp"
#include "codec/gzip/testing_seek.hpp"
#include "codec/testing.hpp"

namespace fonds::gzip {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing_codec::Decoded;
using testing_codec::mapped;
using testing_codec::piped;
using testing_codec::read_all;
using testing_codec::sample_text;
using testing_gzip::block_ends;
using testing_gzip::BlockEnd;
using testing_gzip::deflated_as;
using testing_gzip::header;
using testing_gzip::Kind;
using testing_gzip::kinds;
using testing_gzip::le32;
using testing_gzip::member;
using testing_gzip::points_of;
using testing_gzip::trailer;

constexpr RecordProbe kProbe = {.starts_record = testing_codec::starts_with_record};

Decoded decode_from(const std::string& stored, SeekPoint point, DecodeOptions options = {}) {
  options.resume = std::make_shared<SeekPoint>(std::move(point));
  options.probe = kProbe;
  return read_all(gzip_codec(), mapped(stored), options);
}

std::string records(std::size_t n, std::size_t size, int first = 0) {
  std::string text;
  for (std::size_t i = 0; i < n; ++i) {
    text += testing_codec::record(first + static_cast<int>(i), size);
  }
  return text;
}

class GzipResume : public testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, GzipResume, testing::ValuesIn(kinds()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(GzipResume, GivesTheRestOfTheMemberAndWhatFollows) {
  const std::string text = records(60, 5000);
  const std::string deflate = deflated_as(GetParam(), text);
  const std::string first = member("WARC/0.9");
  const std::string stored = first + header() + deflate + trailer(text) + member("WARC/1.1");
  const auto points = points_of(deflate, text, first.size(), deflate.size() / 12);
  for (const SeekPoint& point : points) {
    const std::string rest = text.substr(point.place->inner) + "WARC/1.1";
    for (const DecodeOptions& options : {DecodeOptions{}, DecodeOptions{.skim = true}}) {
      const Decoded result = decode_from(stored, point, options);
      EXPECT_TRUE(result.all() == rest) << point.stored_offset;
      EXPECT_THAT(result.codes, IsEmpty());
      EXPECT_THAT(result.units,
                  ElementsAre(first.size(), stored.size() - member("WARC/1.1").size()));
      EXPECT_EQ(result.stored, stored.size());
    }
    DecodeOptions options{.probe = kProbe, .resume = std::make_shared<SeekPoint>(point)};
    EXPECT_TRUE(read_all(gzip_codec(), piped(stored, 1000), options).all() == rest);
  }
}

struct Prepared {
  std::string text = records(100, 5000);
  std::string deflate = deflated_as({.name = "", .memory = 4}, text);
  std::string stored = header() + deflate + trailer(text);
  std::vector<SeekPoint> points = points_of(deflate, text, 0, 20000);
};

std::unique_ptr<Decoder> decoder_at(const std::string& stored, const SeekPoint& point) {
  return *gzip_codec().decode(mapped(stored),
                              {.probe = kProbe, .resume = std::make_shared<SeekPoint>(point)});
}

TEST(GzipResumeAt, PlaceIsThatOfThePoint) {
  const Prepared made;
  const auto decoder = decoder_at(made.stored, made.points[1]);
  ASSERT_TRUE(decoder->peek(1).has_value());
  EXPECT_EQ(decoder->place(), *made.points[1].place);
  ASSERT_EQ(decoder->skip(100).value_or(0), 100U);
  EXPECT_EQ(decoder->place(), (Place{0, made.points[1].place->inner + 100}));
}

TEST(GzipResumeAt, WithoutAPlaceItCountsFromThePoint) {
  Prepared made;
  SeekPoint point = made.points[1];
  point.place.reset();
  const auto decoder = decoder_at(made.stored, point);
  ASSERT_EQ(decoder->skip(100).value_or(0), 100U);
  EXPECT_EQ(decoder->place(), (Place{point.stored_offset, 100}));
}

TEST(GzipResumeAt, ChecksumOfTheMemberIsNotChecked) {
  const Prepared made;
  const std::string stored = header() + made.deflate + le32(1) + le32(made.text.size());
  EXPECT_THAT(decode_from(stored, made.points[0]).codes, IsEmpty());
}

TEST(GzipResumeAt, SizeOfTheMemberIsCheckedIfThePlaceIsKnown) {
  const Prepared made;
  const std::string stored = header() + made.deflate + le32(1) + le32(made.text.size() + 1);
  SeekPoint point = made.points[0];
  EXPECT_THAT(decode_from(stored, point).codes, ElementsAre("member-isize"));
  point.place.reset();
  EXPECT_THAT(decode_from(stored, point).codes, IsEmpty());
}

TEST(GzipResumeAt, MemberCutBehindThePointIsTruncated) {
  const Prepared made;
  const Decoded result =
      decode_from(made.stored.substr(0, made.stored.size() - 1000), made.points[2]);
  EXPECT_TRUE(made.text.substr(made.points[2].place->inner).starts_with(result.all()));
  EXPECT_THAT(result.codes, ElementsAre("truncated-member"));
}

TEST(GzipResumeAt, ReservedBlockTypeAtThePointIsABadPoint) {
  const std::string behind = member("WARC/1.1");
  const std::string stored = member("WARC/1.0") + "\x07 garbage" + behind;
  const Decoded result =
      decode_from(stored, {.stored_offset = member("WARC/1.0").size(), .bits = 0});
  EXPECT_THAT(result.codes, ElementsAre("seek-point-bad"));
  EXPECT_THAT(result.code_offsets, ElementsAre(member("WARC/1.0").size()));
  EXPECT_EQ(result.all(), "WARC/1.1");
}

TEST(GzipResumeAt, PointAtTheEndIsABadPoint) {
  const std::string stored = member("WARC/1.0");
  const Decoded result = decode_from(stored, {.stored_offset = stored.size(), .bits = 0});
  EXPECT_THAT(result.codes, ElementsAre("seek-point-bad"));
  EXPECT_EQ(result.all(), "");
}

TEST(GzipResumeAt, WrongPointsGiveAnEndAndNeverMoreThanTheDataHolds) {
  const Prepared made;
  for (const SeekPoint& right : made.points) {
    for (const int offset : {-2, -1, 0, 1, 2, 1000}) {
      for (unsigned bits = 0; bits < 8; ++bits) {
        SeekPoint point = right;
        point.stored_offset =
            static_cast<std::uint64_t>(static_cast<std::int64_t>(point.stored_offset) + offset);
        point.bits = static_cast<std::uint8_t>(bits);
        const Decoded result = decode_from(made.stored, point);
        EXPECT_EQ(result.error, "");
        if (offset == 0 && bits == right.bits) {
          EXPECT_THAT(result.codes, IsEmpty());
        }
      }
    }
  }
}

TEST(GzipResumeAt, BitsOfTheByteAreTakenFromTheSource) {
  const Prepared made;
  const auto odd = std::find_if(made.points.begin(), made.points.end(),
                                [](const SeekPoint& point) { return point.bits > 0; });
  ASSERT_NE(odd, made.points.end());
  EXPECT_TRUE(decode_from(made.stored, *odd).all() == made.text.substr(odd->place->inner));
}

struct Impossible {
  const char* name;
  std::uint64_t offset;
  std::uint8_t bits;
};
class GzipImpossiblePoint : public testing::TestWithParam<Impossible> {};
INSTANTIATE_TEST_SUITE_P(Points, GzipImpossiblePoint,
                         testing::Values(Impossible{"EightBits", 20, 8},
                                         Impossible{"AllBits", 20, 255},
                                         Impossible{"BitsBeforeTheStart", 0, 3},
                                         Impossible{"BehindTheEnd", 1000, 0},
                                         Impossible{"FarBehindTheEnd", ~std::uint64_t{0}, 7}),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(GzipImpossiblePoint, IsRefused) {
  const auto decoder =
      gzip_codec().decode(mapped(member("WARC/1.0 and so on")),
                          {.resume = std::make_shared<SeekPoint>(SeekPoint{
                               .stored_offset = GetParam().offset, .bits = GetParam().bits})});
  ASSERT_FALSE(decoder.has_value());
  EXPECT_EQ(decoder.error().code(), ErrorCode::Corrupt);
  EXPECT_EQ(decoder.error().where().stored_offset, GetParam().offset);
}

// Reads all, and asks for a point at the start of each record as whoever builds an index does.
struct Collected {
  std::string text;
  std::vector<SeekPoint> points;
  std::vector<std::uint64_t> starts;  // of the records that the points were taken at
  std::vector<std::string> codes;
};
Collected collect(std::shared_ptr<ByteSource> source, std::shared_ptr<SeekCollector> collector,
                  std::size_t record_size, DecodeOptions options = {}) {
  Collected result;
  options.collect = collector;
  options.probe = kProbe;
  auto decoder = *gzip_codec().decode(std::move(source), options);
  while (true) {
    const auto shown = decoder->peek(1);
    if (!shown || shown->empty()) {
      if (!shown || !decoder->next_run().value_or(false)) {
        break;
      }
      continue;
    }
    if (result.text.size() % record_size == 0) {
      if (auto point = collector->take(decoder->place())) {
        result.points.push_back(std::move(*point));
        result.starts.push_back(result.text.size());
      }
    }
    const std::size_t n = std::min(
        {shown->size(), record_size - result.text.size() % record_size, decoder->shown_of_unit()});
    result.text += as_text(shown->first(n));
    decoder->consume(n);
  }
  for (const Finding& finding : decoder->take_findings()) {
    result.codes.emplace_back(finding.code);
  }
  return result;
}

class GzipCollect : public testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, GzipCollect, testing::ValuesIn(kinds()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(GzipCollect, PointsAreTheNewestBordersBeforeRecords) {
  const std::string text = sample_text(600000, 5);
  const std::string deflate = deflated_as(GetParam(), text);
  const std::string stored = header() + deflate + trailer(text);
  const std::vector<BlockEnd> ends = block_ends(deflate);
  constexpr std::size_t kRecord = 8192;
  constexpr std::uint64_t kSpacing = 40000;
  const Collected result =
      collect(mapped(stored), std::make_shared<SeekCollector>(kSpacing), kRecord);
  EXPECT_TRUE(result.text == text);
  EXPECT_THAT(result.codes, IsEmpty());
  if (ends.size() > 20) {
    EXPECT_GE(result.points.size(), stored.size() / kSpacing / 2);
  }
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const SeekPoint& point = result.points[i];
    EXPECT_GE(point.stored_offset, last + kSpacing);
    last = point.stored_offset;
    // The newest border at or before the record.
    const auto behind = std::find_if(ends.begin(), ends.end(), [&](const BlockEnd& end) {
      return end.decoded > result.starts[i];
    });
    ASSERT_NE(behind, ends.begin());
    const BlockEnd& newest = *(behind - 1);
    EXPECT_EQ(point.stored_offset, header().size() + newest.stored);
    EXPECT_EQ(point.bits, newest.bits);
    EXPECT_EQ(point.place, (Place{0, newest.decoded}));
    EXPECT_TRUE(as_text(point.window) ==
                std::string_view(text)
                    .substr(0, newest.decoded)
                    .substr(newest.decoded - std::min<std::uint64_t>(newest.decoded, 32768)));
    if (i % 4 == 0) {
      EXPECT_TRUE(decode_from(stored, point).all() == text.substr(newest.decoded));
    }
  }
}

TEST_P(GzipCollect, PipesGiveTheSamePoints) {
  const std::string text = sample_text(400000, 5);
  const std::string stored = header() + deflated_as(GetParam(), text) + trailer(text);
  const Collected a = collect(mapped(stored), std::make_shared<SeekCollector>(30000), 8192);
  const Collected b = collect(piped(stored, 777), std::make_shared<SeekCollector>(30000), 8192);
  EXPECT_TRUE(b.text == text);
  EXPECT_EQ(a.starts, b.starts);
  ASSERT_EQ(a.points.size(), b.points.size());
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    EXPECT_EQ(a.points[i].stored_offset, b.points[i].stored_offset);
    EXPECT_EQ(a.points[i].bits, b.points[i].bits);
    EXPECT_TRUE(a.points[i].window == b.points[i].window);
  }
}

TEST(GzipCollecting, MembersGiveTheirStartsAndTheInsidesOfLongOnes) {
  const std::string a = records(20, 5000), b = records(200, 5000), c = records(20, 5000, 99);
  const std::string stored = member(a) + member(b) + member(c) + member(c) + member(c);
  const Collected result =
      collect(mapped(stored), std::make_shared<SeekCollector>(50000), 5000 + 21);
  EXPECT_TRUE(result.text == a + b + c + c + c);
  std::vector<std::uint64_t> units;
  bool inside = false;
  for (const SeekPoint& point : result.points) {
    units.push_back(point.place->unit);
    inside = inside || point.place->inner > 0;
    const Decoded rest = decode_from(stored, point);
    EXPECT_TRUE(std::string_view(result.text).ends_with(rest.all()));
    EXPECT_THAT(rest.codes, IsEmpty());
  }
  EXPECT_TRUE(inside);
  EXPECT_THAT(units, Contains(member(a).size()));
  EXPECT_THAT(units, Contains(Not(member(a).size())));
}

TEST(GzipCollecting, RecordsFarApartStillGetABorderNearThem) {
  const std::string text = sample_text(std::size_t{12} << 20, 5);
  const std::string deflate = deflated_as({.name = "", .level = 1, .memory = 5}, text);
  const std::string stored = header() + deflate + trailer(text);
  const Collected result =
      collect(mapped(stored), std::make_shared<SeekCollector>(100000), std::size_t{5} << 20);
  ASSERT_THAT(result.points, SizeIs(2));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LT(result.starts[i] - result.points[i].place->inner, std::size_t{1} << 20);
  }
}

TEST(GzipCollecting, DenseSpacingIsKeptForTheWholeMember) {
  const std::string text = sample_text(std::size_t{8} << 20, 5);
  const std::string stored = header() + deflated_as({.name = "", .level = 1}, text) + trailer(text);
  const Collected result = collect(mapped(stored), std::make_shared<SeekCollector>(50000), 4096);
  EXPECT_GE(result.points.size(), stored.size() / 100000);
}

TEST(GzipCollecting, SkimmingWithACollectorGivesTheSameText) {
  const std::string text = records(200, 5000);
  const std::string stored = member(text) + member(text);
  const Collected result =
      collect(mapped(stored), std::make_shared<SeekCollector>(50000), 5021, {.skim = true});
  EXPECT_TRUE(result.text == text + text);
  EXPECT_THAT(result.points, Not(IsEmpty()));
}

TEST(GzipCollecting, DamageIsFoundAsWithout) {
  const std::string text = sample_text(std::size_t{3} << 20, 5);
  std::string stored = member(text);
  stored[stored.size() - 7] = static_cast<char>(stored[stored.size() - 7] ^ 1);
  const auto without = read_all(gzip_codec(), mapped(stored), {.probe = kProbe});
  const Collected with = collect(mapped(stored), std::make_shared<SeekCollector>(50000), 4096);
  EXPECT_EQ(with.codes, without.codes);
  EXPECT_TRUE(with.text == without.all());
}

}  // namespace
}  // namespace fonds::gzip
