#include "format/clps/reading/render.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "format/clps/reading/sections.hpp"

namespace fonds::clps {
namespace {

constexpr std::size_t kLongestLiteral = std::size_t{64} << 20;  // keys and marks of one record
// What the original text of a record may have more than its values.
constexpr std::size_t kLongestSpelling = std::size_t{512} << 20;

}  // namespace

Projection::Projection(const SchemaTree& tree, std::span<const NodeId> nodes)
    : all_(false), shown_(tree.nodes().size(), 0) {
  for (const NodeId node : nodes) {
    shown_[static_cast<std::size_t>(node)] = 1;
  }
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    const NodeId parent = tree.nodes()[i].parent;
    if (parent != kNoNode && shown_[static_cast<std::size_t>(parent)] != 0) {
      shown_[i] = 1;
    }
  }
}

// Lays out one schema: first a tree of the record's own nodes, then its text.
class ProgramBuilder {
 public:
  ProgramBuilder(const SchemaTree& tree, const Schema& schema, const Projection& projection)
      : tree_(tree), schema_(schema), projection_(projection) {}

  RecordProgram build() {
    insert_ordered();
    insert_arrays();
    emit_object(tree_.user_root());
    program_.tail_ = begin_;
    program_.text_ = text_.view();
    return std::move(program_);
  }

 private:
  // A structured array at the top level of the unordered region.
  struct Array {
    std::span<const std::int32_t> body;  // empty: `[]`
    std::uint32_t column = 0;            // of its first value
  };

  bool in_user_tree(NodeId id) const {
    return tree_.user_root() != kNoNode && tree_.root_of(id) == tree_.user_root();
  }

  // Makes the node and what encloses it known, the outermost first; each where it was first met.
  void insert(NodeId id) {
    std::vector<NodeId> path;
    for (NodeId at = id; at != tree_.user_root(); at = tree_[at].parent) {
      path.push_back(at);
    }
    for (auto at = path.rbegin(); at != path.rend(); ++at) {
      if (std::exchange(known_[*at], true)) {
        continue;
      }
      children_[tree_[*at].parent].push_back(*at);
    }
  }

  void insert_ordered() {
    std::uint32_t column = 0;
    NodeId before = kNoNode;
    for (const std::int32_t entry : schema_.ordered) {
      if (entry == before) {
        continue;
      }
      before = entry;
      const bool stored = has_column(tree_[entry].type);
      if (in_user_tree(entry) && entry != tree_.user_root() && projection_.shows(entry)) {
        insert(entry);
        if (stored) {
          columns_[entry] = column;
        }
      }
      column += stored ? 1 : 0;
    }
    next_column_ = column;
  }

  void insert_arrays() {
    std::uint32_t column = next_column_;
    std::map<NodeId, Array> arrays;  // the first of each node
    const auto entries = schema_.unordered;
    for (std::size_t i = 0; i < entries.size();) {
      const bool tagged = is_tag(entries[i]);
      const auto body =
          tagged ? entries.subspan(i + 1, tag_length(entries[i])) : std::span<const std::int32_t>();
      const NodeId node =
          tagged ? find_container(tree_, body, NodeType::StructuredArray, kNoNode) : entries[i];
      if (in_user_tree(node) && projection_.shows(node)) {
        arrays.emplace(node, Array{body, column});
      }
      column += stored_in(body);
      i += 1 + body.size();
    }
    for (const auto& [node, array] : arrays) {
      insert(node);
      arrays_.emplace(node, array);
    }
  }

  std::uint32_t stored_in(std::span<const std::int32_t> entries) const {
    return static_cast<std::uint32_t>(std::count_if(
        entries.begin(), entries.end(),
        [this](std::int32_t entry) { return !is_tag(entry) && has_column(tree_[entry].type); }));
  }

  void literal(std::string_view text) { text_.append(text); }
  void key(NodeId node) {
    if (text_.size() > kLongestLiteral) {
      program_.too_long_ = true;
      return;
    }
    text_.push_back('"');
    text_.append_escaped(tree_[node].key);
    text_.append("\":");
  }

