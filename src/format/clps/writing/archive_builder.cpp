#include "format/clps/writing/archive_builder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/core.h>

#include "format/clps/reading/log_type.hpp"

namespace fonds::clps::writing {
namespace {

constexpr std::size_t kMostNodes = std::size_t{1} << 24;
constexpr std::size_t kUsualNodes = std::size_t{1} << 20;  // more than a usual batch brings
constexpr std::size_t kMostLogTypes = std::size_t{1} << kLogTypeBits;
constexpr std::size_t kMostVariables = 0xFFFFFFF0;
constexpr std::size_t kMostTagged = 0xFFFFFF;
constexpr std::uint32_t kNoTime = 0xFFFFFFFF;
constexpr std::size_t kLookAhead = 8;
constexpr std::size_t kFirstSlots = 16, kMostSlots = std::size_t{4} << 10, kSlotRuns = 4;
constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15;

// The ids that an archive has for the strings of a batch; new strings are taken up in their order.
std::vector<std::uint32_t> translate(const StringTable& from, StringTable& to) {
  std::vector<std::uint32_t> ids(from.size());
  for (std::uint32_t i = 0; i < ids.size(); ++i) {
    if (i + kLookAhead < ids.size()) {
      to.prefetch(from.hash(static_cast<std::uint32_t>(i + kLookAhead)));
    }
    ids[i] = to.add(from[i], from.hash(i));
  }
  return ids;
}

// Log types with the number of variables of each.
std::vector<std::uint32_t> translate(const StringTable& from,
                                     const std::vector<std::uint32_t>& counts, StringTable& to,
                                     std::vector<std::uint32_t>& to_counts) {
  std::vector<std::uint32_t> ids = translate(from, to);
  to_counts.resize(to.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    to_counts[ids[i]] = counts[i];
  }
  return ids;
}

std::int32_t tag(NodeType type, std::size_t length) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(type) << 24 |
                                   static_cast<std::uint32_t>(length));
}

}  // namespace

std::uint64_t SharedRuns::place(std::span<const std::uint64_t> run, Pile<std::uint64_t>& all) {
  if (run.empty()) {
    return 0;
  }
  const std::uint64_t next = all.size();
  if (++runs_ > kSlotRuns * places_.size() && places_.size() < kMostSlots) {
    places_.assign(std::max<std::size_t>(kFirstSlots, 4 * places_.size()), Run());
  }
  std::uint64_t hash = run.size();
  for (const std::uint64_t word : run) {
    hash = (hash ^ word) * kMultiplier;
    hash ^= hash >> 32;
  }
  Run& kept = places_[hash & (places_.size() - 1)];
  if (kept.length == run.size()) {  // texts share all of their variables, never some
    std::size_t same = 0;
    while (same < run.size() && all[kept.place + same] == run[same]) {
      ++same;
    }
    if (same == run.size()) {
      return kept.place;
    }
  }
  kept = {next, run.size()};
  all.append(run);
  return next;
}

std::uint64_t BuiltColumn::stored_size() const {
  switch (type) {
    case NodeType::Boolean:
      return small.size();
    case NodeType::FormattedFloat:
      return 10 * words.size();
    case NodeType::Timestamp:
    case NodeType::DateString:
      return 16 * words.size();
    case NodeType::VarString:
    case NodeType::DictionaryFloat:
      return 8 * ids.size();
    case NodeType::ClpString:
    case NodeType::UnstructuredArray:
      return 8 * words.size() + 8 + 8 * variables.size();
    default:
      return 8 * words.size();
  }
}

std::uint64_t BuiltTable::stored_size(bool log_order) const {
  std::uint64_t size = log_order ? 8 * records : 0;
  for (const BuiltColumn& column : columns) {
    size += column.stored_size();
  }
  return size;
}

Shapes::Known& Shapes::learn(Batch& batch) {
  Known& known = known_[batch.shape];
  if (batch.fresh_shape) {
    known = {};
  }
  std::move(batch.new_nodes.begin(), batch.new_nodes.end(), std::back_inserter(known.nodes));
  std::move(batch.new_tables.begin(), batch.new_tables.end(), std::back_inserter(known.tables));
  batch.new_nodes.clear();
  batch.new_tables.clear();
  batch.fresh_shape = false;
  known.node_ids.resize(known.nodes.size(), kNoNode);
  known.targets.resize(known.tables.size());
  return known;
}

void Shapes::forget_archive() {
  for (auto& [id, known] : known_) {
    std::fill(known.node_ids.begin(), known.node_ids.end(), kNoNode);
    std::fill(known.targets.begin(), known.targets.end(), Known::Target{});
  }
}

