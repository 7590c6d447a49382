#include "ops/scan.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/core.h>

#include <fonds/seek_index.hpp>

#include "io/will_read.hpp"

namespace fonds::ops {
namespace {

constexpr std::size_t kFlushText = std::size_t{64} << 10;
constexpr std::uint64_t kSmallestRange = std::uint64_t{1} << 20;
constexpr std::uint64_t kLargestRange = std::uint64_t{16} << 20;
constexpr std::uint64_t kLeastMemory = std::uint64_t{64}
                                       << 20;  // what one of several threads has at least

std::size_t weight(const Stretch& stretch) {
  return stretch.text.size() + stretch.findings.size() * 256 + stretch.numbers.size() * 16 +
         stretch.beside;
}

// Reads one range with one reader into stretches.
class RangeRun {
 public:
  RangeRun(const Archive& archive, const ScanOptions& options, Worker& worker)
      : archive_(archive), options_(options), worker_(worker) {}

  // Calls `flush` whenever the stretch has grown to `limit`, and not at the end.
  Status run(const ReadOptions& read, std::size_t limit, Stretch& out,
             const std::function<Status(Stretch&)>& flush) {
    FONDS_TRY(reader_, archive_.format->open(archive_, read));
    std::uint64_t told = read.start;
    Record* in_hand = nullptr;
    out.spill = [&]() -> Status {
      if (weight(out) < limit) {
        return {};
      }
      flushed_ += out.records;
      if (in_hand != nullptr) {
        in_hand->ordinal -= out.records;
      }
      return flush(out);
    };
    while (true) {
      FONDS_TRY(Record* const record, reader_->next());
      enough_ = take_loose(read.start, out) && options_.strict;
      if (record == nullptr || enough_) {
        break;
      }
      record->ordinal -= flushed_;
      in_hand = record;
      FONDS_TRY(const bool more, worker_.take(*reader_, *record, out));
      in_hand = nullptr;
      ++out.records;
      if (!more) {
        enough_ = true;
        break;
      }
      FONDS_CHECK(out.spill_if_large());
      if (options_.progress && reader_->stored_position() > told + (std::uint64_t{1} << 20)) {
        told = reader_->stored_position();
        options_.progress(told);
      }
    }
    take_loose(read.start, out);
    return {};
  }

  Place end_place() const { return reader_->end_place(); }
  std::string state() const { return reader_->state(); }
  bool enough() const { return enough_; }

 private:
  // What lies before the range belongs to the range before (a dictionary at the head of the file).
  // True if there was more than notes.
  bool take_loose(std::uint64_t start, Stretch& out) {
    bool bad = false;
    for (Finding& finding : reader_->take_loose_findings()) {
      if (finding.where.stored_offset.value_or(start) >= start) {
        bad = bad || finding.severity > Severity::Note;
        out.findings.push_back(std::move(finding));
      }
    }
    return bad;
  }

  const Archive& archive_;
  const ScanOptions& options_;
  Worker& worker_;
  std::unique_ptr<RecordReader> reader_;
  std::uint64_t flushed_ = 0;  // records in stretches that were flushed
  bool enough_ = false;
};

// Says that all will be read, where it will: who skims records that are stored plain or in frames
// passes over much.
void tell_source(const Archive& archive, const ScanOptions& options) {
  const ReadOptions& read = options.read;
  const bool passes = read.skim && archive.codec().name() != "gzip";
  if (options.stops_early || passes || !archive.source->random_access() || archive.source->view()) {
    return;
  }
  constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  will_read(*archive.source, {read.start, read.stop_at.value_or(kAll) - read.start});
}

Result<std::uint64_t> scan_serially(const Archive& archive, const ScanOptions& options,
                                    Worker& worker, const StretchSink& sink) {
  std::uint64_t records = 0;
  Stretch out;
  tell_source(archive, options);
  RangeRun range(archive, options, worker);
  auto status = range.run(options.read, kFlushText, out, [&](Stretch& piece) {
    auto sunk = sink(piece, worker, records, false);
    records += piece.records;
    piece.clear();
    return sunk;
  });
  FONDS_CHECK(sink(out, worker, records, true));
  records += out.records;
  if (!status) {
    return tl::unexpected(std::move(status.error()));
  }
  return records;
}

class ParallelScan {
 public:
  ParallelScan(const Archive& archive, const ScanOptions& options, unsigned threads,
               std::uint64_t range, const std::function<std::unique_ptr<Worker>()>& make_worker,
               const StretchSink& sink)
      : archive_(archive),
        options_(options),
        threads_(threads),
        range_(range),
        make_worker_(make_worker),
        sink_(sink) {
    stored_ = *archive.source->view();
    ranges_ = (stored_.size() + range - 1) / range;
    hold_ = static_cast<std::size_t>(std::clamp<std::uint64_t>(
        options.read.memory_budget / (8 * threads), kFlushText, std::uint64_t{16} << 20));
  }

