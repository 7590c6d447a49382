#include "ops/search_records.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/calendar.hpp"
#include "base/date_span.hpp"
#include "format/common/search_total.hpp"
#include "ops/describe.hpp"
#include "ops/projection.hpp"
#include "ops/record_filter.hpp"
#include "ops/scan.hpp"

namespace fonds::ops {
namespace {

using Want = SearchOptions::Want;

constexpr unsigned kShareOfValues = 8;  // of the memory, for values and times

bool is_damage(const Finding& finding) { return finding.severity >= Severity::Warning; }

// What all workers are given.
struct Task {
  const Archive& archive;
  const query::Query& query;
  const SearchOptions& options;
  std::uint64_t memory = 0;  // for values and times: of each thread, and of all together
  bool strict = false;
};

std::optional<std::int64_t> instant_of(const Record& record) {
  const auto date = record.date();
  return date ? std::optional(span_of(*date).begin) : std::nullopt;
}

bool may_be_extreme(const FieldValues::Value& value) {
  const bool number = !value.text.empty() &&
                      value.text.find_first_not_of("0123456789") == std::string::npos &&
                      (value.text.size() == 1 || value.text.front() != '0');
  return value.kind == FieldValue::Kind::Number || value.kind == FieldValue::Kind::Time || number;
}

// A header field that spells a number is one where the least is asked for.
std::string json_of(const FieldValues::Value& value, Want want) {
  return want != Want::Unique && value.kind == FieldValue::Kind::Text ? value.text : to_json(value);
}

class SearchWorker final : public Worker {
 public:
  static Result<std::unique_ptr<SearchWorker>> make(const Task& task) {
    std::unique_ptr<SearchWorker> worker(new SearchWorker(task));
    const SearchOptions& options = task.options;
    FONDS_TRY(worker->filter_,
              RecordFilter::make(task.archive, task.query, task.options.read.memory_budget));
    if (options.want == Want::Min || options.want == Want::Max || options.want == Want::Unique) {
      FONDS_TRY(worker->values_, FieldValues::make(task.archive, {options.field}));
    }
    if (!options.projection.empty()) {
      FONDS_TRY(worker->projection_, Projection::make(task.archive, options.projection));
    }
    return worker;
  }

  const RecordFilter& filter() const { return *filter_; }

  // For a worker of one stretch among others: the number of its first record, where that begins,
  // and how many records have matched before.
  void go_on(std::uint64_t number, std::uint64_t at, std::uint64_t matched) {
    seen_ = number;
    begin_ = at;
    matched_ = before_ = matched;
  }

  Result<bool> take(RecordReader& reader, Record& record, Stretch& out) override {
    if (const auto begin = std::exchange(begin_, {}); begin && *begin != record.place.unit) {
      return fail(ErrorCode::Corrupt,
                  fmt::format("no record begins at {}, where the index has one end; was it made of "
                              "this archive?",
                              *begin),
                  {.source = task_.archive.source->name()});
    }
    found_.clear();
    const std::uint64_t number = seen_++;
    bool matches = in_time(record);
    if (matches) {
      FONDS_TRY(matches, filter_->matches(reader, record, number, found_));
    }
    if (matches) {
      FONDS_CHECK(add(reader, record));
    }
    FONDS_TRY(RecordEnd end, reader.finish());
    if (matches && task_.options.want == Want::Records) {
      give(record, end, out);
    }
    for (Finding& finding : found_) {
      finding.where.ordinal = record.ordinal;
      end.findings.push_back(std::move(finding));
    }
    const bool stop =
        task_.strict && std::any_of(end.findings.begin(), end.findings.end(), is_damage);
    std::move(end.findings.begin(), end.findings.end(), std::back_inserter(out.findings));
    out.beside = static_cast<std::size_t>(total_.held());
    matched_ += matches ? 1 : 0;
    const auto& limit = task_.options.limit;
    ended_ =
        stop || (limit && matched_ >= *limit) || (task_.options.want == Want::Any && matched_ > 0);
    return !ended_;
  }

