// Searches that give records, where a format reads them one by one.
#pragma once

#include <functional>

#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/format.hpp>
#include <fonds/query.hpp>
#include <fonds/reader.hpp>
#include <fonds/record.hpp>
#include <fonds/search.hpp>

namespace fonds {

// What a Format may be besides.
class RecordSearch {
 public:
  // Takes a record that matches, before anything of its block is consumed, and finishes it.
  using Take = std::function<Status(RecordReader& reader, const Record& record)>;

  virtual ~RecordSearch() = default;
  // As Format::search() for Want::Records, but the records themselves. Errors: its own, and those
  // of `take`.
  virtual Status search_records(const Archive& archive, const query::Query& query,
                                const SearchOptions& options, const Take& take,
                                const std::function<void(const Finding&)>& finding) const = 0;
};

}  // namespace fonds
