#include "ops/search.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/calendar.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "ops/count_fields.hpp"
#include "ops/found_events.hpp"
#include "ops/record_filter.hpp"
#include "ops/scan.hpp"
#include "ops/search_records.hpp"
#include "ops/search_values.hpp"

namespace fonds::ops {
namespace {

using Want = SearchOptions::Want;

// Where a value takes part in a table with a count before it.
std::string count_cell(std::uint64_t count, bool align) {
  return align ? fmt::format("{:>10} ", count) : fmt::format("{}\t", count);
}

bool is_empty(ByteSource& source) {
  return source.random_access() && source.size().value_or(1) == 0;
}

}  // namespace

Status Search::ask(const Archive& archive, const ScanOptions& scan) {
  SearchOptions options = request_.search;
  options.read = scan.read;
  if (options.limit) {
    *options.limit -= std::min(matched_, *options.limit);
  }
  std::stop_source stop;
  const std::stop_callback outer(scan.read.stop, [&stop] { stop.request_stop(); });
  options.read.stop = stop.get_token();
  const SearchSink sink = {.lines = [&](std::string_view lines) -> Result<bool> {
                             FONDS_CHECK(out_.text(lines));
                             return !stopped_;
                           },
                           .finding =
                               [&](const Finding& finding) {
                                 out_.finding(finding);
                                 if (request_.strict && finding.severity >= Severity::Warning) {
                                   stopped_ = true;
                                   stop.request_stop();
                                 }
                               }};
  auto report = is_empty(*archive.source)
                    ? Result<SearchReport>(SearchReport())  // whatever it was recognized as
                    : answer(archive, scan, options, sink);
  if (!report) {
    if (stopped_ && report.error().code() == ErrorCode::Cancelled) {
      return {};
    }
    return tl::unexpected(std::move(report.error()).with({.source = archive.source->name()}));
  }
  matched_ += report->matched;
  if (options.want == Want::Count && report->groups.empty()) {
    report->groups.push_back({.count = report->matched});
  }
  if (!request_.total) {
    return tell(archive.source->name(), *report);
  }
  if (!total_) {
    total_.emplace(options.want);
  }
  for (const SearchGroup& group : report->groups) {
    total_->add(group);
  }
  Status fits = total_->check(scan.read.memory_budget / 8);
  if (!fits) {
    return tl::unexpected(std::move(fits.error()).with({.source = archive.source->name()}));
  }
  return {};
}

Result<SearchReport> Search::answer(const Archive& archive, const ScanOptions& scan,
                                    const SearchOptions& options, const SearchSink& sink) {
  unknown_names_.clear();
  if (!request_.indexes.empty() && !archive.format->traits().captures) {
    return fail(ErrorCode::BadArgument,
                fmt::format("--index is for web archives, not for {}", archive.format->name()));
  }
  if (has_fields(archive)) {
    ScanOptions records = scan;
    records.threads = options.threads;
    records.strict = request_.strict;
    std::vector<RuledOut> not_read;
    if (!request_.indexes.empty()) {
      FONDS_TRY(not_read, ruled_out(archive, request_.query, request_.indexes,
                                    options.read.memory_budget / 4, sink.finding));
    }
    FONDS_TRY(SearchedRecords searched,
              search_records(archive, request_.query, options, records, sink, not_read));
    unknown_names_ = std::move(searched.unknown_names);
    return std::move(searched.report);
  }
  return find_events(archive, request_.query, options, sink);
}

bool Search::enough() const {
  return stopped_ || (request_.search.limit && matched_ >= *request_.search.limit);
}

Status Search::finish() {
  if (!request_.total) {
    return {};
  }
  const SearchTotal none(request_.search.want);
  return tell({}, {.matched = matched_, .groups = (total_ ? *total_ : none).groups()});
}

Status Search::tell(std::string_view archive, const SearchReport& report) {
  if (request_.search.want == Want::Any) {
    if (report.matched == 0) {
      return {};
    }
    std::string text;
    if (request_.json) {
      JsonWriter(text).begin_object().member("archive", archive).end_object();
    } else {
      text = escape_for_terminal(archive);
    }
    return out_.text(text + '\n');
  }
  if (request_.search.want == Want::Records) {
    return {};
  }
  for (const SearchGroup& group : report.groups) {
    FONDS_CHECK(out_.text(request_.json ? object(archive, group) : row(archive, group)));
  }
  return {};
}

// One number is as `grep -c` gives it; the others are tables.
std::string Search::row(std::string_view archive, const SearchGroup& group) const {
  const bool named = request_.with_archive && !request_.total;
  const std::string name = named ? escape_for_terminal(archive) : std::string();
  switch (request_.search.want) {
    case Want::Count:
      return fmt::format("{}{}{}\n", name, named ? ":" : "", group.count);
    case Want::Min:
    case Want::Max:
      return fmt::format("{}{}{}\n", name, named ? ":" : "", escape_for_terminal(group.value));
    default:
      break;
  }
  std::string line = name;
  if (named) {
    line += request_.align ? ' ' : '\t';
  }
  if (request_.search.want == Want::CountByTime) {
    const std::string begin = group.begin ? format_instant(*group.begin) : "-";
    return line + (request_.align ? fmt::format("{:<24} {:>10}\n", begin, group.count)
                                  : fmt::format("{}\t{}\n", begin, group.count));
  }
  return line + count_cell(group.count, request_.align) + escape_for_terminal(group.value) + '\n';
}

std::string Search::object(std::string_view archive, const SearchGroup& group) const {
  std::string line;
  JsonWriter json(line);
  json.begin_object();
  if (!request_.total) {
    json.member("archive", archive);
  }
  const Want want = request_.search.want;
  if (want == Want::CountByTime) {
    json.key("timestamp");
    if (group.begin) {
      // Whole, as intervals are of whole milliseconds.
      json.value(*group.begin / kNsPerMs);
      json.member("date", std::string_view(format_instant(*group.begin)));
    } else {
      json.null().key("date").null();
    }
  } else if (want != Want::Count) {
    json.member("field", std::string_view(request_.field));
    json.key(want == Want::Min ? "min" : want == Want::Max ? "max" : "value").value_follows();
    line += group.value;
  }
  if (want != Want::Min && want != Want::Max) {
    json.member("count", group.count);
  }
  json.end_object();
  return line + '\n';
}

Result<std::uint64_t> list_fields(const Archive& archive, const ListFieldsOptions& options,
                                  const Output& out) {
  std::uint64_t fields = 0;
  const std::string& name = archive.source->name();
  std::string line;
  const auto give = [&](const EventField& field) -> Status {
    if (!field.leaf) {
      return {};
    }
    ++fields;
    line.clear();
    if (options.json) {
      JsonWriter(line)
          .begin_object()
          .member("archive", std::string_view(name))
          .member("field", field.path)
          .member("type", field.type)
          .member("records", field.events)
          .end_object();
      line += '\n';
      return out.text(line);
    }
    const std::string separator = options.align ? " " : "\t";
    if (options.with_archive) {
      line += escape_for_terminal(name) + separator;
    }
    line += options.align ? fmt::format("{:>10} {:<20}", field.events, field.type)
                          : fmt::format("{}\t{}", field.events, field.type);
    line += separator + escape_for_terminal(field.path) + '\n';
    return out.text(line);
  };
  if (has_fields(archive)) {
    FONDS_CHECK(count_fields(archive, options.scan, give, out.finding));
  } else {
    FONDS_CHECK(archive.format->event_fields(archive, options.scan.read, give, out.finding));
  }
  return fields;
}

}  // namespace fonds::ops
