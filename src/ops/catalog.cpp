#include "ops/catalog.hpp"

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "ops/record_event.hpp"
#include "ops/record_filter.hpp"

namespace fonds::ops {
namespace {

class CatalogWorker final : public Worker {
 public:
  CatalogWorker(const Format& format, std::string_view name, RecordChoice choice)
      : events_(format), name_(name), choice_(std::move(choice)) {}

  Result<bool> take(RecordReader& reader, Record& record, Stretch& out) override {
    // The head of a block cannot be looked at any more once a query has consumed it.
    Record* given = &record;
    std::vector<Finding> found;
    FONDS_TRY(const bool chosen, choice_.chooses(reader, record, seen_++, found));
    RecordReader* from = &reader;
    if (chosen) {
      FONDS_TRY(from, choice_.again(reader, given));
      FONDS_CHECK(events_.look(*from, *given));
    }
    FONDS_TRY(RecordEnd end, from->finish());
    if (chosen) {
      events_.append(out, name_, record, end);
    }
    for (Finding& finding : found) {
      finding.where.ordinal = record.ordinal;
      out.findings.push_back(std::move(finding));
    }
    std::move(end.findings.begin(), end.findings.end(), std::back_inserter(out.findings));
    return true;
  }

 private:
  RecordEvents events_;
  std::string name_;
  RecordChoice choice_;
  std::uint64_t seen_ = 0;
};

}  // namespace

Status add_catalog(clps::ArchiveWriter& writer, const Archive& archive, std::string_view name,
                   const query::Query* where, const ScanOptions& scan_options,
                   const std::function<void(const Finding&)>& on_finding) {
  ScanOptions with = scan_options;
  with.read = event_reading(std::move(with.read));
  const auto choose = [&] { return RecordChoice::make(archive, where, with.read, true); };
  FONDS_TRY(const auto checked, choose());
  checked.limit_threads(with);
  FONDS_CHECK(writer.begin(name));
  const auto sink = [&](Stretch& piece, Worker&, std::uint64_t first, bool) -> Status {
    for (Finding& finding : piece.findings) {
      if (finding.where.ordinal) {
        *finding.where.ordinal += first;
      }
      if (finding.where.source.empty()) {
        finding.where.source = archive.source->name();
      }
      if (on_finding) {
        on_finding(finding);
      }
      if (with.strict && finding.severity >= Severity::Warning) {
        return fail(ErrorCode::Corrupt,
                    fmt::format("stopped at [{}], as --strict asks", finding.code), finding.where);
      }
    }
    return writer.add_lines(piece.render(first));
  };
  const auto make_worker = [&] {
    return std::make_unique<CatalogWorker>(*archive.format, name, std::move(*choose()));
  };
  FONDS_CHECK(scan(archive, with, make_worker, sink));
  return {};
}

}  // namespace fonds::ops
