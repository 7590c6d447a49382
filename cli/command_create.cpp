// fonds create
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/error.hpp>
#include <fonds/writing.hpp>

#include "flags.hpp"
#include "inputs.hpp"
#include "ops/convert.hpp"
#include "ops/create.hpp"
#include "outputs.hpp"
#include "terminal.hpp"
#include "write_flags.hpp"

namespace fonds::cli {
namespace {

std::string without_brackets(const std::string& id) {
  return id.size() > 2 && id.starts_with('<') && id.ends_with('>') ? id.substr(1, id.size() - 2)
                                                                   : id;
}

void add_kind(const Arguments& arguments, ops::CreateOptions& options) {
  const bool metadata = arguments.has("--metadata-for");
  if (metadata && arguments.has("--conversion-of")) {
    throw UsageError{"--metadata-for and --conversion-of exclude each other"};
  }
  if (!metadata && !arguments.has("--conversion-of")) {
    return;
  }
  const std::string_view flag = metadata ? "--metadata-for" : "--conversion-of";
  options.kind = metadata ? NewItem::Kind::Metadata : NewItem::Kind::Conversion;
  options.refers_to = without_brackets(arguments.get(flag));
  if (options.refers_to.empty()) {
    throw UsageError{fmt::format("{} takes the id of a record", flag)};
  }
  if (!metadata && !arguments.has("--append") && !arguments.has("--target-uri")) {
    throw UsageError{
        "a conversion has the target URI of its original: --target-uri URI, or --append to the "
        "archive that holds it"};
  }
  options.make.originals = {options.refers_to};
}

void add_warcinfo(const Arguments& arguments, MakeOptions& make) {
  if (arguments.has("--no-warcinfo") && arguments.has("--warcinfo")) {
    throw UsageError{"--warcinfo and --no-warcinfo exclude each other"};
  }
  for (const std::string& given : arguments.all("--warcinfo")) {
    const std::size_t equals = given.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw UsageError{fmt::format("--warcinfo takes KEY=VALUE, not '{}'", given)};
    }
    make.description.emplace_back(given.substr(0, equals), given.substr(equals + 1));
  }
}

ops::CreateOptions create_options(const Arguments& arguments, Messages& messages) {
  ops::CreateOptions options;
  add_kind(arguments, options);
  add_warcinfo(arguments, options.make);
  const std::string ids = arguments.get("--ids", "content");
  if (ids != "content" && ids != "random") {
    throw UsageError{fmt::format("--ids takes content or random, not {}", ids)};
  }
  options.make.ids = ids == "random" ? MakeOptions::Ids::Random : MakeOptions::Ids::Content;
  options.base_uri = arguments.get("--base-uri");
  options.target_uri = without_brackets(arguments.get("--target-uri"));
  if (!options.base_uri.empty() && !options.target_uri.empty()) {
    throw UsageError{"--base-uri and --target-uri exclude each other"};
  }
  if (!options.base_uri.empty() && options.kind != NewItem::Kind::Resource) {
    throw UsageError{
        "--base-uri is for resources; metadata and conversions have the URI of their original"};
  }
  options.content_type = arguments.get("--content-type");
  options.tell_source = !arguments.has("--no-source-uri");
  options.left_out = [&messages](const std::string& path, std::string_view why, bool damage) {
    if (damage) {
      messages.error(Error(ErrorCode::Io, std::string(why), {.source = path}));
    } else {
      messages.hint(fmt::format("{}: {}; left out", path, why));
    }
  };
  return options;
}

// The archive that is added to; nothing if it is an empty file, which becomes one.
Result<std::optional<Archive>> open_existing(const Arguments& arguments, const std::string& name) {
  if (!arguments.has("--append")) {
    return std::optional<Archive>();
  }
  if (name == "-") {
    throw UsageError{"--append adds to a file; standard output is none"};
  }
  refuse_remote_output(name, "a file that --append adds to");
  for (const std::string_view flag :
       {"--to", "--compression", "--dictionary", "--one-member", "--header", "--trailer"}) {
    if (arguments.has(flag)) {
      throw UsageError{fmt::format("--append goes on as OUT began; {} has no meaning", flag)};
    }
  }
  std::error_code error;
  const auto size = std::filesystem::file_size(name, error);
  if (!error && size == 0) {
    return std::optional<Archive>();
  }
  auto archive = open_archive(name, {.format = arguments.get("--format")});
  if (!archive && archive.error().code() == ErrorCode::NotFound) {
    throw UsageError{fmt::format("{}: is not there; without --append it is made", name)};
  }
  FONDS_TRY(Archive opened, std::move(archive));
  return std::optional(std::move(opened));
}

std::vector<std::string> names_of_inputs(const Arguments& arguments, Messages& messages) {
  if (arguments.positional.empty() && !arguments.has("--files-from")) {
    throw UsageError{"no input given; files, directories, or - for standard input"};
  }
  Arguments flat = arguments;
  flat.values.erase("--recursive");  // directories are walked in any case, in order
  return input_names(flat, messages);
}

// That nobody else wrote into the archive meanwhile.
Status check_unchanged(const Archive& archive) {
  std::error_code error;
  const auto now = std::filesystem::file_size(archive.source->name(), error);
  FONDS_TRY(const std::uint64_t before, archive.source->size());
  if (error || now != before) {
    return fail(ErrorCode::Io, "changed while it was added to, nothing was added",
                {.source = archive.source->name()});
  }
  return {};
}

Result<Exit> create_archive(const Arguments& arguments, WritingCommand& command) {
  const std::string& out_name = command.out_name();
  Messages& messages = command.messages();
  ops::CreateOptions options = create_options(arguments, messages);
  const auto inputs = names_of_inputs(arguments, messages);
  if (messages.unreadable()) {
    return Exit::Unreadable;
  }
  FONDS_TRY(const std::optional<Archive> existing, open_existing(arguments, out_name));
  const bool added = arguments.has("--append");
  WriteOptions write;
  if (add_write_options(arguments, write)) {
    throw UsageError{"create has no records to make a dictionary of; fonds train makes one"};
  }
  if (out_name != "-") {
    write.file_name = std::filesystem::path(out_name).filename().string();
  }
  auto target = ops::parse_target(arguments.get("--to", ops::target_of_name(out_name)));
  if (!target) {
    throw UsageError{target.error().message()};
  }
  const Format& format = existing ? *existing->format : *target->format;
  if (!existing) {
    write.layout = target->layout;
    if (write.compression.empty() && format.traits().captures) {
      write.compression = compression_of_name(out_name);
    }
  }
  FONDS_CHECK(command.open_output(added || arguments.has("--force")));
  options.make.rewrite = command.rewrite_options(std::move(write));
  options.output = out_name == "-" ? std::string() : out_name;
  options.stop = options.make.rewrite.read.stop;
  options.progress = command.progress_of_output();
  FONDS_TRY(const auto report,
            ops::create(inputs, format, existing ? &*existing : nullptr, command.out(), options));
  if (existing) {
    FONDS_CHECK(check_unchanged(*existing));
  }
  const std::uint64_t lost = report.archive.lost_bytes;
  if (lost > 0) {
    messages.hint(
        fmt::format("{}: the last {} bytes were damaged and were cut off", out_name, lost));
  }
  FONDS_TRY(const Exit status, command.commit());
  return lost > 0 ? Exit::Not : status;
}

}  // namespace

int run_create(const Arguments& arguments) {
  WritingCommand command(arguments, "OUT");
  return command.run([&] { return create_archive(arguments, command); });
}

}  // namespace fonds::cli
