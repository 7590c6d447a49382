// The grammar of docs/reference/query-language.md, by recursive descent. Lists and braces dissolve
// into filters while they are read.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/date.hpp>
#include <fonds/error.hpp>
#include <fonds/query.hpp>

#include "query/key.hpp"
#include "query/lexer.hpp"
#include "query/literal.hpp"
#include "query/tree.hpp"

namespace fonds::query {
namespace {

// Of a tree, and of what is open while it is read.
constexpr unsigned kMaxDepth = 1000;
constexpr std::size_t kMaxOctets = std::size_t{1} << 20U;
// Every filter has a path of its own; a long key before a long list must not fill the memory.
constexpr std::size_t kMaxPathOctets = std::size_t{64} << 20U;
constexpr std::size_t kMaxFilters = 65536;

bool is_literal(const Token& token) {
  return token.kind == TokenKind::Quoted || token.kind == TokenKind::Word;
}
bool is_operator(const Token& token) {
  return token.kind == TokenKind::And || token.kind == TokenKind::Or;
}
Node::Kind kind_of(const Token& token) {
  return token.kind == TokenKind::And ? Node::Kind::And : Node::Kind::Or;
}

Comparison comparison_of(std::string_view range) {
  if (range == "<") {
    return Comparison::Less;
  }
  if (range == "<=") {
    return Comparison::LessEqual;
  }
  return range == ">" ? Comparison::Greater : Comparison::GreaterEqual;
}

// For signs of other languages.
std::string_view operator_hint(std::string_view word) {
  if (word == "=" || word == "==") {
    return "equality is written 'key: value'";
  }
  if (word == "!=" || word == "<>") {
    return "inequality is written 'not key: value'";
  }
  if (word == "&&" || word == "&") {
    return "write 'and'";
  }
  return word == "||" || word == "|" ? "write 'or'" : "";
}

tl::unexpected<Error> impossible_range(std::string_view sign, const Literal& bound) {
  return fault(bound.at, "expected a number or a timestamp after '" + std::string(sign) +
                             "', found " +
                             (bound.exists ? "'*'" : quoted_for_message(bound.typed)));
}

class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens, const ParseOptions& options)
      : text_(text),
        tokens_(std::move(tokens)),
        meaning_(options.meaning),
        date_ranges_(options.date_ranges) {}

  Result<Node> all() {
    Node root;
    if (peek().kind == TokenKind::End) {
      return fault(peek().at, "expected a query, found nothing");
    }
    unsigned height = 0;
    FONDS_CHECK(query(root, height));
    if (peek().kind != TokenKind::End) {
      return fault(peek().at, unexpected_behind_query("the end of the query"));
    }
    return root;
  }

  // Meaning::ClpS: the first filter that no value can satisfy.
  std::optional<std::size_t> impossible_at() const { return impossible_at_; }

 private:
  // All of these fill an empty node and tell how many levels are below it.
  Status query(Node& out, unsigned& height) {
    const Deeper deeper(*this);
    FONDS_CHECK(check_depth(open_));
    return meaning_ == Meaning::Default ? any(out, height) : chain(out, height);
  }

  Status any(Node& out, unsigned& height) {
    FONDS_CHECK(all(out, height));
    for (bool started = false; accept(TokenKind::Or); started = true) {
      unsigned next_height = 0;
      FONDS_CHECK(all(grow(out, Node::Kind::Or, started, height), next_height));
      height = std::max(height, next_height + 1);
    }
    return check_depth(height);
  }

  Status all(Node& out, unsigned& height) {
    FONDS_CHECK(one(out, height));
    for (bool started = false; accept(TokenKind::And); started = true) {
      unsigned next_height = 0;
      FONDS_CHECK(one(grow(out, Node::Kind::And, started, height), next_height));
      height = std::max(height, next_height + 1);
    }
    return check_depth(height);
  }

  // Meaning::ClpS: and, or alike, from the left.
  Status chain(Node& out, unsigned& height) {
    FONDS_CHECK(one(out, height));
    std::optional<Node::Kind> started;
    while (is_operator(peek())) {
      const Node::Kind kind = kind_of(take());
      unsigned next_height = 0;
      FONDS_CHECK(one(grow(out, kind, started == kind, height), next_height));
      started = kind;
      height = std::max(height, next_height + 1);
      FONDS_CHECK(check_depth(height));
    }
    return {};
  }

