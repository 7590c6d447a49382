// The trees of keys that the events of a KV-IR stream refer to, and what an event's keys must keep
// to. docs/formats/kv-ir.md, sections 2 and 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fonds::kvir {

// In the order of their tags, 0x71 to 0x76.
enum class NodeType : std::uint8_t { Integer, Real, Boolean, String, Array, Object };
std::string_view to_string(NodeType type);  // "integer", "float", "boolean", …

using NodeId = std::uint32_t;
inline constexpr NodeId kRoot = 0;

struct Node {
  NodeId parent = kRoot;  // below the node's own id; of the root itself
  NodeType type = NodeType::Object;
  std::uint32_t depth = 0;      // of the root 0
  NodeId first_of_key = kRoot;  // the first node of the same parent and key, of any type
  NodeId next_of_key = kRoot;   // the next one; kRoot if there is none
  std::string_view key = {};    // lives as long as the tree
};

// Keys by their path and type; a node's id is the number of the nodes before it. Node 0 is the
// root.
class Tree {
 public:
  Tree();
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  std::size_t size() const { return nodes_.size(); }
  std::span<const Node> nodes() const { return nodes_; }
  const Node& operator[](NodeId id) const { return nodes_[id]; }
  std::optional<NodeId> find(NodeId parent, std::string_view key, NodeType type) const;
  // `parent` is an object of the tree, and find() knows no such node.
  NodeId add(NodeId parent, std::string_view key, NodeType type);
  // What it takes in memory, roughly.
  std::uint64_t held() const { return held_; }

  // Whether in a document with both leaves `a` comes before `b`: siblings come in the order of
  // their nodes.
  bool comes_before(NodeId a, NodeId b) const;

 private:
  std::vector<Node> nodes_;
  std::deque<std::string> keys_;
  std::map<std::pair<NodeId, std::string_view>, NodeId> first_;  // of parent and key
  std::uint64_t held_ = 0;
};

// Checks the leaves of one event after the other, and puts them in the order of a document.
class LeafCheck {
 public:
  explicit LeafCheck(const Tree& tree) : tree_(tree) {}

  // The places of `leaves` in the order of a document; lives until the next call. Nothing, and
  // fault() says why, if they make no document: one stands twice or inside of another, or one
  // object would have a key twice.
  std::optional<std::span<const std::uint32_t>> order(std::span<const NodeId> leaves);
  const std::string& fault() const { return fault_; }

 private:
  struct Mark {
    std::uint64_t event = 0;      // the last one that has the node
    std::uint64_t key_event = 0;  // at the first node of a key: the last one that has it
    NodeId key_node = kRoot;      // and as which node
    bool leaf = false;            // of `event`
    std::uint32_t place = 0;      // among its leaves
    NodeId first_child = kRoot, last_child = kRoot, next = kRoot;  // of `event`, if it is sorted
  };

  bool mark(std::span<const NodeId> leaves);
  bool mark_node(NodeId id);
  void sort();
  bool refuse(NodeId id, std::string_view why);

  const Tree& tree_;
  std::vector<Mark> marks_;
  std::uint64_t event_ = 0;
  std::vector<NodeId> touched_;
  std::vector<std::uint32_t> order_;
  std::string fault_;
};

}  // namespace fonds::kvir
