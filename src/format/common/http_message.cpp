#include "format/common/http_message.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <fonds/bytes.hpp>

#include "base/text.hpp"

namespace fonds::http {
namespace {

// More empty lines than this before the first line are payload.
constexpr int kMaxLeadingEmptyLines = 4;
// Stray lines that old ARC files have before the status line.
constexpr int kMaxStrayLines = 64;
// A first line longer than this is payload, so that a large block without any line end costs
// little.
constexpr std::size_t kMaxFirstLine = std::size_t{1} << 20;
// Keeps what the parsed fields need in proportion to the head: a field may be three octets long.
constexpr std::size_t kMaxFields = 20000;
// A string this long owns heap memory, so views into it survive when the head is moved.
constexpr std::size_t kBeyondInlineString = 64;

// RFC 9110, 5.6.2.
constexpr std::array<bool, 256> kIsToken = [] {
  std::array<bool, 256> table{};
  for (const char c :
       std::string_view("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "!#$%&'*+-.^_`|~")) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}();

bool is_token(char c) { return kIsToken[static_cast<unsigned char>(c)]; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_line_space(char c) { return is_blank(c) || c == '\r' || c == '\n'; }

std::string_view between(const char* first, const char* last) {
  return {first, static_cast<std::size_t>(last - first)};
}

// Without blanks and line ends at both ends; an empty result still points to where it was.
std::string_view trim_in_place(const char* first, const char* last) {
  while (first < last && is_blank(*first)) {
    ++first;
  }
  while (last > first && is_line_space(last[-1])) {
    --last;
  }
  return between(first, last);
}

std::string_view trim_in_place(std::string_view text) {
  return trim_in_place(text.data(), text.data() + text.size());
}

std::size_t token_length(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && is_token(text[n])) {
    ++n;
  }
  return n;
}

// Three digits that a blank, a letter or the end follows.
bool parse_status(std::string_view text, int& status) {
  if (text.size() < 3 || text[0] < '1' || !is_digit(text[0]) || !is_digit(text[1]) ||
      !is_digit(text[2]) || (text.size() > 3 && is_digit(text[3]))) {
    return false;
  }
  status = (text[0] - '0') * 100 + (text[1] - '0') * 10 + (text[2] - '0');
  return true;
}

// Protocols that answer in the manner of HTTP: "ICY", "RTSP/1.0". No small letters, so that a text
// such as "Chapter 100" is not taken for one.
bool is_other_protocol(std::string_view token) {
  return token.size() <= 16 && token.front() >= 'A' && token.front() <= 'Z' &&
         std::all_of(token.begin(), token.end(), [](char c) {
           return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '/' || c == '.' || c == '-';
         });
}

bool parse_status_line(std::string_view line, Head& head) {
  const std::size_t word = std::min(line.find_first_of(" \t"), line.size());
  if (word == 0) {
    return false;
  }
  const std::string_view protocol = line.substr(0, word);
  const std::string_view rest = trim_in_place(line.substr(word));
  int status = 0;
  const bool numbered = parse_status(rest, status);
  const bool apart = numbered && (rest.size() == 3 || is_blank(rest[3]));
  const bool http = starts_with_ignoring_case(protocol, "HTTP") &&
                    (protocol.size() == 4 ||
                     (protocol.size() > 5 && protocol[4] == '/' && is_digit(protocol[5])));
  if (http) {
    if (!numbered && protocol.size() == 4) {
      return false;  // a text that begins with the word
    }
    head.odd |= !apart || protocol.substr(0, 4) != "HTTP";
  } else {
    if (!apart || !is_other_protocol(protocol)) {
      return false;
    }
    head.odd = true;
  }
  head.kind = Head::Kind::Response;
  head.protocol = protocol;
  head.status = status;
  const std::string_view reason = numbered ? rest.substr(3) : rest;
  head.reason = trim_in_place(reason);
  return true;
}

bool parse_request_line(std::string_view line, Head& head) {
  const std::size_t word = token_length(line);
  if (word == 0 || word == line.size() || !is_blank(line[word])) {
    return false;
  }
  const std::string_view method = line.substr(0, word);
  std::string_view target = trim_in_place(line.substr(word));
  std::string_view protocol;
  const std::size_t gap = target.find_last_of(" \t");
  const std::string_view last = gap == std::string_view::npos ? target : target.substr(gap + 1);
  if (starts_with_ignoring_case(last, "HTTP/")) {
    protocol = last;
    target = trim_in_place(target.substr(0, target.size() - last.size()));
  }
  if (protocol.empty()) {
    // HTTP/0.9, or a text: only capitals and something like a path or an address will do.
    const bool capitals =
        std::all_of(method.begin(), method.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    const bool address = !target.empty() && (target.front() == '/' || target == "*" ||
                                             target.find(':') != std::string_view::npos);
    if (!capitals || !address) {
      return false;
    }
  }
  head.odd |= target.empty() || target.find_first_of(" \t") != std::string_view::npos;
  head.kind = Head::Kind::Request;
  head.method = method;
  head.target = target;
  head.protocol = protocol;
  return true;
}

// What old ARC files have before the status line.
bool is_stray_line(std::string_view line) {
  const std::size_t n = token_length(line);
  return (n > 0 && n < line.size() && line[n] == ':') || line.starts_with("DELETED");
}

enum class Start : std::uint8_t { Found, NotHttp, NeedMore };

// Looks for the status or request line and moves `at` behind it.
Start find_first_line(const char*& at, const char* end, Expect expect, bool whole, Head& head) {
  int empty_lines = 0;
  for (int stray_lines = 0; stray_lines <= kMaxStrayLines;) {
    if (at == end) {
      return whole ? Start::NotHttp : Start::NeedMore;
    }
    if (!is_token(*at) && *at != '\r' && *at != '\n') {
      return Start::NotHttp;
    }
    const std::size_t near = std::min(static_cast<std::size_t>(end - at), kMaxFirstLine);
    const char* line_end = static_cast<const char*>(std::memchr(at, '\n', near));
    if (line_end == nullptr) {
      if (near == kMaxFirstLine) {
        return Start::NotHttp;
      }
      if (!whole) {
        return Start::NeedMore;
      }
    }
    const char* next = line_end == nullptr ? end : line_end + 1;
    const char* last = line_end == nullptr ? end : line_end;
    const char* const raw_last = last;
    while (last > at && last[-1] == '\r') {
      --last;
    }
    const std::string_view line = between(at, last);
    at = next;
    if (line.empty()) {
      if (++empty_lines > kMaxLeadingEmptyLines) {
        return Start::NotHttp;
      }
      head.odd = true;
      continue;
    }
    if ((expect != Expect::Request && parse_status_line(line, head)) ||
        (expect != Expect::Response && stray_lines == 0 && parse_request_line(line, head))) {
      head.odd |= raw_last - last > 1;
      return Start::Found;
    }
    if (expect == Expect::Request || !is_stray_line(line)) {
      return Start::NotHttp;
    }
    head.odd = true;
    ++stray_lines;
  }
  return Start::NotHttp;
}

class FieldParser {
 public:
  explicit FieldParser(Head& head) : head_(head) {}

  // A line without its line end, not empty.
  void add_line(const char* first, const char* last) {
    const char* colon = first;
    while (colon < last && is_token(*colon)) {
      ++colon;
    }
    if (colon < last && colon > first && *colon == ':') {
      add_field(between(first, colon), colon + 1, last);
    } else {
      add_odd_line(first, last);
    }
  }

  // Folded values were views of several lines so far; gives them their meaning.
  void finish() {
    if (!folded_) {
      return;
    }
    std::size_t total = 0;
    for (const HeaderField& field : head_.fields) {
      total += is_folded(field) ? field.value.size() : 0;
    }
    // No reallocation from here on: an unfolded value is never longer than its lines.
    head_.unfolded.reserve(std::max(total, kBeyondInlineString));
    for (HeaderField& field : head_.fields) {
      if (is_folded(field)) {
        field.value = unfold(field.value);
      }
    }
  }

 private:
  static bool is_folded(const HeaderField& field) {
    return field.value.find('\n') != std::string_view::npos;
  }

  void add_field(std::string_view name, const char* first, const char* last) {
    open_ = head_.fields.size() < kMaxFields;
    if (!open_) {
      head_.odd = true;
      return;
    }
    head_.fields.push_back({name, trim_in_place(first, last)});
  }

  void add_odd_line(const char* first, const char* last) {
    head_.odd = true;
    if (is_blank(*first)) {
      if (open_) {
        std::string_view& value = head_.fields.back().value;
        // The value and this line lie in one block.
        // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage)
        value = trim_in_place(value.data(), last);
        folded_ = true;
      }
      return;
    }
    const auto length = static_cast<std::size_t>(last - first);
    const char* colon = static_cast<const char*>(std::memchr(first, ':', length));
    const std::string_view name =
        colon == nullptr ? std::string_view() : trim_in_place(first, colon);
    if (name.empty()) {
      open_ = false;
      return;
    }
    add_field(name, colon + 1, last);
  }

  std::string_view unfold(std::string_view lines) {
    const std::size_t begin = head_.unfolded.size();
    while (!lines.empty()) {
      const std::size_t length = std::min(lines.find('\n'), lines.size());
      const std::string_view part = trim_in_place(lines.substr(0, length));
      if (!part.empty()) {
        if (head_.unfolded.size() > begin) {
          head_.unfolded += ' ';
        }
        head_.unfolded += part;
      }
      lines.remove_prefix(std::min(length + 1, lines.size()));
    }
    return std::string_view(head_.unfolded).substr(begin);
  }

  Head& head_;
  bool open_ = false;  // the last field may be continued
  bool folded_ = false;
};

void reset(Head& head) {
  head.kind = Head::Kind::None;
  head.length = 0;
  head.complete = false;
  head.protocol = head.reason = head.method = head.target = {};
  head.status = 0;
  head.fields.clear();
  head.odd = false;
  head.unfolded.clear();
}

}  // namespace

void parse_head(ByteView block, Expect expect, bool whole, Head& head) {
  reset(head);
  const std::string_view text = as_text(block);
  const char* at = text.data();
  const char* const end = at + text.size();
  const Start start = find_first_line(at, end, expect, whole, head);
  if (start != Start::Found) {
    head.odd = false;
    head.complete = start == Start::NotHttp;
    return;
  }
  FieldParser fields(head);
  while (at < end) {
    const auto* line_end =
        static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (line_end == nullptr && !whole) {
      break;
    }
    const char* const raw_last = line_end == nullptr ? end : line_end;
    const char* last = raw_last;
    while (last > at && last[-1] == '\r') {
      --last;
    }
    head.odd |= raw_last - last > 1;
    if (last > at) {
      fields.add_line(at, last);
    } else if (line_end != nullptr) {
      head.complete = true;
    }
    at = line_end == nullptr ? end : line_end + 1;
    if (head.complete) {
      break;
    }
  }
  fields.finish();
  if (!head.complete) {
    at = end;
    head.odd |= whole;
  }
  head.length = static_cast<std::size_t>(at - text.data());
}

std::string_view Head::get(std::string_view name) const {
  for (const HeaderField& field : fields) {
    if (field.name.size() == name.size() && equals_ignoring_case(field.name, name)) {
      return field.value;
    }
  }
  return {};
}

bool Head::has(std::string_view name) const {
  return std::any_of(fields.begin(), fields.end(), [name](const HeaderField& field) {
    return equals_ignoring_case(field.name, name);
  });
}

std::string Head::joined(std::string_view name) const {
  std::string all;
  bool first = true;
  for (const HeaderField& field : fields) {
    if (equals_ignoring_case(field.name, name)) {
      all += first ? "" : ", ";
      all += field.value;
      first = false;
    }
  }
  return all;
}

std::string Head::media_type() const {
  const std::string_view value = get("Content-Type");
  return to_lower(value.substr(0, value.find_first_of(";, \t")));
}

}  // namespace fonds::http
