#include "format/clps/writing/string_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace fonds::clps::writing {
namespace {

constexpr std::size_t kFirstTexts = 64;
constexpr std::size_t kFirstBlock = std::size_t{4} << 10;
constexpr std::size_t kMostBlock = std::size_t{1} << 20;

std::uint64_t seed_of_run() {
  static const std::uint64_t seed = [] {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
  }();
  return seed;
}

std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

}  // namespace

std::uint64_t hash_of(std::string_view text, std::uint64_t more) noexcept {
  static const std::uint64_t seed = seed_of_run();
  return XXH3_64bits_withSeed(text.data(), text.size(), seed + more);
}

StringTable::Id StringTable::add(std::string_view text, std::uint64_t hash) {
  if (4 * (entries_.size() + 1) > 3 * slots_.size()) {
    resize(std::max({kFirstTexts, 2 * slots_.size(), std::bit_ceil(2 * entries_.size())}));
  }
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.place == 0) {
      slot = {tag_of(hash), static_cast<std::uint32_t>(entries_.size() + 1)};
      entries_.push_back({keep(text), hash, static_cast<std::uint32_t>(text.size())});
      stored_ += 8 + text.size();
      return slot.place - 1;
    }
    if (slot.tag == tag_of(hash) && (*this)[slot.place - 1] == text) {
      return slot.place - 1;
    }
  }
}

const char* StringTable::keep(std::string_view text) {
  if (text.size() > left_) {
    block_ = std::clamp(2 * block_, kFirstBlock, kMostBlock);
    const std::size_t size = std::max(block_, text.size());
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    free_ = blocks_.back().get();
    left_ = size;
    text_held_ += size;
  }
  char* const kept = free_;
  if (!text.empty()) {
    std::memcpy(kept, text.data(), text.size());
  }
  free_ += text.size();
  left_ -= text.size();
  return kept;
}

void StringTable::reserve(std::size_t strings) {
  entries_.reserve(strings);
  if (const std::size_t slots = std::bit_ceil(strings + strings / 3 + 2); slots > slots_.size()) {
    resize(slots);
  }
}

void StringTable::resize(std::size_t count) {
  std::vector<Slot> slots(count);
  const std::size_t mask = slots.size() - 1;
  for (std::size_t id = 0; id < entries_.size(); ++id) {
    std::size_t at = entries_[id].hash & mask;
    while (slots[at].place != 0) {
      at = (at + 1) & mask;
    }
    slots[at] = {tag_of(entries_[id].hash), static_cast<std::uint32_t>(id + 1)};
  }
  slots_ = std::move(slots);
}

std::uint64_t StringTable::held() const noexcept {
  return text_held_ + slots_.capacity() * sizeof(Slot) + entries_.capacity() * sizeof(Entry);
}

}  // namespace fonds::clps::writing
