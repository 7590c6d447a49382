#include "format/clps/writing/table_facts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

#include "format/clps/reading/log_type.hpp"
#include "format/clps/searching/search_data.hpp"
#include "format/clps/searching/search_mask.hpp"
#include "format/clps/writing/octets.hpp"

namespace fonds::clps::writing {
namespace {

// Least and greatest of some words of one type; nothing of none, or if one is not a number.
class LeastAndGreatest {
 public:
  explicit LeastAndGreatest(NodeType type)
      : type_(type), real_(type == NodeType::Float || type == NodeType::FormattedFloat) {}

  void add(std::span<const std::uint64_t> words) {
    for (const std::uint64_t word : words) {
      no_number_ = no_number_ || (real_ && std::isnan(std::bit_cast<double>(word)));
      const std::int64_t key = range_key(type_, word);
      if (none_ || key < low_key_) {
        low_key_ = key;
        low_ = word;
      }
      if (none_ || key > high_key_) {
        high_key_ = key;
        high_ = word;
      }
      none_ = false;
    }
  }
  bool any() const { return !none_ && !no_number_; }
  std::uint64_t low() const { return low_; }
  std::uint64_t high() const { return high_; }

 private:
  NodeType type_;
  bool real_, none_ = true, no_number_ = false;
  std::int64_t low_key_ = 0, high_key_ = 0;
  std::uint64_t low_ = 0, high_ = 0;
};

class RangeList {
 public:
  void add(std::uint32_t column, NodeType type, const Pile<std::uint64_t>& words) {
    LeastAndGreatest found(type);
    words.for_each_block([&](std::span<const std::uint64_t> block) { found.add(block); });
    if (found.any()) {
      append_u32(text_, column);
      append_u64(text_, found.low());
      append_u64(text_, found.high());
      ++count_;
    }
  }
  std::string take() const {
    std::string all;
    append_u32(all, count_);
    return all + text_;
  }

 private:
  std::string text_;
  std::uint32_t count_ = 0;
};

void append_leb128(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) {
    out += static_cast<char>((value & 0x7F) | 0x80);
  }
  out += static_cast<char>(value);
}

std::string runs_of(const BitSet& ids) {
  std::string out;
  std::uint64_t behind = 0;
  std::uint64_t begin = 0, end = 0;
  const auto flush = [&] {
    if (end > begin) {
      append_leb128(out, begin - behind);
      append_leb128(out, end - begin - 1);
      behind = end;
    }
  };
  ids.for_each([&](std::size_t id) {
    if (id != end || end == begin) {
      flush();
      begin = id;
    }
    end = id + 1;
  });
  flush();
  return out;
}

std::string ranges_packet(const std::vector<TableFacts>& tables) {
  std::string packet(kRangesMagic);
  append_u64(packet, tables.size());
  for (const TableFacts& table : tables) {
    packet += table.ranges;
  }
  return packet;
}

// Leaves out sets, the longest first, until it has at most `most` octets or none is left.
std::string entries_packet(std::vector<TableFacts> tables, std::uint64_t most) {
  std::string packet(kEntriesMagic);
  append_u64(packet, tables.size());
  std::vector<std::optional<std::string>> sets;
  std::uint64_t size = packet.size();
  for (TableFacts& table : tables) {
    size += 8 + table.variables.size() + table.log_types.size();
    sets.emplace_back(std::move(table.variables));
    sets.emplace_back(std::move(table.log_types));
  }
  std::vector<std::size_t> order(sets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sets[a]->size() > sets[b]->size(); });
  for (std::size_t i = 0; i < order.size() && size > most; ++i) {
    size -= sets[order[i]]->size();
    sets[order[i]].reset();
  }
  for (const auto& set : sets) {
    append_u32(packet, set ? static_cast<std::uint32_t>(set->size()) : kUnknownSet);
    packet += set.value_or("");
  }
  return packet;
}

}  // namespace

DictionaryPlaces::DictionaryPlaces(const StringTable& log_types, Generation generation)
    : generation_(generation) {
  begin_.reserve(log_types.size() + 1);
  for (std::uint32_t id = 0; id < log_types.size(); ++id) {
    begin_.push_back(static_cast<std::uint32_t>(places_.size()));
    std::uint32_t place = 0;
    for (std::size_t at = 0; const auto kind = next_placeholder(log_types[id], generation, at);
         ++place) {
      if (kind == Placeholder::Dictionary || kind == Placeholder::IntegerOrDictionary) {
        places_.push_back(place);
      }
    }
  }
  begin_.push_back(static_cast<std::uint32_t>(places_.size()));
}

template <typename Use>
void DictionaryPlaces::for_each(const BuiltColumn& column, std::uint64_t cell, Use&& use) const {
  const auto type = static_cast<std::size_t>(cell & kLogTypeMask);
  const std::uint64_t first = cell >> kLogTypeBits;
  for (std::uint32_t i = begin_[type]; i < begin_[type + 1]; ++i) {
    const std::uint64_t word = column.variables[first + places_[i]];
    if (generation_ == Generation::New) {
      use(word);
    } else if (const auto id = dictionary_id(static_cast<std::int64_t>(word))) {
      use(*id);
    }
  }
}

TableFacts facts_of(const BuiltTable& table, const BuiltArchive& archive,
                    const DictionaryPlaces& places, const Rules& rules) {
  TableFacts facts;
  RangeList ranges;
  BitSet variables(archive.variables.size());
  BitSet log_types(archive.log_types.size());
  std::uint32_t place = 0;
  if (rules.log_order) {
    ranges.add(place++, NodeType::Integer, table.log_index);
  }
  for (const BuiltColumn& column : table.columns) {
    if (has_range(column.type)) {
      ranges.add(place, column.type, column.words);
    } else if (column.type == NodeType::VarString) {
      column.ids.for_each_block([&](std::span<const std::uint32_t> ids) {
        for (const std::uint32_t id : ids) {
          variables.set(id);
        }
      });
    } else if (column.type == NodeType::ClpString) {
      column.words.for_each_block([&](std::span<const std::uint64_t> cells) {
        for (const std::uint64_t cell : cells) {
          log_types.set(static_cast<std::size_t>(cell & kLogTypeMask));
          places.for_each(column, cell,
                          [&](std::uint64_t id) { variables.set(static_cast<std::size_t>(id)); });
        }
      });
    }
    ++place;
  }
  facts.ranges = ranges.take();
  facts.variables = runs_of(variables);
  facts.log_types = runs_of(log_types);
  return facts;
}

std::vector<std::pair<std::uint8_t, std::string>> search_packets(std::vector<TableFacts> tables,
                                                                 const FactLimits& limits) {
  std::vector<std::pair<std::uint8_t, std::string>> packets;
  std::string ranges = ranges_packet(tables);
  if (ranges.size() <= limits.ranges) {
    packets.emplace_back(kRangesPacket, std::move(ranges));
  }
  std::string entries = entries_packet(std::move(tables), limits.entries);
  if (entries.size() <= limits.entries) {
    packets.emplace_back(kEntriesPacket, std::move(entries));
  }
  return packets;
}

}  // namespace fonds::clps::writing
