#include "format/clps/reading/log_type.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/text.hpp"

namespace fonds::clps {

namespace {

constexpr std::int64_t kFirstOldId = std::int64_t{1} << 62;

// What a byte of a stored log type is.
constexpr std::optional<Placeholder> placeholder_of(char c, Generation generation) noexcept {
  switch (c) {
    case '\x11':
      return generation == Generation::New ? Placeholder::Integer
                                           : Placeholder::IntegerOrDictionary;
    case '\x12':
      return generation == Generation::New ? Placeholder::Dictionary : Placeholder::Float;
    case '\x13':
      if (generation == Generation::New) {
        return Placeholder::Float;
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// Where the next escape or placeholder stands, or the end.
std::size_t find_special(std::string_view stored, std::size_t at, Generation generation) noexcept {
  while (at < stored.size() && stored[at] != '\\' && !placeholder_of(stored[at], generation)) {
    ++at;
  }
  return at;
}

struct FloatWord {
  std::uint64_t digits;
  unsigned count;
  unsigned decimals;
  bool negative;
};

constexpr std::uint64_t kDigitsMask = (std::uint64_t{1} << 54) - 1;

FloatWord take_apart(std::uint64_t word, Generation generation) noexcept {
  const bool is_new = generation == Generation::New;
  return {.digits = (is_new ? word >> 8 : word) & kDigitsMask,
          .count = static_cast<unsigned>((is_new ? word >> 4 : word >> 59) & 15) + 1,
          .decimals = static_cast<unsigned>((is_new ? word : word >> 55) & 15) + 1,
          .negative = (word >> 63) != 0};
}

std::uint64_t put_together(const FloatWord& parts, Generation generation) noexcept {
  const std::uint64_t sign = std::uint64_t{parts.negative ? 1U : 0U} << 63;
  const std::uint64_t count = parts.count - 1;
  const std::uint64_t decimals = parts.decimals - 1;
  return generation == Generation::New ? sign | parts.digits << 8 | count << 4 | decimals
                                       : sign | count << 59 | decimals << 55 | parts.digits;
}

}  // namespace

LogType LogType::parse(std::string_view stored, Generation generation, bool& malformed) {
  LogType result;
  malformed = stored.size() > std::numeric_limits<std::uint32_t>::max();
  if (malformed) {
    return result;
  }
  result.text_.reserve(stored.size());
  std::size_t at = 0;
  while (true) {
    const std::size_t special = find_special(stored, at, generation);
    result.text_.append(stored, at, special - at);
    if (special == stored.size()) {
      return result;
    }
    at = special + 1;
    if (const auto placeholder = placeholder_of(stored[special], generation)) {
      result.segments_.push_back(
          {.offset = static_cast<std::uint32_t>(result.tail_),
           .length = static_cast<std::uint32_t>(result.text_.size() - result.tail_),
           .placeholder = *placeholder});
      result.tail_ = result.text_.size();
    } else if (at < stored.size()) {
      result.text_ += stored[at++];
    } else {
      malformed = true;
      return result;
    }
  }
}

std::optional<Placeholder> next_placeholder(std::string_view stored, Generation generation,
                                            std::size_t& at) noexcept {
  while ((at = find_special(stored, at, generation)) < stored.size()) {
    const char c = stored[at++];
    if (c != '\\') {
      return placeholder_of(c, generation);
    }
    at += at < stored.size() ? 1 : 0;
  }
  return std::nullopt;
}

std::size_t count_placeholders(std::string_view stored, Generation generation) noexcept {
  std::size_t count = 0;
  std::size_t at = 0;
  while (next_placeholder(stored, generation, at)) {
    ++count;
  }
  return count;
}

bool append_float(std::uint64_t word, Generation generation, std::string& out) {
  const FloatWord parts = take_apart(word, generation);
  if (parts.decimals > parts.count) {
    return false;
  }
  std::array<char, 18> buffer;  // a sign, 16 digits and a point
  std::size_t at = buffer.size();
  std::uint64_t digits = parts.digits;
  for (unsigned i = 0; i < parts.count; ++i) {
    if (i == parts.decimals) {
      buffer[--at] = '.';
    }
    buffer[--at] = static_cast<char>('0' + digits % 10);
    digits /= 10;
  }
  if (parts.decimals == parts.count) {
    buffer[--at] = '.';
  }
  if (digits != 0) {
    return false;
  }
  if (parts.negative) {
    buffer[--at] = '-';
  }
  out.append(buffer.data() + at, buffer.size() - at);
  return true;
}

void append_integer(std::int64_t value, std::string& out) {
  std::array<char, 20> buffer;
  char* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  out.append(buffer.data(), end);
}

std::optional<std::uint64_t> dictionary_id(std::int64_t value) noexcept {
  if (value < kFirstOldId || value == std::numeric_limits<std::int64_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(value - kFirstOldId);
}

std::int64_t old_dictionary_variable(std::uint64_t id) noexcept {
  return static_cast<std::int64_t>(id + static_cast<std::uint64_t>(kFirstOldId));
}

namespace {

// What a byte is, for splitting.
enum ByteClass : std::uint8_t {
  kToken = 1,     // belongs to a token
  kOldToken = 2,  // before 0.4.0 also a slash
  kEscaped = 4,   // stands behind a backslash in log types
  kOldEscaped = 8,
  kDigit = 16,
  kLetter = 32,
  kHex = 64,
};
constexpr std::array<std::uint8_t, 256> byte_classes() {
  std::array<std::uint8_t, 256> classes = {};
  for (const char c : std::string_view("0123456789abcdefghijklmnopqrstuvwxyz"
                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ+-.\\_")) {
    classes[static_cast<unsigned char>(c)] = kToken | kOldToken;
  }
  for (const char c : std::string_view("0123456789")) {
    classes[static_cast<unsigned char>(c)] |= kDigit | kHex;
  }
  for (char c = 'a'; c <= 'z'; ++c) {
    const std::uint8_t letter = c <= 'f' ? kLetter | kHex : kLetter;
    classes[static_cast<unsigned char>(c)] |= letter;
    classes[static_cast<unsigned char>(c - 'a' + 'A')] |= letter;
  }
  classes['/'] |= kOldToken;
  classes['\\'] |= kEscaped | kOldEscaped;
  classes[0x11] |= kEscaped | kOldEscaped;
  classes[0x12] |= kEscaped | kOldEscaped;
  classes[0x13] |= kEscaped;
  return classes;
}
constexpr auto kClasses = byte_classes();
std::uint8_t class_of(char c) { return kClasses[static_cast<unsigned char>(c)]; }

// What all bytes of a token have, and what some have.
struct TokenClasses {
  std::uint8_t all, some;
};
bool is_variable(TokenClasses classes, std::size_t size, bool behind_equals) {
  return (classes.some & kDigit) != 0 || (behind_equals && (classes.some & kLetter) != 0) ||
         (size >= 2 && (classes.all & kHex) != 0);
}

std::optional<std::int64_t> integer_of(std::string_view token) {
  const std::string_view digits = token.starts_with('-') ? token.substr(1) : token;
  if (digits.empty() || !is_digit(digits[0]) || (digits[0] == '0' && token.size() > 1)) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  const char* const begin = token.data();
  const char* const end = begin + token.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> float_of(std::string_view token, Generation generation) {
  FloatWord parts{.digits = 0, .count = 0, .decimals = 0, .negative = token.starts_with('-')};
  if (parts.negative) {
    token.remove_prefix(1);
  }
  bool behind_point = false;
  for (const char c : token) {
    if (c == '.' && !behind_point) {
      behind_point = true;
    } else if (is_digit(c) && parts.count < 16) {
      parts.digits = parts.digits * 10 + static_cast<unsigned>(c - '0');
      ++parts.count;
      parts.decimals += behind_point ? 1 : 0;
    } else {
      return std::nullopt;
    }
  }
  if (parts.decimals == 0) {
    return std::nullopt;
  }
  return put_together(parts, generation);
}

void append_escaped(std::string_view text, std::uint8_t escaped, std::string& log_type) {
  std::size_t plain = 0;  // what is not appended yet begins here
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((class_of(text[i]) & escaped) != 0) {
      log_type.append(text, plain, i - plain);
      log_type += '\\';
      plain = i;
    }
  }
  log_type.append(text, plain);
}

char placeholder_byte(Placeholder placeholder, Generation generation) {
  if (placeholder == Placeholder::Float) {
    return generation == Generation::New ? '\x13' : '\x12';
  }
  return placeholder == Placeholder::Dictionary && generation == Generation::New ? '\x12' : '\x11';
}

}  // namespace

SplitVariable encode_variable(std::string_view token, Generation generation) {
  if (const auto value = integer_of(token);
      value && (generation == Generation::New || *value < kFirstOldId)) {
    return {.placeholder = Placeholder::Integer,
            .text = token,
            .word = static_cast<std::uint64_t>(*value)};
  }
  if (const auto word = float_of(token, generation)) {
    return {.placeholder = Placeholder::Float, .text = token, .word = *word};
  }
  return {.placeholder = Placeholder::Dictionary, .text = token};
}

void split_text(std::string_view text, Generation generation, std::string& log_type,
                std::vector<SplitVariable>& variables) {
  const bool old = generation == Generation::Old;
  const std::uint8_t token_class = old ? kOldToken : kToken;
  const std::uint8_t escaped = old ? kOldEscaped : kEscaped;
  std::size_t constant = 0;  // text that is no variable begins here
  std::uint8_t seen = 0;     // classes of its bytes
  const auto append_constant = [&](std::size_t end) {
    const std::string_view part = text.substr(constant, end - constant);
    if ((seen & escaped) == 0) {
      log_type.append(part);
    } else {
      append_escaped(part, escaped, log_type);
    }
  };
  std::size_t at = 0;
  while (at < text.size()) {
    const std::uint8_t first = class_of(text[at]);
    if ((first & token_class) == 0) {
      seen |= first;
      ++at;
      continue;
    }
    TokenClasses classes{.all = first, .some = first};
    std::size_t end = at + 1;
    for (; end < text.size(); ++end) {
      const std::uint8_t next = class_of(text[end]);
      if ((next & token_class) == 0) {
        break;
      }
      classes.all &= next;
      classes.some |= next;
    }
    if (is_variable(classes, end - at, at > 0 && text[at - 1] == '=')) {
      append_constant(at);
      const SplitVariable variable = encode_variable(text.substr(at, end - at), generation);
      log_type += placeholder_byte(variable.placeholder, generation);
      variables.push_back(variable);
      constant = end;
      seen = 0;
    } else {
      seen |= classes.some;
    }
    at = end;
  }
  append_constant(text.size());
}

}  // namespace fonds::clps
