// The events of one piece of input, taken apart on a worker: columns with the ids of that worker
// and of that piece. The merging stage translates them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fonds/formats/clps.hpp>

#include "format/clps/reading/log_type.hpp"
#include "format/clps/reading/text_buffer.hpp"
#include "format/clps/writing/string_table.hpp"
#include "format/clps/writing/times.hpp"

namespace fonds::clps::writing {

// How values are kept.
struct Rules {
  Version version;
  bool structured_arrays = false;
  bool float_texts = true;  // FormattedFloat, DictionaryFloat
  bool log_order = true;
  bool exact = false;
  std::vector<std::string> time_key = {};  // its steps; empty: none
  bool time_generated = false;             // it is a generated key

  Generation generation() const {
    return version < Version{0, 4, 0} ? Generation::Old : Generation::New;
  }
  bool plain_log_index() const { return version < Version{0, 3, 2}; }
  bool dictionary_floats() const { return version >= Version{0, 4, 1}; }
  NodeType time_type() const {
    return version < Version{0, 5, 0} ? NodeType::DateString : NodeType::Timestamp;
  }
};

// What was changed, by kind.
enum class Change : std::uint8_t {
  DuplicateKeys,
  FloatSpelling,   // a float that does not come back as it was written
  IntegerAsFloat,  // beyond 64 bits, where the version has no better form
  LoneSurrogates,
  TimesKeptOut,    // values at the timestamp key that no pattern gives back
  NumbersAsNull,   // NaN and infinities, which have no JSON text
  ReplacedOctets,  // invalid UTF-8 in what is kept as `_unparsed`
  ByteOrderMarks,
  GeneratedKeys,  // of an archive: they are not rebuilt
};
inline constexpr std::size_t kChanges = 9;
std::string_view to_string(Change change);
using Changes = std::array<std::uint64_t, kChanges>;

// A key below an object, or an element of a structured array, whatever its values are. Ids are a
// worker's.
using Place = std::uint32_t;
inline constexpr Place kUserRoot = 0;
inline constexpr Place kGeneratedRoot = 1;

// A step of an event in document order: a value of a type, or the border of what stands within a
// structured array.
enum class Step : std::uint8_t {
  BeginArray = 16,
  EndArray = 17,
  BeginObject = 18,
  EndObject = 19,
};
struct Token {
  Place place = 0;
  std::uint8_t step = 0;  // a NodeType, or a Step
  bool is_value() const { return step < 16; }
  NodeType type() const { return static_cast<NodeType>(step); }
  bool is(Step other) const { return step == static_cast<std::uint8_t>(other); }
  friend auto operator<=>(const Token&, const Token&) = default;
};

// What a worker has learned of the input: all places and the sequences of tokens that events are.
// Definitions are handed to the merging stage as they are made.
class Shape {
 public:
  explicit Shape(const Rules& rules);

  struct Node {  // ids are places in the list; a parent comes first
    std::int32_t parent;
    NodeType type;
    std::string_view key;  // lives as long as the shape
  };
  struct TableDefinition {
    std::vector<Token> tokens;
    std::vector<std::int32_t> nodes;     // of each token its node; -1 for ends
    std::vector<std::uint32_t> columns;  // of each token with values its column in TableValues
  };

  // The place of a key; `container` says what it is a key or an element of.
  Place find(Place parent, NodeType container, std::string_view key);
  // Whether `place` is met for the first time in the object with this number.
  bool enter(Place place, std::uint64_t object) {
    if (places_[place].object == object) {
      return false;
    }
    places_[place].object = object;
    return true;
  }
  bool is_time(Place place) const { return places_[place].time_steps == kIsTime; }
  // The state behind a token; the first one is 0. Nodes of what is new are made.
  std::uint32_t state_after(std::uint32_t state, Token token);
  // The table of events that end in a state, and the place of each of their values among its
  // columns; made if there is none. Events with the same keys in another order have the same table.
  struct Layout {
    std::uint32_t table = 0;
    std::vector<std::uint32_t> columns;
    std::vector<std::int32_t> nodes;  // of its tokens, in their order; -1 for ends
  };
  const Layout& layout_of(std::uint32_t state, const std::vector<Token>& tokens);

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<TableDefinition>& tables() const { return tables_; }
  std::uint64_t size() const { return places_.size() + states_.size(); }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  static constexpr std::uint32_t kIsTime = 0xFFFFFFFE;
  struct PlaceInfo {
    Place parent = 0;
    NodeType container = NodeType::Object;
    std::string_view key;
    std::uint32_t time_steps = kNone;  // of the timestamp key that lead here
    std::uint64_t object = 0;
    Place next = kNone;  // what was met after this place the last time
    std::array<std::int32_t, 15> nodes;
  };
  struct State {
    Token token;  // the last one that was met here, and where it led
    std::uint32_t next = kNone;
    std::uint32_t layout = kNone;
  };
  struct Slot {
    std::uint64_t hash = 0;
    Place place = kNone;
  };

