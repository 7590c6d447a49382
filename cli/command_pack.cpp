// fonds convert --to clp-s
#include "command_pack.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/error.hpp>
#include <fonds/formats/clps_writing.hpp>
#include <fonds/remote.hpp>

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "inputs.hpp"
#include "ops/event_source.hpp"
#include "ops/pack.hpp"
#include "outputs.hpp"
#include "queries.hpp"
#include "query/json_scanner.hpp"
#include "terminal.hpp"

namespace fonds::cli {
namespace {

constexpr std::array<std::string_view, 21> kOnlyHere = {"--timestamp-key",
                                                        "--structurize-arrays",
                                                        "--disable-log-order",
                                                        "--no-retain-float-format",
                                                        "--exact",
                                                        "--no-search-data",
                                                        "--keep-unparsed",
                                                        "--rejects",
                                                        "--max-document-size",
                                                        "--target-encoded-size",
                                                        "--min-table-size",
                                                        "--compression-level",
                                                        "--single-file-archive",
                                                        "--directory",
                                                        "--property",
                                                        "--normalize-paths",
                                                        "--remove-path-prefix",
                                                        "--remove-leading-slash",
                                                        "--creator-id",
                                                        "--print-archive-stats",
                                                        "--json"};
constexpr std::array<std::string_view, 7> kHereToo = {
    "--output", "--to", "--level", "--where", "--ignore-case", "--skip-damaged", "--force"};
// Of what is no event; the others are counted.
constexpr std::uint64_t kMostTold = 10;

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

clps::Version parse_version(std::string_view layout) {
  std::string known;
  for (const clps::Version& version : clps::writable_versions()) {
    if (layout == version.to_string()) {
      return version;
    }
    known += fmt::format("{}clp-s/{}", known.empty() ? "" : ", ", version.to_string());
  }
  throw UsageError{fmt::format("'clp-s/{}' cannot be written; what can is {}", layout, known)};
}

std::pair<std::string, std::string> parse_property(const std::string& given) {
  const std::size_t equals = given.find('=');
  if (equals == 0 || equals == std::string::npos) {
    throw UsageError{fmt::format("--property takes KEY=VALUE, not '{}'", given)};
  }
  std::string key = given.substr(0, equals);
  if (const std::string fault = clps::property_fault(key); !fault.empty()) {
    throw UsageError{fmt::format("--property {}: {}", key, fault)};
  }
  std::string value = given.substr(equals + 1);
  if (!query::is_json(value) || !is_utf8(value)) {
    std::string text;
    JsonWriter(text).value(std::string_view(value));
    value = std::move(text);
  }
  return {std::move(key), std::move(value)};
}

std::vector<std::pair<std::string, std::string>> parse_properties(const Arguments& arguments) {
  std::vector<std::pair<std::string, std::string>> properties;
  for (const std::string& given : arguments.all("--property")) {
    auto property = parse_property(given);
    const bool twice = std::any_of(properties.begin(), properties.end(),
                                   [&](const auto& p) { return p.first == property.first; });
    if (twice) {
      throw UsageError{fmt::format("--property {} is given twice", property.first)};
    }
    properties.push_back(std::move(property));
  }
  return properties;
}

// Empty: derived from the inputs.
std::string parse_creator(const Arguments& arguments) {
  const std::string given = arguments.get("--creator-id");
  if (!arguments.has("--creator-id")) {
    return {};
  }
  if (given == "random") {
    auto id = clps::random_creator_id();
    if (!id) {
      throw UsageError{id.error().to_string()};
    }
    return std::move(*id);
  }
  bool uuid = given.size() == 36;
  for (std::size_t i = 0; uuid && i < given.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    uuid = dash ? given[i] == '-' : std::isxdigit(static_cast<unsigned char>(given[i])) != 0;
  }
  if (!uuid) {
    throw UsageError{fmt::format("--creator-id takes a UUID or random, not '{}'", given)};
  }
  return to_lower(given);
}

std::optional<int> parse_level(const Arguments& arguments) {
  if (!arguments.has("--compression-level")) {
    return compression_level(arguments);
  }
  if (arguments.has("--level")) {
    throw UsageError{"--level and --compression-level are the same, and both are given"};
  }
  Arguments renamed = arguments;
  renamed.values["--level"] = arguments.all("--compression-level");
  return compression_level(renamed);
}

clps::WriterOptions writer_options(const Arguments& arguments, std::string_view layout) {
  clps::WriterOptions options;
  if (!layout.empty()) {
    options.version = parse_version(layout);
  }
  options.timestamp_key = arguments.get("--timestamp-key");
  if (arguments.has("--timestamp-key") && options.timestamp_key.empty()) {
    throw UsageError{"--timestamp-key takes a key, such as ts or a.b"};
  }
  options.structurize_arrays = arguments.has("--structurize-arrays");
  options.log_order = !arguments.has("--disable-log-order");
  options.retain_float_format = !arguments.has("--no-retain-float-format");
  options.exact = arguments.has("--exact");
  options.search_data = !arguments.has("--no-search-data");
  const auto size = [&](std::string_view flag, std::uint64_t& value) {
    if (arguments.has(flag)) {
      value = parse_size(arguments.get(flag));
    }
  };
  size("--target-encoded-size", options.target_encoded_size);
  size("--min-table-size", options.min_table_size);
  size("--max-document-size", options.max_document_size);
  options.level = parse_level(arguments).value_or(options.level);
  options.creator_id = parse_creator(arguments);
  options.properties = parse_properties(arguments);
  if (!options.properties.empty() && !options.log_order) {
    throw UsageError{"--disable-log-order leaves no place for --property"};
  }
  options.keep_unparsed = arguments.has("--keep-unparsed");
  if (options.keep_unparsed && arguments.has("--rejects")) {
    throw UsageError{"--keep-unparsed and --rejects exclude each other"};
  }
  return options;
}

ops::SourceNaming naming_of(const Arguments& arguments) {
  return {.normalize = arguments.has("--normalize-paths"),
          .remove_prefix = arguments.get("--remove-path-prefix"),
          .remove_slash = arguments.has("--remove-leading-slash")};
}

void check_flags(const Arguments& arguments, const std::string& out_name) {
  for (const Flag& flag : arguments.command->flags) {
    if (arguments.has(flag.name) && !is_one_of(kOnlyHere, flag.name) &&
        !is_one_of(kHereToo, flag.name)) {
      throw UsageError{
          fmt::format("{} has no meaning for clp-s archives that are written", flag.name)};
    }
  }
  if (arguments.has("--directory") && arguments.has("--single-file-archive")) {
    throw UsageError{"--directory and --single-file-archive exclude each other"};
  }
  std::string taken;  // by what standard output is
  const auto take = [&](bool wanted, std::string_view by) {
    if (wanted && !taken.empty()) {
      throw UsageError{fmt::format("{} and {} would both write to standard output", taken, by)};
    }
    taken = wanted ? by : taken;
  };
  take(out_name == "-", "-o -");
  take(arguments.get("--rejects") == "-", "--rejects -");
  take(arguments.has("--json"), "--json");
  take(arguments.has("--print-archive-stats"), "--print-archive-stats");
  if (out_name == "-" && arguments.has("--directory")) {
    throw UsageError{"--directory makes a directory, which cannot go to standard output"};
  }
  if (arguments.has("--directory")) {
    refuse_remote_output(out_name, "the name of a directory");
  }
  if (arguments.has("--rejects") && same_file(arguments.get("--rejects"), out_name)) {
    throw UsageError{"--rejects and -o name the same file"};
  }
}

std::vector<std::string> input_paths(const Arguments& arguments, Messages& messages) {
  if (arguments.positional.empty() && !arguments.has("--files-from")) {
    throw UsageError{"no input given; files, directories, or - for standard input"};
  }
  Arguments flat = arguments;
  flat.values.erase("--recursive");  // directories are walked in any case
  std::vector<std::string> paths = input_names(flat, messages);
  const auto pipes = std::count(paths.begin(), paths.end(), "-");
  if (pipes > 1 || (pipes == 1 && arguments.get("--files-from") == "-")) {
    throw UsageError{"standard input can be read only once"};
  }
  return paths;
}

// What is told of the run while it goes on, and behind it.
class PackTeller {
 public:
  PackTeller(const Arguments& arguments, Messages& messages, OutputFile* rejects)
      : messages_(messages),
        rejects_(rejects),
        json_(arguments.has("--json")),
        all_(arguments.has("--verbose")) {}

