// Finding the next record in damaged data: docs/formats/warc.md, "Finding the next record".
#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/grammar_detail.hpp"

namespace fonds::warc {

namespace {

using detail::kLookAhead;
using detail::Verdict;

// Finds line ends for offsets that mostly grow, without looking twice at what has none.
class LineEnds {
 public:
  // The first LF in [at, to); npos if there is none.
  std::size_t next(std::string_view text, std::size_t at, std::size_t to) {
    if (at < from_ || at > to_) {
      from_ = to_ = at;
    }
    if (to_ >= to) {
      return npos;
    }
    const void* found = std::memchr(text.data() + to_, '\n', to - to_);
    to_ = found == nullptr
              ? to
              : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    return found == nullptr ? npos : to_;
  }

 private:
  std::size_t from_ = 0, to_ = 0;  // no LF lies in between
};

// One search. Every octet is looked at a bounded number of times, whatever the candidates: answers
// that later candidates share (the next LF, the next line that tells of a header) are kept.
class Search {
 public:
  Search(std::string_view text, bool line_start, bool whole)
      : text_(text), line_start_(line_start), whole_(whole) {}

  // Results of the search for a candidate: its offset and Yes, or More; No if there is none.
  struct Found {
    Verdict verdict = Verdict::No;
    std::size_t at = 0;
  };
  // Version tokens whose `/` lies in [from, to).
  Found find_version(std::size_t from, std::size_t to);
  // As above, and ARC lines.
  Found find_with_arc(std::size_t from);
  // At the end of `text`: the first offset from which on a version token could begin.
  std::size_t cut_token(std::size_t from) const;

 private:
  // A verdict that more octets could change is None where no more will come.
  Verdict more(std::size_t candidate) const {
    return whole_ || text_.size() - candidate >= kLookAhead ? Verdict::No : Verdict::More;
  }
  bool begins_line(std::size_t at) const {
    return at == 0 ? line_start_ : text_[at - 1] == '\n' || text_[at - 1] == '\0';
  }
  Verdict judge(std::size_t at);
  Verdict judge_positional(std::size_t at);
  Verdict judge_line_behind(std::size_t at, std::size_t next) const;
  Verdict judge_header_behind(std::size_t at, std::size_t next);
  Verdict judge_arc(std::size_t line);

  std::string_view text_;
  bool line_start_;
  bool whole_;

