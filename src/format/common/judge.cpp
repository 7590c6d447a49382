#include "format/common/judge.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/core.h>

namespace fonds {
namespace {

constexpr std::array<std::string_view, 4> kFramingOnly = {"zf-dictid", "zr-one", "zs-dict-pos",
                                                          "zs-start"};

}  // namespace

bool is_of_framing(const Finding& finding) noexcept {
  return std::ranges::find(kFramingOnly, finding.code) != kFramingOnly.end();
}

bool is_damage(const Finding& finding, bool strict) noexcept {
  if (is_of_framing(finding)) {
    return false;
  }
  return finding.severity == Severity::Error || (strict && finding.severity == Severity::Warning);
}

bool any_damage(const std::vector<Finding>& findings, bool strict) noexcept {
  return std::ranges::any_of(findings, [strict](const Finding& f) { return is_damage(f, strict); });
}

Status judge(const Archive& archive, std::vector<Finding> findings, const RewriteOptions& options) {
  for (Finding& finding : findings) {
    if (finding.where.source.empty()) {
      finding.where.source = archive.source->name();
    }
    if (is_of_framing(finding)) {
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
