// Raw deflate in pieces, for members that are too large to be decoded whole, for pipes, and for
// damaged members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <fonds/bytes.hpp>

namespace fonds::gzip {

class InflateStream {
 public:
  enum class Engine : std::uint8_t {
    Fast,  // ISA-L: twice as fast on long streams; in the first 32 KiB a distance that reaches too
           // far back goes unnoticed and gives zeros
    Exact,  // zlib: gives everything before the first impossible symbol, and nothing behind it
  };
  static constexpr std::size_t kMostReturned = 8;

  InflateStream();
  ~InflateStream();

  void start(Engine engine);
  enum class State : std::uint8_t { More, End, Corrupt };
  struct Step {
    State state;
    // Bytes of the input that are done with. At End all steps together make exactly those of the
    // stream: the last one may be negative, down to -kMostReturned, where bytes that were taken
    // earlier lie behind the stream's end.
    std::ptrdiff_t used;
    std::size_t written;  // bytes of `out` that hold output, also with Corrupt
  };
  // Decodes from `in` to `out` until one of them is used up, the stream ends or is found corrupt.
  Step run(ByteView in, MutableByteView out);

 private:
  struct Fast;
  struct Exact;
  std::unique_ptr<Fast> fast_;
  std::unique_ptr<Exact> exact_;
  Engine engine_ = Engine::Fast;
};

}  // namespace fonds::gzip
