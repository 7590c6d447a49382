// What `info` and `search` tell of a stream.
#pragma once

#include <functional>

#include <fonds/format.hpp>

#include "format/common/record_search.hpp"

namespace fonds::kvir {

// Version, encoding and metadata; with `deep`, for which the whole stream is read, also numbers of
// events and keys. Errors: those of reading.
Status describe_stream(const Archive& archive, const ReadOptions& options, bool deep,
                       AttributeSink& out);

// The keys with how many events have them, objects before what they contain. Errors: those of
// reading and of `out`.
Status list_fields(const Archive& archive, const ReadOptions& options,
                   const std::function<Status(const EventField&)>& out,
                   const std::function<void(const Finding&)>& finding);

// Errors: those of reading and of JsonJudge.
Result<SearchReport> search_stream(const Archive& archive, const query::Query& query,
                                   const SearchOptions& options, const SearchSink& sink);
// As RecordSearch::search_records().
Status find_records(const Archive& archive, const query::Query& query, const SearchOptions& options,
                    const RecordSearch::Take& take,
                    const std::function<void(const Finding&)>& finding);

}  // namespace fonds::kvir
