// Searching archives with a query.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/query.hpp>
#include <fonds/reader.hpp>

namespace fonds {

struct SearchOptions {
  ReadOptions read = {};
  unsigned threads = 1;
  bool table_order = false;                 // clp-s: as stored instead of in log order
  std::optional<std::uint64_t> limit = {};  // of records that are given
  // Instants between which a record must lie, both included, in ns since 1970.
  std::optional<std::int64_t> since = {}, until = {};
  std::vector<query::Path> projection = {};  // empty: whole records

  // What is asked for.
  enum class Want : std::uint8_t {
    Records,
    Any,  // whether there is one
    Count,
    CountByTime,  // by intervals of `interval`
    Min,          // of the numbers at `field`
    Max,
    Unique,  // the different values at `field`
  } want = Want::Records;
  std::int64_t interval = 0;  // ns, above 0
  query::Path field = {};
  // The key of a record's time, without wildcards, where the archive does not tell it: JSON Lines,
  // KV-IR.
  std::optional<query::Path> time_key = {};
};

// One line of an answer that is no record.
struct SearchGroup {
  std::optional<std::int64_t> begin = {};  // CountByTime: of the interval, ns since 1970
  std::uint64_t count = 0;                 // Count, CountByTime, Unique: records
  std::string value = {};                  // Min, Max, Unique: JSON
};

struct SearchReport {
  std::uint64_t matched = 0;  // records; with `limit` or Any at least those that were found
  std::vector<SearchGroup> groups = {};  // CountByTime by time, Unique by value
};

struct SearchSink {
  // Records as JSON Lines, whole ones, possibly many. False: enough.
  std::function<Result<bool>(std::string_view lines)> lines;
  std::function<void(const Finding&)> finding;
};

}  // namespace fonds
