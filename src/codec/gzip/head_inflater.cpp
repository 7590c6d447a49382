#include "codec/gzip/head_inflater.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "codec/gzip/inflate_tables.hpp"

// The hot functions exist twice: the shifts of BMI2 make the chain from symbol to symbol shorter.
#if defined(__x86_64__)
#define FONDS_TARGET_BMI2 __attribute__((target("bmi,bmi2")))
#else
#define FONDS_TARGET_BMI2
#endif

namespace fonds::gzip {

using namespace tables;

namespace {

bool has_bmi2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("bmi");
#else
  return false;
#endif
}

// Copies a match; may write up to 31 bytes behind it.
FONDS_ALWAYS_INLINE void copy_match(std::byte* out, std::size_t distance, std::size_t length) {
  const std::byte* from = out - distance;
  const std::byte* const end = out + length;
  if (distance >= 16) {
    do {
      std::memcpy(out, from, 16);
      out += 16;
      from += 16;
    } while (out < end);
  } else if (distance >= 8) {
    do {
      std::memcpy(out, from, 8);
      out += 8;
      from += 8;
    } while (out < end);
  } else if (distance == 1) {
    std::memset(out, std::to_integer<int>(*from), length);
  } else {
    do {
      *out++ = *from++;
    } while (out < end);
  }
}

}  // namespace

// A reader that looks at nothing but 8 bytes at `next`; whoever makes one knows that they are
// there.
struct HeadInflater::Bits {
  const std::byte* next;
  uint64_t bits;
  unsigned count;

  // At least 56 bits are there afterwards. Counts whole bytes only; the bits above stay right (see
  // bits_).
  FONDS_ALWAYS_INLINE void refill() {
    bits |= load_le64(next) << count;
    next += (63 - count) / 8;
    count |= 56;
  }
  FONDS_ALWAYS_INLINE void drop(unsigned n) {
    bits >>= n;
    count -= n;
  }
};

void HeadInflater::start(ByteView deflate) {
  begin_ = next_ = deflate.data();
  end_ = begin_ + deflate.size();
  bits_ = 0;
  bit_count_ = 0;
  phase_ = Phase::BlockHeader;
  last_block_ = false;
  size_ = 0;
}

HeadInflater::State HeadInflater::run(std::size_t wanted) {
  const std::size_t limit = std::min(wanted, kMaxOutput);
  while (phase_ != Phase::Over && size_ < limit) {
    switch (phase_) {
      case Phase::BlockHeader:
        begin_block();
        break;
      case Phase::Stored:
        copy_stored(limit);
        break;
      case Phase::Symbols:
        decode_fast(limit);
        if (phase_ == Phase::Symbols && size_ < limit) {
          decode_careful(limit);
        }
        break;
      case Phase::Over:
        break;
    }
  }
  if (phase_ == Phase::Over && (result_ == State::End || size_ < limit)) {
    return result_;
  }
  return State::More;
}

void HeadInflater::fail(State why) {
  phase_ = Phase::Over;
  result_ = why;
}

void HeadInflater::end_block() {
  phase_ = Phase::BlockHeader;
  if (last_block_) {
    fail(State::End);
  }
}

void HeadInflater::refill_careful() {
  while (bit_count_ <= 56 && next_ != end_) {
    bits_ |= std::to_integer<uint64_t>(*next_++) << bit_count_;
    bit_count_ += 8;
  }
}

void HeadInflater::begin_block() {
  refill_careful();
  if (bit_count_ < 3) {
    return fail(State::NeedInput);
  }
  last_block_ = (bits_ & 1) != 0;
  const uint64_t type = (bits_ >> 1) & 3;
  bits_ >>= 3;
  bit_count_ -= 3;
  switch (type) {
    case 0:
      return begin_stored();
    case 1:
      tables_ = &fixed_tables();
      phase_ = Phase::Symbols;
      return;
    case 2:
      return begin_dynamic();
    default:
      return fail(State::Corrupt);
  }
}

void HeadInflater::begin_stored() {
  next_ -= bit_count_ / 8;
  bits_ = 0;
  bit_count_ = 0;
  if (end_ - next_ < 4) {
    next_ = end_;
    return fail(State::NeedInput);
  }
  const auto octet = [this](int i) { return std::to_integer<unsigned>(next_[i]); };
  const unsigned length = octet(0) | (octet(1) << 8), complement = octet(2) | (octet(3) << 8);
  if ((length ^ complement) != 0xFFFF) {
    return fail(State::Corrupt);
  }
  next_ += 4;
  stored_left_ = length;
  phase_ = Phase::Stored;
  if (stored_left_ == 0) {
    end_block();
  }
}

