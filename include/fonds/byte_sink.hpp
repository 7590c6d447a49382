// Where bytes go: files, standard output, memory.
#pragma once

#include <cstdint>
#include <memory>

#include <fonds/byte_source.hpp>
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
  // Whether rewrite_at() works: for files, not for pipes.
  virtual bool can_rewrite() const { return false; }
  // Replaces bytes that were written at `offset`. Errors: Io; BadArgument for bytes that were not;
  // Unsupported.
  virtual Status rewrite_at(std::uint64_t offset, ByteView bytes) {
    static_cast<void>(offset);
    static_cast<void>(bytes);
    return fail(ErrorCode::Unsupported, "what was written to a pipe cannot be replaced");
  }
  // What was written so far, as a source that must not outlive this. Errors: Io; Unsupported.
  virtual Result<std::shared_ptr<ByteSource>> written() const {
    return fail(ErrorCode::Unsupported, "what was written to a pipe cannot be read");
  }
};

}  // namespace fonds
