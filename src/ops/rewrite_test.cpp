#include "ops/rewrite.hpp"

#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/lines/testing.hpp"
#include "io/temporary_directory.hpp"
#include "io/testing.hpp"
#include "ops/make_index.hpp"
#include "ops/testing.hpp"

namespace fonds::ops {
namespace {

using testing::HasSubstr;
using testing_codec::mapped;
using testing_io::TemporaryDirectory;
using testing_io::TextSink;
using testing_lines::archive_of;

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
Archive warc() { return *open_archive(mapped(testing_ops::plain({{.id = "1", .block = "x"}}))); }

TEST(PartFiles, AppearTogetherWhenTheyAreCommitted) {
  const TemporaryDirectory directory;
  PartFiles parts(directory.path("p"), ".rio", false);
  ASSERT_TRUE(parts.next({})->sink->write(as_bytes("one")).has_value());
  ASSERT_TRUE(parts.next({})->sink->write(as_bytes("two")).has_value());
  EXPECT_EQ(content(directory.path("p-00000.rio")), "");
  ASSERT_TRUE(parts.commit().has_value());
  EXPECT_EQ(content(directory.path("p-00000.rio")), "one");
  EXPECT_EQ(content(directory.path("p-00001.rio")), "two");
}

TEST(PartFiles, LeaveNothingElseBehind) {
  const TemporaryDirectory directory;
  {
    PartFiles parts(directory.path("p"), ".rio", false);
    ASSERT_TRUE(parts.next({}).has_value());
    ASSERT_TRUE(parts.next({}).has_value());
  }
  EXPECT_EQ(directory.files(), 0U);
  {
    PartFiles parts(directory.path("p"), ".rio", false);
    ASSERT_TRUE(parts.next({}).has_value());
    ASSERT_TRUE(parts.next({}).has_value());
    ASSERT_TRUE(parts.commit().has_value());
  }
  EXPECT_EQ(directory.files(), 2U);
}

TEST(PartFiles, ReplaceOnlyIfTheyMay) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path("p-00001.rio")) << "old";
  {
    PartFiles parts(directory.path("p"), ".rio", false);
    ASSERT_TRUE(parts.next({}).has_value());
    const auto second = parts.next({});
    ASSERT_FALSE(second.has_value());
    EXPECT_THAT(second.error().message(), HasSubstr("--force"));
  }
  EXPECT_EQ(content(directory.path("p-00001.rio")), "old");
  PartFiles parts(directory.path("p"), ".rio", true);
  ASSERT_TRUE(parts.next({}).has_value());
  ASSERT_TRUE(parts.next({}).has_value());
  ASSERT_TRUE(parts.commit().has_value());
  EXPECT_EQ(content(directory.path("p-00001.rio")), "");
}

PartNames names(const TemporaryDirectory& directory) {
  return {.prefix = directory.path("crawl"), .ending = ".warc.gz"};
}

TEST(PartFiles, NamesFollowTheConvention) {
  const TemporaryDirectory directory;
  PartNames wanted = names(directory);
  wanted.timestamp = "20200102030405";
  wanted.crawlhost = "host";
  wanted.first_serial = 7;
  PartFiles parts(wanted, false);
  EXPECT_EQ(parts.next({})->name, "crawl-20200102030405-00007-host.warc.gz");
  EXPECT_EQ(parts.next({})->name, "crawl-20200102030405-00008-host.warc.gz");
}

TEST(PartFiles, TakeTheTimestampOfTheFirstRecordWhereItHasOne) {
  const TemporaryDirectory directory;
  PartNames wanted = names(directory);
  wanted.timestamp = "20200102030405";
  wanted.timestamp_of_first = true;
  PartFiles parts(wanted, false);
  EXPECT_EQ(parts.next({.first_date = Date{.seconds = 0}})->name,
            "crawl-19700101000000-00000.warc.gz");
  EXPECT_EQ(parts.next({})->name, "crawl-20200102030405-00001.warc.gz");
}

