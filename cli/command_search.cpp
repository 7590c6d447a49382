// fonds search
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/query.hpp>
#include <fonds/search.hpp>

#include "flags.hpp"
#include "inputs.hpp"
#include "ops/scan.hpp"
#include "ops/search.hpp"
#include "ops/search_values.hpp"
#include "queries.hpp"
#include "terminal.hpp"

namespace fonds::cli {
namespace {

using Want = SearchOptions::Want;

constexpr std::array<std::pair<std::string_view, Want>, 6> kWants = {
    {{"--files-with-matches", Want::Any},
     {"--count", Want::Count},
     {"--count-by-time", Want::CountByTime},
     {"--min", Want::Min},
     {"--max", Want::Max},
     {"--unique", Want::Unique}}};

query::Meaning parse_meaning(const Arguments& arguments) {
  if (!arguments.has("--compat")) {
    return query::Meaning::Default;
  }
  if (arguments.get("--compat") != "clp-s") {
    throw UsageError{fmt::format("--compat takes clp-s, not {}", arguments.get("--compat"))};
  }
  return query::Meaning::ClpS;
}

// What is asked for instead of records, and the flag that says so; empty for records.
std::pair<Want, std::string_view> parse_want(const Arguments& arguments) {
  std::pair<Want, std::string_view> chosen = {Want::Records, {}};
  for (const auto& [flag, want] : kWants) {
    if (!arguments.has(flag)) {
      continue;
    }
    if (!chosen.second.empty()) {
      throw UsageError{fmt::format("{} and {} exclude each other", chosen.second, flag)};
    }
    chosen = {want, flag};
  }
  for (const std::string_view flag : {"--limit", "--projection", "--table-order"}) {
    if (!chosen.second.empty() && arguments.has(flag)) {
      throw UsageError{fmt::format("{} gives no records; {} has no meaning", chosen.second, flag)};
    }
  }
  const bool groups = chosen.first != Want::Records && chosen.first != Want::Any;
  if (arguments.has("--total") && !groups) {
    throw UsageError{"--total is for --count, --count-by-time, --min, --max and --unique"};
  }
  return chosen;
}

// The value of one of two flags that mean the same.
std::optional<std::int64_t> parse_bound(const Arguments& arguments, std::string_view flag,
                                        std::string_view other_name) {
  const std::string_view given = arguments.has(flag) ? flag : other_name;
  if (!arguments.has(given)) {
    return std::nullopt;
  }
  const auto instant = ops::parse_instant(arguments.get(given));
  if (!instant) {
    throw UsageError{fmt::format("{}: {}", given, instant.error().message())};
  }
  return *instant;
}

// Milliseconds become nanoseconds there without a look at what fits.
std::optional<std::int64_t> overflowing(const Arguments& arguments, std::string_view flag,
                                        std::string_view other_name,
                                        std::optional<std::int64_t> instant) {
  const std::string& text = arguments.get(arguments.has(flag) ? flag : other_name);
  std::int64_t milliseconds = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), milliseconds);
  if (!instant || read.ec != std::errc() || read.ptr != text.data() + text.size()) {
    return instant;
  }
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(milliseconds) * 1'000'000U);
}

std::vector<query::Path> parse_keys(std::string_view flag, const std::vector<std::string>& keys,
                                    query::Meaning meaning) {
  std::string failed;
  auto paths = ops::parse_projection(keys, meaning, failed);
  if (!paths) {
    throw QueryError{fmt::format("{} {}: {}", flag, failed, explained(failed, paths.error()))};
  }
  return std::move(*paths);
}

