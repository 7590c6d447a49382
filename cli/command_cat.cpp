// fonds cat
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/remote.hpp>

#include "base/text.hpp"
#include "flags.hpp"
#include "inputs.hpp"
#include "interrupt.hpp"
#include "io/remote/url.hpp"
#include "ops/cat.hpp"
#include "ops/find.hpp"
#include "ops/list.hpp"
#include "ops/scan.hpp"
#include "outputs.hpp"
#include "queries.hpp"
#include "terminal.hpp"

namespace fonds::cli {
namespace {

constexpr std::uint64_t kWorthAnIndex = std::uint64_t{1} << 20;  // bytes of an archive

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

ops::Separator parse_separator(const Arguments& arguments) {
  constexpr std::array<std::pair<std::string_view, ops::Separator>, 4> kSeparators = {
      {{"--newline", ops::Separator::Newline},
       {"--null", ops::Separator::Null},
       {"--length-prefixed", ops::Separator::LengthPrefixed},
       {"--jsonl", ops::Separator::Jsonl}}};
  auto chosen = ops::Separator::None;
  std::string_view by;
  for (const auto& [flag, separator] : kSeparators) {
    if (!arguments.has(flag)) {
      continue;
    }
    if (!by.empty()) {
      throw UsageError{fmt::format("{} and {} exclude each other", by, flag)};
    }
    by = flag;
    chosen = separator;
  }
  if (!by.empty() && arguments.has("--output")) {
    throw UsageError{
        fmt::format("{} tells records apart in one output; --output gives each a file", by)};
  }
  return chosen;
}

void check_choice_of_records(const Arguments& arguments) {
  const bool keys = arguments.positional.size() > 1;
  for (const std::string_view flag : {"--tail", "--where"}) {
    if (keys && arguments.has(flag)) {
      throw UsageError{fmt::format("{} and keys exclude each other", flag)};
    }
  }
  for (const std::string_view flag : {"--tail", "--limit", "--where", "--output", "--jsonl"}) {
    if (arguments.has("--trailer") && (keys || arguments.has(flag))) {
      throw UsageError{
          fmt::format("--trailer gives no records; {} has no meaning", keys ? "a key" : flag)};
    }
  }
}

// Names the index that would have made the look-up direct.
void hint_index(const Archive& archive, const std::vector<Key>& keys, Messages& messages) {
  const bool by_number = std::any_of(keys.begin(), keys.end(),
                                     [](const Key& key) { return key.kind == Key::Kind::Index; });
  const bool by_uri = std::any_of(keys.begin(), keys.end(),
                                  [](const Key& key) { return key.kind == Key::Kind::Uri; });
  const FormatTraits traits = archive.format->traits();
  std::string_view type;
  if (traits.captures && by_uri) {
    type = "cdxj";
  } else if (traits.item_blocks && by_number) {
    type = "offsets";
  }
  const std::string& name = archive.source->name();
  if (type.empty() || archive.source->size().value_or(0) < kWorthAnIndex) {
    return;
  }
  const auto url = remote::parse_url(name);
  const bool can_be_written = !is_remote(name) || (url && url->scheme == "s3");
  messages.hint(fmt::format(
      "{}: was read to find the records; `fonds index --type {} {}{}` makes {}", name, type,
      can_be_written ? "" : "-o FILE ", name,
      can_be_written ? "that direct" : "an index that would make it direct, if it lay beside it"));
}

// Where originals and segments are looked for too; nothing if one cannot be opened, which has been
// told.
std::optional<std::vector<Archive>> open_others(const Arguments& arguments, Messages& messages) {
  std::vector<Archive> others;
  if (arguments.has("--with") && !arguments.has("--resolve") && !arguments.has("--join-segments")) {
    throw UsageError{"--with is for --resolve and --join-segments"};
  }
  for (const std::string& name : arguments.all("--with")) {
    auto archive = open_archive(name);
    if (!archive) {
      messages.error(archive.error());
      return std::nullopt;
    }
    if (!archive->source->random_access()) {
      throw UsageError{fmt::format("{}: --with needs a file, not a pipe", name)};
    }
    others.push_back(std::move(*archive));
  }
  return others;
}

// What the flags ask for; nothing if an archive of --with cannot be opened, which has been told.
std::optional<ops::CatOptions> cat_options(const Arguments& arguments, Messages& messages) {
  ops::CatOptions options;
  options.part = parse_part(arguments.get("--part", "record"));
  options.resolve = arguments.has("--resolve");
  auto others = open_others(arguments, messages);
  if (!others) {
    return std::nullopt;
  }
  options.others = std::move(*others);
  options.join_segments = arguments.has("--join-segments");
  options.strict = arguments.has("--strict");
  options.separator = parse_separator(arguments);
  check_choice_of_records(arguments);
  options.limit = parse_at_least_one(arguments, "--limit", 0);
  options.tail = parse_at_least_one(arguments, "--tail", 0);
  options.directory = arguments.get("--output");
  refuse_remote_output(options.directory, "a directory");
  options.force = arguments.has("--force");
  options.cancelled = interrupted;
  for (std::size_t i = 1; i < arguments.positional.size(); ++i) {
    auto key = parse_key(arguments.positional[i]);
    if (!key) {
      throw UsageError{key.error().message()};
    }
    options.keys.push_back(std::move(*key));
  }
  return options;
}

// Both give whether all was there that was asked for.
Result<bool> give_trailer(const Archive& archive, const ReadOptions& read, const ops::Output& out,
                          Messages& messages) {
  FONDS_TRY(const bool there, ops::cat_trailer(archive, read, out));
  if (!there) {
    messages.hint(fmt::format("{}: has no trailer", archive.source->name()));
  }
  return there;
}

Result<bool> give_records(const Archive& archive, ops::CatOptions& options, const ops::Output& out,
                          Messages& messages) {
  options.hint = [&] { hint_index(archive, options.keys, messages); };
  FONDS_TRY(const auto missing, ops::cat(archive, options, out));
  for (const std::string& key : missing) {
    messages.hint(fmt::format("{}: no record {}", archive.source->name(), key));
  }
  return missing.empty();
}

}  // namespace

int run_cat(const Arguments& arguments) {
  Messages messages(arguments);
  StandardOutput output;
  auto options = cat_options(arguments, messages);
  if (!options) {
    return static_cast<int>(Exit::Unreadable);
  }
  const auto where = parse_where(arguments);
  options->where = where ? &*where : nullptr;
  ops::MissingNames missing;
  options->missing = &missing;
  std::optional<Interruption> interruption;
  if (!options->directory.empty()) {
    interruption.emplace();
  }
  Arguments archive_only = arguments;
  archive_only.positional.resize(1);
  const bool escape = StandardOutput::is_terminal() && !arguments.has("--raw");
  const ops::Output out = {[&](std::string_view text) {
                             return escape ? output.write(lines_for_terminal(text))
                                           : output.write(text);
                           },
                           [&](const Finding& finding) { messages.finding(finding); }};
  bool all_found = true;
  for_each_archive(
      archive_only, messages, input_names(archive_only, messages),
      [&](const Archive& archive, const ops::ScanOptions& scan) -> Status {
        options->scan = scan;
        FONDS_TRY(const bool found, arguments.has("--trailer")
                                        ? give_trailer(archive, scan.read, out, messages)
                                        : give_records(archive, *options, out, messages));
        all_found = all_found && found;
        return {};
      },
      Use::Companions, {}, options->keys);
  hint_names(missing, messages);
  if (const auto status = output.flush(); !status) {
    messages.error(status.error());
  }
  return static_cast<int>(interrupted() ? Exit::Interrupted : messages.status(all_found));
}

}  // namespace fonds::cli
