#include "format/warc/reading/grammar.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "format/warc/reading/grammar_detail.hpp"

namespace fonds::warc {

namespace detail {

bool is_digits(std::string_view text) noexcept {
  for (const char c : text) {
    if (!is_digit(c)) {
      return false;
    }
  }
  return !text.empty();
}

std::string_view strip_brackets(std::string_view text) noexcept {
  if (text.size() >= 2 && text.front() == '<' && text.back() == '>') {
    return trim_blanks(text.substr(1, text.size() - 2));
  }
  return text;
}

std::string_view take_token(std::string_view& text) noexcept {
  std::size_t begin = 0;
  while (begin < text.size() && is_blank(text[begin])) {
    ++begin;
  }
  std::size_t end = begin;
  while (end < text.size() && !is_blank(text[end])) {
    ++end;
  }
  const auto token = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return token;
}

namespace {

// 1*9DIGIT at `pos`, which moves behind them.
Verdict parse_step(std::string_view text, std::size_t& pos, int& out) noexcept {
  const std::size_t begin = pos;
  int value = 0;
  while (pos < text.size() && is_digit(text[pos])) {
    if (pos - begin == 9) {
      return Verdict::No;
    }
    value = value * 10 + (text[pos] - '0');
    ++pos;
  }
  out = value;
  if (pos == text.size()) {
    return Verdict::More;
  }
  return pos == begin ? Verdict::No : Verdict::Yes;
}

}  // namespace

Verdict parse_version_token(std::string_view text, VersionToken& out) noexcept {
  static constexpr std::string_view kToken = "warc/";
  const std::size_t there = text.size() < kToken.size() ? text.size() : kToken.size();
  for (std::size_t i = 0; i < there; ++i) {
    const char c = text[i];
    if (c != kToken[i] && !(i < 4 && c == kToken[i] - ('a' - 'A'))) {
      return Verdict::No;
    }
  }
  if (there < kToken.size()) {
    return Verdict::More;
  }
  std::size_t pos = kToken.size();
  if (const auto verdict = parse_step(text, pos, out.major); verdict != Verdict::Yes) {
    return verdict;
  }
  const std::size_t major_digits = pos - kToken.size();
  if (text[pos] != '.') {
    return Verdict::No;
  }
  const std::size_t minor_begin = ++pos;
  const auto verdict = parse_step(text, pos, out.minor);
  if (verdict == Verdict::No || pos == minor_begin) {
    return verdict;
  }
  out.length = pos;
  out.positional = major_digits == 2 && pos - minor_begin == 2;
  return verdict;  // More: the text ends with the token
}

namespace {

bool is_segment_status(std::string_view token) noexcept {
  static constexpr std::string_view kCodes = "pwtzPWTZ";
  return token.size() >= 2 && kCodes.find(token.front()) != std::string_view::npos &&
         is_digits(token.substr(1));
}

// Takes the next token of a header-line; `ended` if it goes up to the end of `text`.
std::string_view take_column(std::string_view text, std::size_t& pos, bool& ended) noexcept {
  while (pos < text.size() && is_blank(text[pos])) {
    ++pos;
  }
  const std::size_t begin = pos;
  while (pos < text.size() && !is_blank(text[pos]) && text[pos] != '\r' && text[pos] != '\n') {
    ++pos;
  }
  ended = pos == text.size();
  return text.substr(begin, pos - begin);
}

}  // namespace

Verdict split_positional(std::string_view text, PositionalLine& out) noexcept {
  VersionToken token;
  if (const auto verdict = parse_version_token(text, token); verdict != Verdict::Yes) {
    return verdict;
  }
  if (!token.positional || !is_blank(text[token.length])) {
    return Verdict::No;
  }
  out.version = text.substr(0, token.length);
  std::size_t pos = token.length;
  bool ended = false;
  out.data_length = take_column(text, pos, ended);
  if (ended && (out.data_length.empty() || is_digits(out.data_length))) {
    return Verdict::More;
  }
  if (!is_digits(out.data_length)) {
    return Verdict::No;
  }
  out.date = take_column(text, pos, ended);
  if (ended && (out.date.empty() || is_digits(out.date))) {
    return Verdict::More;
  }
  if (!is_digits(out.date)) {
    return Verdict::No;
  }
  out.id = take_column(text, pos, ended);
  if (ended) {
    return Verdict::More;
  }
  out.status = take_column(text, pos, ended);
  if (ended && out.status.size() < 2) {
    return Verdict::More;
  }
  if (out.id.empty() || !is_segment_status(out.status)) {
    return Verdict::No;
  }
  out.rest = text.substr(pos);
  return ended ? Verdict::More : Verdict::Yes;
}

Length parse_length(std::string_view text) noexcept {
  Length result;
  if (text.empty()) {
    return result;
  }
  result.state = Header::LengthState::Bad;
  if (text.front() == '+') {
    result.plus = true;
    text.remove_prefix(1);
  }
  if (text.empty()) {
    return result;
  }
  std::uint64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c)) {
      return result;
    }
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) {
      return result;
    }
    value = value * 10 + digit;
  }
  result.state = Header::LengthState::Good;
  result.value = value;
  return result;
}

