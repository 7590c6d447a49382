// The threads of SpanDecoder, and what they share with the caller.
#include <algorithm>
#include <exception>
#include <utility>

#include <libdeflate.h>

#include "codec/gzip/span_decoder.hpp"

namespace fonds::gzip {
namespace {

// Shorter spans cost more than they bring.
constexpr std::uint64_t kShortest = std::uint64_t{256} << 10;
// Decoded bytes that are worth holding ahead of the caller however small the spans are.
constexpr std::size_t kAhead = std::size_t{16} << 20;

}  // namespace

bool SpanDecoder::usable(const SeekPoint& border) const {
  return border.bits <= 7 && border.stored_offset > 0 && border.stored_offset < stored_.size();
}

// Adds a span that begins at the next usable point.
bool SpanDecoder::plan() {
  const std::size_t size = index_->size();
  const std::uint64_t from = spans_.empty() ? passed_ : spans_.back()->start + 1;
  auto span = std::make_shared<Span>();
  for (; next_point_ < size; ++next_point_) {
    const SeekPoint border = index_->border(next_point_);
    if (usable(border) && border.stored_offset >= from) {
      span->index = next_point_;
      span->start = border.stored_offset;
      span->bits = border.bits;
      break;
    }
  }
  if (next_point_ >= size) {
    return false;
  }
  while (++next_point_ < size) {
    const SeekPoint border = index_->border(next_point_);
    if (usable(border) && border.stored_offset >= span->start + kShortest) {
      span->end = border.stored_offset;
      break;
    }
  }
  spans_.push_back(std::move(span));
  return true;
}

SpanDecoder::SpanPtr SpanDecoder::next_unclaimed() {
  for (const SpanPtr& span : spans_) {
    if (!span->claimed) {
      return span;
    }
  }
  const bool few = spans_.size() <= thread_count_ || given_ * kPiece < kAhead;
  return few && given_ < most_blocks_ && plan() ? spans_.back() : nullptr;
}

void SpanDecoder::drop_first() {
  const SpanPtr span = std::move(spans_.front());
  spans_.pop_front();
  span->cancelled = true;
  passed_ = std::max(passed_, span->start);
  for (Chunk& chunk : span->chunks) {
    release(std::move(chunk.bytes));
  }
  span->chunks.clear();
  work_.notify_all();
}

void SpanDecoder::drop_before(std::uint64_t stored_offset) {
  while (!spans_.empty() && spans_.front()->start < stored_offset) {
    drop_first();
  }
  passed_ = std::max(passed_, stored_offset);
}

std::unique_ptr<std::byte[]> SpanDecoder::take_block(Lock& lock) {
  std::unique_ptr<std::byte[]> bytes;
  if (free_.empty()) {
    lock.unlock();
    bytes.reset(new std::byte[kBlock]);
    lock.lock();
  } else {
    bytes = std::move(free_.back());
    free_.pop_back();
  }
  ++given_;
  return bytes;
}

void SpanDecoder::release(std::unique_ptr<std::byte[]> bytes) {
  --given_;
  if (bytes != nullptr) {
    free_.push_back(std::move(bytes));
  }
}

void SpanDecoder::work() {
  while (const SpanPtr span = claim()) {
    try {
      decode(*span);
    } catch (const std::exception&) {  // no memory: the caller finds its own way
      const std::scoped_lock lock(mutex_);
      span->stop = SpanRun::Stop::Stuck;
      span->done = true;
    }
    ready_.notify_all();
  }
}

SpanDecoder::SpanPtr SpanDecoder::claim() {
  Lock lock(mutex_);
  SpanPtr span;
  work_.wait(lock, [&] { return stopping_ || (span = next_unclaimed()) != nullptr; });
  if (stopping_) {
    return nullptr;
  }
  span->claimed = true;
  return span;
}

bool SpanDecoder::load(Span& span) {
  {
    const std::scoped_lock lock(mutex_);
    if (span.loaded) {
      return true;
    }
  }
  auto point = index_->point(span.index);
  const bool good = point && point->stored_offset == span.start && point->bits == span.bits;
  std::vector<std::byte> window;
  if (good && !point->window.empty()) {
    // Bytes that are missing at the front are taken for zeros.
    window.resize(kDeflateWindow);
    const std::size_t n = std::min(point->window.size(), kDeflateWindow);
    std::copy(point->window.end() - static_cast<std::ptrdiff_t>(n), point->window.end(),
              window.end() - static_cast<std::ptrdiff_t>(n));
  }
  const std::scoped_lock lock(mutex_);
  if (!span.loaded && good) {
    span.window = std::move(window);
    span.loaded = true;
  }
  ready_.notify_all();
  return span.loaded;
}

void SpanDecoder::decode(Span& span) {
  auto run = std::make_unique<SpanRun>(stored_);
  History tail;
  auto stop = SpanRun::Stop::Full;
  if (!load(span)) {
    stop = SpanRun::Stop::Stuck;
  } else {
    run->start(span.start, span.bits, span.window);
    run->set_limit(span.end);
  }
  while (stop == SpanRun::Stop::Full) {
    Chunk chunk{wait_for_block(span), 0, 0, 0};
    if (chunk.bytes == nullptr) {
      stop = SpanRun::Stop::Stuck;  // nobody waits for this span any more
      break;
    }
    const MutableByteView out(chunk.bytes.get() + kHeadroom, kPiece);
    stop = run->run(out, chunk.size);
    tail.add(out.first(chunk.size));
    chunk.crc = libdeflate_crc32(0, out.data(), chunk.size);
    chunk.stored = run->position();
    if (!push(span, std::move(chunk))) {
      stop = SpanRun::Stop::Stuck;
    }
  }
  const std::scoped_lock lock(mutex_);
  span.stop = stop;
  span.run = std::move(run);
  span.tail = std::move(tail);
  span.done = true;
}

// A span waits for its turn when there is no room; the first one always goes on.
std::unique_ptr<std::byte[]> SpanDecoder::wait_for_block(const Span& span) {
  Lock lock(mutex_);
  work_.wait(lock, [&] {
    const bool first = !spans_.empty() && spans_.front().get() == &span;
    return stopping_ || span.cancelled || given_ < most_blocks_ ||
           (first && span.chunks.size() < 2);
  });
  return stopping_ || span.cancelled ? nullptr : take_block(lock);
}

bool SpanDecoder::push(Span& span, Chunk chunk) {
  const std::scoped_lock lock(mutex_);
  const bool wanted = !stopping_ && !span.cancelled;
  if (wanted && chunk.size > 0) {
    span.chunks.push_back(std::move(chunk));
  } else {
    release(std::move(chunk.bytes));
  }
  ready_.notify_all();
  return wanted;
}

}  // namespace fonds::gzip
