#include "format/common/judge.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/core.h>

namespace fonds {
namespace {

// By these a container departs from its rules, but nothing that it holds is lost or in doubt: an
// archive that is written from it is free of them.
constexpr std::array<std::string_view, 4> kFramingOnly = {"zf-dictid", "zr-one", "zs-dict-pos",
                                                          "zs-start"};

}  // namespace

bool is_damage(const Finding& finding, bool strict) noexcept {
  return finding.severity == Severity::Error || (strict && finding.severity == Severity::Warning);
}

Status judge(const Archive& archive, std::vector<Finding> findings, const RewriteOptions& options) {
  for (Finding& finding : findings) {
    if (finding.where.source.empty()) {
      finding.where.source = archive.source->name();
    }
    if (std::ranges::find(kFramingOnly, finding.code) != kFramingOnly.end()) {
      finding.severity = Severity::Warning;
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
