#include "format/clps/facts.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "query/path_text.hpp"

namespace fonds::clps {
namespace {

constexpr std::size_t kLongestPath = std::size_t{64} << 10;

// How people call the type of a value.
std::string_view plain_type(NodeType type) {
  switch (type) {
    case NodeType::Integer:
    case NodeType::DeltaInteger:
      return "integer";
    case NodeType::Float:
    case NodeType::FormattedFloat:
    case NodeType::DictionaryFloat:
      return "float";
    case NodeType::ClpString:
    case NodeType::VarString:
      return "string";
    case NodeType::Boolean:
      return "boolean";
    case NodeType::Object:
      return "object";
    case NodeType::UnstructuredArray:
    case NodeType::StructuredArray:
      return "array";
    case NodeType::NullValue:
      return "null";
    case NodeType::DateString:
    case NodeType::Timestamp:
      return "timestamp";
    case NodeType::Metadata:
      return "metadata";
  }
  return "unknown";
}

// How many records have each node, by schemas and tables alone.
std::vector<std::uint64_t> count_events(const Archive& archive) {
  const SchemaTree& tree = archive.tree();
  std::vector<std::uint64_t> counts(tree.nodes().size(), 0);
  std::vector<std::size_t> seen(tree.nodes().size(), std::numeric_limits<std::size_t>::max());
  for (std::size_t t = 0; t < archive.tables().size(); ++t) {
    const TableInfo& table = archive.tables()[t];
    if (!table.fault.empty()) {
      continue;
    }
    const Schema& schema = archive.schemas()[table.schema];
    for (const auto part : {schema.ordered, schema.unordered}) {
      for (const std::int32_t entry : part) {
        for (NodeId at = is_tag(entry) ? kNoNode : entry; at != kNoNode; at = tree[at].parent) {
          const auto place = static_cast<std::size_t>(at);
          if (std::exchange(seen[place], t) == t) {
            break;
          }
          counts[place] +=
              std::min(table.records, std::numeric_limits<std::uint64_t>::max() - counts[place]);
        }
      }
    }
  }
  return counts;
}

void describe_sections(const Archive& archive, AttributeSink& out) {
  out.begin_list("sections");
  const auto section = [&out](std::string_view name, ByteRange range) {
    out.begin_list({});
    out.text({}, name);
    out.number({}, range.offset);
    out.number({}, range.length);
    out.end_list();
  };
  section("metadata", {64, archive.header().metadata_size});
  for (std::size_t i = 0; i < kMembers; ++i) {
    const auto member = static_cast<Member>(i);
    section(to_string(member), archive.member_range(member));
  }
  out.end_list();
}

void describe_times(const Archive& archive, AttributeSink& out) {
  out.begin_list("time_ranges");
  for (const TimeRange& range : archive.metadata().time_ranges) {
    out.begin_list({});
    out.text({}, to_utf8(range.key));
    if (range.encoding == TimeRange::Encoding::Epoch) {
      out.integer({}, range.begin);
      out.integer({}, range.end);
    } else if (range.encoding == TimeRange::Encoding::DoubleEpoch) {
      out.text({}, fmt::format("{}", range.begin_real));
      out.text({}, fmt::format("{}", range.end_real));
    }
    out.end_list();
  }
  out.end_list();
  out.begin_list("time_patterns");
  for (const StoredPattern& pattern : archive.metadata().time_patterns) {
    out.text({}, to_utf8(pattern.pattern));
  }
  out.end_list();
}

void describe_inputs(const Archive& archive, AttributeSink& out) {
  out.begin_list("inputs");
  for (const InputRange& input : archive.metadata().inputs) {
    out.begin_list({});
    out.text({}, to_utf8(input.file_name));
    out.number({}, input.begin);
    out.number({}, input.end);
    out.text({}, input.properties);
    out.end_list();
  }
  out.end_list();
}

// Decompressed bytes of the columns of each node.
Status describe_columns(const Archive& archive, AttributeSink& out) {
  struct Size {
    std::uint64_t records = 0, bytes = 0;
  };
  std::map<NodeId, Size> sizes;
  std::shared_ptr<Stream> stream;
  for (std::size_t i = 0; i < archive.tables().size(); ++i) {
    const TableInfo& info = archive.tables()[i];
    if (!info.fault.empty()) {
      continue;
    }
    if (stream == nullptr || stream->index() != info.stream) {
      stream.reset();
      FONDS_TRY(stream, archive.open_stream(static_cast<std::size_t>(info.stream)));
    }
    auto table = archive.table(i, stream);
    if (!table) {
      if (table.error().code() != ErrorCode::Corrupt) {
        return tl::unexpected(std::move(table.error()));
      }
      continue;  // reading its records tells of it
    }
    for (const Column& column : table->columns()) {
      Size& size = sizes[column.node];
      size.records += column.records;
      size.bytes += column.values.size() + column.seconds.size() + column.variables.size();
    }
  }
  out.begin_list("columns");
  for (const auto& [node, size] : sizes) {
    out.begin_list({});
    out.text({}, to_utf8(query_path(archive.tree(), node)));
    out.text({}, to_string(archive.tree()[node].type));
    out.number({}, size.records);
    out.number({}, size.bytes);
    out.end_list();
  }
  out.end_list();
  return {};
}

}  // namespace

std::string query_path(const SchemaTree& tree, NodeId node) {
  std::vector<NodeId> steps;
  std::size_t length = 0;
  NodeId at = node;
  for (; at != kNoNode && tree[at].parent != kNoNode; at = tree[at].parent) {
    // The levels of structured arrays have no key.
    if (tree[tree[at].parent].type != NodeType::StructuredArray) {
      steps.push_back(at);
      length += tree[at].key.size() + 1;
    }
  }
  if (length > kLongestPath) {
    return {};
  }
  const bool marked = at == tree.generated_root() && at != kNoNode;
  std::vector<std::string_view> keys;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    keys.push_back(tree[*step].key);
  }
  return query::path_text(marked ? "@" : "", keys);
}

