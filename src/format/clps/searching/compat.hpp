// Searching with the meaning that queries have for clp-s 0.12.1b0, surprises included.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <fonds/error.hpp>
#include <fonds/formats/clps.hpp>
#include <fonds/query.hpp>

#include "format/clps/searching/search_plan.hpp"

namespace fonds::clps {

// `since`, `until`: bounds of the archive's timestamp column, both included, which are part of the
// query. The archive outlives the planner. Errors: BadArgument if nothing can match whatever is
// stored, or if there is no such column; LimitExceeded for a query with too many alternatives.
Result<std::unique_ptr<Planner>> make_compat_planner(const Archive& archive,
                                                     const query::Query& query,
                                                     std::optional<std::int64_t> since,
                                                     std::optional<std::int64_t> until);

}  // namespace fonds::clps
