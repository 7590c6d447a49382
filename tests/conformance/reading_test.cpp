// Laws that every readable archive keeps, damaged or not.
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <fonds/format.hpp>

#include "conformance/corpus.hpp"
#include "io/testing.hpp"
#include "ops/cat.hpp"
#include "ops/list.hpp"
#include "ops/verify.hpp"

namespace fonds {
namespace {

using test::archives;
using test::fixtures;
using test::read_file;

struct Listing {
  std::string text;
  std::vector<std::string> findings;
  bool readable = true;
};

std::string shown(const Finding& finding) {
  return std::string(finding.code) + "@" + std::to_string(finding.where.stored_offset.value_or(0)) +
         "#" + (finding.where.ordinal ? std::to_string(*finding.where.ordinal) : "-") + " " +
         finding.message;
}

ops::Output into(Listing& listing) {
  return {[&listing](std::string_view text) {
            listing.text += text;
            return Status();
          },
          [&listing](const Finding& finding) { listing.findings.push_back(shown(finding)); }};
}

Listing list(const Result<Archive>& archive, ops::ListOptions options) {
  Listing listing;
  if (!archive) {
    listing.readable = false;
    return listing;
  }
  options.json = true;
  options.headers = true;
  listing.readable = ops::list(*archive, options, into(listing)).has_value();
  return listing;
}

ops::ListOptions full() {
  ops::ListOptions options;
  options.full = true;
  return options;
}

Listing cat(const Result<Archive>& archive, const ops::ScanOptions& scan) {
  Listing listing;
  if (!archive) {
    listing.readable = false;
    return listing;
  }
  ops::CatOptions options;
  options.scan = scan;
  listing.readable = ops::cat(*archive, options, into(listing)).has_value();
  return listing;
}

Listing verify(const Result<Archive>& archive, const ops::ScanOptions& scan) {
  Listing listing;
  ops::Verifier verifier(
      scan, {}, false, [&](const Finding& finding) { listing.findings.push_back(shown(finding)); });
  listing.readable = archive.has_value() && verifier.check(*archive).has_value();
  verifier.finish();
  return listing;
}

Result<Archive> memory(const std::string& name) {
  return open_archive(memory_source(read_file(fixtures() / name)));
}

class EveryArchive : public testing::TestWithParam<std::string> {};

TEST_P(EveryArchive, ThreadsGiveTheSameListAsOne) {
  const auto archive = memory(GetParam());
  const Listing one = list(archive, full());
  for (const unsigned threads : {2U, 7U}) {
    for (const std::uint64_t range : {64U, 300U, 5000U}) {
      ops::ListOptions options = full();
      options.scan.threads = threads;
      options.scan.range = range;
      const Listing many = list(archive, options);
      EXPECT_EQ(many.text, one.text) << threads << " threads, ranges of " << range;
      EXPECT_EQ(many.findings, one.findings) << threads << " threads, ranges of " << range;
    }
  }
}

TEST_P(EveryArchive, ThreadsGiveTheSameContentAsOne) {
  const auto archive = memory(GetParam());
  const Listing one = cat(archive, {});
  ops::ScanOptions scan;
  scan.threads = 3;
  scan.range = 200;
  EXPECT_EQ(cat(archive, scan).text, one.text);
}

TEST_P(EveryArchive, ThreadsGiveTheSameVerdictAsOne) {
  const auto archive = memory(GetParam());
  ops::ScanOptions scan;
  scan.threads = 3;
  scan.range = 150;
  EXPECT_EQ(verify(archive, scan).findings, verify(archive, {}).findings);
}

TEST_P(EveryArchive, PipeGivesTheSameRecordsAsFile) {
  const auto bytes = read_file(fixtures() / GetParam());
  const Listing file = list(memory(GetParam()), full());
  for (const std::size_t step : {1U, 7U, 4096U}) {
    const Listing pipe =
        list(open_archive(std::make_shared<testing_io::Pipe>(bytes, step, "<memory>")), full());
    EXPECT_EQ(pipe.readable, file.readable);
    if (GetParam().find("gz-bad") == std::string::npos) {
      EXPECT_EQ(pipe.text, file.text) << "pieces of " << step;
    }
  }
}

// Skimming leaves out checks, and nothing else: the records, their places and lengths are those of
// a full read.
TEST_P(EveryArchive, SkimmingFindsTheRecordsOfAFullRead) {
  const auto archive = memory(GetParam());
  const auto without_problems = [](std::string text) {
    for (std::size_t at = 0; (at = text.find(",\"problems\":[", at)) != std::string::npos;) {
      text.erase(at, text.find("]}\n", at) + 1 - at);
    }
    return text;
  };
  const Listing read = list(archive, full());
  const Listing skimmed = list(archive, {});
  EXPECT_EQ(without_problems(skimmed.text), without_problems(read.text));
}

TEST_P(EveryArchive, EachOffsetLeadsToItsRecord) {
  const auto archive = memory(GetParam());
  if (!archive) {
    GTEST_SUCCEED();
    return;
  }
  const auto reader = archive->format->open(*archive, {});
  ASSERT_TRUE(reader.has_value());
  while (true) {
    const auto record = (*reader)->next();
    ASSERT_TRUE(record.has_value()) << record.error().to_string();
    if (*record == nullptr) {
      break;
    }
    const auto there = ops::open_at(*archive, {}, (*record)->place);
    ASSERT_TRUE(there.has_value()) << there.error().to_string();
    const auto again = (*there)->next();
    ASSERT_TRUE(again.has_value()) << again.error().to_string();
    ASSERT_NE(*again, nullptr);
    EXPECT_EQ((*again)->place, (*record)->place);
    EXPECT_EQ(as_text((*again)->raw_header()), as_text((*record)->raw_header()));
  }
}

TEST_P(EveryArchive, CutAtEveryByteIsReadUpToTheCut) {
  const auto bytes = read_file(fixtures() / GetParam());
  if (bytes.size() > 6000) {
    GTEST_SUCCEED();
    return;
  }
  const std::size_t step = bytes.size() > 1500 ? 7 : 1;
  for (std::size_t n = 0; n < bytes.size(); n += step) {
    const std::vector<std::byte> part(bytes.begin(),
                                      bytes.begin() + static_cast<std::ptrdiff_t>(n));
    const auto archive = open_archive(memory_source(part));
    list(archive, {});
    verify(archive, {});
  }
}

// With little memory a reader refuses or streams, and what it does deliver is right.
TEST_P(EveryArchive, LittleMemoryIsEnoughForSmallRecords) {
  const auto archive = memory(GetParam());
  ops::ListOptions options = full();
  options.scan.read.memory_budget = std::uint64_t{4} << 20;
  EXPECT_EQ(list(archive, options).text, list(archive, full()).text);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, EveryArchive, testing::ValuesIn(archives()),
                         [](const auto& named) { return test::test_name(named.param); });

}  // namespace
}  // namespace fonds
