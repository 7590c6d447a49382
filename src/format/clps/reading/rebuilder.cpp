// Records in an order, rebuilt batch by batch.
#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include <fonds/formats/clps.hpp>

#include "base/guarded.hpp"
#include "base/ordered_jobs.hpp"
#include "format/clps/reading/loaded_table.hpp"
#include "format/clps/reading/streams_ahead.hpp"
#include "format/clps/reading/texts.hpp"

namespace fonds::clps {
namespace {

constexpr std::size_t kBatchText = std::size_t{1} << 20;  // of a usual batch
constexpr std::size_t kLongBatchText = std::size_t{8}
                                       << 20;  // a batch is given in parts from here on
constexpr std::size_t kMostRows = 8192;
constexpr std::size_t kLookedUp = 32;    // records whose strings are looked up together
constexpr std::size_t kToldRecords = 3;  // of a damaged table; the others are counted

// One batch: where its records are, and what became of them.
struct Job {
  std::vector<RowPlace> places;
  std::size_t done = 0;  // of them
  std::vector<std::shared_ptr<LoadedTable>> held;
  TextBuffer text;
  std::vector<Rebuilder::Batch::Line> lines;
  struct Lost {
    std::size_t table;
    std::uint64_t row;
    Fault fault;
  };
  std::vector<Lost> lost;
  std::vector<Texts::Place> strings;
  std::vector<OriginalTexts::Spelling> spellings;  // of the records that are looked up together
  std::string scratch;

  void reset() {
    places.clear();
    done = 0;
    held.clear();
  }

  // Rebuilds records until the text is long.
  void run(const Texts& texts) {
    text.clear();
    lines.clear();
    lost.clear();
    while (done < places.size() && text.size() < kLongBatchText) {
      const std::size_t end = std::min(places.size(), done + kLookedUp);
      strings.clear();
      spellings.clear();
      for (std::size_t i = done; i < end; ++i) {
        const LoadedTable& from = *places[i].table;
        spellings.push_back(from.originals == nullptr
                                ? OriginalTexts::Spelling()
                                : from.originals->spelling(from.table.index(), places[i].row));
        if (spellings.back().form != nullptr) {
          find_strings(*spellings.back().form, from.table, places[i].row, texts, strings);
        } else {
          from.program.find_strings(from.table, places[i].row, texts, strings);
        }
      }
      const Texts::Place* found = strings.data();
      for (std::size_t i = 0; done < end && text.size() < kLongBatchText; ++done, ++i) {
        found += rebuild(places[done], spellings[i], found, texts);
      }
    }
  }

  // Returns how many strings the record has.
  std::size_t rebuild(const RowPlace& place, const OriginalTexts::Spelling& spelling,
                      const Texts::Place* found, const Texts& texts) {
    const std::size_t begin = text.size();
    const LoadedTable& from = *place.table;
    const bool original = spelling.form != nullptr;
    const std::size_t used =
        original ? strings_of(*spelling.form, from.table) : from.program.strings();
    const Fault fault =
        original ? append_original(spelling, from.table, place.row, found, texts, text, scratch)
                 : from.program.run(from.table, place.row, found, texts, text, scratch);
    if (fault != nullptr) {
      text.truncate(begin);
      lost.push_back({from.table.index(), place.row, fault});
      return used;
    }
    lines.push_back({begin, text.size() - begin, static_cast<std::uint32_t>(from.table.index()),
                     place.row, from.log_index(place.row),
                     from.time != nullptr ? texts.instant(*from.time, place.row) : std::nullopt});
    text.push_back('\n');
    return used;
  }

  static std::size_t strings_of(const OriginalTexts::Form& form, const Table& table) {
    return static_cast<std::size_t>(
        std::count_if(form.steps.begin(), form.steps.end(), [&](const OriginalTexts::Step& step) {
          return step.column != OriginalTexts::kOwn &&
                 table.columns()[step.column].type == NodeType::VarString;
        }));
  }
};

struct LoadJob {
  std::shared_ptr<Stream> stream;
  std::uint64_t need = 0;
};

}  // namespace

struct Rebuilder::State {
  std::shared_ptr<const Archive> archive;
  RebuildOptions options;
  Projection projection;
  std::unique_ptr<Texts> texts;
  std::vector<std::size_t> tables;  // that are wanted, in the order of the file
  StreamsAhead ahead;
  std::unique_ptr<Job> current;               // that was given last
  std::unique_ptr<Job> spare;                 // whose memory the next one takes over
  std::map<std::size_t, std::uint64_t> lost;  // records of each table
  std::vector<Finding> findings;
  Batch batch;
  std::size_t rows_in_batch = kMostRows;
  std::vector<NodeId> time_nodes;  // of the timestamp column, ascending
  bool over = false;
  std::optional<Error> error;

