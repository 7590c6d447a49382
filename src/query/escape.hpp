// The escapes of keys and values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <fonds/error.hpp>
#include <fonds/query.hpp>

namespace fonds::query {

enum class EscapePlace : std::uint8_t { Key, Value };

struct Escape {
  char32_t value = 0;      // the character that is meant
  std::size_t length = 0;  // octets of the escape, or of both escapes of a pair of surrogates
};

// Reads the escape whose backslash stands at `at` of `text`, a key or value without its quotes;
// `text_at` octets lie before `text` in the query. Errors: BadArgument at the backslash.
Result<Escape> read_escape(std::string_view text, std::size_t at, EscapePlace place,
                           Meaning meaning, std::size_t text_at);

}  // namespace fonds::query
