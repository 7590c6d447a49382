// What a writer of this library may say of the tables of an archive beyond the format: ranges of
// numbers, and which dictionary entries occur. docs/formats/clp-s.md, "Search data". Hints: they
// are used as they are told, and `verify` compares them with the columns.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/formats/clps.hpp>

#include "format/clps/reading/plain.hpp"
#include "format/clps/searching/search_mask.hpp"

namespace fonds::clps {

inline constexpr std::uint8_t kRangesPacket = 0x52, kEntriesPacket = 0x46;
// Both begin with eight octets of their own: somebody else may give the types another meaning.
inline constexpr std::string_view kRangesMagic = "fonds-r1", kEntriesMagic = "fonds-e1";
inline constexpr std::uint32_t kUnknownSet = 0xFFFFFFFF;  // in place of a set's length

struct SearchPacket {
  std::uint8_t type = 0;
  std::string content;  // behind its magic
};
// The content of a packet of these kinds; nothing for others.
std::optional<SearchPacket> search_packet(std::uint8_t type, ByteView payload);

// Whether columns of this type have ranges.
bool has_range(NodeType type);
// The words of such a column as integers in the order of its values.
std::int64_t range_key(NodeType type, std::uint64_t word);

// Ids as (gap, length - 1) in LEB128, one pair a run: gaps count from behind the run before.
class IdRuns {
 public:
  explicit IdRuns(ByteView bytes) : bytes_(bytes) {}
  // The next run as [begin, end); nothing at the end, or where it is damaged.
  struct Run {
    std::uint64_t begin = 0, end = 0;
  };
  std::optional<Run> next();
  bool damaged() const { return damaged_; }

 private:
  std::optional<std::uint64_t> number();

  ByteView bytes_;
  std::size_t at_ = 0;
  std::uint64_t behind_ = 0;
  bool damaged_ = false;
};

class SearchData {
 public:
  enum class Entries : std::uint8_t { Variables, LogTypes };
  // Values of a column of a table, both included, as they stand in it.
  struct Range {
    std::uint32_t column = 0;
    std::uint64_t low = 0, high = 0;
  };
  // The types of the columns of a table; nothing if the table is damaged.
  using ColumnTypes = std::function<std::optional<std::vector<NodeType>>(std::size_t table)>;

  // What is told by packets that can be read: if one cannot, nothing is, and fault() says why.
  // Errors: LimitExceeded.
  static Result<std::unique_ptr<SearchData>> read(std::vector<SearchPacket> packets,
                                                  std::size_t tables, const ColumnTypes& types,
                                                  Budget& budget);

  const std::string& fault() const { return fault_; }
  bool has_ranges() const { return !first_range_.empty(); }
  bool has_entries() const { return !sets_.empty(); }
  std::span<const Range> ranges(std::size_t table) const;  // by column, ascending
  const Range* range(std::size_t table, std::size_t column) const;
  // The entries that strings of a table take; nothing: any.
  std::optional<IdRuns> entries(std::size_t table, Entries which) const;

  // Whether a table takes one of some entries, as far as that is known. Thread-safe.
  bool may_take(std::size_t table, Entries which, const BitSet& wanted) const;
  // Whether `test(id)` is true of an entry below `ids` that a table takes, as far as that is known.
  template <typename Test>
  bool may_take_any(std::size_t table, Entries which, std::uint64_t ids, Test&& test) const {
    auto runs = entries(table, which);
    while (runs) {
      const auto run = runs->next();
      if (!run) {
        return runs->damaged();
      }
      const std::uint64_t end = std::min(run->end, ids);
      if (run->begin < end && !spend(end - run->begin)) {
        return true;
      }
      for (std::uint64_t id = run->begin; id < end; ++id) {
        if (test(static_cast<std::size_t>(id))) {
          return true;
        }
      }
    }
    return true;
  }

 private:
  struct Set {
    std::size_t begin = 0;
    std::uint32_t length = kUnknownSet;
  };

  SearchData() = default;
  std::string_view read_ranges(std::size_t tables, const ColumnTypes& types);
  std::string_view read_entries(std::size_t tables);
  // A few octets can name all of a dictionary for each of many tables. False: to look at them took
  // so long that they are no help any more.
  bool spend(std::uint64_t steps) const {
    return spent_.fetch_add(steps, std::memory_order_relaxed) < kMostSteps;
  }

  static constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 28;
  std::string ranges_text_, entries_text_;
  std::vector<Range> ranges_;
  std::vector<std::size_t> first_range_;  // of each table, and the end; empty: there are none
  std::vector<Set> sets_;                 // two a table; empty: there are none
  std::string fault_;
  BudgetShare share_;
  mutable std::atomic<std::uint64_t> spent_ = 0;
};

}  // namespace fonds::clps
