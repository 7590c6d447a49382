#include "query/literal.hpp"

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fonds/error.hpp>
#include <fonds/query.hpp>

#include "base/time_pattern.hpp"
#include "base/utf8.hpp"
#include "query/escape.hpp"
#include "query/lexer.hpp"

namespace fonds::query {
namespace {

// A character that stands for itself.
void append_plain(Literal& literal, char32_t value) {
  utf8::append(literal.typed, value);
  if (value == U'*' || value == U'?' || value == U'\\') {
    *literal.pattern += '\\';
  }
  utf8::append(*literal.pattern, value);
}

std::optional<Number> number_of(std::string_view text, Meaning meaning) {
  std::optional<Number> number = Number::parse(text);
  if (meaning == Meaning::ClpS && number && number->is_integer() && !number->as_int64()) {
    // There an integer that int64 cannot hold is a float.
    const double nearest = number->as_double();
    return std::isinf(nearest) ? std::nullopt : std::optional(Number(nearest));
  }
  return number;
}

}  // namespace

Result<Literal> make_literal(const Token& token, Meaning meaning) {
  Literal literal;
  literal.at = token.at;
  literal.pattern.emplace();
  const std::string_view text = token.content();
  bool after_star = false;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\\') {
      FONDS_TRY(const Escape escape,
                read_escape(text, at, EscapePlace::Value, meaning, token.content_at()));
      append_plain(literal, escape.value);
      at += escape.length;
      after_star = false;
      continue;
    }
    const bool star = text[at] == '*';
    literal.typed += text[at];
    if (!star || !after_star) {
      *literal.pattern += text[at];
    }
    after_star = star;
    ++at;
  }
  const std::string& pattern = *literal.pattern;
  literal.exists = pattern == "*";
  literal.number = number_of(pattern, meaning);
  if (pattern == "true" || pattern == "false") {
    literal.boolean = pattern == "true";
  }
  literal.null = pattern == "null";
  if (literal.exists) {
    literal.pattern.reset();
  }
  return literal;
}

Result<Literal> make_time_literal(const Token& text, const std::optional<Token>& pattern,
                                  std::string_view written, Meaning meaning) {
  const TimeSyntax syntax = meaning == Meaning::ClpS ? TimeSyntax::V050 : TimeSyntax::V051;
  Literal literal;
  literal.at = text.at;
  literal.typed = written;
  std::optional<TimeText> time;
  if (pattern) {
    auto matched = match_time(pattern->content(), text.content(), syntax);
    if (!matched) {
      return fault(pattern->content_at(), matched.error().message());
    }
    time = std::move(*matched);
  } else {
    time = match_default_time(text.content(), syntax);
  }
  if (!time) {
    return fault(text.content_at(),
                 "expected a time " +
                     (pattern ? "of the pattern " + quoted_for_message(pattern->content())
                              : std::string("such as 2024-03-01T00:00:00Z")) +
                     ", found " + quoted_for_message(text.content()));
  }
  literal.instant = time->ns;
  return literal;
}

}  // namespace fonds::query
