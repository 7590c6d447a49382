// A capture: one line of a CDX or CDXJ, the unit of an index of web archives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/error.hpp>

namespace fonds::index {

struct Capture {
  std::string key;                        // SURT of the URL; "-" without one
  std::string timestamp;                  // 14 digits, or 17 with milliseconds
  std::string url, mime, status, digest;  // empty: not there
  std::string redirect, robots;           // CDX only: columns r and M
  std::optional<std::uint64_t> length, offset;
  // Decoded bytes from `offset`, if the record does not begin with its gzip member or frame. CDXJ
  // only, a member of our own: "inner".
  std::optional<std::uint64_t> inner;
  std::string filename;
  std::string method, request_body;  // of a joined request; the body only with the method
  std::string record_digest;         // "sha256:…" of the stored octets
  // Members of a CDXJ line that have no field here: name, and value as JSON text.
  std::vector<std::pair<std::string, std::string>> others;
};

// The columns of a CDX, one letter each: "N b a m s k r M S V g".
inline constexpr std::string_view kCdx11 = "NbamskrMSVg";
inline constexpr std::string_view kCdx9 = "NbamskrVg";

// Append one line without its line end.
void append_cdxj(std::string& out, const Capture& capture);
void append_cdx(std::string& out, const Capture& capture, std::string_view columns);
// A value as it stands in a column of a CDX: what would be taken for several columns, or lines,
// blanks and control characters, is percent-encoded.
std::string cdx_value(std::string_view value);
// " CDX N b a m s k r M S V g"
std::string cdx_legend(std::string_view columns);

// How the lines of a file are to be read.
struct LineLayout {
  bool cdxj = true;
  char delimiter = ' ';
  std::string columns;  // of a CDX
};
// By the first lines of a file: a legend, a JSON object in the third place, or the number of
// columns. Nothing if this is no CDX at all. `head` is what the file begins with, up to 64 KiB.
std::optional<LineLayout> recognize_layout(std::string_view head);
// Errors: Corrupt, with what is wrong with the line. Legends and "!…" lines are no captures:
// Unsupported.
Result<Capture> parse_line(std::string_view line, const LineLayout& layout);

}  // namespace fonds::index
