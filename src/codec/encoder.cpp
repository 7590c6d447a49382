// The one Encoder: cuts what comes into units, has them encoded here or on threads, and writes them
// in order.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/buffer.hpp>
#include <fonds/byte_sink.hpp>
#include <fonds/bytes.hpp>
#include <fonds/encoder.hpp>
#include <fonds/error.hpp>

#include "base/error_copy.hpp"
#include "base/guarded.hpp"
#include "base/ordered_jobs.hpp"
#include "codec/encoder_units.hpp"

namespace fonds {

Status UnitCodec::emit_head(ByteView, Buffer&) { return {}; }
void UnitCodec::note(ByteView) {}
Status UnitCodec::emit_tail(Buffer&) { return {}; }

namespace {

// Small units go to the threads together.
constexpr std::size_t kBatch = std::size_t{256} << 10;
// Stored bytes up to this size wait for their turn in memory.
constexpr std::size_t kMostStoredHeld = std::size_t{1} << 20;
constexpr std::size_t kMostPieces = 4096;
constexpr std::size_t kFlushAt = std::size_t{64} << 10;
constexpr unsigned kMostThreads = 256;

// What becomes one stored unit, or stored bytes already.
struct Piece {
  std::size_t decoded = 0;            // bytes of the batch's input
  bool stored = false;                // they are stored bytes
  bool begins = false, ends = false;  // a unit of the caller's
  std::size_t lead = 0, size = 0;     // of the output; set by the work
};

struct Batch {
  Buffer input, output;
  std::vector<Piece> pieces;

  void clear(std::size_t most_kept) {
    pieces.clear();
    for (Buffer* buffer : {&input, &output}) {
      buffer->clear();
      if (buffer->capacity() > most_kept) {
        buffer->release();
      }
    }
  }
};

Status encode_batch(WholeEncoder& encoder, Batch& batch) {
  ByteView rest = batch.input.view();
  for (Piece& piece : batch.pieces) {
    const std::size_t before = batch.output.size();
    if (piece.stored) {
      batch.output.append(rest.first(piece.decoded));
    } else {
      FONDS_TRY(piece.lead, encoder.encode(rest.first(piece.decoded), batch.output));
    }
    piece.size = batch.output.size() - before;
    rest = rest.subspan(piece.decoded);
  }
  return {};
}

class UnitWriter final : public Encoder {
 public:
  UnitWriter(ByteSink& sink, std::unique_ptr<UnitCodec> codec, const EncodeOptions& options,
             unsigned threads)
      : sink_(sink),
        codec_(std::move(codec)),
        one_unit_(options.one_unit),
        continues_(options.continues),
        pass_(codec_->larger() == UnitCodec::Larger::Pass),
        most_kept_(static_cast<std::size_t>(
            std::max<std::uint64_t>(kKept, options.memory_budget / 8 / threads))),
        batch_(std::make_unique<Batch>()),
        position_(sink.position()) {
    if (threads > 1 && !one_unit_ && !pass_) {
      jobs_.emplace(threads, options.memory_budget, [this] { return make_work(); });
    }
  }

  Status begin_unit(std::optional<std::uint64_t> decoded_size) override {
    return run([&] { return begin(decoded_size); });
  }
  Status write(ByteView decoded) override {
    return run([&] { return take(decoded); });
  }
  Status end_unit() override {
    return run([&] { return end(); });
  }
  Status put_stored(ByteView stored) override {
    return run([&] { return take_stored(stored); });
  }
  Status finish() override {
    return run([&] {
      Status status = close();
      finished_ = status.has_value();
      return status;
    });
  }

 private:
  using Jobs = OrderedJobs<Batch>;
  static constexpr std::uint64_t kKept = std::uint64_t{1} << 20;
  enum class Unit : std::uint8_t { None, Empty, Held, Streamed, Stored };

  // Runs `work` if nothing stands in the way; its error stays.
  template <typename Work>
  Status run(Work&& work) {
    if (failure_) {
      return tl::unexpected(copy_of(*failure_));
    }
    if (finished_) {
      return fail(ErrorCode::BadArgument, "the encoder has finished");
    }
    Status status = guarded(work);
    if (!status) {
      failure_ = copy_of(status.error());
    }
    return status;
  }

  Status begin(std::optional<std::uint64_t> decoded_size);
  Status take(ByteView decoded);
  Status take_held(ByteView decoded);
  Status take_stored(ByteView stored);
  Status end();
  Status close();