void add_issue(Header& header, std::string_view code, std::string message) {
  for (const auto& issue : header.issues) {
    if (issue.code == code) {
      return;
    }
  }
  header.issues.push_back({code, std::move(message)});
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 60;
  const bool cut = text.size() > kShown;
  if (cut) {
    text = text.substr(0, kShown);
    // Not in the middle of a character.
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U) {
      text.remove_suffix(1);
    }
    if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0U) {
      text.remove_suffix(1);
    }
  }
  std::string result = "\"";
  result += to_utf8(text);
  result += cut ? "\"..." : "\"";
  return result;
}

std::string_view own(Header& header, std::string text) {
  return header.owned.emplace_back(std::move(text));
}

std::string_view uri_view(Header& header, std::string_view text) {
  text = strip_brackets(text);
  if (text.empty() || std::memchr(text.data(), ' ', text.size()) == nullptr) {
    return text;
  }
  std::string escaped;
  escaped.reserve(text.size() + 16);
  for (const char c : text) {
    if (c == ' ') {
      escaped += "%20";
    } else {
      escaped += c;
    }
  }
  return own(header, std::move(escaped));
}

void add_date_issues(Header& header) {
  const auto& quirks = header.date.quirks;
  if (quirks.not_14_digits) {
    add_issue(header, "date-not-14-digits",
              "date " + quoted(header.date_raw) + " does not have 14 digits");
  }
  if (quirks.day_of_year) {
    add_issue(header, "date-day-of-year",
              "date " + quoted(header.date_raw) + " has the day of the year in place of the day");
  }
  if (quirks.invalid || (!header.date.value && !quirks.not_14_digits && !header.date_raw.empty())) {
    add_issue(header, "date-invalid", "date " + quoted(header.date_raw) + " does not exist");
  }
}

void check_utf8(Header& header, std::string_view octets) {
  std::array<std::uint64_t, 4> words = {};
  std::uint64_t bits = 0;
  std::size_t i = 0;
  for (; i + sizeof words <= octets.size(); i += sizeof words) {
    std::memcpy(words.data(), octets.data() + i, sizeof words);
    bits |= (words[0] | words[1]) | (words[2] | words[3]);
  }
  unsigned last = 0;
  for (; i < octets.size(); ++i) {
    last |= static_cast<unsigned char>(octets[i]);
  }
  const bool ascii = (bits & 0x8080808080808080U) == 0 && (last & 0x80U) == 0;
  if (!ascii && !is_utf8(octets)) {
    add_issue(header, "non-utf8", "the header has octets that are not UTF-8; read as Latin-1");
  }
}

std::string_view FieldLines::add(std::string_view line) {
  if (is_blank(line.front())) {
    fold(line);
    return {};
  }
  const auto* colon = static_cast<const char*>(std::memchr(line.data(), ':', line.size()));
  if (colon == nullptr || colon == line.data()) {
    open_ = false;
    add_issue(header_, "line-without-colon", "header line " + quoted(line) + " is no named field");
    return {};
  }
  auto name = line.substr(0, static_cast<std::size_t>(colon - line.data()));
  const auto value = trim_blanks(line.substr(name.size() + 1));
  if (is_blank(name.back())) {
    name = trim_blanks(name);
    add_issue(header_, "space-before-colon",
              "field name " + quoted(name) + " has blanks before its colon");
  }
  header_.fields.push_back({name, value});
  unfolded_ = nullptr;
  open_ = true;
  return name;
}

