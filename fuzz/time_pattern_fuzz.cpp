// Timestamp patterns of both generations: bytes up to the first line feed are the pattern, the next
// line is a text, eight bytes behind it are an instant. What is matched must print as it was.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "base/time_pattern.hpp"
#include "format/clps/reading/date_string.hpp"
#include "require.hpp"

namespace {

using fonds::TimePattern;
using fonds::TimeText;
using fonds::fuzz::require;

std::string_view next_line(std::string_view& rest) {
  const std::size_t length = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, length);
  rest.remove_prefix(std::min(length + 1, rest.size()));
  return line;
}

void check_stored(std::string_view stored, std::int64_t ns) {
  const auto pattern = TimePattern::parse(stored);
  if (!pattern) {
    require(pattern.error().code() == fonds::ErrorCode::Corrupt);
    return;
  }
  std::string text;
  if (!pattern->print(ns, text)) {
    require(text.empty());
    return;
  }
  require(fonds::is_utf8(text));
  require(pattern->quoted() == text.starts_with('"'));
  require(text.find_first_of("\n\r\t") == std::string::npos);
}

// A text that matched comes back from its pattern, unless that cannot be stored: two zones, or a
// backslash that JSON would escape.
void check_match(const std::optional<TimeText>& time, std::string_view text) {
  if (!time || time->saturated) {
    return;
  }
  const auto pattern = TimePattern::parse('"' + time->pattern + '"');
  if (!pattern || time->pattern.find("\\\\") != std::string::npos) {
    return;
  }
  const std::optional<TimeText> again = pattern->match(text);
  require(again && again->ns == time->ns && again->pattern == time->pattern);
}

void check_default(std::string_view text) {
  const std::optional<TimeText> time = fonds::match_default_time(text);
  check_match(time, text);
  if (!time || time->saturated) {
    return;
  }
  std::string printed;
  require(TimePattern::parse('"' + time->pattern + '"')->print(time->ns, printed).has_value());
  require(printed == '"' + std::string(text) + '"');
}

void check_old(std::string_view stored, std::int64_t value) {
  const auto pattern = fonds::clps::DatePattern::parse(stored);
  if (pattern) {
    std::string text;
    pattern->print(value, text);
    pattern->instant_ns(value);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string_view pattern = next_line(rest);
  const std::string_view text = next_line(rest);
  std::int64_t instant = 0;
  std::memcpy(&instant, rest.data(), std::min(rest.size(), sizeof instant));
  check_stored(pattern, instant);
  check_old(pattern, instant);
  check_default(text);
  if (const auto time = fonds::match_time(pattern, text)) {
    check_match(*time, text);
  }
  double number = 0;
  std::memcpy(&number, &instant, sizeof number);
  fonds::instant_of_number(instant);
  fonds::instant_of_number(number);
  return 0;
}