  // Streams.
  Status stream_held();
  Status start_stream();
  Status feed_stream(ByteView decoded);
  Status end_stream();

  // Batches.
  Status close_piece(bool ends);
  Status submit();
  Status write_done(bool all);
  Status write_job(const Jobs::Done& done);
  Status write_batch(Batch& batch);
  Status drain();
  Result<Jobs::Work> make_work();
  Result<WholeEncoder*> encoder();

  // The sink.
  Status put(ByteView stored);
  Status put_head(ByteView first);
  Status put_streamed(bool ends);
  // What was put last began, went on with or ended a unit.
  void tell(bool begins, bool ends, std::size_t lead, std::uint64_t size);

  ByteSink& sink_;
  std::unique_ptr<UnitCodec> codec_;
  const bool one_unit_, continues_, pass_;
  const std::size_t most_kept_;  // bytes of a buffer that is not in use

  Unit unit_ = Unit::None;
  std::optional<std::uint64_t> promised_;
  std::uint64_t taken_ = 0;   // decoded bytes of the unit in hand
  bool first_piece_ = false;  // the piece in hand is the unit's first
  std::size_t piece_ = 0;     // where it begins in the batch's input

  std::unique_ptr<Batch> batch_;
  std::unique_ptr<WholeEncoder> encoder_;  // of this thread
  std::unique_ptr<StreamEncoder> stream_;
  Buffer streamed_;           // not written yet
  bool streaming_ = false;    // `stream_` is inside a unit
  bool stream_told_ = false;  // its beginning was

