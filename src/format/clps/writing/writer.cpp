// The course of writing: pieces of inputs → batches on workers → archives, in the inputs' order.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/formats/clps_writing.hpp>

#include "base/guarded.hpp"
#include "base/ordered_jobs.hpp"
#include "format/clps/writing/archive_builder.hpp"
#include "format/clps/writing/assemble.hpp"
#include "format/clps/writing/batch.hpp"
#include "format/clps/writing/documents.hpp"
#include "format/clps/writing/json_walker.hpp"
#include "format/clps/writing/kvir_events.hpp"
#include "format/clps/writing/open_input.hpp"
#include "format/clps/writing/writer_options.hpp"
#include "format/kvir/reading/stream.hpp"

namespace fonds::clps {
namespace {

using namespace writing;  // NOLINT(google-build-using-namespace)

constexpr std::uint64_t kLargestPiece = std::uint64_t{1} << 20;
constexpr std::size_t kMagicOctets = 4;
// Of what gives back the original bytes: an archive is complete with so much; no reader takes more
// than the second in its usual memory.
constexpr std::uint64_t kMostOriginals = std::uint64_t{48} << 20;
constexpr std::uint64_t kLargestOriginals = std::uint64_t{200} << 20;
constexpr std::uint32_t kOwnShape = 0;  // of the merging stage, when it works itself

using Properties = std::vector<std::pair<std::string, std::string>>;

// What goes through the workers, in the order of the input.
struct Job {
  enum class Kind : std::uint8_t { BeginInput, Piece, Gap, EndInput } kind = Kind::Piece;
  // BeginInput; Gap: the text
  std::string name;
  Properties properties;
  // Piece
  Piece piece;
  std::uint64_t input_bytes = 0;  // of the input up to its end, behind those of the piece before
  std::uint64_t archive = 0;      // in which the patterns were used
  std::optional<TimePatterns> patterns;
  std::unique_ptr<Batch> batch;
};

// Takes pieces apart. One for each thread.
class Worker {
 public:
  Worker(const Rules& rules, const WriterOptions& options, std::uint32_t shape)
      : builder_(rules, shape), walker_(rules, options.keep_unparsed) {}

  Status run(Job& job) {
    if (job.kind != Job::Kind::Piece || job.piece.left_out()) {
      return {};
    }
    builder_.begin(job.patterns ? &*job.patterns : nullptr);
    DocumentCutter cutter(job.piece);
    const char* const begin = job.piece.text().data();
    for (std::string_view text; cutter.next(text);) {
      walker_.add(text, static_cast<std::size_t>(text.data() - begin), builder_);
    }
    job.batch = builder_.end();
    return {};
  }

  BatchBuilder& builder() { return builder_; }

 private:
  BatchBuilder builder_;
  JsonWalker walker_;
};

}  // namespace

struct ArchiveWriter::State {
  State(WriterOptions given, Rules made)
      : options(std::move(given)),
        rules(std::move(made)),
        builder(std::make_unique<ArchiveBuilder>(rules, shapes)),
        own(rules, options, kOwnShape),
        pool(options.threads, std::uint64_t{256} << 20, [this] { return make_worker(); }) {
    options.max_document_size = std::min(options.max_document_size, kMostDocument);
    piece_bytes = std::clamp(options.target_encoded_size / 8, std::uint64_t{1}, kLargestPiece);
  }

  Result<OrderedJobs<Job>::Work> make_worker() {
    auto worker = std::make_shared<Worker>(rules, options, ++workers);
    return [worker](Job& job) { return worker->run(job); };
  }

  Status stopped() const {
    return options.read.stop.stop_requested() ? fail(ErrorCode::Cancelled, "stopped") : Status();
  }

