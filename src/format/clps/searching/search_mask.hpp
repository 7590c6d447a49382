// Sets of rows and of dictionary ids, one bit each.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fonds::clps {

class BitSet {
 public:
  BitSet() = default;
  explicit BitSet(std::size_t size, bool all = false)
      : size_(size), words_((size + 63) / 64, all ? ~std::uint64_t{0} : 0) {
    trim();
  }

  std::size_t size() const { return size_; }
  bool test(std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  void set(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  std::vector<std::uint64_t>& words() { return words_; }
  const std::vector<std::uint64_t>& words() const { return words_; }
  std::vector<std::uint64_t> take() { return std::move(words_); }

  bool none() const {
    return std::all_of(words_.begin(), words_.end(), [](std::uint64_t w) { return w == 0; });
  }
  std::uint64_t count() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t word : words_) {
      sum += static_cast<std::uint64_t>(std::popcount(word));
    }
    return sum;
  }
  // Both of the same size, as below.
  BitSet& operator|=(const BitSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      words_[i] |= other.words_[i];
    }
    return *this;
  }
  BitSet& operator&=(const BitSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      words_[i] &= other.words_[i];
    }
    return *this;
  }
  BitSet& operator-=(const BitSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      words_[i] &= ~other.words_[i];
    }
    return *this;
  }

  // Calls `use(i)` for each bit that is set, in order.
  template <typename Use>
  void for_each(Use&& use) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t word = words_[w]; word != 0; word &= word - 1) {
        use(w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
      }
    }
  }

 private:
  void trim() {
    if (size_ % 64 != 0 && !words_.empty()) {
      words_.back() &= (std::uint64_t{1} << (size_ % 64)) - 1;
    }
  }

  std::size_t size_ = 0;
  std::vector<std::uint64_t> words_;  // no bit is set behind the last one
};

}  // namespace fonds::clps
