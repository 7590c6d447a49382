#include "format/clps/searching/search_filter.hpp"

#include <bit>
#include <cmath>
#include <utility>

namespace fonds::clps {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

double from_ordered_bits(std::int64_t bits) {
  return std::bit_cast<double>(bits < 0 ? bits ^ kHighest : bits);
}

std::int64_t middle_of(std::int64_t low, std::int64_t high) {
  const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + width / 2);
}

// The numbers of [low, high] that `holds` is true of: all up to one of them.
template <typename Holds>
Interval beginning(std::int64_t low, std::int64_t high, Holds&& holds) {
  if (!holds(low)) {
    return {};
  }
  Interval found{low, low};
  while (found.high < high) {  // the last true one is in [found.high, high]
    const std::int64_t middle = middle_of(found.high, high) + 1;
    if (holds(middle)) {
      found.high = middle;
    } else {
      high = middle - 1;
    }
  }
  return found;
}

// The same of all from one of them.
template <typename Holds>
Interval ending(std::int64_t low, std::int64_t high, Holds&& holds) {
  if (!holds(high)) {
    return {};
  }
  Interval found{high, high};
  while (low < found.low) {
    const std::int64_t middle = middle_of(low, found.low);
    if (holds(middle)) {
      found.low = middle;
    } else {
      low = middle + 1;
    }
  }
  return found;
}

// `holds(match, value)` compares. Equal is found as what is neither below nor above.
template <typename Holds>
Interval interval_of(query::Filter filter, const query::ParseOptions& options, std::int64_t low,
                     std::int64_t high, Holds&& holds) {
  using query::Comparison;
  Interval found{low, high};
  const auto narrow = [&](Comparison comparison, bool up) {
    filter.comparison = comparison;
    const query::ValueMatch match(filter, options);
    const auto test = [&](std::int64_t value) { return holds(match, value); };
    found = up ? ending(found.low, found.high, test) : beginning(found.low, found.high, test);
  };
  switch (filter.comparison) {
    case Comparison::Less:
    case Comparison::LessEqual:
      narrow(filter.comparison, false);
      break;
    case Comparison::Greater:
    case Comparison::GreaterEqual:
      narrow(filter.comparison, true);
      break;
    case Comparison::Equal:
      narrow(Comparison::LessEqual, false);
      if (!found.empty()) {
        narrow(Comparison::GreaterEqual, true);
      }
      break;
  }
  return found;
}

}  // namespace

std::int64_t ordered_bits(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits < 0 ? bits ^ kHighest : bits;
}

Result<std::unique_ptr<FilterTest>> FilterTest::make(const query::Filter& filter,
                                                     const query::ParseOptions& options) {
  FONDS_TRY(KeyMachine keys, KeyMachine::make(filter.path.steps));
  return std::unique_ptr<FilterTest>(new FilterTest(filter, options, std::move(keys)));
}

FilterTest::FilterTest(const query::Filter& filter, const query::ParseOptions& options,
                       KeyMachine keys)
    : filter_(filter),
      match_(filter_, options),
      keys_(std::move(keys)),
      strings_(filter_, match_, options) {
  find_intervals(options);
}

void FilterTest::find_intervals(const query::ParseOptions& options) {
  if (!match_.may_match_number() || match_.exists()) {
    return;
  }
  const double infinity = std::numeric_limits<double>::infinity();
  integers_ = interval_of(
      filter_, options, kLowest, kHighest,
      [](const query::ValueMatch& match, std::int64_t value) { return match.integer(value); });
  reals_ = interval_of(filter_, options, ordered_bits(-infinity), ordered_bits(infinity),
                       [](const query::ValueMatch& match, std::int64_t value) {
                         return match.real(from_ordered_bits(value));
                       });
  instants_ = interval_of(
      filter_, options, kLowest, kHighest,
      [](const query::ValueMatch& match, std::int64_t value) { return match.instant(value, {}); });
}

}  // namespace fonds::clps
