#include "format/clps/reading/directory.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fonds::clps {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Names = std::vector<std::string>;

TEST(ClpsDirectory, FilesComeAsInASingleFile) {
  const auto files = directory_files(Names{"0", "array.dict", "header", "log.dict", "schema_ids",
                                           "schema_tree", "table_metadata", "var.dict"});
  ASSERT_TRUE(files.has_value());
  EXPECT_THAT(*files, ElementsAre("header", "schema_tree", "schema_ids", "table_metadata",
                                  "var.dict", "log.dict", "array.dict", "0"));
}

TEST(ClpsDirectory, MembersMayBeMissing) {
  const auto files = directory_files(
      Names{"0", "header", "log.dict", "schema_ids", "schema_tree", "table_metadata", "var.dict"});
  ASSERT_TRUE(files.has_value());
  EXPECT_THAT(*files, ElementsAre("header", "schema_tree", "schema_ids", "table_metadata",
                                  "var.dict", "log.dict", "0"));
}

TEST(ClpsDirectory, OtherNumbersAreNotRead) {
  const auto files = directory_files(Names{"0", "1", "17", "header", "schema_tree"});
  ASSERT_TRUE(files.has_value());
  EXPECT_THAT(*files, ElementsAre("header", "schema_tree", "0"));
}

TEST(ClpsDirectory, OneOtherNameMakesItADirectoryOfOtherThings) {
  const auto files = directory_files(Names{"0", "header", "notes.txt", "schema_tree"});
  ASSERT_TRUE(files.has_value());
  EXPECT_THAT(*files, IsEmpty());
}

TEST(ClpsDirectory, DirectoryOfNumbersIsNoArchive) {
  const auto files = directory_files(Names{"2023", "2024"});
  ASSERT_TRUE(files.has_value());
  EXPECT_THAT(*files, IsEmpty());
}

TEST(ClpsDirectory, EmptyDirectoryIsNoArchive) {
  const auto files = directory_files({});
  ASSERT_TRUE(files.has_value());
  EXPECT_THAT(*files, IsEmpty());
}

TEST(ClpsDirectory, ArchiveWithoutHeaderIsToldOf) {
  const auto files =
      directory_files(Names{"0", "array.dict", "log.dict", "schema_ids", "schema_tree",
                            "table_metadata", "timestamp.dict", "var.dict"});
  ASSERT_FALSE(files.has_value());
  EXPECT_EQ(files.error().code(), ErrorCode::Unsupported);
  EXPECT_THAT(files.error().message(), HasSubstr("0.2.0"));
}

}  // namespace
}  // namespace fonds::clps