  // Pieces of a stretch that is no event.
  Status rejected(const clps::RejectedText& text) {
    if (rejects_ != nullptr) {
      FONDS_CHECK(rejects_->write(as_bytes(text.text)));
      FONDS_CHECK(text.last ? rejects_->write(as_bytes(std::string_view("\n"))) : Status());
    }
    length_ += text.text.size();
    if (!text.last) {
      return {};
    }
    const std::uint64_t length = std::exchange(length_, 0);
    if (all_ || ++told_ <= kMostTold) {
      messages_.hint(fmt::format("{}: offset {}: {} bytes are no event: {}", text.input,
                                 text.offset, text.length, text.reason));
    }
    if (!json_) {
      return {};
    }
    std::string line;
    JsonWriter json(line);
    json.begin_object()
        .member("input", text.input)
        .member("offset", text.offset)
        .member("length", length)
        .member("reason", text.reason)
        .end_object();
    return output_.write(line + '\n');
  }

  Status finish(const ops::PackReport& report) {
    const clps::WriterReport& written = report.written;
    if (told_ > kMostTold) {
      messages_.hint(fmt::format("… and {} more; --verbose shows all, --rejects FILE keeps them",
                                 told_ - kMostTold));
    }
    for (const auto& [kind, n] : written.changes) {
      messages_.hint(fmt::format("{} {}", n, kind));
    }
    std::uint64_t size = 0;
    for (const ops::PackedArchive& archive : report.archives) {
      size += archive.size;
      FONDS_CHECK(json_ ? output_.write(as_json(archive)) : Status());
    }
    messages_.hint(summary(report, size));
    FONDS_CHECK(json_ ? output_.write(as_json(report, size)) : Status());
    return output_.flush();
  }

