#include "format/clps/search.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/guarded.hpp"
#include "format/clps/compat.hpp"
#include "format/clps/compat_term.hpp"
#include "format/clps/search_aggregate.hpp"
#include "format/clps/search_keys.hpp"
#include "format/clps/search_plan.hpp"
#include "format/clps/search_table.hpp"
#include "format/clps/texts.hpp"

namespace fonds::clps {
namespace {

using Want = SearchOptions::Want;

// What was found in one table.
struct TableAnswer {
  Condition condition;
  bool all = false;         // every row matches
  std::uint64_t count = 0;  // rows that match
  RowSet rows;              // unless all do; only of Want::Records
  std::optional<AggregatePart> part;
  std::vector<Finding> findings;
};

// What one thread does at a time: deciding texts on dictionaries, or a stream with the tables to
// look at in it.
struct Task {
  enum class Kind : std::uint8_t { Variables, LogTypes, Stream } kind = Kind::Stream;
  std::size_t stream = 0;
  std::vector<std::size_t> tables = {};
};

// A stream that was decompressed ahead, while others decide the texts.
struct WarmStream {
  const Task* task = nullptr;
  std::shared_ptr<Stream> stream;
};

// The texts of a filter that are decided before tables are read.
struct FirstTexts {
  const FilterTest* filter = nullptr;
  bool variables = false, log_types = false;
};

class Search {
 public:
  Search(std::shared_ptr<const Archive> archive, const query::Query& query,
         const SearchOptions& options, const SearchSink& sink)
      : archive_(std::move(archive)), query_(query), options_(options), sink_(sink) {}

  Result<SearchReport> run() {
    FONDS_CHECK(prepare());
    FONDS_CHECK(plan());
    FONDS_CHECK(work());
    FONDS_CHECK(count_unread());
    tell_findings();
    if (options_.want == Want::Records) {
      return deliver();
    }
    return report();
  }

 private:
  Status prepare();
  Status find_projection();
  Status plan();
  Status work();
  Status work_on(std::atomic<std::size_t>& next);
  void add_task(std::size_t table);
  void add_first_texts(const Condition& condition);
  void add_text_tasks();
  Status decide_variables();
  Status decide_log_types(bool whole);
  bool texts_decided() const;
  Status search_stream(const Task& task, std::vector<WarmStream>& warm);
  Status search_tables(const Task& task, std::shared_ptr<Stream> stream);
  Result<std::vector<std::size_t>> prune_tables(const Task& task, bool decide);
  Status warm_up(Stream& stream, const std::vector<std::size_t>& tables) const;
  Status search_table(std::size_t table, const std::shared_ptr<Stream>& stream, ColumnScan& scan);
  Status look_at(std::size_t table, const std::shared_ptr<Stream>& stream, ColumnScan& scan);
  bool enough() const;
  Status count_unread();
  void tell_findings() const;
  Result<SearchReport> deliver();
  Result<SearchReport> report();
  bool is_read(std::size_t table) const;
  bool stopped() const { return archive_->options().read.stop.stop_requested(); }

  const std::shared_ptr<const Archive> archive_;
  const query::Query& query_;
  const SearchOptions& options_;
  const SearchSink& sink_;

