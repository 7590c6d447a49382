#include "base/time_pattern_parts.hpp"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include <fonds/error.hpp>

#include "base/text.hpp"

namespace fonds {

namespace {

constexpr std::string_view kStoredLetters = "YymBdeAHkIlpMSJ369TzoELCN\\";
constexpr std::string_view kParsingLetters = "Z?POs";
constexpr std::string_view kEpochLetters = "ELCNP";
// Neither dates nor epoch numbers: they go with both.
constexpr std::string_view kNeutralLetters = "369T?\\O";
constexpr std::string_view kBracedLetters = "BAzoO";

class PartsParser {
 public:
  PartsParser(std::string_view pattern, TimePatternUse use) : pattern_(pattern), use_(use) {}

  // The reason of a refusal, or nothing.
  std::optional<std::string> parse() {
    for (const char c : pattern_) {
      if (static_cast<unsigned char>(c) < 0x20 || c == '"') {
        return "it has a control character or a quote inside";
      }
    }
    if (!is_utf8(pattern_)) {
      return "it is not UTF-8";
    }
    while (at_ < pattern_.size()) {
      if (pattern_[at_] != '\\') {
        take_literal();
      } else if (auto reason = take_specifier()) {
        return reason;
      }
    }
    return check_whole();
  }

  TimeParts take() { return std::move(result_); }

 private:
  void take_literal() {
    const std::size_t end = std::min(pattern_.find('\\', at_), pattern_.size());
    TimePart part;
    part.text = pattern_.substr(at_, end - at_);
    part.spelling = part.text;
    add(std::move(part), end);
  }

  std::optional<std::string> take_specifier() {
    const char letter = at_ + 1 < pattern_.size() ? pattern_[at_ + 1] : '\0';
    const bool known =
        kStoredLetters.find(letter) != std::string_view::npos ||
        (use_ == TimePatternUse::Parsing && kParsingLetters.find(letter) != std::string_view::npos);
    if (letter == '\0' || !known) {
      return fmt::format("unknown specifier at byte {}", at_);
    }
    const auto index = static_cast<unsigned char>(letter);
    if (seen_[index] && letter != '\\' && letter != 'O') {
      return fmt::format("specifier \\{} stands twice", letter);
    }
    seen_[index] = true;
    TimePart part;
    part.field = static_cast<TimeField>(letter);
    std::size_t end = at_ + 2;
    if (kBracedLetters.find(letter) != std::string_view::npos) {
      const std::size_t close = pattern_.find('}', end);
      if (end >= pattern_.size() || pattern_[end] != '{' || close == std::string_view::npos ||
          !read_braces(pattern_.substr(end + 1, close - end - 1), part)) {
        return fmt::format("specifier \\{} needs a list in braces that has a meaning", letter);
      }
      end = close + 1;
    }
    part.spelling = pattern_.substr(at_, end - at_);
    if (kEpochLetters.find(letter) != std::string_view::npos) {
      epoch_ = true;
    } else if (kNeutralLetters.find(letter) == std::string_view::npos) {
      result_.is_date = true;
    }
    add(std::move(part), end);
    return std::nullopt;
  }

  static bool read_braces(std::string_view inside, TimePart& part) {
    if (inside.empty() || inside.find('\\') != std::string_view::npos) {
      return false;
    }
    switch (part.field) {
      case TimeField::MonthName:
        return read_names(inside, 12, part);
      case TimeField::WeekdayName:
        return read_names(inside, 7, part);
      case TimeField::NamedOffset: {
        const std::size_t comma = inside.find(',');
        if (comma == 0 || comma == std::string_view::npos) {
          return false;
        }
        part.text = inside.substr(0, comma);
        return read_offset(inside.substr(comma + 1), part);
      }
      case TimeField::Offset:
        part.text = inside;
        return read_offset(inside, part);
      default:
        part.text = inside;
        return true;
    }
  }

  static bool read_names(std::string_view list, std::size_t count, TimePart& part) {
    while (part.names.size() < count) {
      const std::size_t comma = list.find(',');
      if (comma == 0 || list.empty()) {
        return false;
      }
      part.names.emplace_back(list.substr(0, comma));
      if (comma == std::string_view::npos) {
        return part.names.size() == count;
      }
      list.remove_prefix(comma + 1);
    }
    return false;
  }

  static bool read_offset(std::string_view text, TimePart& part) {
    const std::optional<OffsetText> offset = match_offset(text);
    if (!offset || offset->length != text.size()) {
      return false;
    }
    part.offset_s = offset->offset_s;
    return true;
  }

  std::optional<std::string> check_whole() const {
    if (epoch_ && result_.is_date) {
      return "it mixes a date with a number of seconds";
    }
    const bool hour12 = seen_['I'] || seen_['l'];
    if (hour12 != seen_['p']) {
      return "hours of a half day and its name (\\p) go together";
    }
    return std::nullopt;
  }

  void add(TimePart part, std::size_t end) {
    if (part.field == TimeField::Offset || part.field == TimeField::NamedOffset) {
      result_.offset_s = part.offset_s;
    }
    result_.parts.push_back(std::move(part));
    at_ = end;
  }

  std::string_view pattern_;
  TimePatternUse use_;
  std::size_t at_ = 0;
  std::bitset<256> seen_;
  bool epoch_ = false;
  TimeParts result_;
};

}  // namespace

Result<TimeParts> parse_time_parts(std::string_view pattern, TimePatternUse use, ErrorCode code) {
  PartsParser parser(pattern, use);
  if (const std::optional<std::string> reason = parser.parse()) {
    return fail(code, fmt::format("timestamp pattern '{}': {}",
                                  escape_for_terminal(pattern.substr(0, 100)), *reason));
  }
  return parser.take();
}

std::optional<OffsetText> match_offset(std::string_view text) noexcept {
  constexpr std::string_view kMinus = "\xE2\x88\x92";  // U+2212
  std::size_t at = 1;
  if (text.starts_with(kMinus)) {
    at = kMinus.size();
  } else if (text.empty() || (text[0] != '+' && text[0] != '-')) {
    return std::nullopt;
  }
  const auto two_digits = [&](std::size_t from, int limit) {
    if (text.size() < from + 2 || !is_digit(text[from]) || !is_digit(text[from + 1])) {
      return -1;
    }
    const int value = (text[from] - '0') * 10 + (text[from + 1] - '0');
    return value < limit ? value : -1;
  };
  const int hours = two_digits(at, 24);
  if (hours < 0) {
    return std::nullopt;
  }
  OffsetText result{.offset_s = hours * 3600, .length = at + 2};
  const std::size_t colon = result.length < text.size() && text[result.length] == ':' ? 1 : 0;
  if (const int minutes = two_digits(result.length + colon, 60); minutes >= 0) {
    result.offset_s += minutes * 60;
    result.length += colon + 2;
  }
  if (text[0] != '+') {
    result.offset_s = -result.offset_s;
  }
  return result;
}

}  // namespace fonds
