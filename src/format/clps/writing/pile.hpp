// Values that are only ever added, in blocks, so that they never move and can be freed block by
// block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fonds::clps::writing {

template <typename T>
class Pile {
 public:
  void push(T value) {
    if (blocks_.empty() || blocks_.back().size() == kBlock) {
      blocks_.emplace_back();
    }
    blocks_.back().push_back(value);
    ++size_;
  }
  void append(std::span<const T> values) {
    size_ += values.size();
    while (!values.empty()) {
      if (blocks_.empty() || blocks_.back().size() == kBlock) {
        blocks_.emplace_back();
      }
      std::vector<T>& block = blocks_.back();
      const std::size_t n = std::min(values.size(), kBlock - block.size());
      block.insert(block.end(), values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
      values = values.subspan(n);
    }
  }
  std::uint64_t size() const noexcept { return size_; }
  T operator[](std::uint64_t at) const { return blocks_[at / kBlock][at % kBlock]; }
  // Gives all values to `use`, block by block.
  template <typename Use>
  void for_each_block(Use&& use) const {
    for (const std::vector<T>& block : blocks_) {
      use(std::span<const T>(block));
    }
  }
  // Gives all values to `take`, block by block, and frees them.
  template <typename Take>
  void drain(Take&& take) {
    for (std::vector<T>& block : blocks_) {
      take(std::span<const T>(block));
      std::vector<T>().swap(block);
    }
    blocks_.clear();
    size_ = 0;
  }

 private:
  static constexpr std::size_t kBlock = std::size_t{16} << 10;
  std::vector<std::vector<T>> blocks_;
  std::uint64_t size_ = 0;
};

}  // namespace fonds::clps::writing
