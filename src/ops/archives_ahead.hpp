// Opening many archives one after the other where opening takes round trips.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fonds/format.hpp>

#include "base/ordered_jobs.hpp"

namespace fonds::ops {

// Opens archives in the order of their names. Of archives at URLs the next ones are opened while
// the caller works on one, and what their use begins with is asked for; all others are opened when
// it is their turn. One thread.
class ArchivesAhead {
 public:
  // `names` and `format` (OpenOptions::format) outlive it.
  ArchivesAhead(std::span<const std::string> names, const std::string& format,
                const ReadOptions& read);

  // The archive of the next name. Errors: those of open_archive().
  Result<Archive> next();

 private:
  struct Job {
    std::string name;
    std::optional<Archive> archive;
  };

  std::span<const std::string> names_;
  const std::string& format_;
  std::size_t next_ = 0;       // that the caller gets
  std::size_t submitted_ = 0;  // names that have a job, or need none
  bool several_ = false;       // URLs
  OrderedJobs<Job> jobs_;
};

}  // namespace fonds::ops
