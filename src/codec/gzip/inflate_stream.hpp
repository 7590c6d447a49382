// Raw deflate in pieces, for members that are too large to be decoded whole and for pipes.
#pragma once

#include <cstddef>
#include <memory>

#include <fonds/bytes.hpp>

namespace fonds::gzip {

// ISA-L's inflater: about twice as fast as zlib on long streams.
class InflateStream {
 public:
  static constexpr std::size_t kMostReturned = 8;

  InflateStream();
  ~InflateStream();

  void start();
  enum class State : std::uint8_t { More, End, Corrupt };
  struct Step {
    State state;
    // Bytes of the input that are done with. At End all steps together make exactly those of the stream: the last one
    // may be negative, down to -kMostReturned, where bytes that were taken earlier lie behind the stream's end.
    std::ptrdiff_t used;
    std::size_t written;  // bytes of `out` that hold output, also with Corrupt
  };
  // Decodes from `in` to `out` until one of them is used up, the stream ends or is found corrupt.
  Step run(ByteView in, MutableByteView out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fonds::gzip
