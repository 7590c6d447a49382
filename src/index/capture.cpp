#include "index/capture.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/text.hpp"
#include "index/capture_json.hpp"

namespace fonds::index {
namespace {

constexpr std::string_view kMissing = "-";
// Before some tools wrote the length of a record, and when there was no place for robots tags.
constexpr std::string_view kCdx10 = "NbamskrMVg";

bool is_timestamp(std::string_view text) {
  return text.size() >= 4 && text.size() <= 17 && std::all_of(text.begin(), text.end(), is_digit);
}
// As columns hold them.
bool is_number_or_missing(std::string_view text) {
  return text == kMissing || parse_number(text).has_value();
}

std::string_view without_line_end(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) {
    line.remove_suffix(1);
  }
  return line;
}

void append_number(std::string& out, std::uint64_t number) {
  std::array<char, 20> digits = {};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

// A digest without its label.
std::string_view bare_digest(std::string_view digest) {
  return digest.substr(digest.rfind(':') + 1);
}

void append_encoded(std::string& out, std::string_view value) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (const char c : value) {
    const auto octet = static_cast<unsigned char>(c);
    if (octet > 0x20 && octet != 0x7f) {
      out += c;
    } else {
      out += {'%', kHex[octet >> 4], kHex[octet & 15]};
    }
  }
}

void append_column(std::string& out, std::string_view value) {
  if (value.empty()) {
    out += kMissing;
    return;
  }
  append_encoded(out, value);
}

void append_column(std::string& out, std::optional<std::uint64_t> value) {
  if (value) {
    append_number(out, *value);
  } else {
    out += kMissing;
  }
}

void append_column(std::string& out, const Capture& capture, char letter) {
  switch (letter) {
    case 'N':
      return append_column(out, capture.key);
    case 'b':
      return append_column(out, capture.timestamp);
    case 'a':
      return append_column(out, capture.url);
    case 'm':
      return append_column(out, capture.mime);
    case 's':
      return append_column(out, capture.status);
    case 'k':
      return append_column(out, bare_digest(capture.digest));
    case 'r':
      return append_column(out, capture.redirect);
    case 'M':
      return append_column(out, capture.robots);
    case 'S':
      return append_column(out, capture.length);
    case 'V':
      return append_column(out, capture.offset);
    case 'g':
      return append_column(out, capture.filename);
    default:
      out += kMissing;
  }
}

std::vector<std::string_view> split(std::string_view line, char delimiter) {
  std::vector<std::string_view> columns;
  while (true) {
    const std::size_t end = line.find(delimiter);
    columns.push_back(line.substr(0, end));
    if (end == npos) {
      return columns;
    }
    line = line.substr(end + 1);
  }
}

// The columns of a legend; nothing if the line is none.
std::optional<LineLayout> parse_legend(std::string_view line) {
  LineLayout layout;
  layout.cdxj = false;
  if (line.starts_with("CDX ")) {
    line = line.substr(3);  // its first blank was lost
  } else if (line.size() > 4 && line.substr(1, 3) == "CDX" && line[4] == line[0]) {
    layout.delimiter = line[0];
    line = line.substr(4);
  } else {
    return std::nullopt;
  }
  while (!line.empty() && line.back() == layout.delimiter) {
    line.remove_suffix(1);
  }
  while (line.size() >= 2 && line[0] == layout.delimiter && line[1] != layout.delimiter) {
    layout.columns += line[1];
    line = line.substr(2);
  }
  const bool known = line.empty() && layout.columns.find('b') != npos &&
                     layout.columns.find_first_of("NaA") != npos;
  return known ? std::optional(layout) : std::nullopt;
}

struct CdxjParts {
  std::string_view key, timestamp, json;
};
std::optional<CdxjParts> split_cdxj(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t second = first == npos ? npos : line.find(' ', first + 1);
  if (second == npos) {
    return std::nullopt;
  }
  return CdxjParts{line.substr(0, first), line.substr(first + 1, second - first - 1),
                   trim(line.substr(second + 1))};
}

bool looks_like_cdxj(std::string_view line) {
  const auto parts = split_cdxj(line);
  return parts && !parts->key.empty() && parts->json.starts_with('{') &&
         (is_timestamp(parts->timestamp) || line.starts_with('!'));
}

// The columns of a line of a CDX without a legend, if there are as many as one of the usual layouts
// has and numbers are where they should be.
std::string_view guess_columns(std::string_view line) {
  const std::vector<std::string_view> columns = split(line, ' ');
  for (const std::string_view layout : {kCdx11, kCdx9, kCdx10}) {
    if (columns.size() == layout.size() && is_timestamp(columns[1]) &&
        parse_number(columns[layout.find('V')]) &&
        (layout.find('S') == npos || is_number_or_missing(columns[layout.find('S')]))) {
      return layout;
    }
  }
  return {};
}

// For a message: the beginning of what a line holds.
std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 40;
  return escape_for_terminal(text.substr(0, kMost)) + (text.size() > kMost ? "…" : "");
}

