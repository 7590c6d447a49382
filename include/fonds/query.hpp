// Queries over records: the language of docs/reference/query-language.md as a tree. Knows no
// format; formats evaluate the tree on what they hold, with the comparisons of this page, so that
// an answer never depends on the container.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/error.hpp>

namespace fonds::query {

// Whose meaning a query has: our own, or exactly that of clp-s 0.12 with its surprises.
enum class Meaning : std::uint8_t { Default, ClpS };

struct ParseOptions {
  Meaning meaning = Meaning::Default;
  bool ignore_case = false;  // of string values; never of keys
  // Meaning::Default: ranges also take dates ("2017-03"), for records with fields that are dates.
  bool date_ranges = false;
};

// Which tree of keys a path begins in.
enum class Namespace : std::uint8_t {
  User,       // no mark: the record as people see it
  Generated,  // @: keys that a logging library added (KV-IR)
  Archive,    // $: properties of the input that a record came from
  Bang,       // !: reserved, empty
  Hash,       // #: reserved, empty
};

struct PathStep {
  bool wildcard = false;  // `*`: zero or more keys
  std::string key;        // of others; unescaped UTF-8, compared octet for octet
};
struct Path {
  Namespace space = Namespace::User;
  std::vector<PathStep> steps;  // never empty; wildcards never side by side
  // The key `*` or no key at all: any leaf (`marked`: in this namespace only).
  bool any() const { return steps.size() == 1 && steps.front().wildcard; }
  bool marked = false;  // the namespace's mark was written
};

enum class Comparison : std::uint8_t { Equal, Less, LessEqual, Greater, GreaterEqual };

// A number as it is compared: an integer of any size exactly, everything else as binary64.
class Number {
 public:
  explicit Number(std::int64_t value) : kind_(Kind::Small), small_(value) {}
  explicit Number(double value) : kind_(Kind::Real), real_(value) {}
  // An optional sign and decimal digits: an integer; else what a double of C reads, whole. Nothing
  // if the text is no number, or overflows binary64.
  static std::optional<Number> parse(std::string_view text);

  // As reals; nothing is rounded. Not a number compares as unordered.
  std::partial_ordering compare(std::int64_t stored) const;  // of *this against stored
  std::partial_ordering compare(double stored) const;
  std::partial_ordering compare(const Number& stored) const;

  bool is_integer() const { return kind_ != Kind::Real; }  // was written without point or exponent
  std::optional<std::int64_t> as_int64() const;            // of an integer that fits
  double as_double() const;                                // the nearest

 private:
  enum class Kind : std::uint8_t { Small, Big, Real } kind_;
  std::int64_t small_ = 0;
  double real_ = 0;
  std::string big_;  // sign and digits of an integer outside of int64, without leading zeros
};

// A value of a query. Several of these may hold at once: `42` is a number and a string.
struct Literal {
  std::string typed;    // unescaped, as written: with its wildcards as they are
  bool exists = false;  // `*`: any value at all
  std::optional<Number> number;
  std::optional<bool> boolean;
  bool null = false;
  // A string with wildcards: `*` any run of code points, `?` one; those and `\` that stand for
  // themselves are escaped by `\`. Runs of stars are one star.
  std::optional<std::string> pattern;
  // timestamp("…"): nanoseconds since 1970 UTC; beyond int64 it saturates.
  std::optional<std::int64_t> instant;
  std::size_t at = 0;  // octets before it in the query
};

struct Filter {
  Path path;
  Comparison comparison = Comparison::Equal;
  Literal literal;
};

struct Node {
  enum class Kind : std::uint8_t { Filter, And, Or, Not } kind = Kind::Filter;
  std::vector<Node> children;  // Not: one; And, Or: at least two
  Filter filter;               // Kind::Filter
};

struct Query {
  std::string text;
  ParseOptions options;
  Node root;  // lists and braces are dissolved; in Meaning::ClpS as that language groups
};

// Errors: BadArgument; where() holds the octets before the fault as decoded_offset, the message
// says what was found and what was expected.
Result<Query> parse(std::string_view text, const ParseOptions& options = {});

// A key as `--projection`, `--min` take it ("a.b", `a\.b`, "@k"). Errors: as parse().
Result<Path> parse_path(std::string_view text, Meaning meaning = Meaning::Default);

// The error with the query's line and a caret under the column, for people; several lines without
// a line end.
std::string explain(std::string_view text, const Error& error);

// The tree as text that parses to the same tree; for tests, logs and plans.
std::string to_string(const Node& node);

// How a filter's literal compares with one stored value: the comparisons of one leaf, without
// paths. Built once, used for many values; const members are thread-safe. Follows Meaning::Default;
// with Meaning::ClpS only `?` is one octet and ignore_case means ASCII. What the original does
// otherwise with numbers, whole columns and arrays is the format's business.
class ValueMatch {
 public:
  ValueMatch(const Filter& filter, const ParseOptions& options);
  ~ValueMatch();
  ValueMatch(ValueMatch&&) noexcept;
  ValueMatch& operator=(ValueMatch&&) noexcept;

  bool exists() const;  // `*`: every value matches, objects and arrays too
  // Whether a value of this kind can match at all; what cannot need not be looked at.
  bool may_match_text() const;
  bool may_match_number() const;

  bool integer(std::int64_t value) const;
  bool real(double value) const;
  bool number(std::string_view json) const;  // by its spelling: an exact integer or a binary64
  bool boolean(bool value) const;
  bool null() const;
  bool text(std::string_view value) const;  // unescaped, whole
  // A timestamp column's value, in ns since 1970; `json` is its text: in quotes if it was a string.
  bool instant(std::int64_t ns, std::string_view json) const;
  // A JSON value that is no object: arrays match if an element does, at any depth of arrays.
  // Damaged JSON matches nothing.
  bool json(std::string_view value) const;

  // For texts: without wildcards the whole text; nothing with wildcards or other case.
  std::optional<std::string_view> exact_text() const;
  // The literal pieces of the pattern between its wildcards in order, unescaped (empty without a
  // pattern): what a matching text must contain. With ignore_case they are folded.
  const std::vector<std::string>& pieces() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Simple case folding (statuses C and S of Unicode's CaseFolding.txt), code point by code point;
// octets that are no UTF-8 stay.
std::string fold_case(std::string_view text);

// Whether the whole text matches: `*` any run, `?` one code point (octets that are no UTF-8 count
// one each), `\` escapes.
bool wildcard_match(std::string_view pattern, std::string_view text);

// Evaluates a query on records that are given as JSON text: the whole default meaning of the
// language, whatever the query's own is. Made once, used for many records; one thread at a time.
class RecordMatch {
 public:
  // Copies what it needs. `time` is the key, without wildcards, whose values are times: they are
  // compared as those of a timestamp column are.
  explicit RecordMatch(const Query& query, const std::optional<Path>& time = {});
  ~RecordMatch();
  RecordMatch(RecordMatch&&) noexcept;
  RecordMatch& operator=(RecordMatch&&) noexcept;

  // `generated` holds the keys of the namespace `@`, `archive` those of `$`; empty: none. All are
  // objects. A key that occurs twice is asked both times.
  //
  // Errors: Corrupt if a text is no JSON object, with the octets before the damage.
  Result<bool> matches(std::string_view record, std::string_view generated = {},
                       std::string_view archive = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The same for one record.
Result<bool> matches_json(const Query& query, std::string_view record,
                          std::string_view generated = {}, std::string_view archive = {});

}  // namespace fonds::query
