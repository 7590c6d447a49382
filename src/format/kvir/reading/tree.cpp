#include "format/kvir/reading/tree.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/core.h>

namespace fonds::kvir {
namespace {

// Of a node beside its key: the node, its place in the map, the marks of a check.
constexpr std::uint64_t kNodeBytes = 256;

}  // namespace

std::string_view to_string(NodeType type) {
  switch (type) {
    case NodeType::Integer:
      return "integer";
    case NodeType::Real:
      return "float";
    case NodeType::Boolean:
      return "boolean";
    case NodeType::String:
      return "string";
    case NodeType::Array:
      return "array";
    case NodeType::Object:
      return "object";
  }
  return "unknown";
}

Tree::Tree() : nodes_(1) {}

std::optional<NodeId> Tree::find(NodeId parent, std::string_view key, NodeType type) const {
  const auto first = first_.find({parent, key});
  if (first == first_.end()) {
    return std::nullopt;
  }
  for (NodeId id = first->second; id != kRoot; id = nodes_[id].next_of_key) {
    if (nodes_[id].type == type) {
      return id;
    }
  }
  return std::nullopt;
}

NodeId Tree::add(NodeId parent, std::string_view key, NodeType type) {
  const auto id = static_cast<NodeId>(nodes_.size());
  Node node{.parent = parent, .type = type, .depth = nodes_[parent].depth + 1, .first_of_key = id};
  if (const auto first = first_.find({parent, key}); first != first_.end()) {
    node.first_of_key = first->second;
    node.key = nodes_[node.first_of_key].key;
    NodeId last = node.first_of_key;
    while (nodes_[last].next_of_key != kRoot) {
      last = nodes_[last].next_of_key;
    }
    nodes_[last].next_of_key = id;
  } else {
    node.key = keys_.emplace_back(key);
    held_ += key.size();
    first_.emplace(std::pair(parent, node.key), id);
  }
  nodes_.push_back(node);
  held_ += kNodeBytes;
  return id;
}

bool Tree::comes_before(NodeId a, NodeId b) const {
  const std::uint32_t depth_a = nodes_[a].depth;
  const std::uint32_t depth_b = nodes_[b].depth;
  for (std::uint32_t depth = depth_a; depth > depth_b; --depth) {
    a = nodes_[a].parent;
  }
  for (std::uint32_t depth = depth_b; depth > depth_a; --depth) {
    b = nodes_[b].parent;
  }
  if (a == b) {
    return depth_a < depth_b;
  }
  while (nodes_[a].parent != nodes_[b].parent) {
    a = nodes_[a].parent;
    b = nodes_[b].parent;
  }
  return a < b;
}

bool LeafCheck::refuse(NodeId id, std::string_view why) {
  fault_ = fmt::format("the event {} (node {})", why, id);
  return false;
}

// Ancestors and leaves alike.
bool LeafCheck::mark_node(NodeId id) {
  Mark& key = marks_[tree_[id].first_of_key];
  if (key.key_event == event_ && key.key_node != id) {
    return refuse(id, "has a key twice");
  }
  key.key_event = event_;
  key.key_node = id;
  Mark& mark = marks_[id];
  mark.event = event_;
  mark.leaf = false;
  mark.first_child = kRoot;
  touched_.push_back(id);
  return true;
}

bool LeafCheck::mark(std::span<const NodeId> leaves) {
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const NodeId leaf = leaves[i];
    if (leaf == kRoot) {
      return refuse(leaf, "gives a value to the root");
    }
    if (marks_[leaf].event == event_) {
      return refuse(leaf, marks_[leaf].leaf ? "has a key twice"
                                            : "gives a value to an object that has members");
    }
    if (!mark_node(leaf)) {
      return false;
    }
    marks_[leaf].leaf = true;
    marks_[leaf].place = static_cast<std::uint32_t>(i);
    for (NodeId at = tree_[leaf].parent; at != kRoot; at = tree_[at].parent) {
      if (marks_[at].event == event_) {
        if (marks_[at].leaf) {
          return refuse(at, "gives a value to an object that has members");
        }
        break;
      }
      if (!mark_node(at)) {
        return false;
      }
    }
  }
  return true;
}

// Walks over what is marked, each object's members by their ids.
void LeafCheck::sort() {
  std::sort(touched_.begin(), touched_.end());
  marks_[kRoot].first_child = kRoot;
  for (const NodeId id : touched_) {
    Mark& parent = marks_[tree_[id].parent];
    if (parent.first_child == kRoot) {
      parent.first_child = id;
    } else {
      marks_[parent.last_child].next = id;
    }
    parent.last_child = id;
    marks_[id].next = kRoot;
  }
  order_.clear();
  NodeId at = marks_[kRoot].first_child;
  while (at != kRoot) {
    if (marks_[at].leaf) {
      order_.push_back(marks_[at].place);
    } else {
      at = marks_[at].first_child;
      continue;
    }
    while (at != kRoot && marks_[at].next == kRoot) {
      at = tree_[at].parent;
    }
    if (at != kRoot) {
      at = marks_[at].next;
    }
  }
}

std::optional<std::span<const std::uint32_t>> LeafCheck::order(std::span<const NodeId> leaves) {
  marks_.resize(tree_.size());
  ++event_;
  touched_.clear();
  if (!mark(leaves)) {
    return std::nullopt;
  }
  const bool sorted = std::adjacent_find(leaves.begin(), leaves.end(), [this](NodeId a, NodeId b) {
                        return !tree_.comes_before(a, b);
                      }) == leaves.end();
  if (!sorted) {
    sort();
    return order_;
  }
  order_.resize(leaves.size());
  std::iota(order_.begin(), order_.end(), std::uint32_t{0});
  return order_;
}

}  // namespace fonds::kvir
