#include "codec/gzip/span_run.hpp"

#include <algorithm>

namespace fonds::gzip {

void SpanRun::start(std::uint64_t stored_offset, unsigned bits, ByteView window) {
  const std::byte before = stored_offset > 0 ? stored_[stored_offset - 1] : std::byte{};
  stream_.start(InflateStream::Engine::Fast, {bits, before, window});
  position_ = stored_offset;
  bits_ = bits;
  limit_ = kNoLimit;
  decoded_all_ = false;
}

InflateStream::Step SpanRun::step(MutableByteView room) {
  if (limit_ == kNoLimit) {
    return stream_.run(stored_.subspan(position_), room);
  }
  // Whether a block ends in the last byte shows only when all before it is decoded.
  const bool at_last_byte = position_ + 1 >= limit_;
  if (at_last_byte && decoded_all_) {
    return stream_.run_to_border(stored_.subspan(position_, limit_ - position_), room);
  }
  const std::uint64_t n = at_last_byte ? 0 : limit_ - 1 - position_;
  const auto result = stream_.run(stored_.subspan(position_, n), room);
  decoded_all_ = result.written < room.size();
  return result;
}

SpanRun::Stop SpanRun::run(MutableByteView out, std::size_t& written) {
  written = 0;
  while (written < out.size()) {
    const bool last_step = limit_ != kNoLimit && position_ == limit_ && decoded_all_;
    const bool before_last = limit_ != kNoLimit && position_ + 1 == limit_ && !decoded_all_;
    const auto result = step(out.subspan(written));
    position_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(position_) + result.used);
    written += result.written;
    switch (result.state) {
      case InflateStream::State::End:
        return Stop::End;
      case InflateStream::State::Corrupt:
        return Stop::Stuck;
      case InflateStream::State::Border:
        bits_ = result.bits;
        return Stop::Border;
      case InflateStream::State::More:
        break;
    }
    if (result.used == 0 && result.written == 0) {
      if (last_step) {
        return Stop::Inside;
      }
      if (!before_last) {
        return Stop::Stuck;
      }
    }
  }
  return Stop::Full;
}

}  // namespace fonds::gzip
