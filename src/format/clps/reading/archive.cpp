// An opened archive: its sections at once, its dictionaries and streams when they are asked for.
#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include <fmt/core.h>

#include <fonds/formats/clps.hpp>

#include "base/bytes.hpp"
#include "base/error_copy.hpp"
#include "base/guarded.hpp"
#include "format/clps/reading/container.hpp"
#include "format/clps/reading/plain.hpp"
#include "format/clps/reading/sections.hpp"
#include "format/clps/searching/search_data.hpp"
#include "io/will_read.hpp"

namespace fonds::clps {
namespace {

struct LoadedDictionary {
  std::once_flag once;
  std::atomic<bool> begun = false;
  Dictionary dictionary;
  std::optional<Error> error;
};

// What `verify` calls damage of a section that must be read to read anything.
std::string_view rule_of(Member section, ErrorCode code) {
  if (code == ErrorCode::LimitExceeded) {
    return "limit-exceeded";
  }
  if (section == Member::SchemaTree) {
    return "clps-schema-tree";
  }
  return section == Member::SchemaIds ? "clps-schemas" : "clps-table-metadata";
}

// The value-carrying entries of a schema, in the order of their columns.
std::vector<NodeId> columns_of(const SchemaTree& tree, const Schema& schema) {
  std::vector<NodeId> nodes;
  if (!schema.fault.empty()) {
    return nodes;
  }
  NodeId before = kNoNode;
  for (const std::int32_t entry : schema.ordered) {
    if (has_column(tree[entry].type) && entry != before) {
      nodes.push_back(entry);
    }
    before = entry;
  }
  for (const std::int32_t entry : schema.unordered) {
    if (!is_tag(entry) && has_column(tree[entry].type)) {
      nodes.push_back(entry);
    }
  }
  return nodes;
}

}  // namespace

struct Archive::State {
  std::shared_ptr<ByteSource> source;
  ArchiveOptions options;
  Budget budget{0};
  std::mutex finding_mutex, spare_mutex;
  PlainBytes spare;  // guarded by spare_mutex
  std::optional<Container> container;
  SchemaTree tree;
  ParsedSchemas schemas;
  ParsedTables tables;
  std::vector<std::vector<NodeId>> columns;  // of each schema
  BudgetShare held;                          // of all of these
  std::unique_ptr<const SearchData> search;  // null: there is none
  std::array<LoadedDictionary, kMembers> dictionaries;

  State(std::shared_ptr<ByteSource> from, ArchiveOptions with)
      : source(std::move(from)), options(std::move(with)), budget(options.read.memory_budget) {}

  // The memory of a stream that is done serves the next one: fresh pages cost the system more time
  // than what is written to them.
  PlainBytes take_spare() {
    const std::lock_guard lock(spare_mutex);
    return std::move(spare);
  }
  void keep_spare(PlainBytes memory) {
    const std::lock_guard lock(spare_mutex);
    if (!memory.in_file() && memory.capacity() > spare.capacity()) {
      spare = std::move(memory);
    }
  }

  void tell(Finding finding) {
    if (options.on_finding) {
      const std::lock_guard lock(finding_mutex);
      if (finding.where.source.empty()) {
        finding.where.source = source->name();
      }
      options.on_finding(finding);
    }
  }

  // A member's decompressed bytes, all of them. Errors: Corrupt at damage.
  Result<PlainBytes> plain_member(Member member) {
    FONDS_TRY(const Stored stored, container->read(member));
    const std::uint64_t begin = container->range(member).offset;
    const auto wrong = [&](ErrorCode code, std::string_view what, std::uint64_t at) {
      return tl::unexpected(Error(code, fmt::format("{}: {}", to_string(member), what),
                                  {.source = source->name(), .stored_offset = begin + at})
                                .as(rule_of(member, code)));
    };
    const std::uint64_t most = budget.left();
    Inflater inflater(stored.view, most, options.read.max_window, budget);
    if (auto status = inflater.ensure(most); !status) {
      return wrong(status.error().code(), status.error().message(), 0);
    }
    if (const InflateDamage* const damage = inflater.damage()) {
      return wrong(damage->too_much ? ErrorCode::LimitExceeded : ErrorCode::Corrupt, damage->what,
                   damage->at);
    }
    PlainBytes plain = inflater.take();
    plain.shrink();
    return plain;
  }

