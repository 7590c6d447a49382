#include "index/line_file.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "io/testing.hpp"

namespace fonds::index {
namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  const ByteView bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

LineFile open_text(std::string_view text, char delimiter = ' ') {
  auto file = LineFile::open(memory_source(bytes_of(text), "lines"), delimiter);
  EXPECT_TRUE(file.has_value());
  return std::move(*file);
}

std::vector<std::string> rest_of(LineCursor& cursor) {
  std::vector<std::string> lines;
  while (cursor.next().value_or(false)) {
    lines.emplace_back(cursor.line());
  }
  return lines;
}
using Lines = std::vector<std::string>;

struct LookUp {
  std::string name, text, key;
  Lines expected;
};
class LineFileLookUp : public testing::TestWithParam<LookUp> {};
const std::vector<LookUp> kLookUps = {
    {"KeyThatIsThere", "a 1\nb 2\nc 3\n", "b", {"b 2", "c 3"}},
    {"KeyBetweenTwo", "a 1\nb 2\nd 3\n", "c", {"d 3"}},
    {"KeyBeforeAll", "b 1\nc 2\n", "a", {"b 1", "c 2"}},
    {"KeyBehindAll", "b 1\nc 2\n", "d", {}},
    {"EmptyKeyIsBeforeAll", "b 1\nc 2\n", "", {"b 1", "c 2"}},
    {"FirstOfEqualKeys", "a 1\nb 1\nb 2\nb 3\nc 1\n", "b", {"b 1", "b 2", "b 3", "c 1"}},
    // "a!" follows "a " in the order of lines, and "a" that of keys.
    {"KeyIsComparedAloneNotTheLine", "a zzz\na! b\n", "a!", {"a! b"}},
    {"EmptyFile", "", "a", {}},
    {"OnlyLineEnds", "\n\r\n\n", "a", {}},
    {"NoLineEndAtTheEnd", "a 1\nb 2", "b", {"b 2"}},
    {"OneLineWithoutEnd", "b 2", "b", {"b 2"}},
    {"CarriageReturns", "a 1\r\nb 2\r\nc 3\r\n", "b", {"b 2", "c 3"}},
    {"CarriageReturnBehindAKeyWithoutColumns", "a\r\nb\r\n", "b", {"b"}},
    {"EmptyLinesAtTheEnd", "a 1\nb 2\n\n\r\n\n", "b", {"b 2"}},
    {"EmptyLinesAtTheStart", "\n\na 1\nb 2\n", "a", {"a 1", "b 2"}},
    {"LegendIsNoLine", " CDX N b a\na 1\nb 2\n", "", {"a 1", "b 2"}},
    {"LegendOfAnotherDelimiterIsNoLine", "|CDX|N|b|a\na 1\n", "", {"a 1"}},
    {"MetaLinesAreNoLines", "!meta 0 {}\n!more 1 {}\na 1\n", "", {"a 1"}},
    {"OnlyALegend", " CDX N b a\n", "a", {}},
    {"LegendWithoutLineEnd", " CDX N b a", "a", {}},
    {"LineWithoutDelimiter", "a\nbb\nc\n", "b", {"bb", "c"}},
    {"HighOctets", "a 1\n\x80 2\n\xff 3\n", "\x80", {"\x80 2", "\xff 3"}},
};
INSTANTIATE_TEST_SUITE_P(LookUps, LineFileLookUp, testing::ValuesIn(kLookUps),
                         [](const auto& look_up) { return look_up.param.name; });

TEST_P(LineFileLookUp, GivesTheLinesFromTheKeyOn) {
  const LineFile file = open_text(GetParam().text);
  const auto start = std::move(*file.lines_from(GetParam().key));
  EXPECT_TRUE(start.in_order);
  EXPECT_EQ(rest_of(*start.cursor), GetParam().expected);
}

TEST_P(LineFileLookUp, GivesTheSameOfAFileThatIsNotMapped) {
  const auto file =
      LineFile::open(std::make_shared<testing_io::Unmapped>(bytes_of(GetParam().text)));
  ASSERT_TRUE(file.has_value());
  const auto start = file->lines_from(GetParam().key);
  ASSERT_TRUE(start.has_value());
  EXPECT_TRUE(start->in_order);
  EXPECT_EQ(rest_of(*start->cursor), GetParam().expected);
}

// 40 000 lines, some of which are longer than what a look at the middle brings.
std::string long_text(std::mt19937& random) {
  std::string text;
  for (int i = 0; i < 40'000; ++i) {
    const std::size_t length = random() % 500 == 0 ? random() % 30'000 : random() % 60;
    text += std::to_string(100'000 + 2 * i) + " " + std::string(length, 'x') + "\n";
  }
  return text;
}

TEST(LineFile, FileThatIsNotMappedIsSearchedByAFewReads) {
  std::mt19937 random(9);
  const std::string text = long_text(random);
  const LineFile mapped = open_text(text);
  for (int round = 0; round < 200; ++round) {
    const std::string key = std::to_string(100'000 + random() % 80'010);
    const auto source = std::make_shared<testing_io::Unmapped>(bytes_of(text));
    const auto file = LineFile::open(source);
    ASSERT_TRUE(file.has_value());
    const auto found = file->lower_bound(key);
    const auto wanted = mapped.lower_bound(key);
    ASSERT_TRUE(found && wanted);
    ASSERT_EQ(found->stored_offset, wanted->stored_offset) << key;
    ASSERT_EQ(found->before, wanted->before) << key;
    ASSERT_TRUE(found->in_order);
    std::uint64_t bytes = 0;
    for (const ByteRange& read : source->reads) {
      bytes += read.length;
    }
    ASSERT_LT(source->reads.size(), 40U) << key;
    ASSERT_LT(bytes, std::uint64_t{500} << 10) << key;
  }
}

TEST(LineFile, FileThatBecomesShorterIsAnError) {
  class Cut final : public ByteSource {
   public:
    const std::string& name() const override { return name_; }
    bool random_access() const override { return true; }
    Result<std::uint64_t> size() override { return 100; }
    Result<std::size_t> read_at(std::uint64_t, MutableByteView) override { return 0; }
    Result<std::size_t> read_next(MutableByteView) override { return 0; }

   private:
    std::string name_ = "cut";
  };
  const auto file = LineFile::open(std::make_shared<Cut>());
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code(), ErrorCode::Io);
}

TEST(LineFile, LookUpsEqualLinearSearch) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    Lines lines;
    for (std::size_t n = random() % 40; n > 0; --n) {
      std::string line;
      for (std::size_t length = random() % 4; length > 0; --length) {
        line += static_cast<char>('a' + random() % 3);
      }
      lines.push_back(line + " " + std::string(random() % 10 == 0 ? 5000 : random() % 5, 'x'));
    }
    std::sort(lines.begin(), lines.end());
    std::string text;
    for (const std::string& line : lines) {
      text += line + "\n";
    }
    const LineFile file = open_text(text);
    for (const std::string key : {"", "a", "aa", "ab", "abc", "b", "bb", "c", "ccc", "cd", "d"}) {
      Lines expected;
      std::copy_if(lines.begin(), lines.end(), std::back_inserter(expected),
                   [&](const std::string& line) { return key_of_line(line, ' ') >= key; });
      const auto start = std::move(*file.lines_from(key));
      ASSERT_TRUE(start.in_order) << text;
      ASSERT_EQ(rest_of(*start.cursor), expected) << text;
    }
  }
}

