// Keys of a query on the schema tree and inside of arrays: which values a path reaches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/formats/clps.hpp>
#include <fonds/query.hpp>

#include "format/clps/reading/plain.hpp"

namespace fonds::clps {

// A path as a machine that reads keys. Entering an array reads none. Const members are thread-safe.
class KeyMachine {
 public:
  using State = std::uint32_t;
  static constexpr State kDead = 0;   // nothing can match any more
  static constexpr State kStart = 1;  // no key was read
  static constexpr std::size_t kMostSteps = 1024;

  // Errors: BadArgument for a path of more than kMostSteps steps.
  static Result<KeyMachine> make(std::span<const query::PathStep> steps);

  State step(State from, std::string_view key) const {
    const Row& row = rows_[from];
    for (std::size_t i = row.first; i < row.last; ++i) {
      if (edges_[i].first == key) {
        return edges_[i].second;
      }
    }
    return row.otherwise;
  }
  // Whether the keys that were read are a whole path.
  bool accepts(State state) const { return rows_[state].accepts; }

 private:
  struct Row {
    std::size_t first = 0, last = 0;  // in edges_
    State otherwise = kDead;
    bool accepts = false;
  };
  class Builder;

  std::vector<Row> rows_;
  std::vector<std::pair<std::string, State>> edges_;
};

// A node that has to do with a path.
struct KeyHit {
  NodeId node = kNoNode;
  KeyMachine::State state = KeyMachine::kDead;  // behind the node's own key
  bool accepts = false;                         // the path reaches it
  bool within = false;                          // or something that encloses it
};

// Which subtrees of the schema tree a path is looked for in.
struct KeyRoots {
  bool user = false, generated = false;
};
KeyRoots roots_of(const query::Path& path);

// The nodes below the roots that a path reaches, that lie within one that it reaches, or whose
// arrays it may go on in; ascending. Array levels are no keys; arrays are entered if `arrays`.
// The roots themselves are left out. `share` is for what is returned. Errors: LimitExceeded.
Result<std::vector<KeyHit>> find_keys(const Archive& archive, const KeyMachine& machine,
                                      KeyRoots roots, bool arrays, BudgetShare& share);

// The hit of a node among these, or nullptr.
const KeyHit* hit_of(std::span<const KeyHit> hits, NodeId node);

}  // namespace fonds::clps