  // Gives a job to the workers, and merges what is done.
  Status put(std::unique_ptr<Job> job) {
    FONDS_CHECK(stopped());
    if (job->kind == Job::Kind::Piece && builder->patterns() != nullptr) {
      job->patterns = *builder->patterns();
      job->archive = archives;
    }
    if (options.threads <= 1) {
      FONDS_CHECK(own.run(*job));
      return merge(*job);
    }
    const std::uint64_t cost = 3 * job->piece.text().size();
    while (pool.full(cost)) {
      FONDS_CHECK(merge_front(true));
    }
    FONDS_CHECK(pool.submit(job, cost));
    while (pool.front(false).job != nullptr) {
      FONDS_CHECK(merge_front(false));
    }
    return {};
  }
  Status merge_front(bool wait) {
    const auto front = pool.front(wait);
    if (front.job == nullptr) {
      return {};
    }
    if (front.error != nullptr) {
      return fail(front.error->code(), front.error->message(), front.error->where());
    }
    FONDS_CHECK(merge(*front.job));
    pool.pop();
    return {};
  }
  Status drain() {
    while (!pool.empty()) {
      FONDS_CHECK(merge_front(true));
    }
    return {};
  }

  Status merge(Job& job) {
    if (job.kind == Job::Kind::BeginInput) {
      input = std::move(job.name);
      properties = std::move(job.properties);
      split = 0;
      builder->begin_input(input, split, properties);
      return {};
    }
    if (job.kind == Job::Kind::EndInput) {
      builder->add_input_bytes(job.input_bytes);
      report.input_bytes += job.input_bytes;
      return {};
    }
    if (job.kind == Job::Kind::Gap) {
      return add_gap(job.name);
    }
    if (job.piece.left_out()) {
      FONDS_CHECK(add_gap(job.piece.before()));
      FONDS_CHECK(add_gap(job.piece.text()));
      return leave_out(job);
    }
    FONDS_CHECK(make_room(*job.batch));
    FONDS_CHECK(check_times(job));
    FONDS_CHECK(note(job));
    return take(job);
  }
  // An archive is complete when more comes than it may hold.
  Status make_room(const Batch& batch) {
    if (builder->archive().records > 0 && batch.events > 0 &&
        (builder->encoded_size() >= options.target_encoded_size ||
         builder->exact_size() >= kMostOriginals || !builder->has_room_for(batch))) {
      FONDS_CHECK(complete());
      builder->begin_input(input, ++split, properties);
    }
    return {};
  }
  // What lies between events.
  Status add_gap(std::string_view text) {
    if (rules.exact) {
      if (builder->exact_size() + text.size() > kLargestOriginals) {
        return fail(ErrorCode::LimitExceeded,
                    "there is more text between events than an archive can keep");
      }
      builder->add_gap(text);
    }
    return {};
  }
  Status take(const Job& job) {
    FONDS_CHECK(add_gap(job.piece.before()));
    FONDS_CHECK(builder->add(*job.batch, job.input_bytes, job.piece.text()));
    if (builder->exact_size() > kLargestOriginals) {
      return fail(ErrorCode::LimitExceeded,
                  "these events have more text of their own than an archive can keep");
    }
    report.records += job.batch->events;
    report.input_bytes += job.input_bytes;
    report.peak_held = std::max(report.peak_held, builder->held());
    if (options.progress) {
      options.progress(report.input_bytes);
    }
    return {};
  }

  // A worker's patterns were those of a moment: what they made of times must be what the patterns
  // of now make of them. Else the piece is taken apart again.
  Status check_times(Job& job) {
    if (!job.batch->patterns) {
      return {};
    }
    const TimePatterns& now = *builder->patterns();
    const std::size_t before = job.batch->patterns_before;
    if (job.archive == archives && now.agrees(*job.batch->patterns, before)) {
      return {};
    }
    shapes.learn(*job.batch);  // what comes next builds on it
    job.patterns = now;
    return own.run(job);
  }

