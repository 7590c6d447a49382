#include "format/recordio/reading/grammar.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <libdeflate.h>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>

#include "base/bytes.hpp"

namespace fonds::recordio {
namespace {

constexpr std::size_t kMostVarint = 10;
constexpr std::size_t kCrcAt = 8;  // of a chunk; what follows it is covered
constexpr std::size_t kCoveredAt = 12;

struct NamedMagic {
  Magic magic;
  std::string_view bytes;
};
using namespace std::string_view_literals;
constexpr auto kMagics = std::to_array<NamedMagic>({
    {Magic::Header, "\xd9\xe1\xd9\x5c\xc2\x16\x04\xf7"sv},
    {Magic::Packed, "\x2e\x76\x47\xeb\x34\x07\x3c\x2e"sv},
    {Magic::Trailer, "\xfe\xba\x1a\xd7\xcb\xdf\x75\x3a"sv},
    {Magic::LegacyPlain, "\xfc\xae\x95\x31\xf0\xd9\xbd\x20"sv},
});

void store_le32(std::byte* at, std::uint32_t value) {
  for (unsigned i = 0; i < 4; ++i) {
    at[i] = static_cast<std::byte>(value >> (8 * i) & 0xFF);
  }
}

std::uint8_t octet(ByteView bytes, std::size_t at) {
  return std::to_integer<std::uint8_t>(bytes[at]);
}

// The padding that the Go library writes.
void pad(std::byte* at, std::size_t size) {
  constexpr std::array<std::byte, 4> kPadding = {std::byte{0xde}, std::byte{0xad}, std::byte{0xbe},
                                                 std::byte{0xef}};
  std::size_t done = std::min(size, kPadding.size());
  if (done == 0) {
    return;
  }
  std::memcpy(at, kPadding.data(), done);
  while (done < size) {
    // A whole number of patterns, but for the last copy.
    const std::size_t n = std::min(done, size - done);
    std::memcpy(at + done, at, n);
    done += n;
  }
}

}  // namespace

Magic parse_magic(ByteView bytes) noexcept {
  if (bytes.size() >= kMagicSize) {
    const std::string_view head = as_text(bytes.first(kMagicSize));
    for (const NamedMagic& known : kMagics) {
      if (head == known.bytes) {
        return known.magic;
      }
    }
  }
  return Magic::None;
}

std::string_view magic_bytes(Magic magic) noexcept {
  for (const NamedMagic& known : kMagics) {
    if (magic == known.magic) {
      return known.bytes;
    }
  }
  return {};
}

// ---- varints ----

Varint parse_varint(ByteView bytes) noexcept {
  Varint varint;
  const std::size_t most = std::min(bytes.size(), kMostVarint);
  for (std::size_t i = 0; i < most; ++i) {
    const std::uint8_t byte = octet(bytes, i);
    if (i + 1 == kMostVarint && byte > 1) {
      varint.length = kMostVarint;
      varint.state = Varint::State::TooLong;
      return varint;
    }
    varint.value |= std::uint64_t{byte & 0x7FU} << (7 * i);
    if (byte < 0x80) {
      varint.length = i + 1;
      varint.state = byte == 0 && i > 0 ? Varint::State::Overlong : Varint::State::Good;
      return varint;
    }
  }
  varint.length = most;
  return varint;
}

std::size_t varint_size(std::uint64_t value) noexcept {
  return value == 0 ? 1 : (static_cast<std::size_t>(std::bit_width(value)) + 6) / 7;
}

void emit_varint(std::uint64_t value, Buffer& out) {
  std::byte* at = out.room(kMostVarint).data();
  std::size_t n = 0;
  for (; value >= 0x80; value >>= 7) {
    at[n++] = static_cast<std::byte>((value & 0x7F) | 0x80);
  }
  at[n++] = static_cast<std::byte>(value);
  out.commit(n);
}

// ---- v2: chunks ----

ChunkHeader parse_chunk_header(ByteView bytes) noexcept {
  return {parse_magic(bytes),           load_le32(bytes.subspan(kCrcAt)),
          load_le32(bytes.subspan(12)), load_le32(bytes.subspan(16)),
          load_le32(bytes.subspan(20)), load_le32(bytes.subspan(24))};
}

std::uint32_t chunk_crc(ByteView chunk, const ChunkHeader& header) noexcept {
  return libdeflate_crc32(0, chunk.data() + kCoveredAt,
                          kChunkHeaderSize - kCoveredAt + header.size);
}

std::uint64_t chunks_of(std::uint64_t payload_size) noexcept {
  return payload_size == 0 ? 1 : (payload_size - 1) / kChunkPayload + 1;
}

void emit_block(Magic magic, ByteView payload, Buffer& out) {
  const std::string_view name = magic_bytes(magic);
  const auto total = static_cast<std::uint32_t>(chunks_of(payload.size()));
  std::byte* at = out.room(total * kChunkSize).data();
  for (std::uint32_t index = 0; index < total; ++index, at += kChunkSize) {
    const std::size_t size = std::min(payload.size(), kChunkPayload);
    std::memcpy(at, name.data(), kMagicSize);
    store_le32(at + 12, 0);
    store_le32(at + 16, static_cast<std::uint32_t>(size));
    store_le32(at + 20, total);
    store_le32(at + 24, index);
    if (size > 0) {
      std::memcpy(at + kChunkHeaderSize, payload.data(), size);
    }
    store_le32(at + kCrcAt,
               libdeflate_crc32(0, at + kCoveredAt, kChunkHeaderSize - kCoveredAt + size));
    pad(at + kChunkHeaderSize + size, kChunkPayload - size);
    payload = payload.subspan(size);
  }
  out.commit(total * kChunkSize);
}

// ---- block table ----

namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080;
constexpr std::uint64_t kLowBits = ~kHighBits;
constexpr std::uint64_t kTwoBytes = 0x0080008000800080;  // the high bits of four two-byte varints
constexpr std::uint64_t kPairTops = 0x8000800080008000;
constexpr std::uint64_t kEvenBytes = 0x00FF00FF00FF00FF;
constexpr std::uint64_t kEachByte = 0x0101010101010101;
constexpr std::uint64_t kEachPair = 0x0001000100010001;

// Sums of neighbours, in lanes of 16 bits.
std::uint64_t pair_sums(std::uint64_t word) {
  return (word & kEvenBytes) + (word >> 8 & kEvenBytes);
}
// The sum of the lanes, which must be below 2^16.
std::uint64_t sum_of_pairs(std::uint64_t pairs) { return pairs * kEachPair >> 48; }
// 0x7F in each byte whose high bit is set in `flags`, which has no other bits.
std::uint64_t masks(std::uint64_t flags) { return flags - (flags >> 7); }
std::uint64_t sum_of_bytes(std::uint64_t word) { return sum_of_pairs(pair_sums(word)); }

// What the whole varints in the eight bytes of a word are together. A varint begins at its first
// byte.
struct WordSum {
  std::uint64_t sum = 0;
  std::size_t length = 0;  // bytes that whole varints take; 0 if this way is too narrow for them
  std::uint64_t count = 0;
  bool overlong = false;
};
WordSum sum_word(std::uint64_t word) {
  const std::uint64_t more = word & kHighBits;
  // The high bit of each byte that is the first, second, ... of its varint.
  const std::uint64_t first = ~(more << 8) & kHighBits;
  const std::uint64_t second = (first & more) << 8;
  const std::uint64_t third = (second & more) << 8;
  const std::uint64_t fourth = (third & more) << 8;
  if ((fourth & more) != 0) {
    return {};
  }
  const std::uint64_t last = ~word & kHighBits;
  const auto behind = static_cast<unsigned>(std::countl_zero(last)) & ~7U;
  const std::uint64_t kept = word & (~std::uint64_t{0} >> behind);
  WordSum result;
  result.length = 8 - behind / 8;
  result.count = (last >> 7) * kEachByte >> 56;
  result.sum = sum_of_bytes(kept & masks(first)) + (sum_of_bytes(kept & masks(second)) << 7);
  if ((third | fourth) != 0) {
    result.sum +=
        (sum_of_bytes(kept & masks(third)) << 14) + (sum_of_bytes(kept & masks(fourth)) << 21);
  }
  const std::uint64_t not_zero = (word & kLowBits) + kLowBits;
  result.overlong = (last & ~not_zero & ~first) != 0;
  return result;
}

// Steps over sizes and adds them up.
class SizeWalk {
 public:
  enum class State : std::uint8_t { Good, Cut, TooLong, Overflow };

