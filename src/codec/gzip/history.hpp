// The end of what was decoded: all that a decoder must know that goes on there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>

#include <fonds/bytes.hpp>

#include "codec/gzip/inflate_stream.hpp"

namespace fonds::gzip {

class History {
 public:
  void clear() { size_ = 0; }
  // `bytes` were decoded behind what is there.
  void add(ByteView bytes) {
    if (bytes_ == nullptr) {
      bytes_.reset(new std::byte[kRoom]);
    }
    bytes = bytes.last(std::min(bytes.size(), kDeflateWindow));
    if (bytes.size() > kRoom - size_) {
      const std::size_t kept = kDeflateWindow - bytes.size();
      std::memmove(bytes_.get(), bytes_.get() + size_ - kept, kept);
      size_ = kept;
    }
    if (!bytes.empty()) {
      std::memcpy(bytes_.get() + size_, bytes.data(), bytes.size());
      size_ += bytes.size();
    }
  }
  // The last kDeflateWindow bytes, or all if there are fewer. Valid until the next call.
  ByteView view() const {
    const std::size_t n = std::min(size_, kDeflateWindow);
    return {bytes_.get() + size_ - n, n};
  }

 private:
  static constexpr std::size_t kRoom = 2 * kDeflateWindow;
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0;
};

}  // namespace fonds::gzip
