#include "query/text_pattern.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <string.h>  // memmem

#include <fonds/query.hpp>

#include "base/utf8.hpp"
#include "query/fold_case.hpp"

namespace fonds::query {
namespace {

// Many times as fast as string_view::find for texts that are not short.
std::size_t find_text(std::string_view text, std::size_t at, std::string_view piece) {
  if (text.size() - at < piece.size()) {
    return std::string_view::npos;
  }
  const void* const found =
      ::memmem(text.data() + at, text.size() - at, piece.data(), piece.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

Folding folding_of(const ParseOptions& options) {
  if (!options.ignore_case) {
    return Folding::None;
  }
  return options.meaning == Meaning::ClpS ? Folding::Ascii : Folding::Simple;
}

}  // namespace

TextPattern::TextPattern(std::string_view pattern, Folding folding, OneMark one)
    : folding_(folding), one_(one), segments_{{Part{}}} {
  std::string folded;
  fold_into(folded, pattern, folding);
  for (std::size_t at = 0; at < folded.size(); ++at) {
    if (folded[at] == '\\' && at + 1 < folded.size()) {
      add_octet(folded[++at]);
    } else if (folded[at] == '*') {
      add_star();
    } else if (folded[at] == '?') {
      add_mark();
    } else {
      add_octet(folded[at]);
    }
  }
  for (const Segment& segment : segments_) {
    for (const Part& part : segment) {
      if (!part.text.empty()) {
        pieces_.push_back(part.text);
      }
    }
  }
}

// Marks behind a star count as if they stood before it, so that what a star leads to begins with a
// text that can be looked for.
void TextPattern::add_mark() {
  const bool behind_star =
      segments_.size() > 1 && segments_.back().size() == 1 && segments_.back().front().text.empty();
  Segment& segment = behind_star ? segments_[segments_.size() - 2] : segments_.back();
  ++segment.back().marks;
}

void TextPattern::add_star() {
  const Part& last = segments_.back().back();
  const bool behind_star = segments_.size() > 1 && last.text.empty() && last.marks == 0;
  if (!behind_star) {
    segments_.push_back({Part{}});
  }
}

void TextPattern::add_octet(char c) {
  Segment& segment = segments_.back();
  if (segment.back().marks > 0) {
    segment.emplace_back();
  }
  segment.back().text += c;
}

std::optional<std::string_view> TextPattern::exact() const {
  const Segment& only = segments_.front();
  if (segments_.size() > 1 || only.size() > 1 || only.front().marks > 0) {
    return std::nullopt;
  }
  return only.front().text;
}

bool TextPattern::step_over(std::string_view text, std::size_t& at, std::size_t marks) const {
  for (; marks > 0; --marks) {
    if (at == text.size()) {
      return false;
    }
    at += one_ == OneMark::Octet ? 1 : utf8::step(text, at);
  }
  return true;
}

bool TextPattern::step_back_over(std::string_view text, std::size_t& at, std::size_t marks) const {
  for (; marks > 0; --marks) {
    if (at == 0) {
      return false;
    }
    at -= one_ == OneMark::Octet ? 1 : utf8::step_back(text, at);
  }
  return true;
}

bool TextPattern::match_forward(const Segment& segment, std::string_view text,
                                std::size_t& at) const {
  std::size_t end = at;
  for (const Part& part : segment) {
    if (!text.substr(end).starts_with(part.text)) {
      return false;
    }
    end += part.text.size();
    if (!step_over(text, end, part.marks)) {
      return false;
    }
  }
  at = end;
  return true;
}

bool TextPattern::match_backward(const Segment& segment, std::string_view text,
                                 std::size_t& end) const {
  std::size_t at = end;
  for (std::size_t i = segment.size(); i-- > 0;) {
    if (!step_back_over(text, at, segment[i].marks) ||
        !text.substr(0, at).ends_with(segment[i].text)) {
      return false;
    }
    at -= segment[i].text.size();
  }
  end = at;
  return true;
}

// Moves `at` behind the first place from there on where the segment stands.
bool TextPattern::find(const Segment& segment, std::string_view text, std::size_t& at) const {
  for (std::size_t start = at; start <= text.size(); ++start) {
    start = find_text(text, start, segment.front().text);
    if (start == std::string_view::npos) {
      return false;
    }
    std::size_t end = start;
    if (match_forward(segment, text, end)) {
      at = end;
      return true;
    }
  }
  return false;
}

bool TextPattern::matches_folded(std::string_view text) const {
  std::size_t at = 0;
  if (!match_forward(segments_.front(), text, at)) {
    return false;
  }
  if (segments_.size() == 1) {
    return at == text.size();
  }
  // The last segment ends the text; the others stand as early as they can, one behind another.
  std::string_view rest = text.substr(at);
  std::size_t end = rest.size();
  if (!match_backward(segments_.back(), rest, end)) {
    return false;
  }
  rest = rest.substr(0, end);
  at = 0;
  for (std::size_t i = 1; i + 1 < segments_.size(); ++i) {
    if (!find(segments_[i], rest, at)) {
      return false;
    }
  }
  return true;
}

bool TextPattern::matches(std::string_view text) const {
  if (folding_ == Folding::None) {
    return matches_folded(text);
  }
  std::string folded;
  fold_into(folded, text, folding_);
  return matches_folded(folded);
}

std::optional<TextPattern> text_pattern_of(const Filter& filter, const ParseOptions& options) {
  if (filter.comparison != Comparison::Equal || !filter.literal.pattern) {
    return std::nullopt;
  }
  return TextPattern(*filter.literal.pattern, folding_of(options),
                     options.meaning == Meaning::ClpS ? OneMark::Octet : OneMark::CodePoint);
}

bool wildcard_match(std::string_view pattern, std::string_view text) {
  return TextPattern(pattern, Folding::None, OneMark::CodePoint).matches(text);
}

}  // namespace fonds::query
