// The keys of records that are JSON objects, and how many records have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/events.hpp>

namespace fonds {

// A key with values of two types counts as two. Arrays are not looked into.
class JsonFieldCounts {
 public:
  // `memory`: what may be held, in bytes.
  explicit JsonFieldCounts(std::uint64_t memory) : memory_(memory) { nodes_.emplace_back(); }

  // Counts the keys of a record, which is a JSON object. Errors: LimitExceeded.
  Status add(std::string_view json);
  // In the order in which they came, objects before what they contain. Errors: those of `out`.
  Status give(const std::function<Status(const EventField&)>& out) const;

 private:
  struct Node {
    std::size_t parent = 0;
    std::string key = {};
    std::string_view type = {};
    std::size_t depth = 0;   // keys around it
    std::size_t length = 0;  // of all keys down to it, and what parts them
    std::uint64_t events = 0, last_event = 0;
  };
  Result<std::size_t> node(std::size_t parent, std::string_view key, std::string_view type);
  std::string path_of(std::size_t node) const;

  std::uint64_t memory_, held_ = 0, event_ = 0;
  std::vector<Node> nodes_;  // the first is the record
  std::unordered_map<std::string, std::size_t> known_;
  std::string identity_;
};

}  // namespace fonds