  Place make(Place parent, NodeType container, std::string_view key);
  std::int32_t node_of(Place place, NodeType type);
  bool is(Place place, Place parent, NodeType container, std::string_view key) const {
    const PlaceInfo& info = places_[place];
    return info.parent == parent && info.container == container && info.key == key;
  }
  void grow();

  const Rules& rules_;
  std::vector<PlaceInfo> places_;
  std::vector<Slot> slots_;
  std::vector<Node> nodes_;
  std::vector<State> states_;
  std::unordered_map<std::uint64_t, std::uint32_t> others_;  // by state and token
  std::vector<TableDefinition> tables_;
  std::vector<Layout> layouts_;
  std::map<std::vector<Token>, std::uint32_t> known_tables_;  // by what does not depend on order
  StringTable keys_;
  Place last_ = kUserRoot;  // that was found
};

// Values of one column. Which members are used depends on the type.
struct ColumnValues {
  NodeType type = NodeType::Integer;
  std::vector<std::uint64_t> words;      // integers, floats, times, truth
  std::vector<std::uint16_t> formats;    // FormattedFloat
  std::vector<std::uint32_t> ids;        // of strings, log types, patterns
  std::vector<std::uint64_t> variables;  // of strings that are split; dictionary ids are plain
  std::vector<std::uint32_t> dictionary_variables;  // places of those in `variables`
};

struct TableValues {
  std::uint32_t table = 0;  // of the shape
  // Of the first event, in the order of its keys: new nodes of an archive get their ids in it,
  // whatever the worker has seen before.
  std::vector<std::int32_t> first_nodes;
  std::vector<std::uint32_t> events;  // numbers within the batch
  std::vector<ColumnValues> columns;  // as TableDefinition::columns places them
  // If exact: of each event its form (Batch::forms), 0: as it is printed, else id + 1; and what its
  // form does not hold (exact_forms.hpp).
  std::vector<std::uint32_t> forms;
  std::string own;
};

// Whether values of a token stand in a column.
bool has_values(Token token);

struct Rejected {
  std::uint64_t offset = 0;  // in the input
  std::string_view text;     // of the piece
  std::string reason;
};

// What a worker makes of a piece.
struct Batch {
  std::uint32_t shape = 0;   // the worker's, and
  bool fresh_shape = false;  // it has forgotten what was before
  struct NewNode {
    std::int32_t parent;
    NodeType type;
    std::string key;
  };
  std::vector<NewNode> new_nodes;  // that it has learned since the last batch
  std::vector<Shape::TableDefinition> new_tables;
  std::vector<TableValues> tables;  // in the order of their first events
  StringTable variables, log_types, array_types;
  std::vector<std::uint32_t> log_type_variables, array_type_variables;  // each one's number
  std::size_t patterns_before = 0;
  std::optional<TimePatterns> patterns;
  std::uint32_t events = 0;
  // If exact: of each event in the piece; forms as exact_forms.hpp spells them.
  std::vector<std::pair<std::size_t, std::size_t>> spans;
  StringTable forms;
  Changes changes = {};
  std::vector<Rejected> rejected;
};

// Builds the batches of one worker. An event is a sequence of calls between begin_event() and
// end_event(); nothing remains of one that is abandoned.
class BatchBuilder {
 public:
  BatchBuilder(const Rules& rules, std::uint32_t shape_id);

  // `patterns`: of the archive so far. Texts given to the members below must live until
  // end_event().
  void begin(const TimePatterns* patterns);
  std::unique_ptr<Batch> end();
  Batch& batch() { return *batch_; }

  void begin_event() {
    tokens_.clear();
    cells_.clear();
    changes_ = {};
    scratch_.clear();
  }
  // `source`: its text, which begins at `begin` of the piece; empty if it has none. `spelled`: all
  // its values are told by spelled(), as views of `source`.
  void end_event(std::size_t begin = 0, std::string_view source = {}, bool spelled = false);
  // How the value that was added last stands in the event's text.
  void spelled(std::string_view text) { cells_.back().spelled = text; }

