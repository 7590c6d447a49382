// fonds merge
#include <fonds/error.hpp>
#include <fonds/writing.hpp>

#include "flags.hpp"
#include "ops/rewrite.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

namespace fonds::cli {

int run_merge(const Arguments& arguments) {
  WritingCommand command(arguments, "OUT");
  return command.run_with_archives([&]() -> Result<Exit> {
    FONDS_CHECK(command.open_output());
    RewriteOptions options = command.rewrite_options();
    options.join_segments = arguments.has("--join-segments");
    options.write.level = compression_level(arguments);
    options.progress = command.progress_of_output();
    FONDS_TRY(const RewriteReport report, ops::merge(command.archives(), command.out(), options));
    command.tell(report);
    return command.commit();
  });
}

}  // namespace fonds::cli
