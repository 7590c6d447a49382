#include "ops/cat.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"
#include "ops/cat_directory.hpp"
#include "ops/describe.hpp"
#include "ops/originals.hpp"
#include "ops/record_filter.hpp"
#include "ops/record_output.hpp"

namespace fonds::ops {
namespace {

bool stops(const CatOptions& options, const std::vector<Finding>& findings) {
  return options.strict && std::any_of(findings.begin(), findings.end(), [](const Finding& f) {
           return f.severity >= Severity::Warning;
         });
}

// Leaves out of what choosing a record found what giving it found too.
void without(const std::vector<Finding>& given, std::vector<Finding>& found) {
  std::erase_if(found, [&given](const Finding& finding) {
    return std::ranges::any_of(given, [&finding](const Finding& other) {
      return other.code == finding.code && other.message == finding.message;
    });
  });
}

Result<RecordChoice> choose(const Archive& archive, const CatOptions& options) {
  return RecordChoice::make(archive, options.where, options.scan.read, true, options.missing);
}

class CatWorker final : public Worker {
 public:
  CatWorker(const Archive& archive, const CatOptions& options, RecordChoice choice)
      : choice_(std::move(choice)), output_(archive, options), options_(options) {}

  Result<bool> take(RecordReader& reader, Record& record, Stretch& out) override {
    found_.clear();
    FONDS_TRY(const bool chosen, choice_.chooses(reader, record, seen_++, found_));
    if (!chosen) {
      FONDS_TRY(RecordEnd end, reader.finish());
      return !keep(end.findings, record, out);
    }
    const ByteOutput append = [&out](ByteView piece) {
      out.text += as_text(piece);
      return out.spill_if_large();
    };
    Record* given = &record;
    FONDS_TRY(RecordReader* const from, choice_.again(reader, given));
    FONDS_TRY(std::vector<Finding> findings, output_.write(*from, *given, append));
    const bool stop = keep(findings, record, out);
    return !stop && (options_.limit == 0 || ++taken_ < options_.limit);
  }

 private:
  // Together with what was found when the record was chosen. True if they end the output. The
  // record may have got another number when what was before it was handed over.
  bool keep(std::vector<Finding>& findings, const Record& record, Stretch& out) {
    bool stop = false;
    without(findings, found_);
    for (std::vector<Finding>* const some : {&found_, &findings}) {
      stop = stop || stops(options_, *some);
      for (Finding& finding : *some) {
        finding.where.ordinal = record.ordinal;
      }
      std::move(some->begin(), some->end(), std::back_inserter(out.findings));
    }
    return stop;
  }

  RecordChoice choice_;
  std::vector<Finding> found_;
  std::uint64_t seen_ = 0;
  RecordOutput output_;
  const CatOptions& options_;
  std::uint64_t taken_ = 0;
};

// Where the first `left` lines end; `left` becomes what is missing of them.
std::size_t end_of_lines(std::string_view lines, std::uint64_t& left) {
  std::size_t end = 0;
  for (; left > 0 && end < lines.size(); --left) {
    end = std::min(lines.find('\n', end), lines.size() - 1) + 1;
  }
  return end;
}

// Remembers where the last records are, and what kept the query from reading content of any.
class TailWorker final : public Worker {
 public:
  TailWorker(std::uint64_t tail, RecordChoice choice) : tail_(tail), choice_(std::move(choice)) {}

  Result<bool> take(RecordReader& reader, Record& record, Stretch&) override {
    const std::size_t before = found_.size();
    FONDS_TRY(const bool chosen, choice_.chooses(reader, record, seen_++, found_));
    for (std::size_t i = before; i < found_.size(); ++i) {
      found_[i].where.ordinal = record.ordinal;
    }
    if (chosen) {
      last_.push_back({record.place, record.ordinal});
    }
    if (last_.size() > tail_) {
      last_.pop_front();
    }
    FONDS_CHECK(reader.finish());
    return true;
  }
  std::deque<Found> take_last() { return std::exchange(last_, {}); }
  std::vector<Finding> take_found() { return std::exchange(found_, {}); }