  Result<std::uint64_t> run() {
    FONDS_CHECK(learn_state());
    const std::stop_callback forward(options_.read.stop, [this] {
      const std::unique_lock lock(mutex_);
      end_with(Error(ErrorCode::Cancelled, "stopped"));
      turn_.notify_all();
    });
    {
      std::vector<std::jthread> pool;
      for (unsigned i = 0; i < threads_; ++i) {
        pool.emplace_back([this] { work(); });
      }
    }
    if (error_) {
      return fail(error_->code(), error_->message(), error_->where());
    }
    return records_;
  }

 private:
  // Later ranges are understood by what the first record says (ARC); they are read again if it was
  // wrong.
  Status learn_state() {
    ReadOptions read = options_.read;
    read.skim = true;
    FONDS_TRY(auto reader, archive_.format->open(archive_, read));
    FONDS_CHECK(reader->next());
    state_ = reader->state();
    return {};
  }

  void work() {
    while (true) {
      const std::uint64_t index = next_.fetch_add(1);
      if (index >= ranges_) {
        return;
      }
      {
        // Not too far ahead of what has been handed over: results wait in memory.
        std::unique_lock lock(mutex_);
        turn_.wait(lock, [&] { return over_ || index < head_ + 4 * threads_; });
        if (over_) {
          return;
        }
      }
      read_range(index);
    }
  }

  // Call with mutex_ held. The first error counts.
  void end_with(const Error& error) {
    if (!over_) {
      over_ = true;
      error_.emplace(error.code(), error.message(), error.where());
    }
    stop_.request_stop();
  }

  // What reading one range gave. It waits for its turn in `finished_`.
  struct Attempt {
    std::uint64_t index = 0;
    std::uint64_t guess = 0;  // where it began
    std::unique_ptr<Worker> worker;
    Stretch out;
    bool read = false;       // something began in the range
    bool abandoned = false;  // too much to hold, and begun at the wrong place
    bool head = false;       // the range's turn has come, and it began at the right place
    bool enough = false;
    Place end;
    std::string state;
    std::optional<Error> failed;
  };

  void read_range(std::uint64_t index) {
    Attempt attempt;
    attempt.index = index;
    const std::uint64_t from = index * range_;
    const std::uint64_t to = end_of(index);
    attempt.guess =
        index == 0 ? options_.read.start : archive_.format->find_start(archive_, from, to);
    if (index == 0 || attempt.guess < to) {
      attempt.read = true;
      const auto status =
          read_from(attempt, {attempt.guess, 0}, index == 0 ? options_.read.state : state_,
                    options_.read.memory_budget / threads_, [&]() -> Status {
                      // Too much is held: wait for the turn, then hand over as it comes.
                      wait_turn(index);
                      if (stopped() || !fits(attempt)) {
                        attempt.abandoned = true;
                        return fail(ErrorCode::Cancelled, "read again from elsewhere");
                      }
                      return {};
                    });
      if (!status) {
        attempt.failed.emplace(status.error().code(), status.error().message(),
                               status.error().where());
      }
    }
    settle_in_order(std::move(attempt));
  }