TEST(LineFile, LinesOfMegabytesAreFound) {
  std::string text;
  for (const char key : {'a', 'b', 'c', 'd', 'e'}) {
    text += std::string(1, key) + " " + std::string(std::size_t{3} << 20, key) + "\n";
  }
  const LineFile file = open_text(text);
  const auto start = std::move(*file.lines_from("d"));
  EXPECT_TRUE(start.in_order);
  ASSERT_TRUE(start.cursor->next().value_or(false));
  EXPECT_EQ(start.cursor->line().substr(0, 3), "d d");
  EXPECT_EQ(start.cursor->line().size(), (std::size_t{3} << 20) + 2);
}

// Of a file that is not mapped each look may be a round trip.
TEST(LineFile, LinesOfMegabytesAndLineEndsAtTheEndTakeFewReads) {
  std::string text;
  for (const char key : {'a', 'b', 'c', 'd', 'e'}) {
    text += std::string(1, key) + " " + std::string(std::size_t{3} << 20, key) + "\n";
  }
  text += std::string(std::size_t{3} << 20, '\n');
  const auto source = std::make_shared<testing_io::Unmapped>(bytes_of(text));
  const auto file = LineFile::open(source);
  ASSERT_TRUE(file.has_value());
  const auto found = file->lower_bound("d");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->stored_offset, 3 * ((std::uint64_t{3} << 20) + 3));
  EXPECT_LT(source->reads.size(), 120U);
}

