// The schema tree, the schemas and the table metadata of clp-s archives: what is parsed keeps what
// it promises.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string_view>

#include <fonds/bytes.hpp>

#include "clps_parts.hpp"
#include "format/clps/reading/sections.hpp"
#include "require.hpp"

namespace {

using fonds::as_bytes;
using fonds::fuzz::require;
using namespace fonds::clps;  // NOLINT(google-build-using-namespace)

constexpr std::uint64_t kRoom = std::uint64_t{64} << 20;

void check_tree(const SchemaTree& tree) {
  for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
    const Node& node = tree.nodes()[i];
    require(node.parent >= kNoNode && node.parent < static_cast<NodeId>(i));
    require(node.type <= NodeType::Timestamp);
    require(tree.root_of(static_cast<NodeId>(i)) <= static_cast<NodeId>(i));
    require(node.parent == kNoNode || !has_column(tree[node.parent].type));
  }
  for (const NodeId root : {tree.user_root(), tree.generated_root()}) {
    require(root == kNoNode || (tree.contains(root) && tree[root].parent == kNoNode));
  }
}

// Tags nest, and each belongs to a container below the one around it.
void check_body(const SchemaTree& tree, std::span<const std::int32_t> body, NodeId enclosing) {
  for (std::size_t i = 0; i < body.size();) {
    if (!is_tag(body[i])) {
      require(tree.contains(body[i]));
      ++i;
      continue;
    }
    require(tag_length(body[i]) > 0 && tag_length(body[i]) < body.size() - i);
    const auto inner = body.subspan(i + 1, tag_length(body[i]));
    const NodeId container = find_container(tree, inner, tag_type(body[i]), enclosing);
    require(container != kNoNode && container != enclosing);
    require(tree[container].type == tag_type(body[i]));
    check_body(tree, inner, container);
    i += 1 + inner.size();
  }
}

void check_schemas(const SchemaTree& tree, std::span<const Schema> schemas) {
  std::set<std::int32_t> ids;
  for (const Schema& schema : schemas) {
    require(ids.insert(schema.id).second);
    if (!schema.fault.empty()) {
      continue;
    }
    NodeId before = kNoNode;
    for (const std::int32_t entry : schema.ordered) {
      require(tree.contains(entry) && entry >= before);
      before = entry;
    }
    check_body(tree, schema.unordered, kNoNode);
  }
}

void check_tables(const ParsedTables& parsed, std::size_t schemas, std::uint64_t stored) {
  for (const StreamInfo& stream : parsed.streams) {
    require(!stream.fault.empty() || stream.offset + stream.stored <= stored);
  }
  std::set<std::size_t> used;
  for (const TableInfo& table : parsed.tables) {
    if (!table.fault.empty()) {
      continue;
    }
    require(table.schema < schemas && used.insert(table.schema).second);
    require(table.stream < parsed.streams.size());
    const std::uint64_t plain = parsed.streams[static_cast<std::size_t>(table.stream)].plain;
    require(table.offset <= plain && table.length <= plain - table.offset);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parts = fonds::fuzz::split_parts({reinterpret_cast<const char*>(data), size});
  const auto part = [&parts](std::size_t i) {
    return i < parts.size() ? parts[i] : std::string_view();
  };
  const auto tree = parse_schema_tree(as_bytes(part(0)), nullptr, kRoom);
  if (!tree) {
    require(tree.error().where().decoded_offset.value_or(0) <= size);
    return 0;
  }
  check_tree(tree->tree);
  const auto schemas = parse_schemas(as_bytes(part(1)), tree->tree, kRoom);
  if (!schemas) {
    return 0;
  }
  check_schemas(tree->tree, schemas->schemas);
  constexpr std::uint64_t kStored = 1000;
  const auto tables = parse_tables(as_bytes(part(2)), schemas->schemas, kStored, kRoom);
  if (tables) {
    check_tables(*tables, schemas->schemas.size(), kStored);
  }
  return 0;
}