 private:
  std::uint64_t tail_, seen_ = 0;
  RecordChoice choice_;
  std::deque<Found> last_;
  std::vector<Finding> found_;
};

// The first of the last `tail` records; nothing if there are none, or if what choosing found in
// records before them, which is told, ends the output.
Result<std::optional<Found>> find_tail(const Archive& archive, const CatOptions& options,
                                       const std::function<void(const Finding&)>& finding) {
  const std::uint64_t tail = options.tail;
  constexpr std::size_t kMostHeld = 100'000;
  std::deque<Found> last;
  std::vector<Finding> held;  // of records that may be among the last, where they are met again
  bool stop = false;
  const auto tell_before = [&](std::uint64_t ordinal) {
    const auto later = std::ranges::stable_partition(
        held, [ordinal](const Finding& one) { return one.where.ordinal < ordinal; });
    const std::vector<Finding> earlier(held.begin(), later.begin());
    stop = stop || stops(options, earlier);
    std::ranges::for_each(earlier, finding);
    held.erase(held.begin(), later.begin());
  };
  const auto sink = [&](Stretch&, Worker& worker, std::uint64_t first, bool) -> Status {
    auto& taken = static_cast<TailWorker&>(worker);
    for (Finding& one : taken.take_found()) {
      *one.where.ordinal += first;
      held.push_back(std::move(one));
    }
    for (Found found : taken.take_last()) {
      found.ordinal += first;
      last.push_back(found);
      if (last.size() > tail) {
        last.pop_front();
      }
    }
    if (last.size() == tail || held.size() > kMostHeld) {
      tell_before(last.empty() ? held.back().where.ordinal.value_or(0) : last.front().ordinal);
    }
    return {};
  };
  ScanOptions skim = options.scan;
  skim.read.skim = !skim.read.search_damaged;
  FONDS_TRY(const auto checked, choose(archive, options));
  checked.limit_threads(skim);
  const auto make_worker = [&] {
    return std::make_unique<TailWorker>(tail, std::move(*choose(archive, options)));
  };
  FONDS_CHECK(scan(archive, skim, make_worker, sink));
  tell_before(last.empty() ? std::numeric_limits<std::uint64_t>::max() : last.front().ordinal);
  return last.empty() || stop ? std::nullopt : std::optional(last.front());
}

Original original_of(const Record& record, std::uint64_t ordinal) {
  FlatAttributes flat;
  record.describe(flat, false);
  const auto get = [&flat](std::string_view name) { return std::string(flat.get(name)); };
  return {get("refers_to"), get("refers_to_uri"),  get("refers_to_date"),
          get("uri"),       get("payload_digest"), ordinal};
}

// Records one by one: by keys, with originals, or into files.
class Selective {
 public:
  Selective(const Archive& archive, const CatOptions& options, const Output& out)
      : archive_(archive),
        options_(options),
        out_(out),
        directory_(options, archive.source->name()),
        output_(archive, options) {}

  Result<std::vector<std::string>> run() {
    if (!options_.directory.empty()) {
      FONDS_CHECK(directory_.open());
    }
    std::vector<std::string> missing;
    if (options_.keys.empty()) {
      std::optional<Found> from = Found{};
      if (options_.tail > 0) {
        FONDS_TRY(from, find_tail(archive_, options_, out_.finding));
      }
      if (from) {
        FONDS_CHECK(all_from(*from));
      }
    } else {
      FONDS_TRY(missing, by_keys());
    }
    if (!options_.directory.empty()) {
      FONDS_CHECK(directory_.close());
    }
    return missing;
  }

 private:
  Result<std::vector<std::string>> by_keys() {
    std::vector<std::string> missing;
    RecordFinder finder(archive_, options_.scan, options_.keys, out_.finding);
    std::uint64_t given = 0;
    for (std::size_t i = 0; i < options_.keys.size() && !stopped_; ++i) {
      FONDS_TRY(auto opened, finder.find(i));
      if (opened) {
        stopped_ = ++given == options_.limit;
        FONDS_TRY(const bool more,
                  give(*opened->open.reader, *opened->open.record, opened->ordinal));
        stopped_ = stopped_ || !more;
      } else {
        missing.push_back(options_.keys[i].written);
      }
    }
    if (finder.scanned() && options_.hint) {
      options_.hint();
    }
    return missing;
  }

