// Entering a long gzip member in the middle: decoder states that were saved while it was decoded
// once. Made by decoding with a SeekCollector, or read from a companion (.chk.lz4, .gzidx).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include <fonds/bytes.hpp>
#include <fonds/codec.hpp>
#include <fonds/error.hpp>

namespace fonds {

// A border between two deflate blocks, and what a decoder must know to begin there.
struct SeekPoint {
  std::uint64_t stored_offset = 0;  // of the first stored byte of which no bit has been read
  std::uint8_t bits = 0;  // how many high bits of the byte before are still to be read, 0 to 7
  std::optional<Place> place = {};  // of the first byte decoded from here, if that is known
  // The decoded bytes before the point, oldest first: 32 KiB, or fewer if the member has no more.
  // Bytes that nothing behind the point refers to may be zero.
  std::vector<std::byte> window = {};
};

// Seek points of one source in stored order. Stateless: every member may be called from many
// threads. Nothing in an index is certain; who enters by it checks what is found there.
class SeekIndex {
 public:
  virtual ~SeekIndex() = default;
  virtual std::size_t size() const = 0;
  // A point without its window; `i` is less than size(). Stored offsets ascend.
  virtual SeekPoint border(std::size_t i) const = 0;
  // The whole point. Errors: Io; Corrupt if it cannot be read.
  virtual Result<SeekPoint> point(std::size_t i) const = 0;
};

// Gathers seek points while a gzip decoder runs (DecodeOptions::collect): the decoder offers
// borders, whoever reads what it decodes takes those that are wanted. One thread.
class SeekCollector {
 public:
  enum class Measure : std::uint8_t { Stored, Decoded };
  // Points are at least `spacing` bytes apart, stored or decoded.
  explicit SeekCollector(std::uint64_t spacing, Measure measure = Measure::Stored)
      : spacing_(spacing), measure_(measure) {}

  // The newest border at or before `place`, in its unit, that is at least the spacing behind the
  // one that was taken last (the first one: behind the start). Nothing if there is none.
  std::optional<SeekPoint> take(const Place& place);

  // For decoders. Whether borders at and behind this place would be of use.
  bool wants(std::uint64_t stored_offset, std::uint64_t decoded) const;
  // `point` has a place and a window; `decoded` is its distance from the start of the decoded data.
  void offer(SeekPoint point, std::uint64_t decoded);
  // How many borders wait to be taken: the newest ones, at most 64.
  std::size_t waiting() const { return offered_.size(); }
  // How many were taken.
  std::uint64_t taken() const { return taken_; }

 private:
  struct Offer {
    SeekPoint point;
    std::uint64_t decoded;
  };
  std::uint64_t spacing_;
  Measure measure_;
  std::uint64_t last_ = 0;  // where the point that was taken last lies, by the measure
  std::uint64_t taken_ = 0;
  std::deque<Offer> offered_;
};

}  // namespace fonds
