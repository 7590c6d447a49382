#include "query/lexer.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/query.hpp>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace fonds::query {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kEndOfWord = "():<>\"{} \t\r\n";
constexpr std::string_view kEscaped = "trn\\():<>\"*?{}.@$!#";

bool is_one_of(char c, std::string_view set) { return set.find(c) != npos; }

// What is wrong with the escape at the start of `text` in a word.
std::string word_escape_fault(std::string_view text) {
  if (text.size() == 1) {
    return "found a backslash at the end of the query; a backslash is written '\\\\'";
  }
  if (text[1] == 'u') {
    return "expected four hexadecimal digits after '\\u'";
  }
  if (text[1] == 'b' || text[1] == 'f') {
    return "the escape '\\" + std::string(1, text[1]) + "' stands only within quotes";
  }
  const std::string_view escape = text.substr(0, 1 + utf8::step(text, 1));
  return "found the unknown escape " + quoted_for_message(escape) +
         "; a backslash is written '\\\\'";
}

class Lexer {
 public:
  Lexer(std::string_view text, Meaning meaning) : text_(text), meaning_(meaning) {}

  Result<std::vector<Token>> all() {
    std::vector<Token> tokens;
    if (text_.starts_with(kByteOrderMark)) {
      at_ = kByteOrderMark.size();
    }
    while (true) {
      at_ = std::min(text_.find_first_not_of(kBlank, at_), text_.size());
      if (at_ == text_.size()) {
        tokens.push_back({TokenKind::End, text_.substr(at_), at_});
        return tokens;
      }
      FONDS_TRY(const Token token, next());
      tokens.push_back(token);
      at_ = token.end();
    }
  }

 private:
  Token token(TokenKind kind, std::size_t length) const {
    return {kind, text_.substr(at_, length), at_};
  }

  Result<Token> next() const {
    const std::string_view rest = text_.substr(at_);
    switch (rest.front()) {
      case ':':
        return token(TokenKind::Colon, 1);
      case '{':
        return token(TokenKind::OpenBrace, 1);
      case '}':
        return token(TokenKind::CloseBrace, 1);
      case '(':
        return token(TokenKind::OpenParenthesis, 1);
      case ')':
        return token(TokenKind::CloseParenthesis, 1);
      case '<':
      case '>':
        return token(TokenKind::Range, rest.substr(1).starts_with('=') ? 2 : 1);
      case '"':
        return quoted();
      default:
        break;
    }
    // The longest token wins; at equal length the keyword does.
    for (const std::string_view opening : {"timestamp(", "date("}) {
      if (rest.starts_with(opening) && (opening == "timestamp(" || meaning_ == Meaning::Default)) {
        return token(TokenKind::Time, opening.size());
      }
    }
    return word();
  }

  Result<Token> quoted() const {
    const std::optional<std::size_t> end =
        meaning_ == Meaning::Default ? end_of_quoted() : end_of_quoted_as_clps();
    if (!end) {
      return fault(at_, "found a quote that is never closed");
    }
    return token(TokenKind::Quoted, *end + 1 - at_);
  }

  // A backslash always pairs with what follows it.
  std::optional<std::size_t> end_of_quoted() const {
    for (std::size_t at = at_ + 1; (at = text_.find_first_of("\"\\", at)) != npos; at += 2) {
      if (text_[at] == '"') {
        return at;
      }
    }
    return std::nullopt;
  }

  // There a backslash may be a character of its own as well, and the longest match counts: any
  // quote behind a backslash may be inside, and one that need not be is the end only if it is last.
  std::optional<std::size_t> end_of_quoted_as_clps() const {
    std::optional<std::size_t> end;
    for (std::size_t at = at_ + 1; (at = text_.find('"', at)) != npos; ++at) {
      end = at;
      if (at == at_ + 1 || text_[at - 1] != '\\') {
        break;
      }
    }
    return end;
  }

  Result<Token> word() const {
    std::size_t at = at_;
    while (at < text_.size() && !is_one_of(text_[at], kEndOfWord)) {
      if (text_[at] != '\\') {
        ++at;
        continue;
      }
      const std::size_t length = escape_length(at);
      if (length == 0) {
        return fault(at, word_escape_fault(text_.substr(at)));
      }
      at += length;
    }
    return token(keyword(text_.substr(at_, at - at_)), at - at_);
  }

  std::size_t escape_length(std::size_t at) const {
    const std::string_view rest = text_.substr(at + 1);
    if (rest.empty()) {
      return 0;
    }
    if (rest.front() == 'u') {
      const std::string_view digits = rest.substr(1, 4);
      return digits.size() == 4 && std::all_of(digits.begin(), digits.end(), is_hex_digit) ? 6 : 0;
    }
    return is_one_of(rest.front(), kEscaped) ? 2 : 0;
  }

  static TokenKind keyword(std::string_view word) {
    if (word == ",") {
      return TokenKind::Comma;
    }
    if (equals_ignoring_case(word, "and")) {
      return TokenKind::And;
    }
    if (equals_ignoring_case(word, "or")) {
      return TokenKind::Or;
    }
    return equals_ignoring_case(word, "not") ? TokenKind::Not : TokenKind::Word;
  }

  std::string_view text_;
  Meaning meaning_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view text, Meaning meaning) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8::length_at(text, at);
    if (length == 0) {
      return fault(at,
                   "expected UTF-8, found the octet " + escape_for_terminal(text.substr(at, 1)));
    }
    at += length;
  }
  return Lexer(text, meaning).all();
}

tl::unexpected<Error> fault(std::size_t at, std::string message) {
  return fail(ErrorCode::BadArgument, std::move(message), {.decoded_offset = at});
}

std::string name_of(const Token& token) {
  return token.kind == TokenKind::End ? "the end of the query" : quoted_for_message(token.text);
}

std::string quoted_for_message(std::string_view text) {
  constexpr std::size_t kMost = 60;
  if (text.size() <= kMost) {
    return "'" + escape_for_terminal(text) + "'";
  }
  std::size_t end = 0;
  while (end < kMost) {
    end += utf8::step(text, end);
  }
  return "'" + escape_for_terminal(text.substr(0, end)) + "…'";
}

}  // namespace fonds::query
