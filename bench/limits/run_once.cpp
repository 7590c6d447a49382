// run_once SECONDS ERRORS COMMAND…: runs COMMAND once with its standard output discarded and its
// standard error in the file ERRORS, ends it after SECONDS, and prints what it took as a line of
// JSON; "status" is as `wait` gives it.
//
// A program of its own, because the kernel counts the peak memory of whoever forked into the peak
// of the child: measured from Python, nothing takes less than Python does. Here the floor is 4 MiB.

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <sys/resource.h>  // NOLINT(misc-include-cleaner): struct rusage
#include <sys/wait.h>
#include <unistd.h>

#include "support.hpp"

namespace {

// Of a timeval.
double seconds(const auto& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// In the child: does not return.
[[noreturn]] void run(unsigned limit_s, const char* errors, char** command) {
  const int null = ::open("/dev/null", O_RDWR);
  const int err = ::open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (null < 0 || err < 0 || ::dup2(null, STDIN_FILENO) < 0 || ::dup2(null, STDOUT_FILENO) < 0 ||
      ::dup2(err, STDERR_FILENO) < 0) {
    ::_exit(126);
  }
  ::alarm(limit_s);  // stays set over exec; SIGALRM ends the command
  ::execvp(command[0], command);
  ::_exit(127);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fonds::bench::fail("usage: run_once SECONDS ERRORS COMMAND…");
  }
  const auto limit_s = static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10));
  const auto start = std::chrono::steady_clock::now();
  const auto child = ::fork();
  if (child == 0) {
    run(limit_s, argv[2], argv + 3);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || ::wait4(child, &status, 0, &usage) != child) {
    fonds::bench::fail("the command cannot be started");
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  std::printf(
      "{\"status\": %d, \"wall\": %.6f, \"user\": %.6f, \"sys\": %.6f, \"rss_mib\": %.3f}\n",
      status, wall.count(), seconds(usage.ru_utime), seconds(usage.ru_stime),
      static_cast<double>(usage.ru_maxrss) / 1024);
  return 0;
}
