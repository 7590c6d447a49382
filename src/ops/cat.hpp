// The content of records: `fonds cat`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <fonds/format.hpp>
#include <fonds/query.hpp>

#include "ops/find.hpp"
#include "ops/list.hpp"
#include "ops/missing_names.hpp"
#include "ops/scan.hpp"

namespace fonds::ops {

// What tells one record's output from the next. With any but None, line ends that close a record
// without a header (text read as lines) are left out.
enum class Separator : std::uint8_t {
  None,
  Newline,         // an LF behind each
  Null,            // a zero byte behind each
  LengthPrefixed,  // its length before each, 8 bytes little-endian
  Jsonl,           // {"block","item","data"} or "data_base64", one a line
};

struct CatOptions {
  ScanOptions scan;
  RecordPart part = RecordPart::Record;
  Separator separator = Separator::None;
  std::vector<Key> keys;                // empty: all records
  bool resolve = false;                 // a revisit gives its original's content
  bool join_segments = false;           // the first segment of a record gives the whole record
  std::vector<Archive> others;          // where originals and segments are looked for too
  bool strict = false;                  // stop at the first warning or error
  std::uint64_t limit = 0;              // records; 0: all
  std::uint64_t tail = 0;               // only the last so many records; 0: all
  const query::Query* where = nullptr;  // only records that match, and these are counted; no keys
  MissingNames* missing = nullptr;      // if given, gets what `where` names and no record has
  std::string directory;                // one file a record there, and manifest.jsonl
  bool force = false;                   // replace files
  std::function<bool()> cancelled;      // asked now and then while files are written
  std::function<void()> hint;  // called if keys could not be found without reading the archive
};

// Gives the records' parts to `out.text` in the order of the keys, or of the file. Returns the keys
// that name no record. What LengthPrefixed and Jsonl must hold whole is held up to an eighth of the
// memory budget; a larger record is the finding limit-exceeded and left out, unless its length is
// known. Errors: those of reading; of `out.text`; Cancelled; Unsupported for keys and `tail` of a
// pipe, and for `where` if records of this format cannot be filtered, or their content in a pipe.
Result<std::vector<std::string>> cat(const Archive& archive, const CatOptions& options,
                                     const Output& out);

// Gives the trailer of a RecordIO archive to `out.text`. False if there is none. Errors: those of
// reading; Unsupported for a pipe, and for formats without trailers.
Result<bool> cat_trailer(const Archive& archive, const ReadOptions& options, const Output& out);

}  // namespace fonds::ops