 private:
  static std::string summary(const ops::PackReport& report, std::uint64_t size) {
    const clps::WriterReport& written = report.written;
    std::string text;
    if (report.archives.size() == 1 && !report.archives.front().name.empty()) {
      text = report.archives.front().name + ": ";
    } else if (report.archives.size() > 1) {
      text = fmt::format("{} archives, the first {}: ", report.archives.size(),
                         report.archives.front().name);
    }
    text += fmt::format("{} records, {} bytes in {}", written.records, written.input_bytes, size);
    if (size > 0 && written.input_bytes > 0) {
      text += fmt::format(", ratio {:.2f}",
                          static_cast<double>(written.input_bytes) / static_cast<double>(size));
    }
    return written.rejected == 0
               ? text
               : text + fmt::format("; {} stretches were no events", written.rejected);
  }

  static std::string as_json(const ops::PackedArchive& archive) {
    std::string line;
    JsonWriter json(line);
    json.begin_object()
        .member("archive", std::string_view(archive.name.empty() ? "-" : archive.name))
        .member("id", std::string_view(archive.id))
        .member("records", archive.records)
        .member("size", archive.size)
        .member("uncompressed_size", archive.input_bytes)
        .member("tables", archive.tables)
        .member("nodes", archive.nodes)
        .member("variables", archive.variables)
        .member("log_types", archive.log_types)
        .member("array_types", archive.array_types)
        .end_object();
    return line + '\n';
  }

  static std::string as_json(const ops::PackReport& report, std::uint64_t size) {
    const clps::WriterReport& written = report.written;
    std::string line;
    JsonWriter json(line);
    json.begin_object()
        .member("archives", std::uint64_t{report.archives.size()})
        .member("records", written.records)
        .member("rejected", written.rejected)
        .member("size", size)
        .member("uncompressed_size", written.input_bytes)
        .member("peak_held", written.peak_held);
    json.key("changes").begin_object();
    for (const auto& [kind, n] : written.changes) {
      json.text_key(kind).value(n);
    }
    json.end_object().end_object();
    return line + '\n';
  }

