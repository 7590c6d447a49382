#include "format/clps/reading/loaded_table.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace fonds::clps {

void LoadedTable::sort_by_log() {
  next = 0;
  if (log_order == nullptr) {
    return;
  }
  std::uint64_t before = 0;
  bool ascending = true;
  for (std::uint64_t row = 0; ascending && row < records(); ++row) {
    const std::uint64_t at = log_order->word(row);
    ascending = at >= before;
    before = at;
  }
  if (ascending || records() > UINT32_MAX) {
    return;
  }
  sorted.resize(static_cast<std::size_t>(records()));
  std::iota(sorted.begin(), sorted.end(), 0U);
  std::stable_sort(sorted.begin(), sorted.end(), [this](std::uint32_t a, std::uint32_t b) {
    return log_order->word(a) < log_order->word(b);
  });
}

void LogMerge::add(LoadedTable& table) {
  table.sort_by_log();
  if (!table.settle()) {
    return;
  }
  if (table.log_order == nullptr) {
    unplaced_.push_back(&table);
    return;
  }
  waiting_.push_back({table.log_index(table.row(table.next)), added_++, &table});
  std::push_heap(waiting_.begin(), waiting_.end(), std::greater<>());
}

void LogMerge::next(std::size_t most, std::vector<RowPlace>& out) {
  if (!waiting_.empty()) {
    take_window(waiting_.front().log_index, most, out);
    return;
  }
  while (!unplaced_.empty() && out.size() < most) {
    LoadedTable& table = *unplaced_.front();
    while (out.size() < most && table.settle()) {
      out.push_back({&table, table.row(table.next++)});
    }
    if (!table.settle()) {
      unplaced_.erase(unplaced_.begin());
    }
  }
}

// All records with a place in [begin, begin + size). Places are dense in every archive that was
// written honestly, so that each finds a slot of its own; others are sorted.
void LogMerge::take_window(std::uint64_t begin, std::size_t size, std::vector<RowPlace>& out) {
  slots_.assign(size, {});
  std::vector<RowPlace> crowded;
  const auto inside = [&](std::uint64_t at) { return at - begin < size; };
  while (!waiting_.empty() && inside(waiting_.front().log_index)) {
    std::pop_heap(waiting_.begin(), waiting_.end(), std::greater<>());
    Waiting& first = waiting_.back();
    LoadedTable& table = *first.table;
    bool more = true;
    // Of tables that claim the same place again and again only so many at once.
    while (more && crowded.size() < 4 * size) {
      const std::uint64_t row = table.row(table.next);
      const std::uint64_t at = table.log_index(row);
      if (!inside(at)) {
        break;
      }
      RowPlace& slot = slots_[static_cast<std::size_t>(at - begin)];
      if (slot.table == nullptr) {
        slot = {&table, row};
      } else {
        crowded.push_back({&table, row});
      }
      ++table.next;
      more = table.settle();
    }
    if (more) {
      first.log_index = table.log_index(table.row(table.next));
      std::push_heap(waiting_.begin(), waiting_.end(), std::greater<>());
      if (crowded.size() >= 4 * size) {
        break;
      }
    } else {
      waiting_.pop_back();
    }
  }
  for (const RowPlace& slot : slots_) {
    if (slot.table != nullptr) {
      out.push_back(slot);
    }
  }
  if (!crowded.empty()) {
    out.insert(out.end(), crowded.begin(), crowded.end());
    std::stable_sort(out.begin(), out.end(), [](const RowPlace& a, const RowPlace& b) {
      return a.table->log_index(a.row) < b.table->log_index(b.row);
    });
  }
}

}  // namespace fonds::clps
