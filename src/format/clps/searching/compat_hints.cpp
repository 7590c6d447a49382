// What an archive tells of its records beside them: time ranges, and where they came from.
#include <algorithm>
#include <utility>

#include "format/clps/searching/compat_term.hpp"
#include "format/clps/searching/search_keys.hpp"
#include "query/json_scanner.hpp"

namespace fonds::clps::compat {
namespace {

using query::Comparison;
using query::JsonToken;

enum class Known : std::uint8_t { Nothing, Fails, Holds };

template <typename T>
Known known_of(Comparison comparison, T operand, T begin, T end) {
  switch (comparison) {
    case Comparison::Equal:
      return operand >= begin && operand <= end ? Known::Nothing : Known::Fails;
    case Comparison::Less:
      return operand > end ? Known::Holds : operand <= begin ? Known::Fails : Known::Nothing;
    case Comparison::LessEqual:
      return operand >= end ? Known::Holds : operand < begin ? Known::Fails : Known::Nothing;
    case Comparison::Greater:
      return operand < begin ? Known::Holds : operand >= end ? Known::Fails : Known::Nothing;
    case Comparison::GreaterEqual:
      return operand <= begin ? Known::Holds : operand > end ? Known::Fails : Known::Nothing;
  }
  return Known::Nothing;
}

// Properties of an input, of which values are asked.
class Properties {
 public:
  Properties(const Term& term, const KeyMachine& machine) : term_(term), machine_(machine) {}

  bool match(std::string_view json) {
    query::JsonScanner scanner(json);
    std::vector<KeyMachine::State> levels;
    KeyMachine::State state = KeyMachine::kStart;
    while (true) {
      const JsonToken token = scanner.next();
      switch (token) {
        case JsonToken::End:
        case JsonToken::Damaged:
          return false;
        case JsonToken::Key:
          state = step(levels.back(), query::unquoted_json(scanner.spelled(), scratch_));
          continue;
        case JsonToken::BeginObject:
          levels.push_back(state);
          continue;
        case JsonToken::BeginArray:
          levels.push_back(KeyMachine::kDead);  // arrays are not entered
          break;
        case JsonToken::EndObject:
        case JsonToken::EndArray:
          levels.pop_back();
          break;
        default:
          if (machine_.accepts(state) && !levels.empty() && holds(token, scanner.spelled())) {
            return true;
          }
          break;
      }
      state = levels.empty() || levels.back() == KeyMachine::kDead ? KeyMachine::kDead : state;
    }
  }

 private:
  KeyMachine::State step(KeyMachine::State from, std::string_view key) const {
    return from == KeyMachine::kDead ? from : machine_.step(from, key);
  }

  bool holds(JsonToken token, std::string_view spelled) {
    switch (token) {
      case JsonToken::String:
        return text(query::unquoted_json(spelled, scratch_));
      case JsonToken::True:
      case JsonToken::False: {
        const bool stored = token == JsonToken::True;
        return judge(kBoolean, kBoolean, [&](const Operand& operand) {
          return operand.kind() == Operand::Kind::Boolean && operand.boolean() == stored;
        });
      }
      case JsonToken::Number:
        return number(spelled);
      case JsonToken::Null:
        return term_.check == Term::Check::Exists && (term_.types & kNull) != 0;
      default:
        return false;
    }
  }

  // `wanted`: the kinds of values of which the term takes one.
  template <typename Compare>
  bool judge(Types wanted, Types type, Compare&& compare) const {
    if ((term_.types & wanted) == 0 || term_.check == Term::Check::Absent) {
      return false;
    }
    if (term_.check == Term::Check::Exists) {
      return true;
    }
    const bool equal = (term_.operand->types() & type) != 0 && compare(*term_.operand);
    return equal != term_.negated;
  }

  bool text(std::string_view stored) const {
    const Types type = stored.find(' ') == std::string_view::npos ? kWord : kText;
    return judge(kWord | kText, type,
                 [&](const Operand& operand) { return operand.matches(stored); });
  }

  bool number(std::string_view spelled) const {
    const auto number = query::Number::parse(spelled);
    if (!number) {
      return false;
    }
    if (number->is_integer()) {
      // What lies above int64 is negative there.
      std::uint64_t word = 0;
      const auto small = number->as_int64();
      for (const char digit : spelled) {
        word = word * 10 + static_cast<std::uint64_t>(digit - '0');
      }
      const std::int64_t stored = small ? *small : static_cast<std::int64_t>(word);
      return judge(kInteger, kInteger,
                   [&](const Operand& operand) { return operand.compares(stored); });
    }
    return judge(kFloat, kFloat,
                 [&](const Operand& operand) { return operand.compares(number->as_double()); });
  }

  const Term& term_;
  const KeyMachine& machine_;
  std::string scratch_;
};

}  // namespace

Result<Factor> input_ranges(const Archive& archive, const Term& term) {
  FONDS_TRY(const KeyMachine machine, KeyMachine::make(term.key->steps));
  Properties properties(term, machine);
  Factor ranges;
  for (const InputRange& input : archive.metadata().inputs) {
    if (!properties.match(input.properties)) {
      continue;
    }
    const auto begin = static_cast<std::int64_t>(input.begin);
    const auto end = static_cast<std::int64_t>(input.end);
    if (!ranges.empty() && ranges.back().end == begin) {
      ranges.back().end = end;
      continue;
    }
    Term range;
    range.check = Term::Check::LogRange;
    range.begin = begin;
    range.end = end;
    ranges.push_back(range);
  }
  return ranges;
}

TimeRanges::TimeRanges(const Archive& archive) {
  for (const TimeRange& range : archive.metadata().time_ranges) {
    const auto path = query::parse_path(range.key, query::Meaning::ClpS);
    if (!path) {
      continue;
    }
    Entry entry{.keys = {}, .range = &range};
    for (const query::PathStep& step : path->steps) {
      // The original compares some keys as they are escaped, so that they are never found.
      const bool escaped = step.key.find_first_of("\\*") != std::string::npos;
      entry.keys.push_back(escaped ? "\\" + step.key : step.key);
    }
    entries_.push_back(std::move(entry));
  }
}

const TimeRange* TimeRanges::range_of(const Term& term) const {
  constexpr Types kTimes = kInteger | kFloat | kTime;
  if (term.check != Term::Check::Compare || (term.types & kTimes) == 0 ||
      term.key->has_wildcard()) {
    return nullptr;
  }
  for (const Entry& entry : entries_) {
    if (std::equal(entry.keys.begin(), entry.keys.end(), term.key->steps.begin(),
                   term.key->steps.end(),
                   [](const std::string& key, const auto& step) { return key == step.key; })) {
      return entry.range;
    }
  }
  return nullptr;
}

bool TimeRanges::excludes(const TimeRange& range, const Term& term) {
  const Operand& operand = *term.operand;
  if (!operand.is_number()) {
    return false;
  }
  Known known = Known::Nothing;
  if (range.encoding == TimeRange::Encoding::DoubleEpoch) {
    known = known_of(operand.comparison(), operand.real(), range.begin_real, range.end_real);
  } else if (range.encoding == TimeRange::Encoding::Epoch) {
    if (const auto integer = operand.range_integer()) {
      known = known_of(operand.comparison(), *integer, range.begin, range.end);
    }
  }
  return known == (term.negated ? Known::Holds : Known::Fails);
}

}  // namespace fonds::clps::compat
