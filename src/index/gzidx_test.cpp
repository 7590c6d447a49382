#include "index/gzidx.hpp"

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "index/checkpoint_test_support.hpp"

namespace fonds::index {
namespace {

using testing::IsEmpty;
using Codes = std::vector<std::string>;

constexpr std::uint64_t kArchiveSize = 100'000;

std::string le64_text(std::uint64_t value) {
  return le32_text(static_cast<std::uint32_t>(value)) +
         le32_text(static_cast<std::uint32_t>(value >> 32));
}

struct TestPoint {
  std::uint64_t stored = 0, decoded = 0;
  char bits = 0;
  char window = 0;  // what fills it; 0: there is none
};

struct TestIndex {
  std::string magic = "GZIDX";
  char version = 1;
  std::uint64_t archive_size = kArchiveSize;
  std::uint64_t decoded_size = 900'000;
  std::uint32_t spacing = 1 << 20;
  std::uint32_t window = kGzidxWindow;
  std::uint32_t count = 4;
  std::vector<TestPoint> points = {
      {20, 0}, {3000, 400'000, 5, 'a'}, {50'000, 800'000, 0, 'b'}, {kArchiveSize, 900'000, 0, 'c'}};

  std::string text() const {
    std::string out = magic + version + '\0' + le64_text(archive_size) + le64_text(decoded_size) +
                      le32_text(spacing) + le32_text(window) + le32_text(count);
    std::string windows;
    for (const TestPoint& point : points) {
      out += le64_text(point.stored) + le64_text(point.decoded) + point.bits;
      if (version != 0) {
        out += static_cast<char>(point.window != 0 ? 1 : 0);
      }
      windows += point.window != 0 ? std::string(window - 1, point.window) + 'z' : std::string();
    }
    return out + windows;
  }
};

template <typename Change>
std::string index_with(Change change) {
  TestIndex index;
  change(index);
  return index.text();
}

std::shared_ptr<const GzidxFile> read_text(std::string_view text) {
  auto file = GzidxFile::read(source_of(text), kArchiveSize);
  EXPECT_TRUE(file.has_value());
  return *file;
}

Codes codes(const GzidxFile& file) {
  Codes found;
  for (const Finding& finding : file.findings()) {
    found.emplace_back(finding.code);
  }
  return found;
}

class GoodGzidx : public testing::TestWithParam<char> {};

TEST_P(GoodGzidx, GivesItsPointsButTheLast) {
  const auto file = read_text(index_with([](TestIndex& index) { index.version = GetParam(); }));
  EXPECT_THAT(codes(*file), IsEmpty());
  EXPECT_EQ(file->decoded_size(), 900'000U);
  EXPECT_EQ(file->spacing(), 1U << 20);
  ASSERT_EQ(file->size(), 3U);
  EXPECT_TRUE(file->begins_member(0));
  EXPECT_FALSE(file->begins_member(1));
  EXPECT_TRUE(file->point(0)->window.empty());
  const auto point = file->point(1);
  ASSERT_TRUE(point.has_value());
  EXPECT_EQ(point->stored_offset, 3000U);
  EXPECT_EQ(point->bits, 5U);
  EXPECT_EQ(as_text(point->window), std::string(kGzidxWindow - 1, 'a') + 'z');
  EXPECT_EQ(file->decoded_offset(1), 400'000U);
  EXPECT_EQ(as_text(file->point(2)->window), std::string(kGzidxWindow - 1, 'b') + 'z');
}

INSTANTIATE_TEST_SUITE_P(Versions, GoodGzidx, testing::Values('\0', '\1'));

TEST(GzidxFile, OfLargerWindowsTheEndCounts) {
  const auto file = read_text(index_with([](TestIndex& index) { index.window = 100'000; }));
  EXPECT_EQ(as_text(file->point(1)->window), std::string(kGzidxWindow - 1, 'a') + 'z');
}

TEST(GzidxFile, FindsThePointAtOrBeforeADecodedByte) {
  const auto file = read_text(TestIndex().text());
  EXPECT_EQ(file->find_decoded(0), 0U);
  EXPECT_EQ(file->find_decoded(399'999), 0U);
  EXPECT_EQ(file->find_decoded(400'000), 1U);
  EXPECT_EQ(file->find_decoded(1'000'000'000), 2U);
}

TEST(GzidxFile, AnUnknownDecodedSizeIsNotGiven) {
  const auto file = read_text(index_with([](TestIndex& index) { index.decoded_size = 0; }));
  EXPECT_EQ(file->decoded_size(), std::nullopt);
}

struct Faulty {
  std::string name;
  std::string text;
  Codes codes;
  std::size_t points;
};
void PrintTo(const Faulty& faulty, std::ostream* out) { *out << faulty.name; }

std::vector<Faulty> faulty() {
  const std::string whole = TestIndex().text();
  return {
      {"OtherFile", index_with([](auto& index) { --index.archive_size; }), {"gzidx-source"}, 0},
      {"CutInTheLastWindow", whole.substr(0, whole.size() - 1), {"gzidx-truncated"}, 3},
      {"CutInAWindow",
       whole.substr(0, whole.size() - 2 * kGzidxWindow - 1),
       {"gzidx-truncated"},
       1},
      {"CutInThePoints", whole.substr(0, 35 + 18 + 17), {"gzidx-truncated"}, 1},
      {"NoPoints", whole.substr(0, 35), {"gzidx-truncated"}, 0},
      {"ManyPoints", index_with([](auto& index) { index.count = 0xFFFFFFFF; }),
       Codes(1, "gzidx-truncated"), 1},
      {"HugeWindows",
       index_with([](auto& index) { index.window = 40'000; }).replace(27, 4, "\xff\xff\xff\xff"),
       {"gzidx-truncated"},
       1},
      {"Bits8", index_with([](auto& index) { index.points[1].bits = 8; }), {"gzidx-point"}, 2},
      {"BehindTheEnd",
       index_with([](auto& index) { index.points[1].stored = kArchiveSize + 1; }),
       {"gzidx-point"},
       2},
      {"InTheHeader",
       index_with([](auto& index) { index.points[0].stored = 0; }),
       {"gzidx-point"},
       2},
      {"SamePlace",
       index_with([](auto& index) { index.points[1].stored = 20; }),
       {"gzidx-point"},
       2},
      {"DecodedBackwards",
       index_with([](auto& index) { index.points[2].decoded = 5; }),
       {"gzidx-point"},
       2},
  };
}

class FaultyGzidx : public testing::TestWithParam<Faulty> {};

TEST_P(FaultyGzidx, IsReportedAndGivesWhatCanBeUsed) {
  const auto file = read_text(GetParam().text);
  Codes found = codes(*file);
  if (GetParam().name == "ManyPoints") {
    // What is read as points are bytes of windows.
    ASSERT_FALSE(found.empty());
    found.resize(1);
  }
  EXPECT_EQ(found, GetParam().codes);
  EXPECT_EQ(file->size(), GetParam().points);
  for (std::size_t i = 0; i < file->size(); ++i) {
    EXPECT_TRUE(file->point(i).has_value());
  }
}

INSTANTIATE_TEST_SUITE_P(Table, FaultyGzidx, testing::ValuesIn(faulty()),
                         [](const auto& tested) { return tested.param.name; });

struct Refused {
  std::string name;
  std::string text;
  ErrorCode code;
};
void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.name; }

class RefusedGzidx : public testing::TestWithParam<Refused> {};

TEST_P(RefusedGzidx, IsAnError) {
  const auto file = GzidxFile::read(source_of(GetParam().text, "a.gzidx"), kArchiveSize);
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code(), GetParam().code);
  EXPECT_EQ(file.error().where().source, "a.gzidx");
}

INSTANTIATE_TEST_SUITE_P(
    Table, RefusedGzidx,
    testing::Values(Refused{"Empty", "", ErrorCode::Corrupt},
                    Refused{"Text", "text", ErrorCode::Corrupt},
                    Refused{"CutInTheHeader", TestIndex().text().substr(0, 34),
                            ErrorCode::Truncated},
                    Refused{"Version2", index_with([](auto& index) { index.version = 2; }),
                            ErrorCode::Unsupported},
                    Refused{"SmallWindows", index_with([](auto& index) { index.window = 32767; }),
                            ErrorCode::Corrupt}),
    [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace fonds::index
