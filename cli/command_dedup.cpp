// fonds dedup
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "flags.hpp"
#include "inputs.hpp"
#include "ops/dedup.hpp"
#include "outputs.hpp"
#include "terminal.hpp"
#include "write_flags.hpp"

namespace fonds::cli {

int run_dedup(const Arguments& arguments) {
  Messages messages(arguments);
  const std::string out_name = output_name(arguments, "OUT");
  WriteOptions write;
  if (add_write_options(arguments, write)) {
    throw UsageError{"dedup makes no dictionary; fonds train and fonds convert do"};
  }
  if (write.compression.empty()) {
    write.compression = compression_of_name(out_name);
  }
  DedupOptions options;
  if (arguments.has("--min-size")) {
    options.min_size = parse_size(arguments.get("--min-size"));
  }
  options.not_modified = arguments.has("--not-modified");
  const auto archives = open_all(arguments, messages);
  if (!archives) {
    return static_cast<int>(Exit::Unreadable);
  }
  OutputFile out;
  if (const auto status = out.open(out_name, arguments.has("--force")); !status) {
    return static_cast<int>(failure(status.error(), messages));
  }
  const Interruption interruption;
  options.rewrite = rewrite_options(arguments, messages, interruption);
  write.threads = options.rewrite.write.threads;
  write.memory_budget = options.rewrite.write.memory_budget;
  options.rewrite.write = std::move(write);
  Progress progress(arguments, out_name, std::nullopt);
  options.rewrite.progress = [&progress](std::uint64_t position) { progress.at(position); };
  const auto report = ops::dedup(*archives, out, arguments.all("--index"), options);
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
