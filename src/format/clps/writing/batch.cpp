#include "format/clps/writing/batch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "format/clps/reading/float_format.hpp"

namespace fonds::clps::writing {
namespace {

constexpr std::uint32_t kNoTable = 0xFFFFFFFF;
constexpr std::uint64_t kMostLearned = std::uint64_t{1} << 20;  // a place has 27 bits in keys
constexpr std::size_t kFirstStates = 256;

std::uint64_t hash_of_place(Place parent, NodeType container, std::string_view key) {
  return hash_of(key, std::uint64_t{parent} << 1 | (container == NodeType::Object ? 0 : 1));
}

}  // namespace

std::string_view to_string(Change change) {
  switch (change) {
    case Change::DuplicateKeys:
      return "values of keys that come again in the same object";
    case Change::FloatSpelling:
      return "numbers that come back in another spelling";
    case Change::IntegerAsFloat:
      return "integers kept as floating-point numbers";
    case Change::LoneSurrogates:
      return "strings with lone surrogates, which became U+FFFD";
    case Change::TimesKeptOut:
      return "values at the timestamp key that are kept as ordinary values";
    case Change::NumbersAsNull:
      return "numbers beyond the range of floats, or none at all, which became null";
    case Change::ReplacedOctets:
      return "octets that are no UTF-8, which became U+FFFD";
    case Change::ByteOrderMarks:
      return "byte order marks";
    case Change::GeneratedKeys:
      return "generated keys of archives, which are not carried over";
  }
  return {};
}

bool has_values(Token token) {
  return token.is_value() && token.type() != NodeType::Object &&
         token.type() != NodeType::NullValue && token.type() != NodeType::StructuredArray;
}

// --- Shape

Shape::Shape(const Rules& rules) : rules_(rules), slots_(kFirstStates), states_(1) {
  for (const bool generated : {false, true}) {
    PlaceInfo root;
    root.parent = kNone;
    root.nodes.fill(-1);
    if (!rules.time_key.empty() && rules.time_generated == generated) {
      root.time_steps = 0;
    }
    places_.push_back(root);
  }
}

Place Shape::find(Place parent, NodeType container, std::string_view key) {
  const Place expected = places_[last_].next;
  if (expected != kNone && is(expected, parent, container, key)) {
    return last_ = expected;
  }
  const std::uint64_t hash = hash_of_place(parent, container, key);
  const std::size_t mask = slots_.size() - 1;
  Place found = kNone;
  for (std::size_t at = hash & mask; slots_[at].place != kNone; at = (at + 1) & mask) {
    if (slots_[at].hash == hash && is(slots_[at].place, parent, container, key)) {
      found = slots_[at].place;
      break;
    }
  }
  if (found == kNone) {
    found = make(parent, container, key);
  }
  places_[last_].next = found;
  return last_ = found;
}

Place Shape::make(Place parent, NodeType container, std::string_view key) {
  if (2 * places_.size() > slots_.size()) {
    grow();
  }
  const auto place = static_cast<Place>(places_.size());
  PlaceInfo info;
  info.parent = parent;
  info.container = container;
  info.key = keys_[keys_.add(key)];
  info.nodes.fill(-1);
  const std::uint32_t steps = places_[parent].time_steps;
  if (container == NodeType::Object && steps < rules_.time_key.size() &&
      rules_.time_key[steps] == key) {
    info.time_steps = steps + 1 == rules_.time_key.size() ? kIsTime : steps + 1;
  }
  places_.push_back(info);
  const std::uint64_t hash = hash_of_place(parent, container, key);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].place != kNone) {
    at = (at + 1) & mask;
  }
  slots_[at] = {hash, place};
  return place;
}

void Shape::grow() {
  std::vector<Slot> slots(2 * slots_.size());
  const std::size_t mask = slots.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.place != kNone) {
      std::size_t at = slot.hash & mask;
      while (slots[at].place != kNone) {
        at = (at + 1) & mask;
      }
      slots[at] = slot;
    }
  }
  slots_ = std::move(slots);
}