  std::uint64_t matched() const { return matched_ - before_; }
  // Whether later records are not wanted.
  bool ended() const { return ended_; }
  const SearchTotal& total() const { return total_; }

 private:
  explicit SearchWorker(const Task& task) : task_(task), total_(task.options.want) {}

  bool in_time(const Record& record) const {
    const SearchOptions& options = task_.options;
    if (!options.since && !options.until) {
      return true;
    }
    const auto instant = instant_of(record);
    return instant && (!options.since || *instant >= *options.since) &&
           (!options.until || *instant <= *options.until);
  }

  // What is told of a record that matches, before it is passed over.
  Status add(RecordReader& reader, Record& record) {
    const SearchOptions& options = task_.options;
    switch (options.want) {
      case Want::Records:
        if (projection_ != nullptr) {
          return projection_->read(reader, record);
        }
        FONDS_CHECK(reader.read_http());
        describe_as_json(record, true, members_);
        return {};
      case Want::CountByTime: {
        auto begin = instant_of(record);
        if (begin) {
          begin = floor_to(*begin, options.interval);
        }
        total_.add_time(begin, 1);
        return total_.check(task_.memory);
      }
      case Want::Min:
      case Want::Max:
      case Want::Unique:
        return add_values(reader, record);
      case Want::Any:
      case Want::Count:
        break;
    }
    return {};
  }

  // A record counts once for each of its values.
  Status add_values(RecordReader& reader, const Record& record) {
    FONDS_TRY(const auto values, values_->of(reader, record));
    texts_.clear();
    for (const FieldValues::Value& value : values) {
      if (value.kind != FieldValue::Kind::Object &&
          (task_.options.want == Want::Unique || may_be_extreme(value))) {
        texts_.push_back(json_of(value, task_.options.want));
      }
    }
    std::sort(texts_.begin(), texts_.end());
    texts_.erase(std::unique(texts_.begin(), texts_.end()), texts_.end());
    for (const std::string& text : texts_) {
      if (task_.options.want == Want::Unique) {
        total_.add_value(text, 1);
      } else {
        total_.add_extreme(text, query::Number::parse(text));
      }
    }
    return total_.check(task_.memory);
  }

  void give(const Record& record, const RecordEnd& end, Stretch& out) {
    if (projection_ == nullptr) {
      append_json(out, task_.archive.source->name(), record, end, members_, true);
    } else {
      projection_->append(record, out);
    }
  }

