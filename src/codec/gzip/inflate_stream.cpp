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
  bool forced = false;  // the current block is not the last one, whatever state.bfinal says
  bool passed = false;  // between blocks, with output of the one before still to be written

  void start(const Border& border) {
    isal_inflate_init(&state);
    state.crc_flag = ISAL_DEFLATE;
    forced = passed = false;
    const ByteView window = border.window.last(std::min(border.window.size(), kDeflateWindow));
    if (window.size() < kDeflateWindow) {
      // What a distance too far back would copy: not the stream before.
      std::memset(state.tmp_out_buffer, 0, sizeof state.tmp_out_buffer);
    }
    if (!window.empty()) {
      isal_inflate_set_dict(&state, input(window), static_cast<std::uint32_t>(window.size()));
    }
    state.read_in = std::to_integer<unsigned>(border.before) >> (8 - border.bits);
    state.read_in_length = static_cast<std::int32_t>(border.bits);
  }

  bool in_header() const {
    return state.block_state == ISAL_BLOCK_NEW_HDR || state.block_state == ISAL_BLOCK_HDR;
  }
  bool in_block() const {
    return state.block_state == ISAL_BLOCK_CODED || state.block_state == ISAL_BLOCK_TYPE0;
  }
  bool all_written() const { return state.tmp_out_processed == state.tmp_out_valid; }
  // Bits that were taken from the input and not decoded. In a header that is not complete these are
  // all behind the end of the block before.
  std::ptrdiff_t waiting_bits() const {
    return std::max(state.read_in_length, 0) + std::ptrdiff_t{8} * state.tmp_in_size;
  }
  void give_back(Step& step) const {
    step.used -= waiting_bits() / 8;
    step.bits = static_cast<unsigned>(waiting_bits() % 8);
  }

  Step run(ByteView in, MutableByteView out) {
    if (forced && in_block()) {
      state.bfinal = 0;
      forced = false;
    }
    passed = false;
    return decode(in, out);
  }

  Step decode(ByteView in, MutableByteView out) {
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
      step.state = forced ? State::Border : State::End;
    }
    if (step.state != State::More) {
      give_back(step);  // what was loaded into the bit buffer and not decoded
    }
    return step;
  }

  // ISA-L has no such stop of its own, but it stops behind the last block: so each block is made
  // the last one once its header is read. Headers are fed byte by byte, lest a block pass unseen.
  Step run_to_border(ByteView in, MutableByteView out) {
    Step total{State::More, 0, 0};
    const auto add = [&](const Step& step) {
      total = {step.state, total.used + step.used, total.written + step.written, step.bits};
    };
    for (std::size_t feed = 0; in_header(); feed = 1) {
      const ByteView rest = in.subspan(static_cast<std::size_t>(total.used));
      const std::size_t n = std::min(feed, rest.size());
      const MutableByteView room = out.subspan(total.written);
      const auto before = waiting_bits() + static_cast<std::ptrdiff_t>(8 * n);
      const Step step = decode(rest.first(n), room);
      add(step);
      if (step.state != State::More) {
        return total;
      }
      passed = in_header() && (passed || waiting_bits() < before);
      if (passed && all_written()) {
        total.state = State::Border;
        give_back(total);
        return total;
      }
      if ((feed == 1 && n == 0) || (step.written == room.size() && !room.empty())) {
        return total;
      }
    }
    if (in_block() && state.bfinal == 0) {
      state.bfinal = 1;
      forced = true;
    }
    add(decode(in.subspan(static_cast<std::size_t>(total.used)), out.subspan(total.written)));
    return total;
  }
};

struct InflateStream::Exact {
  Exact() { good = inflateInit2(&state, -MAX_WBITS) == Z_OK; }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  ~Exact() { inflateEnd(&state); }

  void start(const Border& border) {
    const ByteView window = border.window.last(std::min(border.window.size(), kDeflateWindow));
    ready = good && inflateReset(&state) == Z_OK;
    if (ready && border.bits > 0) {
      const unsigned unread = std::to_integer<unsigned>(border.before) >> (8 - border.bits);
      ready = inflatePrime(&state, static_cast<int>(border.bits), static_cast<int>(unread)) == Z_OK;
    }
    if (ready && !window.empty()) {
      ready = inflateSetDictionary(&state, input(window), static_cast<uInt>(window.size())) == Z_OK;
    }
  }

  Step run(ByteView in, MutableByteView out) {
    const auto given = std::min(in.size(), kMost);
    const auto room = std::min(out.size(), kMost);
    state.next_in = input(in);
    state.avail_in = static_cast<uInt>(given);
    state.next_out = reinterpret_cast<Bytef*>(out.data());
    state.avail_out = static_cast<uInt>(room);
    const int verdict = ready ? inflate(&state, Z_NO_FLUSH) : Z_MEM_ERROR;
    const auto used = static_cast<std::ptrdiff_t>(given - state.avail_in);
    const std::size_t written = room - state.avail_out;
    const bool going_on = verdict == Z_OK || verdict == Z_BUF_ERROR;
    return {verdict == Z_STREAM_END ? State::End
            : going_on              ? State::More
                                    : State::Corrupt,
            used, written};
  }

  z_stream state = {};
  bool good = false;   // allocated
  bool ready = false;  // and started
};

InflateStream::InflateStream() = default;
InflateStream::~InflateStream() = default;

void InflateStream::start(Engine engine, const Border& border) {
  engine_ = engine;
  if (engine == Engine::Exact) {
    if (exact_ == nullptr) {
      exact_ = std::make_unique<Exact>();
    }
    exact_->start(border);
    return;
  }
  if (fast_ == nullptr) {
    fast_ = std::make_unique<Fast>();
  }
  fast_->start(border);
}

InflateStream::Step InflateStream::run(ByteView in, MutableByteView out) {
  return engine_ == Engine::Exact ? exact_->run(in, out) : fast_->run(in, out);
}

InflateStream::Step InflateStream::run_to_border(ByteView in, MutableByteView out) {
  return engine_ == Engine::Exact ? exact_->run(in, out) : fast_->run_to_border(in, out);
}

}  // namespace fonds::gzip
