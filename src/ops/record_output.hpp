// The output of one record: its part, and what tells it from the next record's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <fonds/format.hpp>

#include "ops/cat.hpp"
#include "ops/record_filter.hpp"

namespace fonds::ops {

// One thread at a time.
class RecordOutput {
 public:
  // Both outlive the object.
  RecordOutput(const Archive& archive, const CatOptions& options)
      : archive_(archive), options_(options) {}

  // Gives the record to `out` and passes over it. Returns what was found. Errors: those of reading
  // and of `out`; Corrupt if a record that is too large to be held is not as long as its length
  // says, which has been given already.
  Result<std::vector<Finding>> write(RecordReader& reader, Record& record, const ByteOutput& out);

 private:
  Result<RecordEnd> write_part(RecordReader& reader, const Record& record, const ByteOutput& out,
                               std::vector<Finding>& findings);
  Result<RecordEnd> write_held(RecordReader& reader, const Record& record, const ByteOutput& out,
                               std::vector<Finding>& findings);
  Result<RecordEnd> write_framed(RecordReader& reader, const Record& record, const ByteOutput& out,
                                 std::vector<Finding>& findings);

  const Archive& archive_;
  const CatOptions& options_;
  std::string held_, line_;
};

// What of a payload, or of a record that must be held whole, is held by each of at most
// kThreadsHolding threads, so that it does not depend on their number.
inline std::uint64_t holding_limit(const CatOptions& options) {
  return options.scan.read.memory_budget / (4 * kThreadsHolding);
}
inline bool holds_records(const CatOptions& options) {
  return options.part == RecordPart::Payload || options.part == RecordPart::Decoded ||
         options.separator == Separator::LengthPrefixed || options.separator == Separator::Jsonl;
}

}  // namespace fonds::ops
