#include "ops/search_total.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/query.hpp>

namespace fonds::ops {

using Want = SearchOptions::Want;

Status SearchTotal::add(SearchGroup group, std::uint64_t memory) {
  switch (want_) {
    case Want::Records:
    case Want::Any:
      break;
    case Want::Count:
      count_ += group.count;
      break;
    case Want::CountByTime:
      if (group.begin) {
        held_ += times_.contains(*group.begin) ? 0 : 64;
        times_[*group.begin] += group.count;
      } else {
        timeless_ += group.count;
      }
      break;
    case Want::Min:
    case Want::Max:
      add_extreme(std::move(group.value));
      break;
    case Want::Unique: {
      const auto [place, fresh] = values_.try_emplace(std::move(group.value), 0);
      place->second += group.count;
      held_ += fresh ? 96 + place->first.size() : 0;
      break;
    }
  }
  if (held_ > memory) {
    return fail(
        ErrorCode::LimitExceeded,
        fmt::format("there are more different groups than {} bytes hold; --memory raises the limit",
                    memory));
  }
  return {};
}

// Numbers by their size, else texts, which are times of one form.
void SearchTotal::add_extreme(std::string value) {
  if (extreme_.empty()) {
    extreme_ = std::move(value);
    return;
  }
  const auto held = query::Number::parse(extreme_);
  const auto other = query::Number::parse(value);
  const std::partial_ordering order = held && other
                                          ? other->compare(*held)
                                          : static_cast<std::partial_ordering>(value <=> extreme_);
  if (want_ == Want::Min ? order < 0 : order > 0) {
    extreme_ = std::move(value);
  }
}

std::vector<SearchGroup> SearchTotal::groups() const {
  std::vector<SearchGroup> groups;
  if (want_ == Want::Count) {
    groups.push_back({.count = count_});
  }
  for (const auto& [begin, count] : times_) {
    groups.push_back({.begin = begin, .count = count});
  }
  if (timeless_ > 0) {
    groups.push_back({.count = timeless_});
  }
  if (!extreme_.empty()) {
    groups.push_back({.value = extreme_});
  }
  for (const auto& [value, count] : values_) {
    groups.push_back({.count = count, .value = value});
  }
  return groups;
}

}  // namespace fonds::ops
