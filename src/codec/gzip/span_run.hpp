// Decoding a part of a deflate stream that must end at a given border.
#pragma once

#include <cstddef>
#include <cstdint>

#include <fonds/bytes.hpp>

#include "codec/gzip/inflate_stream.hpp"

namespace fonds::gzip {

class SpanRun {
 public:
  enum class Stop : std::uint8_t {
    Full,    // `out` is full
    Border,  // a block ends at position() with bits(); start() there to go on
    Inside,  // position() is the limit and no block ends there; all before it is decoded
    End,     // the stream ended at position()
    Stuck,   // damaged, or the data is over
  };

  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

  // `stored` is the whole source; it must stay.
  explicit SpanRun(ByteView stored) : stored_(stored) {}

  void start(std::uint64_t stored_offset, unsigned bits, ByteView window);
  // Stops at this stored offset, which lies behind position(). It stays until it is set anew.
  void set_limit(std::uint64_t limit) { limit_ = limit; }
  Stop run(MutableByteView out, std::size_t& written);

  // Stored bytes that were taken; some of them may not be decoded yet before a stop.
  std::uint64_t position() const { return position_; }
  unsigned bits() const { return bits_; }

 private:
  InflateStream::Step step(MutableByteView room);

  ByteView stored_;
  InflateStream stream_;
  std::uint64_t position_ = 0;
  std::uint64_t limit_ = kNoLimit;
  unsigned bits_ = 0;
  bool decoded_all_ = false;  // nothing that was taken waits for room in the output
};

}  // namespace fonds::gzip
