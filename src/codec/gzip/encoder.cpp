// Gzip members (RFC 1952): libdeflate for those that are held, zlib for streams.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include <fmt/core.h>
#include <libdeflate.h>
#include <zconf.h>
#include <zlib.h>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>
#include <fonds/encoder.hpp>
#include <fonds/error.hpp>

#include "base/bytes.hpp"
#include "codec/encoder_units.hpp"
#include "codec/gzip/member_header.hpp"

namespace fonds::gzip {
namespace {

// The level of libdeflate for each of gzip's 0 to 9 and the three beyond: a fast one that makes the
// crawl corpus no larger than zlib does at that level, and at 6 no larger than zlib does at 9.
constexpr std::array<int, 13> kLibdeflateLevels = {0, 1, 2, 3, 4, 4, 5, 6, 7, 9, 10, 11, 12};

constexpr std::size_t kPlainHeader = 10;
constexpr std::size_t kSkipLengthsAt = 16;  // in a header that has them
constexpr std::size_t kTrailer = 8;

// No time, no name, no system: equal content makes equal members.
void emit_header(bool skip_lengths, Buffer& out) {
  constexpr std::array<unsigned char, kPlainHeader> kPlain = {0x1F, 0x8B, 8, 0, 0,
                                                              0,    0,    0, 0, 0xFF};
  // Twelve bytes of extra field: "sl", eight bytes; not stated yet.
  constexpr std::array<unsigned char, kPlainHeader + 14> kWithLengths = {
      0x1F, 0x8B, 8, 4, 0, 0, 0, 0, 0, 0xFF, 12, 0, 's', 'l', 8, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  if (skip_lengths) {
    out.append(std::as_bytes(std::span(kWithLengths)));
  } else {
    out.append(std::as_bytes(std::span(kPlain)));
  }
}

void emit_trailer(std::uint32_t crc, std::uint64_t decoded_size, Buffer& out) {
  std::byte* const at = out.room(kTrailer).data();
  store_le32(crc, at);
  store_le32(static_cast<std::uint32_t>(decoded_size & 0xFFFFFFFF), at + 4);
  out.commit(kTrailer);
}

class Whole final : public WholeEncoder {
 public:
  Whole(libdeflate_compressor* compressor, bool skip_lengths)
      : compressor_(compressor), skip_lengths_(skip_lengths) {}

  Result<std::size_t> encode(ByteView unit, Buffer& out) override {
    const std::size_t begin = out.size();
    emit_header(skip_lengths_, out);
    const MutableByteView room =
        out.room(libdeflate_deflate_compress_bound(compressor_.get(), unit.size()));
    const std::size_t size = libdeflate_deflate_compress(compressor_.get(), unit.data(),
                                                         unit.size(), room.data(), room.size());
    if (size == 0) {
      return fail(ErrorCode::Internal, "libdeflate does not keep to its bound");
    }
    out.commit(size);
    emit_trailer(libdeflate_crc32(0, unit.data(), unit.size()), unit.size(), out);
    const std::size_t stored = out.size() - begin;
    constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
    if (skip_lengths_ && stored <= kMost && unit.size() <= kMost) {
      std::byte* const at = out.data() + begin + kSkipLengthsAt;
      store_le32(static_cast<std::uint32_t>(stored), at);
      store_le32(static_cast<std::uint32_t>(unit.size()), at + 4);
    }
    return std::size_t{0};
  }

 private:
  struct Free {
    void operator()(libdeflate_compressor* old) const { libdeflate_free_compressor(old); }
  };
  std::unique_ptr<libdeflate_compressor, Free> compressor_;
  bool skip_lengths_;
};

class Stream final : public StreamEncoder {
 public:
  Stream(int level, bool skip_lengths)
      : skip_lengths_(skip_lengths),
        good_(deflateInit2(&state_, level, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
                           Z_DEFAULT_STRATEGY) == Z_OK) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() override { deflateEnd(&state_); }

  Status begin(std::optional<std::uint64_t>, Buffer& out) override {
    if (!good_ || deflateReset(&state_) != Z_OK) {
      return fail(ErrorCode::LimitExceeded, "no memory for a gzip encoder");
    }
    crc_ = 0;
    decoded_size_ = 0;
    // Its lengths are known too late to be stated: a sink goes forward only.
    emit_header(skip_lengths_, out);
    return {};
  }
  Status write(ByteView decoded, Buffer& out) override {
    if (!decoded.empty()) {
      crc_ = libdeflate_crc32(crc_, decoded.data(), decoded.size());
      decoded_size_ += decoded.size();
    }
    return compress(decoded, Z_NO_FLUSH, out);
  }
  Status end(Buffer& out) override {
    FONDS_CHECK(compress({}, Z_FINISH, out));
    emit_trailer(crc_, decoded_size_, out);
    return {};
  }

 private:
  Status compress(ByteView decoded, int flush, Buffer& out) {
    // zlib reads from next_in only; its interface predates const.
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(decoded.data()));
    state_.avail_in = static_cast<uInt>(decoded.size());
    while (true) {
      const MutableByteView room = out.room(kPiece);
      state_.next_out = reinterpret_cast<Bytef*>(room.data());
      state_.avail_out = static_cast<uInt>(kPiece);
      const int verdict = deflate(&state_, flush);
      out.commit(kPiece - state_.avail_out);
      if (verdict != Z_OK && verdict != Z_STREAM_END && verdict != Z_BUF_ERROR) {
        return fail(ErrorCode::Internal, fmt::format("zlib's deflate failed with {}", verdict));
      }
      if (verdict == Z_STREAM_END || (flush != Z_FINISH && state_.avail_out != 0)) {
        return {};
      }
    }
  }

  static constexpr std::size_t kPiece = std::size_t{64} << 10;
  bool skip_lengths_;
  z_stream state_ = {};
  bool good_;
  std::uint32_t crc_ = 0;
  std::uint64_t decoded_size_ = 0;
};

class Units final : public UnitCodec {
 public:
  Units(int level, bool skip_lengths) : level_(level), skip_lengths_(skip_lengths) {}

  Result<std::unique_ptr<WholeEncoder>> whole_encoder() const override {
    libdeflate_compressor* const compressor =
        libdeflate_alloc_compressor(kLibdeflateLevels[static_cast<std::size_t>(level_)]);
    if (compressor == nullptr) {
      return fail(ErrorCode::LimitExceeded, "no memory for a gzip encoder");
    }
    return std::make_unique<Whole>(compressor, skip_lengths_);
  }
  Result<std::unique_ptr<StreamEncoder>> stream_encoder() const override {
    return std::make_unique<Stream>(std::min(level_, Z_BEST_COMPRESSION), skip_lengths_);
  }
  Status check_stored(ByteView stored) const override {
    MemberHeader header;
    if (parse_member_header(stored, header) == HeaderState::Not) {
      return fail(ErrorCode::BadArgument, "stored bytes that begin with no gzip member");
    }
    return {};
  }

 private:
  int level_;
  bool skip_lengths_;
};

}  // namespace

Result<std::unique_ptr<UnitCodec>> make_unit_codec(const EncodeOptions& options) {
  FONDS_TRY(const int level, choose_level(options));
  return std::make_unique<Units>(level, options.skip_lengths);
}

}  // namespace fonds::gzip
