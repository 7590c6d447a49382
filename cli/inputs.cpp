#include "inputs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <istream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/formats/recordio.hpp>
#include <fonds/remote.hpp>

#include "base/text.hpp"
#include "flags.hpp"
#include "format/round_trips.hpp"
#include "index/companions.hpp"
#include "interrupt.hpp"
#include "io/remote/url.hpp"
#include "ops/archives_ahead.hpp"
#include "ops/directory.hpp"
#include "ops/find.hpp"
#include "ops/scan.hpp"
#include "terminal.hpp"

namespace fonds::cli {
namespace {

void read_names(std::istream& from, const std::string& list, std::vector<std::string>& names,
                Messages& messages) {
  for (std::string line; std::getline(from, line);) {
    if (!line.empty()) {
      names.push_back(line);
    }
  }
  // Standard input is read by way of the C library, which keeps its errors.
  if (from.bad() || (&from == &std::cin && std::ferror(stdin) != 0)) {
    messages.error(
        Error(ErrorCode::Io, "cannot be read to its end as a list of names", {.source = list}));
  }
}

std::vector<std::string> names_of(const Arguments& arguments, bool directories,
                                  Messages& messages) {
  std::vector<std::string> given = arguments.positional;
  if (arguments.has("--files-from")) {
    const std::string list = arguments.get("--files-from");
    std::error_code ignored;
    if (list == "-") {
      read_names(std::cin, list, given, messages);
    } else if (std::filesystem::is_directory(list, ignored)) {
      messages.error(Error(ErrorCode::Io, "is a directory; --files-from takes a list of names",
                           {.source = list}));
    } else if (std::ifstream file(list); file) {
      read_names(file, list, given, messages);
    } else {
      messages.error(Error(ErrorCode::NotFound, "cannot be opened", {.source = list}));
    }
  }
  if (given.empty() && !messages.unreadable()) {
    throw UsageError{"no archive given; a file, or - for standard input"};
  }
  const bool deep = arguments.has("--recursive");
  std::vector<std::string> names;
  for (const std::string& name : given) {
    std::error_code ignored;
    Status listed;
    if (is_remote_directory(name) && !is_archive_directory(name)) {
      // A prefix is not taken for an archive, so it needs no `-r` to mean what is directly in it.
      listed = ops::add_remote_directory(name, deep, names);
    } else if ((deep || directories) && std::filesystem::is_directory(name, ignored) &&
               !is_archive_directory(name)) {
      listed = ops::add_directory(name, deep, names);
    } else {
      names.push_back(name);
    }
    if (!listed) {
      messages.error(listed.error());
    }
  }
  return names;
}

}  // namespace

std::uint64_t parse_size(std::string_view text) {
  std::uint64_t unit = 1;
  std::string_view digits = text;
  if (!digits.empty() && (digits.back() == 'B' || digits.back() == 'b')) {
    digits.remove_suffix(1);
  }
  if (digits.ends_with("i")) {
    digits.remove_suffix(1);
  }
  if (!digits.empty()) {
    constexpr std::string_view kUnits = "kmgt";
    const char last = static_cast<char>(digits.back() | 0x20);
    if (const std::size_t at = kUnits.find(last); at != std::string_view::npos) {
      unit = std::uint64_t{1} << (10 * (at + 1));
      digits.remove_suffix(1);
    }
  }
  const auto number = parse_number(digits);
  if (!number || *number > (std::uint64_t{1} << 62) / unit) {
    throw UsageError{fmt::format("'{}' is no size; sizes are like 500M or 2G", text)};
  }
  return *number * unit;
}

std::uint64_t parse_count(const Arguments& arguments, std::string_view flag,
                          std::uint64_t otherwise) {
  if (!arguments.has(flag)) {
    return otherwise;
  }
  const auto number = parse_number(arguments.get(flag));
  if (!number) {
    throw UsageError{fmt::format("{} takes a whole number, not '{}'", flag, arguments.get(flag))};
  }
  return *number;
}

std::uint64_t parse_at_least_one(const Arguments& arguments, std::string_view flag,
                                 std::uint64_t otherwise) {
  const std::uint64_t number = parse_count(arguments, flag, otherwise);
  if (number == 0 && arguments.has(flag)) {
    throw UsageError{fmt::format("{} takes at least 1", flag)};
  }
  return number;
}

std::vector<std::string> input_names(const Arguments& arguments, Messages& messages) {
  return names_of(arguments, false, messages);
}

std::vector<std::string> input_names_of_directories(const Arguments& arguments,
                                                    Messages& messages) {
  return names_of(arguments, true, messages);
}

std::string shown_name(const std::string& name) {
  if (!is_remote(name)) {
    return name;
  }
  const auto url = remote::parse_url(name);
  return url ? remote::shown(*url) : name;
}

void check_format_name(const Arguments& arguments) {
  const std::string format = arguments.get("--format");
  if (!arguments.has("--format")) {
    return;
  }
  const auto nothing = open_archive(memory_source({}, "-"), {.format = format});
  if (!nothing && nothing.error().code() == ErrorCode::BadArgument) {
    throw UsageError{nothing.error().message()};
  }
}

void register_transformers(const Arguments& arguments) {
  struct Commands {
    std::string apply, undo;
  };
  std::map<std::string, Commands> by_name;
  for (const bool apply : {true, false}) {
    const std::string_view flag = apply ? "--apply" : "--undo";
    for (const std::string& given : arguments.all(flag)) {
      const std::size_t equals = given.find('=');
      if (equals == std::string::npos || equals == 0 || equals + 1 == given.size()) {
        throw UsageError{fmt::format("{} takes NAME=COMMAND, not '{}'", flag, given)};
      }
      Commands& commands = by_name[given.substr(0, equals)];
      (apply ? commands.apply : commands.undo) = given.substr(equals + 1);
    }
  }
  for (const auto& [name, commands] : by_name) {
    recordio::register_transformer(
        name, recordio::transformer_of_commands(commands.apply, commands.undo));
  }
}

namespace {

// "100:200", "100:" or ":200".
std::pair<std::uint64_t, std::uint64_t> parse_range(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto bound = [&](std::string_view digits,
                         std::uint64_t otherwise) -> std::optional<std::uint64_t> {
    return digits.empty() ? std::optional(otherwise) : parse_number(digits);
  };
  if (colon != std::string::npos && text.size() > 1) {
    const std::string_view view = text;
    const auto begin = bound(view.substr(0, colon), 0);
    const auto end = bound(view.substr(colon + 1), std::numeric_limits<std::uint64_t>::max());
    if (begin && end && *begin <= *end) {
      return {*begin, *end};
    }
  }
  throw UsageError{
      fmt::format("--range takes FROM:TO, such as 100:200, 100: or :200, not '{}'", text)};
}

}  // namespace

Status check_event_flags(const Arguments& arguments, const Archive& archive) {
  for (const std::string_view flag : {"--table-order", "--source", "--range"}) {
    if (arguments.has(flag) && !archive.format->traits().events) {
      return fail(ErrorCode::Unsupported,
                  fmt::format("{} is for clp-s; {} has no other order of its records, and does "
                              "not tell what they came from",
                              flag, archive.format->name()),
                  {.source = archive.source->name()});
    }
  }
  return {};
}

ops::ScanOptions scan_options(const Arguments& arguments) {
  ops::ScanOptions options;
  options.threads =
      static_cast<unsigned>(std::min<std::uint64_t>(parse_count(arguments, "--threads", 0), 1024));
  if (arguments.has("--memory")) {
    options.read.memory_budget = parse_size(arguments.get("--memory"));
    constexpr std::uint64_t kLeast = std::uint64_t{1} << 20;
    if (options.read.memory_budget < kLeast) {
      throw UsageError{"--memory takes at least 1M"};
    }
  }
  options.read.max_window = std::min(options.read.max_window, options.read.memory_budget / 8);
  options.read.search_damaged = arguments.has("--skip-damaged");
  options.read.concatenated = arguments.has("--concatenated");
  options.read.transformers = arguments.all("--assume-transformer");
  options.read.stored_order = arguments.has("--table-order");
  options.read.input = arguments.get("--source");
  if (arguments.has("--range")) {
    options.read.range = parse_range(arguments.get("--range"));
  }
  return options;
}

namespace {

Status add_companions(const Arguments& arguments, const Archive& archive, Messages& messages,
                      std::span<const Key> keys, ops::ScanOptions& options) {
  options.companions = nullptr;
  options.read.seek = nullptr;
  if (arguments.has("--no-index")) {
    return {};
  }
  const std::vector<std::string> given = arguments.all("--index");
  FONDS_TRY(auto companions,
            index::open_companions(
                archive, given, [&](const Finding& finding) { messages.finding(finding); }, keys));
  options.read.seek = companions.seek;
  options.companions = std::make_shared<const Companions>(std::move(companions));
  return {};
}

// Where each read is a round trip, companions are asked before the archive: what they tell of a
// record is then the first thing that is fetched.
Result<Archive> open_by_keys(const Arguments& arguments, const std::string& name,
                             Messages& messages, std::span<const Key> keys,
                             ops::ScanOptions& options) {
  Archive unopened;
  FONDS_TRY(unopened.source, open_archive_source(name));
  FONDS_CHECK(add_companions(arguments, unopened, messages, keys, options));
  const Companions none;
  const auto first =
      ops::first_range(unopened, options.companions == nullptr ? none : *options.companions, keys);
  const std::string format = arguments.get("--format");
  const OpenOptions how = {.format = format};
  return first ? open_archive_at(std::move(unopened.source), how, *first)
               : open_archive(std::move(unopened.source), how);
}

}  // namespace

void for_each_archive(const Arguments& arguments, Messages& messages,
                      const std::vector<std::string>& names,
                      const std::function<Status(const Archive&, const ops::ScanOptions&)>& work,
                      Use use, const std::function<bool()>& enough, std::span<const Key> keys) {
  const std::string format = arguments.get("--format");
  ops::ScanOptions options = scan_options(arguments);
  ops::ArchivesAhead archives(names, format, options.read);
  for (const std::string& name : names) {
    if (enough && enough()) {
      return;
    }
    const bool by_keys = names.size() == 1 && !keys.empty() && is_remote(name);
    auto archive =
        by_keys ? open_by_keys(arguments, name, messages, keys, options) : archives.next();
    if (interrupted()) {
      return;
    }
    if (!archive) {
      messages.error(std::move(archive.error()).with({.source = shown_name(name)}));
      continue;
    }
    Progress progress(arguments, *archive->source);
    options.progress = [&progress](std::uint64_t position) { progress.at(position); };
    Status status = check_event_flags(arguments, *archive);
    if (status && use == Use::Companions && !by_keys) {
      status = add_companions(arguments, *archive, messages, keys, options);
    }
    if (status) {
      status = work(*archive, options);
    }
    if (!status) {
      if (interrupted()) {
        return;
      }
      messages.error(status.error());
    }
  }
}

}  // namespace fonds::cli
