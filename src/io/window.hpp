// A window over stored bytes that decoders slide forward: the same code reads mapped files without
// a copy and pipes with a bounded buffer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

namespace fonds {

class Window {
 public:
  explicit Window(std::shared_ptr<ByteSource> source);

  // The bytes from `offset` on: at least `at_least` of them, fewer only where the source ends;
  // often many more (mapped: all). Lives until the next call. `offset` must not lie before the last
  // release(). Errors: Io; LimitExceeded if a pipe would have to hold more than 1 GiB.
  Result<ByteView> at(std::uint64_t offset, std::size_t at_least);
  // Bytes before `offset` will not be asked for again.
  void release(std::uint64_t offset);
  // All bytes lie in memory: at() never copies and never forgets.
  bool mapped() const { return has_view_; }
  const std::shared_ptr<ByteSource>& source() const { return source_; }

 private:
  std::shared_ptr<ByteSource> source_;
  ByteView mapped_ = {};
  bool has_view_ = false;
  std::optional<std::uint64_t> forgotten_;  // mapped bytes before this were let go
  std::vector<std::byte> buffer_;           // bytes of a pipe or of a source without a mapping
  std::size_t held_ = 0;                    // bytes of it that are filled
  std::uint64_t buffer_offset_ = 0;         // stored offset of buffer_[0]
  bool end_ = false;
};

}  // namespace fonds
