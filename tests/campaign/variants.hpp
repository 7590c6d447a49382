// Damage of bytes: always the same for the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/bytes.hpp>

namespace fonds::campaign {

enum class Kind : std::uint8_t { Flip, Cut, Insert, Double, Zero, Truncate, Swap, Digit };
inline constexpr std::size_t kKinds = 8;
std::string_view kind_name(Kind kind);

struct Variant {
  Kind kind = Kind::Flip;
  std::string bytes;
  // Of the original: bytes that were changed or taken out. Of no length: bytes were put in there.
  std::vector<ByteRange> touched;

  // Whether something of [from, to) of the original was changed, or torn apart.
  bool touches(std::uint64_t from, std::uint64_t to) const;
  // Whether it moved what lies at `offset`, not by a multiple of `grid`, and not all that follows.
  bool moves(std::uint64_t offset, std::uint64_t grid) const;
  // The first touched byte.
  std::uint64_t first() const;
};

// `borders`: offsets at which units begin; some damage is laid along them.
Variant make_variant(std::string_view good, const std::vector<std::uint64_t>& borders,
                     std::uint64_t seed, std::uint64_t number);

}  // namespace fonds::campaign
