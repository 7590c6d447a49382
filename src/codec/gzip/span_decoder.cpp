// The caller's side of SpanDecoder: what is delivered, and whether it is true.
#include "codec/gzip/span_decoder.hpp"

#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>

#include <libdeflate.h>
#include <zlib.h>

namespace fonds::gzip {

SpanDecoder::SpanDecoder(std::shared_ptr<ByteSource> source, std::shared_ptr<const SeekIndex> index,
                         unsigned threads, std::uint64_t max_bytes)
    : source_(std::move(source)),
      stored_(source_->view().value_or(ByteView{})),
      index_(std::move(index)),
      thread_count_(threads),
      most_blocks_(static_cast<std::size_t>(std::max<std::uint64_t>(max_bytes / kBlock, 2))) {}

SpanDecoder::~SpanDecoder() {
  const std::scoped_lock lock(mutex_);
  stopping_ = true;
  work_.notify_all();
}

void SpanDecoder::start_threads() {
  try {
    while (threads_.size() < thread_count_) {
      threads_.emplace_back([this] { work(); });
    }
  } catch (const std::system_error&) {
    return;  // those that could be started do it, or the caller alone
  }
}

bool SpanDecoder::begin(State state) {
  {
    const std::scoped_lock lock(mutex_);
    if (state.stored_offset < passed_) {
      // Back, to a member that lay inside a damaged one.
      drop_before(SpanRun::kNoLimit);
      next_point_ = 0;
    }
    drop_before(state.stored_offset);
    passed_ = state.stored_offset;
  }
  const SpanPtr first = target();
  if (first == nullptr) {
    return false;
  }
  start_threads();
  if (threads_.empty()) {
    return false;
  }
  start_ = std::move(state);
  decoded_ = start_.decoded;
  crc_ = start_.crc;
  history_.clear();
  history_.add(start_.window);
  current_ = nullptr;
  alone_stop_.reset();
  if (first->start == start_.stored_offset) {
    if (begins_member(*first)) {
      current_ = first;
      return true;
    }
    const std::scoped_lock lock(mutex_);
    drop_first();
  }
  if (alone_ == nullptr) {
    alone_ = std::make_unique<SpanRun>(stored_);
  }
  alone_->start(start_.stored_offset, start_.bits, history_.view());
  return true;
}

// A point at the start of the member needs no proof if it claims no window. Who resumed at a point
// that tells no place has a window, but no bytes before.
bool SpanDecoder::begins_member(Span& span) {
  if (start_.decoded > 0 || start_.bits > 0 || span.bits > 0 || !start_.window.empty()) {
    return false;
  }
  Lock lock(mutex_);
  span.loaded = span.loaded || !span.claimed;
  ready_.wait(lock, [&] { return span.loaded || span.done; });
  return span.loaded && span.window.empty();
}

SpanDecoder::Piece SpanDecoder::next() {
  while (true) {
    if (auto piece = current_ != nullptr ? next_of_span() : next_alone()) {
      return std::move(*piece);
    }
  }
}

SpanDecoder::Piece SpanDecoder::deliver(Chunk chunk) {
  crc_ = decoded_ == 0 ? chunk.crc
                       : static_cast<std::uint32_t>(
                             crc32_combine(crc_, chunk.crc, static_cast<z_off_t>(chunk.size)));
  decoded_ += chunk.size;
  return {Event::Bytes, std::move(chunk.bytes), kHeadroom, kHeadroom + chunk.size, chunk.stored};
}

std::optional<SpanDecoder::Piece> SpanDecoder::next_of_span() {
  Span& span = *current_;
  {
    Lock lock(mutex_);
    ready_.wait(lock, [&] { return !span.chunks.empty() || span.done; });
    if (!span.chunks.empty()) {
      Chunk chunk = std::move(span.chunks.front());
      span.chunks.pop_front();
      work_.notify_all();
      return deliver(std::move(chunk));
    }
  }
  if (span.stop == SpanRun::Stop::End || span.stop == SpanRun::Stop::Stuck) {
    Piece piece;
    piece.event = span.stop == SpanRun::Stop::End ? Event::End : Event::Stuck;
    piece.stored = span.run != nullptr ? span.run->position() : span.start;
    return piece;
  }
  leave_span();
  return std::nullopt;
}

// The current span came to the border of the next one, or found none there.
void SpanDecoder::leave_span() {
  const SpanPtr span = std::move(current_);
  current_ = nullptr;
  history_.add(span->tail.view());
  alone_ = std::move(span->run);
  alone_stop_.reset();
  {
    const std::scoped_lock lock(mutex_);
    drop_first();
  }
  if (span->stop == SpanRun::Stop::Border) {
    arrive(alone_->position(), alone_->bits());
  } else {
    const std::scoped_lock lock(mutex_);
    drop_before(alone_->position() + 1);
  }
}

// At a true border: on with the span that begins here, or alone.
void SpanDecoder::arrive(std::uint64_t stored_offset, unsigned bits) {
  const SpanPtr span = target();
  set_start(stored_offset, bits);
  if (span != nullptr && span->start == stored_offset && span->bits == bits && accept(span)) {
    current_ = span;
    return;
  }
  {
    const std::scoped_lock lock(mutex_);
    drop_before(stored_offset + 1);
  }
  alone_->start(stored_offset, bits, history_.view());
}

void SpanDecoder::set_start(std::uint64_t stored_offset, unsigned bits) {
  const ByteView window = history_.view();
  start_ = {stored_offset, bits, {window.begin(), window.end()}, decoded_, crc_};
}

bool SpanDecoder::accept(const SpanPtr& span) {
  const ByteView window = history_.view();
  {
    Lock lock(mutex_);
    if (!span->claimed) {
      span->window.assign(window.begin(), window.end());
      span->loaded = true;  // what is true need not be read
      work_.notify_all();
      return true;
    }
    ready_.wait(lock, [&] { return span->loaded || span->done; });
    if (!span->loaded) {
      return false;
    }
  }
  return std::equal(span->window.begin(), span->window.end(), window.begin(), window.end()) ||
         same_bytes(*span);
}

// Whether the first bytes of a span are those that the true window gives. Nothing behind them
// refers to the window.
bool SpanDecoder::same_bytes(Span& span) {
  const Chunk* first = nullptr;
  {
    Lock lock(mutex_);
    ready_.wait(lock, [&] { return !span.chunks.empty() || span.done; });
    if (span.chunks.empty()) {
      return span.stop != SpanRun::Stop::Stuck;
    }
    first = &span.chunks.front();  // stays: only the caller takes it away
  }
  const std::size_t n = std::min(first->size, kDeflateWindow);
  std::vector<std::byte> room(n);
  SpanRun run(stored_);
  run.start(span.start, span.bits, history_.view());
  std::size_t written = 0;
  run.run(room, written);
  const std::byte* const claimed = first->bytes.get() + kHeadroom;
  return written == n && std::equal(room.begin(), room.end(), claimed);
}

SpanDecoder::SpanPtr SpanDecoder::target() {
  const std::scoped_lock lock(mutex_);
  return spans_.empty() && !plan() ? nullptr : spans_.front();
}

std::optional<SpanDecoder::Piece> SpanDecoder::next_alone() {
  if (alone_stop_ == SpanRun::Stop::End || alone_stop_ == SpanRun::Stop::Stuck) {
    return Piece{.event = alone_stop_ == SpanRun::Stop::End ? Event::End : Event::Stuck,
                 .stored = alone_->position()};
  }
  if (alone_stop_ == SpanRun::Stop::Border) {
    alone_stop_.reset();
    arrive(alone_->position(), alone_->bits());
    return std::nullopt;
  }
  if (alone_stop_ == SpanRun::Stop::Inside) {
    const std::scoped_lock lock(mutex_);
    drop_before(alone_->position() + 1);
  }
  alone_stop_.reset();
  std::size_t room = kPiece;
  alone_->set_limit(SpanRun::kNoLimit);
  if (history_.view().size() < kDeflateWindow) {
    // Going on at a border would need more of a window than there is.
    room = kDeflateWindow - history_.view().size();
  } else {
    {
      const std::scoped_lock lock(mutex_);
      drop_before(alone_->position() + 2);
    }
    if (const SpanPtr ahead = target()) {
      alone_->set_limit(ahead->start);
    }
  }
  Chunk chunk{};
  {
    Lock lock(mutex_);
    chunk.bytes = take_block(lock);
  }
  const MutableByteView out(chunk.bytes.get() + kHeadroom, room);
  const auto stop = alone_->run(out, chunk.size);
  alone_stop_ = stop;
  history_.add(out.first(chunk.size));
  chunk.crc = libdeflate_crc32(0, out.data(), chunk.size);
  chunk.stored = alone_->position();
  if (chunk.size == 0) {
    give_back(std::move(chunk.bytes));
    return std::nullopt;
  }
  return deliver(std::move(chunk));
}

void SpanDecoder::give_back(std::unique_ptr<std::byte[]> bytes) {
  const std::scoped_lock lock(mutex_);
  release(std::move(bytes));
  work_.notify_all();
}

}  // namespace fonds::gzip
