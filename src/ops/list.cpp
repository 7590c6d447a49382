#include "ops/list.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "base/text.hpp"
#include "ops/describe.hpp"

namespace fonds::ops {
namespace {

struct Column {
  std::string_view name;
  int width;  // on a terminal; negative: to the left
};
constexpr std::array<Column, 8> kWidths = {{{"index", 7},
                                            {"offset", 12},
                                            {"date", -20},
                                            {"type", -12},
                                            {"status", 6},
                                            {"media_type", -24},
                                            {"length", 10},
                                            {"target", -1}}};

int width_of(std::string_view column) {
  for (const Column& known : kWidths) {
    if (known.name == column) {
      return known.width;
    }
  }
  return -16;
}

void append_cell(std::string& line, std::string_view text, int width, bool last) {
  const auto wanted = static_cast<std::size_t>(width < 0 ? -width : width);
  const std::size_t pad = text.size() < wanted && !(last && width < 0) ? wanted - text.size() : 0;
  if (width > 0) {
    line.append(pad, ' ');
  }
  line += text;
  if (width < 0) {
    line.append(pad, ' ');
  }
}

// The media type of what a record holds: of the HTTP body where there is one.
std::string media_type(const FlatAttributes& attributes) {
  std::string_view text = attributes.get("http.content_type");
  if (text.empty()) {
    text = attributes.get("content_type");
  }
  return std::string(trim(text.substr(0, text.find(';'))));
}

bool worse_than(const Finding& finding, Severity severity) { return finding.severity >= severity; }

class ListWorker final : public Worker {
 public:
  ListWorker(std::string_view archive, const ListOptions& options)
      : archive_(archive),
        options_(options),
        columns_(options.fields.empty() ? list_columns() : options.fields) {}

  Result<bool> take(RecordReader& reader, Record& record, Stretch& out) override {
    if (options_.json) {
      describe_as_json(record, options_.headers, members_);
    } else {
      flat_.clear();
      record.describe(flat_, false);
    }
    FONDS_TRY(RecordEnd end, reader.finish());
    if (options_.json) {
      append_json(out, archive_, record, end, members_, options_.headers);
    } else {
      append_row(out, record, end);
    }
    const bool stop = options_.strict &&
                      std::any_of(end.findings.begin(), end.findings.end(), [](const Finding& f) {
                        return worse_than(f, Severity::Warning);
                      });
    for (Finding& finding : end.findings) {
      out.findings.push_back(std::move(finding));
    }
    return !stop && (options_.limit == 0 || ++taken_ < options_.limit);
  }

 private:
  void append_row(Stretch& out, const Record& record, const RecordEnd& end) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& column = columns_[i];
      const bool last = i + 1 == columns_.size();
      if (column == "index") {
        // The number is not known yet; a terminal's column is padded as if it had seven digits.
        out.number_here(record.ordinal);
      } else {
        append_cell(out.text, cell(column, record, end), options_.align ? width_of(column) : -1,
                    last || !options_.align);
      }
      if (!last) {
        out.text += options_.align ? ' ' : '\t';
      }
    }
    out.text += '\n';
  }

  std::string cell(std::string_view column, const Record& record, const RecordEnd& end) const {
    if (column == "archive") {
      return escape_for_terminal(archive_);
    }
    if (column == "offset") {
      return record.place.inner > 0 ? fmt::format("{}+{}", record.place.unit, record.place.inner)
                                    : std::to_string(record.place.unit);
    }
    if (column == "length") {
      return end.length ? std::to_string(*end.length) : "-";
    }
    if (column == "stored_length") {
      return end.stored_length ? std::to_string(*end.stored_length) : "-";
    }
    if (column == "trailing") {
      return std::to_string(end.trailing);
    }
    if (column == "format") {
      return std::string(record.format());
    }
    if (column == "problems") {
      std::string codes;
      for (const Finding& finding : end.findings) {
        codes += (codes.empty() ? "" : ",") + std::string(finding.code);
      }
      return codes.empty() ? "-" : codes;
    }
    return shown(column);
  }

  std::string shown(std::string_view column) const {
    std::string text;
    if (column == "media_type") {
      text = media_type(flat_);
    } else if (column == "status") {
      text = flat_.get("http.status");
    } else if (column == "target") {
      text = flat_.get("uri");
      if (text.empty()) {
        text = flat_.get("id");
      }
    } else {
      text = flat_.get(column);
    }
    return text.empty() ? "-" : escape_for_terminal(text);
  }

  std::string archive_;
  const ListOptions& options_;
  const std::vector<std::string>& columns_;
  FlatAttributes flat_;
  std::string members_;
  std::uint64_t taken_ = 0;
};

}  // namespace

const std::vector<std::string>& list_columns() {
  static const std::vector<std::string> columns = {"index",  "offset",     "date",   "type",
                                                   "status", "media_type", "length", "target"};
  return columns;
}

std::string list_heading(const ListOptions& options) {
  const auto& columns = options.fields.empty() ? list_columns() : options.fields;
  std::string line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool last = i + 1 == columns.size();
    append_cell(line, columns[i], width_of(columns[i]), last);
    line += last ? '\n' : ' ';
  }
  return line;
}

Status list(const Archive& archive, const ListOptions& options, const Output& out) {
  ScanOptions scan_options = options.scan;
  scan_options.read.http = true;
  scan_options.read.http_requests = options.json || !options.fields.empty();
  scan_options.read.skim = !options.full && !options.scan.read.search_damaged;
  if (options.limit > 0) {
    scan_options.threads = 1;
  }
  const std::string name = archive.source->name();
  const auto sink = [&](Stretch& piece, Worker&, std::uint64_t first, bool) -> Status {
    FONDS_CHECK(out.text(options.align ? piece.render_padded(first, 7) : piece.render(first)));
    for (Finding& finding : piece.findings) {
      if (finding.where.ordinal) {
        *finding.where.ordinal += first;
      }
      out.finding(finding);
    }
    return {};
  };
  FONDS_CHECK(scan(
      archive, scan_options, [&] { return std::make_unique<ListWorker>(name, options); }, sink));
  return {};
}

}  // namespace fonds::ops
