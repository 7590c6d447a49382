#include "conformance/laws.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/rows.hpp"

namespace fonds::laws {

const std::vector<Law>& all_laws() {
  static const std::vector<Law> all = [] {
    std::vector<Law> together;
    for (auto part : {reading_laws(), served_laws(), finding_laws(), rewriting_laws(),
                      writing_laws(), search_laws(), field_search_laws()}) {
      std::ranges::move(part, std::back_inserter(together));
    }
    return together;
  }();
  return all;
}

bool row_fits(std::string_view pattern, const Row& row) {
  const std::string_view name = row.name;
  return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1))
                                : name == pattern;
}

bool is_about(const Law& law, const Row& row) {
  const bool here = row.site == nullptr;
  if (here ? law.asked == Asked::AtServers : law.asked == Asked::Here) {
    return false;
  }
  // What is large takes long; the law of servers reads it.
  if (!here &&
      ((row.large && law.asked != Asked::AtServers) || (row.directory && !row.site->lists))) {
    return false;
  }
  return (law.of_damaged || !row.damaged) && (law.is_about == nullptr || law.is_about(row));
}

namespace {

bool is_met(const Exception& exception, const Row& row) {
  return exception.site.empty() || (row.site != nullptr && row.site->name == exception.site);
}

}  // namespace

const Exception* exception_of(const Law& law, const Row& row) {
  const auto& all = exceptions();
  const auto found = std::ranges::find_if(all, [&](const Exception& exception) {
    return exception.law == law.name && is_met(exception, row) &&
           std::ranges::any_of(exception.rows,
                               [&](const std::string& pattern) { return row_fits(pattern, row); });
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace fonds::laws