ArchiveBuilder::ArchiveBuilder(const Rules& rules, Shapes& shapes)
    : rules_(rules), shapes_(shapes) {
  shapes_.forget_archive();
  if (!rules.time_key.empty()) {
    archive_.patterns = TimePatterns::start(rules.version);
  }
  if (rules.log_order) {
    const NodeId root = node(kNoNode, NodeType::Metadata, {});
    node(root, rules.plain_log_index() ? NodeType::Integer : NodeType::DeltaInteger,
         "log_event_idx");
  }
}

bool ArchiveBuilder::has_room_for(const Batch& batch) const {
  std::size_t nodes = kUsualNodes;
  for (const TableValues& table : batch.tables) {
    nodes += table.columns.size();
  }
  // Objects without columns of their own are as many as their keys at most.
  nodes = 2 * nodes + batch.new_nodes.size();
  return archive_.nodes.size() + nodes < kMostNodes &&
         archive_.log_types.size() + batch.log_types.size() + kUsualNodes < kMostLogTypes &&
         archive_.array_types.size() + batch.array_types.size() + kUsualNodes < kMostLogTypes &&
         archive_.variables.size() + batch.variables.size() + kUsualNodes < kMostVariables;
}

void ArchiveBuilder::begin_input(std::string name, std::uint64_t split,
                                 std::vector<std::pair<std::string, std::string>> properties) {
  end_input();
  archive_.inputs.push_back(
      {std::move(name), split, archive_.records, archive_.records, std::move(properties)});
}

NodeId ArchiveBuilder::node(NodeId parent, NodeType type, std::string_view key) {
  const auto [entry, made] = node_ids_.try_emplace(NodeKey{parent, type, std::string(key)},
                                                   static_cast<NodeId>(archive_.nodes.size()));
  if (!made) {
    return entry->second;
  }
  std::uint32_t steps = kNoTime;
  if (parent == kNoNode) {
    const bool generated = key == "@";
    if (type == NodeType::Object && !rules_.time_key.empty() &&
        rules_.time_generated == generated) {
      steps = 0;
    }
  } else if (archive_.nodes[static_cast<std::size_t>(parent)].type == NodeType::Object) {
    const std::uint32_t before = time_steps_[static_cast<std::size_t>(parent)];
    if (before < rules_.time_key.size() && rules_.time_key[before] == key) {
      steps = before + 1;
    }
  }
  time_steps_.push_back(steps);
  archive_.nodes.push_back({parent, type, std::string(key)});
  return entry->second;
}

NodeId ArchiveBuilder::node_of(Shapes::Known& shape, std::int32_t local) {
  NodeId& id = shape.node_ids[static_cast<std::size_t>(local)];
  if (id == kNoNode) {
    const Batch::NewNode& from = shape.nodes[static_cast<std::size_t>(local)];
    const NodeId parent = from.parent < 0 ? kNoNode : node_of(shape, from.parent);
    id = node(parent, from.type, from.key);
  }
  return id;
}

// The nodes of a table, with the columns of the batch that hold their values.
struct ArchiveBuilder::TableNodes {
  static constexpr std::uint32_t kNoColumn = 0xFFFFFFFF;
  struct Leaf {
    NodeId node;
    std::uint32_t column;
  };
  std::vector<Leaf> ordered;                     // outside of structured arrays
  std::vector<std::int32_t> unordered;           // within them, with tags
  std::vector<std::uint32_t> unordered_columns;  // of those that have values
  std::uint32_t columns = 0;                     // in all
};

Result<ArchiveBuilder::TableNodes> ArchiveBuilder::nodes_of(Shapes::Known& shape,
                                                            std::uint32_t local) {
  const Shape::TableDefinition& definition = shape.tables[local];
  TableNodes nodes;
  std::vector<std::size_t> open;  // places of tags
  for (std::size_t i = 0; i < definition.tokens.size(); ++i) {
    const Token token = definition.tokens[i];
    if (token.is(Step::EndArray) || token.is(Step::EndObject)) {
      const std::size_t length = nodes.unordered.size() - open.back() - 1;
      if (length > kMostTagged) {
        return fail(
            ErrorCode::LimitExceeded,
            fmt::format("an array of {} values is too long for a structured array", length));
      }
      nodes.unordered[open.back()] =
          tag(token.is(Step::EndArray) ? NodeType::StructuredArray : NodeType::Object, length);
      open.pop_back();
      continue;
    }
    const NodeId id = node_of(shape, definition.nodes[i]);
    if (token.is(Step::BeginArray) || token.is(Step::BeginObject)) {
      open.push_back(nodes.unordered.size());
      nodes.unordered.push_back(0);
      continue;
    }
    const std::uint32_t own =
        has_values(token) ? definition.columns[nodes.columns++] : TableNodes::kNoColumn;
    if (open.empty() && token.type() != NodeType::StructuredArray) {
      nodes.ordered.push_back({id, own});
      continue;
    }
    nodes.unordered.push_back(id);
    if (own != TableNodes::kNoColumn) {
      nodes.unordered_columns.push_back(own);
    }
  }
  return nodes;
}

