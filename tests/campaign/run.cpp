#include "campaign/run.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <new>
#include <optional>

#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "archives/memory.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

namespace fonds::campaign {
using testing_archives::require;

namespace {

// A child that waits for something that never comes uses no processor time. So long that no load
// explains it.
constexpr unsigned kWallSeconds = 1200;

// Written by a child, read by its parent.
struct Shared {
  Tally tally;
  std::uint64_t at = 0;  // the variant in hand
};

struct Batch {
  std::uint64_t from = 0, to = 0;
  bool single = false;  // run again to find the variant
};

struct Child {
  ::pid_t pid = 0;
  Batch batch;
  Shared* shared = nullptr;
};

std::uint64_t cpu_us() {
  ::rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto us = [](const ::timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 +
           static_cast<std::uint64_t>(time.tv_usec);
  };
  return us(usage.ru_utime) + us(usage.ru_stime);
}

void tell(const std::string& line) {
  const std::string whole = line + "\n";
  static_cast<void>(!::write(STDERR_FILENO, whole.data(), whole.size()));
}

class Runner {
 public:
  Runner(const Judge& judge, const RunOptions& options) : judge_(judge), options_(options) {
    const std::size_t size = sizeof(Shared) * std::max(options.jobs, 1U);
    void* const memory =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    require(memory != MAP_FAILED, "mmap");
    for (unsigned n = 0; n < std::max(options.jobs, 1U); ++n) {
      free_.push_back(new (static_cast<Shared*>(memory) + n) Shared());
    }
    for (std::uint64_t from = 0; from < options.variants; from += options.batch) {
      batches_.push_back({from, std::min(from + options.batch, options.variants)});
    }
  }

  Run run() {
    while (!batches_.empty() || !children_.empty()) {
      while (!batches_.empty() && !free_.empty()) {
        start();
      }
      wait();
    }
    return run_;
  }

 private:
  void start() {
    Child child;
    child.batch = batches_.front();
    batches_.pop_front();
    child.shared = free_.back();
    free_.pop_back();
    *child.shared = Shared();
    child.pid = ::fork();
    require(child.pid >= 0, "fork");
    if (child.pid == 0) {
      work(child);
      std::_Exit(0);
    }
    children_.push_back(child);
  }

  // In the child.
  void work(const Child& child) const {
    const ::rlimit no_core = {0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    if (!kSanitized) {
      const ::rlimit space = {::rlim_t{2} << 30U, ::rlim_t{2} << 30U};
      ::setrlimit(RLIMIT_AS, &space);
    }
    std::uint64_t shown = 0;
    for (std::uint64_t n = child.batch.from; n < child.batch.to; ++n) {
      child.shared->at = n;
      const ::itimerval limit = {{0, 0}, {static_cast<::time_t>(options_.cpu_seconds), 0}};
      ::setitimer(ITIMER_PROF, &limit, nullptr);
      ::alarm(kWallSeconds);
      const std::uint64_t before = cpu_us();
      const Variant variant = make_variant(judge_.row().bytes, judge_.borders(), options_.seed, n);
      for (const std::string& breach : judge_.judge(variant, child.shared->tally)) {
        if (++shown <= options_.most_shown) {
          tell(line_of(n, breach));
        }
      }
      Tally& tally = child.shared->tally;
      tally.most_cpu_us = std::max(tally.most_cpu_us, cpu_us() - before);
    }
  }

  std::string line_of(std::uint64_t n, const std::string& breach) const {
    const Variant variant = make_variant(judge_.row().bytes, judge_.borders(), options_.seed, n);
    return fmt::format("{} --variant {} ({} at {}): {}", judge_.row().name, n,
                       kind_name(variant.kind), variant.first(), breach);
  }

  void wait() {
    int status = 0;
    ::rusage usage = {};
    ::pid_t pid = 0;
    do {
      pid = ::wait4(-1, &status, 0, &usage);
    } while (pid < 0 && errno == EINTR);
    const auto ended =
        std::ranges::find_if(children_, [pid](const Child& child) { return child.pid == pid; });
    require(ended != children_.end(), "wait4");
    const Child child = *ended;
    children_.erase(ended);
    free_.push_back(child.shared);
    take(child, status, static_cast<std::uint64_t>(usage.ru_maxrss));
  }

  void take(const Child& child, int status, std::uint64_t memory_kib) {
    const bool too_much = !kSanitized && memory_kib > options_.memory_mib << 10U;
    if (too_much && !child.batch.single) {
      // Which of them it was is seen when each is run by itself.
      for (std::uint64_t n = child.batch.from; n < child.batch.to; ++n) {
        batches_.push_back({n, n + 1, true});
      }
      return;
    }
    run_.most_memory_kib = std::max(run_.most_memory_kib, memory_kib);
    run_.tally.add(child.shared->tally);
    if (too_much) {
      ++run_.tally.breaches;
      tell(line_of(child.batch.from, fmt::format("takes {} MiB", memory_kib >> 10U)));
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      return;
    }
    ++run_.tally.breaches;
    tell(line_of(child.shared->at, how_it_ended(status)));
    if (child.shared->at + 1 < child.batch.to) {
      batches_.push_back({child.shared->at + 1, child.batch.to, child.batch.single});
    }
  }

  std::string how_it_ended(int status) const {
    if (!WIFSIGNALED(status)) {
      return fmt::format("the process ends with status {}", WEXITSTATUS(status));
    }
    if (WTERMSIG(status) == SIGPROF) {
      return fmt::format("hangs: {} s of processor time are over", options_.cpu_seconds);
    }
    if (WTERMSIG(status) == SIGALRM) {
      return fmt::format("hangs: {} s are over", kWallSeconds);
    }
    return fmt::format("crashes with signal {}", WTERMSIG(status));
  }

  const Judge& judge_;
  const RunOptions& options_;
  std::deque<Batch> batches_;
  std::vector<Child> children_;
  std::vector<Shared*> free_;
  Run run_;
};

}  // namespace

Run run_row(const Judge& judge, const RunOptions& options) { return Runner(judge, options).run(); }

}  // namespace fonds::campaign
