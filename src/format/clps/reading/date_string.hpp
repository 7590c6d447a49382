// Timestamp patterns of clp-s archives up to 0.4.1 (`%Y-%m-%dT%H:%M:%S.%3`), in DateString columns.
// docs/formats/clp-s.md lists the specifiers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/error.hpp>

namespace fonds::clps {

class DatePattern {
 public:
  // Errors: Corrupt, an unknown specifier.
  static Result<DatePattern> parse(std::string_view stored);

  // Appends the text of a stored value: no quotes, nothing escaped. Any value has a text.
  void print(std::int64_t value, std::string& out) const;

  // The value that this pattern prints as exactly this text. Never with `%E` or `%F`, whose values
  // are no milliseconds. Allocates nothing as long as the pattern prints 250 bytes at most.
  std::optional<std::int64_t> match_exactly(std::string_view text) const;

  // Nanoseconds since 1970 UTC of a stored value, which counts milliseconds, with `%F` nanoseconds,
  // and with `%E` what the size of the number suggests. Saturates.
  std::int64_t instant_ns(std::int64_t value) const noexcept;

 private:
  struct Part {
    char letter = '\0';        // '\0' is literal text
    std::uint32_t offset = 0;  // into literals_
    std::uint32_t length = 0;
  };

  DatePattern() = default;
  void add_literal(std::string_view text);
  // The place behind the text, longest_ behind `at` at most.
  char* put(char* at, std::int64_t value) const;
  std::string_view literal(const Part& part) const {
    return std::string_view(literals_).substr(part.offset, part.length);
  }

  std::string literals_;
  std::vector<Part> parts_;
  std::size_t longest_ = 0;  // bytes of any text
  bool nanoseconds_ = false;
  bool plain_number_ = false;
};

// The patterns that archives up to 0.4.1 may get, in the order in which they are tried: those of
// the original without the ones that match a part of a text, and without `%E` and `%F`.
std::span<const std::string_view> default_date_patterns();

}  // namespace fonds::clps
