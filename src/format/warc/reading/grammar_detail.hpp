// What the parsers of the three dialects share. Private to grammar*.cpp and resync.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "format/warc/reading/grammar.hpp"

namespace fonds::warc::detail {

// No header-line and no evidence for a record is looked for further away than this, in octets.
inline constexpr std::size_t kLookAhead = std::size_t{64} * 1024;
// A filedesc's two definition lines are looked for in so many octets behind its line.
inline constexpr std::size_t kDefinitionLookAhead = std::size_t{8} * 1024;

enum class Verdict : std::uint8_t { No, Yes, More };  // More: the octets end before it shows

inline bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }
bool is_digits(std::string_view text) noexcept;  // false for an empty text
// Without SP and HTAB at both ends; bare CR and LF are text in WARC 00.11.
inline std::string_view trim_blanks(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}
// Without CRs at its end.
inline std::string_view strip_line_end(std::string_view line) noexcept {
  while (!line.empty() && line.back() == '\r') {
    line.remove_suffix(1);
  }
  return line;
}
// Without one enclosing pair of <>.
std::string_view strip_brackets(std::string_view text) noexcept;
// The next token of `text`, which loses it and the blanks before it; empty at the end.
std::string_view take_token(std::string_view& text) noexcept;

// warc/ 1*9DIGIT "." 1*9DIGIT at the start of `text`, letters in any case.
struct VersionToken {
  int major = 0, minor = 0;
  std::size_t length = 0;   // octets of the token
  bool positional = false;  // two digits on each side, as in warc/00.11
};
Verdict parse_version_token(std::string_view text, VersionToken& out) noexcept;

// The header-line of WARC 00.11; views into the text.
struct PositionalLine {
  std::string_view version, data_length, date, id, status;
  std::string_view rest;  // of the text, behind the columns
};
// Splits the header-line at the start of `text` (2.1 and ruling R16). Stops at CR, LF or the end of
// `text`; More if nothing is wrong but it ended before the fifth token did.
Verdict split_positional(std::string_view text, PositionalLine& out) noexcept;

// The columns of an ARC URL-record; views into the line.
struct ArcLine {
  enum class Evidence : std::uint8_t {
    Pair,    // an address beside a date
    Half,    // one of them
    Columns  // only the number of columns
  };
  std::string_view url, ip, date, type, result, checksum, location, offset, filename, length;
  std::size_t columns = 5;
  bool swapped = false;  // date and address stood in each other's place
  Evidence evidence = Evidence::Columns;
};
// Splits `line` (no line end) by the rule of 7.3; `columns` is what the fields-line says. Nothing
// if it has no scheme or too few columns. The length may be anything.
std::optional<ArcLine> split_arc_line(std::string_view line, std::size_t columns) noexcept;
bool is_integer(std::string_view text) noexcept;  // 1*DIGIT with an optional sign
bool is_filedesc(std::string_view text) noexcept;
bool has_scheme(std::string_view text) noexcept;

// A length in octets. `plus`: it had a sign that the grammar does not know.
struct Length {
  Header::LengthState state = Header::LengthState::Missing;
  std::uint64_t value = 0;
  bool plus = false;
};
Length parse_length(std::string_view text) noexcept;

// Adds an issue unless the header has one of this code.
void add_issue(Header& header, std::string_view code, std::string message);
// `text` in quotes for a message: cut after 60 octets, and UTF-8.
std::string quoted(std::string_view text);
// Keeps `text` as long as the header lives.
std::string_view own(Header& header, std::string text);
// The model's view of a URI: without <>, blanks as %20.
std::string_view uri_view(Header& header, std::string_view text);
// Issues of header.date.
void add_date_issues(Header& header);
void check_utf8(Header& header, std::string_view octets);

// Collects named fields line by line: unfolds, trims, drops lines that are none.
class FieldLines {
 public:
  explicit FieldLines(Header& header) : header_(header) {}
  // `line` has no line end and is not empty. Returns the name if the line begins a field.
  std::string_view add(std::string_view line);

 private:
  void fold(std::string_view line);

  Header& header_;
  std::string* unfolded_ = nullptr;  // the last field's text, if it has been copied
  bool open_ = false;                // the last line was a field or part of one
};

// Known::kCount: none of them.
Known identify(std::string_view name) noexcept;
bool is_concurrent_to(std::string_view name) noexcept;
// Puts the fields named as in WARC 1.1 into header.known, and gives `duplicate-field` for those
// that may not repeat. Adds all WARC-Concurrent-To to the model.
void note_known_fields(Header& header);

bool parse_modern(std::string_view text, bool whole, Header& header);
bool parse_positional(std::string_view text, bool whole, Header& header);
bool parse_arc(std::string_view text, Start start, bool whole, ArcContext& arc, Header& header);

}  // namespace fonds::warc::detail