  // Hands over what is next in file order and has been read. A thread that finds another one at it
  // leaves its own result there and reads on.
  void settle_in_order(Attempt attempt) {
    std::unique_lock lock(mutex_);
    const std::uint64_t index = attempt.index;
    finished_.emplace(index, std::move(attempt));
    while (!over_ && !settling_ && finished_.contains(head_)) {
      settling_ = true;
      Attempt next = std::move(finished_.extract(head_).mapped());
      lock.unlock();
      const auto status = settle(next);
      lock.lock();
      settling_ = false;
      ++head_;
      if (!status) {
        end_with(status.error());
      }
      turn_.notify_all();
    }
  }

  Status settle(Attempt& attempt) {
    // What a wrong guess runs into does not count.
    const bool good = attempt.read && !attempt.abandoned && fits(attempt);
    // Nor does what one thread's share of the memory was too small for.
    if (good && (attempt.head || !met_limit(attempt.out))) {
      return hand_over_all(attempt);
    }
    const Place begin = attempt.index == 0 ? Place{options_.read.start, 0} : expected_;
    if (begin.unit >= end_of(attempt.index)) {
      return {};
    }
    Attempt again;
    again.index = attempt.index;
    again.head = true;
    const auto status =
        read_from(again, begin, attempt.index == 0 ? options_.read.state : expected_state_,
                  options_.read.memory_budget, [] { return Status(); });
    if (!status) {
      again.failed.emplace(status.error().code(), status.error().message(), status.error().where());
    }
    return hand_over_all(again);
  }

  Status hand_over_all(Attempt& attempt) {
    FONDS_CHECK(hand_over(attempt, true));
    if (attempt.failed) {
      return fail(attempt.failed->code(), attempt.failed->message(), attempt.failed->where());
    }
    advance(attempt);
    return {};
  }

  static bool met_limit(const Stretch& stretch) {
    return std::any_of(stretch.findings.begin(), stretch.findings.end(),
                       [](const Finding& f) { return f.code == "limit-exceeded"; });
  }

  std::uint64_t end_of(std::uint64_t index) const {
    return std::min<std::uint64_t>((index + 1) * range_, stored_.size());
  }

  // `full` is called when the stretch has grown too large to be held, before it is handed over.
  Status read_from(Attempt& attempt, Place place, const std::string& state, std::uint64_t memory,
                   const std::function<Status()>& full) {
    attempt.worker = make_worker_();
    RangeRun run(archive_, options_, *attempt.worker);
    const std::uint64_t to = end_of(attempt.index);
    ReadOptions read = options_.read;
    read.memory_budget = memory;
    read.start = place.unit;
    read.start_inner = place.inner;
    read.state = state;
    read.stop_at = to < stored_.size() ? std::optional(to) : std::nullopt;
    read.stop = stop_.get_token();
    auto status = run.run(read, hold_, attempt.out, [&](Stretch&) -> Status {
      if (!attempt.head) {
        FONDS_CHECK(full());
        attempt.head = true;
      }
      return hand_over(attempt, false);
    });
    attempt.out.spill = nullptr;  // it belongs to the run, which ends here
    FONDS_CHECK(std::move(status));
    attempt.end = run.end_place();
    attempt.state = run.state();
    attempt.enough = run.enough();
    return {};
  }

  void wait_turn(std::uint64_t index) {
    std::unique_lock lock(mutex_);
    turn_.wait(lock, [&] { return over_ || (head_ == index && !settling_); });
  }
  bool stopped() {
    const std::unique_lock lock(mutex_);
    return over_;
  }
  // Call only when it is the range's turn.
  bool fits(const Attempt& attempt) const {
    return attempt.index == 0 ||
           (expected_ == Place{attempt.guess, 0} && expected_state_ == state_);
  }
  Status hand_over(Attempt& attempt, bool done) {
    FONDS_CHECK(sink_(attempt.out, *attempt.worker, records_, done));
    records_ += attempt.out.records;
    attempt.out.clear();
    return {};
  }
  void advance(const Attempt& attempt) {
    expected_ = attempt.end;
    expected_state_ = attempt.state;
    if (attempt.enough) {
      const std::unique_lock lock(mutex_);
      over_ = true;
      stop_.request_stop();
    }
  }

