#include "format/clps/reading/texts.hpp"

#include <charconv>
#include <utility>

#include "format/clps/reading/float_format.hpp"
#include "format/clps/reading/log_type.hpp"

namespace fonds::clps {
namespace {

constexpr std::size_t kLongestNumber = 24;

constexpr std::uint64_t kLongestRecord = std::uint64_t{512} << 20;  // as Dictionary::longest_text()

constexpr Fault kNoMemory = "its log type would exceed the memory limit";
constexpr Fault kNoLogType = "its log type is not in the dictionary";
constexpr Fault kNoVariables = "its variables lie behind the column's end";
constexpr Fault kNoVariable = "a variable is not in the dictionary";
constexpr Fault kBadFloat = "a float variable is not valid";
constexpr Fault kNoPattern = "its time pattern does not exist";
constexpr Fault kBadTime = "its time pattern cannot print the time";
constexpr Fault kBadFormat = "the format of a float is not valid";

}  // namespace

void append_number(std::int64_t value, TextBuffer& out) {
  char* const to = out.room(kLongestNumber);
  out.grow(static_cast<std::size_t>(std::to_chars(to, to + kLongestNumber, value).ptr - to));
}

LogTypes::LogTypes(const Dictionary& stored, Generation generation, bool escaped, Budget& budget)
    : stored_(&stored),
      generation_(generation),
      escaped_(escaped),
      budget_(budget),
      parsed_(stored.size()) {}

LogTypes::~LogTypes() {
  for (const auto& parsed : parsed_) {
    delete parsed.load(std::memory_order_relaxed);
  }
  budget_.give(taken_.load(std::memory_order_relaxed));
}

const LogTypes::Parsed* LogTypes::parse(std::size_t id) const {
  const std::string_view stored = (*stored_)[id];
  const std::uint64_t cost = sizeof(Parsed) + (needs_escape(stored) ? 8 : 2) * stored.size() +
                             48 * count_placeholders(stored, generation_);
  if (!budget_.take(cost)) {
    return nullptr;
  }
  auto made = std::make_unique<Parsed>();
  bool malformed = false;
  made->type = LogType::parse(stored, generation_, malformed);
  TextBuffer text;
  const auto add = [&](std::string_view piece) {
    if (escaped_) {
      text.append_escaped(piece);
    } else {
      text.append(piece);
    }
    made->pieces.push_back(text.size());
  };
  for (const Segment& segment : made->type.segments()) {
    add(made->type.literal(segment));
  }
  add(made->type.tail());
  made->text = text.view();
  const Parsed* expected = nullptr;
  if (parsed_[id].compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) {
    taken_.fetch_add(cost, std::memory_order_relaxed);
    return made.release();
  }
  budget_.give(cost);
  return expected;  // another thread was faster
}

void Texts::will_read(const Archive& archive, Needs needs, std::uint64_t most) {
  const auto ask = [&](bool needed, Member member) {
    if (needed && archive.member_range(member).length <= most) {
      archive.will_read_dictionary(member);
    }
  };
  ask(needs.variables, Member::Variables);
  ask(needs.log_types, Member::LogTypes);
  ask(needs.array_types, Member::ArrayTypes);
}

Result<std::unique_ptr<Texts>> Texts::open(const Archive& archive, Needs needs) {
  std::unique_ptr<Texts> texts(new Texts);
  const bool old = archive.header().version < Version{0, 4, 0};
  texts->generation_ = old ? Generation::Old : Generation::New;
  texts->variables_ = &texts->none_;
  const Dictionary* log_types = &texts->none_;
  const Dictionary* array_types = &texts->none_;
  will_read(archive, needs);
  if (needs.variables) {
    FONDS_TRY(texts->variables_, archive.dictionary(Member::Variables));
    texts->escapes_ = std::vector<std::atomic<Escapes>>(texts->variables_->size());
  }
  if (needs.log_types) {
    FONDS_TRY(log_types, archive.dictionary(Member::LogTypes));
  }
  if (needs.array_types) {
    FONDS_TRY(array_types, archive.dictionary(Member::ArrayTypes));
  }
  texts->log_types_ =
      std::make_unique<LogTypes>(*log_types, texts->generation_, true, archive.budget());
  texts->array_types_ =
      std::make_unique<LogTypes>(*array_types, texts->generation_, false, archive.budget());
  texts->longest_record_ =
      static_cast<std::size_t>(std::min(kLongestRecord, archive.budget().limit() / 2));
  for (const StoredPattern& stored : archive.metadata().time_patterns) {
    // One that is damaged is as if it were not there: what uses it is told of.
    if (archive.header().version < Version{0, 5, 0}) {
      if (auto pattern = DatePattern::parse(stored.pattern)) {
        texts->dates_.emplace(stored.id, std::move(*pattern));
      }
    } else if (auto pattern = TimePattern::parse(stored.pattern)) {
      texts->times_.emplace(stored.id, std::move(*pattern));
    }
  }
  return texts;
}

const TimePattern* Texts::time_pattern(std::uint64_t id) const {
  const auto found = times_.find(id);
  return found == times_.end() ? nullptr : &found->second;
}

const DatePattern* Texts::date_pattern(std::uint64_t id) const {
  const auto found = dates_.find(id);
  return found == dates_.end() ? nullptr : &found->second;
}

void Texts::append_entry(const Place& entry, TextBuffer& out) const {
  const std::string_view text(entry.text, entry.length);
  Escapes escapes = escapes_[entry.id].load(std::memory_order_relaxed);
  if (escapes == Escapes::Unknown) {
    escapes = needs_escape(text) ? Escapes::Some : Escapes::None;
    escapes_[entry.id].store(escapes, std::memory_order_relaxed);
  }
  if (escapes == Escapes::None) {
    out.append(text);
  } else {
    out.append_escaped(text);
  }
}

Fault Texts::append_string(const Place& place, TextBuffer& out) const {
  if (place.text == nullptr) {
    return kNoVariable;
  }
  out.push_back('"');
  append_entry(place, out);
  out.push_back('"');
  return nullptr;
}

Fault Texts::append_dictionary_float(const Column& column, std::uint64_t row,
                                     TextBuffer& out) const {
  const std::uint64_t id = column.word(row);
  if (id >= variables_->size()) {
    return kNoVariable;
  }
  out.append((*variables_)[static_cast<std::size_t>(id)]);
  return nullptr;
}

Fault Texts::append_variable(Placeholder kind, std::uint64_t word, bool escape,
                             TextBuffer& out) const {
  const auto number = static_cast<std::int64_t>(word);
  std::uint64_t id = word;
  switch (kind) {
    case Placeholder::Integer:
      append_number(number, out);
      return nullptr;
    case Placeholder::Float: {
      std::string text;
      if (!clps::append_float(word, generation_, text)) {
        return kBadFloat;
      }
      out.append(text);
      return nullptr;
    }
    case Placeholder::IntegerOrDictionary: {
      const auto found = dictionary_id(number);
      if (!found) {
        append_number(number, out);
        return nullptr;
      }
      id = *found;
      break;
    }
    case Placeholder::Dictionary:
      break;
  }
  if (id >= variables_->size()) {
    return kNoVariable;
  }
  if (escape) {
    const std::string_view text = (*variables_)[static_cast<std::size_t>(id)];
    append_entry({text.data(), text.size(), static_cast<std::size_t>(id)}, out);
  } else {
    out.append((*variables_)[static_cast<std::size_t>(id)]);
  }
  return nullptr;
}

template <bool Escape, typename Out>
Fault Texts::append_split(const LogTypes& types, const Column& column, std::uint64_t row,
                          Out& out) const {
  const std::uint64_t cell = column.word(row);
  const std::uint64_t id = cell & kLogTypeMask;
  if (id >= types.size()) {
    return kNoLogType;
  }
  const LogTypes::Parsed* const found = types.find(static_cast<std::size_t>(id));
  if (found == nullptr) {
    return kNoMemory;
  }
  const LogTypes::Parsed& parsed = *found;
  const auto& segments = parsed.type.segments();
  std::uint64_t variable = cell >> kLogTypeBits;
  const std::uint64_t there = column.variable_count();
  if (segments.size() > there - std::min(there, variable)) {
    return kNoVariables;
  }
  std::size_t begin = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    out.append(std::string_view(parsed.text).substr(begin, parsed.pieces[i] - begin));
    begin = parsed.pieces[i];
    if (const Fault fault =
            append_variable(segments[i].placeholder, column.variable(variable++), Escape, out)) {
      return fault;
    }
    if (out.full()) {
      return kTooLong;
    }
  }
  out.append(std::string_view(parsed.text).substr(begin));
  return nullptr;
}

