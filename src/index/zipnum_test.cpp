#include "index/zipnum.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "index/zipnum_writer.hpp"
#include "io/temporary_directory.hpp"
#include "io/testing.hpp"
#include "test_paths.hpp"

namespace fonds::index {
namespace {

using Lines = std::vector<std::string>;

std::shared_ptr<ByteSource> source_of(std::string_view text, std::string name) {
  const ByteView bytes = as_bytes(text);
  return memory_source({bytes.begin(), bytes.end()}, std::move(name));
}

struct Files {
  std::string blocks, secondary;
};
Files write_zipnum(const Lines& lines, ZipNumOptions options) {
  testing_io::TextSink blocks, secondary;
  ZipNumWriter writer(blocks, secondary, std::move(options));
  for (const std::string& line : lines) {
    EXPECT_TRUE(writer.add(line).has_value());
  }
  EXPECT_TRUE(writer.finish().has_value());
  return {blocks.content, secondary.content};
}

std::unique_ptr<ZipNum> open_zipnum(const Files& files) {
  auto zipnum = ZipNum::open(
      source_of(files.secondary, "index.idx"),
      [blocks = files.blocks](const std::string& name) -> Result<std::shared_ptr<ByteSource>> {
        return source_of(blocks, name);
      });
  EXPECT_TRUE(zipnum.has_value());
  return std::move(*zipnum);
}

// Lines with a key that is not less than `key`; messages of what is wrong, in brackets.
Lines lines_from(const SortedLines& file, std::string_view key) {
  Lines lines;
  const auto start = std::move(*file.lines_from(key));
  for (auto there = start.cursor->next(); !there || *there; there = start.cursor->next()) {
    if (!there) {
      lines.push_back("[" + there.error().to_string() + "]");
    } else if (key_of_line(start.cursor->line(), ' ') >= key) {
      lines.emplace_back(start.cursor->line());
    }
  }
  return lines;
}

const Lines kFive = {"a)/ 2001 {}", "b)/ 2001 {}", "b)/ 2002 {}", "b)/ 2003 {}", "c)/ 2001 {}"};

TEST(ZipNumWriter, ClassicFlavourHasTabsAndNumbers) {
  const Files files =
      write_zipnum(kFive, {.file = "cdx-00000.gz", .block_lines = 2, .classic = true});
  std::string expected;
  std::size_t offset = 0;
  int number = 0;
  for (const std::string first : {"a)/ 2001", "b)/ 2002", "c)/ 2001"}) {
    const std::size_t next = files.blocks.find("\x1f\x8b\x08", offset + 1);
    const std::size_t length = std::min(next, files.blocks.size()) - offset;
    expected += first + "\tcdx-00000.gz\t" + std::to_string(offset) + "\t" +
                std::to_string(length) + "\t" + std::to_string(++number) + "\n";
    offset += length;
  }
  EXPECT_EQ(files.secondary, expected);
}

TEST(ZipNumWriter, JsonFlavourBeginsWithAHeader) {
  const Files files =
      write_zipnum(kFive, {.file = "index.cdx.gz", .block_lines = 5, .digests = false});
  EXPECT_EQ(files.secondary,
            "!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": \"index.cdx.gz\"}\n"
            "a)/ 2001 {\"offset\": 0, \"length\": " +
                std::to_string(files.blocks.size()) + "}\n");
}

TEST(ZipNumWriter, NothingIsAHeaderAlone) {
  const Files files = write_zipnum({}, {.file = "index.cdx.gz"});
  EXPECT_EQ(files.blocks, "");
  EXPECT_EQ(files.secondary,
            "!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": \"index.cdx.gz\"}\n");
  EXPECT_EQ(lines_from(*open_zipnum(files), ""), Lines());
}

TEST(ZipNumWriter, LegendIsNotCounted) {
  const Files files = write_zipnum({" CDX N b a", "a)/ 2001 u", "b)/ 2001 u", "c)/ 2001 u"},
                                   {.file = "x.gz", .block_lines = 2, .classic = true});
  EXPECT_TRUE(files.secondary.starts_with("a)/ 2001\tx.gz\t0\t")) << files.secondary;
  EXPECT_EQ(lines_from(*open_zipnum(files), "b)/"), (Lines{"b)/ 2001 u", "c)/ 2001 u"}));
}

TEST(ZipNumWriter, LineThatIsTooLongIsRefused) {
  testing_io::TextSink blocks, secondary;
  ZipNumWriter writer(blocks, secondary, {.file = "x.gz"});
  const Status status = writer.add(std::string((std::size_t{32} << 20) + 1, 'x'));
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), ErrorCode::LimitExceeded);
}

