// The course of a search over one archive: what is asked of each table, on threads, and what
// becomes of the answers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <fonds/formats/clps.hpp>
#include <fonds/query.hpp>
#include <fonds/search.hpp>

#include "format/clps/reading/texts.hpp"
#include "format/clps/searching/search_aggregate.hpp"
#include "format/clps/searching/search_plan.hpp"
#include "format/clps/searching/search_render.hpp"
#include "format/clps/searching/search_table.hpp"

namespace fonds::clps {

// Texts of records are held up to here before they are given.
inline constexpr std::uint64_t kMostRendered = std::uint64_t{64} << 20;

// What was found in one table.
struct TableAnswer {
  Condition condition;
  bool all = false;         // every row matches
  std::uint64_t count = 0;  // rows that match
  RowSet rows;              // unless all do; only of Want::Records
  std::unique_ptr<RenderedTable> rendered;
  std::unique_ptr<AggregatePart> part;
  std::vector<Finding> findings;
};

// What one thread does at a time: deciding texts on dictionaries, or a stream with the tables to
// look at in it.
struct Task {
  enum class Kind : std::uint8_t { Variables, LogTypes, Stream } kind = Kind::Stream;
  std::size_t stream = 0;
  std::vector<std::size_t> tables = {};
  bool asked = false;  // its bytes, ahead of time; under Search::tasks_mutex_
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

// One search. `query`, `options` and `sink` outlive it.
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
  using Want = SearchOptions::Want;

  Status prepare();
  Status find_projection();
  Status plan();
  Status work();
  Status work_on_tasks();
  Result<std::size_t> take_task();
  Status ask_ahead();
  void ask_for(const Task& task) const;
  std::uint64_t stored_of(const Task& task) const;
  void add_task(std::size_t table);
  void add_first_texts(const Condition& condition);
  void add_text_tasks();
  Status decide_variables();
  Status decide_log_types(bool whole);
  bool texts_decided() const;
  Status search_stream(const Task& task, std::vector<WarmStream>& warm, ColumnScan& scan);
  Status search_tables(const Task& task, const std::shared_ptr<Stream>& stream, ColumnScan& scan);
  Result<std::vector<std::size_t>> prune_tables(const Task& task, bool decide);
  Status warm_up(const std::shared_ptr<Stream>& stream,
                 const std::vector<std::size_t>& tables) const;
  Status search_table(std::size_t table, const std::shared_ptr<Stream>& stream, ColumnScan& scan);
  Status look_at(std::size_t table, const std::shared_ptr<Stream>& stream, ColumnScan& scan);
  Status count_all(std::size_t table);
  bool enough() const;
  Status count_unread();
  void tell_findings() const;
  Result<SearchReport> deliver();
  Result<SearchReport> report();
  Result<SearchReport> deliver_rendered();
  void plan_rendering();
  Status render(std::size_t table, const std::shared_ptr<Stream>& stream, const BitSet& rows);
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
  std::vector<NodeId> projected_;
  std::vector<FirstTexts> first_texts_;  // each filter once
  std::vector<TableAnswer> answers_;     // of each table
  BudgetShare share_;                    // of them, about
  std::vector<Task> tasks_;
  std::mutex tasks_mutex_;
  // All under tasks_mutex_. Tasks before asked_ were looked at by ask_ahead(), or are taken.
  std::size_t next_task_ = 0, asked_ = 0;
  std::uint64_t ahead_ = 0;  // bytes that were asked for, of tasks that nobody has taken
  std::atomic<std::uint64_t> found_ = 0;
  std::atomic<std::uint64_t> warm_bytes_ = 0;
  // Records are rebuilt as they are found, unless they are so many that their texts should not be
  // held; then they are rebuilt at the end.
  std::optional<HitRenderer> renderer_;
  std::atomic<bool> rendering_ = false;
  std::atomic<std::uint64_t> rendered_bytes_ = 0;
};

}  // namespace fonds::clps
