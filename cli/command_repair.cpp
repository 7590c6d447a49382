// fonds repair
#include <optional>

#include "flags.hpp"
#include "ops/rewrite.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

namespace fonds::cli {

int run_repair(const Arguments& arguments) {
  Messages messages(arguments);
  const std::string out_name = output_name(arguments, "OUT");
  const auto archives = open_all(arguments, messages);
  if (!archives) {
    return static_cast<int>(Exit::Unreadable);
  }
  if (archives->size() != 1) {
    throw UsageError{"repair takes one archive"};
  }
  const Archive& archive = archives->front();
  OutputFile out;
  if (const auto status = out.open(out_name, arguments.has("--force")); !status) {
    return static_cast<int>(failure(status.error(), messages));
  }
  const Interruption interruption;
  RewriteOptions options = rewrite_options(arguments, messages, interruption);
  options.skip_damaged = true;
  options.read.search_damaged = true;
  Progress progress(arguments, archive.source->name(),
                    archive.source->random_access()
                        ? std::optional(archive.source->size().value_or(0))
                        : std::nullopt);
  options.progress = [&progress](std::uint64_t position) { progress.at(position); };
  const auto report = ops::repair(archive, out, options);
  if (!report) {
    return static_cast<int>(failure(report.error(), messages));
  }
  tell(*report, messages);
  if (const auto status = out.commit(); !status) {
    return static_cast<int>(failure(status.error(), messages));
  }
  return static_cast<int>(messages.status());
}

}  // namespace fonds::cli
