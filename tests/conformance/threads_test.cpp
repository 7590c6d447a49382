// Scanning gives the same records in the same order on any number of threads.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fonds/format.hpp>

#include "ops/scan.hpp"
#include "reading.hpp"

namespace fonds::conformance {
namespace {

class LineWorker final : public ops::Worker {
 public:
  Result<bool> take(RecordReader& reader, Record& record, ops::Stretch& out) override {
    out.number_here(record.ordinal);
    auto line = line_of(reader, record, 4096);
    if (!line) {
      return tl::unexpected<Error>(std::move(line.error()));
    }
    out.text += " " + *line + "\n";
    ++out.records;
    return true;
  }
};

// The lines of all records, numbered, and their number.
std::string scan_lines(const Archive& archive, unsigned threads, bool skim) {
  ops::ScanOptions options;
  options.threads = threads;
  options.read.skim = skim;
  std::string text;
  const auto records = ops::scan(
      archive, options, [] { return std::make_unique<LineWorker>(); },
      [&](ops::Stretch& piece, ops::Worker&, std::uint64_t first_ordinal, bool) -> Status {
        text += piece.render(first_ordinal);
        return {};
      });
  return records ? text + fmt::format("{} records", *records) : records.error().to_string();
}

// The file over and over, until it is large enough to be cut into ranges.
Bytes repeated(const std::string& name, std::size_t size) {
  const auto once = read_file(path_of(name));
  Bytes bytes;
  while (bytes.size() < size) {
    bytes.insert(bytes.end(), once.begin(), once.end());
  }
  return bytes;
}

struct Case {
  const char* name;
  std::size_t size;  // of what is read
};

class ScanThreads : public testing::TestWithParam<Case> {};

TEST_P(ScanThreads, GiveTheSameRecordsForAnyNumberOfThreads) {
  const auto archive = open_archive(memory_source(repeated(GetParam().name, GetParam().size)));
  ASSERT_TRUE(archive.has_value()) << archive.error().to_string();
  for (const bool skim : {false, true}) {
    const auto on_one = scan_lines(*archive, 1, skim);
    EXPECT_EQ(scan_lines(*archive, 2, skim) == on_one, true) << skim;
    EXPECT_EQ(scan_lines(*archive, 7, skim) == on_one, true) << skim;
  }
}

TEST_P(ScanThreads, GiveTheSameRecordsAroundDamage) {
  auto bytes = repeated(GetParam().name, GetParam().size);
  for (std::size_t at = 1000; at < bytes.size(); at += 65536 + 4321) {
    bytes[at] ^= std::byte{0x55};
  }
  const auto archive = open_archive(memory_source(std::move(bytes)));
  ASSERT_TRUE(archive.has_value()) << archive.error().to_string();
  const auto on_one = scan_lines(*archive, 1, false);
  EXPECT_EQ(scan_lines(*archive, 2, false) == on_one, true);
  EXPECT_EQ(scan_lines(*archive, 7, false) == on_one, true);
}

constexpr std::size_t kLarge = std::size_t{6} << 20;
INSTANTIATE_TEST_SUITE_P(
    Layouts, ScanThreads,
    testing::Values(Case{"warc/own/gz-per-record.warc.gz", kLarge},
                    Case{"warc/own/ok-three.warc", kLarge},
                    Case{"warc/own/lz4-per-record.warc.lz4", kLarge},
                    Case{"warc-zst/ok-nodict.warc.zst", kLarge},
                    Case{"warc/own/arc-v1.arc.gz", kLarge}, Case{"warc/own/arc-v2.arc", kLarge},
                    Case{"warc/own/gz-single-member.warc.gz", std::size_t{1} << 20},
                    Case{"warc/own/bz2-whole.warc.bz2", std::size_t{1} << 18}),
    [](const auto& tested) { return test_name(tested.param.name); });

}  // namespace
}  // namespace fonds::conformance
