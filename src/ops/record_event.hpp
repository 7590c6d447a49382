// Records of web archives as events of a log: JSON objects that tell of the record and hold none of
// its body. The names are those that `search` knows of the records themselves; docs/how-to/
// catalog-a-crawl.md.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/format.hpp>
#include <fonds/query.hpp>
#include <fonds/reader.hpp>
#include <fonds/record.hpp>
#include <fonds/record_fields.hpp>

#include "ops/scan.hpp"

namespace fonds::ops {

// What a reader has to be told so that RecordEvents gets all it needs: bodies are stepped over.
ReadOptions event_reading(ReadOptions read);

// Spells the events of one reader's records.
class RecordEvents {
 public:
  explicit RecordEvents(const Format& format);

  // To be called before the record is passed over. Errors: those of reading.
  Status look(RecordReader& reader, const Record& record);
  // Appends the event of the record that was looked at, on a line of its own. `archive` is the name
  // under which it is stored.
  void append(Stretch& out, std::string_view archive, const Record& record,
              const RecordEnd& end) const;

 private:
  std::vector<query::Path> wanted_;
  std::unique_ptr<FieldReader> fields_;  // null: the format has none
  std::string members_;                  // of the event, behind what append_json() writes
};

}  // namespace fonds::ops
