// The catalog of a crawl: what is known of the records of web archives, as events of a clp-s
// archive. Bodies stay where they are; each event names the place of its record.
#pragma once

#include <functional>
#include <string_view>

#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/format.hpp>
#include <fonds/formats/clps_writing.hpp>
#include <fonds/query.hpp>

#include "ops/missing_names.hpp"
#include "ops/scan.hpp"

namespace fonds::ops {

// The key of an event's time.
inline constexpr std::string_view kCatalogTime = "date";

// Adds an event for each record of a web archive, whose name in the events is `name`, in file
// order; what is written does not depend on the number of threads. Of damaged archives
// all that can be read goes in. With `where` only of records that match; `missing`, if given, gets
// what it names and no record has. Errors: those of reading, of the writer and of
// RecordChoice::make(); Corrupt at the first warning or error, which was told, with scan.strict.
Status add_catalog(clps::ArchiveWriter& writer, const Archive& archive, std::string_view name,
                   const query::Query* where, MissingNames* missing, const ScanOptions& scan,
                   const std::function<void(const Finding&)>& on_finding);

}  // namespace fonds::ops