  const Task& task_;
  std::unique_ptr<RecordFilter> filter_;
  std::unique_ptr<FieldValues> values_;
  std::unique_ptr<Projection> projection_;
  SearchTotal total_;
  std::uint64_t seen_ = 0, matched_ = 0, before_ = 0;
  std::optional<std::uint64_t> begin_;  // until the first record
  bool ended_ = false;
  std::string members_;
  std::vector<std::string> texts_;
  std::vector<Finding> found_;
};

bool has_date(const Format& format) {
  const auto fields = format.fields();
  return std::any_of(fields.begin(), fields.end(),
                     [](const FieldInfo& f) { return f.name == "date" && f.type == "time"; });
}

Status check_options(const Archive& archive, const SearchOptions& options) {
  const bool by_time = options.since || options.until || options.want == Want::CountByTime;
  if (by_time && !has_date(*archive.format)) {
    return fail(ErrorCode::BadArgument,
                fmt::format("records of {} have no date", archive.format->name()));
  }
  return {};
}

// Reads what lies between records that are passed over; they count.
Status search_between(const Task& task, std::span<const RuledOut> not_read,
                      const ScanOptions& scan_options, const StretchSink& give) {
  FONDS_TRY(const std::string state, Opener(task.archive).state(scan_options.read));
  FONDS_TRY(const std::uint64_t size, task.archive.source->size());
  std::uint64_t number = 0;
  std::uint64_t matched = 0;
  std::uint64_t at = 0;
  bool ended = false;
  const auto give_numbered = [&](Stretch& piece, Worker& worker, std::uint64_t first,
                                 bool worker_done) {
    const auto& searched = static_cast<SearchWorker&>(worker);
    ended = searched.ended();
    matched += worker_done ? searched.matched() : 0;
    return give(piece, worker, number + first, worker_done);
  };
  for (std::size_t i = 0; i <= not_read.size() && !ended; ++i) {
    const std::uint64_t end = i < not_read.size() ? not_read[i].begin : size;
    if (at < end) {
      ScanOptions stretch = scan_options;
      stretch.read.start = at;
      stretch.read.stop_at = end;
      stretch.read.state = at > 0 ? state : std::string();
      const auto make_worker = [&]() -> std::unique_ptr<Worker> {
        auto worker = SearchWorker::make(task);
        if (at > 0) {
          (*worker)->go_on(number, at, matched);
        }
        return std::move(*worker);
      };
      FONDS_TRY(const std::uint64_t records,
                scan(task.archive, stretch, make_worker, give_numbered));
      number += records;
    }
    if (i < not_read.size()) {
      ++number;
      at = not_read[i].end;
    }
  }
  return {};
}

}  // namespace

Result<SearchedRecords> search_records(const Archive& archive, const query::Query& query,
                                       const SearchOptions& options,
                                       const ScanOptions& scan_options, const SearchSink& sink,
                                       std::span<const RuledOut> not_read) {
  FONDS_CHECK(check_options(archive, options));
  if (options.limit == std::uint64_t{0}) {
    return SearchedRecords();
  }
  ScanOptions chosen = scan_options;
  chosen.read = options.read;
  chosen.read.http = chosen.read.http_requests = false;  // read where the query asks for it
  chosen.read.skim = !chosen.read.search_damaged;
  const Task task = {archive, query, options, chosen.read.memory_budget / kShareOfValues,
                     chosen.strict};
  FONDS_TRY(const auto first, SearchWorker::make(task));  // what is wrong is told once
  first->filter().limit_threads(chosen);
  if (options.want != Want::Records && options.want != Want::Any && options.want != Want::Count) {
    chosen.most_threads = std::min(chosen.most_threads, kShareOfValues - 1);
  }
  if (options.limit) {
    chosen.threads = 1;
  }
  SearchedRecords searched_all;
  SearchReport& report = searched_all.report;
  std::optional<std::set<std::string>> unknown;
  SearchTotal total(options.want);
  bool enough = false;
  const auto give = [&](Stretch& piece, Worker& worker, std::uint64_t first_ordinal,
                        bool worker_done) -> Status {
    if (!piece.text.empty()) {
      FONDS_TRY(const bool more, sink.lines(piece.render(first_ordinal)));
      if (!more) {
        enough = true;
        return fail(ErrorCode::Cancelled, "enough");
      }
    }
    for (Finding& finding : piece.findings) {
      if (finding.where.ordinal) {
        *finding.where.ordinal += first_ordinal;
      }
      sink.finding(finding);
    }
    if (worker_done) {
      const auto& searched = static_cast<SearchWorker&>(worker);
      report.matched += searched.matched();
      const std::set<std::string> names = searched.filter().unknown_names();
      if (unknown) {
        std::erase_if(*unknown, [&](const std::string& name) { return !names.contains(name); });
      } else {
        unknown = names;
      }
      total.add(searched.total());
      FONDS_CHECK(total.check(task.memory));
    }
    return {};
  };
  const auto make_worker = [&]() -> std::unique_ptr<Worker> {
    auto made = SearchWorker::make(task);
    return std::move(*made);
  };
  const auto search_all = [&]() -> Status {
    if (!not_read.empty()) {
      return search_between(task, not_read, chosen, give);
    }
    FONDS_CHECK(scan(archive, chosen, make_worker, give));
    return {};
  };
  if (Status searched = search_all(); !searched && !enough) {
    return tl::unexpected(std::move(searched.error()));
  }
  if (options.want != Want::Records && options.want != Want::Any && options.want != Want::Count) {
    report.groups = total.groups();
  }
  if (unknown && !options.since && !options.until &&
      not_read.empty()) {  // else not every record was asked
    searched_all.unknown_names = std::move(*unknown);
  }
  return searched_all;
}

}  // namespace fonds::ops
