// Text that grows at its end; made for many short pieces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>

namespace fonds::clps {

class TextBuffer {
 public:
  std::size_t size() const { return size_; }
  std::string_view view() const { return {data_.get(), size_}; }
  void clear() { size_ = 0; }
  void truncate(std::size_t size) { size_ = size; }

  // What is appended from here on may have about `most` characters. Of more, nothing is kept but
  // that full() says so: few bytes of an archive can ask for any length of text.
  void limit(std::size_t most) {
    begin_ = size_;
    limit_ = most > std::numeric_limits<std::size_t>::max() - size_
                 ? std::numeric_limits<std::size_t>::max()
                 : size_ + most;
    full_ = false;
  }
  bool full() const { return full_; }

  // Room for `n` more characters at the end; grow() makes them part of the text.
  char* room(std::size_t n) {
    if (capacity_ - size_ < n) {
      enlarge(n);
    }
    return data_.get() + size_;
  }
  void grow(std::size_t n) { size_ += n; }

  void push_back(char c) {
    *room(1) = c;
    ++size_;
  }
  void append(std::string_view text) {
    char* const to = room(text.size() + kSlack);
    const char* const from = text.data();
    if (text.size() <= kSlack) {
      // Short texts are most: two overlapping moves take fewer branches than memcpy.
      copy_short(to, from, text.size());
    } else {
      std::memcpy(to, from, text.size());
    }
    size_ += text.size();
  }
  // As the inside of a JSON string.
  void append_escaped(std::string_view text);

 private:
  static constexpr std::size_t kSlack = 16;

  static void copy_short(char* to, const char* from, std::size_t n) {
    if (n >= 8) {
      std::memcpy(to, from, 8);
      std::memcpy(to + n - 8, from + n - 8, 8);
    } else if (n >= 4) {
      std::memcpy(to, from, 4);
      std::memcpy(to + n - 4, from + n - 4, 4);
    } else if (n > 0) {
      to[0] = from[0];
      to[n / 2] = from[n / 2];
      to[n - 1] = from[n - 1];
    }
  }
  void enlarge(std::size_t n) {
    if (n > limit_ - std::min(limit_, size_)) {
      full_ = true;
      size_ = begin_;
      if (capacity_ - size_ >= n) {
        return;
      }
    }
    const std::size_t capacity = std::max<std::size_t>(2 * capacity_, size_ + n + 256);
    std::unique_ptr<char[]> grown(new char[capacity]);
    if (size_ > 0) {
      std::memcpy(grown.get(), data_.get(), size_);
    }
    data_ = std::move(grown);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0, capacity_ = 0;
  std::size_t begin_ = 0, limit_ = std::numeric_limits<std::size_t>::max();
  bool full_ = false;
};

// Octets that a JSON string cannot hold as they are.
bool needs_escape(std::string_view text);

}  // namespace fonds::clps