  void tell_extra(Member member, std::uint64_t extra) {
    if (extra > 0) {
      tell(make_finding("clps-extra-bytes",
                        fmt::format("{}: {} bytes follow what it counts", to_string(member), extra),
                        {.stored_offset = container->range(member).offset}));
    }
  }

  // Errors get the member's place.
  template <typename T>
  Result<T> placed(Member member, Result<T> parsed) {
    if (!parsed) {
      return tl::unexpected(
          std::move(parsed.error())
              .with({.source = source->name(), .stored_offset = container->range(member).offset})
              .as(rule_of(member, parsed.error().code())));
    }
    return parsed;
  }

  Status read_sections() {
    held = BudgetShare(budget);
    container->will_read_front();
    FONDS_TRY(PlainBytes tree_bytes, plain_member(Member::SchemaTree));
    const auto keys = std::make_shared<const PlainBytes>(std::move(tree_bytes));
    FONDS_TRY(ParsedTree parsed,
              placed(Member::SchemaTree, parse_schema_tree(keys->view(), keys, budget.left())));
    tell_extra(Member::SchemaTree, parsed.extra);
    tree = std::move(parsed.tree);
    FONDS_TRY(const PlainBytes schema_bytes, plain_member(Member::SchemaIds));
    FONDS_TRY(schemas,
              placed(Member::SchemaIds, parse_schemas(schema_bytes.view(), tree, budget.left())));
    tell_extra(Member::SchemaIds, schemas.extra);
    FONDS_TRY(const PlainBytes table_bytes, plain_member(Member::TableMetadata));
    FONDS_TRY(tables, placed(Member::TableMetadata,
                             parse_tables(table_bytes.view(), schemas.schemas,
                                          container->range(Member::Tables).length, budget.left())));
    tell_extra(Member::TableMetadata, tables.extra);
    for (const Schema& schema : schemas.schemas) {
      columns.push_back(columns_of(tree, schema));
    }
    const std::uint64_t bytes = tree.nodes().size() * (sizeof(Node) + 16) +
                                schemas.entries.size() * 12 + schemas.schemas.size() * 160 +
                                tables.tables.size() * (sizeof(TableInfo) + 64) +
                                tables.streams.size() * sizeof(StreamInfo);
    if (!held.resize(bytes)) {
      return tl::unexpected(
          Error(ErrorCode::LimitExceeded,
                fmt::format("tree, schemas and tables take {} bytes, more than the memory limit",
                            bytes),
                {.source = source->name()})
              .as("limit-exceeded"));
    }
    tell_faults();
    return read_search_data();
  }

  Status read_search_data() {
    std::vector<SearchPacket> packets = container->take_search();
    if (packets.empty()) {
      return {};
    }
    const auto types = [this](std::size_t table) -> std::optional<std::vector<NodeType>> {
      const TableInfo& info = tables.tables[table];
      if (!info.fault.empty() || info.schema >= columns.size()) {
        return std::nullopt;
      }
      std::vector<NodeType> found;
      for (const NodeId node : columns[info.schema]) {
        found.push_back(tree[node].type);
      }
      return found;
    };
    FONDS_TRY(search, SearchData::read(std::move(packets), tables.tables.size(), types, budget));
    return {};
  }

