#include "ops/cat.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <utility>

#include <fmt/core.h>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "io/file_sink.hpp"
#include "ops/describe.hpp"
#include "ops/originals.hpp"
#include "ops/record_output.hpp"

namespace fonds::ops {
namespace {

bool stops(const CatOptions& options, const std::vector<Finding>& findings) {
  return options.strict && std::any_of(findings.begin(), findings.end(), [](const Finding& f) {
           return f.severity >= Severity::Warning;
         });
}

class CatWorker final : public Worker {
 public:
  CatWorker(const Archive& archive, const CatOptions& options)
      : output_(archive, options), options_(options) {}

  Result<bool> take(RecordReader& reader, Record& record, Stretch& out) override {
    const ByteOutput append = [&out](ByteView piece) {
      out.text += as_text(piece);
      return out.spill_if_large();
    };
    FONDS_TRY(std::vector<Finding> findings, output_.write(reader, record, append));
    const bool stop = stops(options_, findings);
    out.findings.insert(out.findings.end(), std::make_move_iterator(findings.begin()),
                        std::make_move_iterator(findings.end()));
    return !stop && (options_.limit == 0 || ++taken_ < options_.limit);
  }

 private:
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

// Remembers where the last records are.
class TailWorker final : public Worker {
 public:
  explicit TailWorker(std::uint64_t tail) : tail_(tail) {}

  Result<bool> take(RecordReader& reader, Record& record, Stretch&) override {
    last_.push_back({record.place, record.ordinal});
    if (last_.size() > tail_) {
      last_.pop_front();
    }
    FONDS_CHECK(reader.finish());
    return true;
  }
  std::deque<Found> take_last() { return std::exchange(last_, {}); }

 private:
  std::uint64_t tail_;
  std::deque<Found> last_;
};

// The first of the last `tail` records; nothing if there are none.
Result<std::optional<Found>> find_tail(const Archive& archive, const ScanOptions& options,
                                       std::uint64_t tail) {
  std::deque<Found> last;
  const auto sink = [&](Stretch&, Worker& worker, std::uint64_t first, bool) -> Status {
    for (Found found : static_cast<TailWorker&>(worker).take_last()) {
      found.ordinal += first;
      last.push_back(found);
      if (last.size() > tail) {
        last.pop_front();
      }
    }
    return {};
  };
  ScanOptions skim = options;
  skim.read.skim = !options.read.search_damaged;
  FONDS_CHECK(scan(archive, skim, [&] { return std::make_unique<TailWorker>(tail); }, sink));
  return last.empty() ? std::nullopt : std::optional(last.front());
}

Original original_of(const Record& record, std::uint64_t ordinal) {
  FlatAttributes flat;
  record.describe(flat, false);
  const auto get = [&flat](std::string_view name) { return std::string(flat.get(name)); };
  return {get("refers_to"), get("refers_to_uri"),  get("refers_to_date"),
          get("uri"),       get("payload_digest"), ordinal};
}

// One file a record, with names that are safe everywhere, and a manifest of them.
class Directory {
 public:
  Directory(const CatOptions& options, const std::string& archive)
      : options_(options), archive_(archive) {}

  Status open() {
    std::error_code error;
    std::filesystem::create_directories(options_.directory, error);
    if (error) {
      return fail(ErrorCode::Io, "cannot be made: " + error.message(),
                  {.source = options_.directory});
    }
    FONDS_TRY(auto sink, FileSink::create(options_.directory + "/manifest.jsonl", options_.force));
    manifest_.emplace(std::move(sink));
    hasher_.emplace(DigestAlgorithm::Sha256);
    return {};
  }

  Status begin(const Record& record, std::uint64_t ordinal) {
    FlatAttributes flat;
    record.describe(flat, false);
    choose_name(fmt::format("{:06}-{}", ordinal,
                            safe(record.kind().empty() ? "record" : record.kind(), 20)),
                ending(flat.get("uri")));
    FONDS_TRY(auto sink, FileSink::create(options_.directory + "/" + name_, options_.force));
    file_.emplace(std::move(sink));
    line_.clear();
    JsonWriter json(line_);
    json.begin_object()
        .member("name", std::string_view(name_))
        .member("archive", std::string_view(archive_));
    json.member("index", ordinal).member("offset", record.place.unit);
    for (const std::string_view attribute : {"type", "id", "uri"}) {
      if (const auto value = flat.get(attribute); !value.empty()) {
        json.member(attribute, value);
      }
    }
    return {};
  }