  std::unique_ptr<Planner> planner_;
  std::optional<TimeBounds> bounds_;
  std::unique_ptr<Aggregate> aggregate_;
  std::unique_ptr<Texts> times_;
  std::vector<NodeId> projection_;
  std::vector<FirstTexts> first_texts_;  // each filter once
  std::vector<TableAnswer> answers_;
  std::vector<Task> tasks_;
  std::mutex kept_mutex_;
  std::map<std::size_t, std::shared_ptr<Stream>> kept_;  // streams with records to give
  std::atomic<std::uint64_t> found_ = 0;
};

// Exact keys, through objects only; what they name is shown whole.
Status Search::find_projection() {
  std::vector<std::vector<std::string>> seen;
  for (const query::Path& path : options_.projection) {
    std::vector<std::string> keys;
    for (const query::PathStep& step : path.steps) {
      if (step.wildcard) {
        return fail(ErrorCode::BadArgument, "a projected key has a wildcard");
      }
      keys.push_back(step.key);
    }
    keys.push_back(std::to_string(static_cast<int>(path.space)));
    if (std::find(seen.begin(), seen.end(), keys) != seen.end()) {
      return fail(ErrorCode::BadArgument, "a projected key is given twice");
    }
    seen.push_back(std::move(keys));
    FONDS_TRY(const KeyMachine machine, KeyMachine::make(path.steps));
    for (const KeyHit& hit :
         find_keys(archive_->tree(), machine, roots_of(path), /*arrays=*/false)) {
      // What clp-s shows are values and arrays that it keeps whole.
      const bool value = compat::type_of(archive_->tree()[hit.node].type) != 0;
      if (hit.accepts && (value || query_.options.meaning == query::Meaning::Default)) {
        projection_.push_back(hit.node);
      }
    }
  }
  std::sort(projection_.begin(), projection_.end());
  projection_.erase(std::unique(projection_.begin(), projection_.end()), projection_.end());
  return {};
}

Status Search::prepare() {
  FONDS_CHECK(find_projection());
  if (query_.options.meaning == query::Meaning::ClpS) {
    FONDS_TRY(planner_,
              make_compat_planner(*archive_, query_, options_.since, options_.until));
    FONDS_TRY(bounds_, TimeBounds::make(*archive_, {}, {}));
  } else {
    FONDS_TRY(planner_, make_default_planner(*archive_, query_));
    FONDS_TRY(bounds_, TimeBounds::make(*archive_, options_.since, options_.until));
  }
  FONDS_TRY(aggregate_, Aggregate::make(*archive_, options_));
  FONDS_TRY(times_, Texts::open(*archive_, {false, false, false}));
  return {};
}

bool Search::is_read(std::size_t table) const {
  const Condition& condition = answers_[table].condition;
  return !condition.is(false) &&
         (!condition.is(true) || (aggregate_ != nullptr && aggregate_->reads(table)));
}

Status Search::plan() {
  const auto tables = archive_->tables();
  answers_.resize(tables.size());
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (tables[i].fault.empty() && tables[i].records > 0) {
      std::vector<Condition> both;
      both.push_back(bounds_->plan(i));
      both.push_back(planner_->plan(i));
      answers_[i].condition = all_of(std::move(both));
    }
    if (is_read(i)) {
      add_task(i);
    } else if (options_.want == Want::Any && answers_[i].condition.is(true)) {
      found_ = 1;
    }
  }
  add_text_tasks();
  return {};
}

void Search::add_task(std::size_t table) {
  if (wants_texts_first(answers_[table].condition)) {
    add_first_texts(answers_[table].condition);
  }
  const auto stream = static_cast<std::size_t>(archive_->tables()[table].stream);
  if (tasks_.empty() || tasks_.back().stream != stream) {
    tasks_.push_back({.stream = stream});
  }
  tasks_.back().tables.push_back(table);
}

void Search::add_first_texts(const Condition& condition) {
  for_each_leaf(condition, [&](const Condition& leaf) {
    FirstTexts texts{.filter = leaf.filter};
    for (const ColumnTest& test : leaf.columns) {
      texts.variables = texts.variables || test.type == NodeType::VarString;
      texts.log_types = texts.log_types || test.type == NodeType::ClpString;
    }
    const auto known = std::find_if(first_texts_.begin(), first_texts_.end(),
                                    [&](const auto& one) { return one.filter == leaf.filter; });
    if (known == first_texts_.end()) {
      first_texts_.push_back(texts);
    } else {
      known->variables = known->variables || texts.variables;
      known->log_types = known->log_types || texts.log_types;
    }
  });
}

void Search::add_text_tasks() {
  std::vector<Task> first;
  if (std::any_of(first_texts_.begin(), first_texts_.end(),
                  [](const auto& one) { return one.variables; })) {
    first.push_back({.kind = Task::Kind::Variables});
  }
  if (std::any_of(first_texts_.begin(), first_texts_.end(),
                  [](const auto& one) { return one.log_types; })) {
    first.push_back({.kind = Task::Kind::LogTypes});
  }
  tasks_.insert(tasks_.begin(), first.begin(), first.end());
}

Status Search::work() {
  std::atomic<std::size_t> next = 0;
  const std::size_t helpers = std::min<std::size_t>(std::max(options_.threads, 1U),
                                                    std::max<std::size_t>(tasks_.size(), 1)) -
                              1;
  std::vector<std::optional<Error>> errors(helpers + 1);
  const auto run = [&](std::size_t thread) {
    if (auto status = guarded([&] { return work_on(next); }); !status) {
      errors[thread] = std::move(status.error());
      next.store(tasks_.size());  // nobody need go on
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < helpers; ++i) {
      try {
        threads.emplace_back([&run, i] { run(i + 1); });
      } catch (const std::system_error&) {
        break;  // fewer threads do the same work
      }
    }
    run(0);
  }
  for (std::optional<Error>& error : errors) {
    if (error) {
      return tl::unexpected(std::move(*error));
    }
  }
  return {};
}

Status Search::work_on(std::atomic<std::size_t>& next) {
  std::vector<WarmStream> warm;
  for (std::size_t i = next.fetch_add(1); i < tasks_.size() && !enough(); i = next.fetch_add(1)) {
    const Task& task = tasks_[i];
    if (stopped()) {
      return fail(ErrorCode::Cancelled, "cancelled", {.source = archive_->name()});
    }
    switch (task.kind) {
      case Task::Kind::Variables:
        FONDS_CHECK(decide_variables());
        break;
      case Task::Kind::LogTypes:
        FONDS_CHECK(decide_log_types(i == 0));
        break;
      case Task::Kind::Stream:
        FONDS_CHECK(search_stream(task, warm));
        break;
    }
  }
  for (WarmStream& one : warm) {
    FONDS_CHECK(search_tables(*one.task, std::move(one.stream)));
  }
  return {};
}

// Whether what was found is all that is asked for. Tables that nobody has begun with lie behind the
// others.
bool Search::enough() const {
  const std::uint64_t found = found_.load();
  return (options_.want == Want::Any && found > 0) ||
         (options_.want == Want::Records && options_.table_order && options_.limit &&
          found >= *options_.limit);
}

Status Search::decide_variables() {
  for (const FirstTexts& texts : first_texts_) {
    if (texts.variables) {
      FONDS_TRY(const VariableDecision* const decision,
                texts.filter->strings().variables(*archive_));
      static_cast<void>(decision);
    }
  }
  return decide_log_types(true);  // what of it takes variables
}

Status Search::decide_log_types(bool whole) {
  for (const FirstTexts& texts : first_texts_) {
    if (!texts.log_types) {
      continue;
    }
    FONDS_CHECK(texts.filter->strings().begin_log_types(*archive_));
    if (whole) {
      FONDS_TRY(const LogTypeDecision* const decision,
                texts.filter->strings().log_types(*archive_));
      static_cast<void>(decision);
    }
  }
  return {};
}

bool Search::texts_decided() const {
  return std::all_of(first_texts_.begin(), first_texts_.end(), [](const FirstTexts& texts) {
    const StringTest& strings = texts.filter->strings();
    return (!texts.variables || strings.decided_variables()) &&
           (!texts.log_types || strings.decided_log_types());
  });
}

Result<std::vector<std::size_t>> Search::prune_tables(const Task& task, bool decide) {
  std::vector<std::size_t> tables;
  for (const std::size_t table : task.tables) {
    Condition& condition = answers_[table].condition;
    const bool first = decide && wants_texts_first(condition);
    FONDS_TRY(condition, prune(std::move(condition), *archive_, first));
    if (is_read(table)) {
      tables.push_back(table);
    }
  }
  return tables;
}

// Decompresses the columns that may be looked at.
Status Search::warm_up(Stream& stream, const std::vector<std::size_t>& tables) const {
  // A table's columns end somewhere before the next table; where, only their contents tell.
  const TableInfo& last = archive_->tables()[tables.back()];
  FONDS_TRY(const bool whole, stream.ensure(last.offset + last.length));
  static_cast<void>(whole);  // a table that is cut will tell
  return {};
}

Status Search::search_stream(const Task& task, std::vector<WarmStream>& warm) {
  const bool ahead = options_.threads > 1 && !texts_decided();
  FONDS_TRY(const auto tables, prune_tables(task, !ahead));
  if (tables.empty()) {
    return {};
  }
  FONDS_TRY(auto stream, archive_->open_stream(task.stream));
  if (ahead) {
    FONDS_CHECK(warm_up(*stream, tables));
    warm.push_back({&task, std::move(stream)});
    return {};
  }
  return search_tables(task, std::move(stream));
}

Status Search::search_tables(const Task& task, std::shared_ptr<Stream> stream) {
  FONDS_TRY(const auto tables, prune_tables(task, true));
  ColumnScan scan(*archive_, *times_);
  bool any = false;
  for (const std::size_t table : tables) {
    FONDS_CHECK(search_table(table, stream, scan));
    any = any || answers_[table].count > 0;
    if (enough()) {
      break;
    }
  }
  if (any && options_.want == Want::Records) {
    const std::lock_guard lock(kept_mutex_);
    kept_[task.stream] = std::move(stream);
  }
  return {};
}

Status Search::search_table(std::size_t table, const std::shared_ptr<Stream>& stream,
                            ColumnScan& scan) {
  auto status = look_at(table, stream, scan);
  TableAnswer& answer = answers_[table];
  if (!status) {
    if (status.error().code() != ErrorCode::Corrupt) {
      return status;
    }
    answer.findings.push_back(
        make_finding("clps-table",
                     fmt::format("{}; its {} records are not searched", status.error().message(),
                                 archive_->tables()[table].records),
                     status.error().where()));
  }
  for (const ColumnScan::Damage& damage : scan.take_damage()) {
    answer.findings.push_back(
        make_finding("clps-cell",
                     fmt::format("table {}, record {}: {}; {} of its values match nothing", table,
                                 damage.row, damage.what, damage.cells),
                     {.source = archive_->name()}));
  }
  return {};
}

Status Search::look_at(std::size_t table, const std::shared_ptr<Stream>& stream, ColumnScan& scan) {
  TableAnswer& answer = answers_[table];
  LazyTable lazy(*archive_, table, stream);
  FONDS_TRY(const Column* const first, lazy.column(0));  // so many records have bytes
  const auto records = static_cast<std::size_t>(first->records);
  const BitSet all(records, true);
  FONDS_TRY(BitSet rows, evaluate(answer.condition, lazy, scan, all));
  const std::uint64_t count = rows.count();
  if (aggregate_ != nullptr && count > 0) {
    if (aggregate_->reads(table)) {
      FONDS_TRY(answer.part, aggregate_->of(lazy, rows));
    } else {
      FONDS_TRY(answer.part, aggregate_->of_unread(table, count));
    }
  }
  answer.count = count;
  answer.all = count == records;
  if (options_.want == Want::Records && !answer.all) {
    answer.rows.bits = rows.take();
  }
  found_ += count;
  return {};
}

// Of tables that turned out to match without being read.
Status Search::count_unread() {
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    TableAnswer& answer = answers_[i];
    if (answer.condition.is(true) && !is_read(i)) {
      answer.all = true;
      answer.count = archive_->tables()[i].records;
      if (aggregate_ != nullptr) {
        FONDS_TRY(answer.part, aggregate_->of_unread(i, answer.count));
      }
    }
  }
  return {};
}