  // Table order: the table that is being read.
  std::size_t next_table = 0;
  std::shared_ptr<Stream> stream;
  std::shared_ptr<LoadedTable> loaded;
  // Log order: all of them.
  std::vector<std::shared_ptr<LoadedTable>> all;
  LogMerge merge;
  // The last member, so that it goes first: its workers read what lies above.
  std::optional<OrderedJobs<Job>> jobs;

  bool ranged(const LoadedTable& table, std::uint64_t row) const {
    if (!options.log_range) {
      return true;
    }
    const std::uint64_t at = table.log_index(row);
    return table.log_order != nullptr && at >= options.log_range->first &&
           at < options.log_range->second;
  }

  Finding table_finding(std::string message) const {
    return make_finding("clps-table", std::move(message), {.source = archive->name()});
  }

  // The table in its stream, or nothing if it is damaged, which is told.
  Result<std::shared_ptr<LoadedTable>> load(std::size_t index) {
    auto loaded_table = std::make_shared<LoadedTable>();
    auto table = archive->table(index, stream);
    if (!table) {
      if (table.error().code() != ErrorCode::Corrupt) {
        return tl::unexpected(std::move(table.error()));
      }
      Finding finding =
          table_finding(fmt::format("{}; its {} records are lost", table.error().message(),
                                    archive->tables()[index].records));
      finding.where = table.error().where();
      findings.push_back(std::move(finding));
      return std::shared_ptr<LoadedTable>();
    }
    loaded_table->table = std::move(*table);
    loaded_table->program = RecordProgram::build(
        archive->tree(), archive->schemas()[archive->tables()[index].schema], projection);
    loaded_table->share = BudgetShare(archive->budget());
    if (!loaded_table->share.resize(loaded_table->program.size())) {
      return fail(ErrorCode::LimitExceeded,
                  fmt::format("table {}: its keys would exceed the memory limit", index),
                  {.source = archive->name()});
    }
    if (archive->tree().log_order() != kNoNode) {
      loaded_table->log_order = loaded_table->table.column(archive->tree().log_order());
    }
    for (const Column& column : loaded_table->table.columns()) {
      if (std::binary_search(time_nodes.begin(), time_nodes.end(), column.node)) {
        loaded_table->time = &column;
      }
    }
    loaded_table->originals = options.originals.get();
    if (index < options.rows.size() && options.rows[index] && !options.rows[index]->bits.empty()) {
      loaded_table->rows = &*options.rows[index];
    }
    if (options.on_table) {
      options.on_table(loaded_table->table, *stream);
    }
    return loaded_table;
  }

  Status open_stream_of(std::size_t table) {
    const auto index = static_cast<std::size_t>(archive->tables()[table].stream);
    if (stream == nullptr || stream->index() != index) {
      stream.reset();
      const bool large = archive->streams()[index].plain > archive->budget().left() / 4 * 3;
      ahead.open_next();
      FONDS_TRY(stream, archive->open_stream(index, large));
    }
    return {};
  }

  // The next places in the order of the file; none at the end.
  Status fill_by_table(Job& job) {
    while (job.places.size() < rows_in_batch) {
      if (loaded == nullptr) {
        if (next_table == tables.size()) {
          stream.reset();
          return {};
        }
        const std::size_t index = tables[next_table++];
        FONDS_CHECK(open_stream_of(index));
        FONDS_TRY(loaded, load(index));
        continue;
      }
      if (job.held.empty() || job.held.back() != loaded) {
        job.held.push_back(loaded);
      }
      while (job.places.size() < rows_in_batch && loaded->settle()) {
        const std::uint64_t row = loaded->next++;
        if (ranged(*loaded, row)) {
          job.places.push_back({loaded.get(), row});
        }
      }
      if (!loaded->settle()) {
        loaded.reset();
      }
    }
    return {};
  }

  void fill_by_log(Job& job) {
    std::vector<RowPlace> places;
    while (job.places.empty()) {
      places.clear();
      merge.next(rows_in_batch, places);
      if (places.empty()) {
        return;
      }
      for (const RowPlace& place : places) {
        if (ranged(*place.table, place.row)) {
          job.places.push_back(place);
        }
      }
    }
  }

