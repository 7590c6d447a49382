#include "ops/make_cdx.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "index/capture.hpp"
#include "index/capture_maker.hpp"
#include "index/line_sorter.hpp"
#include "index/zipnum_writer.hpp"
#include "ops/list.hpp"
#include "ops/scan.hpp"

namespace fonds::ops {
namespace {

constexpr std::size_t kLinesAtOnce = std::size_t{256} << 10;

// The columns of a type; empty: CDXJ.
std::string_view columns_of(CdxType type) {
  switch (type) {
    case CdxType::Cdx9:
      return index::kCdx9;
    case CdxType::Cdx11:
      return index::kCdx11;
    case CdxType::Cdxj:
      break;
  }
  return {};
}

class CdxWorker final : public Worker {
 public:
  CdxWorker(const Archive& archive, index::CaptureOptions options, std::string_view columns)
      : maker_(archive, std::move(options)), columns_(columns) {}

  Result<bool> take(RecordReader& reader, Record& record, Stretch& out) override {
    RecordEnd end;
    FONDS_TRY(const auto captures, maker_.take(reader, record, end));
    append(captures, out);
    for (Finding& finding : end.findings) {
      out.findings.push_back(std::move(finding));
    }
    return true;
  }
  // What is left at the end.
  void finish(Stretch& out) { append(maker_.finish(), out); }
  std::uint64_t captures() const { return captures_; }
  std::uint64_t undated() const { return maker_.undated(); }

 private:
  void append(std::span<const index::Capture> captures, Stretch& out) {
    for (const index::Capture& capture : captures) {
      if (columns_.empty()) {
        index::append_cdxj(out.text, capture);
      } else {
        index::append_cdx(out.text, capture, columns_);
      }
      out.text += '\n';
      ++captures_;
    }
  }

  index::CaptureMaker maker_;
  std::string_view columns_;
  std::uint64_t captures_ = 0;
};

Status for_each_line(std::string_view text, const std::function<Status(std::string_view)>& take) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    FONDS_CHECK(take(text.substr(0, end)));
    text = text.substr(end + 1);
  }
  return {};
}

// Reads the archives one after the other; each piece of lines goes to `lines` in file order.
Result<CdxTotals> gather(std::span<const CdxInput> archives, const CdxOptions& options,
                         const std::function<Status(std::string_view)>& lines,
                         const std::function<void(const Finding&)>& tell) {
  CdxTotals totals;
  for (const CdxInput& input : archives) {
    const index::CaptureOptions capture_options = {.filename = input.filename,
                                                   .all = options.all,
                                                   .record_digest = options.record_digest,
                                                   .post_append = options.post_append};
    ScanOptions scan_options = options.scan;
    scan_options.read = index::CaptureMaker::read_options(scan_options.read, capture_options);
    if (options.post_append) {
      scan_options.threads = 1;
    }
    const auto make_worker = [&] {
      return std::make_unique<CdxWorker>(*input.archive, capture_options, columns_of(options.type));
    };
    const auto sink = [&](Stretch& piece, Worker& given, std::uint64_t first, bool done) -> Status {
      auto& worker = static_cast<CdxWorker&>(given);
      if (done) {
        worker.finish(piece);
        totals.captures += worker.captures();
        totals.undated += worker.undated();
      }
      FONDS_CHECK(lines(piece.text));
      for (Finding& finding : piece.findings) {
        if (finding.where.ordinal) {
          *finding.where.ordinal += first;
        }
        tell(finding);
      }
      return {};
    };
    FONDS_TRY(const std::uint64_t records, scan(*input.archive, scan_options, make_worker, sink));
    totals.records += records;
  }
  return totals;
}

Result<CdxTotals> gather_sorted(std::span<const CdxInput> archives, const CdxOptions& options,
                                const std::function<Status(std::string_view)>& line,
                                const std::function<void(const Finding&)>& tell) {
  index::LineSorter sorter(options.sort_memory, options.temporary_directory);
  const auto add = [&sorter](std::string_view one) { return sorter.add(one); };
  FONDS_TRY(const CdxTotals totals,
            gather(
                archives, options,
                [&](std::string_view lines) { return for_each_line(lines, add); }, tell));
  FONDS_CHECK(sorter.finish(line, true));
  return totals;
}

}  // namespace

Result<CdxTotals> make_cdx(std::span<const CdxInput> archives, const CdxOptions& options,
                           const Output& out) {
  const std::string_view columns = columns_of(options.type);
  std::string piece = columns.empty() ? "" : index::cdx_legend(columns) + "\n";
  if (!options.sort) {
    FONDS_CHECK(out.text(piece));
    return gather(archives, options, out.text, out.finding);
  }
  const auto line = [&](std::string_view text) -> Status {
    piece.append(text).push_back('\n');
    if (piece.size() >= kLinesAtOnce) {
      FONDS_CHECK(out.text(piece));
      piece.clear();
    }
    return {};
  };
  FONDS_TRY(const CdxTotals totals, gather_sorted(archives, options, line, out.finding));
  FONDS_CHECK(out.text(piece));
  return totals;
}

Result<CdxTotals> make_zipnum(std::span<const CdxInput> archives, const CdxOptions& options,
                              index::ZipNumWriter& writer,
                              const std::function<void(const Finding&)>& finding) {
  const std::string_view columns = columns_of(options.type);
  if (!columns.empty()) {
    FONDS_CHECK(writer.add(index::cdx_legend(columns)));
  }
  const auto line = [&writer](std::string_view text) { return writer.add(text); };
  FONDS_TRY(const CdxTotals totals, gather_sorted(archives, options, line, finding));
  FONDS_CHECK(writer.finish());
  return totals;
}

}  // namespace fonds::ops
