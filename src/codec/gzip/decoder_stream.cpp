// Members that are decoded in pieces: from the start or from a seek point, offering borders, or on
// several threads.
#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/core.h>
#include <libdeflate.h>

#include <fonds/seek_index.hpp>

#include "codec/gzip/decoder.hpp"
#include "codec/resync.hpp"

namespace fonds::gzip {
namespace {

// While a border is wanted, the reader is at most this many decoded bytes behind the decoder.
constexpr std::size_t kSmallPiece = std::size_t{64} << 10;
// Stored bytes in which every border is offered; where none was taken in them, one is offered from
// time to time: nobody knows when the next record begins.
constexpr std::uint64_t kEager = std::uint64_t{512} << 10;
constexpr std::uint64_t kLazyStep = std::uint64_t{256} << 10;

}  // namespace

Result<BufferedDecoder::Fill> GzipDecoder::begin_at_point() {
  point_ = options_.resume.get();
  const std::uint64_t offset = point_->stored_offset;
  const Place place = point_->place.value_or(Place{offset, 0});
  member_ = place.unit;
  data_ = stream_position_ = offset;
  decoded_ = place.inner;
  begin_unit(place.unit, place.inner);
  std::byte before{};
  if (point_->bits > 0) {
    if (!window_.mapped() && !window_.source()->random_access()) {
      FONDS_CHECK(step_over(window_, 0, offset - 1));
    }
    FONDS_TRY(const ByteView stored, window_.at(offset - 1, 1));
    before = stored.empty() ? before : stored[0];
  }
  history_.clear();
  history_.add(point_->window);
  stream_ = std::make_unique<InflateStream>();
  engine_ = Engine::Fast;
  const ByteView window = history_.view();
  if (start_spans({offset, point_->bits, {window.begin(), window.end()}, decoded_, 0})) {
    return more_spans();
  }
  stream_->start(engine_, {point_->bits, before, window});
  mode_ = Mode::Stream;
  return more_stream();
}

void GzipDecoder::report_bad_point() {
  report("seek-point-bad",
         fmt::format("nothing can be decoded from {} bits before this offset on", point_->bits),
         point_->stored_offset);
}

Result<BufferedDecoder::Fill> GzipDecoder::start_stream(Engine engine) {
  decoded_ = 0;
  crc_ = 0;
  if (engine == Engine::Fast && start_spans({.stored_offset = data_})) {
    return more_spans();
  }
  if (stream_ == nullptr) {
    stream_ = std::make_unique<InflateStream>();
  }
  engine_ = engine;
  stream_->start(engine);
  history_.clear();
  stream_position_ = data_;
  mode_ = Mode::Stream;
  return more_stream();
}

Result<BufferedDecoder::Fill> GzipDecoder::more_stream() {
  // A border may lie a few bytes back, and the byte before it is looked at.
  constexpr std::uint64_t kBack = InflateStream::kMostReturned + 1;
  window_.release(stream_position_ - std::min(stream_position_, kBack));
  // Where each read is a round trip, with what has come: nothing behind may be wanted.
  const bool round_trips = !window_.mapped() && window_.source()->random_access();
  FONDS_TRY(const ByteView stored, window_.at(stream_position_, round_trips ? 1 : kStreamPiece));
  const bool watch = wants_border();
  const MutableByteView out = reserve(kStreamPiece).first(watch ? kSmallPiece : stream_piece());
  const auto step = watch ? stream_->run_to_border(stored, out) : stream_->run(stored, out);
  const bool stuck =
      step.used == 0 && step.written == 0 && step.state == InflateStream::State::More;
  stream_position_ =
      static_cast<std::uint64_t>(static_cast<std::int64_t>(stream_position_) + step.used);
  if (point_ == nullptr) {
    crc_ = libdeflate_crc32(crc_, out.data(), step.written);
  }
  decoded_ += step.written;
  if (collecting()) {
    history_.add(out.first(step.written));
  }
  const auto drop = static_cast<std::size_t>(std::min<std::uint64_t>(drop_, step.written));
  if (drop > 0) {
    std::memmove(out.data(), out.data() + drop, step.written - drop);
    drop_ -= drop;
  }
  commit(step.written - drop);
  switch (step.state) {
    case InflateStream::State::More:
      if (stuck || (stored.empty() && step.written < out.size())) {
        return stream_is_stuck();
      }
      break;
    case InflateStream::State::Border:
      FONDS_CHECK(pass_border(step.bits));
      break;
    case InflateStream::State::End:
      return end_member(stream_position_, crc_, decoded_);
    case InflateStream::State::Corrupt:
      return damaged(
          fmt::format("gzip member cannot be decoded behind its first {} bytes", decoded_));
  }
  point_good_ = true;
  return Fill::More;
}

Result<BufferedDecoder::Fill> GzipDecoder::stream_is_stuck() {
  if (window_.mapped()) {
    // A damaged length can make the member swallow all that follows.
    FONDS_TRY(const std::uint64_t inside, find_member(member_ + 1, kNowhere));
    if (inside < stream_position_) {
      return damaged(fmt::format("gzip member seems to reach over the member at {}", inside));
    }
  }
  if (point_ != nullptr && !point_good_) {
    report_bad_point();
  } else {
    report("truncated-member",
           fmt::format("gzip member is cut short; {} bytes of it decode", decoded_), member_);
  }
  position_ = stream_position_;
  mode_ = Mode::Over;
  return Fill::End;
}

// Pieces end at the same decoded bytes however a member is entered: what ISA-L gives of damaged
// data depends on how much room it had.
std::size_t GzipDecoder::stream_piece() const {
  const bool soon =
      collecting() && options_.collect->wants(stream_position_ + kStreamPiece,
                                              decoded_before_ + decoded_ + kStreamPiece);
  const std::size_t piece = soon ? kSmallPiece : kStreamPiece;
  return piece - static_cast<std::size_t>(decoded_ % piece);
}

// By the seek points that lie ahead, if there are any and threads to use them.
bool GzipDecoder::start_spans(SpanDecoder::State from) {
  if (options_.seek == nullptr || options_.threads < 2 || options_.collect != nullptr ||
      !window_.mapped()) {
    return false;
  }
  if (spans_ == nullptr) {
    spans_ = std::make_unique<SpanDecoder>(window_.source(), options_.seek, options_.threads,
                                           options_.max_buffer);
  }
  if (!spans_->begin(std::move(from))) {
    return false;
  }
  mode_ = Mode::Spans;
  return true;
}

Result<BufferedDecoder::Fill> GzipDecoder::more_spans() {
  SpanDecoder::Piece piece = spans_->next();
  switch (piece.event) {
    case SpanDecoder::Event::Bytes:
      break;
    case SpanDecoder::Event::End:
      crc_ = spans_->crc();
      return end_member(piece.stored, crc_, decoded_);
    case SpanDecoder::Event::Stuck:
      return decode_again(spans_->state());
  }
  window_.release(piece.stored);
  const std::size_t n = piece.to - piece.from;
  decoded_ += n;
  const auto drop = static_cast<std::size_t>(std::min<std::uint64_t>(drop_, n));
  drop_ -= drop;
  BufferedDecoder::Piece block{std::move(piece.bytes), SpanDecoder::kBlock};
  append(block, piece.from + drop, piece.to);
  const bool alike = block.capacity == SpanDecoder::kBlock;
  spans_->give_back(alike ? std::move(block.bytes) : nullptr);
  point_good_ = true;
  return Fill::More;
}

// Something is wrong behind `from`: as without threads, so that the same is found.
Result<BufferedDecoder::Fill> GzipDecoder::decode_again(const SpanDecoder::State& from) {
  std::byte before{};
  if (from.bits > 0) {
    FONDS_TRY(const ByteView stored, window_.at(from.stored_offset - 1, 1));
    before = stored[0];
  }
  if (stream_ == nullptr) {
    stream_ = std::make_unique<InflateStream>();
  }
  engine_ = Engine::Fast;
  stream_->start(engine_, {from.bits, before, from.window});
  stream_position_ = from.stored_offset;
  drop_ += decoded_ - from.decoded;
  decoded_ = from.decoded;
  crc_ = from.crc;
  if (point_ != nullptr) {
    const std::uint64_t begun = point_->place ? point_->place->inner : 0;
    point_good_ = decoded_ / kStreamPiece > begun / kStreamPiece;
  }
  mode_ = Mode::Stream;
  return more_stream();
}

void GzipDecoder::offer_member() {
  if (options_.collect != nullptr) {
    options_.collect->offer({.stored_offset = data_, .place = Place{member_, 0}}, decoded_before_);
  }
}

bool GzipDecoder::wants_border() {
  if (!collecting()) {
    return false;
  }
  const SeekCollector& collect = *options_.collect;
  if (!collect.wants(stream_position_, decoded_before_ + decoded_)) {
    wanted_since_.reset();
    return false;
  }
  if (!wanted_since_ || taken_ != collect.taken()) {
    wanted_since_ = look_at_ = stream_position_;
    taken_ = collect.taken();
  }
  return stream_position_ >= look_at_;
}

Status GzipDecoder::pass_border(unsigned bits) {
  std::byte before{};
  if (bits > 0) {
    FONDS_TRY(const ByteView stored, window_.at(stream_position_ - 1, 1));
    before = stored[0];
  }
  const ByteView window = history_.view();
  options_.collect->offer({.stored_offset = stream_position_,
                           .bits = static_cast<std::uint8_t>(bits),
                           .place = Place{member_, decoded_},
                           .window = {window.begin(), window.end()}},
                          decoded_before_ + decoded_);
  stream_->start(engine_, {bits, before, window});
  // The border may lie a few bytes before the place where the search began.
  const bool eager = stream_position_ < wanted_since_.value_or(stream_position_) + kEager;
  look_at_ = eager ? stream_position_ : stream_position_ + kLazyStep;
  return {};
}

}  // namespace fonds::gzip
