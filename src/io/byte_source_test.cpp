#include <fstream>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fonds/byte_source.hpp>

#include "io/temporary_directory.hpp"

namespace fonds {
namespace {

using testing::HasSubstr;
using testing_io::TemporaryDirectory;

std::string read_at(ByteSource& source, std::uint64_t offset, std::size_t n) {
  std::string text(n, '\0');
  const auto got = source.read_at(offset, {reinterpret_cast<std::byte*>(text.data()), n});
  text.resize(got.value_or(0));
  return text;
}
std::string read_next(ByteSource& source, std::size_t n) {
  std::string text(n, '\0');
  const auto got = source.read_next({reinterpret_cast<std::byte*>(text.data()), n});
  text.resize(got.value_or(0));
  return text;
}

TEST(OpenSource, MissingFileIsNotFoundAndNamed) {
  const auto source = open_source("/nonexistent/of fonds.warc");
  ASSERT_FALSE(source.has_value());
  EXPECT_EQ(source.error().code(), ErrorCode::NotFound);
  EXPECT_EQ(source.error().where().source, "/nonexistent/of fonds.warc");
  EXPECT_THAT(source.error().message(), HasSubstr("No such file"));
}

TEST(OpenSource, DirectoryIsRefused) {
  const TemporaryDirectory directory;
  const auto source = open_source(directory.path("."));
  ASSERT_FALSE(source.has_value());
  EXPECT_EQ(source.error().code(), ErrorCode::Io);
  EXPECT_THAT(source.error().message(), HasSubstr("is a directory"));
}

TEST(OpenSource, FileIsMapped) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path("a")) << "0123456789";
  const auto source = open_source(directory.path("a"));
  ASSERT_TRUE(source.has_value());
  EXPECT_EQ((*source)->name(), directory.path("a"));
  EXPECT_TRUE((*source)->random_access());
  EXPECT_EQ((*source)->size().value_or(0), 10U);
  ASSERT_TRUE((*source)->view().has_value());
  EXPECT_EQ(as_text(*(*source)->view()), "0123456789");
  EXPECT_EQ(read_at(**source, 8, 5), "89");
  EXPECT_EQ(read_at(**source, 10, 5), "");
  EXPECT_EQ(read_at(**source, ~std::uint64_t{0}, 5), "");
}

TEST(OpenSource, EmptyFileHasNoBytes) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path("a")).flush();
  const auto source = open_source(directory.path("a"));
  ASSERT_TRUE(source.has_value());
  EXPECT_TRUE((*source)->random_access());
  EXPECT_EQ((*source)->size().value_or(1), 0U);
  EXPECT_EQ(read_at(**source, 0, 5), "");
}

TEST(OpenSource, FileThatSaysZeroAndHasContentIsRead) {
  const auto source = open_source("/proc/self/status");
  ASSERT_TRUE(source.has_value());
  std::string all;
  for (std::string piece = read_next(**source, 50); !piece.empty();
       piece = read_next(**source, 50)) {
    all += piece;
  }
  EXPECT_TRUE(all.starts_with("Name:"));
}

TEST(OpenSource, FifoGivesItsBytesOnce) {
  const TemporaryDirectory directory;
  ASSERT_EQ(::mkfifo(directory.path("p").c_str(), 0600), 0);
  std::jthread writer([&] { std::ofstream(directory.path("p")) << "0123456789"; });
  const auto source = open_source(directory.path("p"));
  ASSERT_TRUE(source.has_value());
  EXPECT_FALSE((*source)->random_access());
  EXPECT_FALSE((*source)->view().has_value());
  EXPECT_EQ((*source)->size().error().code(), ErrorCode::Unsupported);
  std::byte room[4] = {};
  EXPECT_EQ((*source)->read_at(0, room).error().code(), ErrorCode::Unsupported);
  std::string all;
  for (std::string piece = read_next(**source, 4); !piece.empty(); piece = read_next(**source, 4)) {
    all += piece;
  }
  EXPECT_EQ(all, "0123456789");
}

TEST(MemorySource, IsReadAtPositionsAndInOrder) {
  const ByteView text = as_bytes("0123456789");
  const auto source = memory_source({text.begin(), text.end()}, "given");
  EXPECT_EQ(source->name(), "given");
  EXPECT_EQ(read_at(*source, 9, 5), "9");
  EXPECT_EQ(read_at(*source, 99, 5), "");
  EXPECT_EQ(read_next(*source, 6), "012345");
  EXPECT_EQ(read_next(*source, 6), "6789");
  EXPECT_EQ(read_next(*source, 6), "");
}

}  // namespace
}  // namespace fonds