  SizeWalk(ByteView bytes, std::size_t at) : bytes_(bytes), at_(at) {}
  std::size_t at() const { return at_; }
  std::uint64_t sum() const { return sum_; }
  std::uint64_t done() const { return done_; }
  bool overlong() const { return overlong_; }

  State walk(std::uint64_t number) {
    const std::uint64_t end = done_ + number;
    while (done_ < end) {
      const std::uint64_t left = end - done_;
      if (left >= 32 && bytes_.size() - at_ >= 32 && four_words()) {
        continue;
      }
      if (left >= 8 && bytes_.size() - at_ >= 8 && one_word()) {
        continue;
      }
      if (const State state = one_size(); state != State::Good) {
        return state;
      }
    }
    return State::Good;
  }

 private:
  // Eight good sizes in a word never bring the sum to 2^63: only a single one can.
  static constexpr std::uint64_t kSafe = std::uint64_t{1} << 62;

  std::uint64_t word(std::size_t number) const {
    if constexpr (std::endian::native == std::endian::little) {
      std::uint64_t word;  // one load, which gcc does not make of load_le64
      std::memcpy(&word, bytes_.data() + at_ + 8 * number, sizeof word);
      return word;
    }
    return load_le64(bytes_.subspan(at_ + 8 * number, 8));
  }
  // 32 sizes of one byte, or 16 of two: blocks of items that are about as long as each other.
  bool four_words() {
    const std::array<std::uint64_t, 4> words = {word(0), word(1), word(2), word(3)};
    const std::uint64_t any = words[0] | words[1] | words[2] | words[3];
    if (sum_ > kSafe) {
      return false;
    }
    if ((any & kHighBits) == 0) {
      sum_ += sum_of_pairs(pair_sums(words[0]) + pair_sums(words[1]) + pair_sums(words[2]) +
                           pair_sums(words[3]));
      at_ += 32;
      done_ += 32;
      return true;
    }
    const std::uint64_t all = words[0] & words[1] & words[2] & words[3];
    if ((any & kHighBits) != kTwoBytes || (all & kHighBits) != kTwoBytes) {
      return false;
    }
    std::uint64_t low_sums = 0, high_sums = 0;
    std::uint64_t not_zero = kPairTops;
    for (const std::uint64_t sizes : words) {
      const std::uint64_t upper = sizes >> 8 & kEvenBytes;
      low_sums += sizes & kLowBits & kEvenBytes;
      high_sums += upper;
      not_zero &= upper + ~kPairTops;
    }
    sum_ += sum_of_pairs(low_sums) + (sum_of_pairs(high_sums) << 7);
    at_ += 32;
    done_ += 16;
    overlong_ = overlong_ || not_zero != kPairTops;
    return true;
  }
  bool one_word() {
    const WordSum result = sum_word(word(0));
    if (result.length == 0 || sum_ > kSafe) {
      return false;
    }
    sum_ += result.sum;
    at_ += result.length;
    done_ += result.count;
    overlong_ = overlong_ || result.overlong;
    return true;
  }
  State one_size() {
    const Varint size = parse_varint(bytes_.subspan(at_));
    if (size.state == Varint::State::Cut) {
      return State::Cut;
    }
    if (size.state == Varint::State::TooLong) {
      return State::TooLong;
    }
    if (size.value > ~std::uint64_t{0} - sum_) {
      return State::Overflow;
    }
    overlong_ = overlong_ || size.state == Varint::State::Overlong;
    sum_ += size.value;
    at_ += size.length;
    ++done_;
    return State::Good;
  }

