#include "ops/list.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/lines/testing.hpp"
#include "ops/testing.hpp"

namespace fonds::ops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing_codec::mapped;
using testing_lines::archive_of;
using testing_ops::Given;
using testing_ops::gzipped;
using testing_ops::into;

constexpr const char* kHashOfOne =
    "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";

std::string run(const Archive& archive, const ListOptions& options) {
  Given given;
  EXPECT_TRUE(list(archive, options, into(given)).has_value());
  return given.text;
}

TEST(ListColumns, AreThoseOfTheFormat) {
  EXPECT_THAT(list_columns(lines::lines_format(), {}), ElementsAre("index", "offset", "length"));
  ListOptions hashing;
  hashing.hash = true;
  EXPECT_THAT(list_columns(lines::lines_format(), hashing),
              ElementsAre("index", "offset", "length", "sha256"));
  const Archive warc = *open_archive(mapped(testing_ops::plain({{.id = "1"}})));
  hashing.with_archive = true;
  EXPECT_THAT(list_columns(*warc.format, hashing),
              ElementsAre("archive", "index", "offset", "date", "type", "status", "media_type",
                          "length", "sha256", "target"));
  hashing.fields = {"id"};
  EXPECT_THAT(list_columns(*warc.format, hashing), ElementsAre("id"));
}

TEST(List, HashIsThatOfTheBlock) {
  ListOptions options;
  options.hash = true;
  EXPECT_EQ(run(archive_of(lines::lines_format(), "one\n"), options),
            std::string("0\t0\t3\t") + kHashOfOne + "\n");
  options.json = true;
  const Archive warc = *open_archive(mapped(gzipped({{.id = "1", .block = "one"}})));
  EXPECT_THAT(run(warc, options), HasSubstr(std::string("\"sha256\":\"") + kHashOfOne + "\""));
}

TEST(List, HashIsMadeForAColumnThatShowsIt) {
  ListOptions options;
  options.fields = {"sha256", "index"};
  EXPECT_EQ(run(archive_of(lines::lines_format(), "one\n"), options),
            std::string(kHashOfOne) + "\t0\n");
}

TEST(List, DamagedContentHasNoHash) {
  std::string stored = gzipped({{.id = "1", .block = "one"}});
  stored[stored.size() - 6] ^= 1;
  ListOptions options;
  options.hash = true;
  options.json = true;
  EXPECT_THAT(run(*open_archive(mapped(stored)), options), Not(HasSubstr("sha256")));
}

}  // namespace
}  // namespace fonds::ops
