#include "query/tree.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fonds/query.hpp>

namespace fonds::query {
namespace {

bool same_number(const std::optional<Number>& a, const std::optional<Number>& b) {
  return a.has_value() == b.has_value() && (!a || a->compare(*b) == 0);
}

bool same_literal(const Literal& a, const Literal& b) {
  return a.exists == b.exists && same_number(a.number, b.number) && a.boolean == b.boolean &&
         a.null == b.null && a.pattern == b.pattern && a.instant == b.instant;
}

// What is left of a part of a tree.
enum class Left : std::uint8_t {
  Something,
  Nothing,  // it fails for every record
  NoList,   // `key: (and)`: nothing that a conjunction or an alternative would notice
};

bool cannot_match(const Filter& filter) {
  return filter.comparison != Comparison::Equal && !filter.literal.number &&
         !filter.literal.instant;
}

Left reduce(Node& node, bool negated);

Left reduce_children(Node& node, bool negated) {
  const bool conjunction = (node.kind == Node::Kind::And) != negated;
  bool no_list = conjunction && node.children.empty();
  std::vector<Node> kept;
  for (Node& child : node.children) {
    switch (reduce(child, negated)) {
      case Left::Something:
        kept.push_back(std::move(child));
        break;
      case Left::Nothing:
        if (conjunction) {
          return Left::Nothing;
        }
        break;
      case Left::NoList:
        no_list = true;
        break;
    }
  }
  if (kept.empty()) {
    return no_list ? Left::NoList : Left::Nothing;
  }
  if (kept.size() == 1) {
    Node only = std::move(kept.front());
    node = std::move(only);
  } else {
    node.children = std::move(kept);
  }
  return Left::Something;
}

Left reduce(Node& node, bool negated) {
  switch (node.kind) {
    case Node::Kind::Filter:
      return cannot_match(node.filter) ? Left::Nothing : Left::Something;
    case Node::Kind::Not:
      return reduce(node.children.front(), !negated);
    case Node::Kind::And:
    case Node::Kind::Or:
      return reduce_children(node, negated);
  }
  return Left::Something;
}

}  // namespace

std::string_view sign_of(Comparison comparison) {
  switch (comparison) {
    case Comparison::Equal:
      break;
    case Comparison::Less:
      return "<";
    case Comparison::LessEqual:
      return "<=";
    case Comparison::Greater:
      return ">";
    case Comparison::GreaterEqual:
      return ">=";
  }
  return ":";
}

bool same_path(const Path& a, const Path& b) {
  const auto same_step = [](const PathStep& x, const PathStep& y) {
    return x.wildcard == y.wildcard && x.key == y.key;
  };
  return a.space == b.space && a.marked == b.marked &&
         std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(), same_step);
}

bool has_wildcard(const Path& path) {
  return std::any_of(path.steps.begin(), path.steps.end(),
                     [](const PathStep& step) { return step.wildcard; });
}

bool same_tree(const Node& a, const Node& b) {
  if (a.kind != b.kind) {
    return false;
  }
  if (a.kind == Node::Kind::Filter) {
    return a.filter.comparison == b.filter.comparison && same_path(a.filter.path, b.filter.path) &&
           same_literal(a.filter.literal, b.filter.literal);
  }
  return std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(),
                    same_tree);
}

bool drop_impossible(Node& root) {
  switch (reduce(root, false)) {
    case Left::Something:
      return true;
    case Left::Nothing:
      return false;
    case Left::NoList:
      break;
  }
  // Finds nothing, whatever the archive holds: a key of a namespace that is empty.
  Node none;
  none.filter.path.space = Namespace::Bang;
  none.filter.path.marked = true;
  none.filter.path.steps.push_back({.wildcard = true, .key = {}});
  none.filter.literal.exists = true;
  none.filter.literal.typed = "*";
  root = std::move(none);
  return true;
}

}  // namespace fonds::query
