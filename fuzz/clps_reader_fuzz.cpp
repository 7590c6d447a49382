// Whole clp-s archives: no crash, no hang, bounded memory; both orders hold the same records, any
// number of threads and a pipe give the same, and verify counts what reading gives. An input that
// begins with the magic is an archive; others are parts of one (clps_parts.hpp).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/format.hpp>
#include <fonds/formats/clps.hpp>
#include <fonds/query.hpp>

#include "clps_parts.hpp"
#include "io/testing.hpp"
#include "query/json_scanner.hpp"
#include "require.hpp"

namespace {

using fonds::Finding;
using fonds::fuzz::require;
using namespace fonds::clps;  // NOLINT(google-build-using-namespace)

constexpr std::uint64_t kMemory = std::uint64_t{16} << 20;
constexpr std::size_t kMostText = std::size_t{2} << 20;

struct Outcome {
  std::vector<std::string> lines;
  std::size_t errors = 0;
  bool failed = false;
  bool more = false;  // than kMostText
};

Outcome read(const std::shared_ptr<fonds::ByteSource>& source, Order order, unsigned threads) {
  Outcome outcome;
  ArchiveOptions with;
  with.read.memory_budget = kMemory;
  with.on_finding = [&outcome](const Finding& finding) {
    outcome.errors += finding.severity == fonds::Severity::Error ? 1 : 0;
  };
  auto archive = Archive::open(source, with);
  if (!archive) {
    require(archive.error().where().stored_offset || archive.error().where().decoded_offset ||
            archive.error().code() == fonds::ErrorCode::LimitExceeded);
    outcome.failed = true;
    return outcome;
  }
  RebuildOptions options;
  options.order = order;
  options.threads = threads;
  const auto rebuilder = Rebuilder::open(*archive, options);
  std::size_t text = 0;
  while (rebuilder) {
    const auto batch = (*rebuilder)->next();
    if (!batch) {
      outcome.failed = true;
      return outcome;
    }
    if (*batch == nullptr) {
      return outcome;
    }
    outcome.errors += (*batch)->findings.size();
    for (const auto& line : (*batch)->lines) {
      outcome.lines.emplace_back((*batch)->text.substr(line.begin, line.length));
    }
    text += (*batch)->text.size();
    if (text > kMostText) {
      outcome.more = true;
      return outcome;
    }
  }
  outcome.failed = true;
  return outcome;
}

std::vector<std::string> sorted(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Counts records as `verify` does, and its errors.
void check_verify(const std::string& bytes, const Outcome& whole) {
  auto archive = fonds::open_archive(fonds::fuzz::source_of(bytes));
  if (!archive || archive->format->name() != "clp-s") {
    return;
  }
  fonds::ReadOptions options;
  options.memory_budget = kMemory;
  options.check_all = true;
  auto reader = archive->format->open(*archive, options);
  std::size_t records = 0;
  std::size_t errors = 0;
  while (reader) {
    auto record = (*reader)->next();
    for (const Finding& finding : (*reader)->take_loose_findings()) {
      errors += finding.severity == fonds::Severity::Error ? 1 : 0;
    }
    if (!record) {
      return;
    }
    if (*record == nullptr) {
      break;
    }
    ++records;
  }
  if (reader) {
    require(records == whole.lines.size());
    require(errors > 0 ||
            std::all_of(whole.lines.begin(), whole.lines.end(),
                        [](const std::string& line) { return fonds::query::is_json(line); }));
    require(errors > 0 || whole.errors == 0);
  }
}

void check_searches(const std::string& bytes, unsigned mode) {
  static constexpr std::string_view kQueries[] = {
      "*",       "a: 1",           "* > 5", "*: *1*",          "NOT a: *",
      "a.b: x*", "m: *took* or 7", "@*: *", "$_filename: *a*", "t > timestamp(\"2024-01-01\")"};
  const auto archive = [&] {
    ArchiveOptions with;
    with.read.memory_budget = kMemory;
    return Archive::open(fonds::fuzz::source_of(bytes), with);
  }();
  const auto query = fonds::query::parse(kQueries[mode % std::size(kQueries)], {});
  if (!archive || !query) {
    return;
  }
  std::size_t text = 0;
  fonds::SearchOptions options;
  options.threads = 1 + mode / 16 % 2;
  options.table_order = mode / 32 % 2 == 0;
  static_cast<void>(search(*archive, *query, options,
                           {.lines = [&text](std::string_view lines) -> fonds::Result<bool> {
                              return (text += lines.size()) < kMostText;
                            },
                            .finding = [](const Finding&) {}})
                        .has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  unsigned mode = 0;  // drawn from the bytes, so that every file is an input as it is
  for (std::size_t i = 0; i < size; ++i) {
    mode = (mode * 31 + data[i]) & 0xffffff;
  }
  const std::string_view given(reinterpret_cast<const char*>(data), size);
  const std::string bytes = given.starts_with("\xFD\x2F\xC5\x30")
                                ? std::string(given)
                                : fonds::fuzz::build_archive(fonds::fuzz::split_parts(given));
  const Outcome by_log = read(fonds::fuzz::source_of(bytes), Order::Log, 1);
  const Outcome by_table = read(fonds::fuzz::source_of(bytes), Order::Table, 1);
  const bool bounded = !by_log.failed && !by_table.failed && !by_log.more && !by_table.more;
  require(!bounded || sorted(by_log.lines) == sorted(by_table.lines));
  const Outcome threaded = read(fonds::fuzz::source_of(bytes), Order::Log, 2);
  require(by_log.failed || threaded.failed || by_log.more || threaded.lines == by_log.lines);
  const auto* const begin = reinterpret_cast<const std::byte*>(bytes.data());
  const Outcome pipe = read(std::make_shared<fonds::testing_io::Pipe>(
                                std::vector<std::byte>(begin, begin + bytes.size()), 977),
                            Order::Log, 1);
  require(pipe.failed || by_log.failed || by_log.more || pipe.lines == by_log.lines);
  if (bounded) {
    check_verify(bytes, by_log);
  }
  check_searches(bytes, mode);
  return 0;
}
