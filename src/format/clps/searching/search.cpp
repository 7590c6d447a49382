#include <algorithm>
#include <atomic>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/formats/clps.hpp>

#include "base/guarded.hpp"
#include "format/clps/reading/streams_ahead.hpp"
#include "format/clps/reading/texts.hpp"
#include "format/clps/searching/compat.hpp"
#include "format/clps/searching/compat_term.hpp"
#include "format/clps/searching/search_course.hpp"
#include "format/clps/searching/search_keys.hpp"
#include "format/clps/searching/search_plan.hpp"
#include "format/clps/searching/search_render.hpp"
#include "format/clps/searching/search_table.hpp"

namespace fonds::clps {
namespace {

// What a record is guessed to be long, between these.
constexpr std::uint64_t kShortRecord = 64, kLongRecord = std::uint64_t{64} << 10;

// Streams are decompressed ahead up to here.
constexpr std::uint64_t kMostWarm = std::uint64_t{32} << 20;

}  // namespace

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
    BudgetShare share;
    FONDS_TRY(const auto hits,
              find_keys(*archive_, machine, roots_of(path), /*arrays=*/false, share));
    for (const KeyHit& hit : hits) {
      // What clp-s shows are values and arrays that it keeps whole.
      const bool value = compat::type_of(archive_->tree()[hit.node].type) != 0;
      if (hit.accepts && (value || query_.options.meaning == query::Meaning::Default)) {
        projected_.push_back(hit.node);
      }
    }
  }
  std::sort(projected_.begin(), projected_.end());
  projected_.erase(std::unique(projected_.begin(), projected_.end()), projected_.end());
  return {};
}

Status Search::prepare() {
  FONDS_CHECK(find_projection());
  if (query_.options.meaning == query::Meaning::ClpS) {
    FONDS_TRY(planner_, make_compat_planner(*archive_, query_, options_.since, options_.until));
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
  return !condition.is(false) && (!condition.is(true) || renderer_.has_value() ||
                                  (aggregate_ != nullptr && aggregate_->reads(table)));
}

// Decides whether records are rebuilt as they are found.
void Search::plan_rendering() {
  if (options_.want != Want::Records) {
    return;
  }
  const std::uint64_t average = std::clamp<std::uint64_t>(
      archive_->header().uncompressed_size / std::max<std::uint64_t>(archive_->records(), 1),
      kShortRecord, kLongRecord);
  std::uint64_t certain = 0;  // bytes of records that match in any case
  std::vector<std::size_t> tables;
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    if (answers_[i].condition.is(false)) {
      continue;
    }
    tables.push_back(i);
    if (answers_[i].condition.is(true)) {
      const std::uint64_t records = archive_->tables()[i].records;
      certain += std::min(records, kMostRendered / kShortRecord) * average;
    }
  }
  if (certain <= kMostRendered) {
    renderer_.emplace(
        *archive_,
        options_.projection.empty() ? Projection() : Projection(archive_->tree(), projected_),
        tables);
    rendering_ = true;
  }
}

