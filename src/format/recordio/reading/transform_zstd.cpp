// The transformer "zstd": Zstandard frames, RFC 8878.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/formats/recordio.hpp>

#include "codec/zstd/frame.hpp"
#include "codec/zstd/frame_decoder.hpp"
#include "format/recordio/reading/transform.hpp"

namespace fonds::recordio {
namespace {

constexpr int kDefaultZstdLevel = 5;  // of the Go library
constexpr std::uint64_t kMostWindow = std::uint64_t{128} << 20;
// What a stream may claim to hold before any of it was seen: so many times its own size, and so
// many bytes more.
constexpr std::uint64_t kPlausibleRatio = 256, kPlausibleBytes = std::uint64_t{1} << 20;
// Room behind the content spares libzstd its careful way at the end.
constexpr std::uint64_t kSlack = 64;
constexpr std::uint64_t kMostRoom = std::numeric_limits<std::size_t>::max() / 2;

// What the headers of a stream say, without its content.
struct Outline {
  bool sizes_known = true;     // each frame tells its content size
  std::uint64_t claimed = 0;   // their sum
  std::uint64_t possible = 0;  // no legal stream of these blocks has more content
  std::uint64_t window = 0;    // the largest that decoding in pieces would need
  bool cut = false;            // the last frame does not end
};

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  return a > ~std::uint64_t{0} - b ? ~std::uint64_t{0} : a + b;
}

// Nothing if a stream begins with, or goes on as, something else than frames.
std::optional<Outline> outline(ByteView in) {
  Outline result;
  while (!in.empty()) {
    const zstd::FrameInfo frame = zstd::scan_frame(in);
    const bool cut = frame.state == zstd::FrameState::Truncated;
    if (frame.state == zstd::FrameState::Illegal ||
        (frame.kind == zstd::FrameKind::Unknown && !cut)) {
      return std::nullopt;
    }
    if (frame.kind == zstd::FrameKind::Zstd) {
      result.claimed = saturating_sum(result.claimed, frame.header.content_size.value_or(0));
      result.sizes_known = result.sizes_known && frame.header.content_size.has_value();
      result.possible = saturating_sum(result.possible, frame.decoded_most);
      if (!frame.header.single_segment) {
        result.window = std::max(result.window, frame.header.window_size);
      }
    }
    if (cut) {
      result.cut = true;
      return result;
    }
    in = in.subspan(static_cast<std::size_t>(frame.size));
  }
  return result;
}

struct FreeZstdCompressor {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
struct FreeZstdDecompressor {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

class Zstd final : public Transformer {
 public:
  explicit Zstd(std::string_view argument) : argument_(argument) {}

  Status apply(ByteView in, Buffer& out) override;
  Status undo(ByteView in, std::uint64_t most, Buffer& out) override;
  Status undo_prefix(ByteView in, std::uint64_t enough, std::uint64_t most, Buffer& out) override;
  Status undo_more(ByteView in, std::uint64_t enough, std::uint64_t most, Buffer& out) override;

 private:
  // Where decoding in pieces is.
  struct Progress {
    ByteView in = {};      // from the frame in hand on
    ByteView blocks = {};  // of that frame, not used yet
    bool inside = false;   // the frame has begun
    // The only frame is decoded into `out` itself, which has room for all of it.
    bool in_place = false;
    std::size_t used = 0, hint = 0;  // bytes of `in`; bytes that libzstd asks for next
  };
  Status check(ByteView in, const std::optional<Outline>& seen, std::uint64_t most) const;
  bool begin_in_place(ByteView in, const Outline& seen, std::uint64_t most, Buffer& out);
  bool decode_in_place(std::size_t enough, Buffer& out);
  bool decode_frames(std::size_t enough, Buffer& out);
  bool decode_blocks(std::size_t enough, Buffer& out);
  Status salvage(ByteView in, Error error, std::uint64_t most, Buffer& out);
  zstd::FrameDecoder& pieces() {
    if (pieces_ == nullptr) {
      pieces_ = std::make_unique<zstd::FrameDecoder>();
    }
    return *pieces_;
  }

