// fonds verify
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "flags.hpp"
#include "inputs.hpp"
#include "ops/against.hpp"
#include "ops/verify.hpp"
#include "terminal.hpp"

namespace fonds::cli {
namespace {

std::string as_json(const Finding& finding) {
  std::string line;
  JsonWriter json(line);
  const FindingRule* rule = find_rule(finding.code);
  json.begin_object().member("archive", std::string_view(finding.where.source));
  json.member("severity", to_string(finding.severity)).member("code", finding.code);
  json.member("rule", rule == nullptr ? std::string_view() : rule->clause);
  json.member("offset", finding.where.stored_offset).member("index", finding.where.ordinal);
  json.member("message", std::string_view(finding.message)).end_object();
  return line + '\n';
}

std::string as_json(const std::string& archive, const ops::VerifySummary& summary, bool readable) {
  std::string line;
  JsonWriter json(line);
  json.begin_object()
      .member("archive", std::string_view(archive))
      .member("ok", readable && summary.errors == 0);
  json.member("records", summary.records)
      .member("errors", summary.errors)
      .member("warnings", summary.warnings);
  json.end_object();
  return line + '\n';
}

std::string as_text(const std::string& archive, const ops::VerifySummary& summary) {
  return fmt::format("{}: {}, {} records, {} errors, {} warnings, {} notes\n",
                     escape_for_terminal(archive), summary.errors == 0 ? "ok" : "damaged",
                     summary.records, summary.errors, summary.warnings, summary.notes);
}

// Those beside the archive that the format does not check by itself.
std::vector<std::string> verifiable_companions(const Archive& archive) {
  std::vector<std::string> paths = companion_paths(archive);
  std::erase_if(paths, [](const std::string& path) { return path.ends_with(".offsets"); });
  return paths;
}

// Whether the archives hold all of the input.
bool is_whole(const ops::AgainstReport& report) {
  return !report.difference && report.rejected == 0;
}

std::string as_json(const ops::AgainstReport& report) {
  std::string line;
  JsonWriter json(line);
  json.begin_object()
      .member("against", is_whole(report))
      .member("records", report.records)
      .member("unparsed", report.unparsed)
      .member("rejected", report.rejected);
  if (report.difference) {
    const auto& difference = *report.difference;
    json.member("input", std::string_view(difference.input))
        .member("offset", difference.offset)
        .member("archive", std::string_view(difference.archive))
        .member("index", difference.record)
        .member("message", std::string_view(difference.message));
  }
  json.end_object();
  return line + '\n';
}

std::string as_text(const ops::AgainstReport& report) {
  std::string text;
  if (!report.difference) {
    text = fmt::format("{} records are as in the input", report.records);
  } else {
    const auto& difference = *report.difference;
    text = "differs: ";
    if (!difference.input.empty()) {
      text +=
          fmt::format("{}: offset {}: ", escape_for_terminal(difference.input), difference.offset);
    }
    if (!difference.archive.empty()) {
      text += fmt::format("{} (record {}): ", escape_for_terminal(difference.archive),
                          difference.record);
    }
    text += escape_for_terminal(difference.message);
  }
  if (report.unparsed > 0) {
    text += fmt::format("; {} keep what is no event", report.unparsed);
  }
  if (report.rejected > 0) {
    text +=
        fmt::format("; {} stretches of the input are no events and in no archive", report.rejected);
  }
  return text + '\n';
}

ops::Against against(const Arguments& arguments, const ops::ScanOptions& scan) {
  ReadOptions read = scan.read;
  read.memory_budget /= 2;
  read.decode_threads =
      scan.threads == 0 ? std::max(1U, std::thread::hardware_concurrency()) : scan.threads;
  return {arguments.all("--against"), read};
}

class VerifyCommand {
 public:
  explicit VerifyCommand(const Arguments& arguments)
      : arguments_(arguments),
        messages_(arguments),
        json_(arguments.has("--json")),
        compares_(arguments.has("--against")),
        scan_(scan_options(arguments)),
        verifier_(
            scan_,
            {.max_payload = std::min<std::uint64_t>(scan_.read.memory_budget / 8, kMostPayload),
             .memory = scan_.read.memory_budget / 2},
            arguments.has("--strict"), [this](const Finding& finding) { report(finding); }),
        input_(against(arguments, scan_)) {}

  int run() {
    for_each_archive(arguments_, messages_, input_names(arguments_, messages_),
                     [this](const Archive& archive, const ops::ScanOptions& options) {
                       return check(archive, options);
                     });
    // What only all archives together show counts for the one it was found in.
    all_read_ = true;
    const auto last = verifier_.finish();
    errors_ = errors_ || last.errors > 0;
    if (json_) {
      for (const auto& [name, summary] : checked_) {
        print(as_json(name, summary, true));
      }
    }
    if (compares_ && !messages_.unreadable()) {
      compare();
    }
    if (auto status = output_.flush(); !status) {
      written_ = std::move(status);
    }
    if (!written_) {
      messages_.error(written_.error());
    }
    return static_cast<int>(messages_.status(!errors_));
  }

 private:
  static constexpr std::uint64_t kMostPayload = std::uint64_t{16} << 20;

  void print(const std::string& text) {
    if (auto status = output_.write(text); !status && written_) {
      written_ = std::move(status);
    }
  }

  void report(const Finding& finding) {
    for (auto& [name, summary] : checked_) {
      if (all_read_ && name == finding.where.source) {
        summary.errors += finding.severity == Severity::Error ? 1 : 0;
        summary.warnings += finding.severity == Severity::Warning ? 1 : 0;
        break;
      }
    }
    if (json_) {
      print(as_json(finding));
    } else if (finding.severity != Severity::Note || arguments_.has("--verbose")) {
      print(fmt::format("{}: {}\n", to_string(finding.severity), describe(finding)));
    }
  }

  Status check(const Archive& archive, const ops::ScanOptions& options) {
    if (compares_ && archive.format->name() != "clp-s") {
      return fail(ErrorCode::Unsupported,
                  fmt::format("--against is for clp-s, not for {}", archive.format->name()),
                  {.source = archive.source->name()});
    }
    verifier_.set_progress(options.progress);
    std::vector<std::string> companions = arguments_.all("--index");
    if (companions.empty() && !arguments_.has("--no-index")) {
      companions = verifiable_companions(archive);
    }
    FONDS_TRY(const auto summary, verifier_.check(archive, companions));
    checked_.emplace_back(archive.source->name(), summary);
    if (!json_) {
      print(as_text(archive.source->name(), summary));
    }
    errors_ = errors_ || summary.errors > 0;
    return compares_ ? input_.check(archive) : Status();
  }

  void compare() {
    const auto compared = input_.finish();
    if (!compared) {
      messages_.error(compared.error());
      return;
    }
    errors_ = errors_ || !is_whole(*compared);
    print(json_ ? as_json(*compared) : as_text(*compared));
  }

  const Arguments& arguments_;
  Messages messages_;
  StandardOutput output_;
  bool json_, compares_;
  ops::ScanOptions scan_;
  ops::Verifier verifier_;
  ops::Against input_;
  bool errors_ = false, all_read_ = false;
  Status written_;
  std::vector<std::pair<std::string, ops::VerifySummary>> checked_;
};

}  // namespace

int run_verify(const Arguments& arguments) { return VerifyCommand(arguments).run(); }

}  // namespace fonds::cli
