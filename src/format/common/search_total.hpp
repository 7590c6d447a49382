// Answers of a search that are no records, added up: of records, of parts of an archive, of
// archives.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/query.hpp>
#include <fonds/search.hpp>

namespace fonds {

class SearchTotal {
 public:
  explicit SearchTotal(SearchOptions::Want want) : want_(want) {}

  void add_count(std::uint64_t records) { count_ += records; }
  // Records of the interval that begins there, or without a time.
  void add_time(std::optional<std::int64_t> begin, std::uint64_t records);
  void add_value(std::string_view json, std::uint64_t records);
  // Of all that are added, the least or the greatest: numbers by their size, else texts, which are
  // times of one form. `number`: what the JSON is; nothing for texts.
  void add_extreme(std::string_view json, std::optional<query::Number> number);
  // What any of these said elsewhere, or how many records there are.
  void add(const SearchGroup& group);
  void add(const SearchTotal& other);

  // By time, those without one last; by value.
  std::vector<SearchGroup> groups() const;

  // Bytes that are held, if they are many.
  std::uint64_t held() const { return held_; }
  // Errors: LimitExceeded if that is more than `memory`.
  Status check(std::uint64_t memory) const;

 private:
  SearchOptions::Want want_;
  std::uint64_t count_ = 0;
  std::string extreme_;                  // JSON; empty: none
  std::optional<query::Number> number_;  // that it is
  std::map<std::int64_t, std::uint64_t> times_;
  std::uint64_t timeless_ = 0;
  std::unordered_map<std::string, std::uint64_t> values_;
  std::uint64_t held_ = 0;
};

}  // namespace fonds
