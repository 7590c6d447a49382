// Rebuilding the JSON text of a table's records: the schema becomes a program of literal text and
// values, which is run once a record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fonds/formats/clps.hpp>

#include "format/clps/reading/exact.hpp"
#include "format/clps/reading/text_buffer.hpp"
#include "format/clps/reading/texts.hpp"

namespace fonds::clps {

// Which nodes are shown. All, unless a projection is set.
class Projection {
 public:
  Projection() = default;
  // The nodes, what they contain and what encloses them.
  Projection(const SchemaTree& tree, std::span<const NodeId> nodes);
  bool shows(NodeId leaf) const { return all_ || shown_[static_cast<std::size_t>(leaf)] != 0; }
  bool all() const { return all_; }

 private:
  bool all_ = true;
  std::vector<char> shown_;  // of each node: it or what encloses it is projected
};

class RecordProgram {
 public:
  // The schema must have no fault.
  static RecordProgram build(const SchemaTree& tree, const Schema& schema,
                             const Projection& projection);

  // Looks up the strings of a row, in the order in which run() wants them.
  void find_strings(const Table& table, std::uint64_t row, const Texts& texts,
                    std::vector<Texts::Place>& out) const {
    for (const std::uint32_t column : strings_) {
      out.push_back(texts.find_string(table.columns()[column], row));
    }
  }
  std::size_t strings() const { return strings_.size(); }

  // Appends the record of a row; `strings` are those that find_strings() has found. What was
  // appended before a fault is the caller's to remove.
  Fault run(const Table& table, std::uint64_t row, const Texts::Place* strings, const Texts& texts,
            TextBuffer& out, std::string& scratch) const;

  // Bytes that it holds.
  std::size_t size() const { return text_.size() + steps_.size() * sizeof(Step); }

 private:
  friend class ProgramBuilder;
  struct Step {
    std::size_t begin = 0, length = 0;  // of the literal text in front of the value
    NodeType type = NodeType::Object;
    std::uint32_t column = 0;
  };
  std::string text_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> strings_;  // columns of VarStrings
  std::size_t tail_ = 0;                // where the text behind the last value begins
  bool too_long_ = false;               // more text than a record may have
};

// The same for a record that comes back as it was spelled: `spelling` has a form.
void find_strings(const OriginalTexts::Form& form, const Table& table, std::uint64_t row,
                  const Texts& texts, std::vector<Texts::Place>& out);
Fault append_original(const OriginalTexts::Spelling& spelling, const Table& table,
                      std::uint64_t row, const Texts::Place* strings, const Texts& texts,
                      TextBuffer& out, std::string& scratch);

}  // namespace fonds::clps