// The number of the table with these entries, of which the first `ordered` are no part of
// structured arrays, and so many columns.
std::size_t ArchiveBuilder::table_of(std::vector<std::int32_t> entries, std::size_t ordered,
                                     std::uint32_t columns) {
  std::string key(sizeof ordered + entries.size() * sizeof(std::int32_t), '\0');
  std::memcpy(key.data(), &ordered, sizeof ordered);
  if (!entries.empty()) {
    std::memcpy(key.data() + sizeof ordered, entries.data(), entries.size() * sizeof(std::int32_t));
  }
  const auto [entry, made] = tables_.try_emplace(std::move(key), archive_.tables.size());
  if (made) {
    BuiltTable& table = archive_.tables.emplace_back();
    table.columns.resize(columns);
    std::uint32_t next = 0;
    for (std::size_t i = rules_.log_order ? 1 : 0; i < entries.size(); ++i) {
      if (i >= ordered && is_tag(entries[i])) {
        continue;
      }
      const NodeType type = archive_.nodes[static_cast<std::size_t>(entries[i])].type;
      if (has_column(type)) {
        table.columns[next].node = entries[i];
        table.columns[next++].type = type;
      }
    }
    table.entries = std::move(entries);
    table.ordered = ordered;
  }
  return entry->second;
}

Status ArchiveBuilder::find_table(Shapes::Known& shape, std::uint32_t local) {
  Shapes::Known::Target& target = shape.targets[local];
  if (target.table >= 0) {
    return {};
  }
  FONDS_TRY(TableNodes nodes, nodes_of(shape, local));
  if (archive_.nodes.size() > kMostNodes) {
    return fail(ErrorCode::LimitExceeded, "one archive cannot hold the keys of these events");
  }
  std::sort(nodes.ordered.begin(), nodes.ordered.end(),
            [](const auto& a, const auto& b) { return a.node < b.node; });
  std::vector<std::int32_t> entries;
  if (rules_.log_order) {
    entries.push_back(1);
  }
  target.columns.resize(nodes.columns);
  std::uint32_t stored = 0;
  for (const TableNodes::Leaf& leaf : nodes.ordered) {
    entries.push_back(leaf.node);
    if (leaf.column != TableNodes::kNoColumn) {
      target.columns[leaf.column] = stored++;
    }
  }
  const std::size_t ordered = entries.size();
  entries.insert(entries.end(), nodes.unordered.begin(), nodes.unordered.end());
  for (const std::uint32_t own : nodes.unordered_columns) {
    target.columns[own] = stored++;
  }
  target.table = static_cast<std::int64_t>(table_of(std::move(entries), ordered, stored));
  return {};
}

Status ArchiveBuilder::add(Batch& batch, std::uint64_t input_bytes, std::string_view text) {
  Shapes::Known& shape = shapes_.learn(batch);
  for (const TableValues& table : batch.tables) {
    if (shape.targets[table.table].table < 0) {
      for (const std::int32_t local : table.first_nodes) {
        if (local >= 0) {
          node_of(shape, local);
        }
      }
      FONDS_CHECK(find_table(shape, table.table));
    }
  }
  if (batch.patterns) {
    archive_.patterns->adopt(*batch.patterns);
  }
  const std::uint64_t dictionaries = archive_.variables.stored_size() +
                                     archive_.log_types.stored_size() +
                                     archive_.array_types.stored_size();
  Maps maps;
  maps.variables = translate(batch.variables, archive_.variables);
  maps.log_types = translate(batch.log_types, batch.log_type_variables, archive_.log_types,
                             archive_.log_type_variables);
  maps.array_types = translate(batch.array_types, batch.array_type_variables, archive_.array_types,
                               archive_.array_type_variables);
  encoded_ += archive_.variables.stored_size() + archive_.log_types.stored_size() +
              archive_.array_types.stored_size() - dictionaries;
  for (const TableValues& values : batch.tables) {
    const Shapes::Known::Target& target = shape.targets[values.table];
    BuiltTable& table = archive_.tables[static_cast<std::size_t>(target.table)];
    table.records += values.events.size();
    if (rules_.log_order) {
      for (const std::uint32_t event : values.events) {
        table.log_index.push(archive_.records + event);
      }
      encoded_ += 8 * values.events.size();
    }
    for (std::size_t i = 0; i < values.columns.size(); ++i) {
      BuiltColumn& column = table.columns[target.columns[i]];
      const std::uint64_t before = column.stored_size();
      append(column, values.columns[i], maps);
      encoded_ += column.stored_size() - before;
    }
    if (rules_.exact) {
      add_forms(batch, values, target.columns, table);
    }
  }
  if (rules_.exact) {
    add_gaps(batch, text);
  }
  archive_.records += batch.events;
  archive_.input_bytes += input_bytes;
  if (!archive_.inputs.empty()) {
    archive_.inputs.back().end = archive_.records;
  }
  return {};
}