TEST(ZipNumWriter, LongLinesEndBlocksEarly) {
  const std::string long_text(std::size_t{9} << 20, 'x');
  const Lines lines = {"a)/ 1 " + long_text, "b)/ 1 " + long_text, "c)/ 1 " + long_text};
  const Files files = write_zipnum(lines, {.file = "x.gz"});
  EXPECT_EQ(std::count(files.secondary.begin(), files.secondary.end(), '\n'), 4);
  EXPECT_EQ(lines_from(*open_zipnum(files), "b)/").size(), 2U);
}

TEST(ZipNum, KeyThatBeginsInsideABlockIsFoundFromItsFirstLine) {
  for (const bool classic : {false, true}) {
    const auto zipnum =
        open_zipnum(write_zipnum(kFive, {.file = "x.gz", .block_lines = 2, .classic = classic}));
    EXPECT_EQ(lines_from(*zipnum, "b)/"), Lines(kFive.begin() + 1, kFive.end()));
  }
}

TEST(ZipNum, LookUpsEqualLinearSearch) {
  std::mt19937 random(11);
  for (int round = 0; round < 100; ++round) {
    Lines lines;
    for (std::size_t n = random() % 60; n > 0; --n) {
      lines.push_back(std::string(1 + random() % 3, static_cast<char>('a' + random() % 4)) +
                      ")/ 20" + std::to_string(10 + random() % 20) + " {}");
    }
    std::sort(lines.begin(), lines.end());
    const auto zipnum = open_zipnum(write_zipnum(
        lines, {.file = "x.gz", .block_lines = 1 + random() % 9, .classic = random() % 2 == 0}));
    for (const std::string key :
         {"", "a)/", "aa)/", "ab)/", "b)/", "bbb)/", "c)/", "dd)/", "e)/"}) {
      Lines expected;
      std::copy_if(lines.begin(), lines.end(), std::back_inserter(expected),
                   [&](const std::string& line) { return key_of_line(line, ' ') >= key; });
      ASSERT_EQ(lines_from(*zipnum, key), expected);
    }
  }
}

struct SecondaryLine {
  std::string name, line;
  std::string expected;  // the block, or the message
};
class ParseZipNumLine : public testing::TestWithParam<SecondaryLine> {};
constexpr const char* kNoTabs =
    "a line of a secondary index has no file name, offset and length between tabs";
constexpr const char* kNoPlace = "a line of a secondary index has no offset and length";
const std::vector<SecondaryLine> kSecondaryLines = {
    {"Classic", "a)/ 2001\tcdx-0\t12\t34\t1", "cdx-0 12 34 "},
    {"ClassicWithoutNumber", "a)/ 2001\tcdx-0\t12\t34", "cdx-0 12 34 "},
    {"ClassicWithMoreColumns", "a)/ 2001\tcdx-0\t12\t34\t1\tx\ty", "cdx-0 12 34 "},
    {"Json", R"(a)/ 2001 {"offset": 12, "length": 34})", " 12 34 "},
    {"JsonOfTexts", R"(a)/ 2001 {"offset": "12", "length": "34"})", " 12 34 "},
    {"JsonWithDigest", R"(a)/ 2001 {"offset": 12, "length": 34, "digest": "sha256:ab"})",
     " 12 34 sha256:ab"},
    {"JsonWithFile", R"(a)/ 2001 {"offset": 12, "length": 34, "filename": "f.gz"})", "f.gz 12 34 "},
    {"JsonWithoutTimestamp", R"(a)/ {"offset": 12, "length": 34})", " 12 34 "},
    {"Largest", "a)/ 2001\tc\t18446744073709551615\t18446744073709551615",
     "c 18446744073709551615 18446744073709551615 "},
    {"Empty", "", kNoTabs},
    {"KeyAlone", "a)/ 2001", kNoTabs},
    {"TooFewColumns", "a)/ 2001\tcdx-0\t12", kNoTabs},
    {"EmptyFileName", "a)/ 2001\t\t12\t34", kNoTabs},
    {"NegativeOffset", "a)/ 2001\tcdx-0\t-12\t34", kNoTabs},
    {"OffsetOfMoreThan64Bits", "a)/ 2001\tcdx-0\t18446744073709551616\t34", kNoTabs},
    {"JsonWithoutLength", R"(a)/ 2001 {"offset": 12})", kNoPlace},
    {"JsonWithNegativeOffset", R"(a)/ 2001 {"offset": -12, "length": 34})", kNoPlace},
    {"JsonWithFraction", R"(a)/ 2001 {"offset": 1.5, "length": 34})", kNoPlace},
    {"JsonThatIsCut", R"(a)/ 2001 {"offset": 12, "len)",
     "a line of a secondary index does not end with a JSON object"},
    {"JsonOfManyLevels", "a)/ 2001 {\"a\":" + std::string(100000, '['),
     "a line of a secondary index does not end with a JSON object"},
};
INSTANTIATE_TEST_SUITE_P(Lines, ParseZipNumLine, testing::ValuesIn(kSecondaryLines),
                         [](const auto& line) { return line.param.name; });

