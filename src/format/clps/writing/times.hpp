// The timestamp column of an archive that is written: which values go into it and with which
// patterns, and what the timestamp dictionary says of it. docs/formats/clp-s.md has the rules; the
// first of them is that a value goes in only if it comes back as the same text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/formats/clps.hpp>

namespace fonds::clps {

// An archive gets no more patterns than this: a value that would need another one stays out of the
// column, so that hostile input cannot make each value be tried with ever more of them.
inline constexpr std::size_t kMostTimePatterns = 1024;

// The patterns of one archive's timestamp column in the order of their first use; it only grows.
// Which pattern a value gets depends on those used before it. So pieces of the input can be matched
// at once as follows: each worker copies the archive's patterns and matches its piece with the
// copy; then, in the order of the input, the archive's patterns adopt the copy if it agrees, and
// else the piece is matched again with a new copy. Copies cost little and share nothing that
// changes.
class TimePatterns {
 public:
  static TimePatterns start(Version version);

  struct Hit {
    std::int64_t value = 0;     // as stored: ns since 1970 UTC since 0.5.0, ms before
    std::uint32_t pattern = 0;  // its place here, which is its id
    friend bool operator==(const Hit&, const Hit&) = default;
  };

  // The time that a JSON string holds, its escapes resolved. Nothing: it is an ordinary value. May
  // add a pattern.
  std::optional<Hit> match_string(std::string_view text);
  // The same of JSON numbers. Before 0.5.0 always nothing. `json_number` has a fraction or an
  // exponent, and is as it stands in the input.
  std::optional<Hit> match_integer(std::int64_t value);
  std::optional<Hit> match_float(std::string_view json_number);

  std::size_t size() const { return entries_.size(); }
  // As stored: since 0.5.0 in double quotes if its times are strings. `i` is below size().
  std::string_view pattern(std::size_t i) const;

  // Whether `own`, a copy of the first `began` of these patterns that then matched a piece, would
  // have given the same answers if it had begun with all of these. The first `began` of both are
  // the same; at most size() and own.size().
  bool agrees(const TimePatterns& own, std::size_t began) const;
  // Takes over the patterns that `own`, which agrees, has more.
  void adopt(const TimePatterns& own);

 private:
  struct Entry;

  explicit TimePatterns(bool nanoseconds) : nanoseconds_(nanoseconds) {}
  std::optional<Hit> match_used(std::string_view text, bool quoted) const;
  std::optional<Hit> match_default(std::string_view text, bool quoted);
  std::optional<Hit> match_default_date(std::string_view text);
  std::optional<Hit> add(std::string stored, std::int64_t value);

  bool nanoseconds_;  // the version is 0.5.0 or later
  std::vector<std::shared_ptr<const Entry>> entries_;
  // How many patterns there were when a text was refused that one used later may match; each number
  // once, ascending.
  std::vector<std::size_t> refused_;
};

// The extremes of one column at the timestamp key.
struct TimeRangeMade {
  NodeId node = kNoNode;
  NodeType type = NodeType::Timestamp;
  // As stored: Timestamp in ns, DateString in ms, Integer as it is. min > max: there is no value.
  std::int64_t min = std::numeric_limits<std::int64_t>::max();
  std::int64_t max = std::numeric_limits<std::int64_t>::min();
  // Float and FormattedFloat.
  double min_real = std::numeric_limits<double>::infinity();
  double max_real = -std::numeric_limits<double>::infinity();

  void add(std::int64_t value);
  void add_real(double value);
  void add(const TimeRangeMade& other);  // of the same node
  bool empty() const { return min > max && min_real > max_real; }
};

// The payload of the TimestampDictionary packet. `key` is as the query language writes it. Since
// 0.5.0 only Timestamp columns count; before, DateString, Integer, Float and FormattedFloat, with
// their raw values. Columns without values are left out.
std::string timestamp_dictionary(Version version, std::string_view key,
                                 std::span<const TimeRangeMade> ranges,
                                 const TimePatterns& patterns);

}  // namespace fonds::clps
