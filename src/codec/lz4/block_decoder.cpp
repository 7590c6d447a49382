#include "codec/lz4/block_decoder.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

#include <lz4frame.h>

namespace fonds::lz4 {

void BlockDecoder::Free::operator()(LZ4F_dctx_s* context) const {
  LZ4F_freeDecompressionContext(context);
}

BlockDecoder::BlockDecoder() : open_(true) { renew(); }

bool BlockDecoder::renew() {
  if (!open_) {
    LZ4F_resetDecompressionContext(context_.get());
    return true;
  }
  // A reset (seen in 1.9.4) leaves what a frame that was not finished had to come of its content
  // size; the next frame without one then seems to have a wrong one.
  LZ4F_dctx* context = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)) != 0U) {
    return false;
  }
  context_.reset(context);
  open_ = false;
  return true;
}

std::optional<std::size_t> BlockDecoder::decode_whole(ByteView frame, MutableByteView room) {
  if (!renew()) {
    return std::nullopt;
  }
  open_ = true;
  LZ4F_decompressOptions_t options = {};
  options.stableDst = 1;  // all output stays where it is until the frame is over
  std::size_t used = 0;
  std::size_t written = 0;
  while (true) {
    std::size_t in = frame.size() - used;
    std::size_t out = room.size() - written;
    const std::size_t hint = LZ4F_decompress(context_.get(), room.data() + written, &out,
                                             frame.data() + used, &in, &options);
    if (LZ4F_isError(hint) != 0U) {
      return std::nullopt;
    }
    used += in;
    written += out;
    if (hint == 0) {
      open_ = false;
      return used == frame.size() ? std::optional(written) : std::nullopt;
    }
    if (in == 0 && out == 0) {
      return std::nullopt;
    }
  }
}

bool BlockDecoder::start(ByteView stored_header) {
  if (!renew()) {
    return false;
  }
  open_ = true;
  std::size_t in = stored_header.size();
  std::size_t out = 0;
  const std::size_t hint =
      LZ4F_decompress(context_.get(), nullptr, &out, stored_header.data(), &in, nullptr);
  return LZ4F_isError(hint) == 0U && in == stored_header.size();
}

BlockDecoder::Step BlockDecoder::decode_block(ByteView block, MutableByteView room) {
  Step step = {State::Good, 0};
  while (!block.empty()) {
    std::size_t in = block.size();
    std::size_t out = room.size() - step.written;
    const std::size_t hint = LZ4F_decompress(context_.get(), room.data() + step.written, &out,
                                             block.data(), &in, nullptr);
    if (LZ4F_isError(hint) != 0U) {
      const std::string_view name = LZ4F_getErrorName(hint);
      if (name == "ERROR_contentChecksum_invalid" || name == "ERROR_blockChecksum_invalid") {
        step.state = State::BadChecksum;
      } else {
        step.state = name == "ERROR_frameSize_wrong" ? State::BadSize : State::Corrupt;
      }
      return step;
    }
    step.written += out;
    block = block.subspan(in);
    open_ = hint != 0;
    if (in == 0 && out == 0) {
      step.state = State::Corrupt;
      return step;
    }
  }
  return step;
}

}  // namespace fonds::lz4
