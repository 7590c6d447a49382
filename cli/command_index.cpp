// fonds index
#include <cstdint>
#include <string>

#include "flags.hpp"
#include "inputs.hpp"
#include "interrupt.hpp"
#include "ops/make_index.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

namespace fonds::cli {

int run_index(const Arguments& arguments) {
  Messages messages(arguments);
  const std::string type = arguments.get("--type");
  const auto names = input_names(arguments, messages);
  if (names.size() > 1 && arguments.has("--output")) {
    throw UsageError{"-o names the index of one archive; without it each gets its own"};
  }
  const Interruption interruption;
  RewriteOptions options = rewrite_options(arguments, messages, interruption);
  options.skip_damaged = true;  // reading commands go on behind damage
  for_each_archive(arguments, messages, names,
                   [&](const Archive& archive, const ops::ScanOptions& scan) -> Status {
                     options.progress = scan.progress;
                     std::string path = arguments.get("--output");
                     if (path.empty()) {
                       FONDS_TRY(path, ops::index_path(archive, type));
                     }
                     OutputFile out;
                     FONDS_CHECK(out.open(path, arguments.has("--force")));
                     FONDS_CHECK(ops::make_index(archive, type, out, options));
                     return out.commit();
                   });
  return static_cast<int>(interrupted() ? Exit::Interrupted : messages.status());
}

}  // namespace fonds::cli
