#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include <fonds/error.hpp>

#include "base/time_pattern.hpp"
#include "base/time_pattern_parts.hpp"

namespace fonds {

namespace {

#define FONDS_MONTHS R"(\B{Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec})"
#define FONDS_LONG_MONTHS                                                      \
  R"(\B{January,February,March,April,May,June,July,August,September,October,)" \
  R"(November,December})"
#define FONDS_WEEKDAYS R"(\A{Sun,Mon,Tue,Wed,Thu,Fri,Sat})"
#define FONDS_TIME R"(\Y\O{-/}\m\O{-/}\d\O{T }\H:\M:\s)"

constexpr std::size_t kRfc822Start = 20;
constexpr std::size_t kRfc822Count = 16;

// In the order in which clp-s 0.5.1 tries them; 0.5.0 has none of the sixteen from kRfc822Start on.
constexpr std::array<std::string_view, 38> kDefaultPatterns = {{
    FONDS_TIME R"(\O{,.}\?\Z)",
    FONDS_TIME R"(\Z)",
    FONDS_TIME R"(\O{,.}\?)",
    FONDS_TIME,
    "[" FONDS_TIME R"(\O{,.}\?])",
    "[" FONDS_TIME "]",
    "[" FONDS_TIME,
    "<<<" FONDS_TIME R"(:\?)",
    R"(\d )" FONDS_MONTHS R"( \Y \H:\M:\s\O{,.}\?)",
    R"([\Y\m\d-\H:\M:\s])",
    R"(\y\O{-/}\m\O{-/}\d\O{T }\H:\M:\s)",
    R"(\y\m\d\O{T }\k:\M:\s)",
    FONDS_MONTHS R"( \d, \Y \l:\M:\s \p)",
    FONDS_MONTHS R"( \d, \Y \I:\M:\s \p)",
    FONDS_LONG_MONTHS R"( \d, \Y \H:\M)",
    R"([\d\O{-/})" FONDS_MONTHS R"(\O{-/}\Y:\H:\M:\s)",
    FONDS_WEEKDAYS " " FONDS_MONTHS R"( \e \H:\M:\s \Y)",
    FONDS_MONTHS R"( \d \H:\M:\s)",
    FONDS_MONTHS R"( \d \H:\M:\s\Z)",
    R"(\m\O{- }\d \H:\M:\s\O{,.}\?)",
    FONDS_WEEKDAYS R"(, \d )" FONDS_MONTHS R"( \Y \H:\M:\s\Z)",
    R"(\d )" FONDS_MONTHS R"( \Y \H:\M:\s\Z)",
    FONDS_WEEKDAYS R"(, \e )" FONDS_MONTHS R"( \Y \H:\M:\s\Z)",
    R"(\e )" FONDS_MONTHS R"( \Y \H:\M:\s\Z)",
    FONDS_WEEKDAYS R"(, \d )" FONDS_MONTHS R"( \y \H:\M:\s\Z)",
    R"(\d )" FONDS_MONTHS R"( \y \H:\M:\s\Z)",
    FONDS_WEEKDAYS R"(, \e )" FONDS_MONTHS R"( \y \H:\M:\s\Z)",
    R"(\e )" FONDS_MONTHS R"( \y \H:\M:\s\Z)",
    FONDS_WEEKDAYS R"(, \d )" FONDS_MONTHS R"( \Y \H:\M\Z)",
    R"(\d )" FONDS_MONTHS R"( \Y \H:\M\Z)",
    FONDS_WEEKDAYS R"(, \e )" FONDS_MONTHS R"( \Y \H:\M\Z)",
    R"(\e )" FONDS_MONTHS R"( \Y \H:\M\Z)",
    FONDS_WEEKDAYS R"(, \d )" FONDS_MONTHS R"( \y \H:\M\Z)",
    R"(\d )" FONDS_MONTHS R"( \y \H:\M\Z)",
    FONDS_WEEKDAYS R"(, \e )" FONDS_MONTHS R"( \y \H:\M\Z)",
    R"(\e )" FONDS_MONTHS R"( \y \H:\M\Z)",
    R"(\P)",
    R"(\E.\?)",
}};

#undef FONDS_MONTHS
#undef FONDS_LONG_MONTHS
#undef FONDS_WEEKDAYS
#undef FONDS_TIME

using DefaultParts = std::array<TimeParts, kDefaultPatterns.size()>;

const DefaultParts& default_parts() {
  static const DefaultParts parsed = [] {
    DefaultParts result;
    for (std::size_t i = 0; i < kDefaultPatterns.size(); ++i) {
      auto parts =
          parse_time_parts(kDefaultPatterns[i], TimePatternUse::Parsing, ErrorCode::Internal);
      if (parts) {
        result[i] = std::move(*parts);
      }
    }
    return result;
  }();
  return parsed;
}

}  // namespace

std::optional<TimeText> match_default_time(std::string_view text, TimeSyntax syntax,
                                           std::size_t& from) {
  const DefaultParts& patterns = default_parts();
  while (from < patterns.size()) {
    const std::size_t i = from++;
    if (syntax == TimeSyntax::V050 && i >= kRfc822Start && i < kRfc822Start + kRfc822Count) {
      continue;
    }
    // Most patterns do not match: the stored one is spelled only for the one that does.
    if (match_instant(patterns[i], text, syntax)) {
      return match_time_parts(patterns[i], text, syntax);
    }
  }
  return std::nullopt;
}

std::optional<TimeText> match_default_time(std::string_view text, TimeSyntax syntax) {
  std::size_t from = 0;
  return match_default_time(text, syntax, from);
}

}  // namespace fonds