void FieldLines::fold(std::string_view line) {
  if (!open_) {
    add_issue(header_, "continuation-without-field",
              "header line " + quoted(line) + " continues no field");
    return;
  }
  const auto more = trim_blanks(line);
  if (more.empty()) {
    return;
  }
  auto& value = header_.fields.back().value;
  if (value.empty()) {
    value = more;
    return;
  }
  if (unfolded_ == nullptr) {
    unfolded_ = &header_.owned.emplace_back(value);
  }
  *unfolded_ += ' ';
  *unfolded_ += more;
  value = *unfolded_;
}

namespace {

bool same_name(std::string_view a, std::string_view b) noexcept {
  return a == b || equals_ignoring_case(a, b);
}

struct KnownName {
  std::string_view name;
  Known field;
};

// Grouped by length, so that few comparisons are left for each.
constexpr KnownName kNames9[] = {{"WARC-Type", Known::Type}, {"WARC-Date", Known::Date}};
constexpr KnownName kNames12[] = {{"Content-Type", Known::ContentType},
                                  {"WARC-TREC-ID", Known::TrecId},
                                  {"WARC-Profile", Known::Profile}};
constexpr KnownName kNames13[] = {{"WARC-Filename", Known::Filename}};
constexpr KnownName kNames14[] = {{"WARC-Record-ID", Known::RecordId},
                                  {"Content-Length", Known::ContentLength},
                                  {"WARC-Refers-To", Known::RefersTo},
                                  {"WARC-Truncated", Known::Truncated}};
constexpr KnownName kNames15[] = {{"WARC-Target-URI", Known::TargetUri},
                                  {"WARC-IP-Address", Known::IpAddress}};
constexpr KnownName kNames16[] = {{"WARC-Warcinfo-ID", Known::WarcinfoId}};
constexpr KnownName kNames17[] = {{"WARC-Block-Digest", Known::BlockDigest}};
constexpr KnownName kNames19[] = {{"WARC-Payload-Digest", Known::PayloadDigest},
                                  {"WARC-Refers-To-Date", Known::RefersToDate},
                                  {"WARC-Segment-Number", Known::SegmentNumber}};
constexpr KnownName kNames22[] = {{"WARC-Segment-Origin-ID", Known::SegmentOriginId}};
constexpr KnownName kNames25[] = {{"WARC-Refers-To-Target-URI", Known::RefersToTargetUri},
                                  {"WARC-Segment-Total-Length", Known::SegmentTotalLength}};
constexpr KnownName kNames28[] = {{"WARC-Identified-Payload-Type", Known::IdentifiedPayloadType}};

std::span<const KnownName> names_of_length(std::size_t length) noexcept {
  switch (length) {
    case 9:
      return kNames9;
    case 12:
      return kNames12;
    case 13:
      return kNames13;
    case 14:
      return kNames14;
    case 15:
      return kNames15;
    case 16:
      return kNames16;
    case 17:
      return kNames17;
    case 19:
      return kNames19;
    case 22:
      return kNames22;
    case 25:
      return kNames25;
    case 28:
      return kNames28;
    default:
      return {};
  }
}

}  // namespace

Known identify(std::string_view name) noexcept {
  // Names of one length differ in their eighth letter.
  constexpr std::size_t kTelling = 7;
  constexpr int kLetterCase = 0x20;
  for (const auto& known : names_of_length(name.size())) {
    if ((known.name[kTelling] | kLetterCase) == (name[kTelling] | kLetterCase)) {
      return same_name(known.name, name) ? known.field : Known::kCount;
    }
  }
  return Known::kCount;
}

bool is_concurrent_to(std::string_view name) noexcept {
  return name.size() == 18 && same_name(name, "WARC-Concurrent-To");
}

void note_known_fields(Header& header) {
  std::uint32_t seen = 0;
  std::uint32_t repeated = 0;
  for (const auto& field : header.fields) {
    const auto known = identify(field.name);
    if (known == Known::kCount) {
      if (is_concurrent_to(field.name) && !field.value.empty()) {
        header.concurrent_to.push_back(strip_brackets(field.value));
      }
      continue;
    }
    const auto bit = std::uint32_t{1} << static_cast<unsigned>(known);
    if ((seen & bit) == 0) {
      seen |= bit;
      header.known[static_cast<std::size_t>(known)] = field.value;
      continue;
    }
    // Of the standard's fields only WARC-Concurrent-To may repeat; lengths are compared by the
    // caller.
    if ((repeated & bit) == 0 && known != Known::TrecId && known != Known::ContentLength) {
      repeated |= bit;
      header.issues.push_back({"duplicate-field", "field " + quoted(field.name) + " is repeated"});
    }
  }
}

}  // namespace detail