  std::string argument_;
  std::unique_ptr<ZSTD_CCtx, FreeZstdCompressor> compressor_;
  std::unique_ptr<ZSTD_DCtx, FreeZstdDecompressor> decompressor_;
  std::unique_ptr<zstd::FrameDecoder> pieces_;  // for prefixes
  Progress progress_;
  std::uint64_t last_size_ = 0;  // of the last block that was decoded
};

std::optional<int> parse_zstd_level(std::string_view text) {
  if (text.empty()) {
    return kDefaultZstdLevel;
  }
  const auto level = parse_go_number(text);
  if (!level) {
    return std::nullopt;
  }
  return *level < 0 ? kDefaultZstdLevel
                    : static_cast<int>(std::min<std::int64_t>(*level, ZSTD_maxCLevel()));
}

tl::unexpected<Error> no_zstd_memory() {
  return fail(ErrorCode::Internal, "no memory for a zstd codec");
}

Status Zstd::apply(ByteView in, Buffer& out) {
  out.clear();
  const auto level = parse_zstd_level(argument_);
  if (!level) {
    return fail(ErrorCode::BadArgument,
                fmt::format("the zstd level \"{}\" is no number", argument_));
  }
  if (compressor_ == nullptr) {
    compressor_.reset(ZSTD_createCCtx());
    if (compressor_ == nullptr) {
      return no_zstd_memory();
    }
    ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_compressionLevel, *level);
  }
  const MutableByteView room = out.room(ZSTD_compressBound(in.size()));
  const std::size_t size =
      ZSTD_compress2(compressor_.get(), room.data(), room.size(), in.data(), in.size());
  if (ZSTD_isError(size) != 0) {
    return fail(ErrorCode::Internal,
                fmt::format("zstd compression failed: {}", ZSTD_getErrorName(size)));
  }
  out.commit(size);
  return {};
}

// Refuses what the headers alone rule out.
Status Zstd::check(ByteView in, const std::optional<Outline>& seen, std::uint64_t most) const {
  if (!seen || in.empty()) {
    return fail(ErrorCode::Corrupt, fmt::format("zstd data invalid: the {} bytes are not zstd "
                                                "frames in a row",
                                                in.size()));
  }
  if (seen->window > kMostWindow) {
    return fail(
        ErrorCode::LimitExceeded,
        fmt::format("the zstd window has {} bytes, the limit is {}", seen->window, kMostWindow));
  }
  if (seen->cut) {
    return fail(ErrorCode::Truncated,
                fmt::format("zstd data invalid: the last frame does not end within the {} bytes",
                            in.size()));
  }
  if (seen->sizes_known && seen->claimed > seen->possible) {
    return fail(ErrorCode::Corrupt,
                fmt::format("zstd data invalid: the frames claim {} bytes, their blocks can hold "
                            "{}",
                            seen->claimed, seen->possible));
  }
  if (seen->sizes_known && seen->claimed > most) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("the zstd frames hold {} bytes, the limit is {}", seen->claimed, most));
  }
  return {};
}

