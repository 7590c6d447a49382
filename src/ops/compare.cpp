#include "ops/compare.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include "base/guarded.hpp"
#include "ops/compare_align.hpp"
#include "ops/find.hpp"

namespace fonds::ops {
namespace {

// Octets that are read again to say where blocks begin to differ, in one run.
constexpr std::uint64_t kMostReadAgain = std::uint64_t{1} << 30;
constexpr std::size_t kCompared = std::size_t{256}
                                  << 10;  // octets of blocks that are laid side by side

class EntryWorker final : public Worker {
 public:
  explicit EntryWorker(const EntryMaker::Options& options) : maker_(options) {}
  Result<bool> take(RecordReader& reader, Record& record, Stretch& out) override {
    FONDS_CHECK(maker_.take(reader, record, out.text, out.findings));
    return true;
  }

 private:
  EntryMaker maker_;
};

// Reads one archive on threads of its own and keeps entries ready, a bounded number of them.
class Feed {
 public:
  using Report = std::function<void(Finding)>;
  Feed(const Archive& archive, const ScanOptions& options, const EntryMaker::Options& making,
       Report report)
      : archive_(archive),
        options_(options),
        making_(making),
        report_(std::move(report)),
        most_(options.read.memory_budget / 4),
        thread_([this] { run(); }) {}
  ~Feed() {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    room_.notify_all();
  }
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  // The next entry; nothing at the end. Errors: those of reading.
  Result<std::optional<Entry>> next() {
    if (at_ == batch_.size()) {
      std::unique_lock lock(mutex_);
      came_.wait(lock, [&] { return !batches_.empty() || over_; });
      if (batches_.empty()) {
        return error_ ? tl::unexpected(Error(error_->code(), error_->message(), error_->where()))
                      : Result<std::optional<Entry>>(std::nullopt);
      }
      batch_ = std::move(batches_.front());
      batches_.pop_front();
      held_ -= weight(batch_);
      at_ = 0;
      room_.notify_all();
    }
    return std::optional(std::move(batch_[at_++]));
  }

 private:
  static std::uint64_t weight(const std::vector<Entry>& entries) {
    std::uint64_t sum = 0;
    for (const Entry& entry : entries) {
      sum += entry.memory();
    }
    return sum;
  }

  void run() {
    Status status = guarded([&]() -> Status {
      FONDS_CHECK(scan(
          archive_, options_, [&] { return std::make_unique<EntryWorker>(making_); },
          [&](Stretch& piece, Worker&, std::uint64_t first, bool) { return put(piece, first); }));
      return {};
    });
    const std::lock_guard lock(mutex_);
    over_ = true;
    if (!status) {
      Location where = status.error().where();
      if (where.source.empty()) {
        where.source = archive_.source->name();
      }
      error_.emplace(status.error().code(), status.error().message(), std::move(where));
    }
    came_.notify_all();
  }

  Status put(const Stretch& piece, std::uint64_t first) {
    for (Finding finding : piece.findings) {
      finding.where.source = archive_.source->name();
      if (finding.where.ordinal) {
        *finding.where.ordinal += first;
      }
      report_(std::move(finding));
    }
    std::vector<Entry> entries;
    std::string_view text = piece.text;
    for (std::uint64_t ordinal = first; !text.empty(); ++ordinal) {
      entries.push_back(read_entry(text));
      entries.back().ordinal = ordinal;
    }
    if (entries.empty()) {
      return {};
    }
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return abandoned_ || batches_.empty() || held_ < most_; });
    if (abandoned_) {
      return fail(ErrorCode::Cancelled, "stopped");
    }
    held_ += weight(entries);
    batches_.push_back(std::move(entries));
    came_.notify_all();
    return {};
  }

  const Archive& archive_;
  const ScanOptions& options_;
  EntryMaker::Options making_;
  Report report_;
  std::uint64_t most_;
  std::vector<Entry> batch_;  // being given
  std::size_t at_ = 0;
  std::mutex mutex_;
  std::condition_variable came_, room_;
  std::deque<std::vector<Entry>> batches_;  // under mutex_
  std::uint64_t held_ = 0;                  // under mutex_
  bool over_ = false, abandoned_ = false;   // under mutex_
  std::optional<Error> error_;              // under mutex_
  std::jthread thread_;                     // ends before what it uses
};

class Comparison {
 public:
  Comparison(const Archive& a, const Archive& b, const CompareOptions& options,
             const CompareReport& report)
      : archives_{&a, &b}, options_(options), report_(report) {
    const unsigned threads = options.scan.threads == 0
                                 ? std::max(1U, std::thread::hardware_concurrency())
                                 : options.scan.threads;
    for (std::size_t side = 0; side < 2; ++side) {
      scan_[side] = options.scan;
      scan_[side].threads = std::max(1U, (threads + (side == 0 ? 1 : 0)) / 2);
      scan_[side].strict = false;
      scan_[side].read.skim = false;
      scan_[side].read.http = !options.blocks_only;
      scan_[side].read.memory_budget = options.scan.read.memory_budget / 4;
    }
    scan_[1].progress = nullptr;
  }

