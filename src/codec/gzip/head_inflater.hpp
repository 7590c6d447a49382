// A raw DEFLATE (RFC 1951) decoder made for the first kilobyte or so of very many streams: what it
// saves is the set-up of a stream and of its Huffman tables. Whole streams of any length belong to
// the real decoders.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <fonds/bytes.hpp>

namespace fonds::gzip {

// Accepts and refuses exactly the streams that zlib's raw inflate does. The object is 80 KB; keep
// one and start() it for each stream: nothing is allocated or cleared. One thread at a time.
class HeadInflater {
 public:
  enum class State : std::uint8_t {
    More,       // as many bytes as asked for are there, and nothing says that they are the last
    End,        // the stream is over and all of it is in output()
    NeedInput,  // the input ended inside the stream
    Corrupt,    // no DEFLATE stream goes on like this
  };

  static constexpr std::size_t kMaxOutput = 65536;  // bytes; run() stops there
  // A match is always decoded whole, and up to two literals go before it unchecked.
  static constexpr std::size_t kMaxOvershoot = 260;  // bytes

  HeadInflater() = default;
  HeadInflater(const HeadInflater&) = delete;
  HeadInflater& operator=(const HeadInflater&) = delete;

  // Begins a stream. `deflate` may reach far behind its end (to the end of a mapped file, say): no
  // more of it is touched than run() needs, give or take 600 bytes. The view must stay valid until
  // the last run().
  void start(ByteView deflate);

  // Decodes until at least `wanted` bytes (at most kMaxOutput) of output exist in total; up to
  // kMaxOvershoot more may come along. May be called again with a larger `wanted`. NeedInput and
  // Corrupt mean that there are fewer than `wanted` bytes; those before the damage are in output().
  // All states but More are final. A stream whose last byte is byte `wanted` may answer More or
  // End.
  State run(std::size_t wanted);

  // All that was decoded since start(). Valid until the next start(); run() makes it longer, but
  // moves nothing.
  ByteView output() const { return {output_.data(), size_}; }

  // Bytes of input of which at least one bit is used. At End the byte behind the stream, where a
  // gzip trailer begins; before that the stream cannot end earlier than here.
  std::size_t consumed() const { return static_cast<std::size_t>(next_ - begin_) - bit_count_ / 8; }

 private:
  // Sizes of the first-level tables in bits, and the largest number of entries that any complete
  // code of 286 (30) symbols and 15 bits needs with them, second level included. The builder checks
  // the bound nevertheless.
  static constexpr unsigned kLitlenBits = 10, kDistanceBits = 8;
  static constexpr std::size_t kLitlenEntries = 1334, kDistanceEntries = 402;
  struct Tables {
    std::array<std::uint32_t, kLitlenEntries> litlen;
    std::array<std::uint32_t, kDistanceEntries> distance;
  };
  struct Bits;
  enum class Phase : std::uint8_t { BlockHeader, Stored, Symbols, Over };

  static const Tables& fixed_tables();
  static bool read_tables(Bits& in, Tables& tables);
  static bool read_tables_bmi2(Bits& in, Tables& tables);
  static bool read_tables_inline(Bits& in, Tables& tables);
  void begin_block();
  void begin_stored();
  void begin_dynamic();
  void copy_stored(std::size_t limit);
  void decode_fast(std::size_t limit);
  void decode_fast_bmi2(std::size_t limit);
  void decode_fast_inline(std::size_t limit);
  void decode_careful(std::size_t limit);
  void refill_careful();
  void end_block();
  void fail(State why);

  const std::byte* begin_ = nullptr;
  const std::byte* next_ = nullptr;  // first byte that is not counted in bit_count_
  const std::byte* end_ = nullptr;
  // The lowest bit_count_ bits are the next ones of the input. What stands above them is either
  // zero or the bits that follow in the input, so that filling up may simply OR them in again.
  std::uint64_t bits_ = 0;
  unsigned bit_count_ = 0;
  Phase phase_ = Phase::Over;
  State result_ = State::NeedInput;  // while phase_ is Over
  bool last_block_ = false;
  std::size_t stored_left_ = 0;  // bytes of a stored block
  std::size_t size_ = 0;         // bytes of output
  const Tables* tables_ = nullptr;
  Tables own_tables_;
  static constexpr std::size_t kCopySlack = 32;  // copies may write this far behind a match
  std::array<std::byte, kMaxOutput + kMaxOvershoot + kCopySlack> output_;
};

}  // namespace fonds::gzip