  std::vector<std::size_t> streams_of_tables() const {
    std::vector<std::size_t> streams;
    for (const std::size_t table : tables) {
      const auto index = static_cast<std::size_t>(archive->tables()[table].stream);
      if (streams.empty() || streams.back() != index) {
        streams.push_back(index);
      }
    }
    return streams;
  }

  // Log order: decompresses all streams, several at a time.
  Status load_all() {
    std::uint64_t plain = 0;
    const std::vector<std::size_t> streams = streams_of_tables();
    for (const std::size_t index : streams) {
      plain += std::min(archive->streams()[index].plain,
                        archive->budget().limit() - std::min(archive->budget().limit(), plain));
    }
    // What does not fit beside the dictionaries waits in files: log order needs all tables at hand.
    const bool in_file = plain > archive->budget().left() / 2;
    std::map<std::size_t, std::shared_ptr<Stream>> opened;
    FONDS_CHECK(decompress(streams, in_file, opened));
    for (const std::size_t table : tables) {
      stream = opened.at(static_cast<std::size_t>(archive->tables()[table].stream));
      FONDS_TRY(auto one, load(table));
      if (one != nullptr) {
        merge.add(*one);
        all.push_back(std::move(one));
      }
    }
    stream.reset();
    return {};
  }

  Status decompress(const std::vector<std::size_t>& streams, bool in_file,
                    std::map<std::size_t, std::shared_ptr<Stream>>& opened) {
    OrderedJobs<LoadJob> loads(options.threads, archive->budget().limit(), [] {
      return Result<OrderedJobs<LoadJob>::Work>([](LoadJob& job) -> Status {
        FONDS_TRY(const bool whole, job.stream->ensure(job.need));
        static_cast<void>(whole);  // the tables that are cut will tell
        return {};
      });
    });
    const auto finish = [&](bool wait) -> Status {
      for (auto done = loads.front(wait); done.job != nullptr; done = loads.front(wait)) {
        if (done.error != nullptr) {
          return fail(done.error->code(), done.error->message(), done.error->where());
        }
        static_cast<void>(loads.pop());
      }
      return {};
    };
    for (const std::size_t index : streams) {
      ahead.open_next();
      FONDS_TRY(auto begun, archive->open_stream(index, in_file));
      opened[index] = begun;
      const std::uint64_t need = archive->streams()[index].plain;
      if (options.threads <= 1 || streams.size() == 1) {
        FONDS_TRY(const bool whole, begun->ensure(need));
        static_cast<void>(whole);
        continue;
      }
      FONDS_CHECK(finish(loads.full(0)));
      auto job = std::make_unique<LoadJob>(LoadJob{begun, need});
      FONDS_CHECK(loads.submit(job, 0));
    }
    return finish(true);
  }

  Result<std::unique_ptr<Job>> next_job() {
    auto job = spare != nullptr ? std::move(spare) : std::make_unique<Job>();
    job->reset();
    if (!over) {
      if (options.order == Order::Table) {
        FONDS_CHECK(fill_by_table(*job));
      } else {
        fill_by_log(*job);
      }
      over = job->places.empty();
    }
    return job;
  }

  // Makes `current` a job with something rebuilt; none at the end.
  Status advance() {
    if (current != nullptr && current->done < current->places.size()) {
      current->run(*texts);  // the rest of a long batch
      return {};
    }
    spare = std::move(current);
    if (!jobs) {
      FONDS_TRY(current, next_job());
      current->run(*texts);
      return {};
    }
    while (!over && !jobs->full(kBatchText)) {
      FONDS_TRY(auto job, next_job());
      if (!over) {
        FONDS_CHECK(jobs->submit(job, kBatchText));
      }
    }
    const auto done = jobs->front(true);
    if (done.error != nullptr) {
      return fail(done.error->code(), done.error->message(), done.error->where());
    }
    current = done.job != nullptr ? jobs->pop() : std::make_unique<Job>();
    return {};
  }

  void tell_lost() {
    for (const Job::Lost& one : current->lost) {
      if (++lost[one.table] <= kToldRecords) {
        findings.push_back(make_finding("clps-cell",
                                        fmt::format("table {}, record {}: {}; the record is lost",
                                                    one.table, one.row, one.fault),
                                        archive->place_of(one.table)));
      }
    }
  }

