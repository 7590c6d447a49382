#include "format/clps/searching/search_data.hpp"

#include <bit>
#include <cmath>

#include <fmt/core.h>

#include "base/bytes.hpp"
#include "format/clps/reading/cursor.hpp"
#include "format/clps/searching/search_filter.hpp"

namespace fonds::clps {
namespace {

constexpr std::size_t kRangeBytes = 20;                     // u32, u64, u64
constexpr std::uint64_t kMostIds = std::uint64_t{1} << 40;  // more than any dictionary has

bool is_real(NodeType type) { return type == NodeType::Float || type == NodeType::FormattedFloat; }

bool is_number(NodeType type, std::uint64_t word) {
  return !is_real(type) || !std::isnan(std::bit_cast<double>(word));
}

bool has_any(const BitSet& set, std::uint64_t begin, std::uint64_t end) {
  const auto& words = set.words();
  const auto first = static_cast<std::size_t>(begin / 64);
  const auto last = static_cast<std::size_t>((end - 1) / 64);
  for (std::size_t w = first; w <= last; ++w) {
    std::uint64_t word = words[w];
    word &= w == first ? ~std::uint64_t{0} << (begin % 64) : ~std::uint64_t{0};
    word &= w == last ? ~std::uint64_t{0} >> (63 - (end - 1) % 64) : ~std::uint64_t{0};
    if (word != 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<SearchPacket> search_packet(std::uint8_t type, ByteView payload) {
  const std::string_view text = as_text(payload);
  const std::string_view magic = type == kRangesPacket ? kRangesMagic : kEntriesMagic;
  if ((type != kRangesPacket && type != kEntriesPacket) || !text.starts_with(magic)) {
    return std::nullopt;
  }
  return SearchPacket{type, std::string(text.substr(magic.size()))};
}

bool has_range(NodeType type) {
  return type == NodeType::Integer || type == NodeType::DeltaInteger ||
         type == NodeType::Timestamp || is_real(type);
}

std::int64_t range_key(NodeType type, std::uint64_t word) {
  return is_real(type) ? ordered_bits(std::bit_cast<double>(word))
                       : static_cast<std::int64_t>(word);
}

std::optional<std::uint64_t> IdRuns::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 42 && at_ < bytes_.size(); shift += 7) {
    const auto octet = std::to_integer<std::uint64_t>(bytes_[at_++]);
    value |= (octet & 0x7F) << shift;
    if (octet < 0x80) {
      return value;
    }
  }
  return std::nullopt;
}

std::optional<IdRuns::Run> IdRuns::next() {
  if (damaged_ || at_ == bytes_.size()) {
    return std::nullopt;
  }
  const auto gap = number();
  const auto more = gap ? number() : std::nullopt;
  if (!more || *gap + *more >= kMostIds - behind_) {
    damaged_ = true;
    return std::nullopt;
  }
  const Run run{behind_ + *gap, behind_ + *gap + *more + 1};
  behind_ = run.end;
  return run;
}

Result<std::unique_ptr<SearchData>> SearchData::read(std::vector<SearchPacket> packets,
                                                     std::size_t tables, const ColumnTypes& types,
                                                     Budget& budget) {
  std::unique_ptr<SearchData> data(new SearchData);
  std::uint64_t bytes = sizeof(SearchData);
  bool ranges = false;
  bool entries = false;
  for (SearchPacket& packet : packets) {
    const bool of_ranges = packet.type == kRangesPacket;
    bool& seen = of_ranges ? ranges : entries;
    if (std::exchange(seen, true)) {
      data->fault_ = "two packets of search data have the same type";
      return data;
    }
    // What is parsed: as many ranges as the octets give, and two sets and a place for each table.
    bytes += packet.content.size() * 3 + (tables + 1) * 2 * sizeof(Set);
    (of_ranges ? data->ranges_text_ : data->entries_text_) = std::move(packet.content);
  }
  data->share_ = BudgetShare(budget);
  if (!data->share_.resize(bytes)) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("the search data takes {} bytes, more than is left of the memory limit",
                            bytes));
  }
  std::string_view wrong = ranges ? data->read_ranges(tables, types) : "";
  if (wrong.empty() && entries) {
    wrong = data->read_entries(tables);
  }
  if (!wrong.empty()) {
    data->fault_ = wrong;
    data->ranges_.clear();
    data->first_range_.clear();
    data->sets_.clear();
  }
  std::string().swap(data->ranges_text_);
  return data;
}

// What is wrong; empty: nothing. So does read_entries().
std::string_view SearchData::read_ranges(std::size_t tables, const ColumnTypes& types) {
  Cursor in(as_bytes(ranges_text_));
  const auto counted = in.u64();
  if (!counted || *counted != tables || tables > in.left() / 4) {
    return "the packet of ranges is of other tables";
  }
  first_range_.reserve(tables + 1);
  first_range_.push_back(0);
  for (std::size_t table = 0; table < tables; ++table) {
    const auto count = in.u32();
    if (!count || *count > in.left() / kRangeBytes) {
      return "the packet of ranges is cut short";
    }
    const auto columns = types(table);
    std::int64_t before = -1;
    for (std::uint32_t i = 0; i < *count; ++i) {
      const Range range{*in.u32(), *in.u64(), *in.u64()};
      if (range.column <= before) {
        return "its ranges are not in the order of the columns";
      }
      before = range.column;
      if (!columns) {
        continue;  // nobody reads the table
      }
      if (range.column >= columns->size() || !has_range((*columns)[range.column])) {
        return "a range is of a column that has no numbers";
      }
      const NodeType type = (*columns)[range.column];
      if (!is_number(type, range.low) || !is_number(type, range.high) ||
          range_key(type, range.low) > range_key(type, range.high)) {
        return "a range ends before it begins";
      }
      ranges_.push_back(range);
    }
    first_range_.push_back(ranges_.size());
  }
  return in.left() > 0 ? "octets follow the ranges" : "";
}

std::string_view SearchData::read_entries(std::size_t tables) {
  Cursor in(as_bytes(entries_text_));
  const auto counted = in.u64();
  if (!counted || *counted != tables || tables > in.left() / 8) {
    return "the packet of entries is of other tables";
  }
  sets_.reserve(2 * tables);
  for (std::size_t i = 0; i < 2 * tables; ++i) {
    const auto length = in.u32();
    const auto begin = static_cast<std::size_t>(in.position());
    if (!length || (*length != kUnknownSet && !in.take(*length))) {
      return "the packet of entries is cut short";
    }
    sets_.push_back({begin, *length});
  }
  return in.left() > 0 ? "octets follow the entries" : "";
}

std::span<const SearchData::Range> SearchData::ranges(std::size_t table) const {
  if (first_range_.empty()) {
    return {};
  }
  return std::span(ranges_).subspan(first_range_[table],
                                    first_range_[table + 1] - first_range_[table]);
}

const SearchData::Range* SearchData::range(std::size_t table, std::size_t column) const {
  const auto of_table = ranges(table);
  const auto found = std::lower_bound(
      of_table.begin(), of_table.end(), column,
      [](const Range& range, std::size_t wanted) { return range.column < wanted; });
  return found != of_table.end() && found->column == column ? &*found : nullptr;
}

std::optional<IdRuns> SearchData::entries(std::size_t table, Entries which) const {
  if (sets_.empty()) {
    return std::nullopt;
  }
  const Set& set = sets_[2 * table + static_cast<std::size_t>(which)];
  if (set.length == kUnknownSet) {
    return std::nullopt;
  }
  return IdRuns(as_bytes(entries_text_).subspan(set.begin, set.length));
}

bool SearchData::may_take(std::size_t table, Entries which, const BitSet& wanted) const {
  auto runs = entries(table, which);
  while (runs) {
    const auto run = runs->next();
    if (!run) {
      return runs->damaged();
    }
    const std::uint64_t end = std::min<std::uint64_t>(run->end, wanted.size());
    if (run->begin < end &&
        (!spend((end - run->begin) / 64 + 1) || has_any(wanted, run->begin, end))) {
      return true;
    }
  }
  return true;
}

}  // namespace fonds::clps
