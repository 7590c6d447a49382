// Finds magics in bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

#include "format/recordio/reading/grammar.hpp"
#include "io/window.hpp"

namespace fonds::recordio {

// Finds magics in order, up to `to`. Bytes that are mapped are searched once for each, however many
// of the others there are; others piece by piece.
class MagicSearch {
 public:
  MagicSearch(Window window, std::span<const Magic> magics, std::uint64_t to)
      : window_(std::move(window)), magics_(magics), to_(to) {}

  // The first place at or behind `from` where a magic stands; `to` if there is none. Calls go
  // forward. Errors: Io.
  Result<std::uint64_t> next(std::uint64_t from) {
    while (from < to_) {
      if (from < begin_ || from >= end_) {
        FONDS_CHECK(load(from));
      }
      if (const std::uint64_t nearest = next_in_piece(from); nearest < end_ || last_) {
        return nearest < end_ ? nearest : to_;
      }
      from = end_;
    }
    return to_;
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{256} << 10;

  Status load(std::uint64_t from) {
    if (!window_.mapped()) {
      window_.release(from);
    }
    FONDS_TRY(const ByteView bytes, window_.at(from, kPiece));
    last_ = window_.mapped() || bytes.size() < kPiece;
    // A magic may lie across the end of a piece.
    const std::size_t whole = last_ ? bytes.size() : bytes.size() - (kMagicSize - 1);
    text_ = as_text(bytes).substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(
                                         bytes.size(), to_ - from + kMagicSize - 1)));
    begin_ = from;
    end_ = std::min<std::uint64_t>(to_, from + whole);
    last_ = last_ || end_ == to_;
    known_ = {};
    return {};
  }

  std::uint64_t next_in_piece(std::uint64_t from) {
    std::uint64_t nearest = end_;
    for (std::size_t i = 0; i < magics_.size(); ++i) {
      if (!known_[i] || at_[i] < from) {
        const std::size_t found =
            text_.find(magic_bytes(magics_[i]), static_cast<std::size_t>(from - begin_));
        at_[i] = found == std::string_view::npos ? end_ : std::min(begin_ + found, end_);
        known_[i] = true;
      }
      nearest = std::min(nearest, at_[i]);
    }
    return nearest;
  }

  Window window_;
  std::span<const Magic> magics_;
  std::uint64_t to_;
  std::string_view text_;  // of the piece [begin_, end_)
  std::uint64_t begin_ = 0, end_ = 0;
  bool last_ = false;  // nothing is to be found behind the piece
  std::array<std::uint64_t, 3> at_ = {};
  std::array<bool, 3> known_ = {};
};

}  // namespace fonds::recordio
