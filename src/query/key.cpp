#include "query/key.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fonds/error.hpp>
#include <fonds/query.hpp>

#include "base/utf8.hpp"
#include "query/escape.hpp"
#include "query/lexer.hpp"

namespace fonds::query {
namespace {

Namespace namespace_of(char mark) {
  switch (mark) {
    case '@':
      return Namespace::Generated;
    case '$':
      return Namespace::Archive;
    case '!':
      return Namespace::Bang;
    case '#':
      return Namespace::Hash;
    default:
      return Namespace::User;
  }
}

class PathMaker {
 public:
  PathMaker(std::size_t at, Meaning meaning) : at_(at), meaning_(meaning) {}

  Status add_empty_key(std::size_t at) {
    at_ = at;
    if (empty_written_ || !key_.empty()) {
      return fault(at, "expected a dot between a key and the empty key '\"\"'");
    }
    empty_written_ = true;
    return {};
  }

  // The dots of `text` divide keys; `text_at` octets lie before it in the query.
  Status add(std::string_view text, std::size_t text_at, bool first) {
    std::size_t at = 0;
    if (first && !text.empty() && namespace_of(text.front()) != Namespace::User) {
      path_.space = namespace_of(text.front());
      path_.marked = true;
      at = 1;
    }
    while (at < text.size()) {
      at_ = text_at + at;
      if (text[at] == '.') {
        FONDS_CHECK(end_key());
        ++at;
        continue;
      }
      if (empty_written_) {
        return fault(at_, "expected a dot or the key's end after the empty key '\"\"'");
      }
      if (text[at] != '\\') {
        star_ = key_.empty() && text[at] == '*';
        key_ += text[at++];
        continue;
      }
      FONDS_TRY(const Escape escape, read_escape(text, at, EscapePlace::Key, meaning_, text_at));
      utf8::append(key_, escape.value);
      star_ = false;
      at += escape.length;
    }
    at_ = text_at + text.size();
    return {};
  }

  Result<Path> finish() {
    FONDS_CHECK(end_key());
    return std::move(path_);
  }

 private:
  Status end_key() {
    if (key_.empty() && !empty_written_) {
      return fault(at_, meaning_ == Meaning::Default
                            ? "found an empty key in a path; the empty key is written '\"\"'"
                            : "found an empty key in a path");
    }
    PathStep step{.wildcard = star_, .key = star_ ? std::string() : std::move(key_)};
    append_steps(path_, {&step, 1});
    key_.clear();
    star_ = false;
    empty_written_ = false;
    return {};
  }

  std::size_t at_;
  Meaning meaning_;
  Path path_;
  std::string key_;
  bool star_ = false;           // key_ is an unescaped star and nothing else
  bool empty_written_ = false;  // the key is `""`
};

}  // namespace

Result<Path> make_path(std::span<const Token> pieces, Meaning meaning) {
  PathMaker maker(pieces.front().content_at(), meaning);
  for (const Token& piece : pieces) {
    if (meaning == Meaning::Default && piece.text == "\"\"") {
      FONDS_CHECK(maker.add_empty_key(piece.at));
    } else {
      FONDS_CHECK(maker.add(piece.content(), piece.content_at(), &piece == pieces.data()));
    }
  }
  return maker.finish();
}

void append_steps(Path& path, std::span<const PathStep> steps) {
  for (const PathStep& step : steps) {
    if (!step.wildcard || path.steps.empty() || !path.steps.back().wildcard) {
      path.steps.push_back(step);
    }
  }
}

}  // namespace fonds::query
