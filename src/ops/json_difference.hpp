// Whether what an archive gives back says the same as its input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/error.hpp>

#include "query/json_scanner.hpp"

namespace fonds::ops {

// The order of keys means nothing, of keys that are there several times the last counts, strings
// are the same if their characters are, numbers if their texts are.
class JsonDifference {
 public:
  // With `loose_numbers` numbers are also the same if their values as binary64 are, or if one is
  // what C's `%f` makes of the other. `memory` bounds the bytes that are held of two texts.
  JsonDifference(bool loose_numbers, std::uint64_t memory)
      : loose_(loose_numbers), memory_(memory) {}

  // Nothing if both are the same value; else where they differ and how, for people. Text that is
  // no JSON is no value. Errors: LimitExceeded if they are not the same text and have more values
  // than the memory holds.
  Result<std::optional<std::string>> find(std::string_view input, std::string_view archived);

 private:
  struct Node {
    query::JsonToken kind = query::JsonToken::Null;
    std::string_view text = {};        // of strings and keys without quotes and escapes
    std::string_view key = {};         // in an object
    std::size_t first = 0, count = 0;  // of children, in Tree::children
  };
  struct Tree {
    std::vector<Node> nodes;  // the root is the last one
    std::vector<std::size_t> children;
    std::deque<std::string> unescaped;
    std::uint64_t unescaped_bytes = 0;

    // With what sorting and growing take for a while.
    std::uint64_t held() const {
      return 3 * nodes.size() * (sizeof(Node) + sizeof(std::size_t)) + unescaped_bytes;
    }
  };
  // Members of two containers that are compared one after the other.
  struct Pair {
    const Node* a;
    const Node* b;
    std::size_t next = 0;
  };
  class TreeMaker;
  // False: it is no JSON.
  Result<bool> parse(std::string_view text, Tree& tree) const;
  bool same_number(std::string_view a, std::string_view b) const;
  // What is different about two nodes, leaving their members aside.
  std::optional<std::string> differs(const Node& a, const Node& b) const;
  static std::string path_of(const std::vector<Pair>& pairs, const Tree& tree);

  bool loose_;
  std::uint64_t memory_;
  Tree a_, b_;
};

}  // namespace fonds::ops
