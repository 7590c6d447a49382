#include "query/json_scanner.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace fonds::query {
namespace {

// Of digits that were checked.
char32_t value_of_hex(std::string_view digits) {
  std::uint32_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value;
}

// How many octets from `at` on a string can have that are no quote, backslash or control character;
// where fewer than eight are left, too few.
std::size_t plain_octets(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kHighs = 0x8080808080808080U;
  const auto has_zero = [](std::uint64_t word) { return (word - kOnes) & ~word & kHighs; };
  const std::size_t begin = at;
  for (; text.size() - at >= 8; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof word);
    const std::uint64_t controls = (word - kOnes * 0x20U) & ~word & kHighs;
    if ((controls | has_zero(word ^ (kOnes * '"')) | has_zero(word ^ (kOnes * '\\'))) != 0) {
      break;
    }
  }
  return at - begin;
}

char control_of(char letter) {
  switch (letter) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return letter;
  }
}

}  // namespace

void JsonScanner::skip_blanks() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
    ++at_;
  }
}

JsonToken JsonScanner::damaged() {
  damaged_ = true;
  return JsonToken::Damaged;
}

JsonToken JsonScanner::next() {
  if (damaged_) {
    return JsonToken::Damaged;
  }
  skip_blanks();
  if (at_ == text_.size()) {
    return expect_ == Expect::Nothing ? JsonToken::End : damaged();
  }
  const char c = text_[at_];
  switch (expect_) {
    case Expect::Nothing:
      return damaged();
    case Expect::CommaOrEnd:
      if (c != ',') {
        return end(c);
      }
      ++at_;
      skip_blanks();
      expect_ = open_.back() == '{' ? Expect::Key : Expect::Value;
      return next();
    case Expect::FirstKey:
    case Expect::Key:
      return c == '}' && expect_ == Expect::FirstKey ? end(c) : key();
    case Expect::FirstValue:
      return c == ']' ? end(c) : value(c);
    case Expect::Value:
      return value(c);
  }
  return damaged();
}

JsonToken JsonScanner::begin(char kind) {
  ++at_;
  open_ += kind;
  expect_ = kind == '{' ? Expect::FirstKey : Expect::FirstValue;
  return kind == '{' ? JsonToken::BeginObject : JsonToken::BeginArray;
}

JsonToken JsonScanner::end(char kind) {
  if (kind != (open_.back() == '{' ? '}' : ']')) {
    return damaged();
  }
  ++at_;
  open_.pop_back();
  after_value();
  return kind == '}' ? JsonToken::EndObject : JsonToken::EndArray;
}

JsonToken JsonScanner::key() {
  const std::size_t start = at_;
  if (!string()) {
    return damaged();
  }
  spelled_ = text_.substr(start, at_ - start);
  skip_blanks();
  if (at_ == text_.size() || text_[at_] != ':') {
    return damaged();
  }
  ++at_;
  expect_ = Expect::Value;
  return JsonToken::Key;
}

JsonToken JsonScanner::value(char c) {
  const std::size_t start = at_;
  switch (c) {
    case '{':
    case '[':
      return begin(c);
    case '"':
      return scalar(JsonToken::String, start, string());
    case 't':
      return scalar(JsonToken::True, start, word("true"));
    case 'f':
      return scalar(JsonToken::False, start, word("false"));
    case 'n':
      return scalar(JsonToken::Null, start, word("null"));
    default:
      return scalar(JsonToken::Number, start, number());
  }
}

JsonToken JsonScanner::scalar(JsonToken token, std::size_t start, bool well_formed) {
  if (!well_formed) {
    return damaged();
  }
  spelled_ = text_.substr(start, at_ - start);
  after_value();
  return token;
}

bool JsonScanner::word(std::string_view word) {
  if (!text_.substr(at_).starts_with(word)) {
    return false;
  }
  at_ += word.size();
  return true;
}

bool JsonScanner::string() {
  if (text_[at_] != '"') {
    return false;
  }
  std::size_t at = at_ + 1;
  at += plain_octets(text_, at);
  while (at < text_.size() && text_[at] != '"') {
    if (utf8::octet(text_[at]) < 0x20U) {
      at_ = at;
      return false;
    }
    if (text_[at] != '\\') {
      ++at;
      continue;
    }
    const std::string_view escape = text_.substr(at + 1, 5);
    const bool unicode = escape.starts_with('u');
    const bool known =
        unicode ? escape.size() == 5 && std::all_of(escape.begin() + 1, escape.end(), is_hex_digit)
                : !escape.empty() &&
                      std::string_view("\"\\/bfnrt").find(escape.front()) != std::string_view::npos;
    if (!known) {
      at_ = at;
      return false;
    }
    at += unicode ? 6 : 2;
    at += plain_octets(text_, at);
  }
  if (at >= text_.size()) {
    at_ = text_.size();
    return false;
  }
  at_ = at + 1;
  return true;
}

bool JsonScanner::number() {
  std::size_t at = at_;
  const auto digits = [&] {
    const std::size_t first = at;
    while (at < text_.size() && is_digit(text_[at])) {
      ++at;
    }
    return at > first;
  };
  const auto is_next = [&](std::string_view set) {
    return at < text_.size() && set.find(text_[at]) != std::string_view::npos;
  };
  at += is_next("-") ? 1 : 0;
  const bool zero = is_next("0");
  const std::size_t whole = at;
  if (!digits() || (zero && at - whole > 1)) {
    return false;
  }
  if (is_next(".")) {
    ++at;
    if (!digits()) {
      return false;
    }
  }
  if (is_next("eE")) {
    ++at;
    at += is_next("+-") ? 1 : 0;
    if (!digits()) {
      return false;
    }
  }
  at_ = at;
  return true;
}

bool is_json(std::string_view text) {
  JsonScanner scanner(text);
  JsonToken token = scanner.next();
  while (token != JsonToken::End && token != JsonToken::Damaged) {
    token = scanner.next();
  }
  return token == JsonToken::End;
}

std::string_view unquoted_json(std::string_view spelled, std::string& scratch) {
  const std::string_view inside = spelled.substr(1, spelled.size() - 2);
  if (inside.find('\\') == std::string_view::npos) {
    return inside;
  }
  scratch.clear();
  for (std::size_t at = 0; at < inside.size();) {
    if (inside[at] != '\\') {
      scratch += inside[at++];
      continue;
    }
    if (inside[at + 1] != 'u') {
      scratch += control_of(inside[at + 1]);
      at += 2;
      continue;
    }
    char32_t value = value_of_hex(inside.substr(at + 2, 4));
    at += 6;
    if (value >= 0xd800U && value <= 0xdbffU && inside.substr(at).starts_with("\\u")) {
      const char32_t low = value_of_hex(inside.substr(at + 2, 4));
      if (low >= 0xdc00U && low <= 0xdfffU) {
        value = 0x10000U + ((value - 0xd800U) << 10U) + (low - 0xdc00U);
        at += 6;
      }
    }
    utf8::append(scratch, value);
  }
  return scratch;
}

}  // namespace fonds::query
