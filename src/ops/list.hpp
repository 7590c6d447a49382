// Listing records: `fonds ls`.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/format.hpp>
#include <fonds/query.hpp>

#include "ops/missing_names.hpp"
#include "ops/scan.hpp"

namespace fonds::ops {

// Where an operation puts what it makes. Called in order, from one thread at a time.
struct Output {
  std::function<Status(std::string_view)> text;
  std::function<void(const Finding&)> finding;
};

struct ListOptions {
  ScanOptions scan;
  bool json = false;
  bool headers = false;                 // JSON: all header fields
  bool full = false;                    // read every byte, not only what the list shows
  bool hash = false;                    // SHA-256 of each record's block; reads every byte
  bool with_archive = false;            // the archive's name is the first column
  bool align = false;                   // columns for a terminal; else tabs
  bool strict = false;                  // stop at the first warning or error
  std::vector<std::string> fields;      // columns; empty: those of the format
  std::uint64_t limit = 0;              // records; 0: all
  const query::Query* where = nullptr;  // only records that match, and `limit` counts these
  // If given, get what `where` and `fields` name and no record has.
  MissingNames* missing = nullptr;
  MissingNames* missing_fields = nullptr;
};

// The columns of a table of records of this format.
std::vector<std::string> list_columns(const Format& format, const ListOptions& options);
// The line above an aligned table with these columns.
std::string list_heading(const std::vector<std::string>& columns);

// Errors: those of reading; of `out.text`; Unsupported if records of this format cannot be
// filtered, or for content of a pipe that is asked and hashed.
Status list(const Archive& archive, const ListOptions& options, const Output& out);

}  // namespace fonds::ops