  Result<CompareSummary> run() {
    const auto report = [this](const Finding& finding) {
      const std::lock_guard lock(finding_);
      report_.finding(finding);
    };
    // Items have nothing but their content and their place.
    const bool items =
        archives_[0]->format->traits().captures != archives_[1]->format->traits().captures;
    with_headers_ = !options_.blocks_only && !items;
    const EntryMaker::Options making = {.headers = with_headers_, .names = !items};
    Feed a(*archives_[0], scan_[0], making, report);
    Feed b(*archives_[1], scan_[1], making, report);
    const std::array<Feed*, 2> feeds = {&a, &b};
    Aligner aligner(
        [&](std::size_t side) -> Result<std::optional<Entry>> {
          FONDS_TRY(auto entry, feeds[side]->next());
          (side == 0 ? summary_.records_a : summary_.records_b) += entry ? 1 : 0;
          return entry;
        },
        {.pair = [this](const Entry& x, const Entry& y,
                        bool in_order) { return pair(x, y, in_order); },
         .only = [this](std::size_t side, const Entry& entry) { return only(side, entry); }},
        options_.scan.read.memory_budget / 4);
    FONDS_CHECK(aligner.run());
    return summary_;
  }

 private:
  Status tell(Difference difference) {
    if (difference.kind != "added") {
      ++summary_.differences;
    }
    return report_.difference(difference);
  }

  Status only(std::size_t side, const Entry& entry) {
    const Entry* const a = side == 0 ? &entry : nullptr;
    const Entry* const b = side == 1 ? &entry : nullptr;
    if (entry.added && !options_.headers.strict) {
      ++summary_.added;
      return tell({.kind = "added", .a = a, .b = b});
    }
    ++(side == 0 ? summary_.only_a : summary_.only_b);
    return tell({.kind = side == 0 ? "only-in-a" : "only-in-b", .a = a, .b = b});
  }

  Status pair(const Entry& a, const Entry& b, bool in_order) {
    const std::uint64_t before = summary_.differences;
    ++summary_.paired;
    if (!in_order) {
      FONDS_CHECK(tell({.kind = "order", .a = &a, .b = &b}));
    }
    if (a.damage != b.damage) {
      const auto shown = [](const Entry& entry) {
        return entry.damage.empty() ? std::optional<std::string_view>() : entry.damage;
      };
      FONDS_CHECK(
          tell({.kind = "damage", .a = &a, .b = &b, .value_a = shown(a), .value_b = shown(b)}));
    }
    if (with_headers_) {
      FONDS_CHECK(headers(a, b));
    }
    if (a.digest != b.digest) {
      FONDS_CHECK(
          tell({.kind = "block", .a = &a, .b = &b, .first_difference = first_difference(a, b)}));
    }
    summary_.equal += summary_.differences == before ? 1 : 0;
    return {};
  }

  Status headers(const Entry& a, const Entry& b) {
    if (a.header.empty() || b.header.empty()) {
      return tell({.kind = "header", .a = &a, .b = &b, .what = "not compared for want of memory"});
    }
    return compare_headers(a, b, options_.headers,
                           [&](std::string_view what, std::optional<std::string_view> value_a,
                               std::optional<std::string_view> value_b) {
                             return tell({.kind = "header",
                                          .a = &a,
                                          .b = &b,
                                          .what = what,
                                          .value_a = value_a,
                                          .value_b = value_b});
                           });
  }

  // Reads both records again. Nothing for pipes, and when that has become dear.
  std::optional<std::uint64_t> first_difference(const Entry& a, const Entry& b) {
    const std::uint64_t cost =
        a.place.inner + a.length.value_or(0) + b.place.inner + b.length.value_or(0);
    if (cost > kMostReadAgain - read_again_ || a.damaged || b.damaged ||
        !archives_[0]->source->random_access() || !archives_[1]->source->random_access()) {
      return std::nullopt;
    }
    read_again_ += cost;
    const auto place = lay_side_by_side(a, b);
    return place ? *place : std::nullopt;
  }

  Result<std::optional<std::uint64_t>> lay_side_by_side(const Entry& a, const Entry& b) {
    FONDS_TRY(const auto reader_a, open_at(*archives_[0], scan_[0].read, a.place));
    FONDS_TRY(const auto reader_b, open_at(*archives_[1], scan_[1].read, b.place));
    FONDS_TRY(const Record* const record_a, reader_a->next());
    FONDS_TRY(const Record* const record_b, reader_b->next());
    if (record_a == nullptr || record_b == nullptr || record_a->place != a.place ||
        record_b->place != b.place) {
      return std::optional<std::uint64_t>();
    }
    for (std::uint64_t at = 0;;) {
      FONDS_TRY(ByteView x, reader_a->peek_block(kCompared));
      FONDS_TRY(ByteView y, reader_b->peek_block(kCompared));
      const std::size_t n = std::min({x.size(), y.size(), kCompared});
      const auto differs = std::ranges::mismatch(x.first(n), y.first(n));
      if (n == 0 || differs.in1 != x.first(n).end()) {
        return std::optional(at + static_cast<std::uint64_t>(differs.in1 - x.first(n).begin()));
      }
      reader_a->consume_block(n);
      reader_b->consume_block(n);
      at += n;
    }
  }

  std::array<const Archive*, 2> archives_;
  const CompareOptions& options_;
  const CompareReport& report_;
  std::array<ScanOptions, 2> scan_;
  std::mutex finding_;
  CompareSummary summary_;
  std::uint64_t read_again_ = 0;
  bool with_headers_ = true;
};

}  // namespace

Result<CompareSummary> compare(const Archive& a, const Archive& b, const CompareOptions& options,
                               const CompareReport& report) {
  return guarded([&] { return Comparison(a, b, options, report).run(); });
}

}  // namespace fonds::ops
