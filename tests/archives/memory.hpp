// Bytes in memory, and a check for what cannot fail: for tables of archives.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>

#include "io/testing.hpp"

namespace fonds::testing_archives {

using testing_io::TextSink;

inline std::shared_ptr<ByteSource> memory_of(std::string_view bytes,
                                             std::string name = "<memory>") {
  const ByteView view = as_bytes(bytes);
  return memory_source({view.begin(), view.end()}, std::move(name));
}

// Throws if what a table relies on does not hold.
inline void require(bool good, std::string_view what) {
  if (!good) {
    throw std::runtime_error(std::string(what));
  }
}

}  // namespace fonds::testing_archives
