// What a text must look like for a stored timestamp pattern to match it, as far as a few compares
// of whole words tell: most patterns of many are out of the question after that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/time_pattern_parts.hpp"

namespace fonds {

class TimeShape {
 public:
  // `parts` is a pattern without choices.
  explicit TimeShape(const TimeParts& parts);

  // False: the pattern does not match the text.
  bool fits(std::string_view text) const noexcept {
    if (text.size() < shortest_ || text.size() > longest_) {
      return false;
    }
    if (text.size() >= kHead && ((load(text, 0) & head_mask_[0]) != head_[0] ||
                                 (load(text, 8) & head_mask_[1]) != head_[1])) {
      return false;
    }
    return text.size() < kTail || (load(text, text.size() - kTail) & tail_mask_) == tail_;
  }

 private:
  static constexpr std::size_t kHead = 16;
  static constexpr std::size_t kTail = 8;

  // In the machine's order, as the masks are made.
  static std::uint64_t load(std::string_view text, std::size_t at) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, &text[at], sizeof word);
    return word;
  }

  std::size_t shortest_ = 0;
  std::size_t longest_ = 0;
  std::array<std::uint64_t, 2> head_mask_ = {};
  std::array<std::uint64_t, 2> head_ = {};
  std::uint64_t tail_mask_ = 0;
  std::uint64_t tail_ = 0;
};

}  // namespace fonds
