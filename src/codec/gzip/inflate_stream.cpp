#include "codec/gzip/inflate_stream.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include <isa-l/igzip_lib.h>
#include <zlib.h>

namespace fonds::gzip {
namespace {

constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max() / 4;

// Both libraries read from next_in only; their interfaces predate const.
std::uint8_t* input(ByteView in) {
  return reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(in.data()));
}

}  // namespace

struct InflateStream::Fast {
  inflate_state state;

  void start() {
    isal_inflate_init(&state);
    state.crc_flag = ISAL_DEFLATE;
    // What a distance too far back would copy: not the stream before.
    std::memset(state.tmp_out_buffer, 0, sizeof state.tmp_out_buffer);
  }

  Step run(ByteView in, MutableByteView out) {
    const auto given = std::min(in.size(), kMost);
    const auto room = std::min(out.size(), kMost);
    state.next_in = input(in);
    state.avail_in = static_cast<std::uint32_t>(given);
    state.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    state.avail_out = static_cast<std::uint32_t>(room);
    const int verdict = isal_inflate(&state);
    Step step{State::More, static_cast<std::ptrdiff_t>(given - state.avail_in),
              room - state.avail_out};
    if (verdict < 0) {
      step.state = State::Corrupt;
    } else if (state.block_state == ISAL_BLOCK_FINISH) {
      step.state = State::End;
    }
    if (step.state != State::More) {
      // Whole bytes that were loaded into the bit buffer and were not decoded.
      step.used -= std::max(state.read_in_length, 0) / 8;
    }
    return step;
  }
};

struct InflateStream::Exact {
  Exact() { good = inflateInit2(&state, -MAX_WBITS) == Z_OK; }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  ~Exact() { inflateEnd(&state); }

  Step run(ByteView in, MutableByteView out) {
    const auto given = std::min(in.size(), kMost);
    const auto room = std::min(out.size(), kMost);
    state.next_in = input(in);
    state.avail_in = static_cast<uInt>(given);
    state.next_out = reinterpret_cast<Bytef*>(out.data());
    state.avail_out = static_cast<uInt>(room);
    const int verdict = good ? inflate(&state, Z_NO_FLUSH) : Z_MEM_ERROR;
    const auto used = static_cast<std::ptrdiff_t>(given - state.avail_in);
    const std::size_t written = room - state.avail_out;
    const bool going_on = verdict == Z_OK || verdict == Z_BUF_ERROR;
    return {verdict == Z_STREAM_END ? State::End
            : going_on              ? State::More
                                    : State::Corrupt,
            used, written};
  }

  z_stream state = {};
  bool good = false;
};

InflateStream::InflateStream() = default;
InflateStream::~InflateStream() = default;

void InflateStream::start(Engine engine) {
  engine_ = engine;
  if (engine == Engine::Exact) {
    if (exact_ == nullptr) {
      exact_ = std::make_unique<Exact>();
    }
    inflateReset(&exact_->state);
    return;
  }
  if (fast_ == nullptr) {
    fast_ = std::make_unique<Fast>();
  }
  fast_->start();
}

InflateStream::Step InflateStream::run(ByteView in, MutableByteView out) {
  return engine_ == Engine::Exact ? exact_->run(in, out) : fast_->run(in, out);
}

}  // namespace fonds::gzip
