#include "ops/list.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "ops/describe.hpp"
#include "ops/record_filter.hpp"

namespace fonds::ops {
namespace {

struct Width {
  std::string_view name;
  int width;  // on a terminal; negative: to the left
};
constexpr std::array<Width, 11> kWidths = {{{"index", 7},
                                            {"block", 12},
                                            {"item", 8},
                                            {"sha256", -64},
                                            {"offset", 12},
                                            {"date", -20},
                                            {"type", -12},
                                            {"status", 6},
                                            {"media_type", -24},
                                            {"length", 10},
                                            {"target", -1}}};

int width_of(std::string_view column) {
  for (const Width& known : kWidths) {
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

// The media type of what a record holds: of the HTTP body where there is one and that is asked.
std::string_view media_type(const FlatAttributes& attributes, bool http) {
  std::string_view text = attributes.get("http.content_type");
  if (text.empty() || !http) {
    text = attributes.get("content_type");
  }
  return trim(text.substr(0, text.find(';')));
}

bool worse_than(const Finding& finding, Severity severity) { return finding.severity >= severity; }

enum class Column : std::uint8_t {
  Index,
  Archive,
  Offset,
  Length,
  StoredLength,
  Trailing,
  Format,
  Problems,
  MediaType,
  Status,
  Target,
  Attribute,  // any other name
};

Column column_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Column>, 11> kNames = {
      {{"index", Column::Index},
       {"archive", Column::Archive},
       {"offset", Column::Offset},
       {"length", Column::Length},
       {"stored_length", Column::StoredLength},
       {"trailing", Column::Trailing},
       {"format", Column::Format},
       {"problems", Column::Problems},
       {"media_type", Column::MediaType},
       {"status", Column::Status},
       {"target", Column::Target}}};
  const auto* const found = std::find_if(kNames.begin(), kNames.end(),
                                         [&](const auto& known) { return known.first == name; });
  return found == kNames.end() ? Column::Attribute : found->second;
}

bool needs_http(const std::vector<std::string>& columns) {
  return std::any_of(columns.begin(), columns.end(), [](const std::string& column) {
    return column_of(column) == Column::MediaType || column_of(column) == Column::Status ||
           column.starts_with("http.");
  });
}

// What the columns are made of.
std::vector<std::string> attributes_of(const std::vector<std::string>& columns) {
  std::vector<std::string> wanted;
  for (const std::string& column : columns) {
    switch (column_of(column)) {
      case Column::MediaType:
        wanted.insert(wanted.end(), {"http.content_type", "content_type"});
        break;
      case Column::Status:
        wanted.emplace_back("http.status");
        break;
      case Column::Target:
        wanted.insert(wanted.end(), {"uri", "id"});
        break;
      case Column::Attribute:
        wanted.push_back(column);
        break;
      default:
        break;
    }
  }
  return wanted;
}

class ListWorker final : public Worker {
 public:
  ListWorker(const Archive& archive, const ListOptions& options,
             const std::vector<std::string>& columns, bool hash)
      : archive_(archive), options_(options), names_(columns), flat_(attributes_of(names_)) {
    for (const std::string& name : names_) {
      columns_.push_back(column_of(name));
    }
    if (hash) {
      hasher_.emplace(DigestAlgorithm::Sha256);
    }
    if (options.missing_fields != nullptr && !options.json) {
      missing_ = unknown_to(*archive.format);
    }
  }
  ListWorker(const ListWorker&) = delete;
  ListWorker& operator=(const ListWorker&) = delete;
  ~ListWorker() override {
    if (rows_ > 0 && options_.missing_fields != nullptr) {
      options_.missing_fields->add(archive_, missing_);
    }
  }

  // Gives only records that are chosen.
  void choose(RecordChoice choice, const ReadOptions& http) {
    choice_.emplace(std::move(choice));
    http_ = http.http;
    http_requests_ = http.http_requests;
  }

  Result<bool> take(RecordReader& reader, Record& record, Stretch& out) override {
    found_.clear();
    if (choice_) {
      FONDS_TRY(const bool chosen, choice_->chooses(reader, record, seen_++, found_));
      if (!chosen) {
        FONDS_TRY(RecordEnd end, reader.finish());
        return !move_findings(record.ordinal, end, out);
      }
      if (record.kind() == "request" ? http_requests_ : http_) {
        FONDS_CHECK(reader.read_http());
      }
    }
    if (options_.json) {
      describe_as_json(record, options_.headers, members_);
    } else {
      flat_.clear();
      record.describe(flat_, false);
    }
    RecordReader* from = &reader;
    if (hasher_) {
      if (choice_) {
        Record* again = &record;
        FONDS_TRY(from, choice_->again(reader, again));
      }
      FONDS_CHECK(hash_block(*from));
    }
    FONDS_TRY(RecordEnd end, from->finish());
    if (hasher_) {
      add_hash(end);
    }
    if (options_.json) {
      append_json(out, archive_.source->name(), record, end, members_, options_.headers);
    } else {
      append_row(out, record, end);
    }
    const bool stop = move_findings(record.ordinal, end, out);
    return !stop && (options_.limit == 0 || ++taken_ < options_.limit);
  }

 private:
  // True if they end the list.
  bool move_findings(std::uint64_t ordinal, RecordEnd& end, Stretch& out) {
    for (Finding& finding : found_) {
      finding.where.ordinal = ordinal;
      end.findings.push_back(std::move(finding));
    }
    const bool stop = options_.strict &&
                      std::any_of(end.findings.begin(), end.findings.end(), [](const Finding& f) {
                        return worse_than(f, Severity::Warning);
                      });
    std::move(end.findings.begin(), end.findings.end(), std::back_inserter(out.findings));
    return stop;
  }

  Status hash_block(RecordReader& reader) {
    while (true) {
      FONDS_TRY(const ByteView piece, reader.peek_block(1));
      if (piece.empty()) {
        return {};
      }
      hasher_->update(piece);
      reader.consume_block(piece.size());
    }
  }
  // Damaged content gets no digest: what of it was there may be anything.
  void add_hash(const RecordEnd& end) {
    const DigestValue digest = hasher_->finish();
    if (std::any_of(end.findings.begin(), end.findings.end(),
                    [](const Finding& f) { return worse_than(f, Severity::Error); })) {
      return;
    }
    const std::string hex = to_hex(ByteView(digest.bytes).first(digest.size));
    if (options_.json) {
      members_ += fmt::format(",\"sha256\":\"{}\"", hex);
    } else {
      flat_.set("sha256", hex);
    }
  }

  void append_row(Stretch& out, const Record& record, const RecordEnd& end) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool last = i + 1 == columns_.size();
      if (columns_[i] == Column::Index) {
        // The number is not known yet; a terminal's column is padded as if it had seven digits.
        out.number_here(record.ordinal);
      } else {
        append_cell(out.text, cell(i, record, end), options_.align ? width_of(names_[i]) : -1,
                    last || !options_.align);
      }
      if (!last) {
        out.text += options_.align ? ' ' : '\t';
      }
    }
    out.text += '\n';
    ++rows_;
  }

