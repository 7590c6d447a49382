// A window over stored bytes that decoders slide forward: the same code reads mapped files without
// a copy, and pipes and objects at URLs with a bounded buffer.
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
  // Over bytes that outlive it; it has no source().
  explicit Window(ByteView bytes) : mapped_(bytes), has_view_(true), end_(true) {}

  // The bytes from `offset` on: at least `at_least` of them, fewer only where the source ends;
  // often many more (mapped: all). Lives until the next call; mapped, as long as the source.
  // `offset` must not lie before the last release() unless goes_back(). Errors: Io; LimitExceeded
  // if more than 1 GiB would have to be held.
  Result<ByteView> at(std::uint64_t offset, std::size_t at_least);
  // Bytes before `offset` will hardly be asked for again; those of a pipe not at all.
  void release(std::uint64_t offset);
  // All bytes lie in memory: at() never copies and never forgets.
  bool mapped() const { return has_view_; }
  // Any offset can be asked for at any time: all but pipes.
  bool goes_back() const { return has_view_ || random_access_; }
  // Where the source ends, if it goes_back(). Errors: Io.
  Result<std::uint64_t> size() const;
  const std::shared_ptr<ByteSource>& source() const { return source_; }

 private:
  std::shared_ptr<ByteSource> source_;
  ByteView mapped_ = {};
  bool has_view_ = false;
  bool random_access_ = false;
  std::optional<std::uint64_t> forgotten_;  // mapped bytes before this were let go
  std::vector<std::byte> buffer_;           // bytes of a pipe or of a source without a mapping
  std::size_t held_ = 0;                    // bytes of it that are filled
  std::uint64_t buffer_offset_ = 0;         // stored offset of buffer_[0]
  bool end_ = false;
};

}  // namespace fonds
