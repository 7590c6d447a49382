// Checking archives whole: `fonds verify`.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include <fonds/format.hpp>

#include "ops/scan.hpp"

namespace fonds::ops {

struct VerifySummary {
  std::uint64_t records = 0, errors = 0, warnings = 0, notes = 0;
};

// Checks archives one after the other; what spans several archives is judged by finish().
class Verifier {
 public:
  using Report = std::function<void(const Finding&)>;

  // `report` is called in the order of records, from one thread at a time. With `strict` warnings
  // become errors.
  Verifier(const ScanOptions& scan, const VerifyOptions& verify, bool strict, Report report);

  void set_progress(std::function<void(std::uint64_t)> progress) {
    scan_.progress = std::move(progress);
  }
  // Checks the archive, and its companions against it. What keeps a companion from being checked is
  // the finding companion-stale. Errors: those of reading the archive.
  Result<VerifySummary> check(const Archive& archive, std::span<const std::string> companions = {});
  // What no archive of the run could answer, such as a segment that is nowhere.
  VerifySummary finish();

 private:
  void take(Finding finding);
  void check_companions(const Archive& archive, std::span<const std::string> companions);

  ScanOptions scan_;
  VerifyOptions verify_;
  bool strict_;
  Report report_;
  std::vector<std::pair<const Format*, std::unique_ptr<VerifyWhole>>> wholes_;
  VerifySummary summary_;
  bool limited_ = false;  // a limit kept something from being read
  std::vector<std::pair<std::string_view, std::uint64_t>> container_seen_;
};

}  // namespace fonds::ops