ops::SearchRequest parse_request(const Arguments& arguments, const std::string& text) {
  ops::SearchRequest request;
  const query::Meaning meaning = parse_meaning(arguments);
  SearchOptions& search = request.search;
  const auto [want, flag] = parse_want(arguments);
  search.want = want;
  if (want == Want::CountByTime) {
    const auto interval = ops::parse_duration(arguments.get(flag));
    if (!interval) {
      throw UsageError{fmt::format("{}: {}", flag, interval.error().message())};
    }
    search.interval = *interval;
  }
  auto parsed = query::parse(
      text,
      {.meaning = meaning, .ignore_case = arguments.has("--ignore-case"), .date_ranges = true});
  if (!parsed) {
    throw QueryError{explained(text, parsed.error())};
  }
  request.query = std::move(*parsed);
  if (want == Want::Min || want == Want::Max || want == Want::Unique) {
    request.field = arguments.get(flag);
    search.field = parse_keys(flag, {request.field}, meaning).front();
  }
  std::vector<std::string> keys;
  for (const std::string& list : arguments.all("--projection")) {
    const auto some = ops::split_keys(list);
    keys.insert(keys.end(), some.begin(), some.end());
  }
  search.projection = parse_keys("--projection", keys, meaning);
  if (arguments.has("--timestamp-key")) {
    search.time_key =
        parse_keys("--timestamp-key", {arguments.get("--timestamp-key")}, meaning).front();
  }
  search.since = parse_bound(arguments, "--since", "--tge");
  search.until = parse_bound(arguments, "--until", "--tle");
  if (search.since && search.until && *search.since > *search.until) {
    throw UsageError{"nothing lies between --since and --until: the first is later"};
  }
  if (meaning == query::Meaning::ClpS) {
    search.since = overflowing(arguments, "--since", "--tge", search.since);
    search.until = overflowing(arguments, "--until", "--tle", search.until);
  }
  if (arguments.has("--limit")) {
    search.limit = parse_at_least_one(arguments, "--limit", 0);
  }
  search.table_order = arguments.has("--table-order");
  request.total = arguments.has("--total");
  request.json = arguments.has("--json");
  request.strict = arguments.has("--strict");
  request.indexes = arguments.all("--index");
  request.align = StandardOutput::is_terminal() && !request.json;
  return request;
}

// The words of the command line without the query, which is the first.
Arguments archives_only(const Arguments& arguments) {
  Arguments archives = arguments;
  archives.positional.erase(archives.positional.begin());
  return archives;
}

int list_fields(const Arguments& arguments, const ops::Output& out, Messages& messages,
                StandardOutput& output) {
  for (const Flag& flag : arguments.command->flags) {
    constexpr std::array<std::string_view, 3> kMeant = {"--list-fields", "--json",
                                                        "--skip-damaged"};
    if (arguments.has(flag.name) &&
        std::find(kMeant.begin(), kMeant.end(), flag.name) == kMeant.end()) {
      throw UsageError{
          fmt::format("--list-fields asks for no records; {} has no meaning", flag.name)};
    }
  }
  const auto names = input_names_of_directories(arguments, messages);
  ops::ListFieldsOptions options;
  options.json = arguments.has("--json");
  options.with_archive = names.size() > 1;
  options.align = StandardOutput::is_terminal() && !options.json;
  std::uint64_t fields = 0;
  for_each_archive(
      arguments, messages, names,
      [&](const Archive& archive, const ops::ScanOptions& scan) -> Status {
        options.scan = scan;
        FONDS_TRY(const std::uint64_t n, ops::list_fields(archive, options, out));
        fields += n;
        return {};
      },
      Use::ArchiveAlone);
  if (const auto status = output.flush(); !status) {
    messages.error(status.error());
  }
  return static_cast<int>(messages.status(fields > 0));
}

int search(const Arguments& arguments, const ops::Output& out, Messages& messages,
           StandardOutput& output) {
  if (arguments.positional.empty()) {
    throw UsageError{"no query given; '*' matches every record"};
  }
  ops::SearchRequest request = parse_request(arguments, arguments.positional.front());
  const Arguments archives = archives_only(arguments);
  const auto names = input_names_of_directories(archives, messages);
  request.with_archive = names.size() > 1;
  ops::Search search(request, out);
  for_each_archive(
      archives, messages, names,
      [&](const Archive& archive, const ops::ScanOptions& scan) -> Status {
        request.search.threads = ops::thread_count(scan);
        Status status = search.ask(archive, scan);
        if (!status && status.error().code() == ErrorCode::BadArgument) {
          messages.wrong_query(fmt::format("{}: {}", archive.source->name(),
                                           explained(request.query.text, status.error())));
          return {};
        }
        if (search.matched() == 0) {
          hint_names(archive.source->name(), *archive.format, search.unknown_names(), messages);
        }
        return status;
      },
      Use::ArchiveAlone, [&] { return search.enough(); });
  Status status = search.finish();
  if (status) {
    status = output.flush();
  }
  if (!status) {
    messages.error(status.error());
  }
  return static_cast<int>(messages.status(search.matched() > 0));
}

}  // namespace

int run_search(const Arguments& arguments) {
  Messages messages(arguments);
  StandardOutput output;
  const bool escape = StandardOutput::is_terminal() && !arguments.has("--raw");
  const ops::Output out = {[&](std::string_view text) {
                             return escape ? output.write(lines_for_terminal(text))
                                           : output.write(text);
                           },
                           [&](const Finding& finding) { messages.finding(finding); }};
  return arguments.has("--list-fields") ? list_fields(arguments, out, messages, output)
                                        : search(arguments, out, messages, output);
}

}  // namespace fonds::cli
