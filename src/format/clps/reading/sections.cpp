// The schema tree, the schemas and the table metadata.
#include "format/clps/reading/sections.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"
#include "format/clps/reading/cursor.hpp"

namespace fonds::clps {
namespace {

auto corrupt(Member section, std::string message, std::uint64_t at) {
  return fail(ErrorCode::Corrupt, fmt::format("{}: {}", to_string(section), message),
              {.decoded_offset = at});
}

// About what one entry of each list takes once it is parsed, with what is made of it.
constexpr std::uint64_t kNodeBytes = sizeof(Node) + 16;
constexpr std::uint64_t kSchemaBytes = sizeof(Schema) + 256;
constexpr std::uint64_t kEntryBytes = 16;
constexpr std::uint64_t kTableBytes = sizeof(TableInfo) + 256;
constexpr std::uint64_t kStreamBytes = sizeof(StreamInfo) + 128;

Status check_room(Member section, std::uint64_t count, std::uint64_t each, std::uint64_t room,
                  std::string_view what) {
  if (count > room / each) {
    return fail(ErrorCode::LimitExceeded, fmt::format("{}: {} {} would exceed the memory limit",
                                                      to_string(section), count, what));
  }
  return {};
}

bool known_type(std::uint8_t type) {
  return type <= static_cast<std::uint8_t>(NodeType::Timestamp);
}

bool may_have_children(NodeType type) {
  return type == NodeType::Object || type == NodeType::StructuredArray ||
         type == NodeType::Metadata;
}

}  // namespace

std::string_view to_string(NodeType type) {
  switch (type) {
    case NodeType::Integer:
      return "Integer";
    case NodeType::Float:
      return "Float";
    case NodeType::ClpString:
      return "ClpString";
    case NodeType::VarString:
      return "VarString";
    case NodeType::Boolean:
      return "Boolean";
    case NodeType::Object:
      return "Object";
    case NodeType::UnstructuredArray:
      return "UnstructuredArray";
    case NodeType::NullValue:
      return "NullValue";
    case NodeType::DateString:
      return "DateString";
    case NodeType::StructuredArray:
      return "StructuredArray";
    case NodeType::Metadata:
      return "Metadata";
    case NodeType::DeltaInteger:
      return "DeltaInteger";
    case NodeType::FormattedFloat:
      return "FormattedFloat";
    case NodeType::DictionaryFloat:
      return "DictionaryFloat";
    case NodeType::Timestamp:
      return "Timestamp";
  }
  return "unknown";
}

bool has_column(NodeType type) {
  return type != NodeType::Object && type != NodeType::NullValue &&
         type != NodeType::StructuredArray && type != NodeType::Metadata;
}

std::string Version::to_string() const { return fmt::format("{}.{}.{}", major, minor, patch); }

std::string_view to_string(Member member) {
  static constexpr std::array<std::string_view, kMembers> kNames = {
      "/schema_tree", "/schema_ids", "/table_metadata", "/var.dict", "/log.dict",
      "/array.dict",  "/0"};
  return kNames[static_cast<std::size_t>(member)];
}

SchemaTree::SchemaTree(std::vector<Node> nodes, std::shared_ptr<const void> keys)
    : nodes_(std::move(nodes)), keys_(std::move(keys)) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    const auto id = static_cast<NodeId>(i);
    if (node.parent == kNoNode && node.type == NodeType::Object) {
      if (node.key.empty() && user_root_ == kNoNode) {
        user_root_ = id;
      } else if (node.key == "@" && generated_root_ == kNoNode) {
        generated_root_ = id;
      }
    } else if (node.parent != kNoNode && log_order_ == kNoNode && node.key == "log_event_idx" &&
               (*this)[node.parent].type == NodeType::Metadata &&
               (node.type == NodeType::Integer || node.type == NodeType::DeltaInteger)) {
      log_order_ = id;
    }
  }
}

NodeId SchemaTree::root_of(NodeId id) const {
  while ((*this)[id].parent != kNoNode) {
    id = (*this)[id].parent;
  }
  return id;
}

