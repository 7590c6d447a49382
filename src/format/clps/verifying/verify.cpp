#include "format/clps/verifying/verify.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>

#include <fmt/core.h>

#include "base/text.hpp"
#include "base/time_pattern.hpp"
#include "format/clps/reading/date_string.hpp"
#include "format/clps/reading/exact.hpp"
#include "query/json_scanner.hpp"

namespace fonds::clps {
namespace {

constexpr std::uint64_t kTold = 3;  // findings of a kind; the others are counted
constexpr Version kNewTimes{0, 5, 0};

bool is_time(NodeType type) {
  switch (type) {
    case NodeType::Integer:
    case NodeType::Float:
    case NodeType::FormattedFloat:
    case NodeType::DictionaryFloat:
    case NodeType::DateString:
    case NodeType::Timestamp:
      return true;
    default:
      return false;
  }
}

// The first version that has nodes of this type, and the first that has none any more.
std::pair<Version, Version> versions_of(NodeType type) {
  constexpr Version kAlways{0, 0, 0};
  constexpr Version kStill{255, 255, 65535};
  switch (type) {
    case NodeType::DateString:
      return {kAlways, {0, 5, 0}};
    case NodeType::DeltaInteger:
      return {{0, 3, 2}, kStill};
    case NodeType::FormattedFloat:
    case NodeType::DictionaryFloat:
      return {{0, 4, 1}, kStill};
    case NodeType::Timestamp:
      return {{0, 5, 0}, kStill};
    default:
      return {kAlways, kStill};
  }
}

}  // namespace

ArchiveCheck::ArchiveCheck(const Archive& archive, std::function<void(Finding)> out)
    : archive_(archive),
      out_(std::move(out)),
      generation_(archive.header().version < Version{0, 4, 0} ? Generation::Old : Generation::New),
      placed_(archive.tables().size()),
      streams_used_(archive.streams().size()) {}

void ArchiveCheck::tell(std::string_view code, std::string message, Location where) {
  tell(code, find_rule(code)->severity, std::move(message), std::move(where));
}

void ArchiveCheck::tell(std::string_view code, Severity severity, std::string message,
                        Location where) {
  if (++told_[{code, severity}] > kTold) {
    return;
  }
  where.source = archive_.name();
  Finding finding = make_finding(code, std::move(message), std::move(where));
  finding.severity = severity;
  out_(std::move(finding));
}

Location ArchiveCheck::place(Member member) const {
  return {.stored_offset = archive_.member_range(member).offset};
}

Location ArchiveCheck::place_of_table(std::size_t table) const {
  const TableInfo& info = archive_.tables()[table];
  const std::uint64_t begin = archive_.member_range(Member::Tables).offset;
  return {.stored_offset = begin + archive_.streams()[static_cast<std::size_t>(info.stream)].offset,
          .decoded_offset = info.offset};
}

Status ArchiveCheck::begin() {
  check_tree();
  check_schemas();
  check_inputs();
  check_patterns();
  check_time_ranges();
  check_search_data();
  damaged_ = damaged_ || std::any_of(archive_.tables().begin(), archive_.tables().end(),
                                     [](const TableInfo& table) { return !table.fault.empty(); });
  if (archive_.metadata().originals != nullptr) {
    if (const auto texts = OriginalTexts::read(archive_); !texts) {
      if (texts.error().code() != ErrorCode::Corrupt) {
        return fail(texts.error().code(), texts.error().message(), texts.error().where());
      }
      tell("clps-originals", texts.error().message(), texts.error().where());
    }
  }
  return check_dictionaries();
}

void ArchiveCheck::check_tree() {
  const SchemaTree& tree = archive_.tree();
  for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
    const Node& node = tree.nodes()[i];
    if (!is_utf8(node.key)) {
      tell("clps-utf8", fmt::format("/schema_tree: the key of node {} is not UTF-8", i),
           place(Member::SchemaTree));
    }
    const auto [since, until] = versions_of(node.type);
    const Version version = archive_.header().version;
    if (version < since || version >= until) {
      tell("clps-version",
           fmt::format("/schema_tree: node {} has the type {}, which version {} does not have", i,
                       to_string(node.type), version.to_string()),
           place(Member::SchemaTree));
    }
  }
  check_namespaces();
  check_duplicate_nodes();
  check_used_nodes();
}

void ArchiveCheck::check_namespaces() {
  const SchemaTree& tree = archive_.tree();
  for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    const Node& node = tree[id];
    const bool root = node.parent == kNoNode;
    const bool known = id == tree.user_root() || id == tree.generated_root() ||
                       (node.type == NodeType::Metadata && node.key.empty());
    if (root ? !known : node.type == NodeType::Metadata) {
      tell("clps-namespace",
           fmt::format("/schema_tree: node {}, {} \"{}\", begins a tree that no version has", i,
                       to_string(node.type), to_utf8(node.key)),
           place(Member::SchemaTree));
    } else if (!root && tree[node.parent].type == NodeType::Metadata && id != tree.log_order()) {
      tell("clps-namespace",
           fmt::format("/schema_tree: node {}, {} \"{}\", is none of the columns that the format "
                       "adds",
                       i, to_string(node.type), to_utf8(node.key)),
           place(Member::SchemaTree));
    }
  }
}

