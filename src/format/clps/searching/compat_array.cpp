#include "format/clps/searching/compat_array.hpp"

#include <charconv>
#include <system_error>

namespace fonds::clps::compat {
namespace {

using query::JsonToken;

// Ranges are not known in arrays: what is asked then is whether a number differs.
bool compares_number(std::string_view spelled, const Operand& operand) {
  const bool real = spelled.find_first_of(".eE") != std::string_view::npos;
  const char* const end = spelled.data() + spelled.size();
  if (real) {
    double value = 0;
    if (std::from_chars(spelled.data(), end, value).ec != std::errc()) {
      return false;
    }
    return (value == operand.real()) == operand.equal();
  }
  std::int64_t value = 0;
  std::uint64_t word = 0;
  if (std::from_chars(spelled.data(), end, value).ec == std::errc()) {
    word = static_cast<std::uint64_t>(value);
  } else if (std::from_chars(spelled.data(), end, word).ec != std::errc()) {
    return false;
  }
  return (word == static_cast<std::uint64_t>(operand.integer())) == operand.equal();
}

}  // namespace

bool ArrayTest::compares(JsonToken token, std::string_view spelled, const Operand& operand,
                         bool numbers) {
  switch (token) {
    case JsonToken::String:
      return (operand.types() & (kWord | kText)) != 0 &&
             operand.matches(query::unquoted_json(spelled, scratch_));
    case JsonToken::Number:
      return numbers && operand.is_number() && compares_number(spelled, operand);
    case JsonToken::True:
    case JsonToken::False:
      return operand.kind() == Operand::Kind::Boolean && operand.equal() &&
             operand.boolean() == (token == JsonToken::True);
    case JsonToken::Null:
      return operand.kind() == Operand::Kind::Null && operand.equal();
    default:
      return false;
  }
}

bool ArrayTest::holds(std::string_view json, std::span<const query::PathStep> rest,
                      const Term& term) {
  const bool exists = term.check == Term::Check::Exists;
  query::JsonScanner scanner(json);
  levels_.clear();
  Level value{.live = true};  // where the next value stands
  while (true) {
    const JsonToken token = scanner.next();
    switch (token) {
      case JsonToken::End:
      case JsonToken::Damaged:
        return false;
      case JsonToken::Key: {
        Level& object = levels_.back();
        value = {.live = false, .depth = object.depth + 1};
        if (object.live && !object.taken &&
            query::unquoted_json(scanner.spelled(), scratch_) == rest[object.depth].key) {
          object.taken = true;
          value.live = true;
          if (exists && value.depth == rest.size()) {
            return true;
          }
        }
        continue;
      }
      case JsonToken::BeginObject:
        value.object = true;
        value.live = value.live && value.depth < rest.size();
        levels_.push_back(value);
        continue;
      case JsonToken::BeginArray:
        value.object = false;
        levels_.push_back(value);
        break;
      case JsonToken::EndObject:
      case JsonToken::EndArray:
        levels_.pop_back();
        break;
      default:
        // A null is found before the keys are at their end, too.
        if (value.live && !exists && (token == JsonToken::Null || value.depth == rest.size()) &&
            compares(token, scanner.spelled(), *term.operand, true)) {
          return true;
        }
        break;
    }
    value = levels_.empty() ? Level{} : levels_.back();
    value.live = value.live && !value.object;
    value.taken = false;
  }
}

bool ArrayTest::holds_anywhere(std::string_view json, const Operand& operand, bool numbers) {
  query::JsonScanner scanner(json);
  while (true) {
    const JsonToken token = scanner.next();
    if (token == JsonToken::End || token == JsonToken::Damaged) {
      return false;
    }
    if (compares(token, scanner.spelled(), operand, numbers)) {
      return true;
    }
  }
}

}  // namespace fonds::clps::compat
