#include "ops/file_content.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "io/temporary_directory.hpp"

namespace fonds::ops {
namespace {

using testing_io::TemporaryDirectory;

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}
Result<std::string> read(FileContent& content) {
  std::string all;
  FONDS_CHECK(content.read([&all](ByteView piece) -> Status {
    all += as_text(piece);
    return {};
  }));
  return all;
}

TEST(FileContent, GivesTheSameAsOftenAsItIsRead) {
  const TemporaryDirectory directory;
  const std::string text(1'000'003, 'x');
  write(directory.path("a"), text);
  auto content = FileContent::open(directory.path("a"));
  ASSERT_TRUE(content.has_value());
  EXPECT_EQ(content->length(), text.size());
  EXPECT_EQ(*read(*content), text);
  EXPECT_EQ(*read(*content), text);
}

TEST(FileContent, HasTheDateOfTheLastChange) {
  const TemporaryDirectory directory;
  write(directory.path("a"), "");
  const timespec times[2] = {{0, 0}, {1'500'000'000, 7}};
  ASSERT_EQ(::utimensat(AT_FDCWD, directory.path("a").c_str(), times, 0), 0);
  EXPECT_EQ(FileContent::open(directory.path("a"))->date()->to_string(), "2017-07-14T02:40:00Z");
}

struct Change {
  std::string name, later;
};
class ChangedFile : public testing::TestWithParam<Change> {};
TEST_P(ChangedFile, IsAnErrorThatNamesIt) {
  const TemporaryDirectory directory;
  write(directory.path("a"), "12345");
  const timespec times[2] = {{0, 0}, {1, 0}};
  ::utimensat(AT_FDCWD, directory.path("a").c_str(), times, 0);
  auto content = FileContent::open(directory.path("a"));
  ASSERT_TRUE(read(*content).has_value());
  write(directory.path("a"), GetParam().later);
  const auto again = read(*content);
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code(), ErrorCode::Io);
  EXPECT_EQ(again.error().message(), "changed while it was read");
  EXPECT_EQ(again.error().where().source, directory.path("a"));
}
INSTANTIATE_TEST_SUITE_P(Changes, ChangedFile,
                         testing::Values(Change{"Shorter", "123"}, Change{"Longer", "1234567"},
                                         Change{"Empty", ""}, Change{"OfTheSameLength", "54321"}),
                         [](const auto& tested) { return tested.param.name; });

TEST(FileContent, WhatIsNoPlainFileIsNotWaitedFor) {
  const TemporaryDirectory directory;
  ASSERT_EQ(::mkfifo(directory.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(FileContent::open(directory.path("pipe")).error().message(), "is no plain file");
  EXPECT_EQ(FileContent::open(directory.path(".")).error().code(), ErrorCode::Io);
  EXPECT_EQ(FileContent::open(directory.path("none")).error().code(), ErrorCode::NotFound);
}

TEST(FileContent, AReaderThatStopsEndsIt) {
  const TemporaryDirectory directory;
  write(directory.path("a"), std::string(3 << 20, 'x'));
  std::stop_source stop;
  auto content = FileContent::open(directory.path("a"), stop.get_token());
  stop.request_stop();
  EXPECT_EQ(read(*content).error().code(), ErrorCode::Cancelled);
}

}  // namespace
}  // namespace fonds::ops
