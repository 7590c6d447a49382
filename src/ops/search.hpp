// Asking archives: `fonds search`.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/format.hpp>
#include <fonds/query.hpp>
#include <fonds/search.hpp>

#include "format/common/search_total.hpp"
#include "ops/list.hpp"
#include "ops/scan.hpp"

namespace fonds::ops {

struct SearchRequest {
  query::Query query;
  SearchOptions search;       // `read` is given with each archive; `limit` holds over all of them
  std::string field = {};     // `search.field` as it was written
  bool json = false;          // answers that are no records as JSON objects
  bool with_archive = false;  // answers that are no records name their archive
  bool align = false;         // tables for a terminal; else tabs
  bool total = false;         // one answer for all archives; not for Records and Any
  bool strict = false;        // stop at the first warning or error
  // CDXJ of web archives: records that they rule out are not read.
  std::vector<std::string> indexes = {};
};

// Asks archives one after the other and puts the answers out. Records come as JSON Lines; counts
// and groups as tables or objects, of each archive or, with `total`, of all at the end.
class Search {
 public:
  // Both outlive the object.
  Search(const SearchRequest& request, const Output& out) : request_(request), out_(out) {}

  // Errors: those of Format::search or search_records(), and of `out.text`; LimitExceeded if the
  // different values of `total` take more than an eighth of the memory.
  Status ask(const Archive& archive, const ScanOptions& scan);
  // To be called at the end: gives the answer of `total`.
  Status finish();

  std::uint64_t matched() const { return matched_; }
  // Names in the query that are no fields of the last archive's records; empty if it was not asked
  // for fields.
  const std::set<std::string>& unknown_names() const { return unknown_names_; }
  // Whether no further archive can add to the answer.
  bool enough() const;

 private:
  Result<SearchReport> answer(const Archive& archive, const ScanOptions& scan,
                              const SearchOptions& options, const SearchSink& sink);
  Status tell(std::string_view archive, const SearchReport& report);
  std::string row(std::string_view archive, const SearchGroup& group) const;
  std::string object(std::string_view archive, const SearchGroup& group) const;

  const SearchRequest& request_;
  const Output& out_;
  std::uint64_t matched_ = 0;
  bool stopped_ = false;  // by `strict`
  std::set<std::string> unknown_names_;
  std::optional<SearchTotal> total_;  // with the first archive
};

// The keys of an archive's events, or the fields of its records, as a table or as objects. Returns
// how many there are. Errors: those of reading; Unsupported for formats with neither; those of
// `out.text`.
struct ListFieldsOptions {
  bool json = false, with_archive = false, align = false;
  ScanOptions scan = {};
};
Result<std::uint64_t> list_fields(const Archive& archive, const ListFieldsOptions& options,
                                  const Output& out);

}  // namespace fonds::ops
