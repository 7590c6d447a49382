// Random trees and records for property tests. Keys and values are few, so that they meet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include <fonds/query.hpp>

namespace fonds::query {

class RandomQuery {
 public:
  explicit RandomQuery(std::uint64_t seed) : random_(seed) {}

  Node tree(unsigned depth) {
    Node node;
    switch (depth == 0 ? 0 : random_() % 6) {
      case 1:
        node.kind = Node::Kind::Not;
        node.children.push_back(tree(depth - 1));
        return node;
      case 2:
      case 3:
        return group(Node::Kind::And, depth);
      case 4:
      case 5:
        return group(Node::Kind::Or, depth);
      default:
        node.filter = filter();
        return node;
    }
  }

  // A JSON object. No key occurs twice in one object.
  std::string record(unsigned depth) {
    std::string out = "{";
    for (const std::string_view key : kKeys) {
      if (random_() % 3 == 0) {
        out += out.size() > 1 ? "," : "";
        out += "\"" + std::string(key) + "\":" + value(depth);
      }
    }
    return out + "}";
  }

 private:
  // Spelled alike in JSON and as they are.
  static constexpr std::array<std::string_view, 6> kKeys = {"a", "b", "", "*", "x y", "and"};

  template <typename T, std::size_t N>
  const T& one_of(const std::array<T, N>& values) {
    return values[random_() % N];
  }

  Node group(Node::Kind kind, unsigned depth) {
    Node node;
    node.kind = kind;
    for (std::size_t left = 2 + random_() % 2; left > 0; --left) {
      node.children.push_back(tree(depth - 1));
    }
    return node;
  }

  Filter filter() {
    static constexpr std::array<std::string_view, 20> kValues = {
        "*",         "1",
        "1.0",       "+1",
        "2.5",       "-3",
        "true",      "false",
        "null",      "x",
        "\"x y\"",   "x*",
        "*?y",       "\"\"",
        "\"é\"",     "\\*",
        "\"a\\\\\"", "\"\\\"\\\\\\\"\"",
        "\"[1]\"",   "18446744073709551615"};
    static constexpr std::array<std::string_view, 5> kBounds = {"1", "2.5", "-3", "1e30",
                                                                "18446744073709551615"};
    static constexpr std::array<std::string_view, 4> kSigns = {" < ", " <= ", " > ", " >= "};
    Filter filter = random_() % 4 == 0
                        ? parsed("k" + std::string(one_of(kSigns)) + std::string(one_of(kBounds)))
                        : parsed("k: " + std::string(one_of(kValues)));
    filter.path = path();
    return filter;
  }

  static Filter parsed(const std::string& text) { return parse(text)->root.filter; }

  Path path() {
    Path path;
    if (random_() % 12 == 0) {
      path.space = random_() % 2 == 0 ? Namespace::Bang : Namespace::Generated;
      path.marked = true;
    }
    for (std::size_t left = 1 + random_() % 3; left > 0; --left) {
      const bool after_wildcard = !path.steps.empty() && path.steps.back().wildcard;
      const bool wildcard = !after_wildcard && random_() % 4 == 0;
      path.steps.push_back({wildcard, wildcard ? "" : std::string(one_of(kKeys))});
    }
    return path;
  }

  std::string value(unsigned depth) {
    static constexpr std::array<std::string_view, 18> kScalars = {
        "1",        "1.0",      "1e0",         "2.5",   "-3",    "0",
        "true",     "false",    "null",        "\"1\"", "\"x\"", "\"x y\"",
        "\"true\"", "\"null\"", "\"\\u00e9\"", "\"*\"", "\"\"",  "18446744073709551615"};
    switch (depth == 0 ? 2 : random_() % 4) {
      case 0:
        return record(depth - 1);
      case 1: {
        std::string out = "[";
        for (std::size_t left = random_() % 4; left > 0; --left) {
          out += (out.size() > 1 ? "," : "") + value(depth - 1);
        }
        return out + "]";
      }
      default:
        return std::string(one_of(kScalars));
    }
  }

  std::mt19937_64 random_;
};

}  // namespace fonds::query
