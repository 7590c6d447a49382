// clp-s archives, versions 0.2.0 to 0.5.1: JSON logs taken apart into columns. The facts of the
// format are docs/formats/clp-s.md. Nothing here believes a count, offset or id that a file claims.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/query.hpp>
#include <fonds/reader.hpp>
#include <fonds/search.hpp>

namespace fonds::clps {

// The codes are those of the file.
enum class NodeType : std::uint8_t {
  Integer = 0,
  Float = 1,
  ClpString = 2,
  VarString = 3,
  Boolean = 4,
  Object = 5,
  UnstructuredArray = 6,
  NullValue = 7,
  DateString = 8,
  StructuredArray = 9,
  Metadata = 10,
  DeltaInteger = 11,
  FormattedFloat = 12,
  DictionaryFloat = 13,
  Timestamp = 14,
};
std::string_view to_string(NodeType type);
bool has_column(NodeType type);  // whether values of it are stored

struct Version {
  std::uint8_t major = 0, minor = 0;
  std::uint16_t patch = 0;
  friend auto operator<=>(const Version&, const Version&) = default;
  std::string to_string() const;  // "0.3.1"
};

struct Header {
  Version version;
  std::uint64_t uncompressed_size = 0;  // bytes of the input, as the writer says
  std::uint64_t compressed_size = 0;    // of the whole archive
  std::uint32_t metadata_size = 0;      // compressed
  bool reserved_used = false;           // fields that should be 0 are not
};

// The members of the files section, in their order.
enum class Member : std::uint8_t {
  SchemaTree,
  SchemaIds,
  TableMetadata,
  Variables,
  LogTypes,
  ArrayTypes,
  Tables,
};
inline constexpr std::size_t kMembers = 7;
std::string_view to_string(Member member);  // "/schema_tree", …, "/0"

using NodeId = std::int32_t;
inline constexpr NodeId kNoNode = -1;

// A node of the merged parse tree; its id is its place in the list. A parent comes before its
// children.
struct Node {
  NodeId parent = kNoNode;
  NodeType type = NodeType::Object;
  std::string_view key;  // unescaped; lives as long as the tree
};

// The schema tree with the roots of its namespaces looked up.
class SchemaTree {
 public:
  SchemaTree() = default;
  SchemaTree(std::vector<Node> nodes, std::shared_ptr<const void> keys);

  std::span<const Node> nodes() const { return nodes_; }
  const Node& operator[](NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  bool contains(NodeId id) const { return id >= 0 && static_cast<std::size_t>(id) < nodes_.size(); }
  NodeId user_root() const { return user_root_; }            // kNoNode if there is none, as below
  NodeId generated_root() const { return generated_root_; }  // of the namespace "@"
  NodeId log_order() const { return log_order_; }            // the node log_event_idx
  NodeId root_of(NodeId id) const;                           // the ancestor without a parent

 private:
  std::vector<Node> nodes_;
  std::shared_ptr<const void> keys_;
  NodeId user_root_ = kNoNode, generated_root_ = kNoNode, log_order_ = kNoNode;
};

// What the records of one table have in common: the leaves of their tree.
struct Schema {
  std::int32_t id = 0;
  // Ascending ids of the leaves outside of structured arrays.
  std::span<const std::int32_t> ordered;
  // Structured arrays one after the other: ids of nodes, and tags (is_tag).
  std::span<const std::int32_t> unordered;
  std::string fault = {};  // why its records cannot be read; empty: they can
};
inline bool is_tag(std::int32_t entry) { return (static_cast<std::uint32_t>(entry) >> 24) != 0; }
inline NodeType tag_type(std::int32_t entry) {
  return static_cast<NodeType>(static_cast<std::uint32_t>(entry) >> 24);
}
inline std::size_t tag_length(std::int32_t entry) {
  return static_cast<std::uint32_t>(entry) & 0xFFFFFF;
}

// A range of records that came from one input.
struct InputRange {
  std::uint64_t begin = 0, end = 0;  // of log_event_idx, the end excluded
  std::string file_name;             // `_filename`; empty if it says none
  std::string properties;            // all of them, a JSON object
};

// What the timestamp dictionary says of one column: a hint of the writer.
struct TimeRange {
  std::string key;  // as the query language writes it
  std::vector<NodeId> nodes;
  enum class Encoding : std::uint64_t {
    None = 0,
    Epoch = 1,
    DoubleEpoch = 2
  } encoding = Encoding::None;
  std::int64_t begin = 0, end = 0;      // Epoch; both included
  double begin_real = 0, end_real = 0;  // DoubleEpoch
};
struct StoredPattern {
  std::uint64_t id = 0;
  std::string pattern;
};

struct Metadata {
  std::vector<TimeRange> time_ranges;        // the first is the archive's timestamp column
  std::vector<StoredPattern> time_patterns;  // with unique ids
  std::vector<InputRange> inputs;            // ascending, disjoint
  bool has_inputs = false;                   // the packet is there
  std::uint64_t unknown_packets = 0;         // passed over
  // The packet of this library that gives back the original bytes; null: there is none.
  std::shared_ptr<const std::string> originals = {};
};

// Where the columns of the records of one schema lie.
struct TableInfo {
  std::uint64_t stream = 0;
  std::uint64_t offset = 0;  // in the decompressed stream
  std::uint64_t length = 0;  // up to the next table of the stream, or its end
  std::uint64_t records = 0;
  std::size_t schema = 0;  // place in Archive::schemas()
  std::string fault = {};  // why it cannot be read; empty: it can
};
struct StreamInfo {
  std::uint64_t offset = 0;  // in the member /0
  std::uint64_t stored = 0;  // up to the next one, or the member's end
  std::uint64_t plain = 0;   // bytes it decompresses to
  std::string fault = {};    // why it cannot be read; empty: it can
};

// Bytes held at once by one reader, over all its threads.
class Budget {
 public:
  explicit Budget(std::uint64_t limit) : limit_(limit) {}
  bool take(std::uint64_t n);
  void give(std::uint64_t n) { used_.fetch_sub(n, std::memory_order_relaxed); }
  std::uint64_t left() const;
  std::uint64_t limit() const { return limit_; }

