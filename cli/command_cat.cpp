// fonds cat
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"
#include "flags.hpp"
#include "inputs.hpp"
#include "interrupt.hpp"
#include "ops/cat.hpp"
#include "ops/keys.hpp"
#include "ops/list.hpp"
#include "ops/scan.hpp"
#include "terminal.hpp"

namespace fonds::cli {
namespace {

RecordPart parse_part(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, RecordPart>, 7> kParts = {
      {{"record", RecordPart::Record},
       {"header", RecordPart::Header},
       {"block", RecordPart::Block},
       {"http", RecordPart::Http},
       {"body", RecordPart::Body},
       {"payload", RecordPart::Payload},
       {"decoded", RecordPart::Decoded}}};
  const auto found = std::find_if(kParts.begin(), kParts.end(),
                                  [&](const auto& part) { return part.first == name; });
  if (found == kParts.end()) {
    throw UsageError{fmt::format(
        "--part takes record, header, block, http, body, payload or decoded, not {}", name)};
  }
  return found->second;
}

// Archive text on a terminal: lines stay lines, all other control characters are shown.
std::string for_terminal(std::string_view text) {
  std::string shown;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find_first_of("\n\t", begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    if (line.ends_with('\r') && end < text.size() && text[end] == '\n') {
      line.remove_suffix(1);
    }
    shown += escape_for_terminal(line);
    if (end < text.size()) {
      shown += text[end];
    }
    begin = end + 1;
  }
  return shown;
}

}  // namespace

int run_cat(const Arguments& arguments) {
  Messages messages(arguments);
  StandardOutput output;
  ops::CatOptions options;
  options.part = parse_part(arguments.get("--part", "record"));
  options.resolve = arguments.has("--resolve");
  options.strict = arguments.has("--strict");
  options.limit = parse_count(arguments, "--limit", 0);
  options.directory = arguments.get("--output");
  options.force = arguments.has("--force");
  options.cancelled = interrupted;
  if (!options.directory.empty()) {
    begin_writing_files();
  }
  Arguments archive_only = arguments;
  archive_only.positional.resize(1);
  for (std::size_t i = 1; i < arguments.positional.size(); ++i) {
    auto key = ops::parse_key(arguments.positional[i]);
    if (!key) {
      throw UsageError{key.error().message()};
    }
    options.keys.push_back(std::move(*key));
  }
  const bool escape = StandardOutput::is_terminal() && !arguments.has("--raw");
  const ops::Output out = {[&](std::string_view text) {
                             return escape ? output.write(for_terminal(text)) : output.write(text);
                           },
                           [&](const Finding& finding) { messages.finding(finding); }};
  bool all_found = true;
  for_each_archive(archive_only, messages, input_names(archive_only, messages),
                   [&](const Archive& archive, const ops::ScanOptions& scan) -> Status {
                     options.scan = scan;
                     auto missing = ops::cat(archive, options, out);
                     if (!missing) {
                       return fail(missing.error().code(), missing.error().message(),
                                   missing.error().where());
                     }
                     for (const std::string& key : *missing) {
                       all_found = false;
                       messages.hint(fmt::format("{}: no record {}", archive.source->name(), key));
                     }
                     return {};
                   });
  if (const auto status = output.flush(); !status) {
    messages.error(status.error());
  }
  return static_cast<int>(interrupted() ? Exit::Interrupted : messages.status(all_found));
}

}  // namespace fonds::cli
