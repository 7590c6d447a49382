#include "ops/event_source.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/temporary_directory.hpp"

namespace fonds::ops {
namespace {

struct SourceNameCase {
  std::string name, path;
  SourceNaming naming = {};
  std::string wanted;  // empty: BadArgument
};

class NameOfSource : public ::testing::TestWithParam<SourceNameCase> {};

TEST_P(NameOfSource, FollowsFromItsPath) {
  const SourceNameCase& given = GetParam();
  const auto name = name_of_source(given.path, given.naming);
  if (given.wanted.empty()) {
    ASSERT_FALSE(name.has_value());
    EXPECT_EQ(name.error().code(), ErrorCode::BadArgument);
  } else {
    ASSERT_TRUE(name.has_value()) << name.error().message();
    EXPECT_EQ(*name, given.wanted);
  }
}

const SourceNameCase kSourceNameCases[] = {
    {"AsGiven", "d/../a.jsonl", {}, "d/../a.jsonl"},
    {"Normalized", "/x/./d/../y//a.jsonl", {.normalize = true}, "/x/y/a.jsonl"},
    {"PrefixOfAnAbsolutePath", "/var/log/a", {.remove_prefix = "/var"}, "/log/a"},
    {"PrefixOfARelativePath", "d/e/a", {.remove_prefix = "d"}, "/e/a"},
    {"PrefixWithSlash", "d/e/a", {.remove_prefix = "d/"}, "/e/a"},
    {"PrefixWithDots", "./d//e/a", {.remove_prefix = "d/./"}, "/e/a"},
    {"PrefixAndSlash", "d/e/a", {.remove_prefix = "d", .remove_slash = true}, "e/a"},
    {"PartOfAComponentIsNoPrefix", "/var/logs/a", {.remove_prefix = "/var/log"}, ""},
    {"RelativeIsNoPrefixOfAbsolute", "/d/a", {.remove_prefix = "d"}, ""},
    {"PathShorterThanThePrefix", "d", {.remove_prefix = "d/e"}, ""},
    {"NothingIsLeft", "d/a", {.remove_prefix = "d/a"}, ""},
    {"Slash", "//var/a", {.remove_slash = true}, "var/a"},
    {"NoSlashToRemove", "var/a", {.remove_slash = true}, "var/a"},
    {"StandardInput", "-", {.normalize = true, .remove_prefix = "x", .remove_slash = true}, "-"},
};

INSTANTIATE_TEST_SUITE_P(Paths, NameOfSource, ::testing::ValuesIn(kSourceNameCases),
                         [](const auto& tested) { return tested.param.name; });

void write_text(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

TEST(FilesBelow, AreSortedInThePlaceOfTheirDirectory) {
  const testing_io::TemporaryDirectory folder;
  for (const std::string name : {"d/z", "d/b/y", "d/a", "first", "last"}) {
    write_text(folder.path(name), "{}");
  }
  const std::vector<std::string> given = {folder.path("last"), folder.path("d"), "-",
                                          folder.path("first")};
  const auto files = files_below(given);
  ASSERT_TRUE(files.has_value());
  const std::vector<std::string> wanted = {
      folder.path("last"), folder.path("d/a"), folder.path("d/b/y"), folder.path("d/z"), "-",
      folder.path("first")};
  EXPECT_EQ(*files, wanted);
}

TEST(FilesBelow, ADirectoryThatIsAnArchiveStays) {
  const testing_io::TemporaryDirectory folder;
  write_text(folder.path("d/archive/header"), "");
  write_text(folder.path("d/archive/0"), "");
  write_text(folder.path("d/text"), "{}");
  const auto files = files_below(std::vector{folder.path("d")});
  ASSERT_TRUE(files.has_value());
  EXPECT_EQ(*files, (std::vector{folder.path("d/archive"), folder.path("d/text")}));
}

TEST(FilesBelow, WhatIsNotThereIsToldByItsName) {
  const auto files = files_below(std::vector<std::string>{"/nowhere/at all"});
  ASSERT_FALSE(files.has_value());
  EXPECT_EQ(files.error().code(), ErrorCode::NotFound);
  EXPECT_EQ(files.error().where().source, "/nowhere/at all");
}

TEST(OpenEventSource, TextIsNoArchive) {
  const testing_io::TemporaryDirectory folder;
  for (const std::string text : {"", "\n \n", " \n{\"a\":1}\n", "plain words\n", "[1]"}) {
    write_text(folder.path("in"), text);
    const auto opened = open_event_source(folder.path("in"));
    ASSERT_TRUE(opened.has_value()) << text;
    EXPECT_EQ(opened->format, nullptr) << text;
  }
}

TEST(OpenEventSource, AWebArchiveIsRecognized) {
  const testing_io::TemporaryDirectory folder;
  write_text(folder.path("in"),
             "WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:x:1>\r\n"
             "WARC-Date: 2020-01-01T00:00:00Z\r\nContent-Length: 0\r\n\r\n\r\n\r\n");
  const auto opened = open_event_source(folder.path("in"));
  ASSERT_TRUE(opened.has_value());
  ASSERT_NE(opened->format, nullptr);
  EXPECT_EQ(opened->format->name(), "warc");
}

}  // namespace
}  // namespace fonds::ops
