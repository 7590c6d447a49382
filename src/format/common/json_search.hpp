// Searches of records that are JSON objects, one after the other: what formats of events without
// columns have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/query.hpp>
#include <fonds/search.hpp>

#include "format/common/search_total.hpp"
#include "query/json_scanner.hpp"
#include "query/path_tracker.hpp"

namespace fonds {

// A record's trees of keys, each a JSON object; empty: there are none. Without line ends.
struct JsonEvent {
  std::string_view user, generated = {}, archive = {};
};

// What some records add to the answer of a search.
struct JsonAnswer {
  explicit JsonAnswer(SearchOptions::Want want) : total(want) {}
  // Puts the answer of later records behind this one's. `memory` bounds what is held of groups.
  // Errors: LimitExceeded.
  Status add(const JsonAnswer& later, std::uint64_t memory);
  SearchReport report() const;

  std::uint64_t matched = 0;  // records
  std::string lines;          // Want::Records: the records, each with its LF
  SearchTotal total;
};

// Asks records one by one. One thread at a time; what two judges of one search find adds up.
class JsonJudge {
 public:
  // `query` and `options` outlive the judge; `source` and `format` are for messages. Errors:
  // BadArgument for what the options cannot mean; Unsupported for Meaning::ClpS.
  static Result<JsonJudge> make(const query::Query& query, const SearchOptions& options,
                                std::string_view source, std::string_view format);

  // Adds the record to the answer if it matches. Errors: Corrupt if it is no JSON object, with the
  // octets before the damage as decoded_offset.
  Status take(const JsonEvent& event, JsonAnswer& answer);

 private:
  JsonJudge(const query::Query& query, const SearchOptions& options);
  std::optional<std::int64_t> time_of(const JsonEvent& event);
  void take_values(const JsonEvent& event, JsonAnswer& answer);
  template <typename Use>
  void for_each_value(std::string_view json, query::PathTracker& path, Use&& use);
  void append_projection(std::string_view json, std::string& out);

  const SearchOptions* options_;
  query::RecordMatch match_;
  std::vector<const query::Path*> projection_;  // of the user's keys
  query::PathTracker projected_, field_, time_;
  std::vector<std::uint32_t> all_projected_;
  std::string scratch_, text_;
  std::vector<std::string> values_;  // of one record
};

}  // namespace fonds