std::int32_t Shape::node_of(Place place, NodeType type) {
  // From the first ancestor that has a node down to this place.
  struct Missing {
    Place place;
    NodeType type;
  };
  std::vector<Missing> missing;
  std::int32_t parent = -1;
  for (Missing at{place, type};;) {
    const PlaceInfo& info = places_[at.place];
    parent = info.nodes[static_cast<std::size_t>(at.type)];
    if (parent >= 0) {
      break;
    }
    missing.push_back(at);
    if (info.parent == kNone) {
      break;
    }
    at = {info.parent, info.container};
  }
  for (; !missing.empty(); missing.pop_back()) {
    PlaceInfo& info = places_[missing.back().place];
    const NodeType of = missing.back().type;
    const bool generated = missing.back().place == kGeneratedRoot;
    nodes_.push_back({parent, of, generated ? std::string_view("@") : info.key});
    parent = static_cast<std::int32_t>(nodes_.size() - 1);
    info.nodes[static_cast<std::size_t>(of)] = parent;
  }
  return parent;
}

std::uint32_t Shape::state_after(std::uint32_t state, Token token) {
  if (states_[state].token == token && states_[state].next != kNone) {
    return states_[state].next;
  }
  const std::uint64_t key =
      std::uint64_t{state} << 32 | std::uint64_t{token.place} << 5 | token.step;
  const auto [entry, made] = others_.try_emplace(key, static_cast<std::uint32_t>(states_.size()));
  if (made) {
    states_.emplace_back();
    if (token.is_value()) {
      node_of(token.place, token.type());
    } else if (token.is(Step::BeginArray)) {
      node_of(token.place, NodeType::StructuredArray);
    } else if (token.is(Step::BeginObject)) {
      node_of(token.place, NodeType::Object);
    }
  }
  states_[state].token = token;
  states_[state].next = entry->second;
  return entry->second;
}

namespace {

// The tokens of an event without the order of its keys: what stands outside of arrays sorted, then
// the arrays as they come. `values`: for each of them that has a column, which value of the event
// it is.
std::vector<Token> without_order(const std::vector<Token>& tokens,
                                 std::vector<std::uint32_t>& values) {
  struct Placed {
    Token token;
    std::uint32_t value;
  };
  std::vector<Placed> outside, arrays;
  std::size_t depth = 0;
  std::uint32_t value = 0;
  for (const Token token : tokens) {
    const bool end = token.is(Step::EndArray) || token.is(Step::EndObject);
    depth -= end ? 1 : 0;
    const bool outer = depth == 0 && token.is_value() && token.type() != NodeType::StructuredArray;
    (outer ? outside : arrays).push_back({token, value});
    value += has_values(token) ? 1 : 0;
    depth += token.is(Step::BeginArray) || token.is(Step::BeginObject) ? 1 : 0;
  }
  std::sort(outside.begin(), outside.end(),
            [](const Placed& a, const Placed& b) { return a.token < b.token; });
  outside.insert(outside.end(), arrays.begin(), arrays.end());
  std::vector<Token> sorted;
  for (const Placed& placed : outside) {
    sorted.push_back(placed.token);
    if (has_values(placed.token)) {
      values.push_back(placed.value);
    }
  }
  return sorted;
}

}  // namespace

const Shape::Layout& Shape::layout_of(std::uint32_t state, const std::vector<Token>& tokens) {
  if (states_[state].layout != kNone) {
    return layouts_[states_[state].layout];
  }
  std::vector<std::uint32_t> values;
  std::vector<Token> sorted = without_order(tokens, values);
  const auto [known, made] =
      known_tables_.try_emplace(sorted, static_cast<std::uint32_t>(tables_.size()));
  Layout layout{known->second, std::vector<std::uint32_t>(values.size()), {}};
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    layout.columns[values[i]] = i;
  }
  for (const Token token : tokens) {
    const NodeType type = token.is_value()             ? token.type()
                          : token.is(Step::BeginArray) ? NodeType::StructuredArray
                                                       : NodeType::Object;
    const bool end = token.is(Step::EndArray) || token.is(Step::EndObject);
    layout.nodes.push_back(end ? -1 : node_of(token.place, type));
  }
  if (made) {
    tables_.push_back({tokens, layout.nodes, layout.columns});
  }
  layouts_.push_back(std::move(layout));
  states_[state].layout = static_cast<std::uint32_t>(layouts_.size() - 1);
  return layouts_.back();
}

