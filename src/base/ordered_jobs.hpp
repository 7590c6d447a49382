// Threads that do jobs, which come back in the order in which they went in.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fonds/error.hpp>

#include "base/guarded.hpp"

namespace fonds {

// All members are for one thread, the one that has the jobs.
template <typename Job>
class OrderedJobs {
 public:
  using Work = std::function<Status(Job&)>;  // does one job, on a worker
  struct Done {
    Job* job = nullptr;            // null: there is none yet
    const Error* error = nullptr;  // of its work
  };

  // At most `threads` workers, started as jobs come; `make_work` is called for each of them, on the
  // caller's thread. Jobs in flight cost at most `budget` altogether, but one job may always be.
  OrderedJobs(unsigned threads, std::uint64_t budget, std::function<Result<Work>()> make_work)
      : threads_(threads), budget_(budget), make_work_(std::move(make_work)) {}
  // Waits for the jobs that are being done; those that nobody has begun are left.
  ~OrderedJobs() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    work_came_.notify_all();
    workers_.clear();  // joins
  }
  OrderedJobs(const OrderedJobs&) = delete;
  OrderedJobs& operator=(const OrderedJobs&) = delete;

  bool empty() const noexcept { return in_flight_.empty(); }
  // Whether a job must be popped before one of this cost may be submitted.
  bool full(std::uint64_t cost) const noexcept {
    if (in_flight_.empty()) {
      return false;
    }
    return in_flight_.size() >= std::size_t{2} * threads_ ||
           cost > budget_ - std::min(budget_, cost_);
  }

  // Errors: those of `make_work`; Io if no thread can be started. Then `job` was not taken.
  Status submit(std::unique_ptr<Job>& job, std::uint64_t cost) {
    if (workers_.size() < threads_) {
      FONDS_CHECK(start_worker());
    }
    in_flight_.push_back(Slot{std::move(job), cost, false, {}});
    cost_ += cost;
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(&in_flight_.back());
    }
    work_came_.notify_one();
    return {};
  }

  // The oldest job, once it is done if `wait`; none while it is not, or if there is none. It lives
  // until pop().
  Done front(bool wait) {
    if (in_flight_.empty()) {
      return {};
    }
    const Slot& slot = in_flight_.front();
    std::unique_lock lock(mutex_);
    if (wait) {
      job_done_.wait(lock, [&] { return slot.done; });
    }
    return slot.done ? Done{slot.job.get(), slot.error ? &*slot.error : nullptr} : Done{};
  }
  // Takes the job that front() gave.
  std::unique_ptr<Job> pop() {
    std::unique_ptr<Job> job = std::move(in_flight_.front().job);
    cost_ -= in_flight_.front().cost;
    in_flight_.pop_front();
    return job;
  }
  // Whether some job has failed. May be called at any time; cheap.
  bool failed() const noexcept { return failed_.load(std::memory_order_relaxed); }

 private:
  struct Slot {
    std::unique_ptr<Job> job;
    std::uint64_t cost;
    bool done;                   // guarded by mutex_
    std::optional<Error> error;  // of the worker; set before `done`
  };

  Status start_worker() {
    FONDS_TRY(Work work, make_work_());
    try {
      workers_.emplace_back([this, done_by = std::move(work)] { run(done_by); });
    } catch (const std::system_error& error) {
      if (workers_.empty()) {
        return fail(ErrorCode::Io, std::string("cannot start a thread: ") + error.what());
      }
    }
    return {};
  }

  void run(const Work& work) {
    std::unique_lock lock(mutex_);
    while (true) {
      work_came_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
      if (stopping_) {
        return;
      }
      Slot* const slot = queue_.front();
      queue_.pop_front();
      lock.unlock();
      Status status = guarded([&] { return work(*slot->job); });
      if (!status) {
        slot->error = std::move(status.error());
        failed_.store(true, std::memory_order_relaxed);
      }
      lock.lock();
      slot->done = true;
      job_done_.notify_one();
    }
  }

  const unsigned threads_;
  const std::uint64_t budget_;
  const std::function<Result<Work>()> make_work_;

  std::deque<Slot> in_flight_;  // oldest first; a slot stays where it is until it is popped
  std::uint64_t cost_ = 0;      // of all in flight
  std::atomic<bool> failed_ = false;

  std::mutex mutex_;
  std::condition_variable work_came_, job_done_;
  bool stopping_ = false;    // guarded by mutex_
  std::deque<Slot*> queue_;  // guarded by mutex_
  std::vector<std::jthread> workers_;
};

}  // namespace fonds
