#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include <fonds/query.hpp>

#include "base/utf8.hpp"
#include "query/tree.hpp"

namespace fonds::query {
namespace {

constexpr std::string_view kSpecial = "\\()<>\"*?{}.@$!#";

char mark_of(Namespace space) {
  switch (space) {
    case Namespace::Generated:
      return '@';
    case Namespace::Archive:
      return '$';
    case Namespace::Bang:
      return '!';
    case Namespace::Hash:
      return '#';
    case Namespace::User:
      break;
  }
  return '\0';
}

bool is_blank_or_control(unsigned c) { return c <= 0x20U || c == 0x7fU; }

void append_unicode_escape(std::string& out, unsigned c) { out += fmt::format("\\u{:04x}", c); }

// A key as a word or a part of one; numbers for what only quotes could hold otherwise.
void append_key(std::string& out, std::string_view key) {
  if (key.empty()) {
    out += "\"\"";
    return;
  }
  for (std::size_t at = 0; at < key.size();) {
    const std::size_t length = utf8::step(key, at);
    const std::string_view character = key.substr(at, length);
    if (key[at] == ':' || is_blank_or_control(utf8::octet(key[at]))) {
      append_unicode_escape(out, utf8::octet(key[at]));
    } else if (character == "\xEF\xBB\xBF") {
      append_unicode_escape(out, 0xFEFFU);  // in front of a query it would be a byte order mark
    } else if (length == 1 && kSpecial.find(key[at]) != std::string_view::npos) {
      out += '\\';
      out += key[at];
    } else {
      out += character;
    }
    at += length;
  }
}

bool is_keyword(std::string_view key) {
  if (key.size() > 3) {
    return false;
  }
  std::string lower;
  for (const char c : key) {
    lower += static_cast<char>(c | 0x20);
  }
  return lower == "and" || lower == "or" || lower == "not";
}

void append_path(std::string& out, const Path& path) {
  if (path.space != Namespace::User) {
    out += mark_of(path.space);
  } else if (path.steps.size() == 1 &&
             (is_keyword(path.steps.front().key) || path.steps.front().key == ",")) {
    out += '"' + path.steps.front().key + '"';
    return;
  }
  for (std::size_t i = 0; i < path.steps.size(); ++i) {
    out += i == 0 ? "" : ".";
    if (path.steps[i].wildcard) {
      out += '*';
    } else {
      append_key(out, path.steps[i].key);
    }
  }
}

bool needs_no_quotes(std::string_view pattern) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./*?";
  return !pattern.empty() && pattern.find_first_not_of(kPlain) == std::string_view::npos &&
         !is_keyword(pattern);
}

// In quotes. A pattern is escaped already where wildcards are meant literally.
void append_pattern(std::string& out, std::string_view pattern) {
  out += '"';
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t length = utf8::step(pattern, at);
    const char c = pattern[at];
    if (c == '\\' && at + 1 < pattern.size()) {
      // A number for the backslash: behind one, clp-s would not take a quote for the end.
      out += pattern[at + 1] == '\\' ? std::string("\\u005c") : std::string(pattern.substr(at, 2));
      at += 2;
      continue;
    }
    if (length == 1 && utf8::octet(c) < 0x20U) {
      append_unicode_escape(out, utf8::octet(c));
    } else if (c == '"') {
      out += "\\u0022";
    } else {
      out += pattern.substr(at, length);
    }
    at += length;
  }
  out += '"';
}

void append_literal(std::string& out, const Literal& literal) {
  if (literal.exists) {
    out += '*';
  } else if (literal.instant) {
    out += "timestamp(";
    out += literal.typed.empty() ? fmt::format("\"{}\", \"\\N\"", *literal.instant) : literal.typed;
    out += ')';
  } else if (literal.pattern && needs_no_quotes(*literal.pattern)) {
    out += *literal.pattern;
  } else if (literal.pattern) {
    append_pattern(out, *literal.pattern);
  }
}

void append_node(std::string& out, const Node& node);

// Parentheses around everything that is not a filter or a negation: they mean the same in both
// languages, whatever binds tighter.
void append_operand(std::string& out, const Node& node) {
  const bool group = node.kind == Node::Kind::And || node.kind == Node::Kind::Or;
  out += group ? "(" : "";
  append_node(out, node);
  out += group ? ")" : "";
}

void append_node(std::string& out, const Node& node) {
  switch (node.kind) {
    case Node::Kind::Filter:
      append_path(out, node.filter.path);
      out += node.filter.comparison == Comparison::Equal ? "" : " ";
      out += sign_of(node.filter.comparison);
      out += ' ';
      append_literal(out, node.filter.literal);
      break;
    case Node::Kind::Not:
      out += "not ";
      append_operand(out, node.children.front());
      break;
    case Node::Kind::And:
    case Node::Kind::Or:
      for (std::size_t i = 0; i < node.children.size(); ++i) {
        out += i == 0 ? "" : node.kind == Node::Kind::And ? " and " : " or ";
        append_operand(out, node.children[i]);
      }
      break;
  }
}

}  // namespace

std::string to_string(const Node& node) {
  std::string out;
  append_node(out, node);
  return out;
}

}  // namespace fonds::query
