#include "codec/gzip/inflate_stream.hpp"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <limits>

namespace fonds::gzip {

struct InflateStream::Impl {
  inflate_state state;
};

InflateStream::InflateStream() : impl_(std::make_unique<Impl>()) {}
InflateStream::~InflateStream() = default;

void InflateStream::start() {
  isal_inflate_init(&impl_->state);
  impl_->state.crc_flag = ISAL_DEFLATE;
}

InflateStream::Step InflateStream::run(ByteView in, MutableByteView out) {
  inflate_state& s = impl_->state;
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max() / 4;
  const auto given = std::min(in.size(), kMost);
  const auto room = std::min(out.size(), kMost);
  // ISA-L reads from next_in only; its interface predates const.
  s.next_in = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(in.data()));
  s.avail_in = static_cast<std::uint32_t>(given);
  s.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  s.avail_out = static_cast<std::uint32_t>(room);
  const int verdict = isal_inflate(&s);
  Step step{State::More, static_cast<std::ptrdiff_t>(given - s.avail_in), room - s.avail_out};
  if (verdict < 0) {
    step.state = State::Corrupt;
  } else if (s.block_state == ISAL_BLOCK_FINISH) {
    step.state = State::End;
    // Whole bytes that were loaded into the bit buffer and belong to what follows the stream.
    step.used -= s.read_in_length / 8;
  }
  return step;
}

}  // namespace fonds::gzip
