#include "codec/gzip/member_search.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/bytes.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace fonds::gzip {

namespace {

constexpr std::byte kMagic0{0x1F}, kMagic1{0x8B}, kMagic2{0x08}, kReservedFlags{0xE0};

// The searches below return the first p in [from, to) with stored[p, p+3) = 1f 8b 08. They need
// to <= stored.size() - 2.
std::size_t find_magic_portable(ByteView stored, std::size_t from, std::size_t to) {
  const std::byte* const begin = stored.data();
  while (from < to) {
    const void* const hit = std::memchr(begin + from, std::to_integer<int>(kMagic0), to - from);
    if (hit == nullptr) {
      return npos;
    }
    from = static_cast<std::size_t>(static_cast<const std::byte*>(hit) - begin);
    if (begin[from + 1] == kMagic1 && begin[from + 2] == kMagic2) {
      return from;
    }
    ++from;
  }
  return npos;
}

#if defined(__x86_64__)
// 0xFF where the first two bytes of the magic stand; with those the third is rarely asked for.
__attribute__((target("avx2"))) inline __m256i first_two(const std::byte* at) {
  const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  const __m256i next = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 1));
  return _mm256_and_si256(_mm256_cmpeq_epi8(here, _mm256_set1_epi8(0x1F)),
                          _mm256_cmpeq_epi8(next, _mm256_set1_epi8(static_cast<char>(0x8B))));
}

__attribute__((target("avx2"))) inline std::uint64_t bits_of(__m256i low, __m256i high) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(high))) << 32;
}

__attribute__((target("avx2"))) std::size_t find_magic_avx2(ByteView stored, std::size_t from,
                                                            std::size_t to) {
  const std::byte* const begin = stored.data();
  constexpr std::size_t kAhead = 1024;
  constexpr std::size_t kStep = 128;  // and one byte more is read
  for (; from < to && stored.size() - from > kStep; from += kStep) {
    const std::byte* const at = begin + from;
    // The hardware's own prefetch stops at the end of each page.
    if (stored.size() - from > kAhead) {
      _mm_prefetch(reinterpret_cast<const char*>(at + kAhead), _MM_HINT_T0);
      _mm_prefetch(reinterpret_cast<const char*>(at + kAhead - 64), _MM_HINT_T0);
    }
    const __m256i a = first_two(at), b = first_two(at + 32);
    const __m256i c = first_two(at + 64), d = first_two(at + 96);
    const __m256i any = _mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d));
    if (_mm256_testz_si256(any, any) != 0) {
      continue;
    }
    for (const std::size_t half : {std::size_t{0}, std::size_t{64}}) {
      std::uint64_t mask = half == 0 ? bits_of(a, b) : bits_of(c, d);
      for (; mask != 0; mask &= mask - 1) {
        const std::size_t hit = from + half + static_cast<std::size_t>(std::countr_zero(mask));
        if (hit >= to) {
          return npos;
        }
        if (begin[hit + 2] == kMagic2) {
          return hit;
        }
      }
    }
  }
  return find_magic_portable(stored, from, to);
}
#endif

using FindMagic = std::size_t (*)(ByteView, std::size_t, std::size_t);

FindMagic choose(SearchPath path) {
#if defined(__x86_64__)
  if (path == SearchPath::Best && __builtin_cpu_supports("avx2")) {
    return find_magic_avx2;
  }
#else
  static_cast<void>(path);
#endif
  return find_magic_portable;
}

}  // namespace

std::size_t find_member_magic(ByteView stored, std::size_t from, std::size_t to, SearchPath path) {
  if (stored.size() < 4) {
    return npos;
  }
  const FindMagic find = choose(path);
  to = std::min(to, stored.size() - 3);
  for (std::size_t at = from; (at = find(stored, at, to)) != npos; ++at) {
    if ((stored[at + 3] & kReservedFlags) == std::byte{0}) {
      return at;
    }
  }
  return npos;
}

}  // namespace fonds::gzip