TEST(PartFiles, SequencesAreWrittenSideBySideWithSerialsOfTheirOwn) {
  const TemporaryDirectory directory;
  PartFiles parts(names(directory), false);
  const Part html = *parts.next({.sequence = "text-html"});
  const Part png = *parts.next({.sequence = "image-png"});
  ASSERT_TRUE(html.sink->write(as_bytes("a")).has_value());
  ASSERT_TRUE(png.sink->write(as_bytes("b")).has_value());
  const Part second = *parts.next({.sequence = "text-html"});
  ASSERT_TRUE(png.sink->write(as_bytes("c")).has_value());
  ASSERT_TRUE(second.sink->write(as_bytes("d")).has_value());
  ASSERT_TRUE(parts.commit().has_value());
  EXPECT_EQ(content(directory.path("crawl-text-html-00000.warc.gz")), "a");
  EXPECT_EQ(content(directory.path("crawl-text-html-00001.warc.gz")), "d");
  EXPECT_EQ(content(directory.path("crawl-image-png-00000.warc.gz")), "bc");
}

TEST(PartFiles, HaveNoNamesUntilTheyAreCommitted) {
  const TemporaryDirectory directory;
  PartFiles parts(names(directory), false);
  ASSERT_TRUE(parts.next({}).has_value());
  ASSERT_TRUE(parts.next({}).has_value());
  EXPECT_EQ(directory.files(), 0U);
}

TEST(PartFiles, MoreOfThemThanDescriptorsAreHeldForAppearAndLeaveNothingBehind) {
  const TemporaryDirectory directory;
  const std::size_t count = PartFiles::kMostNameless + 3;
  {
    PartFiles parts(names(directory), false);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_TRUE(parts.next({}).has_value());
    }
  }
  EXPECT_EQ(directory.files(), 0U);
  PartFiles parts(names(directory), false);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_TRUE(parts.next({})->sink->write(as_bytes(std::to_string(i))).has_value());
  }
  ASSERT_TRUE(parts.commit().has_value());
  EXPECT_EQ(content(directory.path("crawl-00258.warc.gz")), "258");
}

TEST(PartFiles, AFileThatCameToBeThereMeanwhileStaysAndNoPartAppears) {
  const TemporaryDirectory directory;
  {
    PartFiles parts(names(directory), false);
    ASSERT_TRUE(parts.next({}).has_value());
    ASSERT_TRUE(parts.next({}).has_value());
    std::ofstream(directory.path("crawl-00001.warc.gz")) << "mine";
    EXPECT_FALSE(parts.commit().has_value());
  }
  EXPECT_EQ(directory.files(), 1U);
  EXPECT_EQ(content(directory.path("crawl-00001.warc.gz")), "mine");
}

TEST(Rewrite, FormatThatCannotBeRewrittenIsNamed) {
  TextSink sink;
  const std::vector<Archive> archives = {archive_of(lines::lines_format(), "a\n")};
  const auto merged = merge(archives, sink, {});
  ASSERT_FALSE(merged.has_value());
  EXPECT_EQ(merged.error().code(), ErrorCode::Unsupported);
  EXPECT_THAT(merged.error().to_string(), HasSubstr("<memory>: lines "));
  const auto repaired = repair(archives.front(), sink, {});
  ASSERT_FALSE(repaired.has_value());
  EXPECT_EQ(repaired.error().code(), ErrorCode::Unsupported);
  const auto cut = split(archives.front(), {}, {.size = 1});
  ASSERT_FALSE(cut.has_value());
  EXPECT_EQ(cut.error().code(), ErrorCode::Unsupported);
  EXPECT_EQ(index_type(warc(), "offsets").error().code(), ErrorCode::Unsupported);
  EXPECT_EQ(index_type(warc(), "").value_or(""), "cdxj");
}

TEST(Merge, EmptyArchiveIsOneOfAnyFormat) {
  TextSink sink;
  const std::vector<Archive> archives = {archive_of(lines::lines_format(), ""), warc()};
  const auto merged = merge(archives, sink, {});
  ASSERT_TRUE(merged.has_value());
  EXPECT_EQ(merged->records_kept, 1U);
}

TEST(Merge, RefusesArchivesOfDifferentFormats) {
  TextSink sink;
  const std::vector<Archive> archives = {archive_of(lines::lines_format(), "a\n"), warc()};
  const auto merged = merge(archives, sink, {});
  ASSERT_FALSE(merged.has_value());
  EXPECT_EQ(merged.error().code(), ErrorCode::BadArgument);
  EXPECT_THAT(merged.error().message(), HasSubstr("fonds convert"));
  EXPECT_EQ(merge({}, sink, {}).error().code(), ErrorCode::BadArgument);
}

}  // namespace
}  // namespace fonds::ops
