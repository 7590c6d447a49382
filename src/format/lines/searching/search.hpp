// `search` on JSON Lines.
#pragma once

#include <fonds/format.hpp>

namespace fonds::lines {

// Lines in which nothing stands that a match needs are not parsed, and not told of if they are no
// JSON. Errors: those of reading and of JsonJudge.
Result<SearchReport> search_events(const Archive& archive, const query::Query& query,
                                   const SearchOptions& options, const SearchSink& sink);

// The keys of all records with how many records have them. Errors: those of reading and of `out`;
// LimitExceeded if there are more different keys than an eighth of the memory holds.
Status list_event_fields(const Archive& archive, const ReadOptions& options,
                         const std::function<Status(const EventField&)>& out,
                         const std::function<void(const Finding&)>& finding);

}  // namespace fonds::lines
