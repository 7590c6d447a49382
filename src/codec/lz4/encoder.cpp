// Lz4 frames: content checksum, independent blocks, and the content size where it is known.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/core.h>
#include <lz4frame.h>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>
#include <fonds/encoder.hpp>
#include <fonds/error.hpp>

#include "base/bytes.hpp"
#include "codec/encoder_units.hpp"
#include "codec/lz4/frame.hpp"

namespace fonds::lz4 {
namespace {

// The smallest blocks that hold the unit, so that decoders need no more memory than that.
LZ4F_blockSizeID_t block_size(std::optional<std::uint64_t> decoded_size) {
  const std::uint64_t size = decoded_size.value_or(~std::uint64_t{0});
  return size <= std::uint64_t{64} << 10    ? LZ4F_max64KB
         : size <= std::uint64_t{256} << 10 ? LZ4F_max256KB
         : size <= std::uint64_t{1} << 20   ? LZ4F_max1MB
                                            : LZ4F_max4MB;
}

class Frames {
 public:
  // Null if there is no memory.
  static std::shared_ptr<LZ4F_cctx> make_context() {
    LZ4F_cctx* context = nullptr;
    if (LZ4F_isError(LZ4F_createCompressionContext(&context, LZ4F_VERSION)) != 0) {
      return nullptr;
    }
    return {context, LZ4F_freeCompressionContext};
  }

  Frames(std::shared_ptr<LZ4F_cctx> context, int level) : context_(std::move(context)) {
    // A flag for each feature, as in the frame itself.
    preferences_.compressionLevel = level;
    preferences_.frameInfo.blockMode = LZ4F_blockIndependent;
    preferences_.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  }

  Status begin(std::optional<std::uint64_t> decoded_size, Buffer& out) {
    preferences_.frameInfo.blockSizeID = block_size(decoded_size);
    // Zero means "not known" to the library, which then writes no size.
    preferences_.frameInfo.contentSize = decoded_size.value_or(0);
    return take(out, LZ4F_HEADER_SIZE_MAX, [&](MutableByteView room) {
      return LZ4F_compressBegin(context_.get(), room.data(), room.size(), &preferences_);
    });
  }
  // `kept`: the bytes stay where they are until end().
  Status write(ByteView decoded, bool kept, Buffer& out) {
    const LZ4F_compressOptions_t options = {.stableSrc = kept ? 1U : 0U, .reserved = {}};
    return take(out, LZ4F_compressBound(decoded.size(), &preferences_), [&](MutableByteView room) {
      return LZ4F_compressUpdate(context_.get(), room.data(), room.size(), decoded.data(),
                                 decoded.size(), &options);
    });
  }
  Status end(Buffer& out) {
    return take(out, LZ4F_compressBound(0, &preferences_), [&](MutableByteView room) {
      return LZ4F_compressEnd(context_.get(), room.data(), room.size(), nullptr);
    });
  }

 private:
  template <typename Call>
  static Status take(Buffer& out, std::size_t most, Call&& call) {
    const std::size_t size = call(out.room(most));
    if (LZ4F_isError(size) != 0) {
      return fail(ErrorCode::Internal,
                  fmt::format("lz4 compression failed: {}", LZ4F_getErrorName(size)));
    }
    out.commit(size);
    return {};
  }

  std::shared_ptr<LZ4F_cctx> context_;
  LZ4F_preferences_t preferences_ = {};
};

class Whole final : public WholeEncoder {
 public:
  explicit Whole(Frames frames) : frames_(std::move(frames)) {}
  Result<std::size_t> encode(ByteView unit, Buffer& out) override {
    FONDS_CHECK(frames_.begin(unit.size(), out));
    if (!unit.empty()) {
      FONDS_CHECK(frames_.write(unit, true, out));
    }
    FONDS_CHECK(frames_.end(out));
    return std::size_t{0};
  }

 private:
  Frames frames_;
};

class Stream final : public StreamEncoder {
 public:
  explicit Stream(Frames frames) : frames_(std::move(frames)) {}
  Status begin(std::optional<std::uint64_t> decoded_size, Buffer& out) override {
    return frames_.begin(decoded_size, out);
  }
  Status write(ByteView decoded, Buffer& out) override {
    return decoded.empty() ? Status() : frames_.write(decoded, false, out);
  }
  Status end(Buffer& out) override { return frames_.end(out); }

 private:
  Frames frames_;
};

class Units final : public UnitCodec {
 public:
  explicit Units(int level) : level_(level) {}
  Result<std::unique_ptr<WholeEncoder>> whole_encoder() const override {
    FONDS_TRY(Frames made, frames());
    return std::make_unique<Whole>(std::move(made));
  }
  Result<std::unique_ptr<StreamEncoder>> stream_encoder() const override {
    FONDS_TRY(Frames made, frames());
    return std::make_unique<Stream>(std::move(made));
  }
  Status check_stored(ByteView stored) const override {
    const std::uint32_t magic = stored.size() < 4 ? 0 : load_le32(stored);
    if (magic != kFrameMagic && magic != kLegacyMagic && !is_skippable_magic(magic)) {
      return fail(ErrorCode::BadArgument, "stored bytes that begin with no lz4 frame");
    }
    return {};
  }

 private:
  Result<Frames> frames() const {
    auto context = Frames::make_context();
    if (context == nullptr) {
      return fail(ErrorCode::LimitExceeded, "no memory for an lz4 encoder");
    }
    return Frames(std::move(context), level_);
  }
  int level_;
};

}  // namespace

Result<std::unique_ptr<UnitCodec>> make_unit_codec(const EncodeOptions& options) {
  FONDS_TRY(const int level, choose_level(options));
  return std::make_unique<Units>(level);
}

}  // namespace fonds::lz4
