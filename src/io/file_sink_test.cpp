#include "io/file_sink.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "io/temporary_directory.hpp"

namespace fonds {
namespace {

using testing_io::TemporaryDirectory;

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(FileSink, CommittedFileHasItsContentAndNothingElseIsLeft) {
  const TemporaryDirectory directory;
  auto sink = FileSink::create(directory.path("a"), false);
  ASSERT_TRUE(sink.has_value());
  ASSERT_TRUE(sink->write(as_bytes("one ")).has_value());
  ASSERT_TRUE(sink->write(as_bytes("two")).has_value());
  EXPECT_EQ(sink->position(), 7U);
  EXPECT_FALSE(std::filesystem::exists(directory.path("a")));
  ASSERT_TRUE(sink->commit(true).has_value());
  EXPECT_EQ(content(directory.path("a")), "one two");
  EXPECT_EQ(directory.files(), 1U);
}

TEST(FileSink, LargeContentIsWrittenWhole) {
  const TemporaryDirectory directory;
  auto sink = FileSink::create(directory.path("a"), false);
  ASSERT_TRUE(sink.has_value());
  std::string all;
  for (char c = 'a'; c <= 'z'; ++c) {
    const std::string piece(50001, c);
    ASSERT_TRUE(sink->write(as_bytes(piece)).has_value());
    all += piece;
  }
  ASSERT_TRUE(sink->commit(false).has_value());
  EXPECT_TRUE(content(directory.path("a")) == all);
}

TEST(FileSink, WithoutCommitNothingIsLeft) {
  const TemporaryDirectory directory;
  {
    auto sink = FileSink::create(directory.path("a"), false);
    ASSERT_TRUE(sink.has_value());
    ASSERT_TRUE(sink->write(as_bytes(std::string(1000000, 'x'))).has_value());
    const FileSink moved = std::move(*sink);
    EXPECT_EQ(moved.position(), 1000000U);
  }
  EXPECT_EQ(directory.files(), 0U);
}

TEST(FileSink, WrittenBytesCanBeReplacedBeforeAndAfterTheyWereFlushed) {
  const TemporaryDirectory directory;
  auto sink = FileSink::create(directory.path("a"), false);
  ASSERT_TRUE(sink.has_value());
  ASSERT_TRUE(sink->write(as_bytes(std::string(300000, 'x'))).has_value());
  ASSERT_TRUE(sink->write(as_bytes("tail")).has_value());
  ASSERT_TRUE(sink->rewrite_at(1, as_bytes("one")).has_value());
  ASSERT_TRUE(sink->rewrite_at(300000, as_bytes("T")).has_value());
  EXPECT_EQ(sink->rewrite_at(300002, as_bytes("long")).error().code(), ErrorCode::BadArgument);
  ASSERT_TRUE(sink->write(as_bytes("!")).has_value());
  ASSERT_TRUE(sink->commit(false).has_value());
  const std::string text = content(directory.path("a"));
  EXPECT_EQ(text.substr(0, 5), "xonex");
  EXPECT_EQ(text.substr(299999), "xTail!");
}

TEST(FileSink, WhatWasWrittenIsCalledAsTheFileWillBe) {
  const TemporaryDirectory directory;
  auto sink = FileSink::create(directory.path("a"), false);
  ASSERT_TRUE(sink.has_value());
  ASSERT_TRUE(sink->write(as_bytes("one")).has_value());
  const auto written = sink->written();
  ASSERT_TRUE(written.has_value());
  EXPECT_EQ((*written)->name(), directory.path("a"));
  EXPECT_EQ(as_text((*written)->view().value_or(ByteView())), "one");
}

TEST(FileSink, FileThatIsThereStaysUnlessItMayBeReplaced) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path("a")) << "old";
  const auto refused = FileSink::create(directory.path("a"), false);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), ErrorCode::BadArgument);
  EXPECT_EQ(refused.error().where().source, directory.path("a"));
  auto sink = FileSink::create(directory.path("a"), true);
  ASSERT_TRUE(sink.has_value());
  EXPECT_EQ(content(directory.path("a")), "old");
  ASSERT_TRUE(sink->commit(false).has_value());
  EXPECT_EQ(content(directory.path("a")), "");
  EXPECT_EQ(directory.files(), 1U);
}

TEST(FileSink, FileThatAppearsMeanwhileIsNotReplaced) {
  const TemporaryDirectory directory;
  auto sink = FileSink::create(directory.path("a"), false);
  ASSERT_TRUE(sink.has_value());
  std::ofstream(directory.path("a")) << "other";
  EXPECT_FALSE(sink->commit(false).has_value());
  EXPECT_EQ(content(directory.path("a")), "other");
  EXPECT_EQ(directory.files(), 1U);
}

TEST(FileSink, MissingDirectoryIsAnIoErrorWithItsName) {
  const TemporaryDirectory directory;
  const auto sink = FileSink::create(directory.path("not there/a"), false);
  ASSERT_FALSE(sink.has_value());
  EXPECT_EQ(sink.error().code(), ErrorCode::Io);
  EXPECT_EQ(sink.error().where().source, directory.path("not there/a"));
}

TEST(FileSink, NameOfADirectoryCannotBeCommitted) {
  const TemporaryDirectory directory;
  auto sink = FileSink::create(directory.path("a"), true);
  ASSERT_TRUE(sink.has_value());
  std::filesystem::create_directory(directory.path("a"));
  EXPECT_FALSE(sink->commit(false).has_value());
  EXPECT_EQ(directory.files(), 1U);
}

}  // namespace
}  // namespace fonds