Status set_number(std::optional<std::uint64_t>& member, std::string_view value, char letter) {
  if (value == kMissing) {
    return {};
  }
  member = parse_number(value);
  if (!member) {
    return corrupt_capture(
        fmt::format("column {} holds \"{}\", which is no number", letter, shown(value)));
  }
  return {};
}

Status set_column(Capture& capture, char letter, std::string_view value) {
  const auto set = [&](std::string& member) { member = value == kMissing ? "" : value; };
  switch (letter) {
    case 'N':
      capture.key = value;
      break;
    case 'b':
      if (!is_timestamp(value)) {
        return corrupt_capture(
            fmt::format("column b holds \"{}\", which is no timestamp", shown(value)));
      }
      capture.timestamp = value;
      break;
    case 'a':
      set(capture.url);
      break;
    case 'm':
      set(capture.mime);
      break;
    case 's':
      set(capture.status);
      break;
    case 'k':
      set(capture.digest);
      break;
    case 'r':
      set(capture.redirect);
      break;
    case 'M':
      set(capture.robots);
      break;
    case 'S':
      return set_number(capture.length, value, letter);
    case 'V':
      return set_number(capture.offset, value, letter);
    case 'g':
      set(capture.filename);
      break;
    default:
      if (value != kMissing) {
        std::string json;
        append_json_text(json, value);
        capture.others.emplace_back(std::string(1, letter), std::move(json));
      }
  }
  return {};
}

// Of a line with `more` columns than it should have: there are blanks in the URL, which begins with
// column `url`. What stands behind it is counted from the right.
void join_url(std::string_view line, std::vector<std::string_view>& columns, std::size_t url,
              std::size_t more) {
  std::size_t begin = url;  // the blanks before it
  for (std::size_t i = 0; i < url; ++i) {
    begin += columns[i].size();
  }
  std::size_t length = more;  // the blanks in it
  for (std::size_t i = url; i <= url + more; ++i) {
    length += columns[i].size();
  }
  columns[url] = line.substr(begin, length);
  const auto next = columns.begin() + static_cast<std::ptrdiff_t>(url) + 1;
  columns.erase(next, next + static_cast<std::ptrdiff_t>(more));
}

Result<Capture> parse_cdx(std::string_view line, const LineLayout& layout) {
  if (parse_legend(line)) {
    return fail(ErrorCode::Unsupported, "a legend is no capture");
  }
  std::vector<std::string_view> columns = split(line, layout.delimiter);
  const std::size_t wanted = layout.columns.size();
  if (columns.size() < wanted) {
    return corrupt_capture(fmt::format("the line has {} columns, not {}", columns.size(), wanted));
  }
  if (columns.size() > wanted) {
    const std::size_t url = layout.columns.find('a');
    if (url == npos) {
      return corrupt_capture(
          fmt::format("the line has {} columns, not {}", columns.size(), wanted));
    }
    join_url(line, columns, url, columns.size() - wanted);
  }
  Capture capture;
  for (std::size_t i = 0; i < wanted; ++i) {
    FONDS_CHECK(set_column(capture, layout.columns[i], columns[i]));
  }
  if (layout.columns.find('N') == npos) {
    const std::size_t canonized = layout.columns.find('A');
    capture.key = canonized == npos ? capture.url : std::string(columns[canonized]);
  }
  if (capture.key.empty()) {
    return corrupt_capture("the line has no key");
  }
  return capture;
}

