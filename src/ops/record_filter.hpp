// Records that match a query, by the fields that their format tells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/finding.hpp>
#include <fonds/format.hpp>
#include <fonds/query.hpp>
#include <fonds/reader.hpp>
#include <fonds/record_fields.hpp>

#include "ops/scan.hpp"
#include "ops/second_reading.hpp"
#include "query/record_plan.hpp"

namespace fonds::ops {

// Whether records of this archive are found by their fields, with the classes below; others are
// asked by Format::search, or not at all.
bool has_fields(const Archive& archive);

// Where content is held by each thread, so that it does not depend on their number what fits.
inline constexpr unsigned kThreadsHolding = 2;

// One thread at a time.
class RecordFilter {
 public:
  // The archive outlives the filter; `memory` is that of all threads together. Errors: Unsupported
  // if the format tells no fields, or for the query's meaning.
  static Result<std::unique_ptr<RecordFilter>> make(const Archive& archive,
                                                    const query::Query& query,
                                                    std::uint64_t memory);

  // Reads no more of the reader's record, of which nothing was consumed, than the answer takes. The
  // content is consumed if that is asked. `number` is the record's in its archive. Content that was
  // not whole is told in `findings`. Errors: those of reading.
  Result<bool> matches(RecordReader& reader, Record& record, std::uint64_t number,
                       std::vector<Finding>& findings);

  // Whether content may be consumed.
  bool asks_content() const { return asks_content_; }
  // Whether content of the last record was.
  bool took_content() const { return took_content_; }
  // The names in the query that are none of the format's fields, and that no record had so far as a
  // header field.
  std::set<std::string> unknown_names() const;
  // Fewer threads if the answers need it: numbers of records are known to one that reads them all,
  // and content is held by each.
  void limit_threads(ScanOptions& scan) const;

 private:
  RecordFilter(const Archive& archive, const query::Query& query, std::uint64_t memory);
  Result<bool> judge(RecordReader& reader, const Record& record, std::vector<Finding>& findings);
  Status take_content(RecordReader& reader, const Record& record, std::vector<Finding>& findings);

  const Format& format_;
  std::uint64_t memory_;
  query::RecordPlan plan_;
  std::unique_ptr<FieldReader> reader_;
  std::string source_;
  bool asks_content_ = false, asks_number_ = false, took_content_ = false;
};

// Chooses records for those who read them afterwards. One thread at a time.
class RecordChoice {
 public:
  // Without a query every record is chosen. All outlive the choice. `blocks`: what is chosen is
  // wanted with its block, by again(). Errors: those of RecordFilter::make(); Unsupported for
  // content of a pipe that would have to be read twice.
  static Result<RecordChoice> make(const Archive& archive, const query::Query* where,
                                   const ReadOptions& read, bool blocks);

  // As RecordFilter::matches().
  Result<bool> chooses(RecordReader& reader, Record& record, std::uint64_t number,
                       std::vector<Finding>& findings);
  // The record that was chosen last in a reader that has consumed nothing of it, which is `reader`
  // unless choosing took content; else `record` becomes that reader's, with its number, and is
  // finished by that one alone. Lives until the next call of next().
  Result<RecordReader*> again(RecordReader& reader, Record*& record);
  void limit_threads(ScanOptions& scan) const;

 private:
  RecordChoice(const Archive& archive, const ReadOptions& read) : archive_(archive), read_(read) {}

  const Archive& archive_;
  const ReadOptions& read_;
  std::unique_ptr<SecondReading> second_;
  std::unique_ptr<RecordFilter> filter_;
};

// The values of some fields of a record.
class FieldValues final : private FieldSink {
 public:
  struct Value {
    std::size_t path = 0;
    std::string name;  // the field's own
    FieldValue::Kind kind = FieldValue::Kind::Text;
    std::string text;
  };

  // The archive outlives the object. Errors: BadArgument for paths of the content.
  static Result<std::unique_ptr<FieldValues>> make(const Archive& archive,
                                                   std::vector<query::Path> paths);

  // In the order in which they are told; they live until the next call. Consumes nothing.
  Result<std::span<const Value>> of(RecordReader& reader, const Record& record);

 private:
  FieldValues() = default;
  void value(std::size_t wanted, std::string_view name, const FieldValue& value) override;

  std::vector<query::Path> paths_;
  std::unique_ptr<FieldReader> reader_;
  bool reads_http_ = false;
  std::vector<Value> values_;
  std::size_t used_ = 0;  // the others keep their memory for the next record
};

// A value as JSON: texts and times in quotes; empty for objects.
std::string to_json(const FieldValues::Value& value);

}  // namespace fonds::ops
