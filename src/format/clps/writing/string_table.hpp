// Strings with ids in the order in which they first came, kept as a dictionary's member stores
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace fonds::clps::writing {

// Of strings and keys; differs from run to run, so that nobody can make many fall together.
std::uint64_t hash_of(std::string_view text, std::uint64_t more = 0) noexcept;

class StringTable {
 public:
  using Id = std::uint32_t;

  // The id of a string, new or not. At most 2^32 − 2 strings.
  Id add(std::string_view text) { return add(text, hash_of(text)); }
  Id add(std::string_view text, std::uint64_t hash);
  // Has the processor fetch what add() will look at first.
  void prefetch(std::uint64_t hash) const {
    if (!slots_.empty()) {
      __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
    }
  }

  std::size_t size() const noexcept { return entries_.size(); }
  std::string_view operator[](Id id) const {
    const Entry& entry = entries_[id];
    return {entry.text, entry.length};
  }
  std::uint64_t hash(Id id) const { return entries_[id].hash; }

  // Octets of all strings with their lengths of 8 octets.
  std::uint64_t stored_size() const noexcept { return stored_; }
  // Memory of it, about.
  std::uint64_t held() const noexcept;
  // Makes room for so many strings.
  void reserve(std::size_t strings);
  // Gives back the memory that only add() needs; the next add() would take it again.
  void rest() { std::vector<Slot>().swap(slots_); }

 private:
  struct Slot {
    std::uint32_t tag = 0;    // upper half of the hash
    std::uint32_t place = 0;  // id + 1
  };
  struct Entry {
    const char* text;
    std::uint64_t hash;
    std::uint32_t length;
  };

  const char* keep(std::string_view text);
  void resize(std::size_t slots);

  std::vector<Slot> slots_;  // a power of two, at most three quarters used
  std::vector<Entry> entries_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* free_ = nullptr;
  std::size_t left_ = 0, block_ = 0;
  std::uint64_t stored_ = 0, text_held_ = 0;
};

}  // namespace fonds::clps::writing