  // A new child of `out`, which becomes a node of this kind unless it is one already.
  static Node& grow(Node& out, Node::Kind kind, bool started, unsigned& height) {
    if (!started) {
      Node first = std::exchange(out, Node{});
      out.kind = kind;
      out.children.push_back(std::move(first));
      ++height;
    }
    return out.children.emplace_back();
  }

  Status one(Node& out, unsigned& height) {
    if (!accept(TokenKind::Not)) {
      return primary(out, height);
    }
    const Deeper deeper(*this);
    FONDS_CHECK(check_depth(open_));
    out.kind = Node::Kind::Not;
    FONDS_CHECK(one(out.children.emplace_back(), height));
    return check_depth(++height);
  }

  Status primary(Node& out, unsigned& height) {
    if (accept(TokenKind::OpenParenthesis)) {
      FONDS_CHECK(query(out, height));
      return expect_close(TokenKind::CloseParenthesis);
    }
    if (peek().kind == TokenKind::Time) {
      return fault(peek().at, "expected a key before " + name_of(peek()) +
                                  ", as in 'key > timestamp(\"2024-03-01T00:00:00Z\")'");
    }
    if (!is_literal(peek())) {
      return fault(peek().at, "expected a key or a value, found " + name_of(peek()));
    }
    const std::span<const Token> pieces = key_or_value();
    if (peek().kind == TokenKind::Colon || peek().kind == TokenKind::Range) {
      FONDS_TRY(const Path path, path_of(pieces));
      return behind_key(out, height, path);
    }
    if (pieces.size() > 1) {
      return fault(peek().at,
                   "expected ':' or a range operator after the key, found " + name_of(peek()));
    }
    FONDS_TRY(Literal literal, make_literal(pieces.front(), meaning_));
    Path any_key = prefix_;
    const PathStep any_step{.wildcard = true, .key = {}};
    append_steps(any_key, {&any_step, 1});
    return filter(out, any_key, Comparison::Equal, std::move(literal));
  }

  // The tokens of one literal, or of a key with empty keys: `""` and words that adjoin.
  std::span<const Token> key_or_value() {
    const std::size_t first = next_++;
    const auto joins = [](const Token& token) {
      return token.kind == TokenKind::Word || token.text == "\"\"";
    };
    while (meaning_ == Meaning::Default && joins(tokens_[next_ - 1]) && joins(peek()) &&
           tokens_[next_ - 1].end() == peek().at) {
      ++next_;
    }
    return std::span(tokens_).subspan(first, next_ - first);
  }

  Result<Path> path_of(std::span<const Token> pieces) const {
    FONDS_TRY(Path own, make_path(pieces, meaning_));
    if (prefix_.steps.empty()) {
      return own;
    }
    if (own.marked) {
      return fault(pieces.front().content_at(),
                   "found a namespace within braces; it belongs before the first key");
    }
    Path path = prefix_;
    append_steps(path, own.steps);
    return path;
  }

  Status behind_key(Node& out, unsigned& height, const Path& path) {
    const Token sign = take();
    if (sign.kind == TokenKind::Range) {
      FONDS_TRY(Literal bound, single_value("a number or a timestamp after " + name_of(sign)));
      FONDS_CHECK(check_bound(sign, bound));
      return filter(out, path, comparison_of(sign.text), std::move(bound));
    }
    if (accept(TokenKind::OpenBrace)) {
      Path outer = std::exchange(prefix_, path);
      FONDS_CHECK(query(out, height));
      prefix_ = std::move(outer);
      return expect_close(TokenKind::CloseBrace);
    }
    if (accept(TokenKind::OpenParenthesis)) {
      return list(out, height, path);
    }
    FONDS_TRY(Literal value, single_value("a value after ':'"));
    return filter(out, path, Comparison::Equal, std::move(value));
  }

  Result<Literal> single_value(std::string_view expected) {
    const Token token = take();
    if (token.kind == TokenKind::Time) {
      return time();
    }
    if (!is_literal(token)) {
      return fault(token.at, "expected " + std::string(expected) + ", found " + name_of(token));
    }
    return make_literal(token, meaning_);
  }

