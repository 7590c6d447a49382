#include "format/clps/searching/search_table.hpp"

#include <algorithm>

namespace fonds::clps {
namespace {

using Rows = Result<BitSet>;

Rows any_column(const Condition& condition, LazyTable& table, ColumnScan& scan, const BitSet& in) {
  BitSet found(in.size());
  BitSet left = in;
  for (const ColumnTest& test : condition.columns) {
    FONDS_TRY(const Column* const column, table.column(test.column));
    FONDS_CHECK(scan.run(*condition.filter, test, *column, left, found));
    left -= found;
    if (left.none()) {
      break;
    }
  }
  return found;
}

Rows in_log_range(const Condition& condition, LazyTable& table, const BitSet& in) {
  FONDS_TRY(const Column* const column, table.column(condition.log_column));
  BitSet found(in.size());
  in.for_each([&](std::size_t row) {
    const std::uint64_t at = column->word(row);
    const auto range =
        std::upper_bound(condition.ranges->begin(), condition.ranges->end(), at,
                         [](std::uint64_t value, const auto& one) { return value < one.second; });
    if (range != condition.ranges->end() && range->first <= at) {
      found.set(row);
    }
  });
  return found;
}

Rows all_children(const Condition& condition, LazyTable& table, ColumnScan& scan,
                  const BitSet& in) {
  BitSet left = in;
  for (const Condition& child : condition.children) {
    FONDS_TRY(left, evaluate(child, table, scan, left));
    if (left.none()) {
      break;
    }
  }
  return left;
}

Rows any_child(const Condition& condition, LazyTable& table, ColumnScan& scan, const BitSet& in) {
  BitSet found(in.size());
  BitSet left = in;
  for (const Condition& child : condition.children) {
    FONDS_TRY(const BitSet more, evaluate(child, table, scan, left));
    found |= more;
    left -= more;
    if (left.none()) {
      break;
    }
  }
  return found;
}

}  // namespace

Rows evaluate(const Condition& condition, LazyTable& table, ColumnScan& scan, const BitSet& in) {
  switch (condition.kind) {
    case Condition::Kind::False:
      return BitSet(in.size());
    case Condition::Kind::True:
      return in;
    case Condition::Kind::Columns:
      return any_column(condition, table, scan, in);
    case Condition::Kind::LogRange:
      return in_log_range(condition, table, in);
    case Condition::Kind::Rows: {
      FONDS_TRY(BitSet found, condition.test->rows(table, scan, in.size()));
      found &= in;
      return found;
    }
    case Condition::Kind::And:
      return all_children(condition, table, scan, in);
    case Condition::Kind::Or:
      return any_child(condition, table, scan, in);
    case Condition::Kind::Not: {
      BitSet rest = in;
      FONDS_TRY(const BitSet found, evaluate(condition.children.front(), table, scan, in));
      rest -= found;
      return rest;
    }
  }
  return BitSet(in.size());
}

}  // namespace fonds::clps
