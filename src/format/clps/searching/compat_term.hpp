// The meaning that queries have for clp-s: a query as alternatives, each of them some checks that
// must hold together. docs/reference/query-language.md tells what is odd about it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/formats/clps.hpp>
#include <fonds/query.hpp>

#include "format/clps/searching/compat_pattern.hpp"
#include "format/clps/searching/search_strings.hpp"

namespace fonds::clps::compat {

// Kinds of stored values, a bit each.
using Types = std::uint8_t;
inline constexpr Types kInteger = 1, kFloat = 2, kText = 4, kWord = 8, kBoolean = 16, kArray = 32,
                       kNull = 64, kTime = 128, kAll = 255;
Types type_of(NodeType type);  // 0: not a value

// What a filter compares with, as the original reads it.
class Operand {
 public:
  enum class Kind : std::uint8_t { Any, Integer, Real, Boolean, Null, Text, Time };

  // `milliseconds`: timestamps are compared with integers in that unit.
  Operand(const query::Filter& filter, const query::ParseOptions& options, bool milliseconds);
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;

  Kind kind() const { return kind_; }
  query::Comparison comparison() const { return filter_.comparison; }
  bool equal() const { return filter_.comparison == query::Comparison::Equal; }
  bool is_number() const {
    return kind_ == Kind::Integer || kind_ == Kind::Real || kind_ == Kind::Time;
  }
  // The kinds of values that it can be compared with.
  Types types() const { return types_; }

  // Of a number: what integers are compared with, and others.
  std::int64_t integer() const { return integer_; }
  double real() const { return real_; }
  // What the time ranges of an archive are compared with.
  std::optional<std::int64_t> range_integer() const;
  bool boolean() const { return filter_.literal.boolean.value_or(false); }
  // The text with its wildcards, `\` before what is none.
  const std::string& pattern() const { return *filter_.literal.pattern; }
  // Whether a whole text matches.
  bool matches(std::string_view text) const {
    return right_ ? match_.text(text) : octets_.matches(text);
  }
  // The entries of the variable dictionary that match; nullptr: strings() tells.
  const OctetPattern* octets() const { return right_ ? nullptr : &octets_; }
  const StringTest& strings() const { return strings_; }

  bool compares(std::int64_t stored) const;
  bool compares(double stored) const;

 private:
  query::Filter filter_;
  query::ValueMatch match_;
  StringTest strings_;
  OctetPattern octets_;
  bool right_;  // octets_ match what match_ does
  Kind kind_ = Kind::Text;
  Types types_ = 0;
  std::int64_t integer_ = 0;
  double real_ = 0;
};

struct Key {
  query::Namespace space = query::Namespace::User;
  std::vector<query::PathStep> steps;

  bool any() const { return steps.size() == 1 && steps.front().wildcard; }
  bool has_wildcard() const;
};
// What tells keys of one namespace apart.
std::string spelling_of(const Key& key);

// One check of a record.
struct Term {
  enum class Check : std::uint8_t {
    Compare,   // some value at the key compares with the operand
    Exists,    // there is some value
    Absent,    // there is none
    LogRange,  // log_event_idx lies in [begin, end)
  };
  Check check = Check::Compare;
  bool negated = false;
  Types types = kAll;  // of the values at the key that are looked at
  const Operand* operand = nullptr;
  std::shared_ptr<const Key> key;
  std::int64_t begin = 0, end = 0;
};

// Checks of which one must hold; alternatives stay together as long as they can, since they
// multiply.
using Factor = std::vector<Term>;
using Conjunction = std::vector<Factor>;        // all must hold
using Alternatives = std::vector<Conjunction>;  // none: nothing matches

// Queries of more checks than this, once their alternatives are multiplied, are refused.
inline constexpr std::size_t kMostTerms = std::size_t{1} << 18;

// A query over one archive, before its schemas are looked at.
struct Terms {
  std::deque<Operand> operands;
  Alternatives alternatives;
};

// `since`, `until`: bounds of the archive's timestamp column, included. Errors: BadArgument if
// nothing can match whatever is stored, or if there is no such column; LimitExceeded.
Result<std::unique_ptr<Terms>> make_terms(const Archive& archive, const query::Query& query,
                                          std::optional<std::int64_t> since,
                                          std::optional<std::int64_t> until);

// Each check replaced by one of some, or none.
template <typename Replace>
Alternatives replace_terms(const Alternatives& from, Replace&& replace) {
  Alternatives made;
  for (const Conjunction& conjunction : from) {
    Conjunction& replaced = made.emplace_back();
    for (const Factor& factor : conjunction) {
      Factor& terms = replaced.emplace_back();
      for (const Term& term : factor) {
        const Factor more = replace(term);
        terms.insert(terms.end(), more.begin(), more.end());
      }
      if (terms.empty()) {
        made.pop_back();
        break;
      }
    }
  }
  return made;
}

// The alternatives that filters on `$` become: ranges of the log. Errors: BadArgument for a key
// that is too long.
Result<Factor> input_ranges(const Archive& archive, const Term& term);

// What the archive tells of the times at some keys. The original believes it, even where it
// compares milliseconds with numbers of another unit.
class TimeRanges {
 public:
  explicit TimeRanges(const Archive& archive);
  // Of the term's key; nothing if there is none.
  const TimeRange* range_of(const Term& term) const;
  // Whether the term fails for every time in the range.
  static bool excludes(const TimeRange& range, const Term& term);

 private:
  struct Entry {
    std::vector<std::string> keys;
    const TimeRange* range;
  };
  std::vector<Entry> entries_;
};

}  // namespace fonds::clps::compat