  // Those of the columns that are told of records of this format only if they have them.
  std::set<std::string> unknown_to(const Format& format) const {
    std::set<std::string> unknown;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto known = [&](std::string_view name) { return name == names_[i]; };
      if (columns_[i] == Column::Attribute && std::ranges::none_of(format.columns(), known) &&
          std::ranges::none_of(format.fields(), known, &FieldInfo::name)) {
        unknown.insert(names_[i]);
      }
    }
    return unknown;
  }

  // Lives until the next call.
  std::string_view cell(std::size_t i, const Record& record, const RecordEnd& end) {
    switch (columns_[i]) {
      case Column::Archive:
        return safe(archive_.source->name());
      case Column::Offset:
        scratch_ = std::to_string(record.place.unit);
        if (record.place.inner > 0) {
          scratch_ += fmt::format("+{}", record.place.inner);
        }
        return scratch_;
      case Column::Length:
        return number(end.length);
      case Column::StoredLength:
        return number(end.stored_length);
      case Column::Trailing:
        return number(end.trailing);
      case Column::Format:
        return record.format();
      case Column::Problems:
        return problems(end);
      case Column::MediaType:
        return safe(media_type(flat_, shows_http(record)));
      case Column::Status:
        return safe(flat_.get("http.status"));
      case Column::Target:
        return safe(flat_.get("uri").empty() ? flat_.get("id") : flat_.get("uri"));
      case Column::Index:
      case Column::Attribute:
        break;
    }
    const std::string_view text = flat_.get(names_[i]);
    if (!missing_.empty() && !text.empty()) {
      missing_.erase(names_[i]);
    }
    return safe(text);
  }

