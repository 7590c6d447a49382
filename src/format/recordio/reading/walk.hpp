// Walks over the blocks of a file as they are stored, over damage too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fonds/byte_source.hpp>
#include <fonds/error.hpp>

#include "codec/resync.hpp"
#include "format/recordio/reading/block.hpp"
#include "format/recordio/reading/grammar.hpp"
#include "format/recordio/reading/magic_search.hpp"
#include "io/window.hpp"

namespace fonds::recordio {

struct WalkOptions {
  bool legacy = false;
  std::uint64_t start = 0;  // where a block begins
  std::optional<std::uint64_t> stop_at =
      {};                         // a block that begins there or behind is not looked at
  bool search_bytes = true;       // v2: look for blocks off the grid where the grid has none left
  std::uint64_t keep_behind = 0;  // bytes before the current block that somebody still looks at
  BlockLimits limits = {};
};

class BlockWalk {
 public:
  BlockWalk(std::shared_ptr<ByteSource> source, const WalkOptions& options);

  // What the data begins with: up to `n` bytes, fewer where it ends. Before the first step. Errors:
  // Io.
  Result<ByteView> peek(std::size_t n) { return window_.at(position_, n); }
  void set_legacy(bool legacy) { options_.legacy = legacy; }

  enum class Step : std::uint8_t { Block, Damage, End };
  // Steps to the next good block or damaged range. What it gives lives until the next call. Damage
  // reaches up to the next good block, or to the end of the file. Errors: Io.
  Result<Step> next();
  const StoredBlock& block() const { return block_; }
  // All stored bytes of block(), with what is around its payload. Errors: Io.
  Result<ByteView> stored() {
    const auto size = static_cast<std::size_t>(block_.stored.length);
    FONDS_TRY(const ByteView bytes, window_.at(block_.stored.offset, size));
    return bytes.first(std::min(size, bytes.size()));
  }
  const ByteRange& damage() const { return damage_; }
  const Fault& fault() const { return fault_; }

  // Where the next step looks.
  std::uint64_t position() const { return position_; }
  // How many bytes follow at position(). Those of a pipe are read to be counted, and gone. Errors:
  // Io.
  Result<std::uint64_t> bytes_left();
  Result<bool> at_end();
  std::optional<std::uint64_t> size() const { return size_; }
  bool mapped() const { return window_.mapped(); }

 private:
  Result<Examined> examine(std::uint64_t offset);
  Result<std::uint64_t> swallowed_record(std::uint64_t length);
  bool has_good_table();
  Result<std::uint64_t> resume_behind(const Examined& bad);
  Result<std::uint64_t> next_on_grid(std::uint64_t from);
  Result<std::uint64_t> next_anywhere(std::uint64_t from);
  Result<std::uint64_t> grid_end();

  Window window_;
  Window aside_;  // for looks elsewhere, while block_ lies in window_
  WalkOptions options_;
  std::optional<Examined> next_;       // what stands at position_, if that has been looked at
  std::optional<MagicSearch> search_;  // of what is no pipe, on its way to the end
  std::unordered_map<std::uint64_t, std::uint64_t> grid_ends_;  // by phase of the grid
  std::vector<bool> searched_;  // phases of the grid without a block up to the end of the file
  std::optional<std::uint64_t> size_;
  DamageBudget budget_;
  std::uint64_t position_;
  std::uint64_t padding_ = 0;  // where the padding of the last good block begins, if that is known
  StoredBlock block_;
  ByteRange damage_;
  Fault fault_;
};

// What a file is by its first bytes; where they are damaged, by the first good block or record of
// its first 64 MiB. Kind::None if there is none. The window goes_back(). Errors: Io.
Result<Kind> recognize_kind(Window& window, std::uint64_t max_record);

// The first offset in [from, to) at which a v2 block with a good first chunk, or a legacy record
// with a right header, begins; `to` if there is none. v2 is looked for every 32 KiB from `grid` on,
// which is not behind `from`. The window goes_back(). Errors: Io.
Result<std::uint64_t> find_block(Window& window, bool legacy, std::uint64_t from, std::uint64_t to,
                                 std::uint64_t max_record, std::uint64_t grid = 0);

}  // namespace fonds::recordio