void HeadInflater::copy_stored(std::size_t limit) {
  const std::size_t there = static_cast<std::size_t>(end_ - next_);
  const std::size_t n = std::min({stored_left_, limit - size_, there});
  if (n == 0) {
    return fail(State::NeedInput);
  }
  std::memcpy(output_.data() + size_, next_, n);
  next_ += n;
  size_ += n;
  stored_left_ -= n;
  if (stored_left_ == 0) {
    end_block();
  }
}

const HeadInflater::Tables& HeadInflater::fixed_tables() {
  static const Tables fixed = [] {
    std::array<uint8_t, 320> lengths{};
    std::fill_n(lengths.begin(), 144, uint8_t{8});
    std::fill_n(lengths.begin() + 144, 112, uint8_t{9});
    std::fill_n(lengths.begin() + 256, 24, uint8_t{7});
    std::fill_n(lengths.begin() + 280, 8, uint8_t{8});
    LengthCounts counts{};
    counts[7] = 24, counts[8] = 152, counts[9] = 112;
    std::array<uint32_t, 288> sorted;
    Tables tables{};
    sort_entries(lengths.data(), 288, counts, kLitlenEntry.data(), sorted.data());
    build_table<kLitlenBits>(counts, sorted.data(), tables.litlen.data(), tables.litlen.size());
    lengths.fill(0);
    std::fill_n(lengths.begin(), 32, uint8_t{5});
    counts.fill(0);
    counts[5] = 32;
    sort_entries(lengths.data(), 32, counts, kDistanceEntry.data(), sorted.data());
    build_table<kDistanceBits>(counts, sorted.data(), tables.distance.data(),
                               tables.distance.size());
    return tables;
  }();
  return fixed;
}

// Reads the two codes of a dynamic block. False if they are none; `in` then stands where that
// showed.
FONDS_ALWAYS_INLINE bool HeadInflater::read_tables_inline(Bits& in, Tables& tables) {
  in.refill();
  const std::size_t litlens = 257 + (in.bits & 31), distances = 1 + ((in.bits >> 5) & 31);
  const std::size_t precodes = 4 + ((in.bits >> 10) & 15);
  in.drop(14);
  if (litlens > kMaxLitlen || distances > kMaxDistance) {
    return false;
  }
  static constexpr std::array<uint8_t, 19> kPrecodeOrder = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                            11, 4,  12, 3, 13, 2, 14, 1, 15};
  std::array<uint8_t, 19> precode_lengths{};
  in.refill();
  for (std::size_t i = 0; i < precodes; ++i) {
    if (i == 18) {
      in.refill();
    }
    precode_lengths[kPrecodeOrder[i]] = in.bits & 7;
    in.drop(3);
  }
  std::array<uint32_t, 1U << kPrecodeBits> precode;
  if (!build_precode(precode_lengths, precode)) {
    return false;
  }

  // Each step writes 8 lengths and then moves by the right count: what is too much is overwritten
  // by the next step, and runs of more than 8 are runs of the zeros that are there already.
  const std::size_t total = litlens + distances;
  std::array<uint8_t, 512> lengths{};
  LengthCounts counts{};
  std::size_t at = 0;
  uint32_t last = 0;
  in.refill();
  if ((precode[in.bits % 128] & kRepeatsLast) != 0) {
    in.drop(dropped_bits(precode[in.bits % 128]));
    return false;
  }
  do {
    in.refill();
    for (int step = 0; step < 4; ++step) {
      const uint32_t entry = precode[in.bits % 128];
      const std::size_t extra = (in.bits >> ((entry >> 8) & 7)) & ((entry >> 16) & 127);
      const std::size_t count = (entry >> 28) + extra;
      in.drop(dropped_bits(entry));
      last = (entry & kRepeatsLast) != 0 ? last : (entry >> 24) & 15;
      const uint64_t eight = last * 0x0101010101010101U;
      std::memcpy(lengths.data() + at, &eight, 8);
      counts[last] += static_cast<uint32_t>(count);
      at += count;
      if (at >= total) {
        break;
      }
    }
  } while (at < total);
  if (at != total || lengths[kBlockEndSymbol] == 0) {
    return false;
  }

  std::array<uint8_t, 64> distance_lengths{};
  std::memcpy(distance_lengths.data(), lengths.data() + litlens, distances);
  std::memset(lengths.data() + litlens, 0, 64);
  LengthCounts distance_counts{};
  for (std::size_t i = 0; i < distances; ++i) {
    ++distance_counts[distance_lengths[i]];
  }
  for (unsigned length = 0; length <= kMaxCodeBits; ++length) {
    counts[length] -= distance_counts[length];
  }
  std::array<uint32_t, 288> sorted;
  sort_entries(lengths.data(), litlens, counts, kLitlenEntry.data(), sorted.data());
  if (!build_table<kLitlenBits>(counts, sorted.data(), tables.litlen.data(),
                                tables.litlen.size())) {
    return false;
  }
  sort_entries(distance_lengths.data(), distances, distance_counts, kDistanceEntry.data(),
               sorted.data());
  return build_table<kDistanceBits>(distance_counts, sorted.data(), tables.distance.data(),
                                    tables.distance.size());
}

