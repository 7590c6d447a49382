#include "index/line_sorter_arena.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

namespace fonds::index {
namespace {

constexpr std::size_t kSmall = 20;  // entries that insertion sort is faster for

std::uint64_t load_be64(const char* from) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) {
    value = value << 8 | static_cast<unsigned char>(from[i]);
  }
  return value;
}

}  // namespace

Result<bool> LineArena::add(std::string_view line) {
  const std::size_t steps = (line.size() + kStep - 1) / kStep;
  const std::size_t needed = (steps * kStep + sizeof(Entry) - 1) / sizeof(Entry) + 1;
  if (block_ == nullptr || (empty() && needed > capacity_)) {
    try {
      block_.reset();
      block_ = std::make_unique_for_overwrite<Entry[]>(std::max(capacity_, needed));
    } catch (const std::bad_alloc&) {
      return fail(ErrorCode::LimitExceeded, "there is no memory for sorting lines");
    }
    capacity_ = std::max(capacity_, needed);
    clear();
  }
  // Whole steps of text before the entry that would be the first one.
  const std::size_t room = (first_ == 0 ? 0 : first_ - 1) * (sizeof(Entry) / kStep);
  if (first_ == 0 || used_ > room || steps > room - used_) {
    return false;
  }
  char* to = characters() + used_ * kStep;
  if (steps != 0) {
    std::memset(to + (steps - 1) * kStep, 0, kStep);
    std::memcpy(to, line.data(), line.size());
  }
  Entry& entry = block_[--first_];
  entry.begin = static_cast<std::uint32_t>(used_);
  entry.length = static_cast<std::uint32_t>(line.size());
  entry.octets = load(entry, 0);
  used_ += steps;
  return true;
}

std::uint64_t LineArena::load(const Entry& entry, std::size_t depth) const {
  return depth < entry.length ? load_be64(characters() + std::size_t{entry.begin} * kStep + depth)
                              : 0;
}

// Both entries hold the octets at `depth`.
bool LineArena::less(const Entry& a, const Entry& b, std::size_t depth) const {
  if (a.octets != b.octets) {
    return a.octets < b.octets;
  }
  const std::size_t next = depth + kStep;
  if (a.length <= next || b.length <= next) {
    return a.length < b.length;
  }
  return text(a).substr(next) < text(b).substr(next);
}

void LineArena::insertion_sort(const Task& task) {
  for (std::size_t i = task.begin + 1; i < task.end; ++i) {
    const Entry entry = block_[i];
    std::size_t at = i;
    for (; at > task.begin && less(entry, block_[at - 1], task.depth); --at) {
      block_[at] = block_[at - 1];
    }
    block_[at] = entry;
  }
}

// Orders the entries into smaller than, equal to, larger than a pivot, by their octets alone.
LineArena::Split LineArena::split(const Task& task) {
  const auto median = [](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
  };
  const std::size_t eighth = (task.end - task.begin) / 8;
  const auto around = [&](std::size_t middle, std::size_t distance) {
    return median(block_[middle - distance].octets, block_[middle].octets,
                  block_[middle + distance].octets);
  };
  const std::uint64_t pivot =
      median(around(task.begin + eighth, eighth), around(task.begin + 4 * eighth, eighth),
             around(task.end - 1 - eighth, eighth));
  std::size_t low = task.begin;
  std::size_t high = task.end;
  for (std::size_t i = low; i < high;) {
    const std::uint64_t octets = block_[i].octets;
    if (octets < pivot) {
      std::swap(block_[low++], block_[i++]);
    } else if (octets > pivot) {
      std::swap(block_[i], block_[--high]);
    } else {
      ++i;
    }
  }
  return {low, high};
}

// Takes entries of equal octets to their next ones. Lines that have no more come first; returns
// where the others begin.
std::size_t LineArena::deepen(const Task& task) {
  const std::size_t next = task.depth + kStep;
  Entry* const begin = block_.get() + task.begin;
  Entry* const end = block_.get() + task.end;
  // What ended differs in the number of zeros at most.
  Entry* const longer =
      std::partition(begin, end, [&](const Entry& entry) { return entry.length <= next; });
  std::sort(begin, longer, [](const Entry& a, const Entry& b) { return a.length < b.length; });
  for (Entry* entry = longer; entry != end; ++entry) {
    entry->octets = load(*entry, next);
  }
  return static_cast<std::size_t>(longer - block_.get());
}

// Quicksort that goes along the lines eight octets at a time: lines with a long common beginning
// are not compared from the start again and again.
void LineArena::sort() {
  const auto patience = [](std::size_t n) { return static_cast<unsigned>(2 * std::bit_width(n)); };
  std::vector<Task> tasks;
  if (!empty()) {
    tasks.push_back({first_, capacity_, 0, patience(size())});
  }
  while (!tasks.empty()) {
    const Task task = tasks.back();
    tasks.pop_back();
    if (task.end - task.begin <= kSmall) {
      insertion_sort(task);
    } else if (task.patience == 0) {
      std::sort(block_.get() + task.begin, block_.get() + task.end,
                [&](const Entry& a, const Entry& b) { return less(a, b, task.depth); });
    } else {
      const Split parts = split(task);
      tasks.push_back({task.begin, parts.equal_begin, task.depth, task.patience - 1});
      tasks.push_back({parts.equal_end, task.end, task.depth, task.patience - 1});
      const std::size_t rest = deepen({parts.equal_begin, parts.equal_end, task.depth, 0});
      tasks.push_back(
          {rest, parts.equal_end, task.depth + kStep, patience(parts.equal_end - rest)});
    }
  }
}

}  // namespace fonds::index