void ArchiveCheck::check_duplicate_nodes() {
  const std::span<const Node> nodes = archive_.tree().nodes();
  std::vector<std::uint32_t> order(nodes.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto key = [&nodes](std::uint32_t id) {
    return std::tie(nodes[id].parent, nodes[id].type, nodes[id].key);
  };
  std::sort(order.begin(), order.end(), [&key](std::uint32_t a, std::uint32_t b) {
    return std::pair(key(a), a) < std::pair(key(b), b);
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (key(order[i - 1]) == key(order[i])) {
      tell("clps-duplicate-node",
           fmt::format("/schema_tree: nodes {} and {} have the same parent, key and type",
                       order[i - 1], order[i]),
           place(Member::SchemaTree));
    }
  }
}

void ArchiveCheck::check_used_nodes() {
  const SchemaTree& tree = archive_.tree();
  std::vector<bool> used(tree.nodes().size());
  for (const Schema& schema : archive_.schemas()) {
    if (!schema.fault.empty()) {
      return;  // it names others than it should
    }
    for (const auto entries : {schema.ordered, schema.unordered}) {
      for (const std::int32_t entry : entries) {
        for (NodeId at = is_tag(entry) || !tree.contains(entry) ? kNoNode : entry;
             at != kNoNode && !used[static_cast<std::size_t>(at)]; at = tree[at].parent) {
          used[static_cast<std::size_t>(at)] = true;
        }
      }
    }
  }
  std::uint64_t unused = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i] && tree.nodes()[i].parent != kNoNode &&
        static_cast<NodeId>(i) != tree.log_order()) {
      first = unused++ == 0 ? i : first;
    }
  }
  if (unused > 0) {
    tell("clps-unused",
         fmt::format("/schema_tree: {} nodes belong to no schema, the first is {}", unused, first),
         place(Member::SchemaTree));
  }
}

void ArchiveCheck::check_schemas() {
  std::vector<bool> used(archive_.schemas().size());
  for (const TableInfo& table : archive_.tables()) {
    if (table.schema < used.size()) {
      used[table.schema] = true;
    }
    if (table.stream < streams_used_.size()) {
      streams_used_[static_cast<std::size_t>(table.stream)] = true;
    }
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) {
      const Schema& schema = archive_.schemas()[i];
      tell("clps-unused",
           fmt::format("/schema_ids: no table has the records of schema {}{}{}", schema.id,
                       schema.fault.empty() ? "" : ", which is damaged: ", schema.fault),
           place(Member::SchemaIds));
    }
  }
  for (std::size_t i = 0; i < streams_used_.size(); ++i) {
    if (!streams_used_[i]) {
      tell("clps-unused", fmt::format("/table_metadata: no table lies in stream {}", i),
           place(Member::TableMetadata));
    }
  }
}

void ArchiveCheck::check_inputs() {
  const auto wrong = [this](std::string message) {
    tell("clps-range-index", "metadata section: " + std::move(message), {.stored_offset = 64});
  };
  const std::uint64_t records = archive_.records();
  std::uint64_t end = 0;
  const auto& inputs = archive_.metadata().inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].begin < end) {
      wrong(fmt::format("the records of input {} would begin with {}, those before end with {}", i,
                        inputs[i].begin, end));
    }
    end = std::max(end, inputs[i].end);
    if (inputs[i].end > records) {
      wrong(fmt::format("the records of input {} would end with {}, there are {}", i, inputs[i].end,
                        records));
    }
  }
}

void ArchiveCheck::check_patterns() {
  for (const StoredPattern& stored : archive_.metadata().time_patterns) {
    std::string reason;
    if (archive_.header().version < kNewTimes) {
      const auto pattern = DatePattern::parse(stored.pattern);
      reason = pattern ? "" : pattern.error().message();
    } else {
      const auto pattern = TimePattern::parse(stored.pattern);
      reason = pattern ? "" : pattern.error().message();
    }
    if (!reason.empty()) {
      tell("clps-time-pattern",
           fmt::format("metadata section: the pattern {} of times, {}, is none: {}", stored.id,
                       to_utf8(stored.pattern), reason),
           {.stored_offset = 64});
    }
  }
}

