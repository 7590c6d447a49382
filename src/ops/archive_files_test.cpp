#include "ops/archive_files.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fonds/format.hpp>

#include "io/temporary_directory.hpp"

namespace fonds::ops {
namespace {

clps::WrittenArchive archive_called(const std::string& id) {
  clps::WrittenArchive archive;
  archive.head = "head of " + id;
  archive.id = id;
  for (std::size_t i = 0; i < clps::kMembers; ++i) {
    archive.members[i].assign(i, std::byte{0x61});
  }
  return archive;
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string single_file(const std::string& id) { return "head of " + id + std::string(21, 'a'); }

// All that lies below a directory, sorted.
std::vector<std::string> below(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    names.push_back(std::filesystem::relative(entry.path(), directory).string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(ArchiveFiles, OneArchiveIsCalledAsTheOutput) {
  const testing_io::TemporaryDirectory folder;
  ArchiveFiles files({.output = folder.path("logs.clps")});
  ASSERT_TRUE(files.open());
  ASSERT_TRUE(files.add(archive_called("x")));
  EXPECT_EQ(folder.files(), 0U);
  ASSERT_TRUE(files.commit());
  EXPECT_EQ(files.names(), std::vector{folder.path("logs.clps")});
  EXPECT_EQ(content(folder.path("logs.clps")), single_file("x"));
}

TEST(ArchiveFiles, SeveralAreNumbered) {
  const testing_io::TemporaryDirectory folder;
  ArchiveFiles files({.output = folder.path("logs.v1.clps")});
  ASSERT_TRUE(files.open());
  for (const std::string id : {"x", "y", "z"}) {
    ASSERT_TRUE(files.add(archive_called(id)));
  }
  ASSERT_TRUE(files.commit());
  EXPECT_EQ(
      below(folder.path("")),
      (std::vector<std::string>{"logs.v1-00000.clps", "logs.v1-00001.clps", "logs.v1-00002.clps"}));
  EXPECT_EQ(content(folder.path("logs.v1-00001.clps")), single_file("y"));
}

TEST(ArchiveFiles, MoreThanCanBeHeldWithoutANameAppearToo) {
  const testing_io::TemporaryDirectory folder;
  ArchiveFiles files({.output = folder.path("logs"), .most_nameless = 2});
  ASSERT_TRUE(files.open());
  for (const std::string id : {"v", "w", "x", "y"}) {
    ASSERT_TRUE(files.add(archive_called(id)));
  }
  ASSERT_TRUE(files.commit());
  EXPECT_EQ(folder.files(), 4U);
  EXPECT_EQ(content(folder.path("logs-00003")), single_file("y"));
}

TEST(ArchiveFiles, WithoutCommitNothingStays) {
  const testing_io::TemporaryDirectory folder;
  for (const bool directories : {false, true}) {
    for (const std::string name : {"logs.clps", "new/"}) {
      ArchiveFiles files(
          {.output = folder.path(name), .directories = directories, .most_nameless = 1});
      ASSERT_TRUE(files.open());
      for (const std::string id : {"x", "y", "z"}) {
        ASSERT_TRUE(files.add(archive_called(id)));
      }
    }
  }
  EXPECT_EQ(folder.files(), 0U);
}

TEST(ArchiveFiles, InADirectoryIdsAreNamesAndNoneIsLost) {
  const testing_io::TemporaryDirectory folder;
  ArchiveFiles files({.output = folder.path("new/")});
  ASSERT_TRUE(files.open());
  for (const std::string id : {"x", "y", "x"}) {
    ASSERT_TRUE(files.add(archive_called(id)));
  }
  ASSERT_TRUE(files.commit());
  EXPECT_EQ(below(folder.path("new")), (std::vector<std::string>{"x-1.clps", "x.clps", "y.clps"}));
}

TEST(ArchiveFiles, ADirectoryHoldsTheMembersOfAnArchive) {
  const testing_io::TemporaryDirectory folder;
  ArchiveFiles files({.output = folder.path("logs"), .directories = true});
  ASSERT_TRUE(files.open());
  ASSERT_TRUE(files.add(archive_called("x")));
  EXPECT_FALSE(std::filesystem::exists(folder.path("logs")));
  ASSERT_TRUE(files.commit());
  EXPECT_EQ(folder.files(), 1U);
  EXPECT_EQ(below(folder.path("logs")),
            (std::vector<std::string>{"0", "array.dict", "header", "log.dict", "schema_ids",
                                      "schema_tree", "table_metadata", "var.dict"}));
  EXPECT_EQ(content(folder.path("logs/header")), "head of x");
  EXPECT_EQ(content(folder.path("logs/0")), std::string(6, 'a'));
  EXPECT_TRUE(is_archive_directory(folder.path("logs")));
}

TEST(ArchiveFiles, WhatIsThereStaysUnlessItMayBeReplaced) {
  const testing_io::TemporaryDirectory folder;
  for (const bool directories : {false, true}) {
    const std::string name = folder.path(directories ? "directory" : "file");
    for (const std::string id : {"old", "new"}) {
      ArchiveFiles files({.output = name, .directories = directories, .replace = id == "new"});
      ASSERT_TRUE(files.open());
      ASSERT_TRUE(files.add(archive_called(id)));
      ASSERT_TRUE(files.commit());
    }
    const std::string head = content(directories ? name + "/header" : name);
    EXPECT_EQ(head.substr(0, 11), "head of new");
    ArchiveFiles files({.output = name, .directories = directories});
    const Status status = files.open();
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().code(), ErrorCode::Io);
  }
  EXPECT_EQ(folder.files(), 2U);
}

TEST(ArchiveFiles, PartsThatAreThereAreNotReplaced) {
  const testing_io::TemporaryDirectory folder;
  std::ofstream(folder.path("logs-00000")) << "mine";
  ArchiveFiles files({.output = folder.path("logs")});
  ASSERT_TRUE(files.open());
  ASSERT_TRUE(files.add(archive_called("x")));
  const Status status = files.add(archive_called("y"));
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().where().source, folder.path("logs-00000"));
  EXPECT_EQ(content(folder.path("logs-00000")), "mine");
}

TEST(ArchiveFiles, WhatComesToBeThereMeanwhileStaysAndNoPartAppears) {
  const testing_io::TemporaryDirectory folder;
  for (const bool directories : {false, true}) {
    ArchiveFiles files({.output = folder.path("logs"), .directories = directories});
    ASSERT_TRUE(files.open());
    ASSERT_TRUE(files.add(archive_called("x")));
    ASSERT_TRUE(files.add(archive_called("y")));
    std::ofstream(folder.path("logs-00001")) << "mine";
    EXPECT_FALSE(files.commit().has_value());
    EXPECT_EQ(content(folder.path("logs-00001")), "mine");
    EXPECT_FALSE(std::filesystem::exists(folder.path("logs-00000")));
    std::filesystem::remove(folder.path("logs-00001"));
  }
}

TEST(ArchiveFiles, NoFileTakesThePlaceOfADirectory) {
  const testing_io::TemporaryDirectory folder;
  ArchiveFiles directory({.output = folder.path("logs"), .directories = true});
  ASSERT_TRUE(directory.open());
  ASSERT_TRUE(directory.add(archive_called("x")));
  ASSERT_TRUE(directory.commit());
  ArchiveFiles file({.output = folder.path("logs"), .replace = true});
  EXPECT_FALSE(file.open().has_value());
}

TEST(ArchiveFiles, ADirectoryThatIsNoArchiveIsNeverReplaced) {
  const testing_io::TemporaryDirectory folder;
  std::filesystem::create_directories(folder.path("logs-00000/precious"));
  ArchiveFiles files({.output = folder.path("logs"), .directories = true, .replace = true});
  ASSERT_TRUE(files.open());
  ASSERT_TRUE(files.add(archive_called("x")));
  EXPECT_FALSE(files.add(archive_called("y")).has_value());
  EXPECT_TRUE(std::filesystem::exists(folder.path("logs-00000/precious")));
}

TEST(ArchiveFiles, ANewDirectoryIsMadeOnlyBelowOneThatIsThere) {
  const testing_io::TemporaryDirectory folder;
  for (const std::string name : {"a/b/", "a/b"}) {
    ArchiveFiles files({.output = folder.path(name)});
    const Status status = files.open();
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().code(), ErrorCode::Io);
  }
}

}  // namespace
}  // namespace fonds::ops
