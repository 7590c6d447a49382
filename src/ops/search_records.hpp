// Searching records by the fields that their format tells, on several threads.
#pragma once

#include <set>
#include <span>
#include <string>

#include <fonds/format.hpp>
#include <fonds/query.hpp>
#include <fonds/search.hpp>

#include "ops/ruled_out.hpp"
#include "ops/scan.hpp"

namespace fonds::ops {

// What only records of fields are told of.
struct SearchedRecords {
  SearchReport report;
  // See RecordFilter::unknown_names(), of all records that were read.
  std::set<std::string> unknown_names;
};

// Gives the records that match as `ls --json --headers` does, in file order, or what `options.want`
// asks for. `options.read` is that of reading. Errors: those of reading and of the sink;
// BadArgument for what the options cannot mean on these records; Unsupported for formats without
// fields; LimitExceeded; Corrupt if the next record that is read behind one of `not_read`, which
// are passed over, does not begin where that ends.
Result<SearchedRecords> search_records(const Archive& archive, const query::Query& query,
                                       const SearchOptions& options, const ScanOptions& scan,
                                       const SearchSink& sink,
                                       std::span<const RuledOut> not_read = {});

}  // namespace fonds::ops
