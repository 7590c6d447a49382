#include "format/recordio/reading/walk.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/core.h>

namespace fonds::recordio {
namespace {

// How far the first good block of a file with a damaged beginning is looked for.
constexpr std::uint64_t kDamagedHead = std::uint64_t{64} << 20;

constexpr std::array kV2Magics = {Magic::Header, Magic::Packed, Magic::Trailer};
constexpr std::array kLegacyMagics = {Magic::LegacyPlain, Magic::Packed};

// What a window that goes_back() shows at a place that is looked at once.
Result<ByteView> look_at(Window& window, std::uint64_t offset, std::size_t at_least) {
  if (!window.mapped()) {
    window.release(offset);
  }
  return window.at(offset, at_least);
}

Result<bool> record_begins(Window& window, std::uint64_t offset, std::uint64_t size,
                           std::uint64_t max_record) {
  FONDS_TRY(const ByteView bytes, look_at(window, offset, kLegacyHeaderSize));
  return begins_record(bytes, size - offset, max_record);
}

// The first legacy record with a right header at or behind `from`; `to` if there is none. `size` is
// that of the source.
Result<std::uint64_t> find_record(Window& window, MagicSearch& search, std::uint64_t from,
                                  std::uint64_t to, std::uint64_t size, std::uint64_t max_record) {
  for (std::uint64_t at = from; at < to; ++at) {
    FONDS_TRY(at, search.next(at));
    if (at < to) {
      FONDS_TRY(const bool begins, record_begins(window, at, size, max_record));
      if (begins) {
        return at;
      }
    }
  }
  return to;
}

// Records that lie one behind the other. Damage may have left a header whose record is gone, so
// what a record would cover is no reason to pass over other chains in it.
class RecordChains {
 public:
  // The first record of the chain that the record from `at` to `behind` goes on. Records come in
  // the order in which they begin.
  std::uint64_t add(std::uint64_t at, std::uint64_t behind) {
    while (!ends_.empty() && ends_.begin()->first < at) {
      ends_.erase(ends_.begin());
    }
    const auto before = ends_.find(at);
    const std::uint64_t first = before == ends_.end() ? at : before->second;
    if (ends_.size() < kMost) {
      ends_.emplace(behind, first);
    }
    return first;
  }

 private:
  static constexpr std::size_t kMost = 4096;  // hostile bytes can begin very many

