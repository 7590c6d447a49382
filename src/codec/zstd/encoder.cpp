// Zstd frames by the rules of WARC-Zstandard 1.0: each with its content size and a checksum, a
// window that every reader supports, and the dictionary's ID; docs/formats/warc-zstandard.md.
#include "codec/zstd/encoder.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/core.h>
#include <zstd.h>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>
#include <fonds/encoder.hpp>
#include <fonds/error.hpp>

#include "base/bytes.hpp"
#include "codec/encoder_units.hpp"
#include "codec/zstd/extension.hpp"
#include "codec/zstd/frame.hpp"

namespace fonds::zstd {
namespace {

constexpr int kMostWindowLog = 23;  // kCommonWindow
// A dictionary is stored once; no level is too dear.
constexpr int kDictionaryLevel = 19;

tl::unexpected<Error> no_memory() {
  return fail(ErrorCode::LimitExceeded, "no memory for a zstd encoder");
}

}  // namespace

void FreeCompressor::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }

Result<CompressorDictionary> digest_dictionary(const ZstdDictionary& dictionary, int level) {
  ZSTD_CDict* const digested =
      ZSTD_createCDict(dictionary.bytes().data(), dictionary.bytes().size(), level);
  if (digested == nullptr) {
    return no_memory();
  }
  return CompressorDictionary(
      digested, [](const ZSTD_CDict* old) { ZSTD_freeCDict(const_cast<ZSTD_CDict*>(old)); });
}

Result<FrameEncoder> FrameEncoder::make(int level, CompressorDictionary dictionary) {
  std::unique_ptr<ZSTD_CCtx_s, FreeCompressor> context(ZSTD_createCCtx());
  if (context == nullptr) {
    return no_memory();
  }
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_contentSizeFlag, 1);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_dictIDFlag, 1);
  // Only the highest levels would pass the limit. Set for lower ones, it would be their window.
  if (level >= kFirstLevelOfLargeWindows) {
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, kMostWindowLog);
  }
  if (dictionary != nullptr) {
    ZSTD_CCtx_refCDict(context.get(), dictionary.get());
  }
  return FrameEncoder(std::move(context), std::move(dictionary));
}

Status FrameEncoder::encode(ByteView unit, Buffer& out) {
  const MutableByteView room = out.room(ZSTD_compressBound(unit.size()));
  const std::size_t size =
      ZSTD_compress2(context_.get(), room.data(), room.size(), unit.data(), unit.size());
  if (ZSTD_isError(size) != 0) {
    return fail(ErrorCode::Internal,
                fmt::format("zstd compression failed: {}", ZSTD_getErrorName(size)));
  }
  out.commit(size);
  return {};
}

Status emit_dictionary_frame(const ZstdDictionary& dictionary, bool raw, Buffer& out) {
  Buffer user_data;
  if (!raw) {
    FONDS_TRY(FrameEncoder encoder, FrameEncoder::make(kDictionaryLevel, nullptr));
    FONDS_CHECK(encoder.encode(dictionary.bytes(), user_data));
  }
  // Bytes that do not compress would pass the limit of readers by a few.
  if (raw || user_data.size() > kCommonDictionary) {
    user_data.clear();
    user_data.append(dictionary.bytes());
  }
  std::byte* const at = out.room(kSkippableHeader).data();
  store_le32(kDictionaryFrameMagic, at);
  store_le32(static_cast<std::uint32_t>(user_data.size()), at + 4);
  out.commit(kSkippableHeader);
  out.append(user_data.view());
  return {};
}

namespace {

class Whole final : public WholeEncoder {
 public:
  Whole(FrameEncoder encoder, bool prefix) : encoder_(std::move(encoder)), prefix_(prefix) {}
  Result<std::size_t> encode(ByteView unit, Buffer& out) override {
    const std::size_t lead = prefix_ ? kSizePrefixSize : 0;
    const std::size_t begin = out.size();
    out.room(lead);
    out.commit(lead);
    FONDS_CHECK(encoder_.encode(unit, out));
    if (prefix_) {
      emit_size_prefix({.stored = out.size() - begin - lead, .decoded = unit.size()},
                       out.data() + begin);
    }
    return lead;
  }

 private:
  FrameEncoder encoder_;
  bool prefix_;
};

class Units final : public UnitCodec {
 public:
  Units(const EncodeOptions& options, int level)
      : dictionary_(options.dictionary),
        frame_bytes_(static_cast<std::size_t>(options.frame_bytes)),
        extension_(options.extension),
        at_start_(!options.continues),
        level_(level) {}