Status list_fields(const Archive& archive, const std::function<Status(const EventField&)>& out) {
  const SchemaTree& tree = archive.tree();
  const std::vector<std::uint64_t> counts = count_events(archive);
  std::vector<std::vector<NodeId>> children(tree.nodes().size());
  std::vector<std::pair<NodeId, std::size_t>> waiting;  // node, keys around it; the last is next
  for (std::size_t i = tree.nodes().size(); i-- > 0;) {
    const auto id = static_cast<NodeId>(i);
    if (tree[id].parent != kNoNode) {
      children[static_cast<std::size_t>(tree[id].parent)].push_back(id);
    }
  }
  for (const NodeId root : {tree.generated_root(), tree.user_root()}) {
    if (root != kNoNode) {
      for (const NodeId child : children[static_cast<std::size_t>(root)]) {
        waiting.emplace_back(child, 0);
      }
    }
  }
  while (!waiting.empty()) {
    const auto [node, depth] = waiting.back();
    waiting.pop_back();
    const std::string path = query_path(tree, node);
    EventField field;
    field.path = path;
    field.key = tree[node].key;
    field.type = plain_type(tree[node].type);
    field.depth = depth;
    field.leaf = has_column(tree[node].type) || tree[node].type == NodeType::NullValue;
    field.events = counts[static_cast<std::size_t>(node)];
    FONDS_CHECK(out(field));
    for (const NodeId child : children[static_cast<std::size_t>(node)]) {
      waiting.emplace_back(child, depth + 1);
    }
  }
  return {};
}

Status describe_archive(const Archive& archive, bool deep, AttributeSink& out) {
  const Header& header = archive.header();
  out.text("version", header.version.to_string());
  out.number("uncompressed_size", header.uncompressed_size);
  out.number("compressed_size", header.compressed_size);
  out.number("events", archive.records());
  out.text("log_order", archive.tree().log_order() == kNoNode ? "no" : "yes");
  out.text("search_data", archive.search_data() == nullptr ? "no" : "yes");
  out.text("original_texts", archive.metadata().originals == nullptr ? "no" : "yes");
  out.number("nodes", archive.tree().nodes().size());
  out.number("schemas", archive.schemas().size());
  out.number("tables", archive.tables().size());
  out.number("streams", archive.streams().size());
  describe_sections(archive, out);
  describe_times(archive, out);
  describe_inputs(archive, out);
  return deep ? describe_columns(archive, out) : Status();
}

}  // namespace fonds::clps