  Messages& messages_;
  OutputFile* rejects_;
  StandardOutput output_;
  bool json_, all_;
  std::uint64_t told_ = 0;
  std::uint64_t length_ = 0;  // of the pieces so far
};

constexpr std::int64_t kNsPerMs = 1'000'000;

// The object that clp-s prints, with its keys in its order.
std::string as_stats(const ops::PackedArchive& archive) {
  std::int64_t begin = 0, end = 0;  // where there are no times
  if (archive.times) {
    begin = archive.times->first / kNsPerMs - (archive.times->first % kNsPerMs < 0 ? 1 : 0);
    end = archive.times->second / kNsPerMs + (archive.times->second % kNsPerMs > 0 ? 1 : 0);
  }
  std::string line;
  JsonWriter json(line);
  json.begin_object()
      .member("begin_timestamp", begin)
      .member("end_timestamp", end)
      .member("id", std::string_view(archive.id))
      .member("is_split", archive.is_split);
  json.key("range_index").begin_array();
  for (const clps::InputRange& input : archive.inputs) {
    json.begin_object().member("e", input.end);
    json.key("f").value_follows();
    line += input.properties;
    json.member("s", input.begin).end_object();
  }
  json.end_array()
      .member("size", archive.size)
      .member("uncompressed_size", archive.input_bytes)
      .end_object();
  return line + '\n';
}

Status print_stats(const ops::PackReport& report) {
  StandardOutput output;
  for (const ops::PackedArchive& archive : report.archives) {
    FONDS_CHECK(output.write(as_stats(archive)));
  }
  return output.flush();
}

Result<Exit> pack(const Arguments& arguments, WritingCommand& command, ops::PackOptions options) {
  const std::vector<std::string> paths = input_paths(arguments, command.messages());
  if (command.messages().unreadable()) {
    return Exit::Unreadable;
  }
  OutputFile rejects;
  const bool keeps_rejects = arguments.has("--rejects");
  if (keeps_rejects) {
    FONDS_TRY(const auto files, ops::files_below(paths));
    refuse_replacing("--rejects", arguments.get("--rejects"), files);
    FONDS_CHECK(rejects.open(arguments.get("--rejects"), arguments.has("--force")));
  }
  // An archive at a time: the name of an object is not to be had before it is complete.
  const bool to_sink = command.out_name() == "-" || is_remote(command.out_name());
  if (to_sink) {
    FONDS_CHECK(command.open_output());
    options.sink = &command.out();
  }
  const RewriteOptions rewrite = command.rewrite_options();
  PackTeller teller(arguments, command.messages(), keeps_rejects ? &rejects : nullptr);
  options.output = command.out_name();
  options.skip_damaged = rewrite.skip_damaged;
  options.writer.read = rewrite.read;
  options.writer.read.search_damaged = rewrite.skip_damaged;
  options.writer.strict = rewrite.strict;
  options.writer.threads = rewrite.write.threads;
  options.writer.on_finding = rewrite.on_finding;
  options.writer.progress = command.progress_of_output();
  options.writer.rejected = [&](const clps::RejectedText& text) { return teller.rejected(text); };
  ops::MissingNames missing;
  options.missing = &missing;
  FONDS_TRY(ops::PackReport report, ops::pack(paths, options));
  hint_names(missing, command.messages());
  if (is_remote(command.out_name()) && !report.archives.empty()) {
    report.archives.front().name = command.out_name();
  }
  if (to_sink) {
    FONDS_CHECK(command.out().commit());
  }
  if (keeps_rejects) {
    FONDS_CHECK(rejects.commit());
  }
  FONDS_CHECK(teller.finish(report));
  if (arguments.has("--print-archive-stats")) {
    FONDS_CHECK(print_stats(report));
  }
  const Exit status = command.messages().status();
  const bool whole = report.written.rejected == 0 || options.writer.keep_unparsed;
  return status == Exit::Done && !whole ? Exit::Not : status;
}

}  // namespace

int run_pack(const Arguments& arguments, std::string_view layout) {
  WritingCommand command(arguments, "OUT");
  check_flags(arguments, command.out_name());
  ops::PackOptions options;
  options.writer = writer_options(arguments, layout);
  options.naming = naming_of(arguments);
  const auto where = parse_where(arguments);
  options.where = where ? &*where : nullptr;
  options.directories = arguments.has("--directory");
  options.replace = arguments.has("--force");
  options.describe = arguments.has("--print-archive-stats");
  return command.run([&] { return pack(arguments, command, std::move(options)); });
}

void refuse_pack_flags(const Arguments& arguments) {
  for (const std::string_view flag : kOnlyHere) {
    if (arguments.has(flag)) {
      throw UsageError{fmt::format("{} is for --to clp-s", flag)};
    }
  }
}

}  // namespace fonds::cli