TEST_P(ParseZipNumLine, GivesTheBlockOrSaysWhatIsWrong) {
  const auto block = parse_zipnum_line(GetParam().line);
  const std::string said = block ? block->file + " " + std::to_string(block->stored_offset) + " " +
                                       std::to_string(block->stored_length) + " " + block->digest
                                 : block.error().message();
  EXPECT_EQ(said, GetParam().expected);
}

// A ZipNum of two blocks, changed; what reading all of it gives.
struct Damage {
  std::string name;
  std::function<void(Files&)> change;
  Lines expected;
};
void replace(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from << " in " << text;
  text.replace(at, from.size(), to);
}
std::string first_length(const Files& files) {
  return std::to_string(files.blocks.find("\x1f\x8b\x08", 1));
}
class DamagedZipNum : public testing::TestWithParam<Damage> {};
const std::vector<Damage> kDamages = {
    {"OffsetPastTheEnd",
     [](Files& files) { replace(files.secondary, "x.gz\t0\t", "x.gz\t99999\t"); },
     {"[x.gz: offset 99999: a block of LENGTH bytes reaches past the end of the file, which has "
      "SIZE]",
      "b)/ 1 {}"}},
    {"LargestNumbers",
     [](Files& files) {
       replace(files.secondary, "x.gz\t0\t" + first_length(files),
               "x.gz\t18446744073709551615\t18446744073709551615");
     },
     {"[x.gz: offset 18446744073709551615: a block of 18446744073709551615 bytes reaches past the "
      "end of the file, which has SIZE]",
      "b)/ 1 {}"}},
    {"OffsetInsideAMember",
     [](Files& files) { replace(files.secondary, "x.gz\t0\t", "x.gz\t1\t"); },
     {"[x.gz: offset 1: no gzip member of LENGTH bytes lies here]", "b)/ 1 {}"}},
    {"LengthOfTwoMembers",
     [](Files& files) {
       replace(files.secondary, "x.gz\t0\t" + first_length(files),
               "x.gz\t0\t" + std::to_string(files.blocks.size()));
     },
     {"[x.gz: offset 0: no gzip member of SIZE bytes lies here]", "b)/ 1 {}"}},
    {"LengthTooShort",
     [](Files& files) {
       replace(files.secondary, "x.gz\t0\t" + first_length(files), "x.gz\t0\t17");
     },
     {"[x.gz: offset 0: no gzip member of 17 bytes lies here]", "b)/ 1 {}"}},
    {"AnotherBlock",
     [](Files& files) { replace(files.secondary, "b)/ 1", "c)/ 1"); },
     {"a)/ 1 {}",
      "[x.gz: offset LENGTH: a block begins with another key than the secondary index "
      "says]"}},
    {"ChangedOctet",
     [](Files& files) { files.blocks[12] = static_cast<char>(~files.blocks[12]); },
     {"[x.gz: offset 0: no gzip member of LENGTH bytes lies here]", "b)/ 1 {}"}},
    {"ClaimOfFourGigabytes",
     [](Files& files) {
       const std::size_t end = std::stoul(first_length(files));
       files.blocks.replace(end - 4, 4, "\xff\xff\xff\xff");
     },
     {"[x.gz: offset 0: a block of 4294967295 bytes of text is larger than 67108864]", "b)/ 1 {}"}},
    {"LineThatIsNone",
     [](Files& files) { replace(files.secondary, "x.gz\t0\t", "x.gz 0 "); },
     {"[index.idx: offset 0: a line of a secondary index has no file name, offset and length "
      "between tabs]",
      "b)/ 1 {}"}},
    {"EmptyBlocks",
     [](Files& files) { files.blocks.clear(); },
     {"[x.gz: offset 0: a block of LENGTH bytes reaches past the end of the file, which has 0]",
      "[x.gz: offset LENGTH: a block of SECOND bytes reaches past the end of the file, which has "
      "0]"}},
};
INSTANTIATE_TEST_SUITE_P(Damages, DamagedZipNum, testing::ValuesIn(kDamages),
                         [](const auto& damage) { return damage.param.name; });

