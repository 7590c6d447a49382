// The transformer "flate": raw deflate, RFC 1951.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/core.h>
#include <libdeflate.h>
#include <zconf.h>
#include <zlib.h>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/formats/recordio.hpp>

#include "format/recordio/reading/transform.hpp"

namespace fonds::recordio {
namespace {

constexpr int kHuffmanOnly = -2, kDefault = -1, kHighest = 9;
constexpr std::size_t kInflatedAtOnce = std::size_t{64} << 10;
// RFC 1951: at best 258 bytes for two bits.
constexpr std::uint64_t kMostRatio = 1032;
// libdeflate decodes straight into the output, and gives up at the first symbol or stored block
// that does not fit: what is further than the largest of them from the end has been written then.
// Symbols give few bytes, so that a small margin does, unless a mark in it is still there.
constexpr std::size_t kStoredMargin = 65536, kSymbolMargin = 4096, kMarkAt = 3072;
constexpr std::string_view kMark = "\x9d\x1c\xe4\x57\xb0\x6a\x03\xf8";
constexpr std::size_t kZlibMost = std::numeric_limits<uInt>::max() / 2;

// The level of libdeflate for one of the Go library's: the fastest that made files no larger than
// the Go library's at its level, but distinct where that costs little; docs/formats/recordio.md.
constexpr std::array<int, kHighest + 1> kLevels = {0, 1, 1, 2, 3, 3, 5, 6, 7, 9};
constexpr int kDefaultLevel = 3;  // the Go library's default is its level 5

struct FreeCompressor {
  void operator()(libdeflate_compressor* compressor) const {
    libdeflate_free_compressor(compressor);
  }
};
struct FreeDecompressor {
  void operator()(libdeflate_decompressor* decompressor) const {
    libdeflate_free_decompressor(decompressor);
  }
};

// zlib reads from next_in only; its interface predates const.
Bytef* input(ByteView in) { return reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data())); }

// zlib, for what libdeflate cannot: telling what is wrong, and giving what is before it.
class Inflater {
 public:
  Inflater() { good_ = inflateInit2(&state_, -MAX_WBITS) == Z_OK; }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&state_); }

  enum class End : std::uint8_t { Whole, Enough, Cut, Corrupt };
  // Appends to `out` until it has `enough` bytes or the stream is over. `used` are then the bytes
  // of the stream.
  End run(ByteView in, std::uint64_t enough, Buffer& out, std::size_t& used) {
    if (!good_ || inflateReset(&state_) != Z_OK) {
      return End::Corrupt;
    }
    used = 0;
    state_.avail_in = 0;
    while (true) {
      if (out.size() >= enough) {
        return End::Enough;
      }
      if (state_.avail_in == 0) {
        const std::size_t n = std::min(in.size() - used, kZlibMost);
        state_.next_in = input(in.subspan(used));
        state_.avail_in = static_cast<uInt>(n);
      }
      const auto wanted =
          static_cast<std::size_t>(std::min<std::uint64_t>(enough - out.size(), kInflatedAtOnce));
      const uInt before = state_.avail_in;
      state_.next_out = reinterpret_cast<Bytef*>(out.room(wanted).data());
      state_.avail_out = static_cast<uInt>(wanted);
      const int verdict = inflate(&state_, Z_NO_FLUSH);
      used += before - state_.avail_in;
      out.commit(wanted - state_.avail_out);
      if (verdict == Z_STREAM_END) {
        return End::Whole;
      }
      if (verdict != Z_OK && verdict != Z_BUF_ERROR) {
        return End::Corrupt;
      }
      if (used == in.size() && state_.avail_out != 0) {
        return End::Cut;
      }
    }
  }

 private:
  z_stream state_ = {};
  bool good_ = false;
};

class Flate final : public Transformer {
 public:
  explicit Flate(std::string_view argument) : argument_(argument) {}

  Status apply(ByteView in, Buffer& out) override;
  Status undo(ByteView in, std::uint64_t most, Buffer& out) override;
  Status undo_prefix(ByteView in, std::uint64_t enough, std::uint64_t most, Buffer& out) override;
  std::string_view oddity() const override { return oddity_; }

