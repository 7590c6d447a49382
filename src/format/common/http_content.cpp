#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include <brotli/decode.h>
#include <libdeflate.h>
#define ZLIB_CONST
#include <zconf.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

#include "base/bytes.hpp"
#include "format/common/http_coding.hpp"
#include "format/common/http_message.hpp"

namespace fonds::http {
namespace internal {
namespace {

constexpr std::size_t kMinSpace = std::size_t{4} << 10;
constexpr std::size_t kMaxFirstSpace = std::size_t{1} << 20;
constexpr int kZstdMaxWindowLog = 27;

// Output of a decoder: grows by doubling, but never beyond one octet over the limit.
class BoundedOutput {
 public:
  BoundedOutput(std::size_t input_size, std::uint64_t max_size)
      : limit_(static_cast<std::size_t>(
            std::min<std::uint64_t>(max_size, std::numeric_limits<std::size_t>::max() / 4))),
        first_space_(
            std::clamp(std::min(input_size, kMaxFirstSpace) * 4, kMinSpace, kMaxFirstSpace)) {}

  // Room for at least one octet more; exceeded() must be false.
  std::span<char> space() {
    if (used_ == bytes_.size()) {
      grow();
    }
    return std::span<char>(bytes_).subspan(used_);
  }
  void commit(std::size_t count) { used_ += count; }
  std::size_t size() const { return used_; }
  bool exceeded() const { return used_ > limit_; }
  std::string take() {
    bytes_.resize(used_);
    return std::move(bytes_);
  }
  void clear() { used_ = 0; }

 private:
  void grow() {
    const std::size_t wanted = std::min(std::max(first_space_, used_ * 2), limit_ + 1);
    // Not by resize() alone: that may double the capacity beyond what is wanted.
    std::string bigger;
    bigger.reserve(wanted);
    bigger.assign(bytes_, 0, used_);
    bigger.resize(wanted);
    bytes_ = std::move(bigger);
  }

  std::size_t limit_;
  std::size_t first_space_;
  std::size_t used_ = 0;
  std::string bytes_;
};

// How decoding one stream (gzip member, zlib or raw deflate stream, brotli stream, zstd frame)
// ended.
enum class End : std::uint8_t {
  Complete,
  OutOfInput,
  Broken,
  Unsupported,  // a valid stream that needs a dictionary or too large a window
  TooLarge,
  NoMemory,
};

struct StreamEnd {
  End end;
  std::size_t consumed;  // octets of the input that belong to the stream
};

class Inflater {
 public:
  // As zlib's windowBits: 15 zlib, 31 gzip, -15 raw.
  explicit Inflater(int window_bits) : ready_(inflateInit2(&stream_, window_bits) == Z_OK) {}
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (ready_) {
      inflateEnd(&stream_);
    }
  }

  StreamEnd run(ByteView input, BoundedOutput& output) {
    if (!ready_ || inflateReset(&stream_) != Z_OK) {
      return {End::NoMemory, 0};
    }
    std::size_t fed = 0;
    stream_.avail_in = 0;
    for (;;) {
      if (stream_.avail_in == 0) {
        const std::size_t part = std::min(input.size() - fed, kMaxPart);
        stream_.next_in = reinterpret_cast<const Bytef*>(input.data() + fed);
        stream_.avail_in = static_cast<uInt>(part);
        fed += part;
      }
      const std::span<char> space = output.space();
      const std::size_t room = std::min(space.size(), kMaxPart);
      stream_.next_out = reinterpret_cast<Bytef*>(space.data());
      stream_.avail_out = static_cast<uInt>(room);
      const int code = inflate(&stream_, Z_NO_FLUSH);
      output.commit(room - stream_.avail_out);
      const std::size_t consumed = fed - stream_.avail_in;
      if (output.exceeded()) {
        return {End::TooLarge, consumed};
      }
      if (code == Z_STREAM_END) {
        return {End::Complete, consumed};
      }
      if (code == Z_BUF_ERROR && consumed == input.size()) {
        return {End::OutOfInput, consumed};
      }
      if (code != Z_OK && code != Z_BUF_ERROR) {
        return {code == Z_MEM_ERROR ? End::NoMemory : End::Broken, consumed};
      }
    }
  }