Fault Texts::append_clp_string(const Column& column, std::uint64_t row, TextBuffer& out) const {
  out.push_back('"');
  const Fault fault = append_split<true>(*log_types_, column, row, out);
  out.push_back('"');
  return fault;
}

Fault Texts::append_array(const Column& column, std::uint64_t row, TextBuffer& out) const {
  return append_split<false>(*array_types_, column, row, out);
}

void Texts::append_float(const Column& column, std::uint64_t row, TextBuffer& out,
                         std::string& scratch) {
  scratch.clear();
  print_plain_float(std::bit_cast<double>(column.word(row)), scratch);
  out.append(scratch);
}

Fault Texts::append_formatted_float(const Column& column, std::uint64_t row, TextBuffer& out,
                                    std::string& scratch) const {
  const std::uint16_t format = column.format(row);
  if (!valid_float_format(format)) {
    return kBadFormat;
  }
  scratch.clear();
  print_formatted_float(std::bit_cast<double>(column.word(row)), format, scratch);
  out.append(scratch);
  return nullptr;
}

Fault Texts::append_date(const Column& column, std::uint64_t row, TextBuffer& out,
                         std::string& scratch) const {
  const DatePattern* const pattern = date_pattern(column.second_word(row));
  if (pattern == nullptr) {
    return kNoPattern;
  }
  scratch.clear();
  pattern->print(static_cast<std::int64_t>(column.word(row)), scratch);
  out.push_back('"');
  out.append_escaped(scratch);
  out.push_back('"');
  return nullptr;
}

Fault Texts::append_time(const Column& column, std::uint64_t row, TextBuffer& out,
                         std::string& scratch) const {
  const TimePattern* const pattern = time_pattern(column.second_word(row));
  if (pattern == nullptr) {
    return kNoPattern;
  }
  scratch.clear();
  if (!pattern->print(static_cast<std::int64_t>(column.word(row)), scratch)) {
    return kBadTime;
  }
  out.append(scratch);
  return nullptr;
}

std::optional<std::int64_t> Texts::instant(const Column& column, std::uint64_t row) const {
  const auto value = static_cast<std::int64_t>(column.word(row));
  switch (column.type) {
    case NodeType::Timestamp:
      return value;
    case NodeType::DateString: {
      const DatePattern* const pattern = date_pattern(column.second_word(row));
      return pattern == nullptr ? std::nullopt : std::optional(pattern->instant_ns(value));
    }
    case NodeType::Integer:
    case NodeType::DeltaInteger:
      return instant_of_number(value);
    case NodeType::Float:
    case NodeType::FormattedFloat:
      return instant_of_number(std::bit_cast<double>(column.word(row)));
    default:
      return std::nullopt;
  }
}

}  // namespace fonds::clps
