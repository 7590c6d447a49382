// fonds convert
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "flags.hpp"
#include "ops/convert.hpp"
#include "outputs.hpp"
#include "terminal.hpp"
#include "write_flags.hpp"

namespace fonds::cli {
namespace {

// What the user asked to be written, or what follows from the first archive.
ops::Target choose_target(const Arguments& arguments, const Archive& first) {
  auto target =
      arguments.has("--to") ? ops::parse_target(arguments.get("--to")) : ops::default_target(first);
  if (!target) {
    throw UsageError{target.error().message() +
                     (arguments.has("--to") ? "" : "; --to chooses the format")};
  }
  return std::move(*target);
}

}  // namespace

int run_convert(const Arguments& arguments) {
  Messages messages(arguments);
  const std::string out_name = output_name(arguments, "OUT");
  WriteOptions write;
  const bool train = add_write_options(arguments, write);
  write.file_name =
      out_name == "-" ? std::string() : std::filesystem::path(out_name).filename().string();
  if (write.compression.empty()) {
    write.compression = compression_of_name(out_name);
  }
  const auto archives = open_all(arguments, messages);
  if (!archives) {
    return static_cast<int>(Exit::Unreadable);
  }
  const ops::Target target = choose_target(arguments, archives->front());
  OutputFile out;
  if (const auto status = out.open(out_name, arguments.has("--force")); !status) {
    return static_cast<int>(failure(status.error(), messages));
  }
  const Interruption interruption;
  ops::ConvertOptions options = {.rewrite = rewrite_options(arguments, messages, interruption)};
  write.threads = options.rewrite.write.threads;
  write.memory_budget = options.rewrite.write.memory_budget;
  options.rewrite.write = std::move(write);
  options.train_dictionary = train;
  ArchiveProgress progress(arguments);
  options.check = arguments.has("--check");
  options.progress = [&](const Archive& archive, std::uint64_t position) {
    progress.at(archive, position);
  };
  const auto report = ops::convert(*archives, target, out, options);
  if (!report) {
    return static_cast<int>(failure(report.error(), messages));
  }
  if (options.check) {
    messages.hint(fmt::format("checked: {} records are in the output as they were read",
                              report->records_kept));
  }
  if (report->trained) {
    messages.hint(describe(report->trained->dictionary, report->trained->trial));
    if (!report->trained->trial.pays()) {
      messages.hint("it does not pay, so there is none in the archive");
    }
  } else if (!report->no_training.empty()) {
    messages.hint(report->no_training + "; the archive has none");
  }
  for (const auto& [kind, n] : report->not_carried) {
    messages.hint(fmt::format("could not be carried over: {} ({})", kind, n));
  }
  if (options.rewrite.strict && !report->not_carried.empty()) {
    messages.hint("nothing was written, as --strict asks for all to be carried over");
    return static_cast<int>(Exit::Not);
  }
  if (const auto status = out.commit(); !status) {
    return static_cast<int>(failure(status.error(), messages));
  }
  return static_cast<int>(messages.status());
}

}  // namespace fonds::cli