  Status leave_out(const Job& job) {
    const LeftOut& part = *job.piece.left_out();
    builder->add_input_bytes(job.input_bytes);
    report.input_bytes += job.input_bytes;
    const std::string reason = fmt::format("longer than {} octets", options.max_document_size);
    if (part.first) {
      FONDS_CHECK(refuse(part.offset, reason));
    }
    if (options.rejected) {
      return options.rejected({.input = input,
                               .offset = part.offset,
                               .length = 0,
                               .text = job.piece.text(),
                               .last = part.last,
                               .reason = reason});
    }
    return {};
  }
  Status refuse(std::uint64_t offset, const std::string& reason) {
    if (options.strict) {
      return fail(ErrorCode::Corrupt, reason, {.source = input, .decoded_offset = offset});
    }
    ++report.rejected;
    return {};
  }

  // What was changed or left out.
  Status note(const Job& job) {
    const Batch& batch = *job.batch;
    for (const Rejected& rejected : batch.rejected) {
      const std::uint64_t offset = job.piece.offset() + rejected.offset;
      FONDS_CHECK(refuse(offset, rejected.reason));
      if (options.rejected) {
        FONDS_CHECK(options.rejected({.input = input,
                                      .offset = offset,
                                      .length = rejected.text.size(),
                                      .text = rejected.text,
                                      .last = true,
                                      .reason = rejected.reason}));
      }
    }
    for (std::size_t i = 0; i < kChanges; ++i) {
      FONDS_CHECK(count(to_string(static_cast<Change>(i)), batch.changes[i],
                        {.source = input, .decoded_offset = job.piece.offset()}));
    }
    return {};
  }
  Status count(std::string_view change, std::uint64_t n, Location where) {
    if (n > 0 && options.strict) {
      return fail(ErrorCode::Corrupt, fmt::format("{}: {}", change, n), std::move(where));
    }
    if (n > 0) {
      report.changes[std::string(change)] += n;
    }
    return {};
  }

  // Stores the archive, and begins the next one.
  Status complete() {
    FONDS_TRY(WrittenArchive written, assemble(builder->take(), rules, options, archives));
    ++archives;
    ++report.archives;
    FONDS_CHECK(count("archives without columns, which the clp-s tool cannot open",
                      written.columns_bytes == 0 ? 1 : 0, {.source = input}));
    builder = std::make_unique<ArchiveBuilder>(rules, shapes);
    return options.archive ? options.archive(std::move(written)) : Status();
  }

  Status begin_input(std::string_view name, Properties with) {
    FONDS_CHECK(flush_lines());
    auto job = std::make_unique<Job>();
    job->kind = Job::Kind::BeginInput;
    job->name = name;
    job->properties = options.properties;
    std::move(with.begin(), with.end(), std::back_inserter(job->properties));
    return put(std::move(job));
  }

  void tell(const Finding& finding) const {
    if (options.on_finding) {
      options.on_finding(finding);
    }
  }
  // Of an input that ends in damage, all before it is kept.
  Status judge(const Error& damage) {
    const bool damaged =
        damage.code() == ErrorCode::Truncated || damage.code() == ErrorCode::Corrupt;
    if (!damaged || options.strict) {
      return fail(damage.code(), damage.message(), damage.where());
    }
    const std::string_view rule = damage.rule().empty() ? "truncated-member" : damage.rule();
    tell(make_finding(rule, damage.message(), damage.where()));
    return {};
  }

  Status add(std::shared_ptr<ByteSource> source, std::string_view name) {
    const std::string source_name = source->name();
    auto decoder = open_input(std::move(source), options.read);
    if (!decoder) {
      FONDS_CHECK(begin_input(name, {}));
      return judge(decoder.error());
    }
    FONDS_TRY(const ByteView head, (*decoder)->peek(kMagicOctets));
    if (kvir::starts_stream(head)) {
      return add_stream(**decoder, name);
    }
    FONDS_CHECK(begin_input(name, {}));
    DocumentOptions documents;
    documents.piece_bytes = piece_bytes;
    documents.max_document_size = options.max_document_size;
    documents.read = options.read;
    documents.keep_blanks = rules.exact;
    DocumentReader reader(std::move(*decoder), source_name, documents);
    std::uint64_t told = 0;
    bool marked = false;
    while (true) {
      auto job = std::make_unique<Job>();
      const Result<bool> more = reader.next(job->piece);
      for (const Finding& finding : reader.take_findings()) {
        tell(finding);
      }
      if (!marked && reader.had_byte_order_mark()) {
        marked = true;
        FONDS_CHECK(count(to_string(Change::ByteOrderMarks), 1,
                          {.source = std::string(name), .decoded_offset = 0}));
      }
      if (!more || !*more) {
        FONDS_CHECK(end_input(reader));
        job->kind = Job::Kind::EndInput;
        job->input_bytes = reader.decoded_bytes() - told;  // blanks
        FONDS_CHECK(put(std::move(job)));
        return more ? Status() : judge(more.error());
      }
      const std::uint64_t end = job->piece.offset() + job->piece.text().size();
      job->input_bytes = end - told;
      told = end;
      FONDS_CHECK(put(std::move(job)));
    }
  }

