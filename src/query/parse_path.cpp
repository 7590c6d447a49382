#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/query.hpp>

#include "query/key.hpp"
#include "query/lexer.hpp"

namespace fonds::query {
namespace {

constexpr std::string_view kEmptyKey = "\"\"";

// Octets of the key up to the next dot that divides, or to the end.
std::size_t key_length(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && text[at] != '.') {
    at += text[at] == '\\' ? 2 : 1;
  }
  return std::min(at, text.size());
}

// A key that stands alone needs no quotes around blanks and the like. But `""` is an empty key, as
// in a query, and the whole may stand in quotes.
std::vector<Token> pieces_of(std::string_view text) {
  if (const auto tokens = tokenize(text, Meaning::Default);
      tokens && tokens->size() == 2 && tokens->front().kind == TokenKind::Quoted) {
    return {tokens->front()};
  }
  std::vector<Token> pieces;
  std::size_t begin = 0;  // of the words since the last empty key
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = key_length(text.substr(at));
    if (text.substr(at, length) == kEmptyKey) {
      pieces.push_back({TokenKind::Word, text.substr(begin, at - begin), begin});
      pieces.push_back({TokenKind::Quoted, kEmptyKey, at});
      begin = at + length;
    }
    at += length + 1;
  }
  pieces.push_back({TokenKind::Word, text.substr(std::min(begin, text.size())), begin});
  return pieces;
}

}  // namespace

Result<Path> parse_path(std::string_view text, Meaning meaning) {
  if (meaning == Meaning::ClpS) {
    const Token whole{TokenKind::Word, text, 0};
    return make_path({&whole, 1}, meaning);
  }
  return make_path(pieces_of(text), meaning);
}

}  // namespace fonds::query
