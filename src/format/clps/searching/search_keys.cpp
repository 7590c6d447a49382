#include "format/clps/searching/search_keys.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace fonds::clps {

// Makes the machine's states: sets of places in the path, the number of steps that are done. What
// stands before the last wildcard that was reached is left out, since the wildcard can do the same;
// so there are not more states than about twice the steps.
class KeyMachine::Builder {
 public:
  explicit Builder(std::span<const query::PathStep> steps) : steps_(steps) {}

  KeyMachine make() {
    number({});   // kDead
    number({0});  // kStart
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      make_row(*sets_[i]);
    }
    return std::move(machine_);
  }

 private:
  using Set = std::vector<std::uint32_t>;  // ascending

  State number(Set set) {
    close(set);
    const auto [found, fresh] = numbers_.emplace(std::move(set), static_cast<State>(sets_.size()));
    if (fresh) {
      sets_.push_back(&found->first);
    }
    return found->second;
  }

  // Adds what wildcards reach with no key, and drops what they make needless.
  void close(Set& set) const {
    for (std::size_t i = 0; i < set.size(); ++i) {
      const std::uint32_t place = set[i];
      if (place < steps_.size() && steps_[place].wildcard) {
        set.push_back(place + 1);
      }
    }
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    for (auto last = set.end(); last != set.begin();) {
      --last;
      if (*last < steps_.size() && steps_[*last].wildcard) {
        set.erase(set.begin(), last);
        break;
      }
    }
  }

  // What a key leads to: `key` is null for one that the path does not name.
  Set follow(const Set& set, const std::string* key) const {
    Set next;
    for (const std::uint32_t place : set) {
      if (place == steps_.size()) {
        continue;
      }
      const query::PathStep& step = steps_[place];
      if (step.wildcard) {
        next.push_back(place);
      } else if (key != nullptr && step.key == *key) {
        next.push_back(place + 1);
      }
    }
    return next;
  }

  void make_row(const Set& set) {
    Row row;
    row.accepts = !set.empty() && set.back() == steps_.size();
    row.first = machine_.edges_.size();
    std::vector<const std::string*> keys;
    for (const std::uint32_t place : set) {
      if (place < steps_.size() && !steps_[place].wildcard) {
        keys.push_back(&steps_[place].key);
      }
    }
    std::sort(keys.begin(), keys.end(), [](const auto* a, const auto* b) { return *a < *b; });
    keys.erase(std::unique(keys.begin(), keys.end(), [](auto* a, auto* b) { return *a == *b; }),
               keys.end());
    for (const std::string* key : keys) {
      machine_.edges_.emplace_back(*key, number(follow(set, key)));
    }
    row.last = machine_.edges_.size();
    row.otherwise = number(follow(set, nullptr));
    machine_.rows_.push_back(row);
  }

  std::span<const query::PathStep> steps_;
  std::map<Set, State> numbers_;
  std::vector<const Set*> sets_;  // by state; keys of numbers_, which stay where they are
  KeyMachine machine_;
};

Result<KeyMachine> KeyMachine::make(std::span<const query::PathStep> steps) {
  if (steps.size() > kMostSteps) {
    return fail(ErrorCode::BadArgument, "a key has " + std::to_string(steps.size()) +
                                            " parts, more than " + std::to_string(kMostSteps));
  }
  return Builder(steps).make();
}

KeyRoots roots_of(const query::Path& path) {
  switch (path.space) {
    case query::Namespace::User:
      return {.user = true, .generated = path.any() && !path.marked};
    case query::Namespace::Generated:
      return {.user = false, .generated = true};
    default:
      return {};
  }
}

Result<std::vector<KeyHit>> find_keys(const Archive& archive, const KeyMachine& machine,
                                      KeyRoots roots, bool arrays, BudgetShare& share) {
  struct Place {
    KeyMachine::State state = KeyMachine::kDead;
    bool within = false;
  };
  const SchemaTree& tree = archive.tree();
  const std::span<const Node> nodes = tree.nodes();
  BudgetShare working(archive.budget());
  share = BudgetShare(archive.budget());
  if (!working.resize(nodes.size() * (sizeof(Place) + sizeof(KeyHit)))) {
    return fail(ErrorCode::LimitExceeded,
                "the memory limit leaves no room to look for keys among " +
                    std::to_string(nodes.size()) + " nodes",
                {.source = archive.name()});
  }
  std::vector<Place> places(nodes.size());
  std::vector<KeyHit> hits;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    const Node& node = nodes[i];
    if (node.parent == kNoNode) {
      if ((roots.user && id == tree.user_root()) ||
          (roots.generated && id == tree.generated_root())) {
        places[i].state = KeyMachine::kStart;
      }
      continue;
    }
    const auto parent = static_cast<std::size_t>(node.parent);
    const Place& above = places[parent];
    if (above.state == KeyMachine::kDead && !above.within) {
      continue;
    }
    const bool element = nodes[parent].type == NodeType::StructuredArray;
    Place& place = places[i];
    if (element) {
      place.state = arrays ? above.state : KeyMachine::kDead;
    } else {
      place.state = machine.step(above.state, node.key);
    }
    const bool accepts = machine.accepts(place.state);
    place.within = above.within || accepts;
    if (place.state != KeyMachine::kDead || place.within) {
      hits.push_back({id, place.state, accepts, place.within});
    }
  }
  hits.shrink_to_fit();
  working.release();
  static_cast<void>(share.resize(hits.size() * sizeof(KeyHit)));  // less than was there before
  return hits;
}

const KeyHit* hit_of(std::span<const KeyHit> hits, NodeId node) {
  const auto found = std::lower_bound(hits.begin(), hits.end(), node,
                                      [](const KeyHit& a, NodeId b) { return a.node < b; });
  return found != hits.end() && found->node == node ? &*found : nullptr;
}

}  // namespace fonds::clps
