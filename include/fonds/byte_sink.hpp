// Where bytes go: files, standard output, memory.
#pragma once

#include <cstdint>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

namespace fonds {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // Writes all of `bytes`. Errors: Io. One thread at a time.
  virtual Status write(ByteView bytes) = 0;
  // Bytes written so far.
  virtual std::uint64_t position() const = 0;
};

}  // namespace fonds
