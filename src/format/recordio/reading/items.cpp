#include "format/recordio/reading/items.hpp"

#include <algorithm>
#include <utility>

namespace fonds::recordio {

std::optional<Fault> Items::set_block(std::span<const ByteView> pieces, std::uint64_t size) {
  clear();
  if (pieces.size() == 1) {
    one_[0] = pieces[0];
    pieces = one_;
  }
  sizes_ = pieces.empty() ? ByteView() : pieces[0];
  table_ = check_table(sizes_, size);
  std::size_t joined = 1;
  while (table_.fault && sizes_.size() < size && joined < pieces.size() &&
         (table_.fault->code == "varint-cut" || sizes_.empty())) {
    // The table goes on in the next pieces: twice as many each time.
    const std::size_t more = std::min(pieces.size(), 2 * joined);
    if (joined == 1) {
      table_copy_.clear();
      table_copy_.append(pieces[0]);
    }
    for (; joined < more; ++joined) {
      table_copy_.append(pieces[joined]);
    }
    sizes_ = table_copy_.view();
    table_ = check_table(sizes_, size);
  }
  if (table_.fault) {
    auto fault = std::move(table_.fault);
    clear();
    return fault;
  }
  pieces_ = pieces;
  begin_ = table_.items_at;
  rewind();
  return std::nullopt;
}

void Items::set_packed(ByteView payload, const TableCheck& table, ByteView items) {
  clear();
  table_ = table;
  sizes_ = payload;
  one_[0] = items;
  pieces_ = one_;
  begin_ = 0;
  rewind();
}

void Items::set_plain(ByteView item) {
  clear();
  table_.count = 1;
  table_.items_size = item.size();
  table_copy_.clear();
  emit_varint(item.size(), table_copy_);
  sizes_ = table_copy_.view();
  one_[0] = item;
  pieces_ = one_;
  begin_ = 0;
  rewind();
}

void Items::clear() {
  table_ = {};
  sizes_ = {};
  pieces_ = {};
  begin_ = 0;
  rewind();
}

void Items::rewind() {
  sizes_at_ = table_.sizes_at;
  at_ = begin_;
  number_ = kBeforeFirst;
  size_ = 0;
  piece_ = 0;
  piece_at_ = piece_end_ = 0;
  here_ = nullptr;
  if (!pieces_.empty()) {
    enter_piece();
  }
}

void Items::step_long() {
  const Varint size = parse_varint(sizes_.subspan(sizes_at_));
  size_ = size.value;
  sizes_at_ += size.length;
}

void Items::go_to(std::uint64_t number) {
  rewind();
  while (number_ != number && next()) {
  }
}

void Items::enter_piece() {
  here_ = pieces_[piece_].data();
  piece_end_ = piece_at_ + pieces_[piece_].size();
}

ByteView Items::piece(std::uint64_t from) {
  if (from >= size_) {
    return {};
  }
  const std::uint64_t wanted = at_ + from;
  if (wanted < piece_at_) {
    piece_ = 0;
    piece_at_ = 0;
    enter_piece();
  }
  while (wanted >= piece_end_) {
    piece_at_ = piece_end_;
    ++piece_;
    enter_piece();
  }
  const std::uint64_t rest = piece_end_ - wanted;
  return {here_ + (wanted - piece_at_),
          static_cast<std::size_t>(std::min<std::uint64_t>(rest, size_ - from))};
}

ByteView Items::join() {
  item_copy_.clear();
  for (std::uint64_t done = 0; done < size_;) {
    const ByteView more = piece(done);
    item_copy_.append(more);
    done += more.size();
  }
  return item_copy_.view();
}

}  // namespace fonds::recordio