  bool head_written_ = false;
  bool finished_ = false;
  std::uint64_t position_;  // in the sink, of what tell() is told of next
  std::uint64_t units_ = 0, unit_offset_ = 0;
  std::optional<Error> failure_;
  std::vector<std::unique_ptr<Batch>> idle_;
  std::optional<Jobs> jobs_;  // the last: its workers use what is above
};

// ---- units ----

Status UnitWriter::begin(std::optional<std::uint64_t> decoded_size) {
  if (unit_ != Unit::None) {
    return fail(ErrorCode::BadArgument, "a unit begins in another one");
  }
  unit_ = Unit::Empty;
  promised_ = decoded_size;
  taken_ = 0;
  first_piece_ = true;
  return jobs_ && jobs_->failed() ? drain() : Status();
}

Status UnitWriter::take(ByteView decoded) {
  if (unit_ == Unit::None || unit_ == Unit::Stored) {
    return fail(ErrorCode::BadArgument, unit_ == Unit::None
                                            ? "bytes outside of a unit"
                                            : "bytes to be encoded in a unit of stored ones");
  }
  if (decoded.empty()) {
    return {};
  }
  taken_ += decoded.size();
  if (promised_ && taken_ > *promised_) {
    return fail(ErrorCode::BadArgument, fmt::format("a unit of {} bytes gets more", *promised_));
  }
  if (unit_ == Unit::Empty) {
    const bool large = promised_ && *promised_ > codec_->most_held() &&
                       codec_->larger() == UnitCodec::Larger::Stream;
    unit_ = one_unit_ || pass_ || large ? Unit::Streamed : Unit::Held;
    if (unit_ == Unit::Streamed) {
      FONDS_CHECK(drain());
    } else {
      piece_ = batch_->input.size();
    }
  }
  return unit_ == Unit::Streamed ? feed_stream(decoded) : take_held(decoded);
}

Status UnitWriter::take_held(ByteView decoded) {
  const std::size_t most = codec_->most_held();
  while (true) {
    const std::size_t room = most - (batch_->input.size() - piece_);
    const std::size_t step = std::min(room, decoded.size());
    batch_->input.append(decoded.first(step));
    decoded = decoded.subspan(step);
    if (decoded.empty()) {
      return {};
    }
    if (codec_->larger() == UnitCodec::Larger::Stream) {
      FONDS_CHECK(stream_held());
      return feed_stream(decoded);
    }
    FONDS_CHECK(close_piece(false));
  }
}

Status UnitWriter::end() {
  if (unit_ == Unit::None) {
    return fail(ErrorCode::BadArgument, "no unit to end");
  }
  if (promised_ && unit_ != Unit::Stored && taken_ != *promised_) {
    return fail(ErrorCode::BadArgument,
                fmt::format("a unit of {} bytes gets only {}", *promised_, taken_));
  }
  const Unit ended = std::exchange(unit_, Unit::None);
  if (one_unit_) {
    return {};
  }
  switch (ended) {
    case Unit::None:
    case Unit::Empty:
      if (pass_) {
        tell(true, true, 0, 0);
        return {};
      }
      piece_ = batch_->input.size();
      return close_piece(true);
    case Unit::Held:
      return close_piece(true);
    case Unit::Streamed:
      return end_stream();
    case Unit::Stored:
      break;
  }
  if (jobs_) {  // in its turn
    batch_->pieces.push_back({.stored = true, .ends = true});
  } else {
    tell(false, true, 0, 0);
  }
  return {};
}

Status UnitWriter::take_stored(ByteView stored) {
  if (one_unit_) {
    return fail(ErrorCode::BadArgument, "stored bytes cannot go into one unit with others");
  }
  if (unit_ != Unit::None && unit_ != Unit::Empty && unit_ != Unit::Stored) {
    return fail(ErrorCode::BadArgument, "stored bytes in a unit that is being encoded");
  }
  if (stored.empty()) {
    return {};
  }
  // What goes on with a unit may begin anywhere in a member.
  if (unit_ != Unit::Stored || codec_->larger() == UnitCodec::Larger::Cut) {
    FONDS_CHECK(codec_->check_stored(stored));
  }
  const bool begins = unit_ == Unit::Empty;
  unit_ = begins ? Unit::Stored : unit_;
  if (jobs_ && stored.size() <= kMostStoredHeld) {
    batch_->input.append(stored);
    batch_->pieces.push_back({.decoded = stored.size(), .stored = true, .begins = begins});
    return batch_->input.size() >= kBatch ? submit() : Status();
  }
  FONDS_CHECK(drain());
  FONDS_CHECK(put(stored));
  tell(begins, false, 0, stored.size());
  return {};
}

Status UnitWriter::close() {
  if (unit_ != Unit::None) {
    return fail(ErrorCode::BadArgument, "the archive ends in a unit");
  }
  FONDS_CHECK(drain());
  if (streaming_ && one_unit_) {
    FONDS_CHECK(end_stream());
  }
  Buffer last;
  if (!head_written_ && !pass_ && !continues_) {
    // Some tools take an empty file for a damaged one, and a dictionary alone is no archive.
    FONDS_TRY(WholeEncoder* const empty, encoder());
    FONDS_CHECK(empty->encode({}, last));
    FONDS_CHECK(put(last.view()));
    last.clear();
  }
  FONDS_CHECK(codec_->emit_tail(last));
  return last.empty() ? Status() : sink_.write(last.view());
}

// ---- streams ----

// The piece in hand has become too large to be held.
Status UnitWriter::stream_held() {
  Buffer held;
  held.append(batch_->input.view().subspan(piece_));
  batch_->input.truncate(piece_);
  FONDS_CHECK(drain());
  unit_ = Unit::Streamed;
  return feed_stream(held.view());
}

Status UnitWriter::start_stream() {
  streaming_ = true;
  stream_told_ = false;
  if (pass_) {
    return {};
  }
  if (stream_ == nullptr) {
    FONDS_TRY(stream_, codec_->stream_encoder());
  }
  return stream_->begin(one_unit_ ? std::nullopt : promised_, streamed_);
}

Status UnitWriter::feed_stream(ByteView decoded) {
  if (!streaming_) {
    FONDS_CHECK(start_stream());
  }
  if (pass_) {
    FONDS_CHECK(put(decoded));
    tell(!std::exchange(stream_told_, true), false, 0, decoded.size());
    return {};
  }
  while (!decoded.empty()) {
    const std::size_t step = std::min(decoded.size(), kMostStreamed);
    FONDS_CHECK(stream_->write(decoded.first(step), streamed_));
    decoded = decoded.subspan(step);
    if (streamed_.size() >= kFlushAt) {
      FONDS_CHECK(put_streamed(false));
    }
  }
  return {};
}

Status UnitWriter::end_stream() {
  streaming_ = false;
  if (pass_) {
    tell(false, true, 0, 0);
    return {};
  }
  FONDS_CHECK(stream_->end(streamed_));
  return put_streamed(true);
}

// ---- batches ----

Status UnitWriter::close_piece(bool ends) {
  const std::size_t size = batch_->input.size();
  batch_->pieces.push_back(
      {.decoded = size - piece_, .begins = std::exchange(first_piece_, false), .ends = ends});
  piece_ = size;
  if (jobs_ && size < kBatch && batch_->pieces.size() < kMostPieces) {
    return {};
  }
  FONDS_CHECK(submit());
  piece_ = 0;
  return {};
}

Status UnitWriter::submit() {
  if (batch_->pieces.empty()) {
    return {};
  }
  if (!jobs_) {
    FONDS_TRY(WholeEncoder* const here, encoder());
    FONDS_CHECK(encode_batch(*here, *batch_));
    FONDS_CHECK(write_batch(*batch_));
    batch_->clear(most_kept_);
    return {};
  }
  // Input and output are held at the same time.
  const std::uint64_t cost =
      2 * std::uint64_t{batch_->input.size()} + sizeof(Piece) * batch_->pieces.size();
  while (jobs_->full(cost)) {
    FONDS_CHECK(write_job(jobs_->front(true)));
  }
  FONDS_CHECK(jobs_->submit(batch_, cost));
  if (idle_.empty()) {
    batch_ = std::make_unique<Batch>();
  } else {
    batch_ = std::move(idle_.back());
    idle_.pop_back();
  }
  return write_done(false);
}

// Writes what the workers have done, up to the first that is not; with `all` waits for everything.
Status UnitWriter::write_done(bool all) {
  while (true) {
    const Jobs::Done done = jobs_->front(all);
    if (done.job == nullptr) {
      return {};
    }
    FONDS_CHECK(write_job(done));
  }
}

Status UnitWriter::write_job(const Jobs::Done& done) {
  if (done.error != nullptr) {
    return tl::unexpected(copy_of(*done.error));
  }
  FONDS_CHECK(write_batch(*done.job));
  idle_.push_back(jobs_->pop());
  idle_.back()->clear(most_kept_);
  return {};
}

Status UnitWriter::write_batch(Batch& batch) {
  FONDS_CHECK(put(batch.output.view()));
  for (const Piece& piece : batch.pieces) {
    tell(piece.begins, piece.ends, piece.lead, piece.size);
  }
  return {};
}

// Writes all units that have ended.
Status UnitWriter::drain() {
  FONDS_CHECK(submit());
  return jobs_ ? write_done(true) : Status();
}

Result<UnitWriter::Jobs::Work> UnitWriter::make_work() {
  FONDS_TRY(auto made, codec_->whole_encoder());
  return Jobs::Work([worker = std::shared_ptr<WholeEncoder>(std::move(made))](Batch& batch) {
    return encode_batch(*worker, batch);
  });
}

Result<WholeEncoder*> UnitWriter::encoder() {
  if (encoder_ == nullptr) {
    FONDS_TRY(encoder_, codec_->whole_encoder());
  }
  return encoder_.get();
}

// ---- the sink ----

Status UnitWriter::put(ByteView stored) {
  if (!head_written_) {
    FONDS_CHECK(put_head(stored));
  }
  if (stored.empty()) {
    return {};
  }
  FONDS_CHECK(sink_.write(stored));
  codec_->note(stored);
  return {};
}

Status UnitWriter::put_head(ByteView first) {
  head_written_ = true;
  Buffer head;
  FONDS_CHECK(codec_->emit_head(first, head));
  if (head.empty()) {
    return {};
  }
  FONDS_CHECK(sink_.write(head.view()));
  codec_->note(head.view());
  position_ += head.size();
  return {};
}

Status UnitWriter::put_streamed(bool ends) {
  FONDS_CHECK(put(streamed_.view()));
  tell(!std::exchange(stream_told_, true), ends, 0, streamed_.size());
  streamed_.clear();
  return {};
}

void UnitWriter::tell(bool begins, bool ends, std::size_t lead, std::uint64_t size) {
  if (begins) {
    unit_offset_ = position_ + lead;
  }
  position_ += size;
  if (ends) {
    const std::uint64_t unit = units_++;
    if (on_unit) {
      on_unit(unit, unit_offset_, position_ - unit_offset_);
    }
  }
}

}  // namespace

Result<std::unique_ptr<Encoder>> make_encoder(ByteSink& sink, const EncodeOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<Encoder>> {
    FONDS_TRY(auto codec, make_unit_codec(options));
    const unsigned threads =
        options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
    return std::make_unique<UnitWriter>(sink, std::move(codec), options,
                                        std::min(threads, kMostThreads));
  });
}

}  // namespace fonds