 private:
  const std::uint64_t limit_;
  std::atomic<std::uint64_t> used_ = 0;
};

class PlainBytes;
class SearchData;

// A dictionary, decompressed: ids are places.
class Dictionary {
 public:
  Dictionary();
  ~Dictionary();
  Dictionary(Dictionary&&) noexcept;
  Dictionary& operator=(Dictionary&&) noexcept;

  std::size_t size() const { return size_; }
  // The entry with an id below size(); lives as long as the dictionary.
  std::string_view operator[](std::size_t id) const {
    const std::uint64_t begin = offsets_[id];
    return {text_ + begin, static_cast<std::size_t>(offsets_[id + 1] - begin - 8)};
  }
  // Has the processor fetch what operator[] needs.
  void prefetch_place(std::size_t id) const { __builtin_prefetch(&offsets_[id]); }
  // All entries in one piece: each is followed by the 8 octets of the next one's length. For
  // searching; what is found must be checked by entry_at().
  std::string_view buffer() const { return {text_, text_size_}; }
  // Octets that a text made of its entries may have: few bytes can ask for many.
  std::size_t longest_text() const { return longest_text_; }
  // The id of the entry that holds [at, at + length) of buffer(), if one holds all of it.
  std::optional<std::size_t> entry_at(std::size_t at, std::size_t length) const;

  // `stored`: the member. Entries behind damage are missing; `finding` is told, stored offsets
  // being those in the member. Errors: LimitExceeded.
  static Result<Dictionary> read(ByteView stored, Member member, std::uint64_t max_window,
                                 Budget& budget, const std::function<void(Finding)>& finding);

 private:
  std::unique_ptr<PlainBytes> plain_, places_;
  const char* text_ = nullptr;
  std::size_t text_size_ = 0, size_ = 0, longest_text_ = 0;
  // Where each entry begins in text_; one more than there are entries, 8 behind the last one's end.
  const std::uint64_t* offsets_ = nullptr;
};

// The values of one column of a table; lives as long as its Table.
struct Column {
  NodeId node = kNoNode;
  NodeType type = NodeType::Integer;
  std::uint64_t records = 0;
  // The first array: 8 octets a record, 1 for Boolean. Differences (DeltaInteger, Timestamp) are
  // summed up already: what stands here are the values themselves.
  ByteView values;
  ByteView seconds;    // the second one: formats of 2 octets, pattern ids of 8 octets
  ByteView variables;  // ClpString, UnstructuredArray: 8 octets each

