// Decoding tables of DEFLATE's Huffman codes (RFC 1951, 3.2), made to be built fast. Part of
// HeadInflater.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

// Everything hot is inlined into one function per instruction set; the shifts of BMI2 save a cycle
// for each symbol.
#define FONDS_LAMBDA_INLINE __attribute__((always_inline))
#define FONDS_ALWAYS_INLINE inline FONDS_LAMBDA_INLINE

namespace fonds::gzip::tables {

using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

// Table entries. Bits 0-7: bits to drop, extra bits included; 8-11: bits of the code alone; 16-31:
// the payload, which is a literal, the base of a length or distance, or the place of a second-level
// table. In a pointer to a second-level table bits 0-7 are those of the first level and bits 8-11
// those of the second.
inline constexpr uint32_t kLiteral = 1U << 31;
inline constexpr uint32_t kSpecial = 1U << 15;  // none of literal, length, distance
inline constexpr uint32_t kPointer = 1U << 14;  // to a second-level table
inline constexpr uint32_t kBlockEnd =
    1U << 13;  // special and neither of these two: a code that does not exist
inline constexpr uint32_t kOneCodeBit = 0x101;  // adds a bit to both counts

inline constexpr unsigned kMaxCodeBits = 15;
inline constexpr std::size_t kMaxLitlen = 286, kMaxDistance = 30;
inline constexpr std::size_t kBlockEndSymbol = 256;

FONDS_ALWAYS_INLINE constexpr unsigned code_bits(uint32_t entry) { return (entry >> 8) & 15U; }
FONDS_ALWAYS_INLINE constexpr unsigned dropped_bits(uint32_t entry) { return entry & 0xFFU; }
FONDS_ALWAYS_INLINE constexpr uint64_t low_bits(uint64_t bits, unsigned n) {
  return bits & ((uint64_t{1} << n) - 1);
}

constexpr std::array<uint32_t, 288> make_litlen_entries() {
  std::array<uint32_t, 288> entries{};
  for (uint32_t i = 0; i < 256; ++i) {
    entries[i] = kLiteral | (i << 16);
  }
  entries[kBlockEndSymbol] = kSpecial | kBlockEnd;
  uint32_t base = 3;
  for (uint32_t i = 0; i < 28; ++i) {
    const uint32_t extra = i < 8 ? 0 : i / 4 - 1;
    entries[257 + i] = (base << 16) | extra;
    base += 1U << extra;
  }
  entries[285] = 258U << 16;
  entries[286] = entries[287] = kSpecial;
  return entries;
}
constexpr std::array<uint32_t, 32> make_distance_entries() {
  std::array<uint32_t, 32> entries{};
  uint32_t base = 1;
  for (uint32_t i = 0; i < 30; ++i) {
    const uint32_t extra = i < 4 ? 0 : i / 2 - 1;
    entries[i] = (base << 16) | extra;
    base += 1U << extra;
  }
  entries[30] = entries[31] = kSpecial;
  return entries;
}
inline constexpr auto kLitlenEntry = make_litlen_entries();
inline constexpr auto kDistanceEntry = make_distance_entries();

constexpr unsigned reverse15(unsigned x) {
  x = ((x & 0x5555U) << 1) | ((x >> 1) & 0x5555U);
  x = ((x & 0x3333U) << 2) | ((x >> 2) & 0x3333U);
  x = ((x & 0x0F0FU) << 4) | ((x >> 4) & 0x0F0FU);
  x = ((x & 0x00FFU) << 8) | ((x >> 8) & 0x00FFU);
  return x >> 1;
}
template <unsigned kBits>
constexpr std::array<uint16_t, 1U << kBits> make_reversed() {
  std::array<uint16_t, 1U << kBits> reversed{};
  for (unsigned i = 0; i < reversed.size(); ++i) {
    reversed[i] = static_cast<uint16_t>(reverse15(i) >> (kMaxCodeBits - kBits));
  }
  return reversed;
}
template <unsigned kBits>
inline constexpr auto kReversed = make_reversed<kBits>();

FONDS_ALWAYS_INLINE uint64_t load_le64(const void* from) {
  uint64_t value = 0;
  std::memcpy(&value, from, sizeof value);
  if constexpr (std::endian::native == std::endian::big) {
    value = __builtin_bswap64(value);
  }
  return value;
}

// How many codes there are of each length.
using LengthCounts = std::array<uint32_t, kMaxCodeBits + 1>;

// One bit for each of 64 code lengths (values up to 15) that is not zero.
FONDS_ALWAYS_INLINE uint64_t nonzero_mask(const uint8_t* lengths) {
  uint64_t mask = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const uint64_t flags =
        ((load_le64(lengths + 8 * i) + 0x7F7F7F7F7F7F7F7FU) >> 7) & 0x0101010101010101U;
    mask |= ((flags * 0x0102040810204080U) >> 56) << (8 * i);
  }
  return mask;
}