  ByteView bytes_;
  std::size_t at_;
  std::uint64_t sum_ = 0, done_ = 0;
  bool overlong_ = false;
};

Fault size_fault(SizeWalk::State state, const SizeWalk& walk, std::uint64_t count,
                 std::size_t present) {
  switch (state) {
    case SizeWalk::State::TooLong:
      return {"varint-long", fmt::format("varint too long: size {} of {} at byte {} does not end "
                                         "within 64 bits",
                                         walk.done(), count, walk.at())};
    case SizeWalk::State::Overflow:
      return {"block-size-mismatch",
              fmt::format("block size mismatch: the first {} of {} sizes sum to more than 2^64-1 "
                          "bytes",
                          walk.done() + 1, count)};
    default:
      return {"varint-cut", fmt::format("varint past end: size {} of {} begins at byte {} and does "
                                        "not end within the {} bytes",
                                        walk.done(), count, walk.at(), present)};
  }
}

}  // namespace

TableCheck check_table(ByteView bytes, std::optional<std::uint64_t> content_size) noexcept {
  TableCheck table;
  // What is behind the content is none of it.
  if (content_size && *content_size < bytes.size()) {
    bytes = bytes.first(static_cast<std::size_t>(*content_size));
  }
  const Varint count = parse_varint(bytes);
  if (count.state == Varint::State::Cut) {
    table.fault = Fault{"varint-cut", fmt::format("varint past end: the item count does not end "
                                                  "within the {} bytes",
                                                  bytes.size())};
    return table;
  }
  if (count.state == Varint::State::TooLong) {
    table.fault =
        Fault{"varint-long", "varint too long: the item count does not end within 64 bits"};
    return table;
  }
  table.count = count.value;
  table.sizes_at = count.length;
  table.overlong = count.state == Varint::State::Overlong;
  const std::uint64_t left = content_size.value_or(bytes.size()) - count.length;
  if (count.value > left) {
    table.fault =
        Fault{"item-count", fmt::format("item count: {} items, but only {} bytes are left "
                                        "for their sizes",
                                        count.value, left)};
    return table;
  }
  SizeWalk walk(bytes, count.length);
  const SizeWalk::State state = walk.walk(count.value);
  table.items_at = walk.at();
  table.items_size = walk.sum();
  table.overlong = table.overlong || walk.overlong();
  if (state != SizeWalk::State::Good) {
    table.fault = size_fault(state, walk, count.value, bytes.size());
  } else if (content_size && *content_size - walk.at() != walk.sum()) {
    table.fault = Fault{"block-size-mismatch",
                        fmt::format("block size mismatch: {} items have {} bytes by their sizes, "
                                    "{} bytes are there",
                                    count.value, walk.sum(), *content_size - walk.at())};
  }
  return table;
}

ByteRange item_range(ByteView bytes, const TableCheck& table, std::uint64_t number) noexcept {
  SizeWalk walk(bytes, table.sizes_at);
  walk.walk(number);
  const std::uint64_t before = walk.sum();
  walk.walk(1);
  return {table.items_at + before, walk.sum() - before};
}

void emit_table(const std::vector<std::uint64_t>& sizes, Buffer& out) {
  emit_varint(sizes.size(), out);
  for (const std::uint64_t size : sizes) {
    emit_varint(size, out);
  }
}

}  // namespace fonds::recordio
