#include "queries.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/record_fields.hpp>

#include "flags.hpp"

namespace fonds::cli {

std::string explained(std::string_view text, const Error& error) {
  return error.where().decoded_offset ? query::explain(text, error) : error.message();
}

std::optional<query::Query> parse_where(const Arguments& arguments) {
  if (!arguments.has("--where")) {
    return std::nullopt;
  }
  const std::string& text = arguments.get("--where");
  auto parsed =
      query::parse(text, {.ignore_case = arguments.has("--ignore-case"), .date_ranges = true});
  if (!parsed) {
    throw QueryError{explained(text, parsed.error())};
  }
  return std::move(*parsed);
}

void hint_names(const std::string& archive, const Format& format,
                const std::set<std::string>& names, Messages& messages) {
  std::vector<std::string_view> known;
  for (const FieldInfo& field : format.fields()) {
    known.push_back(field.name);
  }
  constexpr std::size_t kShortest = 5;  // of shorter ones nobody can tell
  for (const std::string& name : names) {
    const std::string_view near = nearest(name, known);
    if (name.size() >= kShortest && near.starts_with(name.front())) {
      messages.hint(
          fmt::format("{}: no record has a field {}; did you mean {}?", archive, name, near));
    }
  }
}

void hint_names(const ops::MissingNames& missing, Messages& messages) {
  for (const auto& [archive, format, names] : missing.of_archives()) {
    hint_names(archive, *format, names, messages);
  }
}

void hint_fields(const ops::MissingNames& missing, Messages& messages) {
  for (const auto& [archive, format, names] : missing.of_archives()) {
    for (const std::string& name : names) {
      messages.hint(fmt::format("{}: no record has an attribute {} (--fields)", archive, name));
    }
  }
}

}  // namespace fonds::cli
