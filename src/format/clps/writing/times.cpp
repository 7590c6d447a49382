#include "format/clps/writing/times.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/formats/clps.hpp>

#include "base/calendar.hpp"
#include "base/time_pattern.hpp"
#include "base/time_pattern_parts.hpp"
#include "format/clps/reading/date_string.hpp"

namespace fonds::clps {

namespace {

constexpr Version kNanosecondsSince{0, 5, 0};

// Of integers, and of what they count.
constexpr std::array<std::string_view, 4> kIntegerPatterns = {R"(\E)", R"(\L)", R"(\C)", R"(\N)"};
constexpr std::array<std::int64_t, 4> kIntegerUnits = {kNsPerSecond, kNsPerMs, 1000, 1};

struct DefaultDate {
  std::string_view stored;
  DatePattern pattern;
};

const std::vector<DefaultDate>& default_dates() {
  static const std::vector<DefaultDate> parsed = [] {
    std::vector<DefaultDate> result;
    for (const std::string_view stored : default_date_patterns()) {
      if (auto pattern = DatePattern::parse(stored)) {
        result.push_back({stored, std::move(*pattern)});
      }
    }
    return result;
  }();
  return parsed;
}

}  // namespace

struct TimePatterns::Entry {
  std::string stored;
  std::variant<TimePattern, DatePattern> pattern;
};

TimePatterns TimePatterns::start(Version version) {
  return TimePatterns(version >= kNanosecondsSince);
}

std::string_view TimePatterns::pattern(std::size_t i) const { return entries_[i]->stored; }

std::optional<TimePatterns::Hit> TimePatterns::match_string(std::string_view text) {
  if (const std::optional<Hit> hit = match_used(text, true)) {
    return hit;
  }
  return nanoseconds_ ? match_default(text, true) : match_default_date(text);
}

std::optional<TimePatterns::Hit> TimePatterns::match_float(std::string_view json_number) {
  if (!nanoseconds_) {
    return std::nullopt;
  }
  if (const std::optional<Hit> hit = match_used(json_number, false)) {
    return hit;
  }
  // All patterns of the list but those of numbers have a colon or a name.
  return match_default(json_number, false);
}

std::optional<TimePatterns::Hit> TimePatterns::match_integer(std::int64_t value) {
  if (!nanoseconds_) {
    return std::nullopt;
  }
  const std::int64_t unit = ns_per_unit_of(value);
  std::int64_t ns = 0;
  if (__builtin_mul_overflow(value, unit, &ns)) {
    return std::nullopt;
  }
  const auto stored = kIntegerPatterns[static_cast<std::size_t>(
      std::find(kIntegerUnits.begin(), kIntegerUnits.end(), unit) - kIntegerUnits.begin())];
  const auto used = std::find_if(entries_.begin(), entries_.end(),
                                 [&](const auto& entry) { return entry->stored == stored; });
  if (used == entries_.end()) {
    return add(std::string(stored), ns);
  }
  return Hit{.value = ns, .pattern = static_cast<std::uint32_t>(used - entries_.begin())};
}

std::optional<TimePatterns::Hit> TimePatterns::match_used(std::string_view text,
                                                          bool quoted) const {
  std::uint32_t place = 0;
  for (const std::shared_ptr<const Entry>& entry : entries_) {
    std::optional<std::int64_t> value;
    if (const auto* const pattern = std::get_if<TimePattern>(&entry->pattern)) {
      value = pattern->quoted() == quoted ? pattern->match_exactly(text) : std::nullopt;
    } else {
      value = std::get_if<DatePattern>(&entry->pattern)->match_exactly(text);
    }
    if (value) {
      return Hit{.value = *value, .pattern = place};
    }
    ++place;
  }
  return std::nullopt;
}

std::optional<TimePatterns::Hit> TimePatterns::match_default(std::string_view text, bool quoted) {
  bool refused = false;
  std::size_t next = 0;
  while (const auto time = match_default_time(text, TimeSyntax::V050, next)) {
    std::string stored = quoted ? '"' + time->pattern + '"' : time->pattern;
    const auto pattern = TimePattern::parse(stored);
    if (!time->saturated && pattern && pattern->match_exactly(text) == time->ns) {
      return add(std::move(stored), time->ns);
    }
    refused = refused || std::find(kIntegerPatterns.begin(), kIntegerPatterns.end(),
                                   time->pattern) != kIntegerPatterns.end();
  }
  // "20000000000" is beyond the range in seconds, which its size suggests, but not in milliseconds,
  // which a pattern that is used later may count. Only of integers in strings there are two
  // opinions: each other text that the list does not take, none of the patterns made of it takes.
  if (refused && quoted && (refused_.empty() || refused_.back() != size())) {
    refused_.push_back(size());
  }
  return std::nullopt;
}

std::optional<TimePatterns::Hit> TimePatterns::match_default_date(std::string_view text) {
  for (const DefaultDate& date : default_dates()) {
    if (const std::optional<std::int64_t> value = date.pattern.match_exactly(text)) {
      return add(std::string(date.stored), *value);
    }
  }
  return std::nullopt;
}

std::optional<TimePatterns::Hit> TimePatterns::add(std::string stored, std::int64_t value) {
  if (size() >= kMostTimePatterns) {
    return std::nullopt;
  }
  const auto place = static_cast<std::uint32_t>(size());
  if (nanoseconds_) {
    auto pattern = TimePattern::parse(stored);
    if (!pattern) {
      return std::nullopt;
    }
    entries_.push_back(
        std::make_shared<const Entry>(Entry{std::move(stored), std::move(*pattern)}));
  } else {
    auto pattern = DatePattern::parse(stored);
    if (!pattern) {
      return std::nullopt;
    }
    entries_.push_back(
        std::make_shared<const Entry>(Entry{std::move(stored), std::move(*pattern)}));
  }
  return Hit{.value = value, .pattern = place};
}

bool TimePatterns::agrees(const TimePatterns& own, std::size_t began) const {
  // A value took the first pattern that fits, so patterns behind it would have changed nothing. It
  // is the order of the common ones that counts.
  const std::size_t common = std::min(size(), own.size());
  for (std::size_t i = began; i < common; ++i) {
    if (pattern(i) != own.pattern(i)) {
      return false;
    }
  }
  return std::none_of(own.refused_.begin(), own.refused_.end(),
                      [&](std::size_t known) { return known >= began && known < size(); });
}

void TimePatterns::adopt(const TimePatterns& own) {
  if (own.size() > size()) {
    entries_ = own.entries_;
  }
}

void TimeRangeMade::add(std::int64_t value) {
  min = std::min(min, value);
  max = std::max(max, value);
}

void TimeRangeMade::add_real(double value) {
  min_real = std::min(min_real, value);
  max_real = std::max(max_real, value);
}

void TimeRangeMade::add(const TimeRangeMade& other) {
  min = std::min(min, other.min);
  max = std::max(max, other.max);
  min_real = std::min(min_real, other.min_real);
  max_real = std::max(max_real, other.max_real);
}

namespace {

using Encoding = TimeRange::Encoding;

void put_word(std::uint64_t value, std::string& out) {
  for (int shift = 0; shift < 64; shift += 8) {
    out += static_cast<char>(value >> shift & 0xFF);
  }
}

void put_sized(std::string_view text, std::string& out) {
  put_word(text.size(), out);
  out += text;
}

void put_range_head(std::string_view key, std::span<const NodeId> nodes, Encoding encoding,
                    std::string& out) {
  put_sized(key, out);
  put_word(nodes.size(), out);
  for (const NodeId node : nodes) {
    for (int shift = 0; shift < 32; shift += 8) {
      out += static_cast<char>(static_cast<std::uint32_t>(node) >> shift & 0xFF);
    }
  }
  put_word(static_cast<std::uint64_t>(encoding), out);
}

// One range a column, in milliseconds rounded outwards.
void put_ranges(std::string_view key, std::span<const TimeRangeMade> ranges, std::string& out) {
  std::uint64_t count = 0;
  std::string list;
  for (const TimeRangeMade& range : ranges) {
    if (range.type != NodeType::Timestamp || range.min > range.max) {
      continue;
    }
    ++count;
    put_range_head(key, {&range.node, 1}, Encoding::Epoch, list);
    put_word(static_cast<std::uint64_t>(floor_divide(range.min, kNsPerMs)), list);
    const std::int64_t end =
        floor_divide(range.max, kNsPerMs) + (floor_modulo(range.max, kNsPerMs) != 0 ? 1 : 0);
    put_word(static_cast<std::uint64_t>(end), list);
  }
  put_word(count, out);
  out += list;
}

// One range of all columns, in the units of the values, as doubles if one of them is. Whoever
// compares an integer with doubles makes the nearest double of it, and so does this.
void put_common_range(std::string_view key, std::span<const TimeRangeMade> ranges,
                      std::string& out) {
  TimeRangeMade whole;
  std::vector<NodeId> nodes;
  for (const TimeRangeMade& range : ranges) {
    const bool counts = range.type == NodeType::DateString || range.type == NodeType::Integer ||
                        range.type == NodeType::Float || range.type == NodeType::FormattedFloat;
    if (counts && !range.empty()) {
      whole.add(range);
      nodes.push_back(range.node);
    }
  }
  if (nodes.empty()) {
    put_word(0, out);
    return;
  }
  put_word(1, out);
  if (whole.min_real > whole.max_real) {
    put_range_head(key, nodes, Encoding::Epoch, out);
    put_word(static_cast<std::uint64_t>(whole.min), out);
    put_word(static_cast<std::uint64_t>(whole.max), out);
    return;
  }
  if (whole.min <= whole.max) {
    whole.add_real(static_cast<double>(whole.min));
    whole.add_real(static_cast<double>(whole.max));
  }
  put_range_head(key, nodes, Encoding::DoubleEpoch, out);
  put_word(std::bit_cast<std::uint64_t>(whole.min_real), out);
  put_word(std::bit_cast<std::uint64_t>(whole.max_real), out);
}

}  // namespace

std::string timestamp_dictionary(Version version, std::string_view key,
                                 std::span<const TimeRangeMade> ranges,
                                 const TimePatterns& patterns) {
  std::string out;
  if (version >= kNanosecondsSince) {
    put_ranges(key, ranges, out);
  } else {
    put_common_range(key, ranges, out);
  }
  put_word(patterns.size(), out);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    put_word(i, out);
    put_sized(patterns.pattern(i), out);
  }
  return out;
}

}  // namespace fonds::clps
