// fonds merge
#include <optional>

#include "flags.hpp"
#include "ops/rewrite.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

namespace fonds::cli {

int run_merge(const Arguments& arguments) {
  Messages messages(arguments);
  const std::string out_name = output_name(arguments, "OUT");
  const auto archives = open_all(arguments, messages);
  if (!archives) {
    return static_cast<int>(Exit::Unreadable);
  }
  OutputFile out;
  if (const auto status = out.open(out_name, arguments.has("--force")); !status) {
    return static_cast<int>(failure(status.error(), messages));
  }
  const Interruption interruption;
  RewriteOptions options = rewrite_options(arguments, messages, interruption);
  options.join_segments = arguments.has("--join-segments");
  options.write.level = compression_level(arguments);
  Progress progress(arguments, out_name, std::nullopt);
  options.progress = [&progress](std::uint64_t position) { progress.at(position); };
  const auto report = ops::merge(*archives, out, options);
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
