// Finds magics in bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <fonds/bytes.hpp>

#include "format/recordio/reading/grammar.hpp"

namespace fonds::recordio {

// Finds magics in order. Each is searched for once over the whole, however many of the others there
// are.
class MagicSearch {
 public:
  MagicSearch(ByteView stored, std::span<const Magic> magics, std::uint64_t to)
      : text_(as_text(stored).substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(
                                            stored.size(), to + kMagicSize - 1)))),
        magics_(magics),
        to_(to) {}

  // The first place at or behind `from` where a magic stands; `to` if there is none.
  std::uint64_t next(std::uint64_t from) {
    std::uint64_t nearest = to_;
    for (std::size_t i = 0; i < magics_.size(); ++i) {
      if (!known_[i] || at_[i] < from) {
        const std::size_t found =
            text_.find(magic_bytes(magics_[i]), static_cast<std::size_t>(from));
        at_[i] = found == std::string_view::npos ? to_ : std::min<std::uint64_t>(found, to_);
        known_[i] = true;
      }
      nearest = std::min(nearest, at_[i]);
    }
    return nearest;
  }

 private:
  std::string_view text_;
  std::span<const Magic> magics_;
  std::uint64_t to_;
  std::array<std::uint64_t, 3> at_ = {};
  std::array<bool, 3> known_ = {};
};

}  // namespace fonds::recordio
