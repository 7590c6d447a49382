// What search data says of a condition's columns.
#include <algorithm>
#include <bit>
#include <cmath>

#include "format/clps/searching/search_data.hpp"
#include "format/clps/searching/search_plan.hpp"

namespace fonds::clps {
namespace {

bool overlaps(const Interval& wanted, std::int64_t low, std::int64_t high) {
  return !wanted.empty() && wanted.low <= high && low <= wanted.high;
}

// Such numbers are compared as they are printed, with six decimals.
bool may_be_printed_in(const Interval& wanted, double low, double high) {
  const double slack = 4e-6 + std::max(std::fabs(low), std::fabs(high)) * 1e-14;
  return !std::isfinite(slack) ||
         overlaps(wanted, ordered_bits(low - slack), ordered_bits(high + slack));
}

}  // namespace

bool may_lie_in_column(const Archive& archive, std::size_t table, const ColumnTest& test,
                       const FilterTest& filter) {
  const SearchData* const data = archive.search_data();
  const SearchData::Range* const range =
      data == nullptr ? nullptr : data->range(table, test.column);
  if (range == nullptr) {
    return true;
  }
  const auto in = [&](const Interval& wanted) {
    return overlaps(wanted, range_key(test.type, range->low), range_key(test.type, range->high));
  };
  switch (test.type) {
    case NodeType::Timestamp:
      return filter.instant_text() || in(filter.instants());
    case NodeType::Integer:
    case NodeType::DeltaInteger:
      return test.time || in(filter.integers());
    case NodeType::FormattedFloat:
      return test.time || in(filter.reals());
    case NodeType::Float:
      return test.time || may_be_printed_in(filter.reals(), std::bit_cast<double>(range->low),
                                            std::bit_cast<double>(range->high));
    default:
      return true;
  }
}

bool may_lie_in_log(const Archive& archive, std::size_t table, std::size_t column,
                    const LogRanges& ranges) {
  const SearchData* const data = archive.search_data();
  const SearchData::Range* const range = data == nullptr ? nullptr : data->range(table, column);
  // Below zero are no places in a log, but large ones.
  if (range == nullptr || range->low > range->high) {
    return true;
  }
  return std::any_of(ranges.begin(), ranges.end(), [&](const auto& wanted) {
    return wanted.first <= range->high && range->low < wanted.second;
  });
}

bool may_take_variable(const Archive& archive, std::size_t table,
                       const VariableDecision& decision) {
  const SearchData* const data = archive.search_data();
  return data == nullptr || data->may_take(table, SearchData::Entries::Variables, decision.ids);
}

bool may_take_log_type(const Archive& archive, std::size_t table, const LogTypeDecision& decision) {
  const SearchData* const data = archive.search_data();
  if (data == nullptr) {
    return true;
  }
  const bool piece = decision.with_piece == nullptr ||
                     data->may_take(table, SearchData::Entries::Variables, *decision.with_piece);
  return data->may_take_any(
      table, SearchData::Entries::LogTypes, decision.entries.size(), [&](std::size_t id) {
        const LogTypeChance chance = decision.entries[id].chance;
        return chance != LogTypeChance::None && (piece || chance != LogTypeChance::InPiece);
      });
}

}  // namespace fonds::clps
