// Records that were looked into, once more from their start.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <fonds/finding.hpp>
#include <fonds/format.hpp>
#include <fonds/reader.hpp>

#include "ops/find.hpp"

namespace fonds::ops {

// Follows a reader from record to record of the same stretch: what lies in one unit is decoded once
// more, however many of its records are asked for.
class SecondReading final : public RecordReader {
 public:
  // Both outlive it.
  SecondReading(const Archive& archive, const ReadOptions& read) : read_(read), opener_(archive) {}

  // The record that `first` stands at, of which it may have consumed something, in this reader,
  // which has consumed nothing of it. Finishes the record for `first`. Errors: those of reading;
  // Corrupt if the record is not met again.
  Result<Record*> at(RecordReader& first, const Record& record);

  Result<Record*> next() override { return reader_->next(); }
  Result<ByteView> peek_block(std::size_t at_least) override {
    return reader_->peek_block(at_least);
  }
  void consume_block(std::size_t n) override { reader_->consume_block(n); }
  Status read_http() override { return reader_->read_http(); }
  // With the findings of the first reading, which has met all there are, in their order.
  Result<RecordEnd> finish() override;
  std::vector<Finding> take_loose_findings() override { return {}; }
  Place end_place() const override { return reader_->end_place(); }
  std::string state() const override { return reader_->state(); }
  std::uint64_t stored_position() const override { return reader_->stored_position(); }

 private:
  Result<Record*> step_to(Place wanted);

  const ReadOptions& read_;
  Opener opener_;
  std::unique_ptr<RecordReader> reader_;
  Place place_;  // of its record
  std::vector<Finding> findings_;
};

}  // namespace fonds::ops