  Status end_input(DocumentReader& reader) {
    if (!rules.exact) {
      return {};
    }
    auto job = std::make_unique<Job>();
    job->kind = Job::Kind::Gap;
    job->name = reader.take_rest();
    return put(std::move(job));
  }

  // KV-IR is read by one thread; its events need no walker.
  Status add_stream(Decoder& decoder, std::string_view name) {
    FONDS_CHECK(drain());
    auto opened = kvir::EventReader::open(decoder, {.event_bytes = options.max_document_size});
    if (!opened) {
      FONDS_CHECK(begin_input(name, {}));
      return judge(opened.error());
    }
    kvir::EventReader& reader = **opened;
    FONDS_CHECK(begin_input(name, reader.metadata().user));
    FONDS_CHECK(drain());
    std::uint64_t told = 0;
    for (bool more = true; more;) {
      FONDS_CHECK(stopped());
      Batch one_event;
      one_event.events = 1;
      FONDS_CHECK(make_room(one_event));  // the patterns are those of the archive from here
      Job job;
      own.builder().begin(builder->patterns());
      const std::uint64_t begin = told;
      while (more && told - begin < piece_bytes) {
        const Result<bool> next = reader.next();
        if (!next) {
          FONDS_CHECK(judge(next.error()));
        }
        more = next && *next;
        if (more) {
          add_event(reader, own.builder());
          told = reader.offset() + reader.length();
        }
      }
      job.batch = own.builder().end();
      job.input_bytes = told - begin;
      FONDS_CHECK(note(job));
      FONDS_CHECK(take(job));
    }
    return {};
  }

  // Whole lines as a piece; `told` are the octets before them.
  Status put_lines(std::string_view text, std::uint64_t& told) {
    auto job = std::make_unique<Job>();
    FONDS_TRY(job->piece, Piece::of_lines(text, told));
    job->input_bytes = text.size();
    told += text.size();
    return put(std::move(job));
  }

  Status begin(std::string_view name) {
    FONDS_CHECK(begin_input(name, {}));
    lines_told = 0;
    return {};
  }
  // Pieces end where the octets say, not where calls do.
  Status add_lines(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      lines.append(text.substr(0, end));
      text.remove_prefix(end);
      FONDS_CHECK(lines.size() < piece_bytes ? Status() : flush_lines());
    }
    return {};
  }
  Status flush_lines() {
    if (lines.empty()) {
      return {};
    }
    auto status = put_lines(lines, lines_told);
    lines.clear();
    return status;
  }

