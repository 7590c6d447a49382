#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fonds/byte_source.hpp>

#include "io/temporary_directory.hpp"

namespace fonds {
namespace {

using testing::HasSubstr;
using testing_io::TemporaryDirectory;

class ConcatenatedSource : public testing::Test {
 protected:
  void add(const std::string& name, std::string_view content) {
    std::ofstream(directory_.path(name), std::ios::binary) << content;
    names_.push_back(name);
  }
  Result<std::shared_ptr<ByteSource>> open() { return open_source(directory_.path("."), names_); }
  static std::string read(ByteSource& source, std::uint64_t offset, std::size_t n) {
    std::string text(n, '\0');
    const auto got = source.read_at(offset, {reinterpret_cast<std::byte*>(text.data()), n});
    text.resize(got.value_or(0));
    return text;
  }

  TemporaryDirectory directory_;
  std::vector<std::string> names_;
};

TEST_F(ConcatenatedSource, ReadsLikeOneFile) {
  add("b", "0123");
  add("empty", "");
  add("a", "456789");
  const auto source = open();
  ASSERT_TRUE(source.has_value()) << source.error().message();
  EXPECT_EQ((*source)->name(), directory_.path("."));
  EXPECT_EQ((*source)->size().value_or(0), 10U);
  EXPECT_TRUE((*source)->random_access());
  EXPECT_FALSE((*source)->view().has_value());
  const std::string all = "0123456789";
  for (std::size_t at = 0; at <= all.size(); ++at) {
    for (std::size_t n = 0; n <= all.size() + 1; ++n) {
      EXPECT_EQ(read(**source, at, n), all.substr(at, n)) << at << ' ' << n;
    }
  }
  EXPECT_EQ(read(**source, ~std::uint64_t{0}, 5), "");
}

TEST_F(ConcatenatedSource, TellsItsPieces) {
  add("header", "0123");
  add("empty", "");
  add("0", "456789");
  const auto source = open();
  ASSERT_TRUE(source.has_value());
  const auto pieces = (*source)->pieces();
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[0].name, "header");
  EXPECT_EQ(pieces[0].range.length, 4U);
  EXPECT_EQ(pieces[1].range.offset, 4U);
  EXPECT_EQ(pieces[1].range.length, 0U);
  EXPECT_EQ(pieces[2].name, "0");
  EXPECT_EQ(pieces[2].range.offset, 4U);
  EXPECT_EQ(pieces[2].range.length, 6U);
}

TEST_F(ConcatenatedSource, ForgettingLosesNothing) {
  add("a", std::string(100'000, 'a'));
  add("b", std::string(100'000, 'b'));
  const auto source = open();
  ASSERT_TRUE(source.has_value());
  (*source)->forget({50'000, 100'000});
  (*source)->forget({0, ~std::uint64_t{0}});
  (*source)->forget({~std::uint64_t{0}, ~std::uint64_t{0}});
  EXPECT_EQ(read(**source, 99'999, 2), "ab");
}

TEST_F(ConcatenatedSource, MissingFileIsNamed) {
  add("a", "x");
  names_.push_back("missing");
  const auto source = open();
  ASSERT_FALSE(source.has_value());
  EXPECT_EQ(source.error().code(), ErrorCode::NotFound);
  EXPECT_THAT(source.error().where().source, HasSubstr("missing"));
}

TEST_F(ConcatenatedSource, PipeAmongTheFilesIsRefusedAndNotWaitedFor) {
  add("a", "x");
  ASSERT_EQ(::mkfifo(directory_.path("pipe").c_str(), 0600), 0);
  names_.push_back("pipe");
  const auto source = open();
  ASSERT_FALSE(source.has_value());
  EXPECT_EQ(source.error().code(), ErrorCode::Unsupported);
  EXPECT_THAT(source.error().where().source, HasSubstr("pipe"));
}

TEST_F(ConcatenatedSource, OneFileHasNoPieces) {
  add("a", "x");
  const auto source = open_source(directory_.path("a"));
  ASSERT_TRUE(source.has_value());
  EXPECT_TRUE((*source)->pieces().empty());
}

}  // namespace
}  // namespace fonds