TEST_P(DamagedZipNum, IsReportedAndPassedOver) {
  Files files =
      write_zipnum({"a)/ 1 {}", "b)/ 1 {}"}, {.file = "x.gz", .block_lines = 1, .classic = true});
  const std::string length = first_length(files);
  const std::string size = std::to_string(files.blocks.size());
  const std::string second = std::to_string(files.blocks.size() - std::stoul(length));
  GetParam().change(files);
  Lines expected = GetParam().expected;
  for (std::string& line : expected) {
    for (const auto& [word, value] : {std::pair<std::string, std::string>{"LENGTH", length},
                                      {"SIZE", size},
                                      {"SECOND", second}}) {
      if (const std::size_t at = line.find(word); at != std::string::npos) {
        line.replace(at, word.size(), value);
      }
    }
  }
  EXPECT_EQ(lines_from(*open_zipnum(files), ""), expected);
}

TEST(ZipNum, WrongDigestIsNoticed) {
  Files files = write_zipnum({"a)/ 1 {}"}, {.file = "x.gz"});
  const std::size_t at = files.secondary.find("sha256:") + 7;
  files.secondary[at] = files.secondary[at] == '0' ? '1' : '0';
  const Lines lines = lines_from(*open_zipnum(files), "");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(
      lines[0].starts_with("[x.gz: offset 0: a block has another digest than the secondary "
                           "index says, sha256:"))
      << lines[0];
}

TEST(ZipNum, CutAnywhereGivesNoLineThatIsNotThere) {
  const Files whole = write_zipnum(kFive, {.file = "x.gz", .block_lines = 2});
  for (std::size_t size = 0; size <= whole.secondary.size(); ++size) {
    const Lines lines =
        lines_from(*open_zipnum({whole.blocks, whole.secondary.substr(0, size)}), "");
    for (const std::string& line : lines) {
      EXPECT_TRUE(line.starts_with('[') || std::count(kFive.begin(), kFive.end(), line) == 1);
    }
  }
}

struct Head {
  std::string name, text;
  bool expected;
};
class RecognizeZipNum : public testing::TestWithParam<Head> {};
const std::vector<Head> kHeads = {
    {"Empty", "", false},
    {"Classic", "a)/ 2001\tcdx-0\t12\t34\t1\n", true},
    {"Meta", "!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": \"x\"}\n", true},
    {"JsonWithoutMeta", "a)/ 2001 {\"offset\": 0, \"length\": 400}\n", true},
    {"Cdxj", "a)/ 2001 {\"url\": \"http://a/\", \"offset\": \"0\", \"length\": \"400\"}\n", false},
    {"CdxjWithoutUrl", "- 2001 {\"length\": \"1\", \"offset\": \"0\", \"filename\": \"f\"}\n",
     false},
    {"CdxjWithMeta", "!meta 0 {\"format\": \"cdxj\"}\na)/ 2001 {\"url\": \"u\"}\n", false},
    {"Cdx", " CDX N b a m s k r M S V g\na)/ 2001 u text/html 200 - - - 1 2 f\n", false},
    {"CdxOfTabs", "\tCDX\tN\tb\ta\na)/\t2001\tu\n", false},
    {"Text", "some text\n", false},
};
INSTANTIATE_TEST_SUITE_P(Heads, RecognizeZipNum, testing::ValuesIn(kHeads),
                         [](const auto& head) { return head.param.name; });

