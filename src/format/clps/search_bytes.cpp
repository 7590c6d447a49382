#include "format/clps/search_bytes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/text.hpp"

namespace fonds::clps {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// How often an octet is met in logs: the fewer, the better it is to look for.
int commonness(char c) {
  static constexpr std::string_view kFrequent = "0123456789abcdef-";
  if (kFrequent.find(c) != std::string_view::npos) {
    return 3;
  }
  if (c == '\0' || c == ' ') {
    return 4;
  }
  return c >= 'g' && c <= 'z' ? 2 : static_cast<unsigned char>(c) < 0x80 ? 1 : 2;
}

}  // namespace

ByteFinder::ByteFinder(std::string text, bool ignore_case)
    : text_(std::move(text)), ignore_case_(ignore_case) {
  // The two rarest octets, late ones first: texts share beginnings. They are not taken side by
  // side if there is a choice, since neighbours are often common together.
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (commonness(text_[i]) <= commonness(text_[first_])) {
      first_ = i;
    }
  }
  const auto cost = [&](std::size_t i) {
    const bool beside = i + 1 == first_ || first_ + 1 == i;
    return 2 * commonness(text_[i]) + (i == first_ ? 100 : beside ? 1 : 0);
  };
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (cost(i) <= cost(second_)) {
      second_ = i;
    }
  }
}

bool ByteFinder::is_at(const char* at) const {
  if (!ignore_case_) {
    return std::memcmp(at, text_.data(), text_.size()) == 0;
  }
  return std::equal(text_.begin(), text_.end(), at,
                    [](char wanted, char found) { return wanted == to_lower(found); });
}

std::size_t ByteFinder::find_slowly(std::string_view in, std::size_t from) const {
  while (in.size() - from >= text_.size()) {
    const char wanted = text_[first_];
    const std::size_t places = in.size() - from - text_.size() + 1;
    const char* const begin = in.data() + from + first_;
    const char* at = begin;
    if (ignore_case_ && is_letter(wanted)) {
      at = std::find_if(begin, begin + places, [&](char c) { return to_lower(c) == wanted; });
    } else {
      const void* const found = std::memchr(begin, static_cast<unsigned char>(wanted), places);
      at = found == nullptr ? begin + places : static_cast<const char*>(found);
    }
    from += static_cast<std::size_t>(at - begin);
    if (at == begin + places) {
      return npos;
    }
    if (is_at(at - first_)) {
      return from;
    }
    ++from;
  }
  return npos;
}

std::size_t ByteFinder::find(std::string_view in, std::size_t from) const {
  if (text_.empty() || from > in.size() || in.size() - from < text_.size()) {
    return npos;
  }
#if defined(__SSE2__)
  // 16 places at once: both octets must be where they belong. Letters are compared with bit 5 set,
  // which lets a few others through; is_at() decides.
  const auto prepared = [&](std::size_t place) {
    const char c = text_[place];
    const bool fold = ignore_case_ && is_letter(c);
    return std::pair(_mm_set1_epi8(c), _mm_set1_epi8(fold ? 0x20 : 0));
  };
  const auto [one, one_bit] = prepared(first_);
  const auto [two, two_bit] = prepared(second_);
  const std::size_t last = std::max(first_, second_);
  const auto load = [&](std::size_t at) {
    __m128i block;
    std::memcpy(&block, in.data() + at, sizeof block);
    return block;
  };
  // The loads end before in.size(), and what is found fits in it: both are checked by `limit`.
  const std::size_t reach = std::max(text_.size(), last + 1) + 15;
  while (in.size() - from >= reach) {
    const __m128i a = _mm_cmpeq_epi8(_mm_or_si128(load(from + first_), one_bit), one);
    const __m128i b = _mm_cmpeq_epi8(_mm_or_si128(load(from + second_), two_bit), two);
    auto found = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_and_si128(a, b)));
    while (found != 0) {
      const auto at = from + static_cast<std::size_t>(std::countr_zero(found));
      if (is_at(in.data() + at)) {
        return at;
      }
      found &= found - 1;
    }
    from += 16;
  }
#endif
  return find_slowly(in, from);
}

}  // namespace fonds::clps
