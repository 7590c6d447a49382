#include "format/common/judge.hpp"

#include <fmt/core.h>

namespace fonds {

bool is_damage(const Finding& finding, bool strict) noexcept {
  return finding.severity == Severity::Error || (strict && finding.severity == Severity::Warning);
}

Status judge(const Archive& archive, std::vector<Finding> findings, const RewriteOptions& options) {
  for (Finding& finding : findings) {
    if (finding.where.source.empty()) {
      finding.where.source = archive.source->name();
    }
    if (options.on_finding) {
      options.on_finding(finding);
    }
    if (is_damage(finding, options.strict) && !options.skip_damaged) {
      return fail(ErrorCode::Corrupt,
                  fmt::format("stopped at damage [{}]; --skip-damaged leaves it out", finding.code),
                  finding.where);
    }
  }
  return {};
}

}  // namespace fonds
