// Bytes that grow without being initialised first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include <fonds/bytes.hpp>

namespace fonds {

class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : data_(std::move(other.data_)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  std::size_t capacity() const noexcept { return capacity_; }
  // Lives until the next call that is not const.
  ByteView view() const noexcept { return {data_.get(), size_}; }
  std::byte* data() noexcept { return data_.get(); }
  void clear() noexcept { size_ = 0; }  // keeps the memory
  void release() noexcept {             // gives it back
    data_.reset();
    size_ = capacity_ = 0;
  }

  // Room for at least `n` bytes behind the content, not yet part of it; all the room there is.
  MutableByteView room(std::size_t n) {
    if (capacity_ - size_ < n) {
      enlarge(size_ + n);
    }
    return {data_.get() + size_, capacity_ - size_};
  }
  // Makes the first `n` bytes of the room content.
  void commit(std::size_t n) noexcept { size_ += n; }
  void append(ByteView bytes) {
    if (!bytes.empty()) {
      std::memcpy(room(bytes.size()).data(), bytes.data(), bytes.size());
      commit(bytes.size());
    }
  }
  void push_back(std::byte b) {
    room(1)[0] = b;
    commit(1);
  }
  // Cuts the content to its first `n` bytes.
  void truncate(std::size_t n) noexcept { size_ = std::min(size_, n); }
  // Memory for `n` bytes of content in all, no more than that if it has to grow.
  void reserve(std::size_t n) {
    if (n > capacity_) {
      move_to(n);
    }
  }

 private:
  void enlarge(std::size_t least) { move_to(std::max(least, capacity_ + capacity_ / 2 + 64)); }
  void move_to(std::size_t capacity) {
    auto larger = std::make_unique_for_overwrite<std::byte[]>(capacity);
    if (size_ > 0) {
      std::memcpy(larger.get(), data_.get(), size_);
    }
    data_ = std::move(larger);
    capacity_ = capacity;
  }

  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace fonds
