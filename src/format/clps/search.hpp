// Searching one archive.
#pragma once

#include <memory>

#include <fonds/error.hpp>
#include <fonds/formats/clps.hpp>
#include <fonds/query.hpp>
#include <fonds/search.hpp>

namespace fonds::clps {

// Gives the records that match, or what else is wanted of them. What cannot be read is told to the
// sink or to ArchiveOptions::on_finding and matches nothing. The sink is called on this thread
// only; what it is given does not depend on `threads`.
//
// Errors: BadArgument for options that make no sense with this archive (no timestamp column for
// `since`, `until` or CountByTime; an empty interval; a projected key with a wildcard or twice);
// LimitExceeded, Io, Cancelled; those of the sink.
Result<SearchReport> search(std::shared_ptr<const Archive> archive, const query::Query& query,
                            const SearchOptions& options, const SearchSink& sink);

}  // namespace fonds::clps