Result<Capture> parse_cdxj(std::string_view line) {
  if (line.starts_with('!')) {
    return fail(ErrorCode::Unsupported, "a header line is no capture");
  }
  const auto parts = split_cdxj(line);
  if (!parts || parts->key.empty()) {
    return corrupt_capture(
        fmt::format("the line has no key, timestamp and object: \"{}\"", shown(line)));
  }
  if (!is_timestamp(parts->timestamp)) {
    return corrupt_capture(fmt::format("\"{}\" is no timestamp", shown(parts->timestamp)));
  }
  Capture capture;
  capture.key = parts->key;
  capture.timestamp = parts->timestamp;
  FONDS_CHECK(parse_members(parts->json, capture));
  return capture;
}

}  // namespace

void append_cdxj(std::string& out, const Capture& capture) {
  out.append(capture.key).append(" ").append(capture.timestamp).append(" {");
  const std::size_t begin = out.size();
  const auto name = [&](std::string_view text) {
    out.append(out.size() == begin ? "\"" : ", \"").append(text).append("\": ");
  };
  const auto text = [&](std::string_view member, std::string_view value) {
    if (!value.empty()) {
      name(member);
      append_json_text(out, value);
    }
  };
  const auto number = [&](std::string_view member, std::optional<std::uint64_t> value) {
    if (value) {
      name(member);
      out += '"';
      append_number(out, *value);
      out += '"';
    }
  };
  text("url", capture.url);
  text("mime", capture.mime);
  text("status", capture.status);
  text("digest", capture.digest);
  number("length", capture.length);
  number("offset", capture.offset);
  number("inner", capture.inner);
  text("filename", capture.filename);
  text("recordDigest", capture.record_digest);
  if (!capture.method.empty()) {
    name("requestBody");
    append_json_text(out, capture.request_body);
    text("method", capture.method);
  }
  for (const auto& [member, json] : capture.others) {
    out.append(out.size() == begin ? "" : ", ");
    append_json_text(out, member);
    out.append(": ").append(json);
  }
  out += '}';
}

void append_cdx(std::string& out, const Capture& capture, std::string_view columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) {
      out += ' ';
    }
    append_column(out, capture, columns[i]);
  }
}

std::string cdx_value(std::string_view value) {
  std::string text;
  append_encoded(text, value);
  return text;
}

std::string cdx_legend(std::string_view columns) {
  std::string legend = " CDX";
  for (const char letter : columns) {
    legend += {' ', letter};
  }
  return legend;
}

std::optional<LineLayout> recognize_layout(std::string_view head) {
  std::string_view columns;
  bool first = true;
  while (!head.empty()) {
    const std::size_t end = head.find('\n');
    if (end == npos && !first) {
      break;  // it may be cut
    }
    const std::string_view line = without_line_end(head.substr(0, end));
    head = end == npos ? std::string_view() : head.substr(end + 1);
    if (line.empty()) {
      continue;
    }
    if (first) {
      if (auto legend = parse_legend(line)) {
        return legend;
      }
    }
    if (line.starts_with('!') || looks_like_cdxj(line)) {
      return first ? std::optional(LineLayout{}) : std::nullopt;
    }
    // A URL with a blank makes a line look as if it had more columns; most have none.
    const std::string_view guess = guess_columns(line);
    if (!guess.empty() && (columns.empty() || guess.size() < columns.size())) {
      columns = guess;
    }
    if (first && guess.empty() && split(line, ' ').size() < kCdx9.size()) {
      return std::nullopt;
    }
    first = false;
  }
  if (columns.empty()) {
    return std::nullopt;
  }
  return LineLayout{false, ' ', std::string(columns)};
}

Result<Capture> parse_line(std::string_view line, const LineLayout& layout) {
  line = without_line_end(line);
  return layout.cdxj ? parse_cdxj(line) : parse_cdx(line, layout);
}

}  // namespace fonds::index
