// fonds repair
#include <cstddef>
#include <string>
#include <string_view>

#include <fonds/error.hpp>
#include <fonds/writing.hpp>

#include "base/json_writer.hpp"
#include "flags.hpp"
#include "ops/rewrite.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

namespace fonds::cli {
namespace {

// What was lost, one object each, and an object about all.
std::string as_json(const RewriteReport& report, const std::string& archive, bool ok) {
  std::string lines;
  for (std::size_t i = 0; i < report.lost.size(); ++i) {
    const Finding& finding = report.lost[i];
    JsonWriter json(lines);
    json.begin_object().member("archive", std::string_view(archive)).member("code", finding.code);
    json.member("offset", finding.where.stored_offset)
        .member("length", report.lost_ranges[i].length)
        .member("index", finding.where.ordinal)
        .member("message", std::string_view(finding.message))
        .end_object();
    lines += '\n';
  }
  JsonWriter json(lines);
  json.begin_object().member("archive", std::string_view(archive)).member("ok", ok);
  json.member("records", report.records_kept)
      .member("lost_bytes", report.lost_bytes)
      .member("lost_records", report.records_lost);
  json.key("changes").begin_object();
  for (const auto& [kind, n] : report.changes) {
    json.text_key(kind).value(n);
  }
  json.end_object().end_object();
  return lines + '\n';
}

}  // namespace

int run_repair(const Arguments& arguments) {
  WritingCommand command(arguments, "OUT");
  return command.run_with_archives([&]() -> Result<Exit> {
    const Archive& archive = command.archive("repair");
    command.keep_inputs();
    FONDS_CHECK(command.open_output());
    const bool json = arguments.has("--json");
    if (json && command.out_name() == "-") {
      throw UsageError{"--json and -o - would both write to standard output"};
    }
    RewriteOptions options = command.rewrite_options();
    options.skip_damaged = true;
    options.unit_per_record = arguments.has("--per-record");
    options.read.search_damaged = true;
    options.progress = command.progress_of(archive);
    FONDS_TRY(const RewriteReport report, ops::repair(archive, command.out(), options));
    command.tell(report);
    FONDS_TRY(const Exit status, command.commit());
    if (json) {
      StandardOutput output;
      FONDS_CHECK(output.write(as_json(report, archive.source->name(), status == Exit::Done)));
      FONDS_CHECK(output.flush());
    }
    return status;
  });
}

}  // namespace fonds::cli
