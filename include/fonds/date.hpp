// Points in time as archives write them: with a precision, and with the odd forms that real writers
// used.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fonds {

// A W3C-DTF moment in UTC that keeps the precision it was written with; years 0000 to 9999.
struct Date {
  enum class Precision : std::uint8_t { Year, Month, Day, Hour, Minute, Second, Fraction };

  std::int64_t seconds = 0;       // since 1970-01-01T00:00:00Z; missing parts count as their start
  std::uint32_t nanoseconds = 0;  // 0..999999999
  Precision precision = Precision::Second;
  std::uint8_t fraction_digits = 0;  // 1..9 with Precision::Fraction, as written

  // "2009", "2009-03", "2009-03-06", "…T16:43Z", "…T16:43:19Z", "…T16:43:19.123Z". W3C-DTF has no
  // form that ends with the hour, so Hour prints as "…T16:00Z", which every reader of W3C-DTF
  // understands. Seconds outside the years 0000 to 9999 print as the nearest second inside.
  std::string to_string() const;
  friend bool operator==(const Date&, const Date&) = default;
};

// What had to be overlooked to understand a date. Values of one parse can be combined.
struct DateQuirks {
  bool invalid = false;  // names a moment that does not exist (month 13, 31 February, second 93)
  bool not_14_digits = false;  // a positional or ARC date of another length
  bool day_of_year = false;    // ClueWeb09's 2009-03-65T…: the third part is the day of the year
  bool other_form = false;     // understood, but not in the form that the standard asks for
};

struct ParsedDate {
  std::optional<Date> value;  // nothing if the text cannot be understood at all
  DateQuirks quirks;
};

// WARC-Date of the modern dialects (WARC 1.1, 5.4) and the lenient list: any W3C-DTF granularity,
// fractions of 1 to 9 digits, an offset (+01:00, -0800), 14 digits, RFC 1123, day of year. Blanks
// at both ends are ignored. Where a part names nothing that exists, the value ends before it (quirk
// `invalid`). A day beyond its month is the day of the year; if that day lies in another month,
// `invalid` is set too. Allocates nothing.
ParsedDate parse_warc_date(std::string_view text);

// creation-date of WARC 00.11 (docs/formats/warc-00.11.md, "Rulings", R15): 14 digits; otherwise
// the longest valid prefix at a year, month, day, minute or second (never hour). Of more than 14
// digits the first 14 are tried.
ParsedDate parse_positional_date(std::string_view text);

// Archive-date of ARC (docs/formats/arc.md, "Reading a line"): the first 14 of more digits; fewer
// than 14 are padded with 0 and reduce the precision (10 digits: hour, 8: day); month or day 00
// reduce it too, with the quirk `invalid`; anything else is no date.
ParsedDate parse_arc_date(std::string_view text);

// A time given by a person: ISO 8601 in any granularity, or 4 to 17 digits
// (YYYY[MM[DD[hh[mm[ss[mmm]]]]]]). Without an offset it is UTC. Nothing if it names a moment that
// does not exist.
std::optional<Date> parse_user_date(std::string_view text);

// True if `text` is a WARC-Date by the letter of WARC 1.0 (`minor` 0: seconds exactly) or 1.1
// (`minor` 1).
bool is_strict_warc_date(std::string_view text, int minor);

}  // namespace fonds