Result<ParsedTree> parse_schema_tree(ByteView plain, std::shared_ptr<const void> owner,
                                     std::uint64_t room) {
  Cursor in(plain);
  const auto wrong = [&in](std::string message) {
    return corrupt(Member::SchemaTree, std::move(message), in.position());
  };
  const auto count = in.u64();
  if (!count || *count > in.left() / 13 || *count > kMaxNodes) {
    return wrong(fmt::format("it claims {} nodes, more than it can hold", count.value_or(0)));
  }
  FONDS_CHECK(check_room(Member::SchemaTree, *count, kNodeBytes, room, "nodes"));
  std::vector<Node> nodes;
  std::vector<std::uint16_t> depths;
  nodes.reserve(static_cast<std::size_t>(*count));
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto parent = in.i32();
    const auto length = parent ? in.u64() : std::nullopt;
    if (!length || *length > kMaxKey || *length > in.left()) {
      return wrong(fmt::format("node {}: its key of {} bytes does not fit", i, length.value_or(0)));
    }
    const std::string_view key = *in.text(*length);
    const auto type = in.u8();
    if (!type || !known_type(*type)) {
      return wrong(fmt::format("node {}: type {} is unknown", i, type ? *type : 255));
    }
    std::uint16_t depth = 0;
    if (*parent != kNoNode) {
      if (*parent < 0 || static_cast<std::uint64_t>(*parent) >= i) {
        return wrong(fmt::format("node {}: its parent {} does not come before it", i, *parent));
      }
      const auto above = static_cast<std::size_t>(*parent);
      if (!may_have_children(nodes[above].type)) {
        return wrong(fmt::format("node {}: its parent {} has the type {}", i, *parent,
                                 to_string(nodes[above].type)));
      }
      depth = static_cast<std::uint16_t>(depths[above] + 1);
      if (depth > kMaxDepth) {
        return fail(ErrorCode::LimitExceeded,
                    fmt::format("/schema_tree: node {} is nested more than {} deep", i, kMaxDepth),
                    {.decoded_offset = in.position()});
      }
    }
    nodes.push_back({*parent, static_cast<NodeType>(*type), key});
    depths.push_back(depth);
  }
  return ParsedTree{SchemaTree(std::move(nodes), std::move(owner)), in.left()};
}

NodeId find_container(const SchemaTree& tree, std::span<const std::int32_t> body, NodeType type,
                      NodeId enclosing) {
  const auto first = std::find_if_not(body.begin(), body.end(), is_tag);
  if (first == body.end() || !tree.contains(*first)) {
    return kNoNode;
  }
  NodeId found = kNoNode;
  NodeId at = *first;
  for (; at != enclosing; at = tree[at].parent) {
    if (at == kNoNode) {
      return kNoNode;  // not below the enclosing one
    }
    if (tree[at].type == type) {
      found = at;
    }
  }
  return found;
}

namespace {

// How far each node is from its root.
std::vector<std::uint16_t> depths_of(const SchemaTree& tree) {
  std::vector<std::uint16_t> depths;
  depths.reserve(tree.nodes().size());
  for (const Node& node : tree.nodes()) {
    depths.push_back(
        node.parent == kNoNode
            ? std::uint16_t{0}
            : static_cast<std::uint16_t>(depths[static_cast<std::size_t>(node.parent)] + 1));
  }
  return depths;
}

std::string keeps_nothing(NodeId node) {
  return fmt::format("node {}, of the type Metadata, has no values", node);
}

// Checks the unordered region of a schema against the tree, tag by tag.
class UnorderedCheck {
 public:
  explicit UnorderedCheck(const SchemaTree& tree) : tree_(tree) {}

  // What is wrong; empty: nothing.
  std::string check(std::span<const std::int32_t> entries) {
    for (std::size_t i = 0; i < entries.size();) {
      const std::int32_t entry = entries[i];
      if (!is_tag(entry)) {
        if (!tree_.contains(entry) || tree_[entry].type != NodeType::StructuredArray) {
          return fmt::format("entry {} of its arrays is no array", entry);
        }
        ++i;
        continue;
      }
      if (std::string fault = body(entries, i, kNoNode, NodeType::StructuredArray, 0);
          !fault.empty()) {
        return fault;
      }
      i += 1 + tag_length(entry);
    }
    return {};
  }

 private:
  // The tag at `at`, which must be `wanted` if that is one type, and its body.
  std::string body(std::span<const std::int32_t> entries, std::size_t at, NodeId enclosing,
                   NodeType wanted, std::size_t depth) {
    const NodeType type = tag_type(entries[at]);
    const std::size_t length = tag_length(entries[at]);
    if ((type != NodeType::StructuredArray && type != NodeType::Object) ||
        (depth == 0 && type != wanted)) {
      return fmt::format("{:#010x} is no tag of an array or object",
                         static_cast<std::uint32_t>(entries[at]));
    }
    if (length == 0 || length > entries.size() - at - 1) {
      return fmt::format("a tag claims {} entries, {} follow", length, entries.size() - at - 1);
    }
    if (depth == kMaxDepth) {
      return fmt::format("arrays are nested more than {} deep", kMaxDepth);
    }
    const auto inner = entries.subspan(at + 1, length);
    const NodeId container = find_container(tree_, inner, type, enclosing);
    if (container == kNoNode) {
      return "the node that a tag belongs to cannot be found";
    }
    for (std::size_t i = 0; i < inner.size();) {
      if (is_tag(inner[i])) {
        if (std::string fault = body(inner, i, container, type, depth + 1); !fault.empty()) {
          return fault;
        }
        i += 1 + tag_length(inner[i]);
        continue;
      }
      if (!below(inner[i], container)) {
        return fmt::format("node {} does not lie below node {}", inner[i], container);
      }
      if (tree_[inner[i]].type == NodeType::Metadata) {
        return keeps_nothing(inner[i]);
      }
      ++i;
    }
    return {};
  }

