// The content of records: `fonds cat`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <fonds/format.hpp>

#include "ops/keys.hpp"
#include "ops/list.hpp"
#include "ops/scan.hpp"

namespace fonds::ops {

struct CatOptions {
  ScanOptions scan;
  RecordPart part = RecordPart::Record;
  std::vector<Key> keys;            // empty: all records
  bool resolve = false;             // a revisit gives its original's content
  bool strict = false;              // stop at the first warning or error
  std::uint64_t limit = 0;          // records; 0: all
  std::string directory;            // one file a record there, and manifest.jsonl
  bool force = false;               // replace files
  std::function<bool()> cancelled;  // asked now and then while files are written
};

// Gives the records' parts to `out.text` in the order of the keys, or of the file. Returns the keys
// that name no record. Errors: those of reading; of `out.text`; Cancelled.
Result<std::vector<std::string>> cat(const Archive& archive, const CatOptions& options,
                                     const Output& out);

}  // namespace fonds::ops
