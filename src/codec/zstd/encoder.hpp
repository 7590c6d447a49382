// Zstd frames for writing, and the frame that holds a dictionary.
#pragma once

#include <memory>
#include <utility>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>
#include <fonds/encoder.hpp>
#include <fonds/error.hpp>

struct ZSTD_CCtx_s;
struct ZSTD_CDict_s;

namespace fonds::zstd {

// From this level on libzstd's windows are larger than 8 MiB.
inline constexpr int kFirstLevelOfLargeWindows = 20;

struct FreeCompressor {
  void operator()(ZSTD_CCtx_s* context) const;
};

// A dictionary made ready for one level; threads may share it. It holds what it needs.
using CompressorDictionary = std::shared_ptr<const ZSTD_CDict_s>;
Result<CompressorDictionary> digest_dictionary(const ZstdDictionary& dictionary, int level);

// Makes one frame after the other, each with content size, checksum, the dictionary's ID if there
// is one (it may be null), and a window of at most 8 MiB. One thread at a time.
class FrameEncoder {
 public:
  static Result<FrameEncoder> make(int level, CompressorDictionary dictionary);
  // Appends the frame of `unit` to `out`.
  Status encode(ByteView unit, Buffer& out);

 private:
  FrameEncoder(std::unique_ptr<ZSTD_CCtx_s, FreeCompressor> context,
               CompressorDictionary dictionary)
      : dictionary_(std::move(dictionary)), context_(std::move(context)) {}
  CompressorDictionary dictionary_;
  std::unique_ptr<ZSTD_CCtx_s, FreeCompressor> context_;
};

// Appends the frame with which a file with this dictionary begins.
Status emit_dictionary_frame(const ZstdDictionary& dictionary, bool raw, Buffer& out);

}  // namespace fonds::zstd