  bool below(NodeId id, NodeId ancestor) const {
    if (!tree_.contains(id)) {
      return false;
    }
    for (NodeId at = tree_[id].parent; at != kNoNode; at = tree_[at].parent) {
      if (at == ancestor) {
        return true;
      }
      if (at < ancestor) {
        return false;  // parents come first
      }
    }
    return false;
  }

  const SchemaTree& tree_;
};

std::string schema_fault(const SchemaTree& tree, const Schema& schema) {
  NodeId before = kNoNode;
  for (const std::int32_t entry : schema.ordered) {
    if (!tree.contains(entry)) {
      return fmt::format("it names node {} of {}", entry, tree.nodes().size());
    }
    // A node that is repeated is what the original makes of a key that occurs twice in an object;
    // the table holds one column of it, with the first value.
    if (entry < before) {
      return fmt::format("node {} follows node {} in its ordered part", entry, before);
    }
    if (tree[entry].type == NodeType::Metadata) {
      return keeps_nothing(entry);
    }
    if (tree[entry].type == NodeType::StructuredArray) {
      return fmt::format("the array node {} stands in its ordered part", entry);
    }
    before = entry;
  }
  return UnorderedCheck(tree).check(schema.unordered);
}

}  // namespace

Result<ParsedSchemas> parse_schemas(ByteView plain, const SchemaTree& tree, std::uint64_t room) {
  ParsedSchemas parsed;
  Cursor in(plain);
  const auto wrong = [&in](std::string message) {
    return corrupt(Member::SchemaIds, std::move(message), in.position());
  };
  const auto count = in.u64();
  if (!count || *count > in.left() / 12) {
    return wrong(fmt::format("it claims {} schemas, more than it can hold", count.value_or(0)));
  }
  FONDS_CHECK(check_room(Member::SchemaIds, *count, kSchemaBytes, room, "schemas"));
  FONDS_CHECK(check_room(Member::SchemaIds, (in.left() - 12 * *count) / 4, kEntryBytes,
                         room - kSchemaBytes * *count, "entries"));
  struct Extent {
    std::size_t begin, ordered, all;
  };
  std::vector<Extent> extents;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto id = in.i32();
    const auto entries = id ? in.u32() : std::nullopt;
    const auto ordered = entries ? in.u32() : std::nullopt;
    if (!ordered || *ordered > *entries || *entries > in.left() / 4) {
      return wrong(fmt::format("schema {} of {} claims {} entries, {} of them ordered", i, *count,
                               entries.value_or(0), ordered.value_or(0)));
    }
    if (*entries > kMaxSchemaEntries - parsed.entries.size()) {
      return fail(ErrorCode::LimitExceeded,
                  fmt::format("/schema_ids: more than {} entries", kMaxSchemaEntries),
                  {.decoded_offset = in.position()});
    }
    extents.push_back({parsed.entries.size(), *ordered, *entries});
    Schema schema;
    schema.id = *id;
    parsed.schemas.push_back(std::move(schema));
    for (std::uint32_t e = 0; e < *entries; ++e) {
      parsed.entries.push_back(*in.i32());
    }
  }
  std::set<std::int32_t> ids;
  const std::vector<std::uint16_t> depths = depths_of(tree);
  std::uint64_t steps = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    Schema& schema = parsed.schemas[i];
    const auto all = std::span(parsed.entries).subspan(extents[i].begin, extents[i].all);
    schema.ordered = all.first(extents[i].ordered);
    schema.unordered = all.subspan(extents[i].ordered);
    if (!ids.insert(schema.id).second) {
      return wrong(fmt::format("two schemas have the id {}", schema.id));
    }
    for (const std::int32_t entry : all) {
      steps += tree.contains(entry) ? depths[static_cast<std::size_t>(entry)] : 0U;
    }
    if (steps > kMaxSteps) {
      return fail(ErrorCode::LimitExceeded,
                  "/schema_ids: the nodes of its schemas lie too deep to be followed");
    }
    schema.fault = schema_fault(tree, schema);
  }
  parsed.extra = in.left();
  return parsed;
}

