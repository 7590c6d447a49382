// ARC: URL-records and version blocks. What is read and how:
// docs/formats/arc.md, "Reading a line".
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/grammar_detail.hpp"

namespace fonds::warc::detail {

namespace {

std::string_view trim_right(std::string_view text) noexcept {
  while (!text.empty() && text.back() == ' ') {
    text.remove_suffix(1);
  }
  return text;
}

// The last token of `text`, which loses it but keeps the blanks before it. Only SP parts columns:
// URLs hold tabs.
std::string_view take_last(std::string_view& text) noexcept {
  text = trim_right(text);
  const std::size_t blank = text.rfind(' ');
  const std::size_t begin = blank == npos ? 0 : blank + 1;
  const auto token = text.substr(begin);
  text = text.substr(0, begin);
  return token;
}

bool is_address(std::string_view text) noexcept {
  unsigned dots = 0;
  unsigned colons = 0;
  bool hex = false;
  for (const char c : text) {
    const char lower = to_lower(c);
    if (c == '.') {
      ++dots;
    } else if (c == ':') {
      ++colons;
    } else if (lower >= 'a' && lower <= 'f') {
      hex = true;
    } else if (!is_digit(c)) {
      return false;
    }
  }
  return colons >= 2 ? text.size() <= 45
                     : dots == 3 && colons == 0 && !hex && text.size() >= 7 && text.size() <= 15;
}

bool is_date(std::string_view text) noexcept {
  return text.size() >= 8 && text.size() <= 18 && is_digits(text);
}

// Finds address and date in `text`, the line without what follows the content type; URL is what
// stands left of them and content type what stands right. The right-most pair counts, since URLs
// hold anything.
bool find_anchor(std::string_view text, bool pair, ArcLine& out) noexcept {
  std::string_view rest = text;
  std::string_view right = take_last(rest);
  std::size_t right_end = static_cast<std::size_t>(right.data() - text.data()) + right.size();
  while (!rest.empty()) {
    const auto left = take_last(rest);
    const std::size_t left_end = static_cast<std::size_t>(left.data() - text.data()) + left.size();
    const auto url = trim_right(rest);
    if (left.empty() || url.empty()) {
      return false;
    }
    const bool straight = pair ? (is_address(left) || left == "-") && is_date(right)
                               : is_date(right) || is_address(left);
    const bool swapped = pair && is_date(left) && is_address(right);
    if (straight || swapped) {
      out.url = url;
      out.ip = swapped ? right : left;
      out.date = swapped ? left : right;
      out.swapped = swapped;
      out.type = trim_blanks(text.substr(right_end));
      out.evidence = pair ? ArcLine::Evidence::Pair : ArcLine::Evidence::Half;
      return true;
    }
    right = left;
    right_end = left_end;
  }
  return false;
}

bool split_ten(std::string_view rest, bool expected, ArcLine& out) noexcept {
  out.filename = take_last(rest);
  out.offset = take_last(rest);
  out.location = take_last(rest);
  out.checksum = take_last(rest);
  out.result = take_last(rest);
  const bool result = out.result == "-" || (out.result.size() <= 3 && is_digits(out.result));
  if (!result || !(out.offset == "-" || is_digits(out.offset)) || !find_anchor(rest, true, out)) {
    return false;
  }
  // Without a fields-line that says so, ten columns are only believed if none is empty or holds a
  // blank.
  return expected || (!out.type.empty() && out.type.find(' ') == npos);
}

bool split_five(std::string_view rest, ArcLine& out) noexcept {
  if (find_anchor(rest, true, out) || find_anchor(rest, false, out)) {
    return true;
  }
  out.type = take_last(rest);
  out.date = take_last(rest);
  out.ip = take_last(rest);
  out.url = trim_right(rest);
  out.evidence = ArcLine::Evidence::Columns;
  // Five words with a colon behind the first are no URL-record.
  const bool plausible = out.ip == "-" || out.date == "-" || out.url.find("://") != npos ||
                         starts_with_ignoring_case(out.url, "dns:");
  return plausible && !out.ip.empty() && !out.url.empty() && out.url.find(' ') == npos;
}

}  // namespace

bool is_integer(std::string_view text) noexcept {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    text.remove_prefix(1);
  }
  return is_digits(text);
}

