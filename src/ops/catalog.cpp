#include "ops/catalog.hpp"

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "ops/record_event.hpp"

namespace fonds::ops {
namespace {

class CatalogWorker final : public Worker {
 public:
  CatalogWorker(const Format& format, std::string_view name) : events_(format), name_(name) {}

  Result<bool> take(RecordReader& reader, Record& record, Stretch& out) override {
    FONDS_CHECK(events_.look(reader, record));
    FONDS_TRY(RecordEnd end, reader.finish());
    events_.append(out, name_, record, end);
    std::move(end.findings.begin(), end.findings.end(), std::back_inserter(out.findings));
    return true;
  }

 private:
  RecordEvents events_;
  std::string name_;
};

}  // namespace

Status add_catalog(clps::ArchiveWriter& writer, const Archive& archive, std::string_view name,
                   const ScanOptions& scan_options,
                   const std::function<void(const Finding&)>& on_finding) {
  ScanOptions with = scan_options;
  with.read = event_reading(std::move(with.read));
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
  const auto make_worker = [&] { return std::make_unique<CatalogWorker>(*archive.format, name); };
  FONDS_CHECK(scan(archive, with, make_worker, sink));
  return {};
}

}  // namespace fonds::ops