  std::map<std::uint64_t, std::uint64_t> ends_;  // where a chain ends: where it begins
};

}  // namespace

BlockWalk::BlockWalk(std::shared_ptr<ByteSource> source, const WalkOptions& options)
    : window_(source), aside_(source), options_(options), position_(options.start) {
  if (window_.goes_back()) {
    if (const auto size = window_.size()) {
      size_ = *size;
    }
  }
  options_.limits.large_views = window_.mapped();
}

Result<Examined> BlockWalk::examine(std::uint64_t offset) {
  return options_.legacy ? examine_record(window_, offset, size_, options_.limits, block_)
                         : examine_block(window_, offset, size_, options_.limits, block_);
}

Result<BlockWalk::Step> BlockWalk::next() {
  window_.release(position_ - (window_.mapped() ? std::min(position_, options_.keep_behind) : 0));
  if (options_.stop_at && position_ >= *options_.stop_at) {
    return Step::End;
  }
  if (!next_) {
    FONDS_TRY(next_, examine(position_));
  }
  Examined seen = std::move(*std::exchange(next_, std::nullopt));
  switch (seen.state) {
    case Examined::State::End:
      return Step::End;
    case Examined::State::Good:
      if (options_.legacy) {
        FONDS_TRY(const std::uint64_t inside, swallowed_record(seen.length));
        if (inside > 0) {
          damage_ = {position_, inside};
          fault_ = {"record-cut",
                    fmt::format("short record: it claims {} bytes, and another record "
                                "begins {} bytes into it",
                                seen.length, inside)};
          position_ += inside;
          return Step::Damage;
        }
      }
      position_ += seen.length;
      padding_ = position_;
      if (!options_.legacy && !block_.pieces.empty()) {
        padding_ -= kChunkPayload - block_.pieces.back().size();
      }
      return Step::Block;
    case Examined::State::TooLarge:
      damage_ = {position_, seen.length};
      fault_ = std::move(seen.fault);
      position_ += seen.length;
      return Step::Damage;
    case Examined::State::Damaged:
      break;
  }
  FONDS_TRY(const std::uint64_t resume, resume_behind(seen));
  damage_ = resume < position_ ? ByteRange{resume, 0} : ByteRange{position_, resume - position_};
  fault_ = std::move(seen.fault);
  position_ = resume;
  return Step::Damage;
}

// Where in the legacy record of block_, of `length` bytes, another one begins that shows it to have
// lost bytes; 0 if there is none. What a record holds has no checksum, and items may be such
// records themselves, but another one follows it. If none does, those in it count that reach over
// its end, and, if it is packed and its table is wrong, so that it holds no items, all.
Result<std::uint64_t> BlockWalk::swallowed_record(std::uint64_t length) {
  const std::uint64_t end = position_ + length;
  if (!size_ || end >= *size_) {
    return std::uint64_t{0};
  }
  const std::uint64_t most = options_.limits.max_block;
  FONDS_TRY(const bool follows, record_begins(aside_, end, *size_, most));
  if (follows) {
    return std::uint64_t{0};
  }
  const bool holds_items = has_good_table();
  RecordChains chains;
  MagicSearch search(Window(window_.source()), kLegacyMagics, end);
  for (std::uint64_t at = position_ + 1; at < end; ++at) {
    FONDS_TRY(at, find_record(aside_, search, at, end, *size_, most));
    if (at >= end) {
      break;
    }
    FONDS_TRY(const ByteView there, look_at(aside_, at, kLegacyHeaderSize));
    const std::uint64_t behind = at + kLegacyHeaderSize + parse_legacy_header(there).length;
    const std::uint64_t first = chains.add(at, behind);
    if (!holds_items || (behind > end && behind <= *size_)) {
      return first - position_;
    }
  }
  return std::uint64_t{0};
}

// Whether the legacy record of block_ can be what it says. True as well once hostile records, each
// in the one before, have taken more than the file is worth.
bool BlockWalk::has_good_table() {
  if (block_.kind != StoredBlock::Kind::LegacyPacked || !budget_.allows(position_)) {
    return true;
  }
  const ByteView payload = block_.pieces[0];
  budget_.spend(payload.size());
  return !check_packed_table(payload).fault;
}

// Where the next good block begins, or the end of the data.
Result<std::uint64_t> BlockWalk::resume_behind(const Examined& bad) {
  if (!options_.legacy) {
    FONDS_TRY(const ByteView rest, window_.at(position_ + bad.resume, 1));
    if (rest.empty() && !size_) {
      return position_ + bad.length;  // the end of a pipe
    }
    FONDS_TRY(const std::uint64_t on_grid, next_on_grid(position_ + bad.resume));
    const bool at_end = size_ && on_grid >= *size_;
    // Where bytes were lost from the padding of the block before, its last chunk seems to reach
    // into the next block.
    const std::uint64_t from = padding_ > 0 ? std::min(padding_, position_ + 1) : position_ + 1;
    return at_end && options_.search_bytes ? next_anywhere(from) : on_grid;
  }
  if (size_) {
    if (!search_) {
      search_.emplace(Window(window_.source()), kLegacyMagics, *size_);
    }
    return find_record(aside_, *search_, position_ + 1, *size_, *size_, options_.limits.max_block);
  }
  // A pipe: byte by byte as it comes.
  std::uint64_t at = position_ + 1;
  while (true) {
    FONDS_TRY(const ByteView bytes, window_.at(at, kLegacyHeaderSize));
    if (bytes.size() < kLegacyHeaderSize) {
      return at + bytes.size();
    }
    // The last bytes are looked at again with those that follow.
    const std::uint64_t last = bytes.size() - kLegacyHeaderSize;
    MagicSearch search(Window(bytes), kLegacyMagics, last + 1);
    for (std::uint64_t from = 0; from <= last; ++from) {
      FONDS_TRY(from, search.next(from));
      if (from <= last &&
          parse_legacy_header(bytes.subspan(static_cast<std::size_t>(from))).crc_fits) {
        return at + from;
      }
    }
    at += last + 1;
    window_.release(at);
  }
}

Result<std::uint64_t> BlockWalk::next_on_grid(std::uint64_t from) {
  if (searched_.empty()) {
    searched_.assign(kChunkSize, false);
  }
  if (size_ && searched_[from % kChunkSize]) {
    return *size_;
  }
  for (std::uint64_t at = from;; at += kChunkSize) {
    window_.release(at - (window_.mapped() ? std::min(at, options_.keep_behind) : 0));
    FONDS_TRY(const ByteView bytes, window_.at(at, kChunkSize));
    if (bytes.size() < kChunkSize) {
      searched_[from % kChunkSize] = true;
      return size_ ? *size_ : at + bytes.size();
    }
    if (begins_block(bytes)) {
      FONDS_TRY(Examined seen, examine(at));
      if (seen.state == Examined::State::Good || seen.state == Examined::State::TooLarge) {
        // It is not looked at again: a pipe may have let go of a block that is too large.
        next_ = std::move(seen);
        return at;
      }
      if (seen.state == Examined::State::Damaged && !size_) {
        at += std::max<std::uint64_t>(seen.resume, kChunkSize) - kChunkSize;
      }
    }
  }
}

// Up to where the grid of position_ is proved to be that of the file: between good chunks nothing
// was put in or lost, so no block lies across it. Found once for each phase of the grid.
Result<std::uint64_t> BlockWalk::grid_end() {
  const auto [known, added] = grid_ends_.try_emplace(position_ % kChunkSize, 0);
  std::uint64_t& end = known->second;
  for (std::uint64_t at = position_; added && at + kChunkHeaderSize <= *size_; at += kChunkSize) {
    FONDS_TRY(const ByteView chunk, look_at(aside_, at, kChunkSize));
    const ChunkHeader header = parse_chunk_header(chunk);
    const bool plausible = std::ranges::find(kV2Magics, header.magic) != kV2Magics.end() &&
                           header.size <= kChunkPayload && header.index < header.total;
    if (is_good_chunk(chunk)) {
      end = at + kChunkHeaderSize + header.size;
    } else if (plausible && kChunkHeaderSize + header.size > chunk.size()) {
      end = *size_;  // the last chunk, cut in its payload
    }
  }
  return end;
}

Result<std::uint64_t> BlockWalk::next_anywhere(std::uint64_t from) {
  if ((*size_ - position_) % kChunkSize == 0) {
    return *size_;  // the grid fits the end of the file
  }
  if (!search_) {
    search_.emplace(Window(window_.source()), kV2Magics, *size_);
  }
  FONDS_TRY(const std::uint64_t proved, grid_end());
  for (std::uint64_t at = std::max(from, proved);; ++at) {
    FONDS_TRY(at, search_->next(at));
    if (at >= *size_) {
      return *size_;
    }
    FONDS_TRY(const ByteView bytes, look_at(aside_, at, kChunkSize));
    if (!is_good_chunk(bytes)) {
      continue;
    }
    if (begins_block(bytes)) {
      FONDS_TRY(const Examined seen, examine(at));
      if (seen.state == Examined::State::Good) {
        return at;
      }
    } else {
      // The middle of a block behind bytes that were put in: no block begins in its payload.
      at += kChunkHeaderSize + parse_chunk_header(bytes).size - 1;
    }
  }
}

Result<bool> BlockWalk::at_end() {
  FONDS_TRY(const ByteView bytes, window_.at(position_, 1));
  return bytes.empty();
}

Result<std::uint64_t> BlockWalk::bytes_left() {
  if (size_) {
    return *size_ - std::min(*size_, position_);
  }
  for (std::uint64_t at = position_;;) {
    FONDS_TRY(const ByteView bytes, window_.at(at, kChunkSize));
    if (bytes.empty()) {
      return at - position_;
    }
    at += bytes.size();
    window_.release(at);
  }
}

Result<Kind> recognize_kind(Window& window, std::uint64_t max_record) {
  FONDS_TRY(const ByteView head, window.at(0, kChunkSize));
  if (const Kind kind = probe_kind(head); kind != Kind::None) {
    return kind;
  }
  FONDS_TRY(const std::uint64_t size, window.size());
  const std::uint64_t far = std::min(size, kDamagedHead);
  FONDS_TRY(const std::uint64_t v2, find_block(window, false, 0, far, max_record));
  FONDS_TRY(const std::uint64_t legacy, find_block(window, true, 0, v2, max_record));
  if (legacy < v2) {
    return Kind::Legacy;
  }
  return v2 < far ? Kind::V2 : Kind::None;
}

Result<std::uint64_t> find_block(Window& window, bool legacy, std::uint64_t from, std::uint64_t to,
                                 std::uint64_t max_record, std::uint64_t grid) {
  if (legacy) {
    FONDS_TRY(const std::uint64_t size, window.size());
    Window heads = window;
    MagicSearch search(window, kLegacyMagics, to);
    return find_record(heads, search, from, to, size, max_record);
  }
  for (std::uint64_t at = grid + (from - grid + kChunkSize - 1) / kChunkSize * kChunkSize; at < to;
       at += kChunkSize) {
    FONDS_TRY(const ByteView bytes, look_at(window, at, kChunkSize));
    if (begins_block(bytes)) {
      return at;
    }
  }
  return to;
}

}  // namespace fonds::recordio
