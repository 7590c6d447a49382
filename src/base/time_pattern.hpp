// Timestamp patterns of clp-s archives since 0.5.0 (`"\Y-\m-\dT\H:\M:\S.\3Z"`, `\E.\T`) and times
// as people write them. Every byte of a pattern stands for itself but `\`, which starts a
// specifier: docs/formats/clp-s.md lists them.
//
// Instants are nanoseconds since 1970-01-01T00:00:00Z without leap seconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fonds/error.hpp>

namespace fonds {

// A text that was understood as a time.
struct TimeText {
  std::int64_t ns = 0;
  bool saturated = false;    // the instant is outside of 64 bits; `ns` is the nearest that fits
  std::string pattern = {};  // prints the text again; without quotes, all choices made
};

// 0.5.1 added RFC 822 times and the names of zones (`\o`).
enum class TimeSyntax : std::uint8_t { V050, V051 };

// Tries the patterns that clp-s tries on a value, in its order. The whole text must match.
std::optional<TimeText> match_default_time(std::string_view text,
                                           TimeSyntax syntax = TimeSyntax::V051);

// The same from the pattern with the number `from` on; `from` is then the number behind that of the
// pattern that matched. For callers that may not want the first answer.
std::optional<TimeText> match_default_time(std::string_view text, TimeSyntax syntax,
                                           std::size_t& from);

// Matches the whole text with one pattern that may leave choices open (`\Z`, `\?`, `\P`, `\O{xy}`,
// `\s`); a pattern without them is one that an archive could store. No quotes around either.
//
// Errors: BadArgument, the pattern has no meaning.
Result<std::optional<TimeText>> match_time(std::string_view pattern, std::string_view text,
                                           TimeSyntax syntax = TimeSyntax::V051);

// Seconds, ms, µs or ns since 1970, whichever the size of the number suggests (1971 to 2970 in each
// unit). Saturates. A double counts with its shortest decimal digits, so that 1706980946.603 means
// exactly that; what is below nanoseconds is cut off; NaN is 0.
std::int64_t instant_of_number(std::int64_t value) noexcept;
std::int64_t instant_of_number(double value) noexcept;

// A pattern as an archive stores it. Copies are cheap and share; const calls may run in parallel.
class TimePattern {
 public:
  // Errors: Corrupt, the pattern has no meaning, or what it prints is no JSON text.
  static Result<TimePattern> parse(std::string_view stored);

  // Appends the text of an instant, in double quotes if the pattern stands in them.
  //
  // Errors: Corrupt if the pattern shows a fraction without trailing zeros (`\T`) and the instant
  // has none, or a year in two digits (`\y`) and it is before 1900; nothing is appended then.
  Status print(std::int64_t ns, std::string& out) const;

  bool quoted() const noexcept { return quoted_; }

  // The instant of a text that this pattern prints, quotes left off on both sides.
  std::optional<TimeText> match(std::string_view text) const;

  // The instant that this pattern prints as exactly this text, quotes left off on both sides; no
  // instant if there is none in 64 bits. Allocates nothing as long as the
  // pattern prints 250 bytes at most. A pattern with `\\` prints no text that
  // it matches.
  std::optional<std::int64_t> match_exactly(std::string_view text) const;

 private:
  struct Program;

  TimePattern() = default;

  std::shared_ptr<const Program> program_;
  bool quoted_ = false;
};

}  // namespace fonds