  Status write(ByteView piece) {
    if (options_.cancelled && options_.cancelled()) {
      return fail(ErrorCode::Cancelled, "stopped");
    }
    hasher_->update(piece);
    return file_->write(piece);
  }

  Status end() {
    FONDS_CHECK(file_->commit(false));
    const DigestValue digest = hasher_->finish();
    line_ += fmt::format(",\"size\":{},\"sha256\":\"{}\"}}\n", file_->position(),
                         to_hex(ByteView(digest.bytes).first(digest.size)));
    file_.reset();
    return manifest_->write(as_bytes(line_));
  }

  Status close() { return manifest_->commit(true); }

 private:
  // Two keys can name one record, and two revisits one original: each gets its file.
  void choose_name(const std::string& begin, const std::string& end) {
    name_ = begin + end;
    for (int n = 2; !used_.insert(name_).second; ++n) {
      name_ = fmt::format("{}-{}{}", begin, n, end);
    }
  }

  static std::string safe(std::string_view text, std::size_t most) {
    std::string name;
    for (const char c : text.substr(0, most)) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '-' || c == '_';
      name += plain ? c : '_';
    }
    return name;
  }
  // "-index.html" out of the last step of a URI's path.
  static std::string ending(std::string_view uri) {
    uri = uri.substr(0, uri.find_first_of("?#"));
    const std::size_t slash = uri.rfind('/');
    const std::string_view last =
        slash == std::string_view::npos ? std::string_view() : uri.substr(slash + 1);
    if (last.empty()) {
      return {};
    }
    const std::size_t dot = last.rfind('.');
    const std::string stem = safe(last.substr(0, dot), 60);
    return "-" + stem + (dot == std::string_view::npos ? "" : "." + safe(last.substr(dot + 1), 10));
  }

  const CatOptions& options_;
  const std::string& archive_;
  std::optional<FileSink> manifest_, file_;
  std::string name_, line_;
  std::set<std::string> used_;
  std::optional<Hasher> hasher_;  // made when needed: setting up the library takes a millisecond
};

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
        FONDS_TRY(from, find_tail(archive_, options_.scan, options_.tail));
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
    for (std::size_t i = 0; i < options_.keys.size() && !stopped_; ++i) {
      FONDS_TRY(auto opened, finder.find(i));
      if (opened) {
        FONDS_TRY(const bool more,
                  give(*opened->open.reader, *opened->open.record, opened->ordinal));
        stopped_ = !more;
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
    FONDS_TRY(const auto reader, open_at(archive_, options_.scan.read, from.place));
    for (std::uint64_t n = 0; options_.limit == 0 || n < options_.limit; ++n) {
      FONDS_TRY(Record* const record, reader->next());
      loose(*reader);
      if (record == nullptr) {
        return {};
      }
      FONDS_TRY(const bool more, give(*reader, *record, from.ordinal + record->ordinal));
      if (!more) {
        return {};
      }
    }
    return {};
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
        FONDS_TRY(const auto other,
                  open_at(*original->archive, options_.scan.read, original->found.place));
        FONDS_TRY(Record* const there, other->next());
        if (there != nullptr) {
          return write(*other, *there, original->found.ordinal);
        }
        return true;
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
    FONDS_TRY(const auto findings, output_.write(reader, record, give));
    if (files) {
      FONDS_CHECK(directory_.end());
    }
    for (Finding finding : findings) {
      finding.where.ordinal = ordinal;
      out_.finding(finding);
    }
    return !stops(options_, findings);
  }

  const Archive& archive_;
  const CatOptions& options_;
  const Output& out_;
  Directory directory_;
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
  } else if (holds_records(options)) {
    scan_options.most_threads = kThreadsHolding;
  }
  FONDS_CHECK(scan(
      archive, scan_options, [&] { return std::make_unique<CatWorker>(archive, options); }, sink));
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
