#include "ops/archives_ahead.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <fonds/remote.hpp>

#include "format/round_trips.hpp"

namespace fonds::ops {
namespace {

constexpr unsigned kAtOnce = 8;  // archives, each of which waits for a server most of the time

}  // namespace

ArchivesAhead::ArchivesAhead(std::span<const std::string> names, const std::string& format,
                             const ReadOptions& read)
    : names_(names),
      format_(format),
      several_(std::ranges::count_if(names, is_remote) > 1),
      jobs_(kAtOnce, std::numeric_limits<std::uint64_t>::max(), [&format, read] {
        return OrderedJobs<Job>::Work([&format, read](Job& job) -> Status {
          FONDS_TRY(job.archive, open_archive(job.name, {.format = format}));
          begin_use(*job.archive, read);
          return {};
        });
      }) {}

Result<Archive> ArchivesAhead::next() {
  const std::size_t mine = next_++;
  for (; several_ && submitted_ < names_.size() && !jobs_.full(0); ++submitted_) {
    if (is_remote(names_[submitted_])) {
      auto job = std::make_unique<Job>(Job{names_[submitted_], {}});
      if (!jobs_.submit(job, 0)) {
        several_ = false;  // there is no thread to be had: one after the other, then
      }
    }
  }
  if (!several_ || !is_remote(names_[mine])) {
    return open_archive(names_[mine], {.format = format_});
  }
  const auto done = jobs_.front(true);
  std::optional<Error> error;
  if (done.error != nullptr) {
    error.emplace(done.error->code(), done.error->message(), done.error->where());
  }
  const std::unique_ptr<Job> job = jobs_.pop();
  if (error) {
    return tl::unexpected(std::move(*error));
  }
  return std::move(*job->archive);
}

}  // namespace fonds::ops