  Status all_from(const Found& from) {
    FONDS_TRY(auto choice, choose(archive_, options_));
    FONDS_TRY(const OpenRecord first, open_first(from));
    const auto& reader = first.reader;
    Record* record = first.record;
    const std::uint64_t numbered = record != nullptr ? record->ordinal : 0;
    std::uint64_t given = 0;
    while (options_.limit == 0 || given < options_.limit) {
      loose(*reader);
      if (record == nullptr) {
        return {};
      }
      const std::uint64_t ordinal = from.ordinal + record->ordinal - numbered;
      std::vector<Finding> found;
      FONDS_TRY(const bool chosen, choice.chooses(*reader, *record, ordinal, found));
      FONDS_TRY(const bool more, chosen ? give_chosen(choice, *reader, *record, ordinal)
                                        : pass_over(*reader, ordinal));
      without(chosen ? given_ : std::vector<Finding>(), found);
      for (Finding& finding : found) {
        finding.where.ordinal = ordinal;
        out_.finding(finding);
      }
      if (!more || stops(options_, found)) {
        return {};
      }
      given += chosen ? 1 : 0;
      FONDS_TRY(record, reader->next());
    }
    return {};
  }

  // What all_from() begins with. Errors: Corrupt if no record is there that was.
  Result<OpenRecord> open_first(const Found& from) {
    if (options_.tail > 0) {
      return Opener(archive_).record_again(options_.scan.read, from.place);
    }
    OpenRecord first;
    FONDS_TRY(first.reader, open_at(archive_, options_.scan.read, from.place));
    FONDS_TRY(first.record, first.reader->next());
    return first;
  }

  Result<bool> give_chosen(RecordChoice& choice, RecordReader& reader, Record& record,
                           std::uint64_t ordinal) {
    Record* given = &record;
    FONDS_TRY(RecordReader* const from, choice.again(reader, given));
    return give(*from, *given, ordinal);
  }

  // A record that is not wanted.
  Result<bool> pass_over(RecordReader& reader, std::uint64_t ordinal) {
    FONDS_TRY(const RecordEnd end, reader.finish());
    for (Finding finding : end.findings) {
      finding.where.ordinal = ordinal;
      out_.finding(finding);
    }
    return !stops(options_, end.findings);
  }

  void loose(RecordReader& reader) {
    for (const Finding& finding : reader.take_loose_findings()) {
      out_.finding(finding);
    }
  }

  Result<bool> give(RecordReader& reader, Record& record, std::uint64_t ordinal) {
    if (options_.resolve && record.kind() == "revisit" && options_.part != RecordPart::Http) {
      const Location where = {.source = archive_.source->name(),
                              .stored_offset = record.place.unit,
                              .ordinal = ordinal};
      if (const auto patched = patched_reference(record)) {
        out_.finding(make_finding(
            "revisit-patch",
            fmt::format("this revisit is a patch of {}, which cannot be applied; it is given as "
                        "it is",
                        patched->empty() ? "nothing named" : escape_for_terminal(*patched)),
            where));
        return write(reader, record, ordinal);
      }
      FONDS_TRY(const auto original, resolve(original_of(record, ordinal)));
      if (original) {
        FONDS_CHECK(reader.finish());
        FONDS_TRY(
            const OpenRecord other,
            Opener(*original->archive).record_again(options_.scan.read, original->found.place));
        return write(*other.reader, *other.record, original->found.ordinal);
      }
      out_.finding(make_finding("refers-to-missing",
                                options_.others.empty()
                                    ? "the original of this revisit is not in the archive"
                                    : "the original of this revisit is in none of the archives",
                                where));
    }
    return options_.join_segments ? give_joined(reader, record, ordinal)
                                  : write(reader, record, ordinal);
  }

