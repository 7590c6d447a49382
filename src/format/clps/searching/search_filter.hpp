// One filter of a query, prepared for columns.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/formats/clps.hpp>
#include <fonds/query.hpp>

#include "format/clps/searching/search_keys.hpp"
#include "format/clps/searching/search_strings.hpp"

namespace fonds::clps {

// The numbers from `low` to `high`; none if `low` is above.
struct Interval {
  std::int64_t low = 1, high = 0;
  bool empty() const { return low > high; }
  bool contains(std::int64_t value) const { return low <= value && value <= high; }
};

// Doubles as integers in the same order; those that are not a number lie beyond the infinities.
std::int64_t ordered_bits(double value);

class FilterTest {
 public:
  // Errors: BadArgument, see KeyMachine::make().
  static Result<std::unique_ptr<FilterTest>> make(const query::Filter& filter,
                                                  const query::ParseOptions& options);

  const query::Filter& filter() const { return filter_; }
  const query::ValueMatch& match() const { return match_; }
  const KeyMachine& keys() const { return keys_; }
  const StringTest& strings() const { return strings_; }

  // What matches: of integers, of doubles by ordered_bits(), and of instants by their time alone.
  const Interval& integers() const { return integers_; }
  const Interval& reals() const { return reals_; }
  const Interval& instants() const { return instants_; }
  // An instant matches also as text.
  bool instant_text() const { return match_.may_match_text() && !match_.exists(); }
  // Not by its value, but by where a record came from.
  bool of_archive() const { return filter_.path.space == query::Namespace::Archive; }

 private:
  FilterTest(const query::Filter& filter, const query::ParseOptions& options, KeyMachine keys);
  void find_intervals(const query::ParseOptions& options);

  query::Filter filter_;
  query::ValueMatch match_;
  KeyMachine keys_;
  StringTest strings_;
  Interval integers_, reals_, instants_;
};

}  // namespace fonds::clps
