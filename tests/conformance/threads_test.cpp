// Archives large enough to be cut into ranges give the same records in the same order on any number
// of threads, damaged or not.
#include <cctype>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <fonds/format.hpp>

#include "conformance/corpus.hpp"
#include "ops/list.hpp"

namespace fonds {
namespace {

using Bytes = std::vector<std::byte>;

// What `ls --json` prints, and the findings behind it.
std::string listing(const Archive& archive, unsigned threads, bool full) {
  ops::ListOptions options;
  options.scan.threads = threads;
  options.scan.read.skim = !full;
  options.json = true;
  options.full = full;
  std::string shown;
  std::string findings;
  const auto status = ops::list(archive, options,
                                {[&](std::string_view text) {
                                   shown += text;
                                   return Status();
                                 },
                                 [&](const Finding& finding) {
                                   findings += describe(finding.where) + finding.message + "\n";
                                 }});
  return shown + findings + (status ? "" : status.error().to_string());
}

// The file over and over.
Bytes repeated(const std::string& name, std::size_t size) {
  const auto once = test::read_file(test::fixtures() / name);
  Bytes bytes;
  while (!once.empty() && bytes.size() < size) {
    bytes.insert(bytes.end(), once.begin(), once.end());
  }
  return bytes;
}

struct Layout {
  const char* name;
  std::size_t size;
};

class LargeArchiveThreads : public testing::TestWithParam<Layout> {
 protected:
  static void expect_the_same(Bytes bytes) {
    const auto archive = open_archive(memory_source(std::move(bytes)));
    ASSERT_TRUE(archive.has_value()) << archive.error().to_string();
    for (const bool full : {false, true}) {
      const auto on_one = listing(*archive, 1, full);
      EXPECT_TRUE(listing(*archive, 2, full) == on_one) << (full ? "full" : "skimming");
      EXPECT_TRUE(listing(*archive, 7, full) == on_one) << (full ? "full" : "skimming");
    }
  }
};

TEST_P(LargeArchiveThreads, GiveTheSameRecordsForAnyNumberOfThreads) {
  expect_the_same(repeated(GetParam().name, GetParam().size));
}

TEST_P(LargeArchiveThreads, GiveTheSameRecordsAroundDamage) {
  auto bytes = repeated(GetParam().name, GetParam().size);
  for (std::size_t at = 1000; at < bytes.size(); at += 65536 + 4321) {
    bytes[at] ^= std::byte{0x55};
  }
  expect_the_same(std::move(bytes));
}

constexpr std::size_t kSeveralRanges = std::size_t{6} << 20;
INSTANTIATE_TEST_SUITE_P(Layouts, LargeArchiveThreads,
                         testing::Values(Layout{"warc/own/gz-per-record.warc.gz", kSeveralRanges},
                                         Layout{"warc/own/ok-three.warc", kSeveralRanges},
                                         Layout{"warc/own/lz4-per-record.warc.lz4", kSeveralRanges},
                                         Layout{"warc-zst/ok-nodict.warc.zst", kSeveralRanges},
                                         Layout{"warc/own/arc-v1.arc.gz", kSeveralRanges},
                                         Layout{"warc/own/arc-v2.arc", kSeveralRanges},
                                         Layout{"warc/own/gz-single-member.warc.gz",
                                                std::size_t{3} << 20}),
                         [](const auto& tested) {
                           std::string name = tested.param.name;
                           for (char& c : name) {
                             c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace fonds