  // Behind `timestamp(`.
  Result<Literal> time() {
    FONDS_TRY(const Token text, quoted("a time in quotes"));
    std::optional<Token> pattern;
    if (accept(TokenKind::Comma)) {
      FONDS_TRY(pattern, quoted("a pattern in quotes after ','"));
    }
    if (peek().kind != TokenKind::CloseParenthesis) {
      return fault(peek().at, std::string("expected ") + (pattern ? "" : "',' or ") + "')' after " +
                                  name_of(tokens_[next_ - 1]) + ", found " + name_of(peek()));
    }
    const std::size_t length = tokens_[next_ - 1].end() - text.at;
    take();
    return make_time_literal(text, pattern, text_.substr(text.at, length), meaning_);
  }

  Result<Token> quoted(std::string_view expected) {
    const Token token = take();
    if (token.kind != TokenKind::Quoted) {
      return fault(token.at, "expected " + std::string(expected) + ", found " + name_of(token));
    }
    return token;
  }

  Status check_bound(const Token& sign, const Literal& bound) {
    if (bound.number || bound.instant) {
      return {};
    }
    if (meaning_ == Meaning::ClpS) {
      note_impossible(bound.at);
      return {};
    }
    if (date_ranges_ && parse_user_date(bound.typed)) {
      return {};
    }
    return impossible_range(sign.text, bound);
  }

  // Behind the parenthesis.
  Status list(Node& out, unsigned& height, const Path& path) {
    const Deeper deeper(*this);
    FONDS_CHECK(check_depth(open_));
    const std::size_t at = tokens_[next_ - 1].at;
    const bool none = accept(TokenKind::Not);
    const bool prefixed = none || is_operator(peek());
    out.kind = prefixed && !none ? kind_of(take()) : Node::Kind::Or;
    FONDS_CHECK(meaning_ == Meaning::Default ? items(out, height, path, prefixed)
                                             : plain_items(out, path, none, at));
    if (out.children.size() == 1) {
      Node only = std::move(out.children.front());
      out = std::move(only);
    } else {
      ++height;
    }
    if (none && meaning_ == Meaning::Default) {
      Node some = std::exchange(out, Node{});
      out.kind = Node::Kind::Not;
      out.children.push_back(std::move(some));
      ++height;
    }
    return check_depth(height);
  }

  // Meaning::Default: blanks between the items, or one operator everywhere.
  Status items(Node& out, unsigned& height, const Path& path, bool prefixed) {
    FONDS_CHECK(item(out, height, path));
    std::optional<TokenKind> between;
    if (!prefixed && is_operator(peek())) {
      between = peek().kind;
      out.kind = kind_of(peek());
    }
    while (!accept(TokenKind::CloseParenthesis)) {
      if (between ? peek().kind != *between : is_operator(peek())) {
        return fault(peek().at, unexpected_in_list(between));
      }
      if (between) {
        take();
      }
      FONDS_CHECK(item(out, height, path));
    }
    return {};
  }

  Status item(Node& list_node, unsigned& height, const Path& path) {
    if (accept(TokenKind::OpenParenthesis)) {
      unsigned item_height = 0;
      FONDS_CHECK(list(list_node.children.emplace_back(), item_height, path));
      height = std::max(height, item_height);
      return {};
    }
    if (!is_literal(peek())) {
      return fault(peek().at, unexpected_item());
    }
    FONDS_TRY(Literal value, make_literal(take(), meaning_));
    return filter(list_node.children.emplace_back(), path, Comparison::Equal, std::move(value));
  }

  // Meaning::ClpS: also none at all, which makes a node without children for simplify().
  Status plain_items(Node& out, const Path& path, bool none, std::size_t at) {
    if (none) {
      out.kind = Node::Kind::And;
    }
    while (!accept(TokenKind::CloseParenthesis)) {
      if (!is_literal(peek())) {
        return fault(peek().at, unexpected_item());
      }
      FONDS_TRY(Literal value, make_literal(take(), meaning_));
      Node* place = &out.children.emplace_back();
      if (none) {
        place->kind = Node::Kind::Not;
        place = &place->children.emplace_back();
      }
      FONDS_CHECK(filter(*place, path, Comparison::Equal, std::move(value)));
    }
    if (out.children.empty()) {
      note_impossible(at);
    }
    return {};
  }

  Status filter(Node& out, const Path& path, Comparison comparison, Literal literal) {
    for (const PathStep& step : path.steps) {
      path_octets_ += sizeof step + step.key.size();
    }
    if (path_octets_ > kMaxPathOctets || ++filters_ > kMaxFilters) {
      return fault(literal.at, "found too many values: more than " + std::to_string(kMaxFilters) +
                                   ", or many behind long keys");
    }
    out.kind = Node::Kind::Filter;
    out.filter = {.path = path, .comparison = comparison, .literal = std::move(literal)};
    return {};
  }