Status Search::plan() {
  const auto tables = archive_->tables();
  share_ = BudgetShare(archive_->budget());
  if (!share_.resize(tables.size() * (sizeof(TableAnswer) + 4 * sizeof(Condition)))) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("the memory limit leaves no room to search {} tables", tables.size()),
                {.source = archive_->name()});
  }
  answers_.resize(tables.size());
  for (std::size_t i = 0; i < tables.size(); ++i) {  // of which the faulty ones stay false
    if (tables[i].fault.empty() && tables[i].records > 0) {
      std::vector<Condition> both;
      both.push_back(bounds_->plan(i));
      both.push_back(planner_->plan(i));
      answers_[i].condition = all_of(std::move(both));
    }
  }
  plan_rendering();
  for (std::size_t i = 0; i < tables.size(); ++i) {
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
  const std::size_t helpers = std::min<std::size_t>(std::max(options_.threads, 1U),
                                                    std::max<std::size_t>(tasks_.size(), 1)) -
                              1;
  std::vector<std::optional<Error>> errors(helpers + 1);
  const auto run = [&](std::size_t thread) {
    if (auto status = guarded([&] { return work_on_tasks(); }); !status) {
      errors[thread] = std::move(status.error());
      const std::lock_guard lock(tasks_mutex_);
      next_task_ = tasks_.size();  // nobody need go on
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

// The next task that nobody has begun with; the end if there is none.
Result<std::size_t> Search::take_task() {
  const std::lock_guard lock(tasks_mutex_);
  if (next_task_ == tasks_.size()) {
    return next_task_;
  }
  if (archive_->reads_are_round_trips()) {
    FONDS_CHECK(ask_ahead());
    asked_ = std::max(asked_, next_task_ + 1);
    ahead_ -= tasks_[next_task_].asked ? stored_of(tasks_[next_task_]) : 0;
  }
  return next_task_++;
}

std::uint64_t Search::stored_of(const Task& task) const {
  return task.kind == Task::Kind::Stream ? archive_->streams()[task.stream].stored : 0;
}

void Search::ask_for(const Task& task) const {
  switch (task.kind) {
    case Task::Kind::Variables:
      archive_->will_read_dictionary(Member::Variables);
      break;
    case Task::Kind::LogTypes:
      archive_->will_read_dictionary(Member::LogTypes);
      break;
    case Task::Kind::Stream:
      archive_->will_read_stream(task.stream);
      if (renderer_) {
        renderer_->will_read_short_texts();
      }
      break;
  }
}

// Asks for what the next tasks read, where that is certain. Those tasks are nobody's yet: what
// rules out their tables is only looked at with tasks_mutex_ held.
Status Search::ask_ahead() {
  for (; asked_ < tasks_.size() && ahead_ < kMostAhead; ++asked_) {
    Task& task = tasks_[asked_];
    if (task.kind == Task::Kind::Stream) {
      FONDS_TRY(const auto tables, prune_tables(task, false));
      if (tables.empty()) {
        continue;
      }
      const bool waits = !texts_decided() && std::all_of(tables.begin(), tables.end(), [&](auto i) {
        return wants_texts_first(answers_[i].condition);
      });
      if (waits) {
        return {};
      }
    }
    task.asked = true;
    ahead_ += stored_of(task);
    ask_for(task);
  }
  return {};
}

Status Search::work_on_tasks() {
  std::vector<WarmStream> warm;
  ColumnScan scan(*archive_, *times_);
  while (!enough()) {
    FONDS_TRY(const std::size_t taken, take_task());
    if (taken == tasks_.size()) {
      break;
    }
    const Task& task = tasks_[taken];
    if (stopped()) {
      return fail(ErrorCode::Cancelled, "cancelled", {.source = archive_->name()});
    }
    switch (task.kind) {
      case Task::Kind::Variables:
        FONDS_CHECK(decide_variables());
        break;
      case Task::Kind::LogTypes:
        FONDS_CHECK(decide_log_types(taken == 0));
        break;
      case Task::Kind::Stream:
        FONDS_CHECK(search_stream(task, warm, scan));
        break;
    }
  }
  for (WarmStream& one : warm) {
    FONDS_CHECK(search_tables(*one.task, one.stream, scan));
    one.stream.reset();
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
    FONDS_TRY(condition, prune(std::move(condition), *archive_,
                               {.table = table,
                                .decide = first,
                                .hints = query_.options.meaning == query::Meaning::Default}));
    if (is_read(table)) {
      tables.push_back(table);
    }
  }
  return tables;
}

// Decompresses the columns that may be looked at.
Status Search::warm_up(const std::shared_ptr<Stream>& stream,
                       const std::vector<std::size_t>& tables) const {
  const std::size_t table = tables.back();  // the others lie before it
  const Condition& condition = answers_[table].condition;
  const std::size_t columns = condition.is(true) ? ~std::size_t{0} : last_column(condition) + 1;
  auto warm = archive_->table(table, stream, columns);
  if (!warm && warm.error().code() != ErrorCode::Corrupt) {  // which will be told later
    return tl::unexpected(std::move(warm.error()));
  }
  return {};
}

Status Search::search_stream(const Task& task, std::vector<WarmStream>& warm, ColumnScan& scan) {
  // Bytes that must be fetched wait until it is certain that they are needed.
  const bool ahead = options_.threads > 1 && !texts_decided() && !archive_->reads_are_round_trips();
  FONDS_TRY(const auto tables, prune_tables(task, !ahead));
  if (tables.empty()) {
    return {};
  }
  FONDS_TRY(auto stream, archive_->open_stream(task.stream));
  const std::uint64_t plain = archive_->streams()[task.stream].plain;
  if (ahead && warm_bytes_.fetch_add(plain) + plain <= kMostWarm) {
    FONDS_CHECK(warm_up(stream, tables));
    warm.push_back({&task, std::move(stream)});
    return {};
  }
  return search_tables(task, stream, scan);
}

Status Search::search_tables(const Task& task, const std::shared_ptr<Stream>& stream,
                             ColumnScan& scan) {
  FONDS_TRY(const auto tables, prune_tables(task, true));
  for (const std::size_t table : tables) {
    FONDS_CHECK(search_table(table, stream, scan));
    if (enough()) {
      break;
    }
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
                     archive_->place_of(table)));
  }
  return {};
}

Status Search::look_at(std::size_t table, const std::shared_ptr<Stream>& stream, ColumnScan& scan) {
  TableAnswer& answer = answers_[table];
  const bool certain = answer.condition.is(true);
  if (certain && archive_->column_nodes(archive_->tables()[table].schema).empty()) {
    rendering_ = false;  // no bytes stand behind so many records
  }
  if (certain && aggregate_ == nullptr && !rendering_.load()) {
    return count_all(table);
  }
  LazyTable lazy(*archive_, table, stream);
  // All that is needed is decompressed at once, which is faster than piece by piece.
  const std::size_t columns =
      certain && rendering_.load()
          ? archive_->column_nodes(archive_->tables()[table].schema).size() - 1
          : first_columns(answer.condition);
  FONDS_TRY(const Column* const first, lazy.column(columns));
  const auto records = static_cast<std::size_t>(first->records);
  FONDS_TRY(BitSet rows, evaluate(answer.condition, lazy, scan, BitSet(records, true)));
  const std::uint64_t count = rows.count();
  if (count == 0) {
    return {};
  }
  if (aggregate_ != nullptr) {
    FONDS_TRY(AggregatePart part, aggregate_->reads(table) ? aggregate_->of(lazy, rows)
                                                           : aggregate_->of_unread(table, count));
    answer.part = std::make_unique<AggregatePart>(std::move(part));
  }
  if (rendering_.load()) {
    FONDS_CHECK(render(table, stream, rows));
  }
  answer.count = count;
  answer.all = count == records;
  if (options_.want == Want::Records && !answer.all) {
    answer.rows.bits = rows.take();
  }
  found_ += count;
  return {};
}

Status Search::render(std::size_t table, const std::shared_ptr<Stream>& stream,
                      const BitSet& rows) {
  FONDS_TRY(const Table whole, archive_->table(table, stream));
  FONDS_TRY(auto rendered, renderer_->render(whole, rows));
  if (rendered) {
    rendered_bytes_ += rendered->text.size();
  }
  if (!rendered || rendered_bytes_.load() > kMostRendered) {
    rendering_ = false;
    return {};
  }
  answers_[table].rendered = std::make_unique<RenderedTable>(std::move(*rendered));
  return {};
}

Status Search::count_all(std::size_t table) {
  TableAnswer& answer = answers_[table];
  answer.all = true;
  answer.count = archive_->tables()[table].records;
  if (aggregate_ != nullptr) {
    FONDS_TRY(AggregatePart part, aggregate_->of_unread(table, answer.count));
    answer.part = std::make_unique<AggregatePart>(std::move(part));
  }
  return {};
}

Result<SearchReport> search(std::shared_ptr<const Archive> archive, const query::Query& query,
                            const SearchOptions& options, const SearchSink& sink) {
  return guarded([&]() -> Result<SearchReport> {
    return Search(std::move(archive), query, options, sink).run();
  });
}

}  // namespace fonds::clps
