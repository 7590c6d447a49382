// fonds train
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fmt/core.h>

#include <fonds/error.hpp>

#include "flags.hpp"
#include "inputs.hpp"
#include "ops/train.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

namespace fonds::cli {

int run_train(const Arguments& arguments) {
  WritingCommand command(arguments, "DICT");
  ops::TrainOptions options;
  if (arguments.has("--size")) {
    options.size = static_cast<std::size_t>(parse_size(arguments.get("--size")));
  }
  options.level = compression_level(arguments).value_or(options.level);
  return command.run_with_archives([&]() -> Result<Exit> {
    command.keep_inputs();
    FONDS_CHECK(command.open_output());
    options.rewrite = command.rewrite_options();
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
    FONDS_TRY(const auto trained, ops::train(command.archives(), options));
    FONDS_CHECK(command.out().write(trained.dictionary.bytes()));
    FONDS_CHECK(command.commit());
    command.messages().hint(describe(trained.dictionary, trained.trial));
    if (!trained.trial.pays()) {
      command.messages().hint("it does not pay for archives like these: convert without it");
    }
    return command.messages().status();
  });
}

}  // namespace fonds::cli
