// What must hold of a damaged archive, checked on one variant at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "campaign/rows.hpp"
#include "campaign/variants.hpp"

namespace fonds::campaign {

// What became of variants; plain numbers, so that it can lie in memory that processes share.
struct Tally {
  std::uint64_t variants = 0;
  std::uint64_t touched = 0, lost = 0;  // records inside damaged regions; not delivered whole
  std::uint64_t outside = 0, outside_read = 0;  // records elsewhere; delivered octet for octet
  std::uint64_t found = 0;                      // verify told of the damage
  std::uint64_t harmless = 0;                   // not told, and every record is as it was
  std::uint64_t unknowable = 0;                 // not told, and nothing in the file shows it
  std::uint64_t swallowed = 0;       // records elsewhere; a wrong header leads to just behind them
  std::uint64_t something_else = 0;  // the beginning became that of another codec or format
  std::uint64_t repaired = 0;        // the repaired archive is without errors and has all the rest
  std::uint64_t doubtful = 0;        // the same, but for blocks that do not fit their digests
  std::uint64_t breaches = 0;
  std::uint64_t most_cpu_us = 0;

  void add(const Tally& other);
};

// A row, and what its undamaged archive holds.
class Judge {
 public:
  explicit Judge(Row row);

  const Row& row() const { return row_; }
  const std::vector<std::uint64_t>& borders() const { return borders_; }
  std::size_t records() const { return records_.size(); }

  // Reads, verifies and repairs the variant. Returns what breaks the rules, a sentence each.
  // `repaired`, if it is asked for, becomes the repaired archive.
  std::vector<std::string> judge(const Variant& variant, Tally& tally,
                                 std::string* repaired = nullptr) const;

 private:
  struct Kept {
    std::uint64_t digest = 0;
    std::string format, kind, uri, id, index;
    bool suspect = false;            // an error was told of it
    std::uint64_t from = 0, to = 0;  // its region
    bool begins_unit = false;
    std::uint64_t block_from = 0, block_to = 0;  // plain records: where the block lies
    std::string what;
  };
  struct Reading;
  Reading read(const std::string& bytes, bool search_damaged) const;
  std::uint64_t needed_from(const Kept& record) const;
  bool is_outside(const Kept& record, const Variant& variant) const;
  bool is_something_else(const Variant& variant, const Reading& reading) const;
  bool is_swallowed(const Kept& record, const Variant& variant, const Reading& reading) const;
  bool may_be_silent(const Variant& variant) const;
  bool is_whole_units(const std::string& bytes) const;
  // Of the records outside, those that `reading` does not have. `damaged`: of the variant itself.
  std::vector<std::string> missing(const Reading& reading, const Variant& variant,
                                   const Reading& damaged) const;
  void count(const Reading& damaged, const Variant& variant, Tally& tally) const;
  void check_repair(const Variant& variant, const Reading& damaged, Tally& tally,
                    std::vector<std::string>& breaches, std::string* repaired) const;

  std::string key_of(const Kept& record) const;
  std::vector<std::string> judge_companion(const Variant& variant, Tally& tally) const;

  Row row_;
  std::vector<Kept> records_;
  std::vector<std::uint64_t> borders_;  // where units begin
};

}  // namespace fonds::campaign
