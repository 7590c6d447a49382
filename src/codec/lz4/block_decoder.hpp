// Decodes lz4 frames with liblz4, whole or block by block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <fonds/bytes.hpp>

#include "codec/lz4/frame.hpp"

struct LZ4F_dctx_s;

namespace fonds::lz4 {

class BlockDecoder {
 public:
  BlockDecoder();
  // False if there was no memory for it; then nothing else may be called.
  bool ready() const { return context_ != nullptr; }

  // Decodes a complete frame into `room`, which should have header.block_max bytes more than the
  // content. Returns its decoded size; nothing if it is damaged in any way or does not fit.
  std::optional<std::size_t> decode_whole(ByteView frame, MutableByteView room);

  // Begins a frame of which the header and then one block after the other will be given.
  bool start(ByteView stored_header);
  enum class State : std::uint8_t { Good, BadChecksum, BadSize, Corrupt };
  struct Step {
    State state;
    std::size_t written;
  };
  // `block` is one block with all that Block::stored counts, or the end mark with its checksum.
  // `room` has at least header.block_max bytes. After anything but Good, start() must be called.
  Step decode_block(ByteView block, MutableByteView room);

 private:
  struct Free {
    void operator()(LZ4F_dctx_s* context) const;
  };
  bool renew();

  std::unique_ptr<LZ4F_dctx_s, Free> context_;
  bool open_ = false;  // the last frame was left before its end
};

}  // namespace fonds::lz4
