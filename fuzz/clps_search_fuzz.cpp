// Searches of clp-s archives of any bytes: no crash, no hang, bounded memory; threads and orders
// change nothing, and where nothing is damaged the columns answer as the records do. An input is a
// query, a separator and an archive or its parts (clps_parts.hpp).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/formats/clps.hpp>
#include <fonds/query.hpp>
#include <fonds/search.hpp>

#include "clps_parts.hpp"
#include "require.hpp"

namespace {

using fonds::Finding;
using fonds::SearchOptions;
using fonds::fuzz::require;
using namespace fonds::clps;  // NOLINT(google-build-using-namespace)

constexpr std::uint64_t kMemory = std::uint64_t{16} << 20;
constexpr std::size_t kMostText = std::size_t{1} << 20;

struct Outcome {
  std::string text;
  fonds::SearchReport report;
  std::size_t findings = 0;
  bool failed = false;
  bool more = false;  // than kMostText
};

std::shared_ptr<Archive> open(const std::string& bytes, std::size_t& findings) {
  ArchiveOptions with;
  with.read.memory_budget = kMemory;
  with.on_finding = [&findings](const Finding&) { ++findings; };
  auto archive = Archive::open(fonds::fuzz::source_of(bytes), with);
  return archive ? std::move(*archive) : nullptr;
}

Outcome ask(const std::string& bytes, const fonds::query::Query& query,
            const SearchOptions& options) {
  Outcome outcome;
  const auto archive = open(bytes, outcome.findings);
  auto report = search(archive, query, options,
                       {.lines = [&outcome](std::string_view lines) -> fonds::Result<bool> {
                          outcome.text += lines;
                          outcome.more = outcome.text.size() > kMostText;
                          return !outcome.more;
                        },
                        .finding = [&outcome](const Finding&) { ++outcome.findings; }});
  outcome.failed = !report.has_value();
  if (report) {
    outcome.report = std::move(*report);
  }
  return outcome;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// Whether the records say all that a query can be asked of, as they are printed.
bool tells_all(const Archive& archive) {
  if (!archive.metadata().time_ranges.empty() || !archive.metadata().inputs.empty() ||
      archive.tree().generated_root() != kNoNode) {
    return false;
  }
  return std::all_of(
      archive.tree().nodes().begin(), archive.tree().nodes().end(), [](const Node& node) {
        // What a hostile archive prints of floats need not be the float.
        return node.type != NodeType::Timestamp && node.type != NodeType::DateString &&
               node.type != NodeType::FormattedFloat && node.type != NodeType::DictionaryFloat;
      });
}

void compare_with_records(const std::string& bytes, const fonds::query::Query& query,
                          const Outcome& found) {
  const Outcome all = ask(bytes, *fonds::query::parse("*"), {});
  if (all.failed || all.more || all.findings > 0 || all.text.find('\n') == std::string::npos) {
    return;
  }
  fonds::query::RecordMatch match(query);
  std::string expected;
  for (const std::string_view record : lines_of(all.text)) {
    const auto matches = match.matches(record);
    if (!matches) {
      return;
    }
    if (*matches) {
      expected += record;
      expected += '\n';
    }
  }
  require(found.text == expected);
}

SearchOptions wanting(SearchOptions::Want want) {
  SearchOptions options;
  options.want = want;
  options.field = *fonds::query::parse_path("*");
  options.interval = 1000;
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view given(reinterpret_cast<const char*>(data), size);
  std::vector<std::string_view> parts = fonds::fuzz::split_parts(given);
  unsigned mode = 0;  // drawn from the bytes, so that every file is an input as it is
  for (const char c : parts.front()) {
    mode = (mode * 31 + static_cast<unsigned char>(c)) & 0xffffff;
  }
  fonds::query::ParseOptions parsing;
  parsing.ignore_case = mode % 3 == 0;
  const auto query = fonds::query::parse(parts.front(), parsing);
  if (!query || parts.size() < 2) {
    return 0;
  }
  parts.erase(parts.begin());
  const std::string bytes = parts.front().starts_with("\xFD\x2F\xC5\x30")
                                ? std::string(given.substr(given.find("\xFD\x2F\xC5\x30")))
                                : fonds::fuzz::build_archive(parts);
  std::size_t opening = 0;
  const auto archive = open(bytes, opening);
  if (archive == nullptr) {
    return 0;
  }
  const Outcome found = ask(bytes, *query, {});
  const Outcome threaded = ask(bytes, *query, {.threads = 3});
  const bool whole = !found.failed && !found.more;
  require(!whole || threaded.failed || threaded.text == found.text);
  const Outcome counted = ask(bytes, *query, wanting(SearchOptions::Want::Count));
  require(!whole || found.findings > 0 || counted.failed || counted.findings > 0 ||
          counted.report.matched == found.report.matched);
  if (whole && found.findings == 0 && opening == 0 && tells_all(*archive)) {
    compare_with_records(bytes, *query, found);
  }
  for (const auto want : {SearchOptions::Want::Any, SearchOptions::Want::CountByTime,
                          SearchOptions::Want::Max, SearchOptions::Want::Unique}) {
    static_cast<void>(ask(bytes, *query, wanting(want)));
  }
  return 0;
}