// Writes the entries of all symbols that have a code to `sorted`, in the order of their codes.
// `lengths` is readable and zero behind `symbols` up to the next multiple of 64.
FONDS_ALWAYS_INLINE void sort_entries(const uint8_t* lengths, std::size_t symbols,
                                      const LengthCounts& counts, const uint32_t* symbol_entries,
                                      uint32_t* sorted) {
  std::array<uint32_t, kMaxCodeBits + 1> places;
  uint32_t place = 0;
  for (unsigned length = 1; length <= kMaxCodeBits; ++length) {
    places[length] = place;
    place += counts[length];
  }
  for (std::size_t base = 0; base < symbols; base += 64) {
    for (uint64_t mask = nonzero_mask(lengths + base); mask != 0; mask &= mask - 1) {
      const std::size_t symbol = base + static_cast<std::size_t>(std::countr_zero(mask));
      const uint32_t length = lengths[symbol];
      sorted[places[length]++] = symbol_entries[symbol] + length * kOneCodeBit;
    }
  }
}

// The codes longer than kBits: second-level tables behind the first. `position` is the first of
// these codes, shifted up to 15 bits.
template <unsigned kBits>
inline bool build_second_level(const LengthCounts& counts, const uint32_t* sorted,
                               unsigned position, uint32_t* table, std::size_t capacity) {
  std::size_t end = std::size_t{1} << kBits, start = 0;
  unsigned bits = 0, prefix = ~0U;
  for (unsigned length = kBits + 1; length <= kMaxCodeBits; ++length) {
    for (uint32_t left = counts[length]; left != 0; --left, position += 1U << (15 - length)) {
      const unsigned reversed = reverse15(position);
      if (reversed % (1U << kBits) != prefix) {
        prefix = reversed % (1U << kBits);
        // Large enough for the codes that begin with this prefix: all longer ones fill it or go on
        // behind it.
        bits = length - kBits;
        for (uint32_t filled = left; filled < (1U << bits) && bits < kMaxCodeBits - kBits;) {
          ++bits;
          filled = 2 * filled + counts[bits + kBits];
        }
        start = end;
        end += std::size_t{1} << bits;
        if (end > capacity) {
          return false;
        }
        table[prefix] =
            kSpecial | kPointer | static_cast<uint32_t>(start << 16) | (bits << 8) | kBits;
      }
      const uint32_t entry = *sorted++ - kBits * kOneCodeBit;
      for (std::size_t at = reversed >> kBits; at < (std::size_t{1} << bits);
           at += std::size_t{1} << (length - kBits)) {
        table[start + at] = entry;
      }
    }
  }
  return true;
}

// Writes the codes of at most kBits bits to a table of 2^kBits entries, shortest first: the entries
// of one length fill the lowest 2^length, which are then doubled for the next. What a length leaves
// open is written by a longer one, as the code is complete. `sorted` moves behind the entries used.
// Returns the next code, shifted up to kBits bits.
template <unsigned kBits, typename Count>
FONDS_ALWAYS_INLINE unsigned fill_levels(const Count* counts, const uint32_t*& sorted,
                                         uint32_t* table) {
  table[0] = 0;
  unsigned position = 0;
  const auto fill_level = [&]<std::size_t kLength>() FONDS_LAMBDA_INLINE {
    constexpr std::size_t kHalf = std::size_t{1} << (kLength - 1);
    std::memcpy(table + kHalf, table, kHalf * sizeof *table);
    for (unsigned left = counts[kLength]; left != 0; --left) {
      table[kReversed<kBits>[position]] = *sorted++;
      position += 1U << (kBits - kLength);
    }
  };
  [&]<std::size_t... kLengths>(std::index_sequence<kLengths...>) FONDS_LAMBDA_INLINE {
    (fill_level.template operator()<kLengths + 1>(), ...);
  }(std::make_index_sequence<kBits>{});
  return position;
}

