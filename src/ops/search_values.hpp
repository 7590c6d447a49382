// Values of the options of a search, as people write them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/query.hpp>

namespace fonds::ops {

// A time in ns since 1970 UTC: epoch milliseconds if it is a whole number, else ISO 8601 in any
// granularity, UTC without an offset. Beyond int64 it saturates. Errors: BadArgument.
Result<std::int64_t> parse_instant(std::string_view text);

// A duration in ns: "250ms", "10s", "5m", "1h", "2d", "1w"; a plain number is milliseconds. At
// least 1 ms. Errors: BadArgument.
Result<std::int64_t> parse_duration(std::string_view text);

// The keys of a list such as `a,"b,c",d.e`: commas part them, but not in quotes, and `\,` is a
// comma. A comma alone at an end parts nothing from nothing, which is an empty key.
std::vector<std::string> split_keys(std::string_view list);

// Keys to be projected. `failed` becomes the key with the fault. Errors: BadArgument: those of
// query::parse_path; for wildcards and for keys given twice.
Result<std::vector<query::Path>> parse_projection(std::span<const std::string> keys,
                                                  query::Meaning meaning, std::string& failed);

// "2024-03-01T00:00:00Z", with milliseconds or more where there are some.
std::string format_instant(std::int64_t ns);

}  // namespace fonds::ops
