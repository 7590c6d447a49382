// JSON text (RFC 8259) token by token, without memory per value. It may come from anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fonds::query {

enum class JsonToken : std::uint8_t {
  BeginObject,
  EndObject,
  BeginArray,
  EndArray,
  Key,
  String,
  Number,
  True,
  False,
  Null,
  End,      // of a whole value and the blanks behind it
  Damaged,  // no JSON from at() on; every further call says so again
};

// Whether an object or an array begins, or ends.
constexpr bool opens(JsonToken token) {
  return token == JsonToken::BeginObject || token == JsonToken::BeginArray;
}
constexpr bool closes(JsonToken token) {
  return token == JsonToken::EndObject || token == JsonToken::EndArray;
}

class JsonScanner {
 public:
  // Views `text`, which outlives the scanner. One value of any kind. UTF-8 is not checked.
  explicit JsonScanner(std::string_view text) : text_(text) {}

  JsonToken next();

  // Of the last key, string (both with their quotes) or number: as written.
  std::string_view spelled() const { return spelled_; }
  // Octets before what comes next, or before the damage.
  std::size_t at() const { return at_; }

 private:
  enum class Expect : std::uint8_t { Value, FirstValue, FirstKey, Key, CommaOrEnd, Nothing };

  JsonToken begin(char kind);
  JsonToken end(char kind);
  JsonToken scalar(JsonToken token, std::size_t start, bool well_formed);
  JsonToken key();
  JsonToken value(char c);
  JsonToken damaged();
  void skip_blanks();
  bool string();
  bool number();
  bool word(std::string_view word);
  void after_value() { expect_ = open_.empty() ? Expect::Nothing : Expect::CommaOrEnd; }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string_view spelled_;
  std::string open_;  // a brace or bracket for each level
  Expect expect_ = Expect::Value;
  bool damaged_ = false;
};

// Whether all of the text is one JSON value, nested as deeply as it likes.
bool is_json(std::string_view text);

// The text of a string with its quotes, as the scanner gives it. Views `spelled` if nothing is
// escaped, else `scratch`. Half a pair of surrogates becomes the three octets of its number.
std::string_view unquoted_json(std::string_view spelled, std::string& scratch);

}  // namespace fonds::query
