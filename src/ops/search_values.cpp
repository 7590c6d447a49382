#include "ops/search_values.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/date.hpp>

#include "base/calendar.hpp"
#include "base/text.hpp"
#include "query/tree.hpp"

namespace fonds::ops {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

std::int64_t saturated(std::int64_t a, std::int64_t times, std::int64_t plus = 0) {
  std::int64_t product = 0;
  std::int64_t sum = 0;
  if (__builtin_mul_overflow(a, times, &product) || __builtin_add_overflow(product, plus, &sum)) {
    return a < 0 ? kLeast : kMost;
  }
  return sum;
}

// Nothing for what is no whole number. Saturates.
std::optional<std::int64_t> parse_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  if (text.empty() ||
      !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    return std::nullopt;
  }
  const auto number = parse_number(text);
  if (!number || *number > static_cast<std::uint64_t>(kMost)) {
    return negative ? kLeast : kMost;
  }
  const auto value = static_cast<std::int64_t>(*number);
  return negative ? -value : value;
}

}  // namespace

Result<std::int64_t> parse_instant(std::string_view text) {
  if (const auto milliseconds = parse_integer(text)) {
    return saturated(*milliseconds, kNsPerMs);
  }
  const auto date = parse_user_date(text);
  if (!date) {
    return fail(ErrorCode::BadArgument,
                fmt::format("'{}' is no time; times are epoch milliseconds, or like "
                            "2024-03-01T12:30:00Z",
                            text));
  }
  return saturated(date->seconds, kNsPerSecond, date->nanoseconds);
}

Result<std::int64_t> parse_duration(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 6> kUnits = {
      {{"ms", kNsPerMs},
       {"s", kNsPerSecond},
       {"m", 60 * kNsPerSecond},
       {"h", 3600 * kNsPerSecond},
       {"d", 86400 * kNsPerSecond},
       {"w", 7 * 86400 * kNsPerSecond}}};
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view unit = text.substr(digits);
  const auto* const known = std::find_if(
      kUnits.begin(), kUnits.end(), [&](const auto& candidate) { return candidate.first == unit; });
  const std::int64_t length = unit.empty() ? kNsPerMs : known != kUnits.end() ? known->second : 0;
  const auto number = parse_number(text.substr(0, digits));
  if (!number || *number == 0 || length == 0 ||
      *number > static_cast<std::uint64_t>(kMost / length)) {
    return fail(ErrorCode::BadArgument,
                fmt::format("'{}' is no duration; durations are like 250ms, 10s, 5m, 1h or 1d, "
                            "and a plain number is milliseconds",
                            text));
  }
  return static_cast<std::int64_t>(*number) * length;
}

std::vector<std::string> split_keys(std::string_view list) {
  std::vector<std::string> keys(1);
  bool quoted = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    if (c == '\\' && i + 1 < list.size()) {
      // Other escapes are for the parser of keys; commas need none there.
      if (quoted || list[i + 1] != ',') {
        keys.back() += c;
      }
      keys.back() += list[++i];
    } else if (c == ',' && !quoted) {
      keys.emplace_back();
    } else {
      quoted = quoted != (c == '"');
      keys.back() += c;
    }
  }
  return keys;
}

Result<std::vector<query::Path>> parse_projection(std::span<const std::string> keys,
                                                  query::Meaning meaning, std::string& failed) {
  std::vector<query::Path> paths;
  for (const std::string& key : keys) {
    failed = key;
    FONDS_TRY(auto path, query::parse_path(key, meaning));
    if (std::any_of(path.steps.begin(), path.steps.end(),
                    [](const query::PathStep& step) { return step.wildcard; })) {
      return fail(ErrorCode::BadArgument,
                  "a key to be shown is a whole one, without the wildcard `*`");
    }
    if (std::any_of(paths.begin(), paths.end(),
                    [&](const query::Path& other) { return query::same_path(path, other); })) {
      return fail(ErrorCode::BadArgument, "this key is given twice");
    }
    paths.push_back(std::move(path));
  }
  return paths;
}

std::string format_instant(std::int64_t ns) {
  Date date;
  date.seconds = ns / kNsPerSecond;
  std::int64_t rest = ns % kNsPerSecond;
  if (rest < 0) {
    rest += kNsPerSecond;
    --date.seconds;
  }
  date.nanoseconds = static_cast<std::uint32_t>(rest);
  if (rest != 0) {
    date.precision = Date::Precision::Fraction;
    date.fraction_digits = rest % kNsPerMs == 0 ? 3 : 9;
  }
  return date.to_string();
}

}  // namespace fonds::ops
