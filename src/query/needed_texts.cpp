#include "query/needed_texts.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/query.hpp>

namespace fonds::query {
namespace {

using Clause = NeededTexts::Clause;

constexpr std::size_t kMostNeedles = 16;  // of a clause: each is looked for by itself

// Whether JSON strings hold the character only escaped.
bool is_escaped(char c) { return static_cast<unsigned char>(c) < 0x20U || c == '"' || c == '\\'; }

// The longest part that stands in a JSON string as it is.
std::string_view longest_plain(std::string_view text) {
  std::string_view longest;
  while (true) {
    const auto end = std::find_if(text.begin(), text.end(), is_escaped);
    const auto length = static_cast<std::size_t>(end - text.begin());
    if (length > longest.size()) {
      longest = text.substr(0, length);
    }
    if (length == text.size()) {
      return longest;
    }
    text.remove_prefix(length + 1);
  }
}

bool is_plain(std::string_view text) { return std::none_of(text.begin(), text.end(), is_escaped); }

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

// Whether only texts can match, in this letter case.
bool is_only_text(const Filter& filter, const ParseOptions& options) {
  const Literal& literal = filter.literal;
  return filter.comparison == Comparison::Equal && literal.pattern && !literal.exists &&
         !literal.number && !literal.boolean && !literal.null && !literal.instant &&
         !options.ignore_case;
}

// Those of values are rare beside those of keys, which most records have.
struct Clauses {
  std::vector<Clause> values, keys;
};

void append(std::vector<Clause>& to, std::vector<Clause>&& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

Clauses clauses_of(const Filter& filter, const ParseOptions& options) {
  Clauses clauses;
  if (filter.path.space != Namespace::User) {
    return clauses;
  }
  if (is_only_text(filter, options)) {
    const ValueMatch match(filter, options);
    if (const auto exact = match.exact_text(); exact && is_plain(*exact)) {
      clauses.values.push_back({quoted(*exact)});
    } else {
      for (const std::string& piece : match.pieces()) {
        if (const std::string_view plain = longest_plain(piece); !plain.empty()) {
          clauses.values.push_back({std::string(plain)});
        }
      }
    }
  }
  for (const PathStep& step : filter.path.steps) {
    if (!step.wildcard && is_plain(step.key)) {
      clauses.keys.push_back({quoted(step.key)});
    }
  }
  return clauses;
}

std::size_t shortest(const Clause& clause) {
  std::size_t length = clause.front().size();
  for (const std::string& needle : clause) {
    length = std::min(length, needle.size());
  }
  return length;
}

const Clause& longest(const std::vector<Clause>& clauses) {
  return *std::max_element(clauses.begin(), clauses.end(), [](const Clause& a, const Clause& b) {
    return shortest(a) < shortest(b);
  });
}

Clauses clauses_of(const Node& node, const ParseOptions& options);

// Of each child one clause; together they are one.
Clauses clauses_of_any(const Node& node, const ParseOptions& options) {
  Clause together;
  bool all_values = true;
  for (const Node& child : node.children) {
    const Clauses clauses = clauses_of(child, options);
    const bool values = !clauses.values.empty();
    if (!values && clauses.keys.empty()) {
      return {};
    }
    all_values = all_values && values;
    for (const std::string& needle : longest(values ? clauses.values : clauses.keys)) {
      if (std::find(together.begin(), together.end(), needle) == together.end()) {
        together.push_back(needle);
      }
    }
    if (together.size() > kMostNeedles) {
      return {};
    }
  }
  Clauses one;
  (all_values ? one.values : one.keys).push_back(std::move(together));
  return one;
}

Clauses clauses_of(const Node& node, const ParseOptions& options) {
  switch (node.kind) {
    case Node::Kind::Filter:
      return clauses_of(node.filter, options);
    case Node::Kind::Not:
      return {};
    case Node::Kind::Or:
      return clauses_of_any(node, options);
    case Node::Kind::And:
      break;
  }
  Clauses all;
  for (const Node& child : node.children) {
    Clauses some = clauses_of(child, options);
    append(all.values, std::move(some.values));
    append(all.keys, std::move(some.keys));
  }
  return all;
}

}  // namespace

NeededTexts needed_texts(const Query& query) {
  Clauses found = clauses_of(query.root, query.options);
  NeededTexts needed{.clauses = std::move(found.values)};
  append(needed.clauses, std::move(found.keys));
  return needed;
}

bool may_hide(std::string_view json) {
  for (std::size_t at = json.find('\\'); at != std::string_view::npos; at = json.find('\\', at)) {
    if (at + 1 < json.size() && (json[at + 1] == 'u' || json[at + 1] == '/')) {
      return true;
    }
    at += 2;
    if (at > json.size()) {
      break;
    }
  }
  return false;
}

}  // namespace fonds::query