  Status expect_close(TokenKind kind) {
    if (accept(kind)) {
      return {};
    }
    return fault(peek().at, unexpected_behind_query(kind == TokenKind::CloseBrace ? "'}'" : "')'"));
  }

  std::string unexpected_behind_query(std::string_view end) const {
    std::string message =
        "expected 'and', 'or' or " + std::string(end) + ", found " + name_of(peek());
    if (const std::string_view hint = operator_hint(peek().text); !hint.empty()) {
      return message.append("; ").append(hint);
    }
    if (is_literal(peek()) && is_literal(tokens_[next_ - 1])) {
      message += "; a text with blanks stands in quotes";
    }
    return message;
  }

  std::string unexpected_item() const {
    std::string message = "expected a value in the list, found " + name_of(peek());
    switch (peek().kind) {
      case TokenKind::Not:
        return message + ", which stands only first in a list";
      case TokenKind::And:
      case TokenKind::Or:
        return message + (meaning_ == Meaning::ClpS ? ", which clp-s takes only before all values"
                                                    : ", which stands between values or first");
      case TokenKind::Colon:
      case TokenKind::Range:
        return message + "; filters on keys below this one stand in braces";
      case TokenKind::Time:
        return message + "; a timestamp stands alone behind its key";
      default:
        return message;
    }
  }

  std::string unexpected_in_list(std::optional<TokenKind> between) const {
    const std::string expected = !between                     ? "a value"
                                 : *between == TokenKind::And ? "'and'"
                                                              : "'or'";
    const bool mixed = is_operator(peek()) || is_literal(peek());
    return "expected " + expected + " or ')' in the list, found " + name_of(peek()) +
           (mixed ? "; a list within parentheses may have another operator" : "");
  }

  // How many parentheses, braces and nots are open.
  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(parser) { ++parser_.open_; }
    ~Deeper() { --parser_.open_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Parser& parser_;
  };

  Status check_depth(unsigned depth) const {
    if (depth > kMaxDepth) {
      return fault(peek().at, "found a query that is nested more than " +
                                  std::to_string(kMaxDepth) + " levels deep");
    }
    return {};
  }

  void note_impossible(std::size_t at) {
    if (!impossible_at_) {
      impossible_at_ = at;
    }
  }

  const Token& peek() const { return tokens_[next_]; }
  // The End stays.
  const Token& take() {
    const Token& token = tokens_[next_];
    next_ += token.kind == TokenKind::End ? 0 : 1;
    return token;
  }
  bool accept(TokenKind kind) {
    const bool is = peek().kind == kind;
    next_ += is ? 1 : 0;
    return is;
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  Meaning meaning_;
  bool date_ranges_;
  std::size_t next_ = 0;
  unsigned open_ = 0;
  Path prefix_;                  // of the braces that are open
  std::size_t path_octets_ = 0;  // of all filters
  std::size_t filters_ = 0;
  std::optional<std::size_t> impossible_at_;
};

}  // namespace

Status refuse_date_ranges(const Node& root) {
  if (root.kind == Node::Kind::Filter) {
    const Literal& literal = root.filter.literal;
    const bool typed = literal.number || literal.instant;
    return root.filter.comparison == Comparison::Equal || typed
               ? Status()
               : impossible_range(sign_of(root.filter.comparison), literal);
  }
  for (const Node& child : root.children) {
    FONDS_CHECK(refuse_date_ranges(child));
  }
  return {};
}

Result<Query> parse(std::string_view text, const ParseOptions& options) {
  if (text.size() > kMaxOctets) {
    return fault(kMaxOctets, "found a query of " + std::to_string(text.size()) +
                                 " octets; the most is " + std::to_string(kMaxOctets));
  }
  FONDS_TRY(std::vector<Token> tokens, tokenize(text, options.meaning));
  Parser parser(text, std::move(tokens), options);
  FONDS_TRY(Node root, parser.all());
  if (options.meaning == Meaning::ClpS && !drop_impossible(root)) {
    return fault(parser.impossible_at().value_or(0),
                 "found a query that nothing can match: a range over something else than a number "
                 "or a timestamp, or an empty list");
  }
  return Query{.text = std::string(text), .options = options, .root = std::move(root)};
}

}  // namespace fonds::query