Status Zstd::undo(ByteView in, std::uint64_t most, Buffer& out) {
  out.clear();
  const auto seen = outline(in);
  if (auto checked = check(in, seen, most); !checked) {
    return salvage(in, std::move(checked.error()), most, out);
  }
  if (decompressor_ == nullptr) {
    decompressor_.reset(ZSTD_createDCtx());
    if (decompressor_ == nullptr) {
      return no_zstd_memory();
    }
  }
  most = std::min(most, kMostRoom);
  const std::uint64_t ceiling = std::min(most, seen->sizes_known ? seen->claimed : seen->possible);
  const std::uint64_t plausible = in.size() * kPlausibleRatio + kPlausibleBytes;
  std::uint64_t guess = seen->sizes_known
                            ? plausible
                            : std::max({last_size_, std::uint64_t{in.size()} * 4, kFirstGuess});
  while (true) {
    const std::uint64_t room_size = std::min(guess, ceiling);
    const MutableByteView room = room_for(static_cast<std::size_t>(room_size + kSlack), out);
    const std::size_t size =
        ZSTD_decompressDCtx(decompressor_.get(), room.data(), room.size(), in.data(), in.size());
    if (ZSTD_isError(size) == 0) {
      out.commit(size);
      last_size_ = size;
      if (size > most) {
        out.truncate(static_cast<std::size_t>(most));
        break;
      }
      return {};
    }
    if (ZSTD_getErrorCode(size) != ZSTD_error_dstSize_tooSmall) {
      return salvage(
          in,
          Error(ErrorCode::Corrupt, fmt::format("zstd data invalid: {}", ZSTD_getErrorName(size))),
          most, out);
    }
    if (room_size == ceiling) {
      if (ceiling < most) {
        return salvage(in,
                       Error(ErrorCode::Corrupt,
                             fmt::format("zstd data invalid: more content than the {} bytes that "
                                         "the frames can hold",
                                         ceiling)),
                       most, out);
      }
      break;
    }
    guess = room_size * 4;
  }
  return fail(ErrorCode::LimitExceeded,
              fmt::format("the zstd frames hold more than {} bytes, which is the limit", most));
}

// Leaves in `out` what can be decoded of a stream that cannot be decoded whole.
Status Zstd::salvage(ByteView in, Error error, std::uint64_t most, Buffer& out) {
  out.clear();
  if (error.code() != ErrorCode::LimitExceeded) {
    progress_ = {.in = in};
    decode_frames(static_cast<std::size_t>(std::min(most, kMostRoom)), out);
  }
  return tl::unexpected(std::move(error));
}

// Decodes blocks of the frame in hand; false if it is damaged.
bool Zstd::decode_blocks(std::size_t enough, Buffer& out) {
  auto state = zstd::FrameDecoder::State::More;
  while (state == zstd::FrameDecoder::State::More && out.size() < enough) {
    const std::size_t piece =
        std::min(enough - out.size(), std::max(out.capacity() - out.size(), zstd::kMaxBlockSize));
    const MutableByteView room = out.room(piece).first(piece);
    const auto step = pieces().step(progress_.blocks, room);
    out.commit(step.written);
    progress_.blocks = progress_.blocks.subspan(step.used);
    state = step.state;
    if (step.used == 0 && step.written == 0 && progress_.blocks.empty()) {
      break;
    }
  }
  progress_.inside = state == zstd::FrameDecoder::State::More;
  return out.size() >= enough || state == zstd::FrameDecoder::State::End;
}

// Appends decoded bytes to `out` until it has `enough`; false if there are fewer, or damage before.
bool Zstd::decode_frames(std::size_t enough, Buffer& out) {
  if (!pieces().ready()) {
    return false;
  }
  while (out.size() < enough) {
    const zstd::FrameInfo frame = zstd::scan_frame(progress_.in);
    const bool content = frame.kind == zstd::FrameKind::Zstd;
    if (content && !progress_.inside) {
      if (frame.size < frame.header.size || frame.header.window_size > kMostWindow ||
          frame.header.reserved_bit || frame.header.dictionary_id) {
        return false;
      }
      pieces().start(frame.header);
      progress_.blocks = progress_.in.subspan(frame.header.size);
    }
    if (content && !decode_blocks(enough, out)) {
      return false;
    }
    if (out.size() >= enough) {
      return true;
    }
    if (frame.kind == zstd::FrameKind::Unknown || frame.state != zstd::FrameState::Complete ||
        frame.size == 0) {
      return false;
    }
    progress_.in = progress_.in.subspan(static_cast<std::size_t>(frame.size));
  }
  return true;
}

