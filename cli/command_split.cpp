// fonds split
#include <cstdint>
#include <optional>
#include <string>

#include <fmt/core.h>

#include "flags.hpp"
#include "inputs.hpp"
#include "interrupt.hpp"
#include "ops/rewrite.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

namespace fonds::cli {

int run_split(const Arguments& arguments) {
  Messages messages(arguments);
  const std::string prefix = output_name(arguments, "PREFIX");
  if (prefix == "-") {
    throw UsageError{"-o takes the beginning of file names; parts cannot go to standard output"};
  }
  if (!arguments.has("--size")) {
    throw UsageError{"--size SIZE is missing, such as 1G"};
  }
  const auto archives = open_all(arguments, messages);
  if (!archives) {
    return static_cast<int>(Exit::Unreadable);
  }
  if (archives->size() != 1) {
    throw UsageError{"split takes one archive"};
  }
  const Archive& archive = archives->front();
  const Interruption interruption;
  SplitOptions options = {.size = parse_size(arguments.get("--size")),
                          .rewrite = rewrite_options(arguments, messages, interruption)};
  Progress progress(arguments, archive.source->name(),
                    archive.source->random_access()
                        ? std::optional(archive.source->size().value_or(0))
                        : std::nullopt);
  options.rewrite.progress = [&progress](std::uint64_t position) { progress.at(position); };
  ops::PartFiles parts(prefix, ops::part_ending(archive), arguments.has("--force"));
  const auto next_part = [&parts](std::string_view sequence) -> Result<Part> {
    if (interrupted()) {
      return fail(ErrorCode::Cancelled, "stopped");
    }
    auto part = parts.next(sequence);
    if (!part) {
      return fail(ErrorCode::Io, part.error().message(), part.error().where());
    }
    return part;
  };
  const auto report = ops::split(archive, next_part, options);
  if (!report) {
    return static_cast<int>(failure(report.error(), messages));
  }
  tell(*report, messages);
  if (const auto status = parts.commit(); !status) {
    return static_cast<int>(failure(status.error(), messages));
  }
  return static_cast<int>(messages.status());
}

}  // namespace fonds::cli
