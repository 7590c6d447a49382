// fonds dedup
#include <utility>

#include <fonds/error.hpp>
#include <fonds/writing.hpp>

#include "flags.hpp"
#include "inputs.hpp"
#include "ops/dedup.hpp"
#include "outputs.hpp"
#include "terminal.hpp"
#include "write_flags.hpp"

namespace fonds::cli {

int run_dedup(const Arguments& arguments) {
  WritingCommand command(arguments, "OUT");
  WriteOptions write;
  if (add_write_options(arguments, write)) {
    throw UsageError{"dedup makes no dictionary; fonds train and fonds convert do"};
  }
  if (write.compression.empty()) {
    write.compression = compression_of_name(command.out_name());
  }
  DedupOptions options;
  if (arguments.has("--min-size")) {
    options.min_size = parse_size(arguments.get("--min-size"));
  }
  options.not_modified = arguments.has("--not-modified");
  return command.run_with_archives([&]() -> Result<Exit> {
    FONDS_CHECK(command.open_output());
    options.rewrite = command.rewrite_options(std::move(write));
    options.rewrite.progress = command.progress_of_output();
    FONDS_TRY(const auto report,
              ops::dedup(command.archives(), command.out(), arguments.all("--index"), options));
    command.tell(report);
    return command.commit();
  });
}

}  // namespace fonds::cli