bool is_filedesc(std::string_view text) noexcept {
  return starts_with_ignoring_case(text, "filedesc:");
}

bool has_scheme(std::string_view text) noexcept {
  constexpr std::size_t kLongest = 32;
  for (std::size_t i = 0; i < text.size() && i <= kLongest; ++i) {
    const char c = to_lower(text[i]);
    if (c == ':') {
      return i > 0;
    }
    const bool letter = c >= 'a' && c <= 'z';
    if (!letter && (i == 0 || !(is_digit(c) || c == '+' || c == '-' || c == '.'))) {
      return false;
    }
  }
  return false;
}

std::optional<ArcLine> split_arc_line(std::string_view line, std::size_t columns) noexcept {
  if (!has_scheme(line)) {
    return std::nullopt;
  }
  const auto length = take_last(line);
  if (length.empty()) {
    return std::nullopt;
  }
  const bool ten = columns == 10;
  if (ArcLine result; split_ten(line, ten, result)) {
    result.columns = 10;
    result.length = length;
    return result;
  }
  if (ArcLine result; split_five(line, result)) {
    result.length = length;
    return result;
  }
  return std::nullopt;
}

namespace {

bool is_placeholder(std::string_view type) noexcept {
  return type == "-" || equals_ignoring_case(type, "no-type") || equals_ignoring_case(type, "unk");
}

void note_columns(Header& header, const ArcLine& line) {
  header.fields = {{"URL", line.url},
                   {"IP-address", line.ip},
                   {"Archive-date", line.date},
                   {"Content-type", line.type}};
  if (line.columns == 10) {
    header.fields.push_back({"Result-code", line.result});
    header.fields.push_back({"Checksum", line.checksum});
    header.fields.push_back({"Location", line.location});
    header.fields.push_back({"Offset", line.offset});
    header.fields.push_back({"Filename", line.filename});
    header.filename = line.filename == "-" ? std::string_view{} : line.filename;
    header.arc_status = line.result.size() == 3 && is_digits(line.result)
                            ? static_cast<int>(parse_length(line.result).value)
                            : 0;
  }
  header.fields.push_back({"Archive-length", line.length});
  header.uri = uri_view(header, line.url);
  header.ip = line.ip == "-" || line.ip == "0.0.0.0" ? std::string_view{} : line.ip;
  header.date_raw = line.date;
  if (line.date != "-" && !line.date.empty()) {
    header.date = parse_arc_date(line.date);
    add_date_issues(header);
  }
  if (line.swapped) {
    add_issue(header, "arc-swapped-columns",
              "date " + quoted(line.date) + " stands before the address");
  }
}

void note_archive_length(Header& header, std::string_view text) {
  const auto length = parse_length(text);
  header.length_state = length.state;
  header.block_length = length.value;
  if (length.state == Header::LengthState::Bad) {
    add_issue(header, "bad-length", "Archive-length " + quoted(text) + " is no length");
  } else if (length.plus) {
    add_issue(header, "odd-length", "Archive-length " + quoted(text) + " has a sign");
  }
}

void note_version(Header& header, const ArcContext& arc) {
  header.major = arc.major;
  header.minor = arc.minor;
  if (arc.major == 1 && (arc.minor == 0 || arc.minor == 1)) {
    header.version = arc.minor == 0 ? "ARC/1.0" : "ARC/1.1";
  } else if (arc.major == 2 && arc.minor == 0) {
    header.version = "ARC/2.0";
  } else {
    header.version =
        own(header, "ARC/" + std::to_string(arc.major) + "." + std::to_string(arc.minor));
    add_issue(header, "unknown-version",
              "version " + quoted(header.version) + " is none of 1.0, 1.1 and 2.0");
  }
}

// version-line and fields-line behind a filedesc line.
struct Definition {
  std::size_t length = 0;  // octets of both; 0: they are not there
  bool more = false;       // what there is may be cut
  int major = 1, minor = 0;
  std::size_t columns = 5;
};

Definition read_definition(std::string_view text) noexcept {
  Definition result;
  const bool bounded = text.size() >= kDefinitionLookAhead;
  text = text.substr(0, kDefinitionLookAhead);
  const std::size_t first = text.find('\n');
  const std::size_t second = first == npos ? npos : text.find('\n', first + 1);
  if (second == npos) {
    result.more = !bounded;
    return result;
  }
  auto version = strip_line_end(text.substr(0, first));
  auto names = strip_line_end(text.substr(first + 1, second - first - 1));
  const auto major = take_token(version);
  const auto minor = take_token(version);
  if (!is_digits(major) || !is_digits(minor) || major.size() > 4 || minor.size() > 4 ||
      !starts_with_ignoring_case(names, "URL ")) {
    return result;
  }
  result.length = second + 1;
  result.major = static_cast<int>(parse_length(major).value);
  result.minor = static_cast<int>(parse_length(minor).value);
  std::size_t columns = 0;
  while (!take_token(names).empty()) {
    ++columns;
  }
  result.columns = columns >= 10 ? 10 : 5;
  return result;
}

void parse_version_block(std::string_view line, const Definition& definition, ArcContext& arc,
                         Header& header) {
  arc = ArcContext{};
  arc.have_filedesc = true;
  arc.major = definition.major;
  arc.minor = definition.minor;
  arc.columns = definition.columns;
  if (const auto columns = split_arc_line(line, 5)) {
    note_columns(header, *columns);
    note_archive_length(header, columns->length);
  } else {
    auto rest = line;
    header.uri = take_token(rest);
    const auto length = take_last(rest);
    header.fields = {{"URL", header.uri}, {"Archive-length", length}};
    note_archive_length(header, length);
  }
  note_version(header, arc);
  header.type = "warcinfo";
  header.arc_header = true;
  header.content_type = "text/plain";
  const auto path = header.fields.front().value.substr(std::string_view("filedesc:").size());
  header.filename = path.starts_with("//") ? path.substr(2) : path;
  // Without a length the block is at least what was understood of it (warcio-bad.arc).
  if (header.length_state == Header::LengthState::Bad) {
    header.block_length = definition.length;
  }
}

void note_kind(Header& header, std::string_view type) {
  const auto uri = header.uri;
  const bool raw = equals_ignoring_case(type, "alexa/dat");
  header.payload_type = is_placeholder(type) ? std::string_view{} : type;
  header.type = "resource";
  if (starts_with_ignoring_case(uri, "dns:")) {
    header.content_type = "text/dns";
  } else if (!raw && (starts_with_ignoring_case(uri, "http:") ||
                      starts_with_ignoring_case(uri, "https:"))) {
    header.type = "response";
    header.content_type = "application/http;msgtype=response";
  } else {
    header.content_type = header.payload_type;
  }
}

void parse_url_record(std::string_view line, ArcContext& arc, Header& header) {
  note_version(header, arc);
  const auto columns = split_arc_line(line, arc.columns);
  if (!columns) {
    header.uri = uri_view(header, line);  // not reached behind classify_start()
    return;
  }
  note_columns(header, *columns);
  note_archive_length(header, columns->length);
  note_kind(header, columns->type);
  if (arc.columns == 10 && columns->columns == 5) {
    add_issue(header, "arc-v1-in-v2", "the line has 5 columns, the fields-line says 10");
  }
  if (!arc.have_filedesc) {
    arc.have_filedesc = true;
    add_issue(header, "arc-no-filedesc", "no version block stands before the first record");
  }
}

}  // namespace

bool parse_arc(std::string_view text, Start start, bool whole, ArcContext& arc, Header& header) {
  header.dialect = Dialect::Arc;
  const std::size_t end = text.find('\n');
  if (end == npos && !whole) {
    return false;
  }
  const auto line = trim_right(strip_line_end(text.substr(0, end)));
  const std::size_t length = end == npos ? text.size() : end + 1;
  Definition definition;
  if (start == Start::ArcVersion) {
    definition = read_definition(text.substr(length));
    if (definition.more && !whole) {
      return false;
    }
  }
  header.complete = end != npos;
  header.length = length;
  header.lf_only = end != npos && (end == 0 || text[end - 1] != '\r');
  if (start == Start::ArcVersion) {
    parse_version_block(line, definition, arc, header);
  } else {
    parse_url_record(line, arc, header);
  }
  return true;
}

}  // namespace fonds::warc::detail