FONDS_TARGET_BMI2 bool HeadInflater::read_tables_bmi2(Bits& in, Tables& tables) {
  return read_tables_inline(in, tables);
}
bool HeadInflater::read_tables(Bits& in, Tables& tables) {
  return has_bmi2() ? read_tables_bmi2(in, tables) : read_tables_inline(in, tables);
}

// The longest possible description of two codes has 562 bytes. Where that many do not follow, it is
// read from a copy with zeros behind, and whether it reached into them is looked at afterwards.
void HeadInflater::begin_dynamic() {
  constexpr std::size_t kLongest = 600;
  const std::size_t there = static_cast<std::size_t>(end_ - next_);
  Bits in{next_, bits_, bit_count_};
  bool good = false;
  if (there >= kLongest) {
    good = read_tables(in, own_tables_);
    next_ = in.next;
  } else {
    std::array<std::byte, kLongest + 16> copy{};
    std::copy(next_, end_, copy.begin());
    in.next = copy.data();
    good = read_tables(in, own_tables_);
    const std::size_t used = static_cast<std::size_t>(in.next - copy.data());
    if (used > there) {
      const std::size_t invented = 8 * (used - there);
      if (invented > in.count) {
        next_ = end_;
        bit_count_ = 0;
        return fail(State::NeedInput);
      }
      in.count -= static_cast<unsigned>(invented);
    }
    next_ += std::min(used, there);
  }
  bits_ = in.bits;
  bit_count_ = in.count;
  if (!good) {
    return fail(State::Corrupt);
  }
  tables_ = &own_tables_;
  phase_ = Phase::Symbols;
}

