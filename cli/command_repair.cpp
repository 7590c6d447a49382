// fonds repair
#include <cstddef>
#include <optional>
#include <string>

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
  Messages messages(arguments);
  const std::string out_name = output_name(arguments, "OUT");
  const auto archives = open_all(arguments, messages);
  if (!archives) {
    return static_cast<int>(Exit::Unreadable);
  }
  if (archives->size() != 1) {
    throw UsageError{"repair takes one archive"};
  }
  const Archive& archive = archives->front();
  OutputFile out;
  if (const auto status = out.open(out_name, arguments.has("--force")); !status) {
    return static_cast<int>(failure(status.error(), messages));
  }
  const Interruption interruption;
  const bool json = arguments.has("--json");
  if (json && out_name == "-") {
    throw UsageError{"--json and -o - would both write to standard output"};
  }
  RewriteOptions options = rewrite_options(arguments, messages, interruption);
  options.skip_damaged = true;
  options.unit_per_record = arguments.has("--per-record");
  options.read.search_damaged = true;
  Progress progress(arguments, archive.source->name(),
                    archive.source->random_access()
                        ? std::optional(archive.source->size().value_or(0))
                        : std::nullopt);
  options.progress = [&progress](std::uint64_t position) { progress.at(position); };
  const auto report = ops::repair(archive, out, options);
  if (!report) {
    return static_cast<int>(failure(report.error(), messages));
  }
  tell(*report, messages);
  if (const auto status = out.commit(); !status) {
    return static_cast<int>(failure(status.error(), messages));
  }
  const Exit status = messages.status();
  if (json) {
    StandardOutput output;
    auto written = output.write(as_json(*report, archive.source->name(), status == Exit::Done));
    if (written) {
      written = output.flush();
    }
    if (!written) {
      messages.error(written.error());
      return static_cast<int>(messages.status());
    }
  }
  return static_cast<int>(status);
}

}  // namespace fonds::cli
