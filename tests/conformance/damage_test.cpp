// Small archives with each byte wrong in turn are read to their end, under whatever sanitizer this
// runs.
#include <cctype>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fonds/format.hpp>

#include "conformance/corpus.hpp"

namespace fonds {
namespace {

using Bytes = std::vector<std::byte>;

class DamagedArchive : public testing::TestWithParam<std::string> {
 protected:
  // Reads and checks all records; what they are does not matter here.
  static void read_all(const Bytes& bytes, bool skim) {
    const auto archive = open_archive(memory_source(bytes));
    if (!archive) {
      EXPECT_EQ(archive.error().code(), ErrorCode::Unsupported) << archive.error().to_string();
      return;
    }
    ReadOptions options;
    options.skim = skim;
    options.search_damaged = !skim;
    auto reader = archive->format->open(*archive, options);
    ASSERT_TRUE(reader.has_value()) << reader.error().to_string();
    const auto part = archive->format->verify_part(*archive, {});
    std::vector<Finding> found;
    while (true) {
      const auto record = (*reader)->next();
      ASSERT_TRUE(record.has_value()) << record.error().to_string();
      if (*record == nullptr) {
        return;
      }
      if (!skim) {
        ASSERT_TRUE(part->check(**reader, **record, found).has_value());
      }
      ASSERT_TRUE((*reader)->finish().has_value());
    }
  }

  static void flip_each_byte(const std::string& name, bool skim) {
    auto bytes = test::read_file(test::fixtures() / name);
    ASSERT_FALSE(bytes.empty());
    for (std::size_t n = 0; n < bytes.size(); ++n) {
      SCOPED_TRACE(n);
      for (const auto mask : {std::byte{1} << (n % 8), std::byte{0xFF}}) {
        bytes[n] ^= mask;
        read_all(bytes, skim);
        ASSERT_FALSE(HasFatalFailure());
        bytes[n] ^= mask;
      }
    }
  }
};

TEST_P(DamagedArchive, IsCheckedToItsEndWhicheverByteIsWrong) { flip_each_byte(GetParam(), false); }

TEST_P(DamagedArchive, IsSkimmedToItsEndWhicheverByteIsWrong) { flip_each_byte(GetParam(), true); }

INSTANTIATE_TEST_SUITE_P(
    OneOfEachKind, DamagedArchive,
    testing::Values("warc/0011/02-minimal.warc", "warc/0011/06-segments-gz-b.warc.gz",
                    "warc/own/arc-v1.arc.gz", "warc/own/arc-v2.arc", "warc/own/bz2-whole.warc.bz2",
                    "warc/own/gz-per-record.warc.gz", "warc/own/gz-single-member.warc.gz",
                    "warc/own/lz4-per-record.warc.lz4", "warc/own/ok-three.warc",
                    "warc/own/xz-whole.warc.xz", "warc/own/zst-per-record.warc.zst"),
    [](const auto& tested) {
      std::string name = tested.param;
      for (char& c : name) {
        c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
      }
      return name;
    });

}  // namespace
}  // namespace fonds
