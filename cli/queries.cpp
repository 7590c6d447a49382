#include "queries.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

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

}  // namespace fonds::cli