  // Events of another archive, as the JSON texts that it gives.
  Status add(const std::shared_ptr<const Archive>& archive) {
    FONDS_CHECK(count(to_string(Change::GeneratedKeys),
                      archive->tree().generated_root() == kNoNode ? 0 : 1,
                      {.source = archive->name()}));
    FONDS_CHECK(count("original texts of archives, which are not carried over",
                      archive->metadata().originals == nullptr ? 0 : 1,
                      {.source = archive->name()}));
    RebuildOptions rebuild;
    rebuild.threads = options.threads;
    FONDS_TRY(const auto rebuilder, Rebuilder::open(archive, rebuild));
    const auto& ranges = archive->metadata().inputs;
    std::size_t next_range = 0;
    if (ranges.empty()) {
      FONDS_CHECK(begin_input(archive->name(), {}));
    }
    std::uint64_t told = 0;
    while (true) {
      FONDS_TRY(const Rebuilder::Batch* const batch, rebuilder->next());
      if (batch == nullptr) {
        break;
      }
      for (const Finding& finding : batch->findings) {
        tell(finding);
      }
      // Whole lines up to where the next input begins.
      for (std::size_t line = 0; line < batch->lines.size();) {
        while (next_range < ranges.size() &&
               ranges[next_range].begin <= batch->lines[line].log_index) {
          FONDS_CHECK(begin_range(ranges[next_range++]));
        }
        std::size_t end = line + 1;
        while (end < batch->lines.size() &&
               batch->lines[end].begin - batch->lines[line].begin < piece_bytes &&
               (next_range == ranges.size() ||
                batch->lines[end].log_index < ranges[next_range].begin) &&
               batch->lines[end].begin - batch->lines[line].begin < piece_bytes) {
          ++end;
        }
        const std::size_t from = batch->lines[line].begin;
        const std::size_t to = batch->lines[end - 1].begin + batch->lines[end - 1].length + 1;
        FONDS_CHECK(put_lines(batch->text.substr(from, to - from), told));
        line = end;
      }
    }
    for (; next_range < ranges.size(); ++next_range) {
      FONDS_CHECK(begin_range(ranges[next_range]));
    }
    return {};
  }
  Status begin_range(const InputRange& range) {
    return begin_input(range.file_name, user_properties(range.properties));
  }

  template <typename Work>
  auto once(Work&& work) -> decltype(work()) {
    if (error) {
      return fail(error->code(), error->message(), error->where());
    }
    auto result = guarded(std::forward<Work>(work));
    if (!result) {
      error.emplace(result.error().code(), result.error().message(), result.error().where());
    }
    return result;
  }

  WriterOptions options;
  Rules rules;
  Shapes shapes;
  std::unique_ptr<ArchiveBuilder> builder;
  std::uint64_t archives = 0;  // complete
  std::uint64_t piece_bytes = kLargestPiece;
  std::uint32_t workers = kOwnShape;
  std::string input;  // that is merged
  std::uint64_t split = 0;
  Properties properties;
  std::string lines;             // of add_lines(), not yet a piece
  std::uint64_t lines_told = 0;  // octets before them
  WriterReport report;
  std::optional<Error> error;
  Worker own;
  OrderedJobs<Job> pool;  // last: its workers use the members above
};

ArchiveWriter::ArchiveWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ArchiveWriter::~ArchiveWriter() = default;

Result<std::unique_ptr<ArchiveWriter>> ArchiveWriter::make(WriterOptions options) {
  FONDS_CHECK(check(options));
  FONDS_TRY(Rules rules, rules_of(options));
  return std::unique_ptr<ArchiveWriter>(
      new ArchiveWriter(std::make_unique<State>(std::move(options), std::move(rules))));
}

Status ArchiveWriter::add(std::shared_ptr<ByteSource> source, std::string_view name) {
  return state_->once([&] { return state_->add(std::move(source), name); });
}

Status ArchiveWriter::add(std::shared_ptr<const Archive> archive) {
  return state_->once([&] { return state_->add(archive); });
}

Status ArchiveWriter::begin(std::string_view name) {
  return state_->once([&] { return state_->begin(name); });
}

Status ArchiveWriter::add_lines(std::string_view lines) {
  return state_->once([&] { return state_->add_lines(lines); });
}

Result<WriterReport> ArchiveWriter::finish() {
  return state_->once([&]() -> Result<WriterReport> {
    FONDS_CHECK(state_->flush_lines());
    FONDS_CHECK(state_->drain());
    FONDS_CHECK(state_->complete());
    return std::move(state_->report);
  });
}

}  // namespace fonds::clps
