#include "format/clps/searching/compat_schema.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

namespace fonds::clps::compat {
Bindings::Bindings(const Archive& archive) : archive_(&archive) {
  const auto nodes = archive.tree().nodes();
  first_child_.assign(nodes.size() + 2, 0);
  for (const Node& node : nodes) {
    all_types_ |= type_of(node.type);
    if (node.parent >= 0) {
      ++first_child_[static_cast<std::size_t>(node.parent) + 2];
    }
  }
  for (std::size_t i = 1; i < first_child_.size(); ++i) {
    first_child_[i] += first_child_[i - 1];
  }
  children_.resize(first_child_.back());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].parent >= 0) {
      children_[first_child_[static_cast<std::size_t>(nodes[i].parent) + 1]++] =
          static_cast<NodeId>(i);
    }
  }
}

std::span<const NodeId> Bindings::children(NodeId node) const {
  const auto place = static_cast<std::size_t>(node);
  return std::span(children_).subspan(first_child_[place],
                                      first_child_[place + 1] - first_child_[place]);
}

NodeId Bindings::root_of(query::Namespace space) const {
  switch (space) {
    case query::Namespace::User:
      return archive_->tree().user_root();
    case query::Namespace::Generated:
      return archive_->tree().generated_root();
    default:
      return kNoNode;
  }
}

bool Bindings::any_value(Types types) const { return (all_types_ & types) != 0; }

// Steps along the tree and along the key. An empty key of a record is passed without a step of the
// query's; the order of visits decides which array's rest of the key is kept.
void Bindings::walk(const Key& key, Types types, NodeId from, Binding& out) const {
  using State = std::tuple<std::size_t, std::size_t, NodeId>;  // depth, step, node
  const SchemaTree& tree = archive_->tree();
  const auto& steps = key.steps;
  const bool exact = !key.has_wildcard();
  std::priority_queue<State, std::vector<State>, std::greater<>> open;
  std::set<std::pair<std::size_t, NodeId>> visited;  // of this depth
  open.emplace(0, 0, from);
  if (steps.front().wildcard) {
    open.emplace(0, 1, from);
  }
  std::size_t depth = 0;
  while (!open.empty()) {
    const auto [at_depth, step, id] = open.top();
    open.pop();
    if (at_depth != depth) {
      depth = at_depth;
      visited.clear();
    }
    if (!visited.emplace(step, id).second) {
      continue;
    }
    const Node& node = tree[id];
    const bool transparent = node.key.empty();
    const bool ended = step == steps.size();
    const bool wild = !ended && steps[step].wildcard;
    if (!wild && !transparent && (ended || node.key != steps[step].key)) {
      continue;
    }
    const std::size_t next = ended ? step : step + 1;
    if (node.type == NodeType::UnstructuredArray && exact) {
      out.nodes.push_back(id);
      out.rest = next;
      continue;
    }
    if (next == steps.size() && (types & type_of(node.type)) != 0) {
      out.nodes.push_back(id);
      continue;
    }
    if (next < steps.size() && steps[next].wildcard) {
      open.emplace(depth, next, id);
    }
    for (const NodeId child : children(id)) {
      if (transparent) {
        open.emplace(depth + 1, step, child);
        continue;
      }
      open.emplace(depth + 1, next, child);
      if (wild) {
        open.emplace(depth + 1, step, child);
      }
    }
  }
}

void Bindings::resolve(const Key& key, Types types, Binding& out) const {
  out.rest = key.steps.size();
  const NodeId root = root_of(key.space);
  if (root == kNoNode) {
    return;
  }
  for (const NodeId child : children(root)) {
    walk(key, types, child, out);
  }
  std::sort(out.nodes.begin(), out.nodes.end());
  out.nodes.erase(std::unique(out.nodes.begin(), out.nodes.end()), out.nodes.end());
  out.matched = !out.nodes.empty();
}

Binding& Bindings::find(const Term& term) {
  auto& same = by_spelling_[spelling_of(*term.key) + static_cast<char>(term.key->space) +
                            static_cast<char>(term.types)];
  if (same.empty()) {
    same.push_back(&known_.emplace_back(Known{term.key, term.types, {}}));
    resolve(*term.key, term.types, same.back()->binding);
  }
  return same.back()->binding;
}

// The whole key of a node, in which no step is a wildcard.
std::shared_ptr<const Key> Bindings::key_of(NodeId node, query::Namespace space) const {
  auto key = std::make_shared<Key>();
  key->space = space;
  const SchemaTree& tree = archive_->tree();
  for (const NodeId root = root_of(space); node != root; node = tree[node].parent) {
    key->steps.push_back({.wildcard = false, .key = std::string(tree[node].key)});
  }
  std::reverse(key->steps.begin(), key->steps.end());
  return key;
}

// Whether no record can satisfy a term, because the archive has no such key.
bool Bindings::holds_nothing(const Term& term) {
  if (term.check == Term::Check::LogRange) {
    return archive_->tree().log_order() == kNoNode;
  }
  return term.key->any() ? !any_value(term.types) : !find(term).matched;
}

// Keys with wildcards become each key that they mean; those are looked for again, since a key may
// mean several nodes.
Factor Bindings::spell_out(const Term& term) {
  if (holds_nothing(term)) {
    return {};
  }
  if (term.check == Term::Check::LogRange || term.key->any() || !term.key->has_wildcard()) {
    return {term};
  }
  Factor each;
  for (const NodeId node : find(term).nodes) {
    Term one = term;
    one.key = key_of(node, term.key->space);
    one.types = type_of(archive_->tree()[node].type);
    if (!holds_nothing(one)) {
      each.push_back(std::move(one));
    }
  }
  return each;
}

// Of all schemas in one pass: the first node of each that a binding has.
void Bindings::fill_schemas() {
  std::unordered_map<NodeId, std::vector<Binding*>> by_node;
  for (Known& known : known_) {
    known.binding.by_schema.clear();
    for (const NodeId node : known.binding.nodes) {
      by_node[node].push_back(&known.binding);
    }
  }
  const auto schemas = archive_->schemas();
  for (std::size_t i = 0; i < schemas.size(); ++i) {
    for (const auto entries : {schemas[i].ordered, schemas[i].unordered}) {
      for (const std::int32_t entry : entries) {
        if (is_tag(entry)) {
          continue;
        }
        if (const auto found = by_node.find(entry); found != by_node.end()) {
          for (Binding* const binding : found->second) {
            binding->by_schema.emplace(i, entry);
          }
        }
      }
    }
  }
}

std::vector<BoundConjunction> Bindings::bind(const Alternatives& alternatives) {
  const Alternatives spelled =
      replace_terms(alternatives, [this](const Term& term) { return spell_out(term); });
  std::vector<BoundConjunction> bound;
  for (const Conjunction& conjunction : spelled) {
    BoundConjunction& made = bound.emplace_back();
    for (const Factor& factor : conjunction) {
      BoundFactor& terms = made.emplace_back();
      for (const Term& term : factor) {
        const bool keyed = term.check != Term::Check::LogRange && !term.key->any();
        terms.push_back({term, keyed ? &find(term) : nullptr});
      }
    }
  }
  fill_schemas();
  return bound;
}

}  // namespace fonds::clps::compat
