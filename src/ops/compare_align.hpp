// Which record of one archive is which of the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fonds/error.hpp>

#include "ops/compare_entry.hpp"

namespace fonds::ops {

// Pairs the entries of two archives, which come in file order. Entries that lie at the same place
// and have the same id, or without ids the same content, are a pair. Where they are not, both sides
// are read on until an id or a content that was seen on the other side comes; what lies before it
// on both sides is paired by content, and what is left is kept, in case it comes later.
class Aligner {
 public:
  // 0 is the first archive, 1 the second one.
  using Pull = std::function<Result<std::optional<Entry>>(std::size_t side)>;
  struct Output {
    std::function<Status(const Entry& a, const Entry& b, bool in_order)> pair;
    // Records without a counterpart come at the end, those of the first archive first; earlier only
    // where `memory` does not hold them.
    std::function<Status(std::size_t side, const Entry& entry)> only;
  };
  // `memory`: bytes of entries that wait for a counterpart.
  Aligner(Pull pull, Output output, std::uint64_t memory)
      : pull_(std::move(pull)), output_(std::move(output)), memory_(memory) {}
  // Errors: those of the functions.
  Status run();

 private:
  using Index = std::set<std::pair<EntryKey, std::uint64_t>>;
  // Entries under their numbers, and how to find them.
  struct Keys {
    Index ids, octets, contents;
    void add(const Entry& entry, std::uint64_t number);
    void remove(const Entry& entry, std::uint64_t number);
  };
  struct Side {
    std::deque<Entry> waiting;  // in file order
    std::uint64_t first = 0;    // number of the first one that waits
    std::uint64_t indexed = 0;  // those below are in `keys`
    Keys keys;
    std::map<std::uint64_t, Entry> strays;  // passed over, without a counterpart so far
    Keys stray_keys;
    std::uint64_t bare_strays = 0;  // strays of lower numbers have no headers any more
    bool ended = false;

    std::uint64_t end() const { return first + waiting.size(); }
    const Entry& at(std::uint64_t number) const {
      return waiting[static_cast<std::size_t>(number - first)];
    }
  };

  Result<bool> pull_one(std::size_t side);
  Status fill();
  Entry pop(std::size_t side);
  template <typename EntryAt>
  static std::optional<std::uint64_t> find(const Keys& keys, const Entry& wanted,
                                           const EntryAt& entry_at);
  std::optional<std::uint64_t> find_waiting(std::size_t side, const Entry& wanted);
  Result<bool> pair_with_stray(std::size_t side, const Entry& entry);
  Status pair(std::size_t side, const Entry& entry, const Entry& other, bool in_order);
  Status resync();
  Result<bool> meet(std::size_t side, std::uint64_t number);
  Status settle(std::uint64_t end_a, std::uint64_t end_b);
  std::optional<std::pair<std::uint64_t, std::uint64_t>> agreement();
  Status stray(std::size_t side, Entry entry);
  Status save_memory();

  Pull pull_;
  Output output_;
  std::uint64_t memory_;
  std::uint64_t held_ = 0;
  std::array<Side, 2> sides_;
};

}  // namespace fonds::ops
