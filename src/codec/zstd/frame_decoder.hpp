// One zstd frame at a time, whole or in pieces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <fonds/bytes.hpp>

#include "codec/zstd/frame.hpp"

struct ZSTD_DCtx_s;
struct ZSTD_DDict_s;

namespace fonds::zstd {

class FrameDecoder {
 public:
  FrameDecoder();
  // False if there was no memory for it; then nothing else may be called.
  bool ready() const { return context_ != nullptr; }
  // The dictionary of all frames to come; it must outlive this decoder. May be null.
  void use(const ZSTD_DDict_s* dictionary);

  // Decodes a complete frame into `room`. Returns its decoded size; nothing if it is damaged in any
  // way or does not fit.
  std::optional<std::size_t> decode_whole(ByteView frame, MutableByteView room);

  // Begins to decode a frame in pieces. What its header says about the decoded size is not
  // believed, so that a frame with a wrong one can be decoded to its end.
  void start(const FrameHeader& header);
  enum class State : std::uint8_t {
    More,         // the input is used up or the output is full
    End,          // the frame is over
    BadChecksum,  // the frame is over, everything was delivered, but its checksum differs
    Corrupt,      // what was written is all that can be had
  };
  struct Step {
    State state;
    std::size_t used, written;
  };
  // `in` goes on behind the frame's header, and then behind what was used before.
  Step step(ByteView in, MutableByteView out);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
  std::array<std::byte, kMaxHeaderSize> header_ = {};
  std::size_t header_size_ = 0;  // of what is still to be fed
  std::size_t hint_ = 0;         // stored bytes that libzstd asks for next
  bool pending_ = false;         // libzstd may hold decoded bytes
};

}  // namespace fonds::zstd