// Builds a decoding table of 2^kBits entries and what second-level tables it needs. `sorted` is as
// sort_entries() leaves it. Returns false for the codes that zlib refuses: oversubscribed ones, and
// incomplete ones but for a single code of one bit; a code without symbols is good as long as it is
// not used.
template <unsigned kBits>
FONDS_ALWAYS_INLINE bool build_table(const LengthCounts& counts, const uint32_t* sorted,
                                     uint32_t* table, std::size_t capacity) {
  unsigned used = 0, longest = 0;
  for (unsigned length = 1; length <= kMaxCodeBits; ++length) {
    used += counts[length] << (kMaxCodeBits - length);
    longest = counts[length] != 0 ? length : longest;
  }
  if (used != 1U << kMaxCodeBits) {
    if (used > 1U << kMaxCodeBits || longest > 1) {
      return false;
    }
    const uint32_t none = kSpecial + kOneCodeBit;
    for (std::size_t i = 0; i < (std::size_t{1} << kBits); i += 2) {
      table[i] = longest == 1 ? sorted[0] : none;
      table[i + 1] = none;
    }
    return true;
  }
  const unsigned position = fill_levels<kBits>(counts.data(), sorted, table);
  return longest <= kBits ||
         build_second_level<kBits>(counts, sorted, position << (kMaxCodeBits - kBits), table,
                                   capacity);
}

// The code of the code lengths. Entries: bits 0-7: bits to drop; 8-15: bits of the code; 16-22:
// mask of the extra bits; 23: repeats the length before; 24-27: the length; 28-31: the least count.
inline constexpr unsigned kPrecodeBits = 7;
inline constexpr uint32_t kRepeatsLast = 1U << 23;
constexpr std::array<uint32_t, 19> make_precode_entries() {
  std::array<uint32_t, 19> entries{};
  for (uint32_t length = 0; length < 16; ++length) {
    entries[length] = (1U << 28) | (length << 24);
  }
  entries[16] = (3U << 28) | kRepeatsLast | (3U << 16) | 2;
  entries[17] = (3U << 28) | (7U << 16) | 3;
  entries[18] = (11U << 28) | (127U << 16) | 7;
  return entries;
}
inline constexpr auto kPrecodeEntry = make_precode_entries();

FONDS_ALWAYS_INLINE bool build_precode(const std::array<uint8_t, 19>& lengths,
                                       std::array<uint32_t, 128>& table) {
  std::array<uint8_t, 8> counts{};
  for (const uint8_t length : lengths) {
    ++counts[length];
  }
  std::array<uint8_t, 8> places{};
  unsigned used = 0, place = 0;
  for (unsigned length = 1; length <= kPrecodeBits; ++length) {
    places[length] = static_cast<uint8_t>(place);
    place += counts[length];
    used += static_cast<unsigned>(counts[length]) << (kPrecodeBits - length);
  }
  if (place == 0) {  // zlib reads a zero from each bit then, and finds out later
    table.fill(kPrecodeEntry[0] + kOneCodeBit);
    return true;
  }
  if (used != 1U << kPrecodeBits) {
    return false;
  }
  places[0] = 19;
  std::array<uint32_t, 38> sorted;
  for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
    const uint32_t length = lengths[symbol];
    sorted[places[length]++] = kPrecodeEntry[symbol] + length * kOneCodeBit;
  }
  const uint32_t* next = sorted.data();
  fill_levels<kPrecodeBits>(counts.data(), next, table.data());
  return true;
}

}  // namespace fonds::gzip::tables
