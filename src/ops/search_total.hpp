// Answers of a search that are no records, added up: of records, of ranges, of archives.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/search.hpp>

namespace fonds::ops {

class SearchTotal {
 public:
  explicit SearchTotal(SearchOptions::Want want) : want_(want) {}

  // Errors: LimitExceeded if the different groups take more than `memory` bytes.
  Status add(SearchGroup group, std::uint64_t memory);
  // By time, those without one last; by value.
  std::vector<SearchGroup> groups() const;
  // Bytes that are held, if they are many.
  std::uint64_t held() const { return held_; }

 private:
  void add_extreme(std::string value);

  SearchOptions::Want want_;
  std::uint64_t count_ = 0;
  std::string extreme_;  // JSON
  std::map<std::int64_t, std::uint64_t> times_;
  std::uint64_t timeless_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> values_;
  std::uint64_t held_ = 0;
};

}  // namespace fonds::ops
