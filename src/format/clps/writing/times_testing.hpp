// What tests of the timestamp column have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fonds/formats/clps.hpp>

#include "base/time_pattern.hpp"
#include "format/clps/reading/date_string.hpp"
#include "format/clps/writing/times.hpp"

namespace fonds::clps::testing_times {

using Hit = TimePatterns::Hit;

inline constexpr Version kNew{0, 5, 0};
inline constexpr Version kOld{0, 4, 1};

inline std::vector<std::string> listed(const TimePatterns& patterns) {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    list.emplace_back(patterns.pattern(i));
  }
  return list;
}

// Matches a value as it stands in JSON.
inline std::optional<Hit> match_json(TimePatterns& patterns, std::string_view token) {
  if (token.starts_with('"')) {
    return patterns.match_string(nlohmann::json::parse(token).get<std::string>());
  }
  if (token.find_first_of(".eE") != std::string_view::npos) {
    return patterns.match_float(token);
  }
  return patterns.match_integer(nlohmann::json::parse(token).get<std::int64_t>());
}

inline std::string stored_text(Version version, std::string_view pattern, std::int64_t value) {
  std::string text;
  if (version < kNew) {
    DatePattern::parse(pattern)->print(value, text);
    return '"' + text + '"';
  }
  EXPECT_TRUE(TimePattern::parse(pattern)->print(value, text).has_value());
  return text;
}

}  // namespace fonds::clps::testing_times