  // A later segment is given only if a key names it.
  Result<bool> give_joined(RecordReader& reader, Record& record, std::uint64_t ordinal) {
    if (joiner_ == nullptr) {
      archives_ = {archive_};
      archives_.insert(archives_.end(), options_.others.begin(), options_.others.end());
      FONDS_TRY(joiner_, archive_.format->join_segments(archives_, options_.scan.read));
    }
    if (options_.keys.empty() && joiner_->absorbed(0, record)) {
      FONDS_CHECK(reader.finish());
      return true;
    }
    FONDS_TRY(const auto whole, joiner_->whole(0, record, out_.finding));
    if (!whole) {
      return write(reader, record, ordinal);
    }
    ReadOptions read;
    read.memory_budget = options_.scan.read.memory_budget;
    read.max_header = options_.scan.read.max_header;
    read.stop = options_.scan.read.stop;
    FONDS_TRY(const auto joined, whole->format->open(*whole, read));
    FONDS_TRY(Record* const there, joined->next());
    if (there == nullptr) {
      return fail(ErrorCode::Internal, "a whole record is not recognized");
    }
    return write(*joined, *there, ordinal);
  }

  // A record of one of the archives.
  struct Resolved {
    const Archive* archive;
    Found found;
  };

  // The original of a revisit, which may be named by way of other revisits.
  Result<std::optional<Resolved>> resolve(Original revisit) {
    if (originals_.empty()) {
      FONDS_TRY(auto own, Originals::of(archive_, options_.scan));
      originals_.emplace_back(&archive_, std::move(own));
      for (const Archive& archive : options_.others) {
        FONDS_TRY(auto others, Originals::of(archive, options_.scan));
        originals_.emplace_back(&archive, std::move(others));
      }
    }
    constexpr int kLongestChain = 16;
    for (int i = 0; i < kLongestChain; ++i) {
      if (const auto found = original_in_archives(revisit)) {
        return found;
      }
      std::optional<Resolved> next;
      for (const auto& [archive, records] : originals_) {
        if (const auto found = records.find_revisit(revisit.id); found && !next) {
          next = Resolved{archive, *found};
        }
      }
      if (!next) {
        break;
      }
      FONDS_TRY(const auto reader, open_at(*next->archive, options_.scan.read, next->found.place));
      FONDS_TRY(const Record* const there, reader->next());
      if (there == nullptr || there->kind() != "revisit") {
        break;
      }
      revisit = original_of(*there, next->found.ordinal);
    }
    return std::optional<Resolved>();
  }

  std::optional<Resolved> original_in_archives(const Original& revisit) const {
    for (const auto by : {Originals::By::Id, Originals::By::Capture, Originals::By::Payload}) {
      for (const auto& [archive, records] : originals_) {
        Original wanted = revisit;
        if (archive != &archive_) {
          wanted.ordinal = ~std::uint64_t{0};  // all records of others may come before it
        }
        if (const auto found = records.find(wanted, by)) {
          return Resolved{archive, *found};
        }
      }
    }
    return std::nullopt;
  }

  Result<bool> write(RecordReader& reader, Record& record, std::uint64_t ordinal) {
    const bool files = !options_.directory.empty();
    if (files) {
      FONDS_CHECK(directory_.begin(record, ordinal));
    }
    const ByteOutput give = [this, files](ByteView piece) {
      return files ? directory_.write(piece) : out_.text(as_text(piece));
    };
    FONDS_TRY(given_, output_.write(reader, record, give));
    if (files) {
      FONDS_CHECK(directory_.end());
    }
    for (Finding& finding : given_) {
      finding.where.ordinal = ordinal;
      out_.finding(finding);
    }
    return !stops(options_, given_);
  }