  // Objects are numbered, so that a key that comes twice is noticed.
  std::uint64_t next_object() { return ++objects_; }
  // The place of a key in an object, or nothing if the object with this number has it already.
  std::optional<Place> key(Place parent, std::string_view key, std::uint64_t object) {
    const Place place = shape_->find(parent, NodeType::Object, key);
    return shape_->enter(place, object) ? std::optional(place) : std::nullopt;
  }
  // The same for those who know that no key comes twice.
  Place key(Place parent, std::string_view key) {
    return shape_->find(parent, NodeType::Object, key);
  }
  bool is_time(Place place) const { return shape_->is_time(place); }
  // The place of an element of a structured array.
  Place element(Place array) { return shape_->find(array, NodeType::StructuredArray, {}); }

  void null(Place place) { add(place, NodeType::NullValue); }
  void empty_object(Place place) { add(place, NodeType::Object); }
  void boolean(Place place, bool value) { add(place, NodeType::Boolean, value ? 1 : 0); }
  void integer(Place place, std::int64_t value);
  // A number with a point or an exponent, or one beyond 64 bits: JSON text and value.
  void real(Place place, std::string_view text, double value);
  void string(Place place, std::string_view text);
  // A string that is split even without a space in it.
  void split_string(Place place, std::string_view text) {
    add(place, NodeType::ClpString, 0, text);
  }
  void array_text(Place place, std::string_view json) {
    add(place, NodeType::UnstructuredArray, 0, json);
  }
  // Borders of what stands within structured arrays. An array without elements is empty_array().
  void empty_array(Place place) { add(place, NodeType::StructuredArray); }
  void border(Place place, Step step) {
    tokens_.push_back({place, static_cast<std::uint8_t>(step)});
    cells_.emplace_back();
  }
  std::size_t mark() const { return tokens_.size(); }
  void drop_behind(std::size_t mark) {
    tokens_.resize(mark);
    cells_.resize(mark);
  }

  // Whether the last thing added is the empty object at this place.
  bool ends_in_empty_object(Place place) const {
    return !tokens_.empty() &&
           tokens_.back() == Token{place, static_cast<std::uint8_t>(NodeType::Object)};
  }

  void count(Change change, std::uint64_t n = 1) {
    changes_[static_cast<std::size_t>(change)] += n;
  }
  // Keeps a text until end_event().
  std::string_view keep(std::string&& text) { return scratch_.emplace_back(std::move(text)); }

 private:
  struct Cell {
    std::uint64_t word = 0;
    std::string_view text;
    std::uint32_t extra = 0;  // format, pattern
    std::string_view spelled = {};
  };
  void add(Place place, NodeType type, std::uint64_t word = 0, std::string_view text = {},
           std::uint32_t extra = 0) {
    tokens_.push_back({place, static_cast<std::uint8_t>(type)});
    cells_.push_back({word, text, extra, {}});
  }
  void keep_text(TableValues& values, const Shape::Layout& layout, std::string_view source,
                 bool spelled);
  bool make_form(const Shape::Layout& layout, std::string_view source);
  bool comes_back(const Cell& cell, NodeType type);
  // Whether the text that was split last comes back from its log type with this id.
  bool joins_again(std::string_view text, StringTable::Id type, std::deque<LogType>& parsed);
  TableValues& values_of(const Shape::Layout& layout);
  void store(ColumnValues& column, const Cell& cell);
  void split(ColumnValues& column, std::string_view text, StringTable& types,
             std::vector<std::uint32_t>& counts, std::deque<LogType>& parsed);

  const Rules& rules_;
  std::uint32_t shape_id_;
  std::unique_ptr<Shape> shape_;
  std::size_t told_nodes_ = 0, told_tables_ = 0;
  bool fresh_ = true;
  std::size_t last_variables_ = 0;  // of the last batch, which the next one will be like
  std::unique_ptr<Batch> batch_;
  std::vector<std::uint32_t> place_in_batch_;  // of each table of the shape; kNoTable
  std::uint64_t objects_ = 0;
  std::vector<Token> tokens_;
  std::vector<Cell> cells_;
  Changes changes_ = {};
  std::deque<std::string> scratch_;
  std::string log_type_;
  std::vector<SplitVariable> split_;
  // If exact: the batch's log types, and whether a text of the event does not come back from them.
  std::deque<LogType> parsed_log_types_, parsed_array_types_;
  bool lossy_ = false;
  std::string form_, form_body_, own_, printed_;
  TextBuffer escaped_;
};

}  // namespace fonds::clps::writing