  void tell_faults() {
    constexpr std::uint64_t kTold = 64;
    const auto tell_table = [this](std::string message, Member member) {
      tell(make_finding("clps-table", std::move(message),
                        {.stored_offset = container->range(member).offset}));
    };
    std::uint64_t faults = 0;
    for (std::size_t i = 0; i < tables.tables.size(); ++i) {
      const TableInfo& table = tables.tables[i];
      if (!table.fault.empty() && ++faults <= kTold) {
        const bool by_schema =
            table.schema < schemas.schemas.size() && !schemas.schemas[table.schema].fault.empty();
        tell_table(
            fmt::format("table {}: {}; its {} records are lost", i, table.fault, table.records),
            by_schema ? Member::SchemaIds : Member::TableMetadata);
      }
    }
    if (faults > kTold) {
      tell_table(fmt::format("{} tables are damaged in all", faults), Member::TableMetadata);
    }
  }
};

struct Stream::State {
  Stored stored;
  std::optional<Inflater> inflater;
  StreamInfo info;
  std::uint64_t stored_at = 0;  // where it begins in the archive
  std::shared_ptr<Archive::State> archive;
  bool told = false;
  std::set<std::uint64_t> summed;  // places
};

Stream::Stream() : state_(std::make_unique<State>()) {}
Stream::~Stream() {
  if (state_->archive != nullptr && state_->inflater) {
    state_->archive->keep_spare(state_->inflater->take());
  }
}

Result<bool> Stream::ensure(std::uint64_t n) {
  State& state = *state_;
  if (n <= bytes_.size()) {
    return true;
  }
  auto status = state.inflater->ensure(std::min(n, state.info.plain));
  if (!status) {
    return fail(status.error().code(),
                fmt::format("/0: stream {}: {}", index_, status.error().message()),
                {.source = state.archive->source->name(), .stored_offset = state.stored_at});
  }
  bytes_ = state.inflater->plain().view();
  if (state.inflater->over()) {
    state.archive->source->forget({state.stored_at, state.info.stored});
  }
  const InflateDamage* const damage = state.inflater->damage();
  const bool cut = bytes_.size() < n && damage == nullptr;
  if ((damage != nullptr || cut) && !std::exchange(state.told, true)) {
    state.archive->tell(make_finding(
        "clps-stream",
        fmt::format("/0: stream {}: {}", index_,
                    damage != nullptr ? damage->what
                                      : fmt::format("{} bytes come out, it should be {}",
                                                    bytes_.size(), state.info.plain)),
        {.stored_offset = state.stored_at + (damage != nullptr ? damage->at : 0)}));
  }
  return n <= bytes_.size();
}

std::uint64_t Stream::stored_left() const {
  const Inflater& inflater = *state_->inflater;
  return inflater.damage() != nullptr ? 0 : state_->stored.view.size() - inflater.taken();
}

void Stream::sum_up(std::uint64_t at, std::uint64_t count) {
  if (!state_->summed.insert(at).second) {
    return;
  }
  std::byte* to = state_->inflater->writable() + at;
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i, to += 8) {
    sum += load_le64({to, 8});
    store_le64(sum, to);
  }
}

Archive::Archive(std::shared_ptr<State> state) : state_(std::move(state)) {}
Archive::~Archive() = default;

Result<std::shared_ptr<Archive>> Archive::open(std::shared_ptr<ByteSource> source,
                                               ArchiveOptions options) {
  return guarded([&]() -> Result<std::shared_ptr<Archive>> {
    auto state = std::make_shared<State>(std::move(source), std::move(options));
    FONDS_TRY(state->container,
              Container::open(*state->source, state->budget, state->options.read.max_window,
                              [&state](Finding finding) { state->tell(std::move(finding)); }));
    FONDS_CHECK(state->read_sections());
    return std::shared_ptr<Archive>(new Archive(std::move(state)));
  });
}

const Header& Archive::header() const { return state_->container->header(); }
const Metadata& Archive::metadata() const { return state_->container->metadata(); }
const SchemaTree& Archive::tree() const { return state_->tree; }
std::span<const Schema> Archive::schemas() const { return state_->schemas.schemas; }
std::span<const StreamInfo> Archive::streams() const { return state_->tables.streams; }
std::span<const TableInfo> Archive::tables() const { return state_->tables.tables; }
const SearchData* Archive::search_data() const { return state_->search.get(); }
const std::string& Archive::name() const { return state_->source->name(); }
ByteRange Archive::member_range(Member member) const { return state_->container->range(member); }
Budget& Archive::budget() const { return state_->budget; }
const ArchiveOptions& Archive::options() const { return state_->options; }
std::span<const NodeId> Archive::column_nodes(std::size_t schema) const {
  return state_->columns[schema];
}

