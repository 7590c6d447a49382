#include "ops/rewrite.hpp"

#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/lines/testing.hpp"
#include "io/temporary_directory.hpp"
#include "ops/make_index.hpp"
#include "ops/testing.hpp"

namespace fonds::ops {
namespace {

using testing::HasSubstr;
using testing_codec::mapped;
using testing_io::TemporaryDirectory;
using testing_lines::archive_of;
using testing_lines::MemorySink;

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

TEST(Rewrite, FormatThatCannotBeRewrittenIsNamed) {
  MemorySink sink;
  const std::vector<Archive> archives = {archive_of(lines::lines_format(), "a\n")};
  const auto merged = merge(archives, sink, {});
  ASSERT_FALSE(merged.has_value());
  EXPECT_EQ(merged.error().code(), ErrorCode::Unsupported);
  EXPECT_THAT(merged.error().to_string(), HasSubstr("<memory>: lines "));
  EXPECT_EQ(repair(warc(), sink, {}).error().code(), ErrorCode::Unsupported);
  EXPECT_EQ(split(warc(), {}, {.size = 1}).error().code(), ErrorCode::Unsupported);
  EXPECT_EQ(index_type(warc(), "offsets").error().code(), ErrorCode::Unsupported);
  EXPECT_EQ(index_type(warc(), "").value_or(""), "cdxj");
}

TEST(Merge, EmptyArchiveIsOneOfAnyFormat) {
  MemorySink sink;
  const std::vector<Archive> archives = {archive_of(lines::lines_format(), ""), warc()};
  const auto merged = merge(archives, sink, {});
  ASSERT_TRUE(merged.has_value());
  EXPECT_EQ(merged->records_kept, 1U);
}

TEST(Merge, RefusesArchivesOfDifferentFormats) {
  MemorySink sink;
  const std::vector<Archive> archives = {archive_of(lines::lines_format(), "a\n"), warc()};
  const auto merged = merge(archives, sink, {});
  ASSERT_FALSE(merged.has_value());
  EXPECT_EQ(merged.error().code(), ErrorCode::BadArgument);
  EXPECT_THAT(merged.error().message(), HasSubstr("fonds convert"));
  EXPECT_EQ(merge({}, sink, {}).error().code(), ErrorCode::BadArgument);
}

}  // namespace
}  // namespace fonds::ops