namespace {

// The older positional drafts (0.9, 0.10): warc-id data-length record-type subject-uri
// creation-date …
bool is_old_draft(std::string_view line) noexcept {
  const auto version = detail::take_token(line);
  detail::VersionToken token;
  if (detail::parse_version_token(version, token) == detail::Verdict::No ||
      token.length != version.size()) {
    return false;
  }
  const auto length = detail::take_token(line);
  const auto type = detail::take_token(line);
  const auto uri = detail::take_token(line);
  const auto date = detail::take_token(line);
  return detail::is_digits(length) && !type.empty() && !detail::is_digits(type) && !uri.empty() &&
         detail::is_digits(date);
}

// `text` goes up to and with the line's end, or is cut before it.
Start classify_version_line(std::string_view text, std::string_view line) {
  detail::VersionToken token;
  const auto verdict = detail::parse_version_token(line, token);
  if (verdict == detail::Verdict::No || token.length == 0) {
    return Start::None;
  }
  if (detail::trim_blanks(line.substr(token.length)).empty()) {
    return Start::Modern;
  }
  const bool cut = text.back() != '\n';
  if (cut && text.size() == detail::kLookAhead) {
    return Start::None;
  }
  detail::PositionalLine columns;
  const auto positional = detail::split_positional(text, columns);
  // At the end of the data a header-line may be cut, but there must be more than a version.
  if (positional == detail::Verdict::Yes ||
      (positional == detail::Verdict::More && !columns.data_length.empty())) {
    return Start::Positional;
  }
  return is_old_draft(line) ? Start::OldDraft : Start::None;
}

}  // namespace

Start classify_start(ByteView head) {
  const auto text = as_text(head).substr(0, detail::kLookAhead);
  const std::size_t end = text.find('\n');
  const bool too_long = end == npos && text.size() == detail::kLookAhead;
  const auto line = detail::strip_line_end(text.substr(0, end));
  if (line.size() < 5) {
    return Start::None;
  }
  if (line[4] == '/') {
    const auto start = classify_version_line(text.substr(0, end == npos ? npos : end + 1), line);
    if (start != Start::None) {
      return start;
    }
  }
  if (detail::is_filedesc(line)) {
    return Start::ArcVersion;
  }
  if (too_long) {
    return Start::None;
  }
  const auto columns = detail::split_arc_line(line, 5);
  // warcio-bad.arc has a length that is text; beside an address and a date it is a URL-record all
  // the same.
  if (columns && (detail::is_integer(columns->length) ||
                  columns->evidence == detail::ArcLine::Evidence::Pair)) {
    return Start::ArcRecord;
  }
  return Start::None;
}

void Header::clear() {
  dialect = Dialect::Modern;
  start = Start::None;
  complete = false;
  length = 0;
  version = {};
  major = minor = 0;
  lf_only = false;
  type = stored_type = id = uri = date_raw = {};
  date = {};
  content_type = ip = block_digest = payload_digest = {};
  refers_to = refers_to_uri = refers_to_date = {};
  concurrent_to.clear();
  profile = truncated = warcinfo_id = filename = trec_id = payload_type = {};
  segment.reset();
  segment_origin = {};
  segment_total.reset();
  revisit_comparison = {};
  arc_status = 0;
  arc_header = false;
  length_state = LengthState::Missing;
  block_length = 0;
  other_lengths.clear();
  data_length = 0;
  fields.clear();
  issues.clear();
  known = {};
  owned.clear();
}

bool parse_header(ByteView octets, Start start, bool whole, ArcContext& arc, Header& header) {
  header.clear();
  header.start = start;
  const auto text = as_text(octets);
  switch (start) {
    case Start::Modern:
      return detail::parse_modern(text, whole, header);
    case Start::Positional:
      return detail::parse_positional(text, whole, header);
    case Start::ArcVersion:
    case Start::ArcRecord:
      return detail::parse_arc(text, start, whole, arc, header);
    case Start::OldDraft: {
      detail::VersionToken token;
      detail::parse_version_token(text, token);
      header.dialect = Dialect::Positional;
      header.major = token.major;
      header.minor = token.minor;
      header.version = detail::own(header, to_lower(text.substr(0, token.length)));
      break;
    }
    case Start::None:
      break;
  }
  return true;
}

}  // namespace fonds::warc
