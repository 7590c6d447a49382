// What becomes of findings when an archive is written from another one.
#pragma once

#include <vector>

#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/format.hpp>
#include <fonds/writing.hpp>

#include "base/error_copy.hpp"

namespace fonds {

// What only departs from the rules of a container's framing, by which nothing that it holds is lost
// or in doubt: writing it anew mends that.
bool is_of_framing(const Finding& finding) noexcept;
// An error, or with `strict` a warning, that is not only of framing.
bool is_damage(const Finding& finding, bool strict) noexcept;
bool any_damage(const std::vector<Finding>& findings, bool strict) noexcept;

// Tells options.on_finding of each; errors of framing by which nothing is lost, as warnings.
// Errors: Corrupt at the first that is damage, unless options.skip_damaged.
Status judge(const Archive& archive, std::vector<Finding> findings, const RewriteOptions& options);

// The same of findings that are told one by one to what gives no answer.
class Judge {
 public:
  // Both outlive it.
  Judge(const Archive& archive, const RewriteOptions& options)
      : archive_(archive), options_(options) {}

  // Nothing behind the finding that ends the work is told.
  void take(const Finding& finding) {
    if (status_) {
      status_ = judge(archive_, {finding}, options_);
    }
  }
  // Whether the work may go on.
  Status status() const { return status_ ? Status() : tl::unexpected(copy_of(status_.error())); }

 private:
  const Archive& archive_;
  const RewriteOptions& options_;
  Status status_;
};

}  // namespace fonds
