// Raw deflate in pieces, for members that are too large to be decoded whole, for pipes, for damaged
// members, and for entering a member in the middle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <fonds/bytes.hpp>

namespace fonds::gzip {

// How far DEFLATE looks back.
inline constexpr std::size_t kDeflateWindow = std::size_t{32} << 10;

class InflateStream {
 public:
  enum class Engine : std::uint8_t {
    Fast,   // ISA-L: twice as fast on long streams; in the first 32 KiB a distance that reaches too
            // far back goes unnoticed and gives zeros
    Exact,  // zlib: gives everything before the first impossible symbol, and nothing behind it
  };
  static constexpr std::size_t kMostReturned = 8;

  // The end of a deflate block, where a decoder can begin.
  struct Border {
    unsigned bits = 0;     // how many high bits of `before` are still to be read, 0 to 7
    std::byte before{};    // the byte before the stored position; without bits it does not matter
    ByteView window = {};  // what was decoded before; the last kDeflateWindow bytes are used
  };

  InflateStream();
  ~InflateStream();

  // Begins a stream, or goes on in the middle of one.
  void start(Engine engine) { start(engine, Border{}); }
  void start(Engine engine, const Border& border);
  enum class State : std::uint8_t { More, End, Corrupt, Border };
  struct Step {
    State state;
    // Bytes of the input that are done with. At End and Border all steps together make exactly
    // those of the stream or of its blocks (with a last byte that is used in part): the last one
    // may be negative, down to -kMostReturned, where bytes that were taken earlier lie behind.
    std::ptrdiff_t used;
    std::size_t written;  // bytes of `out` that hold output, also with Corrupt
    unsigned bits = 0;    // with Border: how many bits of the last used byte are still to be read
  };
  // Decodes from `in` to `out` until one of them is used up, the stream ends or is found corrupt.
  // May still return Border if run_to_border() was called before.
  Step run(ByteView in, MutableByteView out);
  // The same, but also stops with Border where a block ends that is not the last one and all before
  // is written; then start() there to go on. Blocks that end in the very byte in which their
  // symbols begin may be passed over. Engine::Fast only; the other one sees no borders.
  Step run_to_border(ByteView in, MutableByteView out);

 private:
  struct Fast;
  struct Exact;
  std::unique_ptr<Fast> fast_;
  std::unique_ptr<Exact> exact_;
  Engine engine_ = Engine::Fast;
};

}  // namespace fonds::gzip
