#include "ops/record_filter.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/json_writer.hpp"
#include "ops/scan.hpp"
#include "query/record_plan.hpp"

namespace fonds::ops {
bool has_fields(const Archive& archive) {
  return !archive.format->fields().empty() && !archive.format->traits().search;
}

RecordFilter::RecordFilter(const Archive& archive, const query::Query& query, std::uint64_t memory)
    : format_(*archive.format), memory_(memory), plan_(query), source_(archive.source->name()) {
  const std::span<const query::Path> paths = plan_.paths();
  reader_ = format_.read_fields(paths);
  if (reader_ == nullptr) {
    return;
  }
  plan_.learn_stages(*reader_);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    asks_content_ = asks_content_ || reader_->stage(i) == FieldStage::Content;
    asks_number_ = asks_number_ || (paths[i].steps.size() == 1 && !paths[i].steps[0].wildcard &&
                                    paths[i].steps[0].key == "index");
  }
}

Result<std::unique_ptr<RecordFilter>> RecordFilter::make(const Archive& archive,
                                                         const query::Query& query,
                                                         std::uint64_t memory) {
  const Location where = {.source = archive.source->name()};
  if (query.options.meaning != query::Meaning::Default) {
    return fail(ErrorCode::Unsupported,
                fmt::format("--compat is for clp-s archives, this is {}", archive.format->name()),
                where);
  }
  std::unique_ptr<RecordFilter> filter(new RecordFilter(archive, query, memory));
  if (filter->reader_ == nullptr) {
    return fail(
        ErrorCode::Unsupported,
        archive.format->traits().search
            ? fmt::format("records of {} are found by `fonds search`", archive.format->name())
            : fmt::format("records of {} are not searched", archive.format->name()),
        where);
  }
  return filter;
}

std::set<std::string> RecordFilter::unknown_names() const {
  const std::span<const query::Path> paths = plan_.paths();
  const std::span<const FieldInfo> fields = format_.fields();
  std::set<std::string> names;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const query::PathStep& step = paths[i].steps.front();
    const bool known = std::any_of(fields.begin(), fields.end(),
                                   [&](const FieldInfo& field) { return field.name == step.key; });
    // Those of later stages need not have been looked for.
    if (paths[i].steps.size() == 1 && paths[i].space == query::Namespace::User && !step.wildcard &&
        !known && !plan_.told(i) && reader_->stage(i) == FieldStage::Header) {
      names.insert(step.key);
    }
  }
  return names;
}

void RecordFilter::limit_threads(ScanOptions& scan) const {
  if (asks_number_) {
    scan.threads = 1;
  } else if (asks_content_) {
    scan.most_threads = std::min(scan.most_threads, kThreadsHolding);
  }
}

Result<bool> RecordFilter::matches(RecordReader& reader, Record& record, std::uint64_t number,
                                   std::vector<Finding>& findings) {
  const std::uint64_t ordinal = std::exchange(record.ordinal, number);
  auto answer = judge(reader, record, findings);
  record.ordinal = ordinal;
  return answer;
}

Result<bool> RecordFilter::judge(RecordReader& reader, const Record& record,
                                 std::vector<Finding>& findings) {
  plan_.begin();
  took_content_ = false;
  for (const FieldStage stage : {FieldStage::Header, FieldStage::Http}) {
    FONDS_CHECK(reader_->read(stage, reader, record, plan_));
    const query::Truth truth = plan_.after(stage);
    if (truth != query::Truth::Unknown) {
      return truth == query::Truth::True;
    }
  }
  took_content_ = true;
  FONDS_CHECK(take_content(reader, record, findings));
  return plan_.after(FieldStage::Content) == query::Truth::True;
}

