// The part of LineSorter's lines that lies in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <fonds/error.hpp>

namespace fonds::index {

// Lines in one block of memory: text grows from its front, one entry for each line from its back.
class LineArena {
 public:
  explicit LineArena(std::uint64_t memory)
      : capacity_(static_cast<std::size_t>(std::min(memory / sizeof(Entry), kLargest))) {}

  // False if the line does not fit beside those that are here. A line that is longer than the whole
  // block makes the block grow. Lines have less than 4 GiB. Errors: LimitExceeded if there is no
  // memory.
  Result<bool> add(std::string_view line);
  void sort();
  // Forgets the lines and keeps the memory.
  void clear() {
    used_ = 0;
    first_ = capacity_;
  }
  // Gives the memory back.
  void release() {
    clear();
    block_.reset();
  }

  bool empty() const { return size() == 0; }
  std::size_t size() const { return block_ == nullptr ? 0 : capacity_ - first_; }
  std::string_view line(std::size_t i) const { return text(block_[first_ + i]); }

 private:
  // A line: eight of its octets, so that most comparisons do not look at the text. The text begins
  // at a multiple of kStep and is followed by zeros up to the next one.
  struct Entry {
    std::uint64_t octets;  // the first one weighs most; zero behind the end of the line
    std::uint32_t begin;   // of the text, in steps
    std::uint32_t length;
  };
  // Part of the entries whose lines agree in their first `depth` octets.
  struct Task {
    std::size_t begin, end, depth;
    unsigned patience;  // how many more times it may be split by a pivot
  };
  struct Split {
    std::size_t equal_begin, equal_end;
  };
  static constexpr std::size_t kStep = 8;
  static constexpr std::uint64_t kLargest = (std::uint64_t{kStep} << 32) / sizeof(Entry);

  char* characters() const { return reinterpret_cast<char*>(block_.get()); }
  std::string_view text(const Entry& entry) const {
    return {characters() + std::size_t{entry.begin} * kStep, entry.length};
  }
  std::uint64_t load(const Entry& entry, std::size_t depth) const;
  bool less(const Entry& a, const Entry& b, std::size_t depth) const;
  void insertion_sort(const Task& task);
  Split split(const Task& task);
  std::size_t deepen(const Task& task);

  std::size_t capacity_;  // in entries
  std::unique_ptr<Entry[]> block_;
  std::size_t used_ = 0;           // steps of text
  std::size_t first_ = capacity_;  // index of the first entry
};

}  // namespace fonds::index