  LineEnds positional_ends_, header_ends_;
  // Lines from lines_from_ up to lines_to_ are neither empty nor the fields that are looked for.
  std::size_t lines_from_ = 0, lines_to_ = 0;
};

Verdict Search::judge_positional(std::size_t at) {
  const auto ahead = text_.substr(at, kLookAhead);
  detail::PositionalLine line;
  const auto verdict = detail::split_positional(ahead, line);
  if (verdict == Verdict::Yes) {
    return positional_ends_.next(text_, at, at + ahead.size()) == npos ? more(at) : Verdict::Yes;
  }
  return verdict == Verdict::More ? more(at) : Verdict::No;
}

// Behind a version at a line's start: a line with a colon.
Verdict Search::judge_line_behind(std::size_t at, std::size_t next) const {
  const std::size_t stop = std::min(text_.size(), at + kLookAhead);
  for (std::size_t i = next; i < stop; ++i) {
    if (text_[i] == ':') {
      return i > next ? Verdict::Yes : Verdict::No;
    }
    if (text_[i] == '\n') {
      return Verdict::No;
    }
  }
  return more(at);
}

bool tells_of_header(std::string_view line) noexcept {
  const std::size_t colon = line.find(':');
  if (colon == npos) {
    return false;
  }
  const auto known = detail::identify(detail::trim_blanks(line.substr(0, colon)));
  return known == Known::Type || known == Known::ContentLength;
}

// Behind a version in the middle of a line: WARC-Type or Content-Length before the empty line.
Verdict Search::judge_header_behind(std::size_t at, std::size_t next) {
  const std::size_t stop = std::min(text_.size(), at + kLookAhead);
  std::size_t line = next;
  if (next >= lines_from_ && next <= lines_to_) {
    line = lines_to_;
  } else {
    lines_from_ = next;
    lines_to_ = next;
  }
  while (line < stop) {
    const std::size_t end = header_ends_.next(text_, line, stop);
    if (end == npos) {
      break;
    }
    const auto octets = detail::strip_line_end(text_.substr(line, end - line));
    if (octets.empty()) {
      return Verdict::No;
    }
    if (tells_of_header(octets)) {
      return Verdict::Yes;
    }
    line = end + 1;
    lines_to_ = line;
  }
  return more(at);
}

Verdict Search::judge(std::size_t at) {
  const auto ahead = text_.substr(at, kLookAhead);
  detail::VersionToken token;
  const auto verdict = detail::parse_version_token(ahead, token);
  if (verdict != Verdict::Yes) {
    return verdict == Verdict::More ? more(at) : Verdict::No;
  }
  std::size_t end = token.length;
  while (end < ahead.size() && detail::is_blank(ahead[end])) {
    ++end;
  }
  while (end < ahead.size() && ahead[end] == '\r') {
    ++end;
  }
  if (end == ahead.size()) {
    return more(at);
  }
  if (ahead[end] != '\n') {
    return token.positional ? judge_positional(at) : Verdict::No;
  }
  const std::size_t next = at + end + 1;
  if (begins_line(at)) {
    if (const auto line = judge_line_behind(at, next); line != Verdict::No) {
      return line;
    }
  }
  return judge_header_behind(at, next);
}

Search::Found Search::find_version(std::size_t from, std::size_t to) {
  constexpr std::size_t kLetters = 4;
  // `/` is rarer than letters, and a token has it in any spelling.
  for (std::size_t pos = from; pos < to;) {
    const void* slash = std::memchr(text_.data() + pos, '/', to - pos);
    if (slash == nullptr) {
      break;
    }
    const auto at = static_cast<std::size_t>(static_cast<const char*>(slash) - text_.data());
    pos = at + 1;
    if (at < from + kLetters || to_lower(text_[at - 1]) != 'c' ||
        !equals_ignoring_case(text_.substr(at - kLetters, kLetters), "warc")) {
      continue;
    }
    if (const auto verdict = judge(at - kLetters); verdict != Verdict::No) {
      return {verdict, at - kLetters};
    }
  }
  return {};
}

Verdict Search::judge_arc(std::size_t line) {
  const auto ahead = text_.substr(line, kLookAhead);
  // Cheap, and so of most lines nothing else is looked at; a scheme is at most 32 octets.
  if (!detail::has_scheme(ahead)) {
    return ahead.size() <= 32 && detail::has_scheme(std::string(ahead) + "a:") ? more(line)
                                                                               : Verdict::No;
  }
  const std::size_t end = ahead.find('\n');
  if (end == npos) {
    return more(line);
  }
  const auto columns = detail::split_arc_line(detail::strip_line_end(ahead.substr(0, end)), 5);
  return columns && detail::is_integer(columns->length) &&
                 (columns->evidence != detail::ArcLine::Evidence::Columns ||
                  detail::is_filedesc(ahead))
             ? Verdict::Yes
             : Verdict::No;
}

Search::Found Search::find_with_arc(std::size_t from) {
  for (std::size_t pos = from; pos < text_.size();) {
    const std::size_t lf = text_.find('\n', pos);
    const std::size_t end = lf == npos ? text_.size() : lf + 1;
    const auto version = find_version(pos, end);
    // Behind NULs, too: that is what lost sectors leave.
    const std::size_t nul = text_.substr(pos, end - pos).rfind('\0');
    const std::size_t line = nul == npos ? pos : pos + nul + 1;
    if (line < end && (nul != npos || begins_line(pos)) &&
        (version.verdict == Verdict::No || line <= version.at)) {
      if (const auto verdict = judge_arc(line); verdict != Verdict::No) {
        return {verdict, line};
      }
    }
    if (version.verdict != Verdict::No) {
      return version;
    }
    pos = end;
  }
  return {};
}

std::size_t Search::cut_token(std::size_t from) const {
  constexpr std::size_t kLetters = 4;
  const std::size_t tail = text_.size() < kLetters ? 0 : text_.size() - kLetters;
  for (std::size_t at = std::max(from, tail); at < text_.size(); ++at) {
    detail::VersionToken token;
    if (detail::parse_version_token(text_.substr(at), token) == Verdict::More) {
      return at;
    }
  }
  return text_.size();
}

}  // namespace

std::size_t find_record_start(ByteView octets, std::size_t from, bool line_start, bool arc,
                              bool whole, std::size_t& incomplete_from) {
  const auto text = as_text(octets);
  incomplete_from = text.size();
  if (from >= text.size()) {
    return npos;
  }
  Search search(text, line_start, whole);
  const auto found = arc ? search.find_with_arc(from) : search.find_version(from, text.size());
  if (found.verdict == Verdict::Yes) {
    return found.at;
  }
  if (found.verdict == Verdict::More) {
    incomplete_from = found.at;
  } else if (!whole) {
    incomplete_from = search.cut_token(from);
  }
  return npos;
}

std::size_t find_torn_header(ByteView octets, const Header& header, bool arc) {
  const ByteView all = octets.first(std::min(octets.size(), header.length));
  const std::string_view text = as_text(all);
  const std::size_t first_line = std::min(text.size(), header.version.size());
  std::size_t incomplete = 0;
  const std::size_t at = find_record_start(all, first_line, false, arc, true, incomplete);
  if (at == npos) {
    return npos;
  }
  // A version can stand in a value. What stands in front of it is no field, or fields come again.
  const std::string_view line = text.substr(0, at).substr(text.substr(0, at).rfind('\n') + 1);
  const Start start = classify_start(all.subspan(at));
  const bool folded = !line.empty() && detail::is_blank(line.front());
  if (start != Start::Modern || (!folded && line.find(':') == npos)) {
    return at;
  }
  ArcContext unused;
  Header front, back;
  const std::string closed = std::string(text.substr(0, at)) + "\r\n\r\n";
  parse_header(as_bytes(closed), header.start, true, unused, front);
  parse_header(all.subspan(at), start, true, unused, back);
  const auto has = [](const Header& parsed, Known known) {
    return std::ranges::any_of(parsed.fields, [known](const Field& field) {
      return detail::identify(field.name) == known;
    });
  };
  for (const Known known : {Known::Type, Known::RecordId, Known::ContentLength}) {
    if (has(front, known) && has(back, known)) {
      return at;
    }
  }
  return npos;
}

bool starts_record(ByteView head) {
  auto text = as_text(head);
  if (text.starts_with("\xEF\xBB\xBF")) {
    text.remove_prefix(3);
  }
  text.remove_prefix(std::min(text.size(), text.find_first_not_of("\r\n")));
  const auto start = classify_start(as_bytes(text));
  if (start == Start::ArcRecord) {
    // Lists of URLs with numbers behind them are not ARC.
    const auto line = detail::strip_line_end(text.substr(0, text.find('\n')));
    const auto columns = detail::split_arc_line(line, 5);
    return columns && columns->evidence != detail::ArcLine::Evidence::Columns;
  }
  if (start != Start::Modern) {
    return start == Start::Positional || start == Start::ArcVersion;
  }
  const std::size_t first = text.find('\n');
  const std::size_t second = first == npos ? npos : text.find('\n', first + 1);
  if (second == npos) {
    return true;
  }
  const auto line = detail::strip_line_end(text.substr(first + 1, second - first - 1));
  return line.empty() || line.find(':') != npos;
}

}  // namespace fonds::warc
