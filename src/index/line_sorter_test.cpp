#include "index/line_sorter.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "io/temporary_directory.hpp"

namespace fonds::index {
namespace {

using testing_io::TemporaryDirectory;
using Lines = std::vector<std::string>;

Result<Lines> sort_with(LineSorter& sorter, const Lines& lines, bool drop_duplicates) {
  for (const std::string& line : lines) {
    FONDS_CHECK(sorter.add(line));
  }
  Lines sorted;
  FONDS_CHECK(sorter.finish(
      [&](std::string_view line) {
        sorted.emplace_back(line);
        return Status();
      },
      drop_duplicates));
  return sorted;
}

Lines sort_with(std::uint64_t memory, const Lines& lines, bool drop_duplicates = false) {
  LineSorter sorter(memory, "");
  auto sorted = sort_with(sorter, lines, drop_duplicates);
  EXPECT_TRUE(sorted.has_value()) << (sorted ? "" : sorted.error().to_string());
  return sorted ? std::move(*sorted) : Lines();
}

struct Shape {
  std::string name;
  std::function<std::string(std::mt19937&, std::size_t)> line;
};
std::string octets(std::mt19937& random, std::size_t length, unsigned kinds, unsigned first) {
  std::string text(length, '\0');
  for (char& c : text) {
    c = static_cast<char>(first + random() % kinds);
  }
  return text;
}
const std::vector<Shape> kShapes = {
    {"Random", [](auto& random, auto) { return octets(random, random() % 40, 256, 0); }},
    {"ZerosAndOnes", [](auto& random, auto) { return octets(random, random() % 30, 2, 0); }},
    {"OnlyZeros", [](auto& random, auto) { return std::string(random() % 40, '\0'); }},
    {"Equal", [](auto&, auto) { return std::string("org,example)/ 20200101000000 {}"); }},
    {"Empty", [](auto&, auto) { return std::string(); }},
    {"Ascending", [](auto&, std::size_t i) { return std::to_string(1000000 + i); }},
    {"Descending", [](auto&, std::size_t i) { return std::to_string(2000000 - i); }},
    {"OrganPipe",
     [](auto&, std::size_t i) { return std::to_string(100000 + (i < 2500 ? i : 5000 - i)); }},
    {"LongCommonBeginning",
     [](auto& random, auto) {
       return std::string(200, 'x') + octets(random, random() % 4, 3, 'a');
     }},
    {"HighOctets", [](auto& random, auto) { return octets(random, random() % 12, 4, 0xfe); }},
    {"SomeLong",
     [](auto& random, auto) {
       return octets(random, random() % 50 == 0 ? 30000 : random() % 20, 3, 'a');
     }},
};

class SortedLines : public testing::TestWithParam<Shape> {
 protected:
  Lines make(std::size_t n) const {
    std::mt19937 random(7);
    Lines lines;
    for (std::size_t i = 0; i < n; ++i) {
      lines.push_back(GetParam().line(random, i));
    }
    return lines;
  }
};
INSTANTIATE_TEST_SUITE_P(Shapes, SortedLines, testing::ValuesIn(kShapes),
                         [](const auto& shape) { return shape.param.name; });

TEST_P(SortedLines, InMemoryAreThoseOfStdSort) {
  Lines lines = make(5000);
  const Lines sorted = sort_with(std::uint64_t{64} << 20, lines);
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(sorted, lines);
}

TEST_P(SortedLines, OfManyRunsAndLevelsAreThoseOfStdSort) {
  Lines lines = make(30000);
  const Lines sorted = sort_with(1, lines);
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(sorted, lines);
}

TEST_P(SortedLines, WithoutDuplicatesInMemory) {
  Lines lines = make(5000);
  const Lines sorted = sort_with(std::uint64_t{64} << 20, lines, true);
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  EXPECT_EQ(sorted, lines);
}

TEST_P(SortedLines, WithoutDuplicatesOfManyRuns) {
  Lines lines = make(30000);
  const Lines sorted = sort_with(1, lines, true);
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  EXPECT_EQ(sorted, lines);
}

TEST(LineSorter, NothingGivesNothing) { EXPECT_EQ(sort_with(0, {}), Lines()); }

TEST(LineSorter, LineLongerThanMemoryIsSorted) {
  const std::string large(std::size_t{3} << 20, 'm');
  EXPECT_EQ(sort_with(1, {"z", large + "b", "a", large, large + "a", "n"}),
            (Lines{"a", large, large + "a", large + "b", "n", "z"}));
}

TEST(LineSorter, CanBeUsedAnew) {
  LineSorter sorter(1, "");
  const Lines many(20000, "line");
  ASSERT_EQ(sort_with(sorter, many, true), Lines{"line"});
  EXPECT_EQ(sort_with(sorter, {"b", "a"}, true), (Lines{"a", "b"}));
}

TEST(LineSorter, LeavesNoNameInItsDirectoryWhileItWorks) {
  const TemporaryDirectory directory;
  LineSorter sorter(1, directory.path(""));
  for (int i = 0; i < 20000; ++i) {
    ASSERT_TRUE(sorter.add("line " + std::to_string(i)));
  }
  EXPECT_EQ(directory.files(), 0U);
}

TEST(LineSorter, DirectoryThatIsNotThereIsAnErrorOnlyWhenMemoryIsFull) {
  const TemporaryDirectory directory;
  LineSorter sorter(1, directory.path("missing"));
  EXPECT_EQ(sort_with(sorter, {"b", "a"}, false), (Lines{"a", "b"}));
  const auto sorted = sort_with(sorter, Lines(20000, "line"), false);
  ASSERT_FALSE(sorted.has_value());
  EXPECT_EQ(sorted.error().code(), ErrorCode::Io);
  EXPECT_EQ(sorted.error().to_string(),
            directory.path("missing") +
                ": no temporary file can be made here: No such file or directory");
}

TEST(LineSorter, DirectoryThatNobodyCanWriteToIsAnError) {
  LineSorter sorter(1, "/proc");
  const auto sorted = sort_with(sorter, Lines(20000, "line"), false);
  ASSERT_FALSE(sorted.has_value());
  EXPECT_EQ(sorted.error().code(), ErrorCode::Io);
}

TEST(LineSorter, FullDiskIsAnError) {
  const TemporaryDirectory directory;
  LineSorter sorter(1, directory.path(""));
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {std::uint64_t{300} << 10, before.rlim_max};
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto sorted = sort_with(sorter, Lines(100000, "line"), false);
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  ASSERT_FALSE(sorted.has_value());
  EXPECT_EQ(sorted.error().code(), ErrorCode::Io);
  EXPECT_EQ(sorted.error().where().source, directory.path(""));
}

TEST(LineSorter, ErrorOfTheOutputEndsTheSorting) {
  LineSorter sorter(1, "");
  for (int i = 0; i < 20000; ++i) {
    ASSERT_TRUE(sorter.add("line"));
  }
  int given = 0;
  const Status status = sorter.finish(
      [&](std::string_view) -> Status {
        ++given;
        return fail(ErrorCode::Cancelled, "enough");
      },
      false);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), ErrorCode::Cancelled);
  EXPECT_EQ(given, 1);
}

}  // namespace
}  // namespace fonds::index