  const Archive& archive_;
  const CatOptions& options_;
  const Output& out_;
  CatDirectory directory_;
  std::vector<Finding> given_;  // of the record that was given last
  RecordOutput output_;
  std::vector<std::pair<const Archive*, Originals>> originals_;  // this archive's first
  std::vector<Archive> archives_;                                // in which segments are looked for
  std::unique_ptr<SegmentJoiner> joiner_;
  bool stopped_ = false;
};

// Lines of events, which the format makes many at a time.
Status cat_events(const Archive& archive, const CatOptions& options, const Output& out) {
  ReadOptions read = options.scan.read;
  std::stop_source stop;
  const std::stop_callback outer(read.stop, [&stop] { stop.request_stop(); });
  read.stop = stop.get_token();
  std::uint64_t left = options.limit;
  read.as_json = read.as_json || options.limit > 0;  // lines are counted
  bool stopped = false;
  const EventSink sink = {.lines = [&](std::string_view lines) -> Result<bool> {
                            if (options.limit > 0) {
                              lines = lines.substr(0, end_of_lines(lines, left));
                            }
                            FONDS_CHECK(out.text(lines));
                            return !stopped && (options.limit == 0 || left > 0);
                          },
                          .finding =
                              [&](const Finding& finding) {
                                out.finding(finding);
                                if (options.strict && finding.severity >= Severity::Warning) {
                                  stopped = true;
                                  stop.request_stop();
                                }
                              }};
  Status status = archive.format->write_events(archive, read, thread_count(options.scan), sink);
  if (!status && stopped && status.error().code() == ErrorCode::Cancelled) {
    return {};
  }
  return status;
}

}  // namespace

Result<std::vector<std::string>> cat(const Archive& archive, const CatOptions& options,
                                     const Output& out) {
  if (options.where != nullptr) {
    FONDS_CHECK(choose(archive, options));
  }
  if (!options.keys.empty() && !archive.source->random_access()) {
    return fail(ErrorCode::Unsupported,
                "keys need a file; a pipe can only be read from start to end",
                {.source = archive.source->name()});
  }
  if (options.resolve && !archive.source->random_access()) {
    return fail(ErrorCode::Unsupported,
                "--resolve needs a file; a pipe can only be read from start to end",
                {.source = archive.source->name()});
  }
  if (options.join_segments && !archive.source->random_access()) {
    return fail(ErrorCode::Unsupported,
                "--join-segments needs a file; a pipe can only be read from start to end",
                {.source = archive.source->name()});
  }
  for (const Archive& other : options.others) {
    if (options.join_segments && other.format != archive.format) {
      return fail(ErrorCode::Unsupported,
                  fmt::format("is {}, and {} is {}: segments are looked for in archives of one "
                              "format",
                              other.format->name(), archive.source->name(), archive.format->name()),
                  {.source = other.source->name()});
    }
  }
  if (options.tail > 0 && !archive.source->random_access()) {
    return fail(ErrorCode::Unsupported,
                "--tail needs a file; a pipe can only be read from start to end",
                {.source = archive.source->name()});
  }
  if (!options.keys.empty() || options.resolve || options.join_segments || options.tail > 0 ||
      !options.directory.empty()) {
    return Selective(archive, options, out).run();
  }
  if (archive.format->traits().events && options.part == RecordPart::Record &&
      (options.separator == Separator::None || options.separator == Separator::Newline)) {
    FONDS_CHECK(cat_events(archive, options, out));
    return std::vector<std::string>();
  }
  const auto sink = [&](Stretch& piece, Worker&, std::uint64_t first, bool) -> Status {
    FONDS_CHECK(out.text(piece.text));
    for (Finding& finding : piece.findings) {
      if (finding.where.ordinal) {
        *finding.where.ordinal += first;
      }
      out.finding(finding);
    }
    return {};
  };
  ScanOptions scan_options = options.scan;
  scan_options.strict = options.strict;
  if (options.limit > 0) {
    scan_options.threads = 1;
    scan_options.stops_early = true;
  } else if (holds_records(options)) {
    scan_options.most_threads = kThreadsHolding;
  }
  FONDS_TRY(const auto checked, choose(archive, options));
  checked.limit_threads(scan_options);
  const auto make_worker = [&] {
    return std::make_unique<CatWorker>(archive, options, std::move(*choose(archive, options)));
  };
  FONDS_CHECK(scan(archive, scan_options, make_worker, sink));
  return std::vector<std::string>();
}

Result<bool> cat_trailer(const Archive& archive, const ReadOptions& options, const Output& out) {
  FONDS_TRY(const Extras extras, archive.format->extras(archive, options, out.finding));
  if (extras.trailer) {
    FONDS_CHECK(out.text(*extras.trailer));
  }
  return extras.trailer.has_value();
}

}  // namespace fonds::ops