std::uint64_t Archive::records() const {
  std::uint64_t sum = 0;
  for (const TableInfo& table : tables()) {
    sum += std::min(table.records, std::numeric_limits<std::uint64_t>::max() - sum);
  }
  return sum;
}

Location Archive::place_of(std::size_t table) const {
  const std::uint64_t stream = tables()[table].stream;
  const std::uint64_t offset =
      stream < streams().size() ? streams()[static_cast<std::size_t>(stream)].offset : 0;
  return {.source = name(), .stored_offset = member_range(Member::Tables).offset + offset};
}

void Archive::tell(Finding finding) const { state_->tell(std::move(finding)); }

Result<const Dictionary*> Archive::dictionary(Member member) const {
  LoadedDictionary& loaded = state_->dictionaries[static_cast<std::size_t>(member)];
  std::call_once(loaded.once, [&] {
    loaded.begun.store(true);
    static_cast<void>(state_->take_spare());  // its room is needed now
    auto read = guarded([&]() -> Result<Dictionary> {
      FONDS_TRY(const Stored stored, state_->container->read(member));
      const std::uint64_t begin = member_range(member).offset;
      return Dictionary::read(stored.view, member, state_->options.read.max_window, state_->budget,
                              [&](Finding finding) {
                                finding.where.stored_offset =
                                    begin + finding.where.stored_offset.value_or(0);
                                state_->tell(std::move(finding));
                              });
    });
    state_->source->forget(member_range(member));
    if (read) {
      loaded.dictionary = std::move(*read);
    } else {
      loaded.error = std::move(read.error())
                         .with({.source = name(), .stored_offset = member_range(member).offset});
    }
  });
  if (loaded.error) {
    return tl::unexpected<Error>(copy_of(*loaded.error));
  }
  return &loaded.dictionary;
}

bool Archive::reads_are_round_trips() const {
  return state_->source->random_access() && !state_->source->view();
}

void Archive::will_read_dictionary(Member member) const {
  if (!state_->dictionaries[static_cast<std::size_t>(member)].begun.load()) {
    fonds::will_read(*state_->source, member_range(member));
  }
}

void Archive::will_read_stream(std::size_t index) const {
  const StreamInfo& info = streams()[index];
  fonds::will_read(*state_->source,
                   {member_range(Member::Tables).offset + info.offset, info.stored});
}

Result<std::shared_ptr<Stream>> Archive::open_stream(std::size_t index, bool in_file) const {
  return guarded([&]() -> Result<std::shared_ptr<Stream>> {
    const StreamInfo& info = streams()[index];
    const std::shared_ptr<Stream> stream(new Stream);
    Stream::State& state = *stream->state_;
    stream->index_ = index;
    state.info = info;
    state.archive = state_;
    state.stored_at = member_range(Member::Tables).offset + info.offset;
    FONDS_TRY(state.stored, state_->container->read(Member::Tables, info.offset, info.stored));
    state.inflater.emplace(state.stored.view, info.plain, state_->options.read.max_window,
                           state_->budget, in_file);
    if (!in_file) {
      state.inflater->reuse(state_->take_spare());
    }
    return stream;
  });
}

namespace {

// Finds columns one behind the other.
class ColumnWalk {
 public:
  ColumnWalk(Stream& stream, std::uint64_t begin, std::uint64_t length, std::uint64_t records)
      : stream_(stream), at_(begin), end_(begin + length), records_(records) {}

  // The next array of so many octets a record. False: it does not fit.
  Result<bool> array(std::uint64_t width, ByteView& out) { return bytes(records_, width, out); }