TEST(LineFile, EndlessLineOfAFileThatIsNotMappedIsOverTheLimit) {
  class Zeros final : public ByteSource {
   public:
    const std::string& name() const override { return name_; }
    bool random_access() const override { return true; }
    Result<std::uint64_t> size() override { return std::uint64_t{1} << 40; }
    Result<std::size_t> read_at(std::uint64_t, MutableByteView out) override {
      std::fill(out.begin(), out.end(), std::byte{0});
      return out.size();
    }
    Result<std::size_t> read_next(MutableByteView) override { return 0; }

   private:
    std::string name_ = "zeros";
  };
  const auto file = LineFile::open(std::make_shared<Zeros>());
  const auto error = file ? file->lower_bound("d").error().code() : file.error().code();
  EXPECT_EQ(error, ErrorCode::LimitExceeded);
}

TEST(LineFile, LinesKnowWhereTheyLie) {
  const LineFile file = open_text(" CDX N b\na 1\r\n\r\nb 2\n");
  const auto cursor = file.lines();
  ASSERT_TRUE(cursor->next().value_or(false));
  EXPECT_EQ(cursor->where().stored_offset, 9U);
  ASSERT_TRUE(cursor->next().value_or(false));
  EXPECT_EQ(cursor->where().stored_offset, 16U);
  EXPECT_EQ(cursor->where().source, "lines");
  EXPECT_FALSE(cursor->next().value_or(true));
  EXPECT_FALSE(cursor->next().value_or(true));
}

TEST(LineFile, BoundKnowsTheLineBefore) {
  const LineFile file = open_text("!h\na 1\nb 2\nc 3");
  EXPECT_EQ(file.begin(), 3U);
  EXPECT_EQ(file.end(), 14U);
  EXPECT_EQ(file.lower_bound("d")->before, 11U);
  EXPECT_EQ(file.lower_bound("c")->before, 7U);
  EXPECT_EQ(file.lower_bound("b")->before, 3U);
  EXPECT_EQ(file.lower_bound("a")->before, 3U);
}

TEST(LineFile, FileOutOfOrderIsNoticedWhereTheSearchGoes) {
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    text += std::to_string((i * 7919) % 1000 + 1000) + " x\n";
  }
  EXPECT_FALSE(open_text(text).lower_bound("1500")->in_order);
}

TEST(LineFile, DescendingLinesAreNoticed) {
  EXPECT_FALSE(open_text("c 1\nb 1\na 1\n").lower_bound("b")->in_order);
}

TEST(LineFile, OtherDelimiter) {
  const LineFile file = open_text("a b|1\na c|2\n", '|');
  EXPECT_EQ(rest_of(*file.lines_from("a c")->cursor), Lines{"a c|2"});
}

TEST(LineFile, AnyOctetsAreSearchedToAnEnd) {
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    std::string text(random() % 300, '\0');
    for (char& c : text) {
      c = "\n\r !\0abCDX"[random() % 11];
    }
    const LineFile file = open_text(text);
    const auto start = std::move(*file.lines_from("a"));
    const Lines all = rest_of(*file.lines());
    EXPECT_LE(rest_of(*start.cursor).size(), all.size());
  }
}

TEST(LineFile, PipeIsRefused) {
  const auto file = LineFile::open(std::make_shared<testing_io::Pipe>(bytes_of("a 1\n"), 1));
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code(), ErrorCode::Unsupported);
  EXPECT_EQ(file.error().to_string(), "-: a pipe cannot be searched");
}

TEST(LineFile, HugeLineWithoutEndTakesNoLongerThanReadingIt) {
  const LineFile file = open_text(std::string(std::size_t{64} << 20, 'x'));
  EXPECT_EQ(file.lower_bound("y")->stored_offset, file.end());
  EXPECT_EQ(file.lower_bound("a")->stored_offset, 0U);
}

}  // namespace
}  // namespace fonds::index
