#include "query/json_time.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/time_pattern.hpp"

namespace fonds::query {
namespace {

std::optional<std::int64_t> instant_of_text(std::string_view text) {
  std::size_t next = 0;
  while (const auto time = match_default_time(text, TimeSyntax::V050, next)) {
    if (!time->saturated) {
      return time->ns;
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> instant_of_spelled_number(std::string_view spelled) {
  if (spelled.find_first_of(".eE") != std::string_view::npos) {
    const auto time = match_time(R"(\E.\?)", spelled, TimeSyntax::V050);
    return time && *time && !(*time)->saturated ? std::optional((*time)->ns) : std::nullopt;
  }
  std::int64_t value = 0;
  const char* const end = spelled.data() + spelled.size();
  const auto read = std::from_chars(spelled.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) {
    return std::nullopt;
  }
  const std::int64_t ns = instant_of_number(value);
  const bool saturated = ns != value && (ns == std::numeric_limits<std::int64_t>::max() ||
                                         ns == std::numeric_limits<std::int64_t>::min());
  return saturated ? std::nullopt : std::optional(ns);
}

}  // namespace

std::optional<std::int64_t> instant_of_json(JsonToken token, std::string_view spelled,
                                            std::string& scratch) {
  if (token == JsonToken::String) {
    return instant_of_text(unquoted_json(spelled, scratch));
  }
  return token == JsonToken::Number ? instant_of_spelled_number(spelled) : std::nullopt;
}

}  // namespace fonds::query
