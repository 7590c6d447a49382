// Archives of events out of JSON texts, KV-IR streams, other such archives, and of what web
// archives hold (ops/catalog.hpp): `fonds convert --to clp-s`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fonds/byte_sink.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/formats/clps_writing.hpp>
#include <fonds/query.hpp>

#include "ops/event_source.hpp"
#include "ops/missing_names.hpp"

namespace fonds::ops {

struct PackOptions {
  // `archive` is not called; without a creator_id it is derived from the names of the inputs;
  // without a timestamp_key it is kCatalogTime if the first input is a web archive.
  clps::WriterOptions writer = {};
  SourceNaming naming = {};
  const query::Query* where = nullptr;  // only events that match, and records of web archives
  MissingNames* missing = nullptr;      // if given, gets what `where` names and no record has
  std::string output;                   // as ArchiveFiles::Options::output
  ByteSink* sink = nullptr;   // instead of `output`: takes one archive, committed by the caller
  bool directories = false;   // archives are directories
  bool replace = false;       // what is there already
  bool skip_damaged = false;  // of archives that are read; else their first damage is an error
  bool describe = false;      // PackedArchive::inputs
};

// One archive that was made.
struct PackedArchive {
  std::string name;  // its path; empty in PackOptions::sink
  std::string id;
  std::uint64_t records = 0, input_bytes = 0, size = 0;
  std::uint64_t tables = 0, nodes = 0, variables = 0, log_types = 0, array_types = 0;
  std::optional<std::pair<std::int64_t, std::int64_t>> times;  // ns, of the timestamp column
  std::vector<clps::InputRange> inputs;
  bool is_split = false;  // what it was made of goes on in the next one
};

struct PackReport {
  clps::WriterReport written;
  std::vector<PackedArchive> archives;
};

// Makes archives of all inputs, in their order; directories among them stand for the files below.
// They appear when all are complete. Errors: those of reading and writing; BadArgument for options
// that cannot be met; NotFound; Unsupported for archives of other formats; Corrupt for damage of
// archives of events, and with WriterOptions::strict for any damage and for what would be changed
// or left out. With `where` texts are JSON Lines, and what is no event there is damage; the inputs
// of an archive of events are not told apart.
Result<PackReport> pack(std::span<const std::string> paths, const PackOptions& options);

}  // namespace fonds::ops
