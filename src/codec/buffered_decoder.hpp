// What all decoders but "none" share: a buffer of decoded bytes with the places they came from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <fonds/codec.hpp>

namespace fonds {

class BufferedDecoder : public Decoder {
 public:
  explicit BufferedDecoder(const DecodeOptions& options) : options_(options) {}
  Result<ByteView> peek(std::size_t at_least) override;
  void consume(std::size_t n) override;
  Place place() const override;
  std::size_t shown_of_unit() const override;
  Result<bool> next_run() override;

 protected:
  enum class Fill { More, Gap, End };
  // Decodes more bytes behind the ones that are there: calls begin_unit() where a unit begins,
  // reserve() and commit() for its bytes, as often as it likes, and returns
  //   More: something was added (or an empty unit passed);
  //   Gap: the run is over here; the next call goes on behind the gap;
  //   End: the data is over; so say all further calls.
  // `wanted` bytes would be good, more or fewer are fine.
  virtual Result<Fill> fill(std::size_t wanted) = 0;

  // The next bytes belong to the unit at `stored_offset`, beginning with its decoded byte `inner`.
  void begin_unit(std::uint64_t stored_offset, std::uint64_t inner = 0);
  // Uninitialised room for at least `n` bytes behind the decoded ones; valid until the next
  // reserve().
  MutableByteView reserve(std::size_t n);
  void commit(std::size_t n);
  // Bytes that were decoded elsewhere.
  struct Piece {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t capacity = 0;
  };
  // Adds piece.bytes[from, to) behind the decoded bytes. Usually the piece becomes the buffer, what
  // is not consumed yet is copied before `from` (whose content may be lost), and `piece` is left
  // with the old buffer; where it does not fit there all is copied.
  void append(Piece& piece, std::size_t from, std::size_t to);
  std::size_t buffered() const { return end_ - begin_; }
  // Whether the run is over behind what is buffered.
  bool run_is_over() const { return gap_ || done_; }
  // Drops what was decoded and not consumed (skim_unit goes to another unit).
  void discard();

  DecodeOptions options_;

 private:
  struct Mark {
    std::size_t at;             // index into buffer_
    std::uint64_t unit, inner;  // place of the byte at `at`
  };
  void move_marks(std::size_t begin);
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0, end_ = 0;  // what is decoded and not consumed
  std::vector<Mark> marks_;          // ascending; marks_[0] covers begin_
  bool gap_ = false, done_ = false;
};

}  // namespace fonds