  // Of a row below `records`.
  std::uint64_t word(std::uint64_t row) const { return load<std::uint64_t>(values, row); }
  std::uint64_t second_word(std::uint64_t row) const { return load<std::uint64_t>(seconds, row); }
  std::uint16_t format(std::uint64_t row) const { return load<std::uint16_t>(seconds, row); }
  bool truth(std::uint64_t row) const { return load<std::uint8_t>(values, row) != 0; }
  std::uint64_t variable(std::uint64_t place) const {
    return load<std::uint64_t>(variables, place);
  }
  std::uint64_t variable_count() const { return variables.size() / 8; }

 private:
  template <typename T>
  static T load(ByteView bytes, std::uint64_t place) {
    T value;
    std::memcpy(&value, bytes.data() + place * sizeof(T), sizeof(T));
    if constexpr (std::endian::native == std::endian::big) {
      T swapped = 0;
      for (std::size_t i = 0; i < sizeof(T); ++i) {
        swapped = static_cast<T>(swapped << 8 | (value >> (8 * i) & 0xFF));
      }
      return swapped;
    }
    return value;
  }

 public:
};

// A stream of /0 while it is decompressed: as far as it was asked for. What is there stays where it
// is. One thread at a time, until the caller has what it wants.
class Stream {
 public:
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  std::size_t index() const { return index_; }  // in Archive::streams()
  ByteView bytes() const { return bytes_; }     // what is there by now
  // Decompresses until at least `n` bytes are there. False: damage comes before (told to
  // ArchiveOptions::on_finding). Errors: LimitExceeded.
  Result<bool> ensure(std::uint64_t n);
  // Stored bytes of it behind those that were taken so far; 0 behind damage.
  std::uint64_t stored_left() const;
  // Makes values of the `count` differences of 8 octets at `at`, which are there; the second time
  // nothing.
  void sum_up(std::uint64_t at, std::uint64_t count);

 private:
  friend class Archive;
  Stream();
  struct State;
  std::unique_ptr<State> state_;
  std::size_t index_ = 0;
  ByteView bytes_;
};

// One table's columns, found in its stream.
class Table {
 public:
  std::size_t index() const { return index_; }  // in Archive::tables()
  std::uint64_t records() const { return records_; }
  // One a value-carrying entry of the schema, in its order.
  std::span<const Column> columns() const { return columns_; }
  // The column of a node of the ordered region, or nullptr.
  const Column* column(NodeId node) const;

 private:
  friend class Archive;
  std::size_t index_ = 0;
  std::uint64_t records_ = 0;
  std::vector<Column> columns_;
  std::shared_ptr<const Stream> stream_;  // keeps the bytes
};

struct ArchiveOptions {
  ReadOptions read;  // memory_budget, stop
  // Told of damage that does not end reading.
  std::function<void(const Finding&)> on_finding = {};
};

// An opened archive. Const members may be called from many threads if the source has random access;
// of a pipe the sections can only be had in the file's order.
class Archive {
 public:
  // Reads header, metadata, tree, schemas and table metadata. Errors: Corrupt and Truncated with
  // the section's name and the offset; LimitExceeded; Io.
  static Result<std::shared_ptr<Archive>> open(std::shared_ptr<ByteSource> source,
                                               ArchiveOptions options = {});
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  const Header& header() const;
  const Metadata& metadata() const;
  const SchemaTree& tree() const;
  std::span<const Schema> schemas() const;
  std::span<const StreamInfo> streams() const;
  std::span<const TableInfo> tables() const;
  std::uint64_t records() const;  // of all tables, saturated
  // What the writer says of the tables to make searches faster; nullptr: nothing.
  const SearchData* search_data() const;
  const std::string& name() const;
  // Stored bytes of a member, and where it begins in the archive.
  ByteRange member_range(Member member) const;
  Budget& budget() const;
  const ArchiveOptions& options() const;
  // The stream of a table, for findings.
  Location place_of(std::size_t table) const;
  // Tells ArchiveOptions::on_finding, with the archive's name; thread-safe.
  void tell(Finding finding) const;

  // Loaded once, on the first call; live as long as the archive. Errors: LimitExceeded; Io.
  Result<const Dictionary*> dictionary(Member member) const;

