// Two archives record by record: `fonds compare`. What counts as equal: docs/how-to/
// compare-archives.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/format.hpp>

#include "ops/compare_entry.hpp"
#include "ops/scan.hpp"

namespace fonds::ops {

struct CompareOptions {
  // Of both archives together. There is a thread for each archive at least.
  ScanOptions scan;
  HeaderComparison headers;
  bool blocks_only = false;  // presence, order and blocks
};

// One difference between the archives. The views live as long as the call that gives them.
struct Difference {
  // "only-in-a", "only-in-b", "order", "header", "block", "damage"; "added" for a record that says
  // what was converted, which is no difference.
  std::string_view kind;
  const Entry* a = nullptr;  // null: it has none
  const Entry* b = nullptr;
  std::string_view what = {};  // of the header: the name of a field or attribute
  std::optional<std::string_view> value_a = {}, value_b = {};
  // The first octet of the block that differs, from 0; nothing if it was not looked for.
  std::optional<std::uint64_t> first_difference = {};
};

struct CompareSummary {
  std::uint64_t records_a = 0, records_b = 0;
  std::uint64_t paired = 0;  // records that are in both
  std::uint64_t equal = 0;   // of these, without any difference
  std::uint64_t only_a = 0, only_b = 0;
  std::uint64_t added = 0;  // records that say what was converted
  std::uint64_t differences = 0;
};

struct CompareReport {
  // Called from the thread that compares, in an order that does not depend on the threads.
  std::function<Status(const Difference&)> difference;
  // Of one archive or the other, from any thread, one at a time.
  std::function<void(const Finding&)> finding;
};

// Pairs records by place and id, and compares each pair. Memory grows with the records that have no
// counterpart where it should be. Errors: those of reading, and of `report.difference`.
Result<CompareSummary> compare(const Archive& a, const Archive& b, const CompareOptions& options,
                               const CompareReport& report);

}  // namespace fonds::ops