  Result<bool> differences(ByteView& out) {
    const std::uint64_t begin = at_;
    FONDS_TRY(const bool there, bytes(records_, 8, out));
    if (there) {
      stream_.sum_up(begin, records_);
    }
    return there;
  }

  Result<bool> counted(ByteView& out) {
    ByteView count;
    FONDS_TRY(const bool there, bytes(1, 8, count));
    if (!there) {
      return false;
    }
    return bytes(load_le64(count), 8, out);
  }

  std::uint64_t left() const { return end_ - at_; }

 private:
  Result<bool> bytes(std::uint64_t count, std::uint64_t width, ByteView& out) {
    if (count > left() / width) {
      return false;
    }
    FONDS_TRY(const bool there, stream_.ensure(at_ + count * width));
    if (!there) {
      return false;
    }
    out = stream_.bytes().subspan(static_cast<std::size_t>(at_),
                                  static_cast<std::size_t>(count * width));
    at_ += count * width;
    return true;
  }

  Stream& stream_;
  std::uint64_t at_, end_;
  const std::uint64_t records_;
};

Result<bool> find_column(ColumnWalk& walk, Column& column) {
  const bool summed = column.type == NodeType::DeltaInteger || column.type == NodeType::Timestamp;
  FONDS_TRY(const bool first,
            summed ? walk.differences(column.values)
                   : walk.array(column.type == NodeType::Boolean ? 1 : 8, column.values));
  if (!first) {
    return false;
  }
  switch (column.type) {
    case NodeType::FormattedFloat:
      return walk.array(2, column.seconds);
    case NodeType::DateString:
    case NodeType::Timestamp:
      return walk.array(8, column.seconds);
    case NodeType::ClpString:
    case NodeType::UnstructuredArray:
      return walk.counted(column.variables);
    default:
      return true;
  }
}

}  // namespace

Result<Table> Archive::table(std::size_t index, std::shared_ptr<Stream> stream,
                             std::size_t columns) const {
  const TableInfo& info = tables()[index];
  const auto wrong = [&](std::string message) {
    return fail(ErrorCode::Corrupt, fmt::format("table {}: {}", index, std::move(message)),
                {.source = name(),
                 .stored_offset = member_range(Member::Tables).offset +
                                  (info.stream < streams().size()
                                       ? streams()[static_cast<std::size_t>(info.stream)].offset
                                       : 0),
                 .decoded_offset = info.offset});
  };
  if (!info.fault.empty()) {
    return wrong(info.fault);
  }
  Table table;
  table.index_ = index;
  table.records_ = info.records;
  const auto nodes = column_nodes(info.schema);
  if (nodes.empty() && info.records > kMaxEmptyRecords) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("table {} claims {} records without a column", index, info.records),
                {.source = name()});
  }
  ColumnWalk walk(*stream, info.offset, info.length, info.records);
  const std::size_t wanted = std::min(columns, nodes.size());
  table.columns_.reserve(wanted);
  for (std::size_t i = 0; i < wanted; ++i) {
    Column column;
    column.node = nodes[i];
    column.type = tree()[nodes[i]].type;
    column.records = info.records;
    FONDS_TRY(const bool found, find_column(walk, column));
    if (!found) {
      return wrong(fmt::format("column {} (node {}, {}) of {} records does not lie in its {} bytes",
                               i, nodes[i], to_string(column.type), info.records, info.length));
    }
    table.columns_.push_back(column);
  }
  if (wanted == nodes.size() && walk.left() > 0) {
    return wrong(fmt::format("{} of its {} bytes belong to no column", walk.left(), info.length));
  }
  table.stream_ = std::move(stream);
  return table;
}

const Column* Table::column(NodeId node) const {
  const auto found = std::find_if(columns_.begin(), columns_.end(),
                                  [node](const Column& column) { return column.node == node; });
  return found == columns_.end() ? nullptr : &*found;
}

}  // namespace fonds::clps
