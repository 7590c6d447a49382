#include "ops/second_reading.hpp"

#include <utility>

namespace fonds::ops {

Result<Record*> SecondReading::at(RecordReader& first, const Record& record) {
  FONDS_TRY(RecordEnd end, first.finish());
  findings_ = std::move(end.findings);
  Record* there = nullptr;
  if (reader_ != nullptr && place_.unit == record.place.unit) {
    FONDS_TRY(there, step_to(record.place));
  }
  if (there == nullptr) {
    FONDS_TRY(auto opened, opener_.record_again(read_, record.place));
    reader_ = std::move(opened.reader);
    there = opened.record;
  }
  place_ = there->place;
  there->ordinal = record.ordinal;
  return there;
}

Result<RecordEnd> SecondReading::finish() {
  FONDS_TRY(RecordEnd end, reader_->finish());
  end.findings = std::exchange(findings_, {});
  return end;
}

// Nullptr if no record begins there.
Result<Record*> SecondReading::step_to(Place wanted) {
  while (true) {
    FONDS_TRY(Record* const record, reader_->next());
    if (record == nullptr || record->place == wanted) {
      return record;
    }
    if (record->place.unit != wanted.unit || record->place.inner > wanted.inner) {
      return nullptr;
    }
  }
}

}  // namespace fonds::ops