  Status open(bool raw_dictionary) {
    if (dictionary_) {
      FONDS_TRY(digested_, digest_dictionary(*dictionary_, level_));
      if (at_start_) {
        FONDS_CHECK(emit_dictionary_frame(*dictionary_, raw_dictionary, dictionary_frame_));
      }
    }
    return {};
  }

  Larger larger() const override { return Larger::Cut; }
  std::size_t most_held() const override { return frame_bytes_; }
  Result<std::unique_ptr<WholeEncoder>> whole_encoder() const override {
    FONDS_TRY(FrameEncoder encoder, FrameEncoder::make(level_, digested_));
    return std::make_unique<Whole>(std::move(encoder),
                                   extension_ == EncodeOptions::Extension::SizePrefix);
  }
  Result<std::unique_ptr<StreamEncoder>> stream_encoder() const override {
    return fail(ErrorCode::Internal, "zstd frames are made whole");
  }

  // No extension frame may be the first of a file.
  Status emit_head(ByteView first, Buffer& out) override {
    if (!at_start_) {
      return {};
    }
    if (dictionary_) {
      out.append(dictionary_frame_.view());
      dictionary_frame_.release();
      return {};
    }
    if (first.size() >= 4 && is_skippable_magic(load_le32(first))) {
      FONDS_TRY(FrameEncoder encoder, FrameEncoder::make(level_, nullptr));
      return encoder.encode({}, out);
    }
    return {};
  }

  Status check_stored(ByteView stored) const override;

  void note(ByteView stored) override {
    if (extension_ != EncodeOptions::Extension::SeekTable) {
      return;
    }
    walk_frames(stored, [&](const FrameInfo& frame) {
      table_.add(frame.size, frame.kind == FrameKind::Zstd ? frame.header.content_size : 0);
    });
  }

  Status emit_tail(Buffer& out) override {
    if (!table_.empty()) {
      table_.emit(out);
    }
    return {};
  }

 private:
  std::optional<ZstdDictionary> dictionary_;
  CompressorDictionary digested_;
  Buffer dictionary_frame_;
  std::size_t frame_bytes_;
  EncodeOptions::Extension extension_;
  SeekTable table_;
  bool at_start_;
  int level_;
};

Status Units::check_stored(ByteView stored) const {
  std::optional<Error> wrong;
  walk_frames(stored, [&](const FrameInfo& frame) {
    std::string message;
    if (frame.kind == FrameKind::Unknown || frame.state != FrameState::Complete) {
      message = fmt::format("stored bytes that are not whole zstd frames, at byte {} of {}",
                            frame.offset, stored.size());
    } else if (frame.kind == FrameKind::Dictionary) {
      message = "a stored dictionary frame: a dictionary is given when the encoder is made";
    } else if (frame.kind == FrameKind::Zstd) {
      const std::uint32_t id = frame.header.dictionary_id.value_or(0);
      const std::uint32_t ours = dictionary_ ? dictionary_->id() : 0;
      if (id != ours) {
        message = fmt::format(
            "a stored zstd frame {}, in a file that has {}",
            id == 0 ? "without a dictionary" : fmt::format("that needs the dictionary {}", id),
            ours == 0 ? "none" : fmt::format("the dictionary {}", ours));
      }
    }
    if (!message.empty() && !wrong) {
      wrong.emplace(ErrorCode::BadArgument, std::move(message));
    }
  });
  return wrong ? tl::unexpected(std::move(*wrong)) : Status();
}

}  // namespace

Result<std::unique_ptr<UnitCodec>> make_unit_codec(const EncodeOptions& options) {
  FONDS_TRY(const int level, choose_level(options));
  constexpr std::uint64_t kLeast = std::uint64_t{64} << 10, kMost = std::uint64_t{1} << 30;
  if (options.frame_bytes < kLeast || options.frame_bytes > kMost) {
    return fail(ErrorCode::BadArgument,
                fmt::format("frames of {} bytes: between {} and {} are possible",
                            options.frame_bytes, kLeast, kMost));
  }
  if (options.continues && options.extension == EncodeOptions::Extension::SeekTable) {
    return fail(ErrorCode::BadArgument,
                "a seek table tells of a whole file, not of what is appended to one");
  }
  auto units = std::make_unique<Units>(options, level);
  FONDS_CHECK(units->open(options.raw_dictionary));
  return units;
}

}  // namespace fonds::zstd
