// One archive while it grows: batches in the order of the input become its tree, schemas, tables
// and dictionaries.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/formats/clps.hpp>

#include "format/clps/writing/batch.hpp"
#include "format/clps/writing/exact_forms.hpp"
#include "format/clps/writing/pile.hpp"
#include "format/clps/writing/string_table.hpp"
#include "format/clps/writing/times.hpp"

namespace fonds::clps::writing {

// Where the variables of strings lie in a column's list of them. A string that has the variables of
// one that came lately refers to those: readers take any place, and equal cells compress well.
class SharedRuns {
 public:
  // The place of these variables in `all`, to which they are added unless they are found.
  std::uint64_t place(std::span<const std::uint64_t> run, Pile<std::uint64_t>& all);

 private:
  struct Run {
    std::uint64_t place = 0, length = 0;
  };
  std::vector<Run> places_;  // by hash; grows with the column
  std::uint64_t runs_ = 0;
};

// The values of one column of a table, with the ids of the archive.
struct BuiltColumn {
  NodeId node = kNoNode;
  NodeType type = NodeType::Integer;
  Pile<std::uint64_t> words;
  Pile<std::uint16_t> small;  // FormattedFloat: formats; Boolean: values
  Pile<std::uint32_t> ids;    // strings, patterns
  // Of strings that are split; their words are cells.
  Pile<std::uint64_t> variables;
  SharedRuns shared;

  std::uint64_t stored_size() const;
};

struct BuiltTable {
  std::vector<std::int32_t> entries;  // of the schema
  std::size_t ordered = 0;            // how many of them are in the ordered region
  std::vector<BuiltColumn> columns;   // in the order in which they are stored
  Pile<std::uint64_t> log_index;      // with a log order; the first column
  TableForms forms;                   // if exact
  std::uint64_t records = 0;

  std::uint64_t stored_size(bool log_order) const;
};

struct BuiltNode {
  NodeId parent = kNoNode;
  NodeType type = NodeType::Object;
  std::string key;
};

// Records that came from one input.
struct BuiltInput {
  std::string name;
  std::uint64_t split = 0;
  std::uint64_t begin = 0, end = 0;
  std::vector<std::pair<std::string, std::string>> properties;  // JSON texts
};

// What an archive consists of, before it is stored.
struct BuiltArchive {
  std::vector<BuiltNode> nodes;
  std::vector<BuiltTable> tables;  // a schema each; its id is its place
  StringTable variables, log_types, array_types;
  std::vector<std::uint32_t> log_type_variables, array_type_variables;  // each one's number
  std::optional<TimePatterns> patterns;
  std::map<NodeId, TimeRangeMade> times;
  std::vector<BuiltInput> inputs;
  StringTable forms;  // if exact, and
  Gaps gaps;
  std::uint64_t records = 0;
  std::uint64_t input_bytes = 0;
};

// What the merging stage knows of the workers' shapes. Lives longer than an archive.
class Shapes {
 public:
  struct Known {
    std::vector<Batch::NewNode> nodes;
    std::vector<Shape::TableDefinition> tables;
    // In the archive that is being built; -1: not yet.
    std::vector<NodeId> node_ids;
    struct Target {
      std::int64_t table = -1;
      std::vector<std::uint32_t> columns;  // of each local column its place
    };
    std::vector<Target> targets;
  };
  Known& learn(Batch& batch);
  void forget_archive();  // a new one begins

 private:
  std::map<std::uint32_t, Known> known_;
};

class ArchiveBuilder {
 public:
  ArchiveBuilder(const Rules& rules, Shapes& shapes);

  // Whether the format's limits leave room for all that a batch may bring.
  bool has_room_for(const Batch& batch) const;
  void begin_input(std::string name, std::uint64_t split,
                   std::vector<std::pair<std::string, std::string>> properties);
  // Text of the input that lies behind the last event, if exact.
  void add_gap(std::string_view text) { archive_.gaps.append(text); }
  // `text`: of the piece; empty if it has none. Errors: LimitExceeded for an event that no archive
  // can hold.
  Status add(Batch& batch, std::uint64_t input_bytes, std::string_view text = {});

  void add_input_bytes(std::uint64_t n) { archive_.input_bytes += n; }

  // What the original counts towards its target size.
  std::uint64_t encoded_size() const { return encoded_; }
  std::uint64_t held() const;
  // Of what is kept to give back the original bytes.
  std::uint64_t exact_size() const {
    return archive_.forms.stored_size() + own_ + archive_.gaps.held();
  }
  const TimePatterns* patterns() const { return archive_.patterns ? &*archive_.patterns : nullptr; }
  const BuiltArchive& archive() const { return archive_; }
  BuiltArchive take() {
    end_input();
    for (StringTable* const table :
         {&archive_.variables, &archive_.log_types, &archive_.array_types, &archive_.forms}) {
      table->rest();  // storing takes memory of its own
    }
    return std::move(archive_);
  }

 private:
  struct NodeKey {
    NodeId parent;
    NodeType type;
    std::string key;
    bool operator==(const NodeKey&) const = default;
  };
  struct NodeKeyHash {
    std::size_t operator()(const NodeKey& key) const {
      return hash_of(key.key, static_cast<std::uint64_t>(key.parent) << 8 |
                                  static_cast<std::uint64_t>(key.type));
    }
  };
  struct Maps {
    std::vector<std::uint32_t> variables, log_types, array_types;
  };

  NodeId node(NodeId parent, NodeType type, std::string_view key);
  NodeId node_of(Shapes::Known& shape, std::int32_t local);
  struct TableNodes;
  Result<TableNodes> nodes_of(Shapes::Known& shape, std::uint32_t local);
  std::size_t table_of(std::vector<std::int32_t> entries, std::size_t ordered,
                       std::uint32_t columns);
  Status find_table(Shapes::Known& shape, std::uint32_t local);
  void append(BuiltColumn& column, const ColumnValues& values, const Maps& maps);
  void append_split(BuiltColumn& column, const ColumnValues& values,
                    const std::vector<std::uint32_t>& types,
                    const std::vector<std::uint32_t>& counts, const Maps& maps);
  void note_times(const BuiltColumn& column, const ColumnValues& values);
  void add_forms(const Batch& batch, const TableValues& values,
                 const std::vector<std::uint32_t>& columns, BuiltTable& table);
  void add_gaps(const Batch& batch, std::string_view text);
  void end_input() {
    if (rules_.exact && !archive_.inputs.empty()) {
      archive_.gaps.end_input();
    }
  }

  const Rules& rules_;
  Shapes& shapes_;
  BuiltArchive archive_;
  std::unordered_map<NodeKey, NodeId, NodeKeyHash> node_ids_;
  std::vector<std::uint32_t>
      time_steps_;  // of each node: how much of the timestamp key leads there
  std::unordered_map<std::string, std::size_t> tables_;
  std::uint64_t encoded_ = 0;
  std::uint64_t own_ = 0;  // texts of events, and what tells of their forms
};

}  // namespace fonds::clps::writing
