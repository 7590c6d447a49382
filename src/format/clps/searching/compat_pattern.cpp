#include "format/clps/searching/compat_pattern.hpp"

#include "query/fold_case.hpp"

namespace fonds::clps::compat {

OctetPattern::OctetPattern(std::string_view pattern, bool fold) : pattern_(pattern), fold_(fold) {
  if (fold_) {
    query::fold_into(pattern_, pattern, query::Folding::Ascii);
  }
}

bool OctetPattern::matches(std::string_view text) const {
  if (!fold_) {
    return matches_folded(text);
  }
  std::string folded;
  query::fold_into(folded, text, query::Folding::Ascii);
  return matches_folded(folded);
}

bool OctetPattern::is_right() const {
  bool after_star = false;
  bool escaped_after_star = false;
  for (std::size_t i = 0; i < pattern_.size(); ++i) {
    const bool escape = pattern_[i] == '\\';
    if (after_star) {
      escaped_after_star = escape;
    }
    after_star = pattern_[i] == '*';
    i += escape ? 1 : 0;
  }
  return !escaped_after_star;
}

// Behind a star: finds where the text may go on, and leaves both at that octet.
bool OctetPattern::seek(std::string_view text, std::size_t& at, std::size_t& step) const {
  if (pattern_[step] == '?') {
    return true;
  }
  if (pattern_[step] == '\\') {
    ++step;
  }
  const char wanted = step < pattern_.size() ? pattern_[step] : '\0';
  at = text.find(wanted, at);
  return at != std::string_view::npos;
}

bool OctetPattern::matches_folded(std::string_view text) const {
  const std::size_t size = pattern_.size();
  if (size == 0 || text.empty()) {
    return text.empty() && (size == 0 || pattern_ == "*");
  }
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t at = 0;
  std::size_t step = 0;
  std::size_t star = kNone;  // the step behind the last star
  std::size_t from = 0;      // where the text was matched with that step
  while (true) {
    if (pattern_[step] == '*') {
      star = ++step;
      if (step == size) {
        return true;
      }
      if (!seek(text, at, step)) {
        return false;
      }
      from = at;
    } else {
      const bool escaped = pattern_[step] == '\\';
      step += escaped ? 1 : 0;
      const char wanted = step < size ? pattern_[step] : '\0';
      if (text[at] != wanted && (escaped || wanted != '?')) {
        if (star == kNone) {
          return false;
        }
        step = star;
        at = from + 1;
        if (!seek(text, at, step)) {
          return false;
        }
        from = at;
      }
    }
    ++at;
    ++step;
    if (at == text.size()) {
      return step == size || (step + 1 == size && pattern_[step] == '*');
    }
    if (step > size) {
      return false;  // behind an escape of nothing
    }
    if (step == size) {
      if (star == kNone) {
        return false;
      }
      step = star;
      at = from + 1;
      if (!seek(text, at, step)) {
        return false;
      }
      from = at;
    }
  }
}

}  // namespace fonds::clps::compat