// --- BatchBuilder

BatchBuilder::BatchBuilder(const Rules& rules, std::uint32_t shape_id)
    : rules_(rules), shape_id_(shape_id), shape_(std::make_unique<Shape>(rules)) {}

void BatchBuilder::begin(const TimePatterns* patterns) {
  batch_ = std::make_unique<Batch>();
  batch_->shape = shape_id_;
  batch_->variables.reserve(last_variables_);
  if (shape_->size() > kMostLearned) {
    shape_ = std::make_unique<Shape>(rules_);
    told_nodes_ = told_tables_ = 0;
    fresh_ = true;
  }
  place_in_batch_.assign(shape_->tables().size(), kNoTable);
  if (patterns != nullptr) {
    batch_->patterns = *patterns;
    batch_->patterns_before = patterns->size();
  }
}

std::unique_ptr<Batch> BatchBuilder::end() {
  const auto& nodes = shape_->nodes();
  for (; told_nodes_ < nodes.size(); ++told_nodes_) {
    const Shape::Node& node = nodes[told_nodes_];
    batch_->new_nodes.push_back({node.parent, node.type, std::string(node.key)});
  }
  const auto& tables = shape_->tables();
  for (; told_tables_ < tables.size(); ++told_tables_) {
    batch_->new_tables.push_back(tables[told_tables_]);
  }
  last_variables_ = batch_->variables.size();
  parsed_log_types_.clear();
  parsed_array_types_.clear();
  batch_->fresh_shape = std::exchange(fresh_, false);
  return std::move(batch_);
}

void BatchBuilder::integer(Place place, std::int64_t value) {
  if (shape_->is_time(place)) {
    if (rules_.time_type() == NodeType::Timestamp) {
      if (const auto hit = batch_->patterns->match_integer(value)) {
        add(place, NodeType::Timestamp, static_cast<std::uint64_t>(hit->value), {}, hit->pattern);
        return;
      }
      count(Change::TimesKeptOut);
    }
  }
  add(place, NodeType::Integer, static_cast<std::uint64_t>(value));
}

void BatchBuilder::real(Place place, std::string_view text, double value) {
  if (shape_->is_time(place) && rules_.time_type() == NodeType::Timestamp) {
    if (const auto hit = batch_->patterns->match_float(text)) {
      add(place, NodeType::Timestamp, static_cast<std::uint64_t>(hit->value), {}, hit->pattern);
      return;
    }
    count(Change::TimesKeptOut);
  }
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const bool integer = text.find_first_of(".eE") == std::string_view::npos;
  const bool finite = std::isfinite(value);  // an infinity has no text that is JSON
  if (rules_.dictionary_floats() && (rules_.float_texts || integer || !finite)) {
    if (const auto format = integer ? std::nullopt : float_format_of(text, value)) {
      add(place, NodeType::FormattedFloat, bits, {}, *format);
    } else {
      add(place, NodeType::DictionaryFloat, 0, text);
    }
    return;
  }
  if (!finite) {
    count(Change::NumbersAsNull);
    return null(place);
  }
  if (integer) {
    count(Change::IntegerAsFloat);
  } else {
    std::string printed;
    print_plain_float(value, printed);
    count(Change::FloatSpelling, printed == text ? 0 : 1);
  }
  add(place, NodeType::Float, bits);
}

