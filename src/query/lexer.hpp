// The tokens of a query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/query.hpp>

namespace fonds::query {

enum class TokenKind : std::uint8_t {
  Colon,
  OpenBrace,
  CloseBrace,
  OpenParenthesis,
  CloseParenthesis,
  Comma,
  Time,  // `timestamp(`, `date(`
  And,
  Or,
  Not,
  Quoted,
  Word,
  Range,  // < <= > >=
  End,
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;  // as written, into the query; with the quotes
  std::size_t at = 0;     // octets before it

  std::size_t end() const { return at + text.size(); }
  // Of words and quoted texts: without the quotes, still escaped.
  std::string_view content() const {
    return kind == TokenKind::Quoted ? text.substr(1, text.size() - 2) : text;
  }
  std::size_t content_at() const { return at + (kind == TokenKind::Quoted ? 1 : 0); }
};

// All tokens, and one of kind End. Errors: BadArgument at the octet that no token begins with.
Result<std::vector<Token>> tokenize(std::string_view text, Meaning meaning);

// The error of a query: `at` octets before the fault.
tl::unexpected<Error> fault(std::size_t at, std::string message);

// A token as messages name it: "'x'", "the end of the query".
std::string name_of(const Token& token);
// A text in quotes, escaped for terminals, and cut if it is long.
std::string quoted_for_message(std::string_view text);

}  // namespace fonds::query