// One frame that says how much it holds needs no window beside its content: half of the work of
// decoding in pieces is to copy from there. False if this stream is not such a frame.
bool Zstd::begin_in_place(ByteView in, const Outline& seen, std::uint64_t most, Buffer& out) {
  const zstd::FrameInfo frame = zstd::scan_frame(in);
  const bool fits = frame.size == in.size() && seen.sizes_known && seen.claimed <= most &&
                    seen.claimed <= in.size() * kPlausibleRatio + kPlausibleBytes;
  if (!fits) {
    return false;
  }
  if (decompressor_ == nullptr) {
    decompressor_.reset(ZSTD_createDCtx());
  }
  // ZSTD_d_stableOutBuffer; without it (an older or newer library) the other way is taken.
  if (decompressor_ == nullptr ||
      ZSTD_isError(ZSTD_DCtx_reset(decompressor_.get(), ZSTD_reset_session_and_parameters)) != 0 ||
      ZSTD_isError(ZSTD_DCtx_setParameter(decompressor_.get(), ZSTD_d_experimentalParam2, 1)) !=
          0) {
    return false;
  }
  room_for(static_cast<std::size_t>(seen.claimed + kSlack), out);
  progress_ = {.in = in, .in_place = true, .hint = frame.header.size};
  return true;
}

bool Zstd::decode_in_place(std::size_t enough, Buffer& out) {
  // The library demands the same output each time, and gives how much input it needs for a block.
  ZSTD_outBuffer output = {out.data(), out.capacity(), out.size()};
  while (output.pos < enough && progress_.hint > 0 && progress_.used < progress_.in.size()) {
    ZSTD_inBuffer input = {progress_.in.data() + progress_.used,
                           std::min(progress_.hint, progress_.in.size() - progress_.used), 0};
    const std::size_t hint = ZSTD_decompressStream(decompressor_.get(), &output, &input);
    if (ZSTD_isError(hint) != 0 ||
        (input.pos == 0 && hint != 0 && input.size == progress_.hint && hint == progress_.hint)) {
      return false;
    }
    progress_.used += input.pos;
    progress_.hint = hint;
  }
  out.commit(output.pos - out.size());
  return out.size() >= enough;
}

Status Zstd::undo_prefix(ByteView in, std::uint64_t enough, std::uint64_t most, Buffer& out) {
  const auto seen = outline(in);
  const bool good = check(in, seen, most).has_value();
  // Beyond so much of the whole, the whole costs no more; and it says what is wrong.
  if (!good || enough > most ||
      enough > (seen->sizes_known ? seen->claimed : seen->possible) / 8 * 7) {
    return undo(in, most, out);
  }
  const auto wanted = static_cast<std::size_t>(enough);
  if (begin_in_place(in, *seen, most, out)) {
    return decode_in_place(wanted, out) ? Status() : undo(in, most, out);
  }
  room_for(static_cast<std::size_t>(
               std::min<std::uint64_t>(enough, in.size() * kPlausibleRatio + kPlausibleBytes)),
           out);
  progress_ = {.in = in};
  return decode_frames(wanted, out) ? Status() : undo(in, most, out);
}

Status Zstd::undo_more(ByteView in, std::uint64_t enough, std::uint64_t most, Buffer& out) {
  if (progress_.in_place && enough <= most) {
    return decode_in_place(static_cast<std::size_t>(enough), out) ? Status() : undo(in, most, out);
  }
  if (!progress_.inside || enough > most) {
    return undo(in, most, out);
  }
  return decode_frames(static_cast<std::size_t>(enough), out) ? Status() : undo(in, most, out);
}

}  // namespace

Result<std::unique_ptr<Transformer>> make_zstd(std::string_view argument) {
  return std::make_unique<Zstd>(argument);
}

}  // namespace fonds::recordio
