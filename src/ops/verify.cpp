#include "ops/verify.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "index/companion_check.hpp"

namespace fonds::ops {
namespace {

// About what is remembered of a record; segments, of which blocks are kept, take more.
constexpr std::size_t kBytesRemembered = 128;

class VerifyWorker final : public Worker {
 public:
  explicit VerifyWorker(std::unique_ptr<VerifyPart> part) : part_(std::move(part)) {}

  Result<bool> take(RecordReader& reader, Record& record, Stretch& out) override {
    found_.clear();
    FONDS_CHECK(part_->check(reader, record, found_));
    const std::uint64_t ordinal = record.ordinal;
    FONDS_TRY(RecordEnd end, reader.finish());
    part_->end(record, end, found_);
    out.beside += kBytesRemembered + part_->held();
    for (Finding& finding : end.findings) {
      out.findings.push_back(std::move(finding));
    }
    for (Finding& finding : found_) {
      finding.where.ordinal = ordinal;
      finding.where.record_id = record.id();
      out.findings.push_back(std::move(finding));
    }
    return true;
  }

  VerifyPart& part() { return *part_; }

 private:
  std::unique_ptr<VerifyPart> part_;
  std::vector<Finding> found_;
};

// Rules of the container that the decoder and the check of the whole file both see
// (WARC-Zstandard).
bool is_container_rule(std::string_view code) {
  return code.starts_with("zs-") || code.starts_with("zf-") || code.starts_with("zd-") ||
         code.starts_with("zl-") || code.starts_with("zn-");
}

}  // namespace

Verifier::Verifier(const ScanOptions& scan, const VerifyOptions& verify, bool strict, Report report)
    : scan_(scan), verify_(verify), strict_(strict), report_(std::move(report)) {}

void Verifier::take(Finding finding) {
  if (is_container_rule(finding.code)) {
    const std::pair key(finding.code, finding.where.stored_offset.value_or(0));
    if (std::find(container_seen_.begin(), container_seen_.end(), key) != container_seen_.end()) {
      return;
    }
    container_seen_.push_back(key);
  }
  limited_ = limited_ || finding.code == "limit-exceeded";
  if (strict_ && finding.severity == Severity::Warning) {
    finding.severity = Severity::Error;
  }
  switch (finding.severity) {
    case Severity::Error:
      ++summary_.errors;
      break;
    case Severity::Warning:
      ++summary_.warnings;
      break;
    case Severity::Note:
      ++summary_.notes;
      break;
  }
  report_(finding);
}

void Verifier::check_companions(const Archive& archive, std::span<const std::string> companions) {
  for (const std::string& path : companions) {
    const auto status = index::check_companion(path, archive, scan_.read,
                                               [this](const Finding& finding) { take(finding); });
    if (!status) {
      take(make_finding(
          "companion-stale",
          fmt::format("the companion {} cannot be used: {}", path, status.error().message()),
          {.source = archive.source->name()}));
    }
  }
}

Result<VerifySummary> Verifier::check(const Archive& archive,
                                      std::span<const std::string> companions) {
  summary_ = {};
  container_seen_.clear();
  limited_ = false;
  auto found = std::find_if(wholes_.begin(), wholes_.end(),
                            [&](const auto& w) { return w.first == archive.format; });
  if (found == wholes_.end()) {
    wholes_.emplace_back(archive.format, archive.format->verify_whole(verify_));
    found = wholes_.end() - 1;
  }
  VerifyWhole& whole = *found->second;
  whole.begin(archive);
  ScanOptions options = scan_;
  options.read.skim = false;
  options.read.check_all = true;
  const std::string& source = archive.source->name();
  const auto sink = [&](Stretch& piece, Worker& worker, std::uint64_t first, bool) -> Status {
    for (Finding& finding : piece.findings) {
      finding.where.source = source;
      if (finding.where.ordinal) {
        *finding.where.ordinal += first;
      }
      take(std::move(finding));
    }
    // Facts are taken with each piece: their ordinals count from the piece.
    whole.add(static_cast<VerifyWorker&>(worker).part(), first);
    return {};
  };
  auto records = scan(
      archive, options,
      [&] { return std::make_unique<VerifyWorker>(archive.format->verify_part(archive, verify_)); },
      sink);
  if (records) {
    summary_.records = *records;
  } else if (const Error& error = records.error(); !error.rule().empty()) {
    take(make_finding(error.rule(), error.message(), error.where()));
  } else {
    return tl::unexpected(std::move(records).error());
  }
  FONDS_CHECK(
      whole.end(summary_.records, !limited_, [&](Finding finding) { take(std::move(finding)); }));
  check_companions(archive, companions);
  return summary_;
}

VerifySummary Verifier::finish() {
  summary_ = {};
  for (auto& [format, whole] : wholes_) {
    whole->finish([&](Finding finding) { take(std::move(finding)); });
  }
  return summary_;
}

}  // namespace fonds::ops
