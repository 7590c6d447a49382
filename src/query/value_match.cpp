#include "query/value_match.hpp"

#include <charconv>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/core.h>

#include <fonds/query.hpp>

#include "base/time_pattern.hpp"
#include "query/json_scanner.hpp"
#include "query/text_pattern.hpp"

namespace fonds::query {
namespace {

// Whether a stored value stands to the literal as the filter asks, if the literal stands to the
// value as `literal_to_value` says.
bool holds(Comparison comparison, std::partial_ordering literal_to_value) {
  switch (comparison) {
    case Comparison::Equal:
      return literal_to_value == 0;
    case Comparison::Less:
      return literal_to_value > 0;
    case Comparison::LessEqual:
      return literal_to_value >= 0;
    case Comparison::Greater:
      return literal_to_value < 0;
    case Comparison::GreaterEqual:
      return literal_to_value <= 0;
  }
  return false;
}

// The binary64 that is nearest to these nanoseconds in seconds, as a literal of that text would be.
double seconds_of(std::int64_t ns) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const bool negative = ns < 0;
  const std::uint64_t size =
      negative ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  const std::string text = fmt::format("{}.{:09}", size / kSecond, size % kSecond);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return negative ? -value : value;
}

// Of a JSON number. What overflows binary64 is infinite, so that it still has its place in the
// order.
Number stored_number(std::string_view json) {
  if (const auto number = Number::parse(json)) {
    return *number;
  }
  const double infinity = std::numeric_limits<double>::infinity();
  return Number(json.starts_with('-') ? -infinity : infinity);
}

std::int64_t instant_of(const Number& number) {
  if (const auto value = number.as_int64()) {
    return instant_of_number(*value);
  }
  if (number.is_integer()) {
    return number.as_double() < 0 ? std::numeric_limits<std::int64_t>::min()
                                  : std::numeric_limits<std::int64_t>::max();
  }
  return instant_of_number(number.as_double());
}

}  // namespace

struct ValueMatch::State {
  State(const Filter& filter, const ParseOptions& options)
      : comparison(filter.comparison),
        literal(filter.literal),
        exists(comparison == Comparison::Equal && literal.exists),
        pattern(text_pattern_of(filter, options)) {
    if (pattern) {
      exact = options.ignore_case ? std::nullopt : pattern->exact();
    }
    if (literal.instant) {
      seconds = seconds_of(*literal.instant);
      moment = literal.instant;
    } else if (literal.number) {
      moment = instant_of(*literal.number);
    }
  }

  bool compares(std::int64_t value) const {
    if (literal.number) {
      return holds(comparison, literal.number->compare(value));
    }
    return literal.instant && holds(comparison, *literal.instant <=> value);
  }
  bool compares(double value) const {
    if (literal.number) {
      return holds(comparison, literal.number->compare(value));
    }
    return literal.instant && holds(comparison, seconds <=> value);
  }
  bool compares(const Number& value) const {
    if (literal.number) {
      return holds(comparison, literal.number->compare(value));
    }
    if (!literal.instant) {
      return false;
    }
    return value.is_integer() ? holds(comparison, Number(*literal.instant).compare(value))
                              : compares(value.as_double());
  }

  Comparison comparison;
  Literal literal;
  bool exists = false;
  std::optional<TextPattern> pattern;
  std::optional<std::string_view> exact;  // views `pattern`
  double seconds = 0;                     // of literal.instant
  std::optional<std::int64_t> moment;     // what a timestamp column is compared with
};

ValueMatch::ValueMatch(const Filter& filter, const ParseOptions& options)
    : state_(std::make_unique<State>(filter, options)) {}
ValueMatch::~ValueMatch() = default;
ValueMatch::ValueMatch(ValueMatch&&) noexcept = default;
ValueMatch& ValueMatch::operator=(ValueMatch&&) noexcept = default;

bool ValueMatch::exists() const { return state_->exists; }

bool ValueMatch::may_match_text() const { return state_->exists || state_->pattern; }

bool ValueMatch::may_match_number() const {
  return state_->exists || state_->literal.number || state_->literal.instant;
}

bool ValueMatch::integer(std::int64_t value) const {
  return state_->exists || state_->compares(value);
}

bool ValueMatch::real(double value) const { return state_->exists || state_->compares(value); }

bool ValueMatch::number(std::string_view json) const {
  if (state_->exists || !may_match_number()) {
    return state_->exists;
  }
  std::int64_t value = 0;
  const auto read = std::from_chars(json.data(), json.data() + json.size(), value);
  if (read.ec == std::errc() && read.ptr == json.data() + json.size()) {
    return state_->compares(value);
  }
  return state_->compares(stored_number(json));
}

bool ValueMatch::boolean(bool value) const {
  return state_->exists ||
         (state_->comparison == Comparison::Equal && state_->literal.boolean == value);
}

bool ValueMatch::null() const {
  return state_->exists || (state_->comparison == Comparison::Equal && state_->literal.null);
}

bool ValueMatch::text(std::string_view value) const {
  if (state_->exact) {
    return value == *state_->exact;
  }
  return state_->exists || (state_->pattern && state_->pattern->matches(value));
}

bool ValueMatch::instant(std::int64_t ns, std::string_view json) const {
  if (state_->exists || (state_->moment && holds(state_->comparison, *state_->moment <=> ns))) {
    return true;
  }
  if (json.size() < 2 || json.front() != '"' || json.back() != '"' || !state_->pattern) {
    return false;
  }
  std::string scratch;
  JsonScanner scanner(json);
  return scanner.next() == JsonToken::String && text(unquoted_json(scanner.spelled(), scratch));
}

bool ValueMatch::json(std::string_view value) const {
  JsonScanner scanner(value);
  std::string scratch;
  bool found = state_->exists;
  std::size_t objects = 0;  // whose members are no elements
  while (true) {
    const JsonToken token = scanner.next();
    switch (token) {
      case JsonToken::Damaged:
        return false;
      case JsonToken::End:
        return found;
      case JsonToken::BeginObject:
        ++objects;
        break;
      case JsonToken::EndObject:
        --objects;
        break;
      default:
        found = found || (objects == 0 && matches_scalar(*this, token, scanner.spelled(), scratch));
        break;
    }
  }
}

bool matches_scalar(const ValueMatch& match, JsonToken token, std::string_view spelled,
                    std::string& scratch) {
  switch (token) {
    case JsonToken::String:
      return match.may_match_text() && match.text(unquoted_json(spelled, scratch));
    case JsonToken::Number:
      return match.may_match_number() && match.number(spelled);
    case JsonToken::True:
    case JsonToken::False:
      return match.boolean(token == JsonToken::True);
    case JsonToken::Null:
      return match.null();
    default:
      return false;
  }
}

std::optional<std::string_view> ValueMatch::exact_text() const { return state_->exact; }

const std::vector<std::string>& ValueMatch::pieces() const {
  static const std::vector<std::string> none;
  return state_->pattern ? state_->pattern->pieces() : none;
}

}  // namespace fonds::query