void ArchiveBuilder::add_forms(const Batch& batch, const TableValues& values,
                               const std::vector<std::uint32_t>& columns, BuiltTable& table) {
  std::unordered_map<std::uint32_t, std::uint32_t> known = {{0, 0}};
  std::uint32_t last = 0, translated = 0;
  const std::size_t runs = table.forms.runs().size();
  for (const std::uint32_t form : values.forms) {
    if (form != last) {
      const auto [entry, made] = known.try_emplace(form, 0);
      if (made) {
        entry->second = archive_.forms.add(translate_form(batch.forms[form - 1], columns,
                                                          rules_.log_order ? 1 : 0)) +
                        1;
      }
      last = form;
      translated = entry->second;
    }
    table.forms.add(translated);
  }
  table.forms.own += values.own;
  constexpr std::uint64_t kRun = 6;  // octets, about
  own_ += values.own.size() + kRun * (table.forms.runs().size() - runs);
}

// What lies between the events of a piece. Those that have no text are lines.
void ArchiveBuilder::add_gaps(const Batch& batch, std::string_view text) {
  std::size_t at = 0;
  for (const auto& [begin, end] : batch.spans) {
    if (text.empty()) {
      archive_.gaps.event({});
      archive_.gaps.append("\n");
      continue;
    }
    archive_.gaps.event(text.substr(at, begin - at));
    at = end;
  }
  archive_.gaps.append(text.substr(std::min(at, text.size())));
}

void ArchiveBuilder::append(BuiltColumn& column, const ColumnValues& values, const Maps& maps) {
  note_times(column, values);
  switch (column.type) {
    case NodeType::Boolean:
      for (const std::uint64_t word : values.words) {
        column.small.push(static_cast<std::uint16_t>(word));
      }
      return;
    case NodeType::VarString:
    case NodeType::DictionaryFloat:
      for (const std::uint32_t id : values.ids) {
        column.ids.push(maps.variables[id]);
      }
      return;
    case NodeType::ClpString:
      append_split(column, values, maps.log_types, archive_.log_type_variables, maps);
      return;
    case NodeType::UnstructuredArray:
      append_split(column, values, maps.array_types, archive_.array_type_variables, maps);
      return;
    case NodeType::Timestamp:
    case NodeType::DateString:
      column.ids.append(values.ids);
      break;
    case NodeType::FormattedFloat:
      column.small.append(values.formats);
      break;
    default:
      break;
  }
  column.words.append(values.words);
}

void ArchiveBuilder::append_split(BuiltColumn& column, const ColumnValues& values,
                                  const std::vector<std::uint32_t>& types,
                                  const std::vector<std::uint32_t>& counts, const Maps& maps) {
  std::vector<std::uint64_t> variables = values.variables;
  for (const std::uint32_t at : values.dictionary_variables) {
    const std::uint64_t id = maps.variables[variables[at]];
    variables[at] = rules_.generation() == Generation::New
                        ? id
                        : static_cast<std::uint64_t>(old_dictionary_variable(id));
  }
  std::span<const std::uint64_t> left = variables;
  for (const std::uint32_t local : values.ids) {
    const std::uint32_t type = types[local];
    const std::uint64_t place = column.shared.place(left.first(counts[type]), column.variables);
    left = left.subspan(counts[type]);
    column.words.push(place << kLogTypeBits | type);
  }
}

void ArchiveBuilder::note_times(const BuiltColumn& column, const ColumnValues& values) {
  if (rules_.time_key.empty() ||
      time_steps_[static_cast<std::size_t>(column.node)] != rules_.time_key.size()) {
    return;
  }
  const bool real = column.type == NodeType::Float || column.type == NodeType::FormattedFloat;
  const bool whole = column.type == NodeType::Integer || column.type == NodeType::Timestamp ||
                     column.type == NodeType::DateString;
  if (!real && !whole) {
    return;
  }
  TimeRangeMade& range = archive_.times[column.node];
  range.node = column.node;
  range.type = column.type;
  for (const std::uint64_t word : values.words) {
    if (real) {
      range.add_real(std::bit_cast<double>(word));
    } else {
      range.add(static_cast<std::int64_t>(word));
    }
  }
}

std::uint64_t ArchiveBuilder::held() const {
  return encoded_ + exact_size() + archive_.variables.held() + archive_.log_types.held() +
         archive_.array_types.held();
}

}  // namespace fonds::clps::writing
