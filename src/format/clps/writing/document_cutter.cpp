#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "format/clps/writing/blanks.hpp"
#include "format/clps/writing/documents.hpp"

namespace fonds::clps {
namespace {

// Whether a line that is not empty goes from `{` to `}` and holds a `}` and then a `{`, perhaps in
// a string.
bool may_be_several(std::string_view line) {
  if (line.front() != '{' || line.back() != '}') {
    return false;
  }
  for (std::size_t at = line.find('{', 1); at != std::string_view::npos;
       at = line.find('{', at + 1)) {
    if (*(trim(line.data(), line.data() + at) - 1) == '}') {
      return true;
    }
  }
  return false;
}

}  // namespace

DocumentCutter::DocumentCutter(const Piece& piece) : piece_(&piece), text_(piece.text()) {
  if (piece.left_out()) {
    text_ = {};
  }
}

bool DocumentCutter::next(std::string_view& text) {
  if (!rest_.empty()) {
    split(text);
    return true;
  }
  const char* const end = text_.data() + text_.size();
  const char* const begin = skip_blanks(text_.data() + at_, end);
  if (begin == end) {
    at_ = text_.size();
    return false;
  }
  const auto first = static_cast<std::size_t>(begin - text_.data());
  const std::vector<Piece::Extent>& documents = piece_->documents();
  if (extent_ < documents.size() && documents[extent_].begin == first) {
    at_ = documents[extent_++].end;
    text = text_.substr(first, at_ - first);
    return true;
  }
  const char* const feed = find_line_feed(begin, end);
  at_ = static_cast<std::size_t>(feed - text_.data());
  text = {begin, static_cast<std::size_t>(trim(begin, feed) - begin)};
  if (may_be_several(text)) {
    rest_ = text;
    split(text);
  }
  return true;
}

// The first document of what is left of a line; all of it where brackets do not show one.
void DocumentCutter::split(std::string_view& text) {
  text = std::exchange(rest_, {});
  scanner_.start(0);
  if (text.front() == '{' &&
      scanner_.scan(text.data(), text.data() + text.size()) == BracketScanner::State::Complete) {
    const char* const end = text.data() + text.size();
    text = text.substr(0, static_cast<std::size_t>(scanner_.position()));
    const char* const behind = skip_blanks(text.data() + text.size(), end);
    rest_ = {behind, static_cast<std::size_t>(end - behind)};
  }
}

}  // namespace fonds::clps
