// What becomes of findings when an archive is written from another one.
#pragma once

#include <vector>

#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/format.hpp>
#include <fonds/writing.hpp>

namespace fonds {

// An error, or with `strict` a warning.
bool is_damage(const Finding& finding, bool strict) noexcept;

// Tells options.on_finding of each; errors of framing by which nothing is lost, as warnings.
// Errors: Corrupt at the first that is damage, unless options.skip_damaged.
Status judge(const Archive& archive, std::vector<Finding> findings, const RewriteOptions& options);

}  // namespace fonds
