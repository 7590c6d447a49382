// Which columns the keys of a query mean for clp-s: one column a schema, the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/formats/clps.hpp>

#include "format/clps/searching/compat_term.hpp"

namespace fonds::clps::compat {

// The nodes that a key means.
struct Binding {
  std::vector<NodeId> nodes;  // ascending
  std::size_t rest = 0;       // of the key's steps, those that are looked for inside of arrays
  bool matched = false;       // the archive has such a node
  std::unordered_map<std::size_t, NodeId> by_schema;  // by the place of the schema

  NodeId node_of(std::size_t schema) const {
    const auto found = by_schema.find(schema);
    return found == by_schema.end() ? kNoNode : found->second;
  }
};

// A term with what its key means.
struct BoundTerm {
  Term term;
  const Binding* binding = nullptr;  // of keys that are not `*`
  std::span<const query::PathStep> rest() const {
    return std::span(term.key->steps).subspan(binding->rest);
  }
};
using BoundFactor = std::vector<BoundTerm>;
using BoundConjunction = std::vector<BoundFactor>;

class Bindings {
 public:
  explicit Bindings(const Archive& archive);

  // Without what no record can satisfy.
  std::vector<BoundConjunction> bind(const Alternatives& alternatives);

 private:
  struct Known {
    std::shared_ptr<const Key> key;
    Types types;
    Binding binding;
  };

  Binding& find(const Term& term);
  void resolve(const Key& key, Types types, Binding& out) const;
  void walk(const Key& key, Types types, NodeId from, Binding& out) const;
  Factor spell_out(const Term& term);
  std::shared_ptr<const Key> key_of(NodeId node, query::Namespace space) const;
  bool any_value(Types types) const;
  bool holds_nothing(const Term& term);
  void fill_schemas();
  std::span<const NodeId> children(NodeId node) const;
  NodeId root_of(query::Namespace space) const;

  const Archive* archive_;
  std::vector<std::size_t> first_child_;  // in children_; one more than nodes
  std::vector<NodeId> children_;
  Types all_types_ = 0;  // of all nodes
  std::deque<Known> known_;
  std::unordered_map<std::string, std::vector<Known*>> by_spelling_;
};

}  // namespace fonds::clps::compat
