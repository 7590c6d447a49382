#include "codec/stream_decoder.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "codec/buffered_decoder.hpp"
#include "codec/resync.hpp"
#include "codec/unit_decoder.hpp"

namespace fonds {
namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10;
constexpr std::size_t kProbeHead = std::size_t{64} << 10;
// A bzip2 block gives nothing before it is complete.
constexpr std::size_t kProbeStored = std::size_t{1} << 20;

bool is_record(const RecordProbe& probe, ByteView head) {
  return !head.empty() && (probe.starts_record == nullptr || probe.starts_record(head));
}

}  // namespace

ByteView decode_head(StreamEngine& engine, ByteView stored, std::vector<std::byte>& room) {
  if (!engine.begins(stored) || !engine.start()) {
    return {};
  }
  room.resize(kProbeHead);
  stored = stored.first(std::min(stored.size(), kProbeStored));
  const auto step = engine.step(stored, room);
  return ByteView(room).first(step.written);
}

std::uint64_t find_stream(StreamEngine& engine, ByteView stored, std::uint64_t from,
                          std::uint64_t to, const RecordProbe& probe) {
  to = std::min<std::uint64_t>(to, stored.size());
  std::vector<std::byte> room;
  DamageBudget budget;
  const std::string_view text = as_text(stored);
  for (std::size_t at = from;
       at < to && (at = text.find(as_text(engine.magic()), at)) < to && budget.allows(at); ++at) {
    const ByteView head = decode_head(engine, stored.subspan(at), room);
    if (is_record(probe, head)) {
      return at;
    }
    budget.spend(kPiece);
  }
  return to;
}

StreamDecoder::StreamDecoder(std::shared_ptr<ByteSource> source, const DecodeOptions& options,
                             std::unique_ptr<StreamEngine> engine,
                             std::unique_ptr<StreamEngine> probe)
    : UnitDecoder(options),
      window_(std::move(source)),
      engine_(std::move(engine)),
      probe_(std::move(probe)),
      position_(options.start) {}

BufferedDecoder::Fill StreamDecoder::over() {
  mode_ = Mode::Over;
  return Fill::End;
}

Result<BufferedDecoder::Fill> StreamDecoder::fill(std::size_t) {
  switch (mode_) {
    case Mode::Start:
      FONDS_CHECK(step_over(window_, 0, position_));
      return begin_stream();
    case Mode::Between:
      return begin_stream();
    case Mode::Inside:
      return more();
    case Mode::Over:
      return Fill::End;
  }
  return Fill::End;
}

Result<BufferedDecoder::Fill> StreamDecoder::begin_stream() {
  window_.release(position_);
  FONDS_TRY(const ByteView stored, window_.at(position_, StreamEngine::kBeginning));
  if (stored.empty()) {
    return over();
  }
  if (stored[0] == std::byte{0}) {
    return pass_zeros();
  }
  if (engine_->begins(stored)) {
    if (!engine_->start()) {
      return fail(ErrorCode::Internal,
                  fmt::format("no memory for a decoder of {}", engine_->name()));
    }
    stream_ = position_;
    decoded_ = 0;
    mode_ = Mode::Inside;
    begin_unit(stream_);
    return more();
  }
  const std::uint64_t from = position_;
  const ByteView magic = engine_->magic();
  if (stored.size() < magic.size() && std::equal(stored.begin(), stored.end(), magic.begin())) {
    find("truncated-frame",
         fmt::format("{} stream is cut short after {} bytes", engine_->name(), stored.size()),
         from);
    position_ += stored.size();
    return over();
  }
  const bool first = position_ == 0;
  FONDS_TRY(const Fill fill, lose(from + 1));
  if (fill == Fill::End && !first) {
    find("trailing-garbage", fmt::format("bytes behind the last {} stream", engine_->name()), from);
  } else {
    find("frame-damaged", fmt::format("no {} stream begins here", engine_->name()), from);
  }
  return fill;
}

Result<BufferedDecoder::Fill> StreamDecoder::pass_zeros() {
  const std::uint64_t from = position_;
  while (true) {
    window_.release(position_);
    FONDS_TRY(const ByteView stored, window_.at(position_, 1));
    const auto end = std::find_if(stored.begin(), stored.end(),
                                  [](std::byte byte) { return byte != std::byte{0}; });
    position_ += static_cast<std::uint64_t>(end - stored.begin());
    if (end != stored.end() || stored.empty()) {
      break;
    }
  }
  if (engine_->padding_unit() == 0 || (position_ - from) % engine_->padding_unit() != 0) {
    find("nul-padding",
         fmt::format("{} NUL bytes between {} streams", position_ - from, engine_->name()), from);
  }
  mode_ = Mode::Between;
  return Fill::More;
}

Result<BufferedDecoder::Fill> StreamDecoder::more() {
  window_.release(position_);
  FONDS_TRY(const ByteView stored, window_.at(position_, 1));
  const MutableByteView room = reserve(kPiece).first(kPiece);
  const auto step = engine_->step(stored, room);
  commit(step.written);
  position_ += step.used;
  decoded_ += step.written;
  switch (step.state) {
    case StreamEngine::State::More:
      if (!stored.empty() || step.written > 0) {
        return Fill::More;
      }
      find("truncated-frame",
           fmt::format("{} stream is cut short; {} bytes of it decode", engine_->name(), decoded_),
           stream_);
      return over();
    case StreamEngine::State::End:
      end_unit(stream_, decoded_, position_);
      mode_ = Mode::Between;
      return Fill::More;
    case StreamEngine::State::OverLimit:
      find("limit-exceeded",
           fmt::format("the {} stream asks for more memory than is allowed", engine_->name()),
           stream_);
      break;
    case StreamEngine::State::Unsupported:
      find("frame-damaged",
           fmt::format("the {} stream uses what this program does not read", engine_->name()),
           stream_);
      break;
    case StreamEngine::State::Corrupt:
      find("frame-damaged",
           fmt::format("{} stream cannot be decoded behind its first {} bytes", engine_->name(),
                       decoded_),
           stream_);
      break;
  }
  budget_.spend(position_ - stream_ + decoded_ / 16);
  return lose(window_.goes_back() ? stream_ + 4 : position_);
}

Result<BufferedDecoder::Fill> StreamDecoder::lose(std::uint64_t from) {
  FONDS_TRY(const auto next,
            find_next(window_, from, engine_->magic(), budget_,
                      [this](std::uint64_t offset) { return begins_record(offset); }));
  if (!next) {
    if (!budget_.allows(from)) {
      find("limit-exceeded", "the damage takes more work than the file is worth; giving up", from);
    }
    return over();
  }
  position_ = *next;
  mode_ = Mode::Between;
  return Fill::Gap;
}

Result<bool> StreamDecoder::begins_record(std::uint64_t offset) {
  FONDS_TRY(const ByteView stored, window_.at(offset, kProbeStored));
  const bool begins = is_record(options_.probe, decode_head(*probe_, stored, head_));
  budget_.spend(begins ? 0 : kPiece);
  return begins;
}

}  // namespace fonds