  const Archive& archive_;
  const ScanOptions& options_;
  unsigned threads_;
  std::uint64_t range_, ranges_ = 0;
  std::size_t hold_ = 0;
  const std::function<std::unique_ptr<Worker>()>& make_worker_;
  const StretchSink& sink_;
  ByteView stored_;
  std::string state_;
  std::atomic<std::uint64_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable turn_;
  std::stop_source stop_;
  bool over_ = false;       // under mutex_
  std::uint64_t head_ = 0;  // under mutex_: the range whose turn it is
  bool settling_ = false;   // under mutex_: a thread hands over the results of that range
  std::map<std::uint64_t, Attempt> finished_;  // under mutex_: read, and waiting for their turn
  std::optional<Error> error_;                 // under mutex_
  // Touched only by the thread whose range's turn it is.
  Place expected_;
  std::string expected_state_;
  std::uint64_t records_ = 0;
};

}  // namespace

void Stretch::clear() {
  text.clear();
  numbers.clear();
  findings.clear();
  records = 0;
  beside = 0;
}

std::string Stretch::render_padded(std::uint64_t first_ordinal, int width) const {
  std::string rendered;
  rendered.reserve(text.size() + numbers.size() * 8);
  std::size_t done = 0;
  for (const auto& [at, ordinal] : numbers) {
    rendered.append(text, done, at - done);
    fmt::format_to(std::back_inserter(rendered), "{:>{}}", first_ordinal + ordinal, width);
    done = at;
  }
  rendered.append(text, done);
  return rendered;
}

unsigned thread_count(const ScanOptions& options) {
  return options.threads == 0 ? std::max(1U, std::thread::hardware_concurrency()) : options.threads;
}

Result<std::uint64_t> scan(const Archive& archive, const ScanOptions& options,
                           const std::function<std::unique_ptr<Worker>()>& make_worker,
                           const StretchSink& given_sink) {
  // What is true of the layout of a whole archive is said of the first record that shows it.
  std::vector<std::string_view> said;
  const StretchSink sink = [&](Stretch& piece, Worker& worker, std::uint64_t first, bool done) {
    std::erase_if(piece.findings, [&said](const Finding& finding) {
      if (finding.code != "not-per-record" && finding.code != "zr-one") {
        return false;
      }
      const bool again = std::find(said.begin(), said.end(), finding.code) != said.end();
      if (!again) {
        said.push_back(finding.code);
      }
      return again;
    });
    return given_sink(piece, worker, first, done);
  };
  unsigned threads = std::min(thread_count(options), options.most_threads);
  threads = static_cast<unsigned>(
      std::clamp<std::uint64_t>(options.read.memory_budget / kLeastMemory, 1, threads));
  const bool sought = options.read.seek != nullptr && options.read.seek->size() > 0;
  if (threads > 1 && (sought || archive.format->traits().events)) {
    // The threads decode; records are read by one.
    ScanOptions serial = options;
    serial.read.decode_threads = threads;
    const auto worker = make_worker();
    return scan_serially(archive, serial, *worker, sink);
  }
  const auto stored = archive.source->view();
  const std::uint64_t size = stored ? stored->size() : 0;
  const std::uint64_t range = options.range > 0
                                  ? options.range
                                  : std::clamp(size / (threads * 8), kSmallestRange, kLargestRange);
  // Blocks of items in a compressed file are found by reading it from its start.
  const bool one_piece = archive.codecs.size() > 1 ||
                         (archive.format->traits().item_blocks && archive.codec().name() != "none");
  if (threads == 1 || size < 2 * range || one_piece || options.read.search_damaged ||
      options.read.stop_at || options.read.start_inner > 0) {
    const auto worker = make_worker();
    return scan_serially(archive, options, *worker, sink);
  }
  return ParallelScan(archive, options, threads, range, make_worker, sink).run();
}

}  // namespace fonds::ops
