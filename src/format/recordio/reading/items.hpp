// The items of one block, in the pieces in which its bytes lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>

#include "format/recordio/reading/grammar.hpp"

namespace fonds::recordio {

// Steps over the items of a block without copying those that lie in one piece. The bytes it is
// given must outlive it.
class Items {
 public:
  Items() = default;
  Items(const Items&) = delete;
  Items& operator=(const Items&) = delete;

  // A v2 block's content: table and items. A table that does not lie in the first piece is joined
  // as far as it reaches. The span itself must outlive this too if it has several pieces.
  std::optional<Fault> set_block(std::span<const ByteView> pieces, std::uint64_t size);
  // A packed record: its payload with a good table, and the items, which may have been transformed.
  void set_packed(ByteView payload, const TableCheck& table, ByteView items);
  // A plain record: one item.
  void set_plain(ByteView item);
  void clear();

  std::uint64_t count() const { return table_.count; }
  std::uint64_t items_size() const { return table_.items_size; }
  bool overlong() const { return table_.overlong; }

  // Steps to the next item, the first one at first; false behind the last.
  bool next() {
    at_ += size_;
    if (number_ + 1 >= table_.count) {
      number_ = table_.count;
      size_ = 0;
      return false;
    }
    ++number_;
    const std::byte first = sizes_[sizes_at_];
    if ((first & std::byte{0x80}) == std::byte{0}) {
      size_ = std::to_integer<std::uint64_t>(first);
      ++sizes_at_;
    } else {
      step_long();
    }
    return true;
  }
  // Goes to item `number`, as so many calls of next() would.
  void go_to(std::uint64_t number);

  std::uint64_t number() const { return number_; }  // of the current item
  std::uint64_t size() const { return size_; }
  // The item from its byte `from` on, as far as it lies in one piece. Empty at its end.
  ByteView piece(std::uint64_t from);
  // The whole item, copied if it lies in several pieces; lives until the next call.
  ByteView whole() {
    if (at_ >= piece_at_ && at_ + size_ <= piece_end_) {
      return {here_ + (at_ - piece_at_), static_cast<std::size_t>(size_)};
    }
    const ByteView first = piece(0);
    return first.size() == size_ ? first : join();
  }

 private:
  void step_long();
  void enter_piece();
  ByteView join();
  void rewind();

  TableCheck table_;
  ByteView sizes_;  // the table
  std::span<const ByteView> pieces_;
  ByteView one_[1];  // what pieces_ looks at where there is only one
  std::size_t sizes_at_ = 0;
  static constexpr std::uint64_t kBeforeFirst = ~std::uint64_t{0};
  std::uint64_t number_ = kBeforeFirst;
  std::uint64_t begin_ = 0;          // of the first item
  std::uint64_t size_ = 0, at_ = 0;  // of the current item; at_ counts in all pieces joined
  std::size_t piece_ = 0;            // the one that holds at_ or lies before it
  std::uint64_t piece_at_ = 0, piece_end_ = 0;  // where it begins and ends
  const std::byte* here_ = nullptr;             // its first byte
  Buffer table_copy_, item_copy_;
};

}  // namespace fonds::recordio
