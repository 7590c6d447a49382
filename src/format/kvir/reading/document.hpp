// An event as the JSON text of an object.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/clps/reading/text_buffer.hpp"
#include "format/kvir/reading/stream.hpp"
#include "format/kvir/reading/tree.hpp"

namespace fonds::kvir {

// The shortest decimal text that reads back as the same number, with `.0` where it would have
// neither a point nor an exponent. `value` is finite.
void append_real(double value, std::string& out);

class DocumentWriter {
 public:
  explicit DocumentWriter(const Tree& tree) : tree_(tree) {}

  // Appends the object that these pairs make, which are in the order of a document, on one line.
  // Numbers that JSON does not have become null; returns how many there were.
  std::uint64_t append(std::span<const Pair> pairs, clps::TextBuffer& out);

 private:
  void go_to(NodeId object, clps::TextBuffer& out);
  void begin_member(NodeId node, clps::TextBuffer& out);
  std::uint64_t append_value(const Value& value, clps::TextBuffer& out);

  const Tree& tree_;
  std::vector<NodeId> open_;  // by depth; the root first
  std::vector<NodeId> path_;
  bool first_ = true;  // nothing stands in the innermost object
  std::string scratch_;
};

}  // namespace fonds::kvir