  void value(NodeId node, std::uint32_t column) {
    const NodeType type = tree_[node].type;
    program_.steps_.push_back({begin_, text_.size() - begin_, type, column});
    begin_ = text_.size();
    if (type == NodeType::VarString) {
      program_.strings_.push_back(column);
    }
  }

  // The inside of an object outside of structured arrays. Its depth is bounded by the tree's.
  void emit_object(NodeId object) {
    literal("{");
    bool first = true;
    const auto found = children_.find(object);
    if (object != kNoNode && found != children_.end()) {
      for (const NodeId child : found->second) {
        literal(std::exchange(first, false) ? "" : ",");
        key(child);
        emit_member(child);
      }
    }
    literal("}");
  }

  void emit_member(NodeId node) {
    switch (tree_[node].type) {
      case NodeType::Object:
        emit_object(node);
        break;
      case NodeType::NullValue:
        literal("null");
        break;
      case NodeType::StructuredArray: {
        const Array& array = arrays_.at(node);
        std::uint32_t column = array.column;
        emit_array(array.body, node, column);
        break;
      }
      default:
        value(node, columns_.at(node));
        break;
    }
  }

  // An element or member inside of a structured array that is no tag.
  void emit_leaf(NodeId node, std::uint32_t& column) {
    switch (tree_[node].type) {
      case NodeType::NullValue:
        literal("null");
        break;
      case NodeType::Object:
        literal("{}");
        break;
      case NodeType::StructuredArray:
        literal("[]");
        break;
      default:
        value(node, column++);
        break;
    }
  }

  void emit_array(std::span<const std::int32_t> body, NodeId array, std::uint32_t& column) {
    literal("[");
    for (std::size_t i = 0; i < body.size();) {
      literal(i == 0 ? "" : ",");
      i += emit_entry(body, i, array, column);
    }
    literal("]");
  }

  // The entry at `i` of a body that belongs to `container`; returns how many entries it takes.
  std::size_t emit_entry(std::span<const std::int32_t> body, std::size_t i, NodeId container,
                         std::uint32_t& column) {
    if (!is_tag(body[i])) {
      emit_leaf(body[i], column);
      return 1;
    }
    const auto inner = body.subspan(i + 1, tag_length(body[i]));
    const NodeId node = find_container(tree_, inner, tag_type(body[i]), container);
    if (tag_type(body[i]) == NodeType::Object) {
      emit_tagged_object(inner, node, column);
    } else {
      emit_array(inner, node, column);
    }
    return 1 + inner.size();
  }

  // Leaves come in document order; the objects between them and `object` are opened and closed.
  void emit_tagged_object(std::span<const std::int32_t> body, NodeId object,
                          std::uint32_t& column) {
    literal("{");
    std::vector<NodeId> open;  // below `object`, the outermost first
    bool first = true;
    for (std::size_t i = 0; i < body.size();) {
      const NodeId node = is_tag(body[i])
                              ? find_container(tree_, body.subspan(i + 1, tag_length(body[i])),
                                               tag_type(body[i]), object)
                              : body[i];
      std::vector<NodeId> path;
      for (NodeId at = tree_[node].parent; at != object; at = tree_[at].parent) {
        path.push_back(at);
      }
      std::reverse(path.begin(), path.end());
      const auto [still, next] = std::mismatch(open.begin(), open.end(), path.begin(), path.end());
      for (auto at = still; at != open.end(); ++at) {
        literal("}");
        first = false;
      }
      for (auto at = next; at != path.end(); ++at) {
        literal(std::exchange(first, true) ? "" : ",");
        key(*at);
        literal("{");
      }
      open = std::move(path);
      literal(std::exchange(first, false) ? "" : ",");
      key(node);
      i += emit_entry(body, i, object, column);
    }
    for (std::size_t i = 0; i < open.size(); ++i) {
      literal("}");
    }
    literal("}");
  }

