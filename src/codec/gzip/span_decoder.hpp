// Decoding long gzip members on several threads: between two seek points lies a span, and spans are
// decoded at the same time. What next() gives is what one decoder would give from the start: a span
// counts only if the one before it ends just at its border, and what its seek point claims to be
// the window makes no difference to the bytes.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/seek_index.hpp>

#include "codec/gzip/history.hpp"
#include "codec/gzip/span_run.hpp"

namespace fonds::gzip {

// One caller, which delivers; the threads that decode are its own and end with it.
class SpanDecoder {
 public:
  // `source` is mapped. About `max_bytes` of decoded bytes are held.
  SpanDecoder(std::shared_ptr<ByteSource> source, std::shared_ptr<const SeekIndex> index,
              unsigned threads, std::uint64_t max_bytes);
  ~SpanDecoder();
  SpanDecoder(const SpanDecoder&) = delete;
  SpanDecoder& operator=(const SpanDecoder&) = delete;

  // Where a decoder can go on.
  struct State {
    std::uint64_t stored_offset = 0;
    unsigned bits = 0;
    std::vector<std::byte> window = {};
    std::uint64_t decoded = 0;  // bytes of the member before
    std::uint32_t crc = 0;      // and their CRC-32
  };
  // Goes to a member. False if no seek point lies in it or behind; then do without.
  bool begin(State state);

  enum class Event : std::uint8_t {
    Bytes,
    End,    // of the member's deflate data, at Piece::stored
    Stuck,  // one decoder must find out what is wrong; state() is a place before it
  };
  struct Piece {
    Event event = Event::Stuck;
    std::unique_ptr<std::byte[]> bytes = {};
    std::size_t from = 0, to = 0;  // what is decoded in `bytes`; there is room before `from`
    std::uint64_t stored = 0;      // bytes of the source that are done with
  };
  static constexpr std::size_t kHeadroom = std::size_t{64} << 10;
  static constexpr std::size_t kPiece = std::size_t{1} << 20;
  static constexpr std::size_t kBlock = kHeadroom + kPiece;

  Piece next();
  // Takes back the `bytes` of a piece, or others of kBlock bytes in their place; or nullptr.
  void give_back(std::unique_ptr<std::byte[]> bytes);

  std::uint32_t crc() const { return crc_; }  // of all bytes of the member
  const State& state() const { return start_; }

 private:
  struct Chunk {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size;
    std::uint32_t crc;
    std::uint64_t stored;
  };
  struct Span {
    std::size_t index = 0;  // of its point
    std::uint64_t start = 0;
    unsigned bits = 0;
    std::uint64_t end = SpanRun::kNoLimit;  // where the next one begins
    // Under mutex_ until `done`; the window also from `loaded` on.
    bool claimed = false, loaded = false, done = false, cancelled = false;
    std::vector<std::byte> window = {};  // what the point claims; kDeflateWindow bytes or none
    std::deque<Chunk> chunks = {};
    SpanRun::Stop stop = SpanRun::Stop::Stuck;
    std::unique_ptr<SpanRun> run = {};  // as it stopped
    History tail = {};                  // of what was decoded
  };
  using SpanPtr = std::shared_ptr<Span>;
  using Lock = std::unique_lock<std::mutex>;

  // What the threads do.
  void work();
  SpanPtr claim();
  void decode(Span& span);
  bool load(Span& span);
  std::unique_ptr<std::byte[]> wait_for_block(const Span& span);
  bool push(Span& span, Chunk chunk);
  // With mutex_ held.
  SpanPtr next_unclaimed();
  bool plan();
  bool usable(const SeekPoint& border) const;
  std::unique_ptr<std::byte[]> take_block(Lock& lock);
  void release(std::unique_ptr<std::byte[]> bytes);
  void drop_first();
  void drop_before(std::uint64_t stored_offset);

  // What the caller does.
  SpanPtr target();
  void start_threads();
  bool begins_member(Span& span);
  std::optional<Piece> next_of_span();
  void leave_span();
  std::optional<Piece> next_alone();
  void arrive(std::uint64_t stored_offset, unsigned bits);
  bool accept(const SpanPtr& span);
  bool same_bytes(Span& span);
  Piece deliver(Chunk chunk);
  void set_start(std::uint64_t stored_offset, unsigned bits);

  const std::shared_ptr<ByteSource> source_;
  const ByteView stored_;
  const std::shared_ptr<const SeekIndex> index_;
  const unsigned thread_count_;
  const std::size_t most_blocks_;

  std::mutex mutex_;
  std::condition_variable work_;   // for threads: something can be begun or gone on with
  std::condition_variable ready_;  // for the caller: a chunk or an end
  bool stopping_ = false;
  std::size_t next_point_ = 0;  // index of the next point to plan a span from
  std::deque<SpanPtr> spans_;   // planned and not delivered, in stored order
  std::vector<std::unique_ptr<std::byte[]>> free_;
  std::size_t given_ = 0;  // blocks that are not in free_

  // The caller's.
  State start_;
  std::uint64_t passed_ = 0;  // spans that begin before this were dropped
  std::uint64_t decoded_ = 0;
  std::uint32_t crc_ = 0;
  History history_;  // true bytes up to where the current span began, or up to alone_
  SpanPtr current_;  // the span that is delivered; else
  std::unique_ptr<SpanRun> alone_;           // the caller decodes by itself
  std::optional<SpanRun::Stop> alone_stop_;  // and came here

  std::vector<std::jthread> threads_;
};

}  // namespace fonds::gzip