 private:
  static constexpr std::size_t kMaxPart = std::size_t{1} << 30;  // zlib counts in unsigned int

  z_stream stream_{};
  bool ready_;
};

std::uint8_t octet(ByteView bytes, std::size_t at) {
  return std::to_integer<std::uint8_t>(bytes[at]);
}

// RFC 1952, 2.3.1: ID1, ID2, CM.
bool is_gzip(ByteView input) {
  return input.size() >= 2 && octet(input, 0) == 0x1f && octet(input, 1) == 0x8b &&
         (input.size() == 2 || octet(input, 2) == 8);
}

// RFC 1950, 2.2.
bool is_zlib(ByteView input) {
  return input.size() >= 2 && (octet(input, 0) & 0x0f) == 8 && (octet(input, 0) >> 4) <= 7 &&
         (octet(input, 0) * 256 + octet(input, 1)) % 31 == 0;
}

// RFC 8878, 3.1: a Zstandard or a skippable frame.
bool is_zstd(ByteView input) {
  if (input.size() < 4) {
    return false;
  }
  const bool frame = octet(input, 0) == 0x28 && octet(input, 1) == 0xb5 &&
                     octet(input, 2) == 0x2f && octet(input, 3) == 0xfd;
  const bool skippable = (octet(input, 0) & 0xf0) == 0x50 && octet(input, 1) == 0x2a &&
                         octet(input, 2) == 0x4d && octet(input, 3) == 0x18;
  return frame || skippable;
}

Stage as_stored() { return {Outcome::NotApplied, {}}; }

Stage delivered(Outcome outcome, BoundedOutput& output) { return {outcome, output.take()}; }

// Streams of one kind, one after the other, up to the end of the input or to what is none.
template <typename IsStream, typename Run>
Result<Stage> run_streams(ByteView input, std::uint64_t max_size, IsStream is_stream, Run run) {
  if (!is_stream(input)) {
    return as_stored();
  }
  BoundedOutput output(input.size(), max_size);
  for (ByteView rest = input; !rest.empty();) {
    const bool first = rest.size() == input.size();
    const std::size_t size_before = output.size();
    if (!is_stream(rest)) {
      return delivered(Outcome::Tolerated, output);
    }
    const StreamEnd ended = run(rest, output);
    switch (ended.end) {
      case End::Complete:
        rest = rest.subspan(ended.consumed);
        continue;
      case End::TooLarge:
        return too_large(max_size);
      case End::NoMemory:
        return no_memory();
      case End::OutOfInput:
        return delivered(Outcome::Truncated, output);
      case End::Unsupported:
        return first ? Stage{Outcome::UnknownCoding, {}} : delivered(Outcome::Truncated, output);
      case End::Broken:
        if (output.size() > size_before) {
          return delivered(Outcome::Truncated, output);
        }
        // Nothing came out: only the magic number looked like a stream.
        return first ? as_stored() : delivered(Outcome::Tolerated, output);
    }
  }
  return delivered(Outcome::Ok, output);
}

// A single whole member, as most bodies are: in one go, with room for what its end says that it
// holds. Nothing for all others, which are decoded as far as they go.
std::optional<Stage> undo_whole_gzip(ByteView input, std::uint64_t max_size) {
  constexpr std::size_t kLeast = 18;              // header and trailer (RFC 1952, 2.3)
  constexpr std::uint64_t kMost = 1032;           // times as many octets as DEFLATE has
  constexpr std::uint8_t kHeaderChecksum = 0x02;  // FHCRC, which libdeflate does not look at
  if (input.size() < kLeast || !is_gzip(input) || (octet(input, 3) & kHeaderChecksum) != 0) {
    return std::nullopt;
  }
  const std::uint64_t size = load_le32(input.subspan(input.size() - 4));
  if (size > max_size || size / kMost > input.size()) {
    return std::nullopt;
  }
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)>
      decompressor(libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
  if (!decompressor) {
    return std::nullopt;
  }
  Stage stage;
  stage.bytes.resize(static_cast<std::size_t>(size));
  std::size_t consumed = 0;
  std::size_t written = 0;
  const auto verdict =
      libdeflate_gzip_decompress_ex(decompressor.get(), input.data(), input.size(),
                                    stage.bytes.data(), stage.bytes.size(), &consumed, &written);
  if (verdict != LIBDEFLATE_SUCCESS || consumed != input.size() || written != size) {
    return std::nullopt;
  }
  return stage;
}

Result<Stage> undo_gzip(ByteView input, std::uint64_t max_size) {
  if (auto whole = undo_whole_gzip(input, max_size)) {
    return *std::move(whole);
  }
  Inflater inflater(15 + 16);
  return run_streams(input, max_size, is_gzip, [&inflater](ByteView rest, BoundedOutput& output) {
    return inflater.run(rest, output);
  });
}

// Raw deflate and brotli have no magic number, and a plain text can look like the start of either.
// What decodes without an error to the last octet is believed, and what was cut or breaks if it
// grew, as a compressed body does and a text taken for one seldom does.
Result<Stage> judge_unmarked(ByteView input, std::uint64_t max_size, StreamEnd ended,
                             std::size_t tolerated_rest, BoundedOutput& output) {
  const bool grew = output.size() > ended.consumed;
  const std::size_t rest = input.size() - ended.consumed;
  switch (ended.end) {
    case End::TooLarge:
      return too_large(max_size);
    case End::NoMemory:
      return no_memory();
    case End::Complete:
      if (rest == 0) {
        return delivered(Outcome::Ok, output);
      }
      if (rest <= tolerated_rest || grew) {
        return delivered(Outcome::Tolerated, output);
      }
      return as_stored();
    case End::OutOfInput:
      return grew ? delivered(Outcome::Truncated, output) : as_stored();
    case End::Broken:
    case End::Unsupported:
      break;
  }
  return grew ? delivered(Outcome::Truncated, output) : as_stored();
}

Result<Stage> undo_deflate(ByteView input, std::uint64_t max_size) {
  if (is_gzip(input)) {
    // Some servers say deflate and mean gzip.
    FONDS_TRY(Stage stage, undo_gzip(input, max_size));
    if (stage.outcome == Outcome::Ok) {
      stage.outcome = Outcome::Tolerated;
    }
    return stage;
  }
  BoundedOutput output(input.size(), max_size);
  if (is_zlib(input)) {
    const StreamEnd ended = Inflater(15).run(input, output);
    if (ended.end == End::TooLarge) {
      return too_large(max_size);
    }
    if (ended.end == End::NoMemory) {
      return no_memory();
    }
    if (ended.end == End::Complete) {
      const bool all = ended.consumed == input.size();
      return delivered(all ? Outcome::Ok : Outcome::Tolerated, output);
    }
    if (output.size() > 0) {
      return delivered(Outcome::Truncated, output);
    }
  }
  output.clear();
  const StreamEnd ended = Inflater(-15).run(input, output);
  // A zlib checksum may stand behind a stream without zlib header.
  return judge_unmarked(input, max_size, ended, 4, output);
}

StreamEnd run_brotli(ByteView input, BoundedOutput& output) {
  const std::unique_ptr<BrotliDecoderState, decltype(&BrotliDecoderDestroyInstance)> state(
      BrotliDecoderCreateInstance(nullptr, nullptr, nullptr), &BrotliDecoderDestroyInstance);
  if (!state) {
    return {End::NoMemory, 0};
  }
  std::size_t left = input.size();
  const auto* next_in = reinterpret_cast<const std::uint8_t*>(input.data());
  for (;;) {
    const std::span<char> space = output.space();
    std::size_t room = space.size();
    auto* next_out = reinterpret_cast<std::uint8_t*>(space.data());
    const BrotliDecoderResult result =
        BrotliDecoderDecompressStream(state.get(), &left, &next_in, &room, &next_out, nullptr);
    output.commit(space.size() - room);
    const std::size_t consumed = input.size() - left;
    if (output.exceeded()) {
      return {End::TooLarge, consumed};
    }
    switch (result) {
      case BROTLI_DECODER_RESULT_SUCCESS:
        return {End::Complete, consumed};
      case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT:
        return {End::OutOfInput, consumed};
      case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT:
        break;
      case BROTLI_DECODER_RESULT_ERROR: {
        const BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(state.get());
        const bool memory = code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES &&
                            code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
        return {memory ? End::NoMemory : End::Broken, consumed};
      }
    }
  }
}

Result<Stage> undo_brotli(ByteView input, std::uint64_t max_size) {
  BoundedOutput output(input.size(), max_size);
  const StreamEnd ended = run_brotli(input, output);
  return judge_unmarked(input, max_size, ended, 0, output);
}

End zstd_end(std::size_t code) {
  switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_memory_allocation:
      return End::NoMemory;
    case ZSTD_error_dictionary_wrong:
    case ZSTD_error_frameParameter_windowTooLarge:
    case ZSTD_error_version_unsupported:
    case ZSTD_error_frameParameter_unsupported:
      return End::Unsupported;
    default:
      return End::Broken;
  }
}

StreamEnd run_zstd(ZSTD_DCtx* context, ByteView input, BoundedOutput& output) {
  ZSTD_inBuffer in{input.data(), input.size(), 0};
  for (;;) {
    const std::span<char> space = output.space();
    ZSTD_outBuffer out{space.data(), space.size(), 0};
    const std::size_t code = ZSTD_decompressStream(context, &out, &in);
    output.commit(out.pos);
    if (output.exceeded()) {
      return {End::TooLarge, in.pos};
    }
    if (ZSTD_isError(code) != 0) {
      return {zstd_end(code), in.pos};
    }
    if (code == 0) {
      return {End::Complete, in.pos};
    }
    if (in.pos == in.size && out.pos < out.size) {
      return {End::OutOfInput, in.pos};
    }
  }
}

Result<Stage> undo_zstd(ByteView input, std::uint64_t max_size) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                     &ZSTD_freeDCtx);
  if (!context || ZSTD_isError(ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax,
                                                      kZstdMaxWindowLog)) != 0) {
    return no_memory();
  }
  return run_streams(input, max_size, is_zstd, [&context](ByteView rest, BoundedOutput& output) {
    return run_zstd(context.get(), rest, output);
  });
}

}  // namespace

Result<Stage> undo_compression(Coding coding, ByteView input, std::uint64_t max_size) {
  switch (coding) {
    case Coding::Gzip:
      return undo_gzip(input, max_size);
    case Coding::Deflate:
      return undo_deflate(input, max_size);
    case Coding::Brotli:
      return undo_brotli(input, max_size);
    case Coding::Zstd:
      return undo_zstd(input, max_size);
    case Coding::Identity:
    case Coding::Chunked:
    case Coding::Unknown:
      break;
  }
  return Stage{Outcome::UnknownCoding, {}};
}

}  // namespace internal

Result<Decoded> decode_content(const Head& head, ByteView body, std::uint64_t max_size) {
  try {
    internal::Unwrapping unwrapping(body, max_size);
    FONDS_CHECK(internal::undo_transfer(head, body, unwrapping));
    if (head.kind != Head::Kind::None) {
      FONDS_CHECK(unwrapping.undo(head.joined("Content-Encoding")));
    }
    return unwrapping.take();
  } catch (const std::bad_alloc&) {
    return internal::no_memory();
  } catch (const std::length_error&) {
    return internal::no_memory();
  }
}

}  // namespace fonds::http