Status RecordFilter::take_content(RecordReader& reader, const Record& record,
                                  std::vector<Finding>& findings) {
  const std::uint64_t most =
      memory_ / (std::uint64_t{4} * kThreadsHolding);  // as `cat --part decoded`
  plan_.begin_content(most);
  bool decided = false;
  const ByteOutput take = [&](ByteView piece) -> Status {
    decided = !plan_.take_content(piece);
    return decided ? Status(fail(ErrorCode::Cancelled, "decided")) : Status();
  };
  std::vector<Finding> found;
  Status status = format_.write_part(reader, record, RecordPart::Decoded, most, take, found);
  if (!status && !decided) {
    return status;
  }
  plan_.end_content();
  if (plan_.too_long()) {
    found.push_back(
        make_finding("limit-exceeded",
                     fmt::format("the payload has more than {} bytes; --memory allows more", most),
                     {.stored_offset = record.place.unit}));
  }
  for (Finding& finding : found) {
    if (finding.severity >= Severity::Warning) {
      finding.where.source = source_;
      findings.push_back(std::move(finding));
    }
  }
  return {};
}

Result<RecordChoice> RecordChoice::make(const Archive& archive, const query::Query* where,
                                        const ReadOptions& read, bool blocks) {
  RecordChoice choice(archive, read);
  if (where != nullptr) {
    FONDS_TRY(choice.filter_, RecordFilter::make(archive, *where, read.memory_budget));
    if (blocks && choice.filter_->asks_content() && !archive.source->random_access()) {
      return fail(
          ErrorCode::Unsupported,
          "content of a pipe can be read once, by the query or for the output; save it as a "
          "file, or use `fonds search`",
          {.source = archive.source->name()});
    }
  }
  return choice;
}

Result<bool> RecordChoice::chooses(RecordReader& reader, Record& record, std::uint64_t number,
                                   std::vector<Finding>& findings) {
  if (filter_ == nullptr) {
    return true;
  }
  return filter_->matches(reader, record, number, findings);
}

Result<RecordReader*> RecordChoice::again(RecordReader& reader, Record*& record) {
  if (filter_ == nullptr || !filter_->took_content()) {
    return &reader;
  }
  if (second_ == nullptr) {
    second_ = std::make_unique<SecondReading>(archive_, read_);
  }
  FONDS_TRY(record, second_->at(reader, *record));
  return second_.get();
}

void RecordChoice::limit_threads(ScanOptions& scan) const {
  if (filter_ != nullptr) {
    filter_->limit_threads(scan);
  }
}

Result<std::unique_ptr<FieldValues>> FieldValues::make(const Archive& archive,
                                                       std::vector<query::Path> paths) {
  std::unique_ptr<FieldValues> values(new FieldValues());
  values->paths_ = std::move(paths);
  values->reader_ = archive.format->read_fields(values->paths_);
  if (values->reader_ == nullptr) {
    return fail(ErrorCode::Unsupported,
                fmt::format("records of {} have no fields", archive.format->name()),
                {.source = archive.source->name()});
  }
  for (std::size_t i = 0; i < values->paths_.size(); ++i) {
    const FieldStage stage = values->reader_->stage(i);
    if (stage == FieldStage::Content) {
      return fail(ErrorCode::BadArgument,
                  fmt::format("'{}' is content, whose values are not shown here; `fonds cat --part "
                              "decoded` gives it",
                              values->paths_[i].steps.front().key));
    }
    values->reads_http_ = values->reads_http_ || stage == FieldStage::Http;
  }
  return values;
}

Result<std::span<const FieldValues::Value>> FieldValues::of(RecordReader& reader,
                                                            const Record& record) {
  used_ = 0;
  FONDS_CHECK(reader_->read(FieldStage::Header, reader, record, *this));
  if (reads_http_) {
    FONDS_CHECK(reader_->read(FieldStage::Http, reader, record, *this));
  }
  return std::span<const Value>(values_).first(used_);
}

void FieldValues::value(std::size_t wanted, std::string_view name, const FieldValue& value) {
  if (used_ == values_.size()) {
    values_.emplace_back();
  }
  Value& held = values_[used_++];
  held.path = wanted;
  held.name = name;
  held.kind = value.kind;
  held.text = value.text;
}

std::string to_json(const FieldValues::Value& value) {
  if (value.kind == FieldValue::Kind::Object) {
    return {};
  }
  if (value.kind == FieldValue::Kind::Number) {
    return value.text;
  }
  std::string json;
  JsonWriter(json).value(std::string_view(value.text));
  return json;
}

}  // namespace fonds::ops