void Search::tell_findings() const {
  for (const TableAnswer& answer : answers_) {
    for (const Finding& finding : answer.findings) {
      if (sink_.finding) {
        sink_.finding(finding);
      }
    }
  }
}

Result<SearchReport> Search::report() {
  SearchReport made;
  for (const TableAnswer& answer : answers_) {
    made.matched += std::min(answer.count, ~std::uint64_t{0} - made.matched);
    if (answer.part) {
      FONDS_CHECK(aggregate_->add(*answer.part));
    }
  }
  if (aggregate_ != nullptr) {
    made.groups = aggregate_->groups();
  }
  return made;
}

// The first lines of a text, which ends in a line end.
std::string_view first_lines(const Rebuilder::Batch& batch, std::uint64_t lines) {
  if (lines >= batch.lines.size()) {
    return batch.text;
  }
  return batch.text.substr(0, batch.lines[static_cast<std::size_t>(lines)].begin);
}

Result<SearchReport> Search::deliver() {
  SearchReport made;
  RebuildOptions rebuild;
  rebuild.order = options_.table_order ? Order::Table : Order::Log;
  rebuild.threads = options_.threads;
  rebuild.projection = projection_;
  rebuild.project = !options_.projection.empty();
  rebuild.streams = std::move(kept_);
  rebuild.rows.resize(answers_.size());
  bool any = false;
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    if (answers_[i].count > 0) {
      rebuild.rows[i] = std::move(answers_[i].rows);
      any = true;
    }
  }
  const std::uint64_t limit = options_.limit.value_or(~std::uint64_t{0});
  if (!any || limit == 0) {
    return made;
  }
  FONDS_TRY(const auto rebuilder, Rebuilder::open(archive_, std::move(rebuild)));
  while (made.matched < limit) {
    FONDS_TRY(const Rebuilder::Batch* const batch, rebuilder->next());
    if (batch == nullptr) {
      break;
    }
    for (const Finding& finding : batch->findings) {
      if (sink_.finding) {
        sink_.finding(finding);
      }
    }
    const std::string_view lines = first_lines(*batch, limit - made.matched);
    made.matched += std::min<std::uint64_t>(batch->lines.size(), limit - made.matched);
    if (!lines.empty() && sink_.lines) {
      FONDS_TRY(const bool more, sink_.lines(lines));
      if (!more) {
        break;
      }
    }
  }
  return made;
}

}  // namespace

Result<SearchReport> search(std::shared_ptr<const Archive> archive, const query::Query& query,
                            const SearchOptions& options, const SearchSink& sink) {
  return guarded([&]() -> Result<SearchReport> {
    return Search(std::move(archive), query, options, sink).run();
  });
}

}  // namespace fonds::clps
