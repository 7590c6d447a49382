#include "base/byte_finder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/text.hpp"

namespace fonds {
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

#if defined(__x86_64__)
// An octet as it is compared: letters of both cases with bit 5 set, which lets a few others
// through; is_at() decides.
struct ByteFinder::Wanted {
  char octet;
  char bit;
};

ByteFinder::Wanted ByteFinder::wanted(std::size_t place) const {
  const char c = text_[place];
  return {c, ignore_case_ && is_letter(c) ? '\x20' : '\0'};
}

// These look at blocks of places that lie in `in` with all of their texts, and go on with `from`
// behind them: both octets must be where they belong.
std::size_t ByteFinder::find_sse2(std::string_view in, std::size_t& from) const {
  const Wanted first = wanted(first_), second = wanted(second_);
  const __m128i one = _mm_set1_epi8(first.octet), one_bit = _mm_set1_epi8(first.bit);
  const __m128i two = _mm_set1_epi8(second.octet), two_bit = _mm_set1_epi8(second.bit);
  const auto load = [&](std::size_t at) {
    __m128i block;
    std::memcpy(&block, in.data() + at, sizeof block);
    return block;
  };
  constexpr std::size_t kStep = 16;
  for (; in.size() - from >= text_.size() + kStep - 1; from += kStep) {
    const __m128i a = _mm_cmpeq_epi8(_mm_or_si128(load(from + first_), one_bit), one);
    const __m128i b = _mm_cmpeq_epi8(_mm_or_si128(load(from + second_), two_bit), two);
    auto found = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_and_si128(a, b)));
    for (; found != 0; found &= found - 1) {
      const auto at = from + static_cast<std::size_t>(std::countr_zero(found));
      if (is_at(in.data() + at)) {
        return at;
      }
    }
  }
  return npos;
}

namespace {

struct Pair {
  __m256i octet, bit;
};

__attribute__((target("avx2"))) inline __m256i equal(const char* at, Pair wanted) {
  const __m256i block = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  return _mm256_cmpeq_epi8(_mm256_or_si256(block, wanted.bit), wanted.octet);
}

}  // namespace

__attribute__((target("avx2"))) std::size_t ByteFinder::find_avx2(std::string_view in,
                                                                  std::size_t& from) const {
  const Wanted first = wanted(first_), second = wanted(second_);
  const Pair one = {_mm256_set1_epi8(first.octet), _mm256_set1_epi8(first.bit)};
  const Pair two = {_mm256_set1_epi8(second.octet), _mm256_set1_epi8(second.bit)};
  constexpr std::size_t kHalf = 32, kStep = 2 * kHalf;
  for (; in.size() - from >= text_.size() + kStep - 1; from += kStep) {
    const char* const at = in.data() + from;
    const __m256i low = _mm256_and_si256(equal(at + first_, one), equal(at + second_, two));
    const __m256i high =
        _mm256_and_si256(equal(at + kHalf + first_, one), equal(at + kHalf + second_, two));
    const __m256i any = _mm256_or_si256(low, high);
    if (_mm256_testz_si256(any, any) != 0) {
      continue;
    }
    auto found = static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(low))) |
                 static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(high)))
                     << kHalf;
    for (; found != 0; found &= found - 1) {
      const auto place = static_cast<std::size_t>(std::countr_zero(found));
      if (is_at(at + place)) {
        return from + place;
      }
    }
  }
  return npos;
}
#endif

std::size_t ByteFinder::find(std::string_view in, std::size_t from) const {
  if (text_.empty() || from > in.size() || in.size() - from < text_.size()) {
    return npos;
  }
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    if (const std::size_t found = find_avx2(in, from); found != npos) {
      return found;
    }
  }
  if (const std::size_t found = find_sse2(in, from); found != npos) {
    return found;
  }
#endif
  return find_slowly(in, from);
}

}  // namespace fonds