namespace {

Status read_streams(Cursor& in, std::uint64_t stored, std::uint64_t room,
                    std::vector<StreamInfo>& streams) {
  const auto count = in.u64();
  if (!count || *count > in.left() / 16) {
    return corrupt(Member::TableMetadata,
                   fmt::format("it claims {} streams, more than it can hold", count.value_or(0)),
                   in.position());
  }
  FONDS_CHECK(check_room(Member::TableMetadata, *count, kStreamBytes, room, "streams"));
  for (std::uint64_t i = 0; i < *count; ++i) {
    StreamInfo stream;
    stream.offset = *in.u64();
    stream.plain = *in.u64();
    if (stream.offset > stored) {
      stream.fault = fmt::format("it begins at {} of {} bytes of /0", stream.offset, stored);
    } else if (!streams.empty() && stream.offset < streams.back().offset) {
      stream.fault = fmt::format("it begins at {}, before stream {}", stream.offset, i - 1);
      streams.back().fault = stream.fault;
    }
    streams.push_back(std::move(stream));
  }
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const std::uint64_t end = i + 1 < streams.size() ? streams[i + 1].offset : stored;
    streams[i].stored = std::min(end, stored) - std::min({streams[i].offset, end, stored});
  }
  return {};
}

// How far each table reaches: to the next one of its stream.
void measure_tables(std::span<const StreamInfo> streams, std::vector<TableInfo>& tables) {
  for (std::size_t i = 0; i < tables.size(); ++i) {
    TableInfo& table = tables[i];
    if (!table.fault.empty()) {
      continue;
    }
    const bool last = i + 1 == tables.size() || tables[i + 1].stream != table.stream;
    const std::uint64_t plain = streams[static_cast<std::size_t>(table.stream)].plain;
    const std::uint64_t end = last ? plain : tables[i + 1].offset;
    if (table.offset > end || end > plain) {
      table.fault = fmt::format("it begins at {} and would end at {} of the {} bytes of stream {}",
                                table.offset, end, plain, table.stream);
    } else {
      table.length = end - table.offset;
    }
  }
}

}  // namespace

Result<ParsedTables> parse_tables(ByteView plain, std::span<const Schema> schemas,
                                  std::uint64_t stored, std::uint64_t room) {
  ParsedTables parsed;
  Cursor in(plain);
  const auto wrong = [&in](std::string message) {
    return corrupt(Member::TableMetadata, std::move(message), in.position());
  };
  FONDS_CHECK(read_streams(in, stored, room, parsed.streams));
  const auto separate = in.u64();
  if (!separate || *separate != 0) {
    return wrong(fmt::format("it claims {} schemas with separate columns, which nothing writes",
                             separate.value_or(0)));
  }
  const auto count = in.u64();
  if (!count || *count > in.left() / 28) {
    return wrong(fmt::format("it claims {} tables, more than it can hold", count.value_or(0)));
  }
  FONDS_CHECK(check_room(Member::TableMetadata, *count, kTableBytes,
                         room - kStreamBytes * parsed.streams.size(), "tables"));
  std::unordered_map<std::int32_t, std::size_t> places;
  for (std::size_t i = 0; i < schemas.size(); ++i) {
    places.emplace(schemas[i].id, i);
  }
  std::set<std::size_t> used;
  std::uint64_t stream = 0;
  for (std::uint64_t i = 0; i < *count; ++i) {
    TableInfo table;
    table.stream = *in.u64();
    table.offset = *in.u64();
    const std::int32_t schema = *in.i32();
    table.records = *in.u64();
    const auto place = places.find(schema);
    if (table.stream >= parsed.streams.size()) {
      table.fault = fmt::format("it lies in stream {} of {}", table.stream, parsed.streams.size());
    } else if (table.stream < stream) {
      table.fault =
          fmt::format("it lies in stream {}, the table before in {}", table.stream, stream);
    } else if (place == places.end()) {
      table.fault = fmt::format("there is no schema {}", schema);
    } else if (!used.insert(place->second).second) {
      table.fault = fmt::format("schema {} has a table already", schema);
    } else {
      table.fault = schemas[place->second].fault;
      if (!table.fault.empty()) {
        table.fault =
            fmt::format("its schema {} in /schema_ids is damaged: {}", schema, table.fault);
      }
    }
    table.schema = place == places.end() ? schemas.size() : place->second;
    if (table.stream < parsed.streams.size()) {
      stream = std::max(stream, table.stream);
      if (table.fault.empty()) {
        table.fault = parsed.streams[static_cast<std::size_t>(table.stream)].fault;
      }
    }
    parsed.tables.push_back(std::move(table));
  }
  measure_tables(parsed.streams, parsed.tables);
  parsed.extra = in.left();
  return parsed;
}

}  // namespace fonds::clps
