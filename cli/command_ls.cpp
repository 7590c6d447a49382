// fonds ls
#include <sstream>
#include <string>

#include <fmt/core.h>

#include "flags.hpp"
#include "inputs.hpp"
#include "ops/list.hpp"
#include "ops/scan.hpp"
#include "terminal.hpp"

namespace fonds::cli {

int run_ls(const Arguments& arguments) {
  Messages messages(arguments);
  StandardOutput output;
  ops::ListOptions options;
  options.json = arguments.has("--json");
  options.headers = arguments.has("--headers");
  options.full = arguments.has("--full");
  options.strict = arguments.has("--strict");
  options.align = StandardOutput::is_terminal() && !options.json;
  options.limit = parse_count(arguments, "--limit", 0);
  if (options.headers && !options.json) {
    throw UsageError{"--headers goes with --json"};
  }
  std::istringstream fields(arguments.get("--fields"));
  for (std::string field; std::getline(fields, field, ',');) {
    options.fields.push_back(field);
  }
  const auto names = input_names(arguments, messages);
  if (names.size() > 1 && options.fields.empty() && !options.json) {
    options.fields = ops::list_columns();
    options.fields.insert(options.fields.begin(), "archive");
  }
  const ops::Output out = {[&](std::string_view text) { return output.write(text); },
                           [&](const Finding& finding) { messages.finding(finding); }};
  if (options.align) {
    if (const auto status = output.write(ops::list_heading(options)); !status) {
      messages.error(status.error());
    }
  }
  for_each_archive(arguments, messages, names,
                   [&](const Archive& archive, const ops::ScanOptions& scan) {
                     options.scan = scan;
                     return ops::list(archive, options, out);
                   });
  if (const auto status = output.flush(); !status) {
    messages.error(status.error());
  }
  return static_cast<int>(messages.status());
}

}  // namespace fonds::cli
