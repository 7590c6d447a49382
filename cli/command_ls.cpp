// fonds ls
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "flags.hpp"
#include "inputs.hpp"
#include "ops/list.hpp"
#include "ops/scan.hpp"
#include "queries.hpp"
#include "terminal.hpp"

namespace fonds::cli {

int run_ls(const Arguments& arguments) {
  Messages messages(arguments);
  StandardOutput output;
  ops::ListOptions options;
  options.json = arguments.has("--json");
  options.headers = arguments.has("--headers");
  options.full = arguments.has("--full");
  options.hash = arguments.has("--hash");
  options.strict = arguments.has("--strict");
  options.align = StandardOutput::is_terminal() && !options.json;
  options.limit = parse_at_least_one(arguments, "--limit", 0);
  const auto where = parse_where(arguments);
  options.where = where ? &*where : nullptr;
  ops::MissingNames missing;
  ops::MissingNames missing_fields;
  options.missing = &missing;
  options.missing_fields = &missing_fields;
  if (options.headers && !options.json) {
    throw UsageError{"--headers goes with --json"};
  }
  std::istringstream fields(arguments.get("--fields"));
  for (std::string field; std::getline(fields, field, ',');) {
    options.fields.push_back(field);
  }
  const auto names = input_names(arguments, messages);
  options.with_archive = names.size() > 1;
  const ops::Output out = {[&](std::string_view text) { return output.write(text); },
                           [&](const Finding& finding) { messages.finding(finding); }};
  std::string heading;
  for_each_archive(
      arguments, messages, names,
      [&](const Archive& archive, const ops::ScanOptions& scan) -> Status {
        options.scan = scan;
        // Formats have their own columns.
        if (std::string line = ops::list_heading(ops::list_columns(*archive.format, options));
            options.align && line != heading) {
          heading = std::move(line);
          FONDS_CHECK(output.write(heading));
        }
        return ops::list(archive, options, out);
      });
  hint_names(missing, messages);
  hint_fields(missing_fields, messages);
  if (const auto status = output.flush(); !status) {
    messages.error(status.error());
  }
  return static_cast<int>(messages.status());
}

}  // namespace fonds::cli