  // Whether each read of the archive's bytes is a round trip, so that it is best to say ahead what
  // will be read.
  bool reads_are_round_trips() const;
  // Asks for the bytes of a dictionary that is not loaded yet, or of a stream, so that they are on
  // their way; does nothing where reads are no round trips. Thread-safe.
  void will_read_dictionary(Member member) const;
  void will_read_stream(std::size_t index) const;

  // Begins to read a stream. `in_file`: what is decompressed goes to an unnamed temporary file
  // instead of counting against the budget. Errors: Io; Unsupported for what lies behind in a pipe.
  Result<std::shared_ptr<Stream>> open_stream(std::size_t index, bool in_file = false) const;
  // Finds a table's columns in its stream, or only the first `columns` of them, and decompresses as
  // much of it as that takes. Errors: Corrupt with the table's name if they do not lie in it, or if
  // all of them do not fill it exactly; LimitExceeded.
  Result<Table> table(std::size_t index, std::shared_ptr<Stream> stream,
                      std::size_t columns = std::size_t(-1)) const;
  // Places of the columns of a schema: of each value-carrying entry, its node. Lives as long as the
  // archive.
  std::span<const NodeId> column_nodes(std::size_t schema) const;

  struct State;  // of the implementation

 private:
  explicit Archive(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;  // streams hold it too
};

// Which rows of a table are meant: one bit a row, the first in the lowest bit. Empty: all.
struct RowSet {
  std::vector<std::uint64_t> bits;
  bool test(std::uint64_t row) const { return (bits[row / 64] >> (row % 64) & 1) != 0; }
};

enum class Order : std::uint8_t {
  Log,    // by log_event_idx; table order if the archive has none
  Table,  // as stored
};

class OriginalTexts;

struct RebuildOptions {
  Order order = Order::Log;
  unsigned threads = 1;
  // Of each table, which rows; empty: all of all tables. Tables without a bit are not read.
  std::vector<std::optional<RowSet>> rows = {};
  // Told of each table that is read, before its records come; also of tables without records.
  std::function<void(const Table& table, const Stream& stream)> on_table = {};
  // Only records with log_event_idx in [first, second).
  std::optional<std::pair<std::uint64_t, std::uint64_t>> log_range = {};
  // Nodes that are printed, with what they contain and what encloses them; empty: all. Ascending.
  std::vector<NodeId> projection = {};
  bool project = false;  // `projection` counts, also if it is empty
  // Gives the records as they stood in the input, not as JSON in the order of the tree. They may
  // hold line feeds.
  std::shared_ptr<const OriginalTexts> originals = {};
};

// Rebuilds records as JSON texts, in batches that several threads make.
class Rebuilder {
 public:
  // Errors: those of reading dictionaries.
  static Result<std::unique_ptr<Rebuilder>> open(std::shared_ptr<const Archive> archive,
                                                 RebuildOptions options);
  ~Rebuilder();
  // Some records that follow each other, or nothing at the end. What is damaged is left out and
  // told in `findings`. Lives until the next call. Errors: LimitExceeded, Io, Cancelled.
  struct Batch {
    std::string_view text;  // each record is followed by LF
    struct Line {
      std::size_t begin = 0, length = 0;  // in `text`, without the LF
      std::uint32_t table = 0;
      std::uint64_t row = 0;
      std::uint64_t log_index = 0;            // log_event_idx; 0 if it has none
      std::optional<std::int64_t> time = {};  // of the timestamp column, ns since 1970
    };
    std::span<const Line> lines;
    std::span<const Finding> findings;
  };
  Result<const Batch*> next();

 private:
  struct State;
  explicit Rebuilder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Gives the records that match, or what else is wanted of them. What cannot be read is told to the
// sink or to ArchiveOptions::on_finding and matches nothing. The sink is called on this thread
// only; what it is given does not depend on `threads`.
//
// Errors: BadArgument for options that make no sense with this archive (no timestamp column for
// `since`, `until` or CountByTime; an empty interval; a projected key with a wildcard or twice);
// LimitExceeded, Io, Cancelled; those of the sink.
Result<SearchReport> search(std::shared_ptr<const Archive> archive, const query::Query& query,
                            const SearchOptions& options, const SearchSink& sink);

}  // namespace fonds::clps
