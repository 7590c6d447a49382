#include "format/common/field_path.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <fonds/query.hpp>
#include <fonds/record_fields.hpp>

#include "base/date_span.hpp"
#include "base/text.hpp"

namespace fonds {
namespace {

bool matches(std::span<const query::PathStep> path, std::span<const std::string_view> steps,
             bool any_case) {
  if (path.empty()) {
    return steps.empty();
  }
  if (path.front().wildcard) {
    return matches(path.subspan(1), steps, any_case) ||
           (!steps.empty() && matches(path, steps.subspan(1), any_case));
  }
  if (steps.empty()) {
    return false;
  }
  const bool same = any_case && steps.size() == 1
                        ? equals_ignoring_case(path.front().key, steps.front())
                        : path.front().key == steps.front();
  return same && matches(path.subspan(1), steps.subspan(1), any_case);
}

}  // namespace

bool names_field(const query::Path& path, std::span<const std::string_view> steps, bool any_case) {
  return matches(path.steps, steps, any_case);
}

bool names_field(const query::Path& path, std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) {
    return names_field(path, std::array{name});
  }
  return names_field(path, std::array{name.substr(0, dot), name.substr(dot + 1)});
}

bool asks_fields(const query::Path& path) { return path.space == query::Namespace::User; }

bool asks_content(const query::Path& path) {
  const query::PathStep& first = path.steps.front();
  return asks_fields(path) && !first.wildcard && (first.key == "body" || first.key == "payload");
}

void FieldTeller::text(std::string_view value) const {
  if (!is_utf8(value)) {
    const std::string read = latin1_to_utf8(value);
    out_.value(wanted_, name_, {.kind = FieldValue::Kind::Text, .text = read});
    return;
  }
  out_.value(wanted_, name_, {.kind = FieldValue::Kind::Text, .text = value});
}

void FieldTeller::some_text(std::string_view value) const {
  if (!value.empty()) {
    text(value);
  }
}

void FieldTeller::number(std::uint64_t value) const {
  const fmt::format_int digits(value);
  out_.value(wanted_, name_,
             {.kind = FieldValue::Kind::Number, .text = {digits.data(), digits.size()}});
}

void FieldTeller::time(std::string_view text, DateSpan span) const {
  out_.value(wanted_, name_,
             {.kind = FieldValue::Kind::Time, .text = text, .begin = span.begin, .end = span.end});
}

void FieldTeller::object() const {
  out_.value(wanted_, name_, {.kind = FieldValue::Kind::Object, .text = {}});
}

}  // namespace fonds
