// A query over the fields of records, answered in stages: as soon as what is known of a record
// decides it, nothing more has to be read. The meaning is that of docs/reference/query-language.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <fonds/bytes.hpp>
#include <fonds/query.hpp>
#include <fonds/record_fields.hpp>

namespace fonds::query {

enum class Truth : std::uint8_t { False, True, Unknown };

// For one record after the other: begin(), then for each stage the values that the record has, then
// after(); until the answer is known. One thread at a time.
class RecordPlan final : public FieldSink {
 public:
  // Copies the query.
  explicit RecordPlan(const Query& query);
  ~RecordPlan() override;

  // The paths that values are wanted of; value() takes their numbers. Views live as long as the
  // plan.
  std::span<const Path> paths() const { return paths_; }
  // Asks the reader of paths() at which stage each of them is known. Before the first record.
  void learn_stages(const FieldReader& reader);

  void begin();
  void value(std::size_t wanted, std::string_view name, const FieldValue& value) override;
  // Whether a value of this path was told since the plan was made.
  bool told(std::size_t wanted) const { return told_[wanted]; }
  // What the query says of the record, all values up to this stage having been told. Content: the
  // whole content.
  Truth after(FieldStage stage) const { return evaluate(0, stage); }

  // The content, in pieces of any size, if after(FieldStage::Http) did not know. False: further
  // pieces cannot change the answer. At most `memory` bytes are kept of a body that is read as
  // JSON; what is longer matches nothing, which too_long() tells.
  void begin_content(std::uint64_t memory);
  bool take_content(ByteView piece);
  void end_content();
  bool too_long() const;

 private:
  struct Leaf;
  struct Step {  // a node of the tree, in preorder
    Node::Kind kind = Node::Kind::Filter;
    std::uint32_t end = 0;   // of the nodes below it
    std::uint32_t leaf = 0;  // of a filter
  };
  struct Content;

  void add(const Node& node);
  std::uint32_t path_number(const Path& path);
  Truth evaluate(std::uint32_t step, FieldStage stage) const;
  void make_content();
  void learn_texts();
  void hold(std::string_view piece);

  ParseOptions options_;
  std::vector<Step> steps_;
  std::vector<Leaf> leaves_;
  std::vector<Path> paths_;
  std::vector<std::vector<std::uint32_t>> of_path_;  // leaves
  std::vector<bool> told_;                           // of paths
  std::unique_ptr<Content> content_;
};

}  // namespace fonds::query
