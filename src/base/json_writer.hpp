// Writes JSON to the end of a string: objects, arrays, values; commas and escapes by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fonds {

class JsonWriter {
 public:
  // Appends to `out`, which outlives the writer.
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);  // ASCII names without characters that need an escape
  JsonWriter& text_key(std::string_view name);  // any text
  // Text that is not UTF-8 is written in its Latin-1 reading.
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(std::uint64_t number);
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(std::uint32_t number) { return value(std::uint64_t{number}); }
  JsonWriter& value(int number) { return value(static_cast<std::int64_t>(number)); }
  JsonWriter& value(double number);  // null if JSON cannot express it (NaN, infinity)
  JsonWriter& value(bool truth);
  JsonWriter& value(const std::optional<std::uint64_t>& number);  // null if there is none
  JsonWriter& null();
  // A value that somebody else writes to the string right after this call.
  JsonWriter& value_follows();
  // Members that are written already: "\"a\":1,\"b\":2"; nothing if empty.
  JsonWriter& members(std::string_view text);
  // `key` and `value` in one.
  template <typename T>
  JsonWriter& member(std::string_view name, const T& v) {
    key(name);
    return value(v);
  }

 private:
  void comma();
  std::string& out_;
  bool first_ = true;  // nothing written yet at this level
  bool after_key_ = false;
};

}  // namespace fonds
