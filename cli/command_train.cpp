// fonds train
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <fmt/core.h>

#include "flags.hpp"
#include "inputs.hpp"
#include "ops/train.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

namespace fonds::cli {

int run_train(const Arguments& arguments) {
  Messages messages(arguments);
  const std::string out_name = output_name(arguments, "DICT");
  ops::TrainOptions options;
  if (arguments.has("--size")) {
    options.size = static_cast<std::size_t>(parse_size(arguments.get("--size")));
  }
  options.level = compression_level(arguments).value_or(options.level);
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
  // Samples lie in memory twice while the trainer looks at them.
  const std::uint64_t most = scan_options(arguments).read.memory_budget / 4;
  options.sample = arguments.has("--sample") ? parse_size(arguments.get("--sample"))
                                             : std::min(options.sample, most);
  if (options.sample > most) {
    throw UsageError{fmt::format("--sample {}: --memory allows {} bytes, a quarter of it",
                                 arguments.get("--sample"), most)};
  }
  ArchiveProgress progress(arguments);
  options.progress = [&](const Archive& archive, std::uint64_t position) {
    progress.at(archive, position);
  };
  const auto trained = ops::train(*archives, options);
  if (!trained) {
    return static_cast<int>(failure(trained.error(), messages));
  }
  auto status = out.write(trained->dictionary.bytes());
  if (status) {
    status = out.commit();
  }
  if (!status) {
    return static_cast<int>(failure(status.error(), messages));
  }
  messages.hint(describe(trained->dictionary, trained->trial));
  if (!trained->trial.pays()) {
    messages.hint("it does not pay for archives like these: convert without it");
  }
  return static_cast<int>(messages.status());
}

}  // namespace fonds::cli