  const SchemaTree& tree_;
  const Schema& schema_;
  const Projection& projection_;
  RecordProgram program_;
  TextBuffer text_;
  std::size_t begin_ = 0;  // of the literal text that is being put together
  std::unordered_map<NodeId, bool> known_;
  std::unordered_map<NodeId, std::vector<NodeId>> children_;
  std::unordered_map<NodeId, std::uint32_t> columns_;
  std::unordered_map<NodeId, Array> arrays_;
  std::uint32_t next_column_ = 0;
};

RecordProgram RecordProgram::build(const SchemaTree& tree, const Schema& schema,
                                   const Projection& projection) {
  return ProgramBuilder(tree, schema, projection).build();
}

namespace {

// Appends the value of a row. `strings`: the next one that was found; moves behind it.
Fault append_value(NodeType type, const Column& column, std::uint64_t row,
                   const Texts::Place*& strings, const Texts& texts, TextBuffer& out,
                   std::string& scratch) {
  switch (type) {
    case NodeType::Integer:
    case NodeType::DeltaInteger:
      append_number(static_cast<std::int64_t>(column.word(row)), out);
      return nullptr;
    case NodeType::Float:
      Texts::append_float(column, row, out, scratch);
      return nullptr;
    case NodeType::FormattedFloat:
      return texts.append_formatted_float(column, row, out, scratch);
    case NodeType::DictionaryFloat:
      return texts.append_dictionary_float(column, row, out);
    case NodeType::Boolean:
      out.append(column.truth(row) ? "true" : "false");
      return nullptr;
    case NodeType::VarString:
      return texts.append_string(*strings++, out);
    case NodeType::ClpString:
      return texts.append_clp_string(column, row, out);
    case NodeType::UnstructuredArray:
      return texts.append_array(column, row, out);
    case NodeType::DateString:
      return texts.append_date(column, row, out, scratch);
    case NodeType::Timestamp:
      return texts.append_time(column, row, out, scratch);
    default:
      return nullptr;  // has no column
  }
}

}  // namespace

Fault RecordProgram::run(const Table& table, std::uint64_t row, const Texts::Place* strings,
                         const Texts& texts, TextBuffer& out, std::string& scratch) const {
  const std::string_view text = text_;
  out.limit(texts.longest_record());
  if (too_long_) {
    return "its keys are longer than a record may be";
  }
  for (const Step& step : steps_) {
    out.append(text.substr(step.begin, step.length));
    const Fault fault =
        append_value(step.type, table.columns()[step.column], row, strings, texts, out, scratch);
    if (fault != nullptr || out.full()) {
      return fault != nullptr ? fault : kTooLong;
    }
  }
  out.append(text.substr(tail_));
  return nullptr;
}

void find_strings(const OriginalTexts::Form& form, const Table& table, std::uint64_t row,
                  const Texts& texts, std::vector<Texts::Place>& out) {
  for (const OriginalTexts::Step& step : form.steps) {
    if (step.column != OriginalTexts::kOwn &&
        table.columns()[step.column].type == NodeType::VarString) {
      out.push_back(texts.find_string(table.columns()[step.column], row));
    }
  }
}

Fault append_original(const OriginalTexts::Spelling& spelling, const Table& table,
                      std::uint64_t row, const Texts::Place* strings, const Texts& texts,
                      TextBuffer& out, std::string& scratch) {
  const char* own = spelling.own;
  out.limit(texts.longest_record() + kLongestSpelling);
  for (const OriginalTexts::Step& step : spelling.form->steps) {
    out.append(step.before);
    Fault fault = nullptr;
    if (step.column == OriginalTexts::kOwn) {
      out.append(OriginalTexts::take_own(own));
    } else {
      const Column& column = table.columns()[step.column];
      fault = append_value(column.type, column, row, strings, texts, out, scratch);
    }
    if (fault != nullptr || out.full()) {
      return fault != nullptr ? fault : kTooLong;
    }
  }
  out.append(spelling.form->tail);
  return out.full() ? kTooLong : nullptr;
}

}  // namespace fonds::clps
