// Runs variants in child processes, whose end, time and memory are watched.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "campaign/judge.hpp"

namespace fonds::campaign {

struct RunOptions {
  std::uint64_t seed = 1, variants = 40;
  unsigned jobs = 1;
  std::uint64_t batch = 250;       // variants of a child
  std::uint64_t most_shown = 20;   // breaches of a row
  std::uint64_t cpu_seconds = 10;  // of one variant
  std::uint64_t memory_mib = 160;  // resident set of a child
};

struct Run {
  Tally tally;
  std::uint64_t most_memory_kib = 0;
};

// Breaches are told on standard error as they come.
Run run_row(const Judge& judge, const RunOptions& options);

}  // namespace fonds::campaign