void ArchiveCheck::check_time_ranges() {
  const auto& ranges = archive_.metadata().time_ranges;
  const SchemaTree& tree = archive_.tree();
  const auto wrong = [this](std::size_t range, std::string_view what) {
    tell("clps-time-range", fmt::format("metadata section: time range {} {}", range, what),
         {.stored_offset = 64});
  };
  const bool in_ms = archive_.header().version >= kNewTimes;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const TimeRange& range = ranges[i];
    if (range.encoding == TimeRange::Encoding::Epoch
            ? range.begin > range.end
            : range.encoding == TimeRange::Encoding::DoubleEpoch &&
                  !(range.begin_real <= range.end_real)) {
      wrong(i, "ends before it begins");
    }
    if (in_ms && range.encoding == TimeRange::Encoding::DoubleEpoch) {
      wrong(i, "is one of floating point numbers, since version 0.5.0 they are milliseconds");
    }
    for (const NodeId node : range.nodes) {
      if (!tree.contains(node)) {
        wrong(i, fmt::format("is of node {}, there are {}", node, tree.nodes().size()));
      } else if (!is_time(tree[node].type)) {
        wrong(i, fmt::format("is of node {}, which holds no times but {}", node,
                             to_string(tree[node].type)));
      } else {
        ranges_of_nodes_.emplace_back(node, i);
      }
    }
  }
  std::sort(ranges_of_nodes_.begin(), ranges_of_nodes_.end());
  for (std::size_t i = 1; i < ranges_of_nodes_.size(); ++i) {
    if (ranges_of_nodes_[i].first == ranges_of_nodes_[i - 1].first) {
      wrong(ranges_of_nodes_[i].second,
            fmt::format("is of node {}, as range {} is", ranges_of_nodes_[i].first,
                        ranges_of_nodes_[i - 1].second));
    }
  }
}

Status ArchiveCheck::check_dictionaries() {
  for (auto [marks, member] :
       {std::pair(&variables_, Member::Variables), std::pair(&log_types_, Member::LogTypes),
        std::pair(&array_types_, Member::ArrayTypes)}) {
    FONDS_TRY(marks->dictionary, archive_.dictionary(member));
    marks->used.resize(marks->dictionary->size());
    check_texts(*marks->dictionary, member);
  }
  return {};
}

void ArchiveCheck::check_texts(const Dictionary& dictionary, Member member) {
  for (std::size_t id = 0; id < dictionary.size(); ++id) {
    const std::string_view text = dictionary[id];
    if (!is_utf8(text)) {
      tell("clps-utf8", fmt::format("{}: entry {} is not UTF-8", to_string(member), id),
           place(member));
    }
    // Only an odd number of backslashes at the end can be an escape of nothing.
    const std::size_t behind = text.find_last_not_of('\\') + 1;
    if (member != Member::Variables && (text.size() - behind) % 2 == 1) {
      tell("clps-log-type",
           fmt::format("{}: entry {} ends in an escape of nothing", to_string(member), id),
           place(member));
    }
  }
}

void ArchiveCheck::record(const Rebuilder::Batch::Line& line, std::string_view json,
                          bool known_input) {
  const auto bad = bad_arrays_.find(line.table);
  const bool told = bad != bad_arrays_.end() && bad->second[static_cast<std::size_t>(line.row)];
  if (!told && !query::is_json(json)) {
    tell("clps-record-json",
         fmt::format("table {}, record {} is no JSON text", line.table, line.row),
         place_of_table(line.table));
  }
  if (!placed_[line.table]) {
    return;
  }
  if (line.log_index < next_log_index_) {
    tell("clps-log-order",
         fmt::format("table {}, record {}: another record has the log_event_idx {} too", line.table,
                     line.row, line.log_index),
         place_of_table(line.table));
  } else {
    if (line.log_index > next_log_index_) {
      first_gap_ = gaps_ == 0 ? next_log_index_ : first_gap_;
      gaps_ += line.log_index - next_log_index_;
    }
    next_log_index_ = line.log_index + 1;
  }
  if (!known_input && archive_.metadata().has_inputs) {
    first_unknown_ = unknown_inputs_++ == 0 ? line.log_index : first_unknown_;
  }
}

void ArchiveCheck::tell_unused(const Marks& marks, Member member) {
  const auto unused =
      static_cast<std::uint64_t>(std::count(marks.used.begin(), marks.used.end(), false));
  if (unused > 0) {
    const auto first = std::find(marks.used.begin(), marks.used.end(), false);
    tell("clps-unused",
         fmt::format("{}: {} of {} entries are in no record, the first is {}", to_string(member),
                     unused, marks.used.size(), first - marks.used.begin()),
         place(member));
  }
}

void ArchiveCheck::end() {
  // What damage took away would be missed here once more.
  if (!damaged_) {
    if (gaps_ > 0) {
      tell("clps-log-order",
           fmt::format("{} numbers of log_event_idx belong to no record, the first is {}", gaps_,
                       first_gap_),
           place(Member::Tables));
    }
    if (unknown_inputs_ > 0) {
      tell("clps-range-index",
           fmt::format("metadata section: {} records belong to no input, the first is {}",
                       unknown_inputs_, first_unknown_),
           {.stored_offset = 64});
    }
    tell_unused(variables_, Member::Variables);
    tell_unused(log_types_, Member::LogTypes);
    tell_unused(array_types_, Member::ArrayTypes);
    for (const StoredPattern& stored : archive_.metadata().time_patterns) {
      if (!patterns_used_.contains(stored.id)) {
        tell("clps-unused", fmt::format("metadata section: no time has the pattern {}", stored.id),
             {.stored_offset = 64});
      }
    }
  }
  for (const auto& [kind, count] : std::exchange(told_, {})) {
    if (count > kTold) {
      tell(kind.first, kind.second, fmt::format("{} findings of this kind in all", count));
    }
  }
}

}  // namespace fonds::clps
