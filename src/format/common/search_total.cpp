#include "format/common/search_total.hpp"

#include <compare>
#include <utility>

#include <fmt/core.h>

namespace fonds {
namespace {

using Want = SearchOptions::Want;

constexpr std::uint64_t kTimeOverhead = 64;   // of an entry of a map
constexpr std::uint64_t kValueOverhead = 96;  // of an entry of a hash table

}  // namespace

void SearchTotal::add_time(std::optional<std::int64_t> begin, std::uint64_t records) {
  if (!begin) {
    timeless_ += records;
    return;
  }
  const auto [place, fresh] = times_.try_emplace(*begin, 0);
  place->second += records;
  held_ += fresh ? kTimeOverhead : 0;
}

void SearchTotal::add_value(std::string_view json, std::uint64_t records) {
  const auto [place, fresh] = values_.try_emplace(std::string(json), 0);
  place->second += records;
  held_ += fresh ? kValueOverhead + json.size() : 0;
}

void SearchTotal::add_extreme(std::string_view json, std::optional<query::Number> number) {
  if (!extreme_.empty()) {
    const std::partial_ordering order =
        number && number_ ? number->compare(*number_)
                          : static_cast<std::partial_ordering>(json <=> std::string_view(extreme_));
    if (want_ == Want::Min ? !(order < 0) : !(order > 0)) {
      return;
    }
  }
  extreme_ = json;
  number_ = std::move(number);
}

void SearchTotal::add(const SearchGroup& group) {
  switch (want_) {
    case Want::Records:
    case Want::Any:
      break;
    case Want::Count:
      add_count(group.count);
      break;
    case Want::CountByTime:
      add_time(group.begin, group.count);
      break;
    case Want::Min:
    case Want::Max:
      add_extreme(group.value, query::Number::parse(group.value));
      break;
    case Want::Unique:
      add_value(group.value, group.count);
      break;
  }
}

void SearchTotal::add(const SearchTotal& other) {
  count_ += other.count_;
  timeless_ += other.timeless_;
  for (const auto& [begin, records] : other.times_) {
    add_time(begin, records);
  }
  for (const auto& [value, records] : other.values_) {
    add_value(value, records);
  }
  if (!other.extreme_.empty()) {
    add_extreme(other.extreme_, other.number_);
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
  const std::map<std::string_view, std::uint64_t> sorted(values_.begin(), values_.end());
  for (const auto& [value, count] : sorted) {
    groups.push_back({.count = count, .value = std::string(value)});
  }
  return groups;
}

Status SearchTotal::check(std::uint64_t memory) const {
  if (held_ <= memory) {
    return {};
  }
  return fail(ErrorCode::LimitExceeded,
              fmt::format("{} different values or times take {} bytes, which the memory limit does "
                          "not leave to them; --memory allows more",
                          values_.size() + times_.size(), held_));
}

}  // namespace fonds
