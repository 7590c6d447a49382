#include "format/warc/verifying/verify_references.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/error.hpp>
#include <fonds/finding.hpp>

#include "format/warc/verifying/verify_facts.hpp"

namespace fonds::warc::verify {
namespace {

using Kind = ReferenceFact::Kind;
constexpr std::size_t kKinds = static_cast<std::size_t>(Kind::kCount);

std::string_view name_of(Kind kind) {
  static constexpr std::array<std::string_view, kKinds> kNames = {
      "WARC-Concurrent-To", "WARC-Refers-To", "Related-Resource", "WARC-Warcinfo-ID"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(RecordType type) {
  static constexpr std::array<std::string_view, 9> kNames = {
      "foreign",  "warcinfo", "response",   "resource",    "request",
      "metadata", "revisit",  "conversion", "continuation"};
  return kNames[static_cast<std::size_t>(type)];
}

bool before(const RecordFact& a, const RecordFact& b) {
  return std::tie(a.id, a.archive, a.ordinal) < std::tie(b.id, b.archive, b.ordinal);
}

// `records` are sorted; the first one of several.
const RecordFact* find(std::span<const RecordFact> records, std::uint64_t id) {
  const auto found =
      std::lower_bound(records.begin(), records.end(), id,
                       [](const RecordFact& record, std::uint64_t to) { return record.id < to; });
  return found != records.end() && found->id == id ? &*found : nullptr;
}

// WARC 1.1, 5.7, 5.11 and 5.16: whether a field may name a record of the type. Types that are not
// known may be anything. The metadata that keeps the version block of an ARC file is concurrent to
// the warcinfo of the conversion, as the guidelines for migrating ARC have it.
bool may_name(const ReferenceFact& reference, RecordType to) {
  if (to == RecordType::Other) {
    return true;
  }
  switch (reference.kind) {
    case Kind::WarcinfoId:
      return to == RecordType::Warcinfo;
    case Kind::ConcurrentTo:
      return to != RecordType::Conversion && to != RecordType::Continuation &&
             (to != RecordType::Warcinfo || reference.type == RecordType::Metadata);
    case Kind::RefersTo:
      return reference.type != RecordType::Revisit || to == RecordType::Response ||
             to == RecordType::Resource;
    case Kind::RelatedResource:
    case Kind::kCount:
      break;
  }
  return true;
}

}  // namespace

bool References::has_room() const {
  const std::size_t facts =
      records_.size() + references_.size() + all_records_.size() + open_.size();
  return facts < memory_ / (3 * std::max(sizeof(RecordFact), sizeof(ReferenceFact)));
}

void References::begin(std::string source) {
  sources_.push_back(std::move(source));
  records_.clear();
  references_.clear();
  last_warcinfo_ = 0;
}

void References::add(VerifyFacts&& facts, std::uint64_t first_ordinal) {
  const auto archive = static_cast<std::uint32_t>(sources_.size() - 1);
  for (RecordFact& record : facts.named) {
    if (!has_room()) {
      ++left_out_;
      continue;
    }
    record.ordinal += first_ordinal;
    record.archive = archive;
    records_.push_back(record);
  }
  for (ReferenceFact& reference : facts.references) {
    const bool again = reference.kind == Kind::WarcinfoId &&
                       std::exchange(last_warcinfo_, reference.to) == reference.to;
    if (!again && !has_room()) {
      ++left_out_;
    } else if (!again) {
      reference.ordinal += first_ordinal;
      reference.archive = archive;
      references_.push_back(reference);
    }
  }
}

Location References::place_of(const ReferenceFact& reference) const {
  return {.source = sources_[reference.archive],
          .stored_offset = reference.stored_offset,
          .ordinal = reference.ordinal};
}

void References::report_repeated(const Report& out) {
  std::sort(records_.begin(), records_.end(), before);
  std::vector<std::pair<const RecordFact*, std::uint64_t>> repeated;
  for (std::size_t i = 1; i < records_.size(); ++i) {
    if (records_[i].id == records_[i - 1].id) {
      repeated.emplace_back(&records_[i], records_[i - 1].ordinal);
    }
  }
  std::sort(repeated.begin(), repeated.end(),
            [](const auto& a, const auto& b) { return a.first->ordinal < b.first->ordinal; });
  for (const auto& [record, other] : repeated) {
    out(make_finding("duplicate-record-id",
                     fmt::format("the record has the id of record {}", other),
                     {.source = sources_[record->archive],
                      .stored_offset = record->stored_offset,
                      .ordinal = record->ordinal}));
  }
}

void References::judge(const ReferenceFact& reference, const RecordFact& record,
                       const Report& out) const {
  const std::string_view name = name_of(reference.kind);
  if (record.archive == reference.archive && record.ordinal == reference.ordinal) {
    out(make_finding("reference-to-itself", fmt::format("{} names its own record", name),
                     place_of(reference)));
    return;
  }
  if (!may_name(reference, record.type)) {
    out(make_finding("reference-wrong-type",
                     fmt::format("{} of a {} record names record {}, which is a {} record", name,
                                 name_of(reference.type), record.ordinal, name_of(record.type)),
                     place_of(reference)));
    return;
  }
  if (reference.kind == Kind::ConcurrentTo && record.type != RecordType::Warcinfo &&
      reference.seconds != kNoDate && record.seconds != kNoDate &&
      reference.seconds != record.seconds) {
    out(make_finding(
        "concurrent-date-differs",
        fmt::format("record {} of the same capture has another WARC-Date", record.ordinal),
        place_of(reference)));
  }
  if (reference.type == RecordType::Revisit && reference.kind == Kind::RefersTo) {
    judge_revisit(reference, record, out);
  }
}

void References::judge_revisit(const ReferenceFact& reference, const RecordFact& record,
                               const Report& out) const {
  if (reference.identical && reference.payload != 0 && record.payload != 0 &&
      reference.algorithm == record.algorithm && reference.payload != record.payload) {
    out(make_finding(
        "revisit-digest-differs",
        fmt::format("record {}, which has the payload, has another payload digest", record.ordinal),
        place_of(reference)));
  }
  const bool other_target =
      reference.target != 0 && record.target != 0 && reference.target != record.target;
  const bool other_date = reference.seconds != kNoDate && record.seconds != kNoDate &&
                          reference.seconds != record.seconds;
  if (other_target || other_date) {
    out(make_finding(
        "revisit-original-differs",
        fmt::format("the {} of record {} is not the one of {}",
                    other_target ? "target URI" : "date", record.ordinal,
                    other_target ? "WARC-Refers-To-Target-URI" : "WARC-Refers-To-Date"),
        place_of(reference)));
  }
}

void References::end(const Report& out) {
  report_repeated(out);
  for (const ReferenceFact& reference : references_) {
    if (const RecordFact* record = find(records_, reference.to)) {
      judge(reference, *record, out);
    } else {
      open_.push_back(reference);
    }
  }
  all_records_.insert(all_records_.end(), records_.begin(), records_.end());
  records_.clear();
  references_.clear();
}

void References::finish(const Report& out) {
  std::sort(all_records_.begin(), all_records_.end(), before);
  std::vector<std::array<Outside, kKinds>> outside(sources_.size());
  for (const ReferenceFact& reference : open_) {
    if (const RecordFact* record = find(all_records_, reference.to)) {
      judge(reference, *record, out);
      continue;
    }
    Outside& one = outside[reference.archive][static_cast<std::size_t>(reference.kind)];
    if (one.count++ == 0) {
      one.first_ordinal = reference.ordinal;
      one.first_stored_offset = reference.stored_offset;
    }
  }
  for (std::size_t archive = 0; archive < sources_.size() && left_out_ == 0; ++archive) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      const Outside& one = outside[archive][kind];
      if (one.count == 0) {
        continue;
      }
      // Archives are kept apart from each other: that a record lies elsewhere is no fault.
      Finding finding = make_finding(
          "refers-to-missing",
          fmt::format("{} leads to records of none of the archives given, {} times from here on",
                      name_of(static_cast<Kind>(kind)), one.count),
          {.source = sources_[archive],
           .stored_offset = one.first_stored_offset,
           .ordinal = one.first_ordinal});
      finding.severity = Severity::Note;
      out(std::move(finding));
    }
  }
  if (left_out_ > 0) {
    Finding finding = make_finding(
        "limit-exceeded",
        fmt::format("{} ids and references were not looked at: more than {} MiB would be needed",
                    left_out_, memory_ >> 20U),
        {.source = sources_.back()});
    finding.severity = Severity::Note;
    out(std::move(finding));
  }
  *this = References(memory_);
}

}  // namespace fonds::warc::verify