  // A filter may have read more heads than the table is made of.
  bool shows_http(const Record& record) const {
    return !choice_ || http_requests_ || record.kind() != "request";
  }

  std::string_view number(std::optional<std::uint64_t> value) {
    if (!value) {
      return "-";
    }
    scratch_ = std::to_string(*value);
    return scratch_;
  }

  std::string_view problems(const RecordEnd& end) {
    scratch_.clear();
    for (const Finding& finding : end.findings) {
      scratch_ += scratch_.empty() ? "" : ",";
      scratch_ += finding.code;
    }
    return scratch_.empty() ? std::string_view("-") : scratch_;
  }

  std::string_view safe(std::string_view text) {
    if (text.empty()) {
      return "-";
    }
    if (is_plain_ascii(text)) {
      return text;
    }
    scratch_ = escape_for_terminal(text);
    return scratch_;
  }

  const Archive& archive_;
  const ListOptions& options_;
  const std::vector<std::string>& names_;
  std::vector<Column> columns_;
  FlatAttributes flat_;
  std::string members_, scratch_;
  std::optional<Hasher> hasher_;
  std::uint64_t taken_ = 0, seen_ = 0;
  std::optional<RecordChoice> choice_;
  bool http_ = false, http_requests_ = false;  // of records that match
  std::vector<Finding> found_;                 // by the filter
  std::set<std::string> missing_;              // attributes that no record has had
  std::uint64_t rows_ = 0;
};

}  // namespace

std::vector<std::string> list_columns(const Format& format, const ListOptions& options) {
  std::vector<std::string> columns = options.fields;
  if (columns.empty()) {
    columns.assign(format.columns().begin(), format.columns().end());
    if (options.hash) {
      // Before the column that is as long as it likes.
      columns.insert(columns.end() - (columns.back() == "target" ? 1 : 0), "sha256");
    }
    if (options.with_archive) {
      columns.insert(columns.begin(), "archive");
    }
  }
  return columns;
}

std::string list_heading(const std::vector<std::string>& columns) {
  std::string line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool last = i + 1 == columns.size();
    append_cell(line, columns[i], width_of(columns[i]), last);
    line += last ? '\n' : ' ';
  }
  return line;
}

Status list(const Archive& archive, const ListOptions& options, const Output& out) {
  const std::vector<std::string> columns = list_columns(*archive.format, options);
  const bool hash = options.hash || (!options.json && std::find(columns.begin(), columns.end(),
                                                                "sha256") != columns.end());
  ScanOptions scan_options = options.scan;
  scan_options.strict = options.strict;
  scan_options.read.http = options.json || options.fields.empty() || needs_http(options.fields);
  scan_options.read.http_requests =
      scan_options.read.http && (options.json || !options.fields.empty());
  scan_options.read.skim = !options.full && !hash && !options.scan.read.search_damaged;
  if (options.limit > 0) {
    scan_options.threads = 1;
    scan_options.stops_early = true;
  }
  const ReadOptions http = scan_options.read;
  if (options.where != nullptr) {
    // Told now if it cannot be; then the head of a block is read only where it is needed.
    FONDS_TRY(const auto choice,
              RecordChoice::make(archive, options.where, options.scan.read, hash, options.missing));
    choice.limit_threads(scan_options);
    scan_options.read.http = scan_options.read.http_requests = false;
  }
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
  const auto make_worker = [&] {
    auto worker = std::make_unique<ListWorker>(archive, options, columns, hash);
    if (options.where != nullptr) {
      auto choice =
          RecordChoice::make(archive, options.where, options.scan.read, hash, options.missing);
      worker->choose(std::move(*choice), http);
    }
    return worker;
  };
  FONDS_CHECK(scan(archive, scan_options, make_worker, sink));
  return {};
}

}  // namespace fonds::ops
