// fonds convert
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include <fonds/error.hpp>
#include <fonds/format.hpp>
#include <fonds/remote.hpp>
#include <fonds/writing.hpp>

#include "command_pack.hpp"
#include "flags.hpp"
#include "ops/convert.hpp"
#include "ops/unpack.hpp"
#include "outputs.hpp"
#include "queries.hpp"
#include "terminal.hpp"
#include "write_flags.hpp"

namespace fonds::cli {
namespace {

// What the user asked to be written.
std::optional<ops::Target> asked_target(const Arguments& arguments) {
  if (!arguments.has("--to")) {
    return std::nullopt;
  }
  auto target = ops::parse_target(arguments.get("--to"));
  if (!target) {
    throw UsageError{target.error().message()};
  }
  return std::move(*target);
}

// What follows from the first archive.
ops::Target usual_target(const Archive& first) {
  auto target = ops::default_target(first);
  if (!target) {
    throw UsageError{target.error().message() + "; --to chooses the format"};
  }
  return std::move(*target);
}

// How many records were wanted, what became of a dictionary that was asked for and of the check,
// and what was lost on the way.
void tell(const ops::ConvertReport& report, const ops::ConvertOptions& options,
          Messages& messages) {
  if (options.where != nullptr) {
    messages.hint(fmt::format("{} records match", report.records));
  }
  if (options.check) {
    messages.hint(fmt::format("checked: {} records are in the output as they were read",
                              report.records_kept));
  }
  if (report.trained) {
    messages.hint(describe(report.trained->dictionary, report.trained->trial));
    if (!report.trained->trial.pays()) {
      messages.hint("it does not pay, so there is none in the archive");
    }
  } else if (!report.no_training.empty()) {
    messages.hint(report.no_training + "; the archive has none");
  }
  for (const auto& [kind, n] : report.not_carried) {
    messages.hint(fmt::format("could not be carried over: {} ({})", kind, n));
  }
}

bool is_directory_name(const std::string& name) {
  std::error_code ignored;
  return name.ends_with('/') || std::filesystem::is_directory(name, ignored);
}

// Archives of events that become the files they were made of.
bool unpacks(const WritingCommand& command, const ops::Target& target) {
  return is_directory_name(command.out_name()) && target.format->name() == "jsonl" &&
         std::all_of(command.archives().begin(), command.archives().end(),
                     [](const Archive& archive) { return archive.format->traits().events; });
}

Result<Exit> unpack(const Arguments& arguments, WritingCommand& command) {
  refuse_remote_output(command.out_name(), "a directory for the original files");
  constexpr std::array<std::string_view, 6> kMeant = {"--output", "--to",           "--source",
                                                      "--range",  "--skip-damaged", "--force"};
  for (const Flag& flag : arguments.command->flags) {
    if (arguments.has(flag.name) &&
        std::find(kMeant.begin(), kMeant.end(), flag.name) == kMeant.end()) {
      throw UsageError{
          fmt::format("{} has no meaning for a directory of the original files", flag.name)};
    }
  }
  ops::UnpackOptions options = {.rewrite = command.rewrite_options()};
  options.threads = options.rewrite.write.threads;
  options.directory = command.out_name();
  options.force = arguments.has("--force");
  FONDS_TRY(const auto report, ops::unpack(command.archives(), options));
  for (const std::string& remark : report.remarks) {
    command.messages().hint(remark);
  }
  command.messages().hint(
      fmt::format("{}: {} records in {} files", options.directory, report.records, report.files));
  return command.messages().status();
}

}  // namespace

int run_convert(const Arguments& arguments) {
  const std::optional<ops::Target> asked = asked_target(arguments);
  if (asked && asked->format->name() == "clp-s") {
    return run_pack(arguments, asked->layout);
  }
  refuse_pack_flags(arguments);
  WritingCommand command(arguments, "OUT");
  const auto where = parse_where(arguments);
  for (const std::string_view flag : {"--source", "--range"}) {
    if (where && arguments.has(flag)) {
      throw UsageError{fmt::format("{} and --where exclude each other", flag)};
    }
  }
  WriteOptions write;
  const bool train = add_write_options(arguments, write);
  const std::string& out_name = command.out_name();
  if (arguments.has("--check") && is_remote(out_name)) {
    throw UsageError{"--check reads what was written before it appears, for which -o takes a file"};
  }
  write.file_name =
      out_name == "-" ? std::string() : std::filesystem::path(out_name).filename().string();
  if (write.compression.empty()) {
    write.compression = compression_of_name(out_name);
  }
  return command.run_with_archives([&]() -> Result<Exit> {
    const ops::Target target = asked ? *asked : usual_target(command.archives().front());
    if (unpacks(command, target)) {
      return unpack(arguments, command);
    }
    FONDS_CHECK(command.open_output());
    ops::ConvertOptions options = {.rewrite = command.rewrite_options(std::move(write))};
    options.train_dictionary = train;
    options.check = arguments.has("--check");
    options.where = where ? &*where : nullptr;
    ops::MissingNames missing;
    options.missing = &missing;
    ArchiveProgress progress(arguments);
    options.progress = [&](const Archive& archive, std::uint64_t position) {
      progress.at(archive, position);
    };
    FONDS_TRY(const auto report, ops::convert(command.archives(), target, command.out(), options));
    tell(report, options, command.messages());
    hint_names(missing, command.messages());
    if (options.rewrite.strict && !report.not_carried.empty()) {
      command.messages().hint("nothing was written, as --strict asks for all to be carried over");
      return Exit::Not;
    }
    return command.commit();
  });
}

}  // namespace fonds::cli