void BatchBuilder::string(Place place, std::string_view text) {
  if (shape_->is_time(place)) {
    if (const auto hit = batch_->patterns->match_string(text)) {
      add(place, rules_.time_type(), static_cast<std::uint64_t>(hit->value), {}, hit->pattern);
      return;
    }
    count(Change::TimesKeptOut);
  }
  const bool split = text.find(' ') != std::string_view::npos;
  add(place, split ? NodeType::ClpString : NodeType::VarString, 0, text);
}

TableValues& BatchBuilder::values_of(const Shape::Layout& layout) {
  const std::uint32_t table = layout.table;
  if (table >= place_in_batch_.size()) {
    place_in_batch_.resize(table + 1, kNoTable);
  }
  std::uint32_t& place = place_in_batch_[table];
  if (place == kNoTable) {
    place = static_cast<std::uint32_t>(batch_->tables.size());
    TableValues& values = batch_->tables.emplace_back();
    values.table = table;
    values.first_nodes = layout.nodes;
    const Shape::TableDefinition& definition = shape_->tables()[table];
    values.columns.resize(definition.columns.size());
    std::size_t value = 0;
    for (const Token token : definition.tokens) {
      if (has_values(token)) {
        values.columns[definition.columns[value++]].type = token.type();
      }
    }
  }
  return batch_->tables[place];
}

void BatchBuilder::end_event(std::size_t begin, std::string_view source, bool spelled) {
  std::uint32_t state = 0;
  for (const Token token : tokens_) {
    state = shape_->state_after(state, token);
  }
  const Shape::Layout& layout = shape_->layout_of(state, tokens_);
  TableValues& values = values_of(layout);
  values.events.push_back(batch_->events++);
  const std::uint32_t* column = layout.columns.data();
  lossy_ = false;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (has_values(tokens_[i])) {
      store(values.columns[*column++], cells_[i]);
    }
  }
  for (std::size_t i = 0; i < kChanges; ++i) {
    batch_->changes[i] += changes_[i];
  }
  if (rules_.exact) {
    batch_->spans.emplace_back(begin, begin + source.size());
    keep_text(values, layout, source, spelled);
  }
}

void BatchBuilder::store(ColumnValues& column, const Cell& cell) {
  switch (column.type) {
    case NodeType::FormattedFloat:
      column.formats.push_back(static_cast<std::uint16_t>(cell.extra));
      column.words.push_back(cell.word);
      return;
    case NodeType::Timestamp:
    case NodeType::DateString:
      column.ids.push_back(cell.extra);
      column.words.push_back(cell.word);
      return;
    case NodeType::VarString:
    case NodeType::DictionaryFloat:
      column.ids.push_back(batch_->variables.add(cell.text));
      return;
    case NodeType::ClpString:
      split(column, cell.text, batch_->log_types, batch_->log_type_variables, parsed_log_types_);
      return;
    case NodeType::UnstructuredArray:
      split(column, cell.text, batch_->array_types, batch_->array_type_variables,
            parsed_array_types_);
      return;
    default:
      column.words.push_back(cell.word);
  }
}

void BatchBuilder::split(ColumnValues& column, std::string_view text, StringTable& types,
                         std::vector<std::uint32_t>& counts, std::deque<LogType>& parsed) {
  log_type_.clear();
  split_.clear();
  split_text(text, rules_.generation(), log_type_, split_);
  const StringTable::Id type = types.add(log_type_);
  if (type == counts.size()) {
    counts.push_back(static_cast<std::uint32_t>(split_.size()));
  }
  lossy_ = lossy_ || (rules_.exact && !joins_again(text, type, parsed));
  column.ids.push_back(type);
  for (const SplitVariable& variable : split_) {
    if (variable.placeholder == Placeholder::Dictionary) {
      column.dictionary_variables.push_back(static_cast<std::uint32_t>(column.variables.size()));
      column.variables.push_back(batch_->variables.add(variable.text));
    } else {
      column.variables.push_back(variable.word);
    }
  }
}

}  // namespace fonds::clps::writing
