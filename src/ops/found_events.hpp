// Events that a search has found, for those who write them.
#pragma once

#include <string_view>

#include <fonds/error.hpp>
#include <fonds/format.hpp>
#include <fonds/query.hpp>
#include <fonds/search.hpp>

#include "format/common/record_search.hpp"

namespace fonds::ops {

// Format::search() with a query that was parsed for records of any kind. With `take` records that
// match are given to it, where the format has them one by one, and only else lines to the sink.
// Errors: those of Format::search(); BadArgument for ranges of dates, which only fields have.
Result<SearchReport> find_events(const Archive& archive, const query::Query& query,
                                 const SearchOptions& options, const SearchSink& sink,
                                 const RecordSearch::Take& take = {});

// The format of JSON Lines that are events.
const Format& events_format();

// Lines, each an event, as an archive that holds a copy of them and is called `name`.
Archive events_in_memory(std::string_view lines, std::string_view name);

}  // namespace fonds::ops