// Decodes while 32 bytes of input are there, without looking at the bit count. A step refills three
// times, each time by 7 bytes at most.
FONDS_ALWAYS_INLINE void HeadInflater::decode_fast_inline(std::size_t limit) {
  if (end_ - next_ < 32) {
    return;
  }
  const std::byte* const last_start = end_ - 32;
  const uint32_t* const litlen = tables_->litlen.data();
  const uint32_t* const distances = tables_->distance.data();
  std::byte* out = output_.data() + size_;
  const std::byte* const out_end = output_.data() + limit;
  Bits in{next_, bits_, bit_count_};
  const auto leave = [&]() FONDS_LAMBDA_INLINE {
    next_ = in.next;
    bits_ = in.bits;
    bit_count_ = in.count;
    size_ = static_cast<std::size_t>(out - output_.data());
  };
  in.refill();
  uint32_t entry = litlen[in.bits % (1U << kLitlenBits)];
  while (in.next <= last_start && out < out_end) {
    in.refill();
    if ((entry & kLiteral) != 0) {
      in.drop(dropped_bits(entry));
      *out++ = static_cast<std::byte>(entry >> 16);
      entry = litlen[in.bits % (1U << kLitlenBits)];
      if ((entry & kLiteral) != 0) {
        in.drop(dropped_bits(entry));
        *out++ = static_cast<std::byte>(entry >> 16);
        entry = litlen[in.bits % (1U << kLitlenBits)];
        if ((entry & kLiteral) != 0) {
          in.drop(dropped_bits(entry));
          *out++ = static_cast<std::byte>(entry >> 16);
          entry = litlen[in.bits % (1U << kLitlenBits)];
          continue;
        }
      }
      in.refill();
    }
    if ((entry & kSpecial) != 0) {
      if ((entry & kPointer) != 0) {
        in.drop(kLitlenBits);
        entry = litlen[(entry >> 16) + low_bits(in.bits, code_bits(entry))];
        if ((entry & kLiteral) != 0) {
          in.drop(dropped_bits(entry));
          *out++ = static_cast<std::byte>(entry >> 16);
          entry = litlen[in.bits % (1U << kLitlenBits)];
          continue;
        }
      }
      if ((entry & kSpecial) != 0) {
        in.drop(dropped_bits(entry));
        leave();
        return (entry & kBlockEnd) != 0 ? end_block() : fail(State::Corrupt);
      }
    }
    const std::size_t length =
        (entry >> 16) + (low_bits(in.bits, dropped_bits(entry)) >> code_bits(entry));
    in.drop(dropped_bits(entry));
    entry = distances[in.bits % (1U << kDistanceBits)];
    if ((entry & kSpecial) != 0) {
      if ((entry & kPointer) != 0) {
        in.drop(kDistanceBits);
        entry = distances[(entry >> 16) + low_bits(in.bits, code_bits(entry))];
      }
      if ((entry & kSpecial) != 0) {
        leave();
        return fail(State::Corrupt);
      }
    }
    const std::size_t distance =
        (entry >> 16) + (low_bits(in.bits, dropped_bits(entry)) >> code_bits(entry));
    in.drop(dropped_bits(entry));
    if (distance > static_cast<std::size_t>(out - output_.data())) {
      leave();
      return fail(State::Corrupt);
    }
    in.refill();
    entry = litlen[in.bits % (1U << kLitlenBits)];
    copy_match(out, distance, length);
    out += length;
  }
  leave();
}

FONDS_TARGET_BMI2 void HeadInflater::decode_fast_bmi2(std::size_t limit) {
  decode_fast_inline(limit);
}
void HeadInflater::decode_fast(std::size_t limit) {
  return has_bmi2() ? decode_fast_bmi2(limit) : decode_fast_inline(limit);
}

// One symbol at a time, for the last bytes of the input. Zeros stand behind them; what needs more
// bits than there are is not decoded.
void HeadInflater::decode_careful(std::size_t limit) {
  while (size_ < limit) {
    refill_careful();
    uint64_t bits = bits_;
    unsigned used = 0;
    const auto look_up = [&](const uint32_t* table, unsigned level_bits) {
      uint32_t entry = table[low_bits(bits, level_bits)];
      if ((entry & kSpecial) != 0 && (entry & kPointer) != 0) {
        bits >>= level_bits;
        used += level_bits;
        entry = table[(entry >> 16) + low_bits(bits, code_bits(entry))];
      }
      used += code_bits(entry);
      bits >>= code_bits(entry);
      return entry;
    };
    const auto value = [&](uint32_t entry) {
      const unsigned extra = dropped_bits(entry) - code_bits(entry);
      const std::size_t sum = (entry >> 16) + low_bits(bits, extra);
      bits >>= extra;
      used += extra;
      return sum;
    };
    const uint32_t entry = look_up(tables_->litlen.data(), kLitlenBits);
    if (used > bit_count_) {
      return fail(State::NeedInput);
    }
    if ((entry & kSpecial) != 0 || (entry & kLiteral) != 0) {
      bits_ = bits;
      bit_count_ -= used;
      if ((entry & kLiteral) != 0) {
        output_[size_++] = static_cast<std::byte>(entry >> 16);
        continue;
      }
      return (entry & kBlockEnd) != 0 ? end_block() : fail(State::Corrupt);
    }
    const std::size_t length = value(entry);
    const uint32_t distance_entry = look_up(tables_->distance.data(), kDistanceBits);
    if (used > bit_count_) {
      return fail(State::NeedInput);
    }
    if ((distance_entry & kSpecial) != 0) {
      return fail(State::Corrupt);
    }
    const std::size_t distance = value(distance_entry);
    if (used > bit_count_) {
      return fail(State::NeedInput);
    }
    if (distance > size_) {
      return fail(State::Corrupt);
    }
    bits_ = bits;
    bit_count_ -= used;
    copy_match(output_.data() + size_, distance, length);
    size_ += length;
  }
}

}  // namespace fonds::gzip