TEST_P(RecognizeZipNum, ByItsFirstLines) {
  EXPECT_EQ(ZipNum::recognize(GetParam().text), GetParam().expected);
}

class ZipNumFiles : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(directory_.path(name)).parent_path());
    std::ofstream(directory_.path(name), std::ios::binary) << text;
  }
  Lines read(const std::string& name) {
    auto source = open_source(directory_.path(name));
    EXPECT_TRUE(source.has_value());
    const auto zipnum = ZipNum::open(std::move(*source), blocks_beside(directory_.path(name)));
    const auto cursor = (*zipnum)->lines();
    const auto there = cursor->next();
    if (!there) {
      return {there.error().message()};
    }
    return {std::string(cursor->line())};
  }
  testing_io::TemporaryDirectory directory_;
  Files files_ =
      write_zipnum({"a)/ 2001 {}"}, {.file = "cdx-0", .block_lines = 2, .classic = true});
};

TEST_F(ZipNumFiles, BlocksLieBesideTheIndex) {
  put("main.idx", files_.secondary);
  put("cdx-0", files_.blocks);
  EXPECT_EQ(read("main.idx"), Lines{"a)/ 2001 {}"});
}

TEST_F(ZipNumFiles, EndingOfTheBlocksMayBeLeftOut) {
  put("main.idx", files_.secondary);
  put("cdx-0.gz", files_.blocks);
  EXPECT_EQ(read("main.idx"), Lines{"a)/ 2001 {}"});
}

TEST_F(ZipNumFiles, LocFileSaysWhereTheBlocksAre) {
  put("main.summary", files_.secondary);
  put("main.loc", "cdx-00\tnowhere\ncdx-0\thttp://example.com/cdx-0.gz\tmissing\tsub/other.gz\n");
  put("sub/other.gz", files_.blocks);
  EXPECT_EQ(read("main.summary"), Lines{"a)/ 2001 {}"});
}

TEST_F(ZipNumFiles, ClusterLocIsLookedAtToo) {
  put("main.idx", files_.secondary);
  put("cluster.loc", "cdx-0\tfile://" + directory_.path("elsewhere.gz") + "\n");
  put("elsewhere.gz", files_.blocks);
  EXPECT_EQ(read("main.idx"), Lines{"a)/ 2001 {}"});
}

TEST_F(ZipNumFiles, MissingBlocksAreNamed) {
  put("main.idx", files_.secondary);
  EXPECT_EQ(read("main.idx"),
            Lines{"the file of its blocks, cdx-0, is not beside it and in no .loc"});
}

TEST_F(ZipNumFiles, NameThatLeadsOutOfTheDirectoryIsNotFollowed) {
  put("inner/main.idx", "a)/ 2001\t../cdx-0\t0\t" + std::to_string(files_.blocks.size()) + "\n");
  put("cdx-0", files_.blocks);
  EXPECT_EQ(read("inner/main.idx"),
            Lines{"the file of its blocks, ../cdx-0, is not beside it and in no .loc"});
}

std::string fixture(const std::string& name) {
  return std::string(FONDS_TEST_DATA "/index/") + name;
}

TEST(ZipNum, FixtureOfCdxjIndexerIsReadAndWrittenAlike) {
  auto source = open_source(fixture("zipnum.idx"));
  ASSERT_TRUE(source.has_value()) << source.error().to_string();
  const std::string secondary(as_text(*(*source)->view()));
  EXPECT_TRUE(ZipNum::recognize(secondary));
  const auto zipnum = ZipNum::open(*source, blocks_beside(fixture("zipnum.idx")));
  ASSERT_TRUE(zipnum.has_value());
  const Lines all = lines_from(**zipnum, "");
  EXPECT_EQ(all.size(), 16U);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  const Lines example = lines_from(**zipnum, "com,example)/");
  EXPECT_EQ(example, Lines(all.begin() + 3, all.end()));

  const Files written = write_zipnum(all, {.file = "zipnum.cdx.gz", .block_lines = 3});
  EXPECT_EQ(std::count(written.secondary.begin(), written.secondary.end(), '\n'), 7);
  EXPECT_EQ(written.secondary.substr(0, written.secondary.find('\n')),
            secondary.substr(0, secondary.find('\n')));
  EXPECT_EQ(lines_from(*open_zipnum(written), ""), all);
}

}  // namespace
}  // namespace fonds::index