 private:
  Status apply_huffman(ByteView in, Buffer& out);
  Status undo_exactly(ByteView in, std::uint64_t most, Buffer& out);
  void note_rest(std::size_t used, std::size_t size);
  bool make_decompressor();
  Inflater& inflater() {
    if (inflater_ == nullptr) {
      inflater_ = std::make_unique<Inflater>();
    }
    return *inflater_;
  }

  std::string argument_;
  std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor_;
  std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor_;
  std::unique_ptr<Inflater> inflater_;
  std::size_t last_size_ = 0;  // of the last block that was decoded
  std::string oddity_;
};

std::optional<int> parse_level(std::string_view text) {
  if (text.empty()) {
    return kDefault;
  }
  const auto level = parse_go_number(text);
  if (!level || *level < kHuffmanOnly || *level > kHighest) {
    return std::nullopt;
  }
  return static_cast<int>(*level);
}

tl::unexpected<Error> no_memory() {
  return fail(ErrorCode::Internal, "no memory for a deflate codec");
}
tl::unexpected<Error> over_limit(std::uint64_t most) {
  return fail(
      ErrorCode::LimitExceeded,
      fmt::format("the deflate stream has more than {} decoded bytes, which is the limit", most));
}

Status Flate::apply(ByteView in, Buffer& out) {
  out.clear();
  const auto level = parse_level(argument_);
  if (!level) {
    return fail(ErrorCode::BadArgument,
                fmt::format("the flate level \"{}\" is no number from {} to {}", argument_,
                            kHuffmanOnly, kHighest));
  }
  if (*level == kHuffmanOnly) {
    return apply_huffman(in, out);
  }
  if (compressor_ == nullptr) {
    compressor_.reset(libdeflate_alloc_compressor(
        *level == kDefault ? kDefaultLevel : kLevels[static_cast<std::size_t>(*level)]));
    if (compressor_ == nullptr) {
      return no_memory();
    }
  }
  const MutableByteView room =
      out.room(libdeflate_deflate_compress_bound(compressor_.get(), in.size()));
  const std::size_t size = libdeflate_deflate_compress(compressor_.get(), in.data(), in.size(),
                                                       room.data(), room.size());
  if (size == 0) {
    return fail(ErrorCode::Internal, "libdeflate does not keep to its bound");
  }
  out.commit(size);
  return {};
}

Status Flate::apply_huffman(ByteView in, Buffer& out) {
  z_stream state = {};
  if (deflateInit2(&state, 1, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, Z_HUFFMAN_ONLY) != Z_OK) {
    return no_memory();
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&state, deflateEnd);
  int verdict = Z_OK;
  while (verdict != Z_STREAM_END) {
    const std::size_t given = std::min(in.size(), kZlibMost);
    const MutableByteView all = out.room(std::max(kInflatedAtOnce, given / 2));
    const std::size_t room = std::min(all.size(), kZlibMost);
    state.next_in = input(in);
    state.avail_in = static_cast<uInt>(given);
    state.next_out = reinterpret_cast<Bytef*>(all.data());
    state.avail_out = static_cast<uInt>(room);
    verdict = deflate(&state, given == in.size() ? Z_FINISH : Z_NO_FLUSH);
    if (verdict != Z_OK && verdict != Z_STREAM_END && verdict != Z_BUF_ERROR) {
      return fail(ErrorCode::Internal, fmt::format("deflate failed with {}", verdict));
    }
    in = in.subspan(given - state.avail_in);
    out.commit(room - state.avail_out);
  }
  return {};
}

void Flate::note_rest(std::size_t used, std::size_t size) {
  if (used < size) {
    oddity_ = fmt::format("bytes behind the deflate stream: {} of {}", size - used, size);
  }
}

bool Flate::make_decompressor() {
  if (decompressor_ == nullptr) {
    decompressor_.reset(libdeflate_alloc_decompressor());
  }
  return decompressor_ != nullptr;
}