  void tell_lost_in_all() {
    for (const auto& [table, count] : lost) {
      if (count > kToldRecords) {
        findings.push_back(make_finding(
            "clps-cell", fmt::format("table {}: {} records are lost in all", table, count),
            archive->place_of(table)));
      }
    }
    lost.clear();
  }
};

namespace {

// Has dictionaries decompressed beside the streams. What goes wrong shows when they are used.
std::vector<std::jthread> load_ahead(const Archive& archive, const Texts::Needs& needs,
                                     unsigned threads) {
  std::vector<std::jthread> loading;
  const auto load = [&](bool needed, Member member) {
    if (needed && threads > 1) {
      loading.emplace_back([&archive, member] { static_cast<void>(archive.dictionary(member)); });
    }
  };
  load(needs.variables, Member::Variables);
  load(needs.log_types, Member::LogTypes);
  load(needs.array_types, Member::ArrayTypes);
  return loading;
}

}  // namespace

Rebuilder::Rebuilder(std::unique_ptr<State> state) : state_(std::move(state)) {}
Rebuilder::~Rebuilder() = default;

Result<std::unique_ptr<Rebuilder>> Rebuilder::open(std::shared_ptr<const Archive> archive,
                                                   RebuildOptions options) {
  return guarded([&]() -> Result<std::unique_ptr<Rebuilder>> {
    auto state = std::make_unique<State>();
    state->archive = std::move(archive);
    state->options = std::move(options);
    const Archive& from = *state->archive;
    if (from.tree().log_order() == kNoNode) {
      state->options.order = Order::Table;
    }
    if (state->options.project) {
      state->projection = Projection(from.tree(), state->options.projection);
    }
    if (!from.metadata().time_ranges.empty()) {
      state->time_nodes = from.metadata().time_ranges.front().nodes;
      std::sort(state->time_nodes.begin(), state->time_nodes.end());
    }
    Texts::Needs needs{false, false, false};
    for (std::size_t i = 0; i < from.tables().size(); ++i) {
      const TableInfo& table = from.tables()[i];
      if (!table.fault.empty() || (table.records == 0 && !state->options.on_table) ||
          (!state->options.rows.empty() &&
           (i >= state->options.rows.size() || !state->options.rows[i]))) {
        continue;
      }
      state->tables.push_back(i);
      for (const NodeId node : from.column_nodes(table.schema)) {
        const NodeType type = from.tree()[node].type;
        const bool split = type == NodeType::ClpString || type == NodeType::UnstructuredArray;
        const bool shown = state->projection.shows(node);
        needs.variables |=
            shown && (split || type == NodeType::VarString || type == NodeType::DictionaryFloat);
        needs.log_types |= shown && type == NodeType::ClpString;
        needs.array_types |= shown && type == NodeType::UnstructuredArray;
      }
    }
    Texts::will_read(from, needs);
    state->ahead = StreamsAhead(from, state->streams_of_tables());
    const std::vector<std::jthread> loading = load_ahead(from, needs, state->options.threads);
    const std::uint64_t average =
        from.header().uncompressed_size / std::max<std::uint64_t>(from.records(), 1);
    state->rows_in_batch = static_cast<std::size_t>(
        std::clamp<std::uint64_t>(kBatchText / std::max<std::uint64_t>(average, 1), 16, kMostRows));
    if (state->options.order == Order::Log) {
      FONDS_CHECK(state->load_all());
    }
    FONDS_TRY(state->texts, Texts::open(from, needs));
    if (state->options.threads > 1) {
      const Texts* const texts = state->texts.get();
      state->jobs.emplace(state->options.threads, from.budget().limit() / 4, [texts] {
        return Result<OrderedJobs<Job>::Work>([texts](Job& job) -> Status {
          job.run(*texts);
          return {};
        });
      });
    }
    return std::unique_ptr<Rebuilder>(new Rebuilder(std::move(state)));
  });
}

Result<const Rebuilder::Batch*> Rebuilder::next() {
  State& state = *state_;
  if (state.error) {
    return fail(state.error->code(), state.error->message(), state.error->where());
  }
  if (state.archive->options().read.stop.stop_requested()) {
    return fail(ErrorCode::Cancelled, "cancelled", {.source = state.archive->name()});
  }
  if (!state.batch.findings.empty()) {
    state.findings.clear();
  }
  auto status = guarded([&]() -> Status { return state.advance(); });
  if (!status) {
    state.error = std::move(status.error());
    return fail(state.error->code(), state.error->message(), state.error->where());
  }
  state.tell_lost();
  if (state.current->places.empty()) {
    state.tell_lost_in_all();
  }
  state.batch = {state.current->text.view(), state.current->lines, state.findings};
  const bool nothing = state.current->places.empty() && state.findings.empty();
  return nothing ? nullptr : &state.batch;
}

}  // namespace fonds::clps
