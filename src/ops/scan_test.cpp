#include "ops/scan.hpp"

#include <stop_token>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/testing.hpp"

namespace fonds::ops {
namespace {

using testing_codec::mapped;
using testing_codec::sample_text;
using testing_ops::RecordText;

// One line a record: its number, id and length.
class LineWorker final : public Worker {
 public:
  explicit LineWorker(std::uint64_t enough) : enough_(enough) {}
  Result<bool> take(RecordReader& reader, Record& record, Stretch& out) override {
    out.number_here(record.ordinal);
    out.text += " " + std::string(record.id());
    FONDS_TRY(const RecordEnd end, reader.finish());
    out.text += " " + std::to_string(end.length.value_or(0)) + "\n";
    for (const Finding& finding : end.findings) {
      out.findings.push_back(finding);
    }
    return record.id() != "urn:" + std::to_string(enough_);
  }

 private:
  std::uint64_t enough_;
};

ScanOptions on(unsigned threads, std::uint64_t range = 0) {
  ScanOptions options;
  options.threads = threads;
  options.range = range;
  return options;
}

struct Scanned {
  std::string text;
  std::vector<std::string> findings;
  std::uint64_t records = 0;
  std::string error;
};

Scanned run_scan(const std::string& stored, const ScanOptions& options,
                 std::uint64_t enough = 1000000) {
  Scanned result;
  const auto archive = open_archive(mapped(stored));
  const auto records = scan(
      *archive, options, [enough] { return std::make_unique<LineWorker>(enough); },
      [&](Stretch& piece, Worker&, std::uint64_t first, bool) -> Status {
        result.text += piece.render(first);
        for (const Finding& finding : piece.findings) {
          const auto& ordinal = finding.where.ordinal;
          result.findings.push_back(std::string(finding.code) + " " +
                                    (ordinal ? std::to_string(first + *ordinal) : "-"));
        }
        return {};
      });
  result.records = records.value_or(0);
  result.error = records ? "" : records.error().message();
  return result;
}

std::vector<RecordText> some_records() {
  std::vector<RecordText> records;
  for (std::size_t i = 0; i < 120; ++i) {
    records.push_back({.id = "urn:" + std::to_string(i), .block = sample_text(i * i % 1700, i)});
  }
  return records;
}

struct Layout {
  const char* name;
  std::string stored;
};
std::ostream& operator<<(std::ostream& out, const Layout& layout) { return out << layout.name; }

std::string damaged(std::string stored) {
  for (std::size_t at = 700; at < stored.size(); at += 3001) {
    stored[at] = static_cast<char>(stored[at] ^ 0x55);
  }
  return stored;
}

class ScanThreads : public testing::TestWithParam<Layout> {};
INSTANTIATE_TEST_SUITE_P(
    Layouts, ScanThreads,
    testing::Values(Layout{"Plain", testing_ops::plain(some_records())},
                    Layout{"Gzip", testing_ops::gzipped(some_records())},
                    Layout{"DamagedPlain", damaged(testing_ops::plain(some_records()))},
                    Layout{"DamagedGzip", damaged(testing_ops::gzipped(some_records()))},
                    Layout{"OneMember", testing_gzip::member(testing_ops::plain(some_records()))}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(ScanThreads, RangesOfEverySizeGiveTheSame) {
  const Scanned one = run_scan(GetParam().stored, on(1));
  EXPECT_EQ(one.error, "");
  for (const std::uint64_t range : {37U, 100U, 333U, 1000U, 4096U, 10007U, 50000U}) {
    for (const unsigned threads : {2U, 5U}) {
      const Scanned many = run_scan(GetParam().stored, on(threads, range));
      EXPECT_TRUE(many.text == one.text) << threads << " threads, ranges of " << range;
      EXPECT_EQ(many.findings, one.findings) << threads << " threads, ranges of " << range;
      EXPECT_EQ(many.records, one.records);
    }
  }
}

TEST_P(ScanThreads, StopWhereAWorkerHasEnough) {
  const Scanned one = run_scan(GetParam().stored, on(1), 40);
  const Scanned many = run_scan(GetParam().stored, on(3, 500), 40);
  EXPECT_EQ(many.text, one.text);
  EXPECT_EQ(many.error, "");
}

TEST(ScanThreadsOfAll, LittleHeldOutputIsHandedOverInOrder) {
  // Each thread may hold 64 KiB; the output of a range is more.
  std::vector<RecordText> records;
  for (int i = 0; i < 3000; ++i) {
    records.push_back({.id = "urn:" + std::to_string(i) + std::string(200, 'x')});
  }
  const std::string stored = testing_ops::plain(records);
  ScanOptions options;
  options.read.memory_budget = std::uint64_t{32} << 20;
  options.threads = 1;
  const Scanned one = run_scan(stored, options);
  options.threads = 4;
  options.range = stored.size() / 3;
  const Scanned many = run_scan(stored, options);
  EXPECT_TRUE(many.text == one.text);
  EXPECT_EQ(many.records, 3000U);
}

TEST(ScanThreadsOfAll, CancelledScanSaysSo) {
  const std::string stored = testing_ops::plain(some_records());
  for (const unsigned threads : {1U, 3U}) {
    std::stop_source stop;
    stop.request_stop();
    ScanOptions options = on(threads, 500);
    options.read.stop = stop.get_token();
    EXPECT_EQ(run_scan(stored, options).error, "stopped") << threads;
  }
}

TEST(ScanThreadsOfAll, ErrorOfTheSinkEndsTheScan) {
  const auto archive = open_archive(mapped(testing_ops::plain(some_records())));
  for (const unsigned threads : {1U, 3U}) {
    const auto records = scan(
        *archive, on(threads, 500), [] { return std::make_unique<LineWorker>(1000000); },
        [](Stretch&, Worker&, std::uint64_t, bool) -> Status {
          return fail(ErrorCode::Io, "disk full");
        });
    ASSERT_FALSE(records.has_value());
    EXPECT_EQ(records.error().message(), "disk full") << threads;
  }
}

TEST(Stretch, NumbersAreFilledInWhereTheyBelong) {
  Stretch stretch;
  stretch.number_here(0);
  stretch.text += " a\n";
  stretch.number_here(12);
  stretch.text += " b\n";
  EXPECT_EQ(stretch.render(90), "90 a\n102 b\n");
  EXPECT_EQ(stretch.render_padded(90, 5), "   90 a\n  102 b\n");
  stretch.clear();
  EXPECT_TRUE(stretch.empty());
  EXPECT_EQ(stretch.render(0), "");
}

}  // namespace
}  // namespace fonds::ops
