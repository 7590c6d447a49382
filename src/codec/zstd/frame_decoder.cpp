#include "codec/zstd/frame_decoder.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <zstd.h>
#include <zstd_errors.h>

#include "codec/zstd/frame.hpp"

namespace fonds::zstd {
namespace {

// The smallest Window_Descriptor whose window holds `size` bytes; RFC 8878, 3.1.1.1.2.
unsigned window_descriptor(std::uint64_t size) {
  for (unsigned descriptor = 0; descriptor < 255; ++descriptor) {
    const std::uint64_t base = std::uint64_t{1} << (10 + (descriptor >> 3));
    if (base + base / 8 * (descriptor & 7) >= size) {
      return descriptor;
    }
  }
  return 255;
}

}  // namespace

void FrameDecoder::Free::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

FrameDecoder::FrameDecoder() : context_(ZSTD_createDCtx()) {
  if (context_ != nullptr) {
    // Callers compare windows with their own limit.
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax,
                           ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound);
  }
}

void FrameDecoder::use(const ZSTD_DDict_s* dictionary) {
  ZSTD_DCtx_refDDict(context_.get(), dictionary);
}

std::optional<std::size_t> FrameDecoder::decode_whole(ByteView frame, MutableByteView room) {
  const std::size_t size =
      ZSTD_decompressDCtx(context_.get(), room.data(), room.size(), frame.data(), frame.size());
  return ZSTD_isError(size) != 0 ? std::nullopt : std::optional(size);
}

void FrameDecoder::start(const FrameHeader& header) {
  ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
  // A header of our own, without Frame_Content_Size. Where the stored one gives no window, the
  // content was one; if its size is a lie, a common window is the best guess.
  const std::uint64_t window =
      header.single_segment ? std::max(header.window_size, kCommonWindow) : header.window_size;
  const std::uint32_t id = header.dictionary_id.value_or(0);
  const unsigned descriptor = (header.checksum ? 4U : 0U) | (id != 0 ? 3U : 0U);
  std::size_t n = 0;
  for (const unsigned byte : {0x28U, 0xB5U, 0x2FU, 0xFDU, descriptor, window_descriptor(window)}) {
    header_[n++] = static_cast<std::byte>(byte);
  }
  for (unsigned shift = 0; id != 0 && shift < 32; shift += 8) {
    header_[n++] = static_cast<std::byte>(id >> shift & 0xFF);
  }
  header_size_ = n;
  hint_ = 1;
  pending_ = false;
}

FrameDecoder::Step FrameDecoder::step(ByteView in, MutableByteView out) {
  Step step = {State::More, 0, 0};
  // libzstd forgets what it wrote in a call that fails, so each call may decode one block header or
  // one block and no more: its hint is the next block and the header behind.
  while (true) {
    const bool header = header_size_ > 0;
    const std::size_t left = in.size() - step.used;
    const std::size_t asked = hint_ > kBlockHeader ? hint_ - kBlockHeader : hint_;
    ZSTD_inBuffer input = {in.data() + step.used, pending_ ? 0 : std::min(asked, left), 0};
    if (header) {
      input = {header_.data(), header_size_, 0};
    }
    ZSTD_outBuffer output = {out.data() + step.written, out.size() - step.written, 0};
    const std::size_t hint = ZSTD_decompressStream(context_.get(), &output, &input);
    if (ZSTD_isError(hint) != 0) {
      const bool checksum = ZSTD_getErrorCode(hint) == ZSTD_error_checksum_wrong;
      if (checksum) {
        step.used += input.size;
      }
      step.state = checksum ? State::BadChecksum : State::Corrupt;
      return step;
    }
    if (header) {
      header_size_ = 0;
    } else {
      step.used += input.pos;
    }
    step.written += output.pos;
    if (hint == 0) {
      step.state = State::End;
      return step;
    }
    hint_ = hint;
    const bool full = step.written == out.size();
    if (full) {
      pending_ = true;
      return step;
    }
    const bool flushed = pending_;
    pending_ = false;
    if (!flushed && !header && step.used == in.size()) {
      return step;
    }
  }
}

}  // namespace fonds::zstd