Status Flate::undo(ByteView in, std::uint64_t most, Buffer& out) {
  out.clear();
  oddity_.clear();
  if (!make_decompressor()) {
    return no_memory();
  }
  // Never more than the stream can hold, nor than is allowed.
  const std::uint64_t ceiling =
      std::min({most, (std::uint64_t{in.size()} + 1) * kMostRatio,
                std::uint64_t{std::numeric_limits<std::size_t>::max() / 2}});
  std::uint64_t guess =
      std::max({std::uint64_t{last_size_}, std::uint64_t{in.size()} * 4, kFirstGuess});
  while (true) {
    const std::size_t size = static_cast<std::size_t>(std::min(guess, ceiling));
    const MutableByteView room = room_for(size, out);
    std::size_t used = 0, written = 0;
    const libdeflate_result verdict = libdeflate_deflate_decompress_ex(
        decompressor_.get(), in.data(), in.size(), room.data(), size, &used, &written);
    if (verdict == LIBDEFLATE_SUCCESS) {
      out.commit(written);
      last_size_ = written;
      note_rest(used, in.size());
      return {};
    }
    if (verdict != LIBDEFLATE_INSUFFICIENT_SPACE) {
      return undo_exactly(in, most, out);
    }
    if (size == ceiling) {
      return ceiling == most ? Status(over_limit(most)) : undo_exactly(in, most, out);
    }
    guess = std::uint64_t{size} * 3;
  }
}

// Finds out what is wrong with a stream that libdeflate refuses.
Status Flate::undo_exactly(ByteView in, std::uint64_t most, Buffer& out) {
  out.clear();
  std::size_t used = 0;
  const std::uint64_t enough = most == std::numeric_limits<std::uint64_t>::max() ? most : most + 1;
  const Inflater::End end = inflater().run(in, enough, out, used);
  switch (end) {
    case Inflater::End::Whole:
      if (out.size() > most) {
        break;
      }
      note_rest(used, in.size());
      return {};
    case Inflater::End::Enough:
      break;
    case Inflater::End::Cut:
      return fail(ErrorCode::Truncated,
                  fmt::format("deflate stream cut: no end within {} bytes, {} bytes decoded",
                              in.size(), out.size()));
    case Inflater::End::Corrupt:
      return fail(ErrorCode::Corrupt,
                  fmt::format("deflate data invalid: at about byte {} of {}, {} bytes decoded",
                              used, in.size(), out.size()));
  }
  out.truncate(static_cast<std::size_t>(most));
  return over_limit(most);
}

Status Flate::undo_prefix(ByteView in, std::uint64_t enough, std::uint64_t most, Buffer& out) {
  oddity_.clear();
  if (enough > most || enough / kMostRatio > in.size()) {
    return undo(in, most, out);
  }
  if ((last_size_ != 0 && enough >= last_size_ / 8 * 7) || most - enough < kStoredMargin) {
    return undo(in, most, out);
  }
  if (!make_decompressor()) {
    return no_memory();
  }
  const auto wanted = static_cast<std::size_t>(enough);
  for (const std::size_t margin : {kSymbolMargin, kStoredMargin}) {
    const MutableByteView room = room_for(wanted + margin, out);
    std::byte* mark = room.data() + wanted + kMarkAt;
    std::memcpy(mark, kMark.data(), kMark.size());
    std::size_t used = 0, written = 0;
    const libdeflate_result verdict = libdeflate_deflate_decompress_ex(
        decompressor_.get(), in.data(), in.size(), room.data(), wanted + margin, &used, &written);
    if (verdict == LIBDEFLATE_SUCCESS) {
      out.commit(written);
      note_rest(used, in.size());
      return {};
    }
    if (verdict != LIBDEFLATE_INSUFFICIENT_SPACE) {
      break;
    }
    if (margin == kStoredMargin || std::memcmp(mark, kMark.data(), kMark.size()) != 0) {
      out.commit(wanted);
      return {};
    }
  }
  return undo(in, most, out);
}

}  // namespace

Result<std::unique_ptr<Transformer>> make_flate(std::string_view argument) {
  return std::make_unique<Flate>(argument);
}

}  // namespace fonds::recordio
