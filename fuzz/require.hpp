// What a fuzz target holds to be true.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>

namespace fonds::fuzz {

inline void require(bool holds, std::source_location here = std::source_location::current()) {
  if (!holds) {
    std::fprintf(stderr, "line %u does not hold\n", static_cast<unsigned>(here.line()));
    std::abort();
  }
}

}  // namespace fonds::fuzz
